//! The store in a folder: one machine, any number of processes.
//!
//! ```text
//! ROOT/REALM/lock           held for the moment of every step
//! ROOT/REALM/realm          the record, replaced as a whole
//! ROOT/REALM/nodes/42-8     the row of node 42/8: two slots, overwritten by turns
//! ROOT/REALM/holders/TOKEN  locked by the holder for as long as it lives
//! ```

mod folder;
mod mounts;
pub(crate) mod slots;

use core::fmt;
use core::time::Duration;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tickid_core::{Clock, SystemClock, UnixTime};

use crate::error::{StoreError, StoreErrorKind};
use crate::file::folder::{Context as _, FileError};
use crate::file::slots::Reading;
use crate::node::Node;
use crate::realm::RealmName;
use crate::record::{Entry, Record, Row, Rows, Token, Version};
use crate::rules::Rules;
use crate::store::Answer;
use crate::table::{Change, Scope, Table, TableStore, View};

/// The store in a folder of this machine, which any number of processes may share.
///
/// Its clock is the machine's. What was answered has been synced to the disk; a write that a power loss
/// cuts short never loses the one before. A holder keeps a file locked for as long as its process lives,
/// so that the store knows at once when it is dead; safety does not rest on that.
///
/// It refuses file systems that it knows several machines to share (on Linux, as the table of
/// mounts names them). On Unix it is private to one user: what it creates has the modes 0700 and
/// 0600, whatever the umask, it follows no symbolic link, and it refuses files and folders that
/// another user owns or may write to ([`StoreErrorKind::Exposed`]).
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Claim, FileStore, Lease, Realm, Token, block_on};
/// use tickid_sno::Sno;
///
/// # let folder = std::env::temp_dir().join(format!("tickid-example-{}", std::process::id()));
/// let store = FileStore::open(&folder)?;
/// let realm = Realm::new("orders".parse()?, &Sno, "0-65535/16".parse()?)?;
/// let claim = Claim::new(Token::random()?, "an example", None);
/// let lease = block_on(Lease::acquire(&store, &realm, &claim), Duration::from_secs(5))??;
/// let generator = lease.builder(&Sno)?.build()?;
/// println!("{}", generator.generate()?);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type FileStore<C = SystemClock> = TableStore<FileTable<C>>;

impl FileStore {
    /// The store in `folder`, which is created where it is not there yet.
    ///
    /// # Errors
    /// [`StoreErrorKind::Unfit`] on a file system that several machines share,
    /// [`StoreErrorKind::Exposed`] if the folder is a symbolic link or another user owns it or may
    /// write to it, [`StoreErrorKind::Failed`] if it cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_with_clock(folder, SystemClock)
    }
}

impl<C: Clock + fmt::Debug + Send + Sync> FileStore<C> {
    /// [`open`](FileStore::open) with another clock, for tests.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_with_clock(folder: impl Into<PathBuf>, clock: C) -> Result<Self, StoreError> {
        // Without a slash at the end, after which a link is followed.
        let root: PathBuf = folder.into().components().collect();
        folder::create(&root).map_err(error)?;
        let metadata = folder::look_at(&root).map_err(error)?;
        if let Some(kind) = metadata.as_ref().and_then(mounts::shared_file_system) {
            let why = format!(
                "{} is on a file system of the type {kind}, which several machines may share",
                root.display()
            );
            return Err(StoreError::new(BACKEND, StoreErrorKind::Unfit { why }));
        }
        let table = FileTable { root, clock, locks: Mutex::default(), proves_death: true };
        Ok(Self::new(table))
    }

    /// The same, but holders leave nothing behind by which others could tell that they are dead: for
    /// leases that outlive the process which asks for them. After a crash their nodes are given on
    /// when their windows end.
    #[must_use]
    pub fn without_proof_of_death(self) -> Self {
        Self::new(FileTable { proves_death: false, ..self.into_table() })
    }
}

/// The table of a [`FileStore`].
#[derive(Debug)]
pub struct FileTable<C> {
    root: PathBuf,
    clock: C,
    /// The locks of this process's holders.
    locks: Mutex<HashMap<Token, File>>,
    proves_death: bool,
}

const BACKEND: &str = "file";
/// A folder has one generation; that it was restored from a backup does not show.
const GENERATION: &str = "file";
const RECORD_MAGIC: &str = "tickid-realm-1";
/// For how long somebody may hold a realm's lock, who needs it for moments.
const PATIENCE: Duration = Duration::from_secs(3);

fn error(error: FileError) -> StoreError {
    let (what, path, source) = match error {
        FileError::Io { what, path, source } => (what, path, source),
        FileError::Exposed(exposed) => {
            return StoreError::new(BACKEND, StoreErrorKind::Exposed(exposed));
        }
    };
    let what = format!("{what} {}", path.display());
    let kind = match source.kind() {
        io::ErrorKind::TimedOut => StoreErrorKind::Unreachable,
        _ => StoreErrorKind::Failed { what },
    };
    StoreError::new(BACKEND, kind).with_source(source)
}

