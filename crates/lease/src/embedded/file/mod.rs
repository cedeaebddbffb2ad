//! The backend in a folder, for any number of processes of one machine.
//!
//! ```text
//! ROOT/REALM/lock           held for the moment of every step
//! ROOT/REALM/realm          the record, replaced as a whole
//! ROOT/REALM/realm.spare    room for the next record, so that a full disk does not stop it
//! ROOT/REALM/nodes/42-8     the row of node 42/8: two slots, overwritten by turns
//! ROOT/REALM/index          the nodes that have rows, so that a claim need not read the folder
//! ROOT/REALM/holders/TOKEN  locked by the holder for as long as it lives
//! ```

mod folder;
mod index;
mod mounts;
pub(crate) mod slots;

use core::fmt;
use core::time::Duration;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tickid_core::{AnyNode, Clock, SystemClock, UnixTime};

use self::folder::{Context as _, NAME, corrupt};
use self::mounts::Fitness;
use self::slots::SlotReading;
use crate::backend::{Answer, Backend, Change, Commit, Scope};
use crate::model::pool::NodePool;
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row, RowState, Version};
use crate::model::rules::RealmRules;
use crate::model::token::Token;
use crate::store_error::{StoreError, StoreErrorKind};

/// The processes that hold what is leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holders {
    /// This process, so that a backend may show others when it has ended.
    Here,
    /// Other processes, which may outlive this one.
    Elsewhere,
}

/// The backend in a folder of this machine, which any number of processes may share.
///
/// Its clock is the machine's. An answer has been synced to the disk, and a write that a power loss
/// cuts short never loses the one before. A holder keeps a file locked for as long as its process
/// lives, so that its node is free as soon as it has ended. Safety does not rest on that.
///
/// It refuses file systems that several machines may share, such as NFS, since neither their locks
/// nor their durability can be relied on. (On Linux, it looks in the table of mounts.) One in user
/// space (FUSE) that it does not know is a [doubt](Backend::doubt). A copy of a
/// folder is a second store, which would grant the same windows again, so move a folder rather than
/// copying it.
///
/// On Unix it is private to one user. Folders and files are created with the modes 0700 and 0600
/// whatever the umask, it follows no symbolic link, and it refuses files and folders that another
/// user owns or may write to ([`StoreErrorKind::Exposed`]). So all processes that share a folder
/// must run as the same user.
///
/// # Examples
/// ```
/// use tickid_lease::backend::FileBackend;
/// use tickid_lease::Store;
///
/// # let folder = std::env::temp_dir().join(format!("tickid-example-{}", std::process::id()));
/// let store = Store::new(FileBackend::open(&folder)?);
/// assert_eq!(store.backend(), "file");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileBackend<C = SystemClock> {
    root: PathBuf,
    clock: C,
    holders: Holders,
    /// The reason why the folder may not keep leases.
    doubt: Option<String>,
    /// The locks of this process's holders.
    locks: Mutex<HashMap<Token, File>>,
}

impl FileBackend {
    /// Opens a folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// Returns [`StoreErrorKind::Unfit`] on a file system that several machines share,
    /// [`StoreErrorKind::Exposed`] if the folder is a symbolic link or another user owns it or may
    /// write to it, and [`StoreErrorKind::Failed`] if it cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_with_clock(folder, SystemClock)
    }

    pub(crate) fn open_for(folder: &str, holders: Holders) -> Result<Self, StoreError> {
        Ok(Self { holders, ..Self::open(folder)? })
    }
}

impl<C> FileBackend<C> {
    /// Grants leases that outlive this process. For these it locks no files, which would show other
    /// processes that their holder has ended.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::Standing;
    /// use tickid_lease::backend::FileBackend;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (folder, timeout) = (tempfile::tempdir()?, Duration::from_secs(5));
    /// let store = Store::new(FileBackend::open(folder.path())?.detached());
    /// let mut claim = Claim::new(Token::random()?, "a shell script", None);
    /// block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    /// drop(store); // without `detached`, the node would be free now
    ///
    /// let store = Store::new(FileBackend::open(folder.path())?);
    /// let view = block_on(store.list(realm.name()), timeout)?;
    /// assert_eq!(view.standings()?[0].2, Standing::Held);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn detached(self) -> Self {
        Self { holders: Holders::Elsewhere, ..self }
    }
}