fn corrupt(path: &Path) -> StoreError {
    let what = path.display().to_string();
    StoreError::new(BACKEND, StoreErrorKind::Corrupt { what })
}

/// One realm's folder, locked.
struct RealmFolder<'a> {
    folder: PathBuf,
    name: &'a RealmName,
    _lock: File,
}

impl<'a> RealmFolder<'a> {
    /// `None` if there is no such folder.
    fn lock(folder: PathBuf, name: &'a RealmName) -> Result<Option<Self>, FileError> {
        if !folder::close_to_others(&folder)? {
            return Ok(None);
        }
        for part in ["nodes", "holders"] {
            folder::look_at(&folder.join(part))?;
        }
        let lock = folder::lock(&folder.join("lock"), PATIENCE)?;
        Ok(Some(Self { folder, name, _lock: lock }))
    }

    fn record_path(&self) -> PathBuf {
        self.folder.join("realm")
    }

    fn nodes(&self) -> PathBuf {
        self.folder.join("nodes")
    }

    fn row_path(&self, node: Node) -> PathBuf {
        self.nodes().join(format!("{}-{}", node.value(), node.bits()))
    }

    fn holder_path(&self, token: Token) -> PathBuf {
        self.folder.join("holders").join(token.to_string())
    }

    fn record(&self) -> Result<Option<(Record, Version)>, StoreError> {
        let path = self.record_path();
        let Some(bytes) = folder::read(&path).map_err(error)? else {
            // Rows without a record: it was deleted, and nothing says since when they count.
            let rows = folder::names(&self.nodes()).map_err(error)?;
            return if rows.is_empty() { Ok(None) } else { Err(corrupt(&path)) };
        };
        let (version, json) = read_record(&bytes).ok_or_else(|| corrupt(&path))?;
        let record = Record::from_json(self.name.clone(), json);
        let record = record.map_err(|source| corrupt(&path).with_source(source))?;
        Ok(Some((record, version)))
    }

    /// The nodes that have rows.
    fn given_out(&self) -> Result<Vec<Node>, StoreError> {
        let names = folder::names(&self.nodes()).map_err(error)?;
        let node = |name: &String| name.replace('-', "/").parse().ok();
        // What is no node's is a file that was not put in its place.
        Ok(names.iter().filter_map(node).collect())
    }

    /// A node's row and its version. A row that can't be read is put where no lease can have reached:
    /// for good when there was one before it, until it is mended when there was not.
    fn row(&self, node: Node, limit: u64) -> Result<Option<(Row, Version)>, StoreError> {
        let path = self.row_path(node);
        let bytes = folder::read_short(&path, slots::FILE_LEN).map_err(error)?;
        let Some(bytes) = bytes else { return Ok(None) };
        Ok(Some(match slots::read(&bytes) {
            Reading::Whole(number, row) if row.node == node => (row, Version(number)),
            Reading::Torn(number, row) if row.node == node => {
                let ceiling = row.ceiling.max(limit);
                let row = Row { token: None, ceiling, ..row };
                self.write_row(&row, Some(Version(number)))?;
                (row, Version(number + 1))
            }
            _ => {
                let (token, holder) = (None, "(its file can't be read)".to_owned());
                let ceiling = limit.saturating_add(1);
                (Row { node, token, holder, era: 0, floor: 0, ceiling }, UNREADABLE)
            }
        }))
    }

    /// Writes the row that follows on `version`.
    fn write_row(&self, row: &Row, version: Option<Version>) -> Result<(), StoreError> {
        let path = self.row_path(row.node);
        let too_long = || corrupt(&path);
        match version {
            None | Some(UNREADABLE) => {
                folder::create(&self.nodes()).map_err(error)?;
                let file = slots::create(row).ok_or_else(too_long)?;
                folder::replace(&path, &file).map_err(error)
            }
            Some(Version(number)) => {
                let (at, slot) = slots::write(number + 1, row).ok_or_else(too_long)?;
                folder::overwrite(&path, at, &slot).map_err(error)
            }
        }
    }

    fn write_record(&self, record: &Record, version: Option<Version>) -> Result<(), StoreError> {
        let number = version.map_or(1, |Version(number)| number + 1);
        let checked = format!("{number} {}", record.to_json());
        let checksum = crc32fast::hash(checked.as_bytes());
        let text = format!("{RECORD_MAGIC} {checksum:08x} {checked}\n");
        folder::replace(&self.record_path(), text.as_bytes()).map_err(error)
    }
}

/// The highest a lease can reach.
fn limit(record: &Record, now: UnixTime) -> Result<u64, StoreError> {
    let rules = Rules::new(record, now);
    rules.map(|rules| rules.limit()).map_err(|refusal| StoreError::refused(BACKEND, refusal))
}