impl<C: Clock + Send + Sync> FileBackend<C> {
    /// Opens a folder with a different clock, for tests.
    ///
    /// # Errors
    /// As [`open`](FileBackend::open).
    pub fn open_with_clock(folder: impl Into<PathBuf>, clock: C) -> Result<Self, StoreError> {
        // Drops a trailing slash, which would make the system follow a link.
        let root: PathBuf = folder.into().components().collect();
        folder::create(&root)?;
        let metadata = folder::look_at(&root)?;
        let doubt = match metadata.as_ref().map_or(Fitness::Fit, mounts::fitness) {
            Fitness::Fit => None,
            Fitness::Doubtful(kind) => Some(format!(
                "{} is on a file system in user space, of type {kind}: if another machine can mount \
                 it too, both may be granted one node",
                root.display()
            )),
            Fitness::Shared(kind) => {
                let root = root.display();
                let why =
                    format!("{root} is on a file system that machines may share, of type {kind}");
                return Err(StoreError::new(NAME, StoreErrorKind::Unfit { why }));
            }
        };
        Ok(Self { root, clock, holders: Holders::Here, doubt, locks: Mutex::default() })
    }
}

/// A folder has only one generation, because it does not show that it was restored from a backup.
const GENERATION: &str = "file";
const RECORD_MAGIC: &str = "tickid-realm-1";
/// The timeout for a realm's lock, for callers that wait longer. It is normally held for
/// milliseconds, but a thousand processes that start together need it for 10 to 25 seconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(40);
/// The version of a row that cannot be read.
const UNREADABLE: Version = Version(0);

/// One realm's folder, locked.
struct RealmFolder<'a> {
    folder: PathBuf,
    name: &'a RealmName,
    _lock: folder::Lock,
}

impl<'a> RealmFolder<'a> {
    /// `None` if there is no such folder.
    async fn lock(folder: PathBuf, name: &'a RealmName) -> Result<Option<Self>, StoreError> {
        if !folder::close_to_others(&folder)? {
            return Ok(None);
        }
        for part in ["nodes", "holders"] {
            folder::look_at(&folder.join(part))?;
        }
        let lock = folder::lock(&folder.join("lock"), LOCK_TIMEOUT).await?;
        Ok(Some(Self { folder, name, _lock: lock }))
    }

    fn record_path(&self) -> PathBuf {
        self.folder.join("realm")
    }

    fn nodes(&self) -> PathBuf {
        self.folder.join("nodes")
    }

    fn index_path(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn row_path(&self, node: AnyNode) -> PathBuf {
        self.nodes().join(format!("{}-{}", node.value(), node.bits()))
    }

    fn holder_path(&self, token: Token) -> PathBuf {
        self.folder.join("holders").join(token.to_string())
    }

    fn record(&self) -> Result<Option<(Record, Version)>, StoreError> {
        let path = self.record_path();
        let Some(bytes) = folder::read(&path, 0, u64::MAX)? else { return Ok(None) };
        let (version, json) = read_record(&bytes).ok_or_else(|| corrupt(&path))?;
        let record = Record::from_json(self.name.clone(), json);
        let record = record.map_err(|source| corrupt(&path).with_source(source))?;
        Ok(Some((record, version)))
    }

    /// Returns the nodes that have rows.
    fn granted(&self) -> Result<Vec<AnyNode>, StoreError> {
        let names = folder::names(&self.nodes())?;
        // Other names are of files that were not put in their place.
        let node = |name: &String| name.replace('-', "/").parse().ok();
        Ok(names.iter().filter_map(node).collect())
    }

    /// Reads a node's row. A row with only one intact write is moved beyond anything that a lease
    /// can have reached, if there is a record to show how far that is.
    fn row(
        &self,
        node: AnyNode,
        record: Option<&Record>,
        now: UnixTime,
    ) -> Result<Option<RowState>, StoreError> {
        let path = self.row_path(node);
        // A longer file is not a row's.
        let Some(bytes) = folder::read(&path, 0, slots::FILE_LEN as u64 + 1)? else {
            return Ok(None);
        };
        let intact =
            |row, number| RowState::Intact { row, version: Version(number), is_dead: false };
        Ok(Some(match slots::read(&bytes) {
            SlotReading::Whole(number, row) if row.node == node => intact(row, number),
            SlotReading::Torn(number, row)
                if row.node == node
                    && let Some(record) = record =>
            {
                let rules =
                    RealmRules::new(record, now).map_err(|no| StoreError::refused(NAME, no))?;
                let row = Row { token: None, ceiling: row.ceiling.max(rules.limit()), ..row };
                // Past the number of the write that is lost, and into its slot.
                match self.write_row(&row, Some(Version(number + 2))) {
                    // Nothing can be granted there, but the row is shown as it would be.
                    Err(error) if folder::is_read_only(&error) => {}
                    written => written?,
                }
                intact(row, number + 3)
            }
            SlotReading::Newer(record_version) => RowState::Newer { record_version },
            SlotReading::Whole(..) | SlotReading::Torn(..) | SlotReading::Unreadable => {
                RowState::Malformed { version: UNREADABLE }
            }
        }))
    }

    /// Writes the row that follows on `version`.
    fn write_row(&self, row: &Row, version: Option<Version>) -> Result<(), StoreError> {
        let path = self.row_path(row.node);
        let too_long = || StoreError::failed(NAME, format!("fit a row into {}", path.display()));
        let Version(number) = Version::after(version);
        // A known row is overwritten in place, in the slot that does not hold its present version,
        // so a torn write leaves the old one. That also works on a full disk. In the other cases a
        // whole file takes its name in one step.
        match version {
            Some(UNREADABLE) => {
                // A row counts its writes; there are fewer of these than microseconds since 1970.
                let micros = SystemClock.now().map_or(0, UnixTime::as_micros);
                let number = u64::try_from(micros).unwrap_or(0).max(number);
                let file = slots::create(number, row).ok_or_else(too_long)?;
                folder::replace(&path, &file)
            }
            None => {
                folder::create(&self.nodes())?;
                index::add(&self.index_path(), row.node, || self.granted())?;
                let file = slots::create(number, row).ok_or_else(too_long)?;
                folder::replace(&path, &file)
            }
            Some(_) => {
                let (at, slot) = slots::write(number, row).ok_or_else(too_long)?;
                folder::overwrite(&path, at, &slot)
            }
        }
    }

    fn write_record(&self, record: &Record, version: Option<Version>) -> Result<(), StoreError> {
        let number = version.map_or(1, |Version(number)| number + 1);
        let checked = format!("{number} {}", record.to_json());
        let checksum = crc32fast::hash(checked.as_bytes());
        let text = format!("{RECORD_MAGIC} {checksum:08x} {checked}\n");
        folder::replace_in_room(&self.record_path(), text.as_bytes())
    }
}

/// Splits a record's file into its version and its JSON.
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

impl<C: Clock + Send + Sync> FileBackend<C> {
    fn locks(&self) -> MutexGuard<'_, HashMap<Token, File>> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Result<UnixTime, StoreError> {
        let now = self.clock.now();
        now.map_err(|source| StoreError::failed(NAME, "read the clock").with_source(source))
    }

    async fn view(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        let mut view = RealmView::empty(self.now()?, GENERATION.to_owned());
        let folder = self.root.join(realm.as_str());
        let Some(folder) = RealmFolder::lock(folder, realm).await? else {
            return Ok(view);
        };
        // Read now, not before the wait for the lock.
        view.now = self.now()?;
        view.record = folder.record()?;
        let record = view.record.as_ref().map(|(record, _)| record);
        let nodes = match (scope, record) {
            (Scope::Record, _) => Vec::new(),
            (Scope::Node(node), _) => vec![node],
            (Scope::Candidates { start, limit }, Some(record)) => {
                let (nodes, page_end) = candidates(&folder, record, start, limit)?;
                view.page_end = page_end;
                nodes
            }
            // Rows without a record show that it was deleted.
            (Scope::All | Scope::Candidates { .. }, _) => folder.granted()?,
        };
        for node in nodes {
            let Some(mut state) = folder.row(node, record, view.now)? else { continue };
            if let RowState::Intact { row, is_dead, .. } = &mut state {
                *is_dead = self.is_dead(&folder, row)?;
            }
            view.rows.insert(node, state);
        }
        Ok(view)
    }

    /// Reports whether the row's holder has left its file behind unlocked.
    fn is_dead(&self, folder: &RealmFolder<'_>, row: &Row) -> Result<bool, StoreError> {
        match row.token {
            Some(token) if !self.locks().contains_key(&token) => {
                folder::is_unlocked(&folder.holder_path(token))
            }
            _ => Ok(false),
        }
    }