/// The version of a row whose file is to be written anew. The last write of all others is numbered
/// from 1 on.
const UNREADABLE: Version = Version(0);

/// A record's file taken apart: its version and its JSON.
fn read_record(bytes: &[u8]) -> Option<(Version, &[u8])> {
    let text = core::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let (checksum, checked) =
        text.strip_prefix(RECORD_MAGIC)?.strip_prefix(' ')?.split_once(' ')?;
    if format!("{:08x}", crc32fast::hash(checked.as_bytes())) != checksum {
        return None;
    }
    let (version, json) = checked.split_once(' ')?;
    Some((Version(version.parse().ok()?), json.as_bytes()))
}

impl<C: Clock + fmt::Debug + Send + Sync> FileTable<C> {
    fn locks(&self) -> MutexGuard<'_, HashMap<Token, File>> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Result<UnixTime, StoreError> {
        self.clock.now().map_err(|source| {
            let what = "read the clock".to_owned();
            StoreError::new(BACKEND, StoreErrorKind::Failed { what }).with_source(source)
        })
    }

    fn view(&self, realm: &RealmName, scope: Scope) -> Result<View, StoreError> {
        let mut view = View {
            record: None,
            rows: Rows::new(),
            now: self.now()?,
            generation: GENERATION.to_owned(),
            has_forgotten: false,
        };
        let folder = self.root.join(realm.as_str());
        let Some(folder) = RealmFolder::lock(folder, realm).map_err(error)? else {
            return Ok(view);
        };
        // As of now, not of before the wait for the lock.
        view.now = self.now()?;
        view.record = folder.record()?;
        let Some((record, _)) = &view.record else { return Ok(view) };
        let limit = limit(record, view.now)?;
        let nodes = match scope {
            Scope::All => folder.given_out()?,
            Scope::Node(node) => vec![node],
        };
        for node in nodes {
            if let Some((row, version)) = folder.row(node, limit)? {
                let is_dead = self.is_dead(&folder, &row)?;
                view.rows.insert(node, Entry { row, version, is_dead });
            }
        }
        Ok(view)
    }

    /// Whether the row's holder has left its file behind unlocked.
    fn is_dead(&self, folder: &RealmFolder<'_>, row: &Row) -> Result<bool, StoreError> {
        match row.token {
            Some(token) if !self.locks().contains_key(&token) => {
                folder::is_unlocked(&folder.holder_path(token)).map_err(error)
            }
            _ => Ok(false),
        }
    }

    fn write(&self, realm: &RealmName, change: &Change) -> Result<bool, StoreError> {
        let folder = self.root.join(realm.as_str());
        folder::create(&folder).map_err(error)?;
        // Removed again in this moment: not what was read before.
        let Some(folder) = RealmFolder::lock(folder, realm).map_err(error)? else {
            return Ok(false);
        };
        let record = folder.record()?;
        let record_version = record.as_ref().map(|(_, version)| *version);
        if record_version != change.record_version || change.generation != GENERATION {
            return Ok(false);
        }
        let mut before = None;
        if let (Some((expected, row)), Some((record, _))) = (&change.row, &record) {
            before = folder.row(row.node, limit(record, self.now()?)?)?;
            if before.as_ref().map(|(_, version)| *version) != *expected {
                return Ok(false);
            }
        }
        // The record first: of those that change both at once, mending, half is no harm.
        if let Some(record) = &change.record {
            folder.write_record(record, record_version)?;
        }
        if let Some((version, row)) = &change.row {
            let before = before.and_then(|(row, _)| row.token);
            self.hand_over(&folder, before, row.token, || folder.write_row(row, *version))?;
        }
        Ok(true)
    }

    /// Locks the new holder's file, writes the row, and clears away the file of the holder before.
    fn hand_over(
        &self,
        folder: &RealmFolder<'_>,
        before: Option<Token>,
        after: Option<Token>,
        write: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if before == after {
            return write();
        }
        // A claim that comes again after its first lease ended has locked its file already.
        let locks_one = |token: &Token| self.proves_death && !self.locks().contains_key(token);
        if let Some(token) = after.filter(locks_one) {
            let path = folder.holder_path(token);
            path.parent().map_or(Ok(()), folder::create).map_err(error)?;
            let lock = folder::lock_file(&path).map_err(error)?;
            lock.try_lock().map_err(io::Error::from).context("lock", &path).map_err(error)?;
            self.locks().insert(token, lock);
        }
        let written = write();
        // Whichever of the two has no row now.
        let gone = if written.is_ok() { before } else { after };
        if let Some(token) = gone {
            self.locks().remove(&token);
            // A file that stays is in nobody's way.
            let _ = fs::remove_file(folder.holder_path(token));
        }
        written
    }
}

impl<C: Clock + fmt::Debug + Send + Sync> Table for FileTable<C> {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(async move { self.view(realm, scope) })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        Box::pin(async move { self.write(realm, change) })
    }
}