    async fn write(&self, realm: &RealmName, change: &Change) -> Result<Commit, StoreError> {
        let folder = self.root.join(realm.as_str());
        folder::create(&folder)?;
        // The folder was removed again in the meantime: it is not the one that was read.
        let Some(folder) = RealmFolder::lock(folder, realm).await? else {
            return Ok(Commit::Differs { view: None });
        };
        let record = folder.record()?;
        let record_version = record.as_ref().map(|(_, version)| *version);
        let now = self.now()?;
        if record_version != change.record_version || !change.is_for(GENERATION, now) {
            return Ok(Commit::Differs { view: None });
        }
        let mut before = None;
        if let (Some(expected), Some((record, _))) = (&change.row, &record) {
            before = folder.row(expected.node, Some(record), now)?;
            if !expected.is_current(before.as_ref()) {
                return Ok(Commit::Differs { view: None });
            }
        }
        // The row first. Of the changes of both, half is harmless: a row that the record does not
        // count, or a node that the record still quarantines.
        if let Some(row_change) = &change.row
            && let Some(row) = &row_change.row
        {
            let before = before.as_ref().and_then(|state| state.row()?.token);
            let write = || folder.write_row(row, row_change.version);
            self.hand_over(&folder, before, row.token, write)?;
        }
        if let Some(record) = &change.record {
            folder.write_record(record, record_version)?;
        }
        Ok(Commit::Written { record: None })
    }

    /// Locks the new holder's file, writes the row, and removes the file of the holder before.
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
        let locks_one =
            |token: &Token| self.holders == Holders::Here && !self.locks().contains_key(token);
        if let Some(token) = after.filter(locks_one) {
            let path = folder.holder_path(token);
            path.parent().map_or(Ok(()), folder::create)?;
            match folder::lock_file(&path) {
                Ok(lock) => {
                    lock.try_lock().map_err(io::Error::from).context("lock", &path)?;
                    self.locks().insert(token, lock);
                }
                // The node is free later then: when its window ends, not when its holder does.
                Err(error) if folder::is_full(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let written = write();
        // The one of the two that has no row now.
        let gone = if written.is_ok() { before } else { after };
        if let Some(token) = gone {
            self.locks().remove(&token);
            // A file that stays is harmless.
            let _ = fs::remove_file(folder.holder_path(token));
        }
        written
    }

    fn names(&self) -> Result<Vec<RealmName>, StoreError> {
        let names = folder::names(&self.root)?;
        let has_record = |name: &RealmName| self.root.join(name.as_str()).join("realm").is_file();
        let realms = names.iter().filter_map(|name| name.parse().ok()).filter(has_record);
        let mut realms: Vec<RealmName> = realms.collect();
        realms.sort();
        Ok(realms)
    }
}

/// Returns the nodes to read for a claim, from the pool and as many from a random place of the
/// index, and the last one from the pool unless it was read as a whole.
fn candidates(
    folder: &RealmFolder<'_>,
    record: &Record,
    start: AnyNode,
    limit: usize,
) -> Result<(Vec<AnyNode>, Option<AnyNode>), StoreError> {
    let Ok(pool) = NodePool::new(record.parts.iter().map(|part| part.range)) else {
        // While a reconfiguration has no nodes.
        return Ok((Vec::new(), None));
    };
    let mut nodes: Vec<AnyNode> = pool.nodes_from(start).take(limit).collect();
    if usize::try_from(pool.len()).is_ok_and(|len| len <= limit) {
        return Ok((nodes, None));
    }
    let page_end = nodes.last().copied();
    let granted = || folder.granted();
    nodes.extend(index::read(&folder.index_path(), start.value(), limit, granted)?);
    nodes.sort();
    nodes.dedup();
    Ok((nodes, page_end))
}

impl<C> fmt::Debug for FileBackend<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, clock: _, holders, doubt, locks } = self;
        f.debug_struct("FileBackend")
            .field("root", root)
            .field("holders", holders)
            .field("doubt", doubt)
            .field("locks", locks)
            .finish_non_exhaustive()
    }
}

impl<C: Clock + Send + Sync> Backend for FileBackend<C> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn endpoint(&self) -> String {
        self.root.display().to_string()
    }

    fn starts_immediately(&self) -> bool {
        true
    }

    fn doubt(&self) -> Option<String> {
        self.doubt.clone()
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(self.view(realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(self.write(realm, change))
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        Box::pin(async move { self.names() })
    }
}
