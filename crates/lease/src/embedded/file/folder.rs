//! Private files that are replaced as a whole, and locks.
//!
//! Other users of the machine are not trusted. Files and folders are created with the modes 0600
//! and 0700, whatever the umask. Symbolic links are not followed, and a file that another user owns
//! or may write to is not used. Only the folders above the store's own are taken as they are.

use core::time::Duration;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use tickid_core::Process;

use crate::block_on::jitter;
use crate::blocking::on_a_thread;
use crate::store_error::{Exposure, ExposureReason, StoreError, StoreErrorKind};

pub(super) const NAME: &str = "file";

pub(super) fn corrupt(path: &Path) -> StoreError {
    StoreError::corrupt(NAME, path.display().to_string())
}

pub(super) trait Context<T> {
    /// Names the operation that failed.
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| {
            if source.kind() == io::ErrorKind::TimedOut {
                return StoreError::unreachable(NAME, source);
            }
            StoreError::failed(NAME, format!("{what} {}", path.display())).with_source(source)
        })
    }
}

/// Reports whether a file could not be written because the disk is full, or the user's part of it.
pub(super) fn is_full(error: &StoreError) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    source_kind(error).is_some_and(|kind| matches!(kind, QuotaExceeded | StorageFull))
}

/// Reports whether a file could not be written because of how the disk is mounted.
pub(super) fn is_read_only(error: &StoreError) -> bool {
    source_kind(error) == Some(io::ErrorKind::ReadOnlyFilesystem)
}

fn source_kind(error: &StoreError) -> Option<io::ErrorKind> {
    let source = core::error::Error::source(error)?;
    source.downcast_ref::<io::Error>().map(io::Error::kind)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    File,
    Folder,
}

#[cfg(unix)]
mod private {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::Path;

    use rustix::fs::OFlags;

    use super::{EntryKind, Exposure, ExposureReason};

    const FILE_MODE: u32 = 0o600;
    const FOLDER_MODE: u32 = 0o700;
    /// The bits that allow others than the owner to write.
    const OTHERS_WRITE: u32 = 0o022;

    /// Opens the file itself and not the target of a link, without waiting (as for a pipe), and
    /// creates it for this user alone.
    pub(super) fn prepare(options: &mut OpenOptions) {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed()).mode(FILE_MODE);
    }

    /// Opens a folder itself and not the target of a link.
    pub(super) fn open_folder(path: &Path) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
    }

    pub(super) fn create_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(FOLDER_MODE).create(path)?;
        if path.symlink_metadata()?.mode() & 0o777 == FOLDER_MODE {
            return Ok(());
        }
        // The umask took away some of the owner's rights.
        std::fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE))
    }

    /// Restores the mode of a new file that the umask may have changed.
    pub(super) fn make_private(file: &File) -> io::Result<()> {
        if file.metadata()?.mode() & 0o777 == FILE_MODE {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(FILE_MODE))
    }

    /// Revokes other users' rights to a folder of this user, including read access.
    pub(super) fn close_to_others(folder: &File) -> io::Result<()> {
        let mode = folder.metadata()?.mode() & 0o777;
        if mode & !FOLDER_MODE == 0 {
            return Ok(());
        }
        folder.set_permissions(Permissions::from_mode(mode & FOLDER_MODE))
    }

    pub(super) fn check(metadata: &Metadata, path: &Path, kind: EntryKind) -> Result<(), Exposure> {
        let user = rustix::process::geteuid().as_raw();
        let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
        let is_kind = match kind {
            EntryKind::File => metadata.is_file(),
            EntryKind::Folder => metadata.is_dir(),
        };
        // A link comes first, because the other questions would be about what it points to, which
        // may change between this look and the next.
        let exposure = if metadata.is_symlink() {
            ExposureReason::Link
        } else if !is_kind {
            ExposureReason::Kind
        } else if owner != user {
            ExposureReason::Owner { user }
        } else if mode & OTHERS_WRITE != 0 {
            ExposureReason::Writable
        } else {
            return Ok(());
        };
        Err(Exposure { path: path.to_owned(), owner, mode, exposure })
    }
}

/// Elsewhere the system's defaults protect a user's files.
#[cfg(not(unix))]
mod private {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    use super::{EntryKind, Exposure, ExposureReason};

    pub(super) fn prepare(_: &mut OpenOptions) {}

    pub(super) fn create_folder(path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    pub(super) fn make_private(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn check(metadata: &Metadata, path: &Path, kind: EntryKind) -> Result<(), Exposure> {
        let is_kind = match kind {
            EntryKind::File => metadata.is_file(),
            EntryKind::Folder => metadata.is_dir(),
        };
        if is_kind {
            return Ok(());
        }
        let exposure =
            if metadata.is_symlink() { ExposureReason::Link } else { ExposureReason::Kind };
        Err(Exposure { path: path.to_owned(), owner: 0, mode: 0, exposure })
    }
}

fn check(metadata: &Metadata, path: &Path, kind: EntryKind) -> Result<(), StoreError> {
    let exposed = |exposed| StoreError::new(NAME, StoreErrorKind::Exposed(exposed));
    private::check(metadata, path, kind).map_err(exposed)
}

/// Opens a file that is safe to use; `None` if there is none.
fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, StoreError> {
    private::prepare(options);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            // A link is an error that systems number differently; and the reason may be the file's
            // kind.
            if let Ok(metadata) = fs::symlink_metadata(path) {
                check(&metadata, path, EntryKind::File)?;
            }
            return Err(error).context("open", path);
        }
    };
    let metadata = file.metadata().context("look at", path)?;
    check(&metadata, path, EntryKind::File)?;
    Ok(Some(file))
}

fn absent() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// Checks a folder of this store; `None` if there is none.
///
/// # Errors
/// Returns [`StoreErrorKind::Exposed`] if it is a link, or another user owns it or may write to it.
pub(super) fn look_at(folder: &Path) -> Result<Option<Metadata>, StoreError> {
    let metadata = match fs::symlink_metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("look at", folder),
    };
    check(&metadata, folder, EntryKind::Folder)?;
    Ok(Some(metadata))
}

/// Revokes other users' rights to a folder of this user, such as one restored from a backup, so
/// that they cannot hold the locks in it. Returns `false` if there is no such folder.
///
/// # Errors
/// As [`look_at`].
pub(super) fn close_to_others(folder: &Path) -> Result<bool, StoreError> {
    if look_at(folder)?.is_none() {
        return Ok(false);
    }
    #[cfg(unix)]
    {
        let opened = private::open_folder(folder).context("open the folder", folder)?;
        let metadata = opened.metadata().context("look at", folder)?;
        check(&metadata, folder, EntryKind::Folder)?;
        match private::close_to_others(&opened).context("protect the folder", folder) {
            // Other users cannot change a read-only folder either.
            Err(error) if is_read_only(&error) => {}
            closed => closed?,
        }
    }
    Ok(true)
}

/// Creates a folder of this store and the folders above it, durably, for this user alone. Existing
/// folders stay as they are.
///
/// # Errors
/// As [`look_at`], for the folder itself.
pub(super) fn create(folder: &Path) -> Result<(), StoreError> {
    if look_at(folder)?.is_some() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty())
        && !parent.is_dir()
    {
        create(parent)?;
    }
    match private::create_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => result.context("create the folder", folder)?,
    }
    // Another user may have been the first.
    look_at(folder)?;
    folder.parent().map_or(Ok(()), sync)
}

/// Makes the names in a folder durable.
fn sync(folder: &Path) -> Result<(), StoreError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).context("sync the folder", folder)
    } else {
        Ok(())
    }
}

/// Returns the length of a file; `None` if there is none.
pub(super) fn len(path: &Path) -> Result<Option<u64>, StoreError> {
    let Some(file) = open(path, OpenOptions::new().read(true))? else { return Ok(None) };
    let metadata = file.metadata().context("look at", path)?;
    Ok(Some(metadata.len()))
}

/// Reads up to `len` bytes of a file, as far as they exist, or `None` if the file is missing.
pub(super) fn read(path: &Path, at: u64, len: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(mut file) = open(path, OpenOptions::new().read(true))? else { return Ok(None) };
    let mut bytes = Vec::new();
    if at > 0 {
        file.seek(SeekFrom::Start(at)).context("read", path)?;
    }
    file.take(len).read_to_end(&mut bytes).context("read", path)?;
    Ok(Some(bytes))
}

/// Replaces a file durably. After a power loss, it is either the new one or the old one as a whole.
/// The caller holds the realm's lock.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let new = path.with_extension("new");
    // A crash may have left this file behind, or another user may have put it there: it is not
    // written to.
    match fs::remove_file(&new) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        result => result.context("remove", &new)?,
    }
    let mut options = OpenOptions::new();
    private::prepare(options.write(true).create_new(true));
    let written = options
        .open(&new)
        .and_then(|mut file| {
            private::make_private(&file)?;
            file.write_all(bytes)?;
            file.sync_all()
        })
        .context("write", &new)
        .and_then(|()| fs::rename(&new, path).context("put in its place", path));
    if written.is_err() {
        // A leftover file is harmless, but takes space on a disk that may be full.
        let _ = fs::remove_file(&new);
    }
    written?;
    path.parent().map_or(Ok(()), sync)
}

/// The granularity of the room that is kept for a file.
const ROOM: usize = 4_096;

/// [Replaces](replace) a file, and keeps room for the next time. On a full disk, the file is
/// written there.
pub(super) fn replace_in_room(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let spare = path.with_extension("spare");
    match replace(path, bytes) {
        Err(error) if is_full(&error) => {
            let Some(mut file) = open(&spare, OpenOptions::new().write(true))? else {
                return Err(error);
            };
            if file.metadata().context("look at", &spare)?.len() < bytes.len() as u64 {
                return Err(error);
            }
            // The spare file only shrinks. After a crash it is spare as before: its contents do not
            // matter.
            file.write_all(bytes)
                .and_then(|()| file.set_len(bytes.len() as u64))
                .and_then(|()| file.sync_all())
                .context("write", &spare)?;
            fs::rename(&spare, path).context("put in its place", path)?;
            path.parent().map_or(Ok(()), sync)?;
        }
        replaced => replaced?,
    }
    // The old file's room is free now. A lack of it is no error of this replacement.
    let zeros = vec![0; bytes.len().next_multiple_of(ROOM)];
    let _ = replace(&spare, &zeros);
    Ok(())
}

/// Overwrites or appends a part of a file, durably.
pub(super) fn overwrite(path: &Path, at: u64, bytes: &[u8]) -> Result<(), StoreError> {
    let file = open(path, OpenOptions::new().write(true))?;
    let mut file = file.ok_or_else(absent).context("open", path)?;
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.write_all(bytes))
        .and_then(|()| file.sync_data())
        .context("write", path)
}

/// Opens a file to lock it, and creates it if it does not exist.
pub(super) fn lock_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    let file = match open(path, options.read(true).write(true).create(true).truncate(false)) {
        // A process that only reads can lock it as well.
        Err(error) if is_read_only(&error) => {
            let file = open(path, OpenOptions::new().read(true))?;
            return file.ok_or(error);
        }
        file => file?,
    };
    let file = file.ok_or_else(absent).context("open", path)?;
    private::make_private(&file).context("protect", path)?;
    Ok(file)
}

/// The longest pause of a process that waits for a lock. With shorter ones, a crowd that waits for a
/// stopped process would use up a processor.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// A file that is locked until this is dropped.
///
/// Closing the file is not enough. If another thread forks, the child has a copy of it, which holds
/// the lock for as long as the child lives. So the process that locked the file unlocks it. Only
/// that one may, because unlocking one copy frees the lock of all: a child that drops its copy must
/// not let others in while its parent still writes.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    home: Process,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.home.is_this() {
            // If that fails, the file is closed all the same.
            let _ = self.file.unlock();
        }
    }
}

/// Locks a file. Each process holds such a lock only briefly, but many may want it. The wait ends
/// when the caller drops it, which it does after the request's time.
///
/// # Errors
/// Returns an error of the kind [`io::ErrorKind::TimedOut`] if the lock is not free within
/// `timeout`.
pub(super) async fn lock(path: &Path, timeout: Duration) -> Result<Lock, StoreError> {
    let file = lock_file(path)?;
    // Most locks are free, and need no thread.
    let mut file = match try_lock(file, path)? {
        Ok(lock) => return Ok(lock),
        Err(file) => file,
    };
    // A thread of its own can be left behind. It looks again and again, because one that is in the
    // kernel's queue cannot leave it, so a stopped holder would collect a thread for each request.
    let caller = Arc::new(());
    let (waiting, path) = (Arc::downgrade(&caller), path.to_owned());
    let locked = on_a_thread(NAME, move || {
        let start = Instant::now();
        for lost in 0.. {
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() || waiting.strong_count() == 0 {
                break;
            }
            // Random pauses let a crowd take turns.
            thread::sleep(jitter(lost, LONGEST_PAUSE).min(left));
            file = match try_lock(file, &path)? {
                Ok(lock) => return Ok(lock),
                Err(file) => file,
            };
        }
        let silence = format!(
            "{} was not free within {timeout:?}: a process that holds it is stopped, or too many \
             wait for it",
            path.display()
        );
        Err(io::Error::new(io::ErrorKind::TimedOut, silence)).context("lock", &path)
    })
    .await;
    drop(caller);
    locked
}

/// Locks a file, or returns it as it is if it is locked already.
fn try_lock(file: File, path: &Path) -> Result<Result<Lock, File>, StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(Ok(Lock { file, home: Process::this() })),
        Err(TryLockError::WouldBlock) => Ok(Err(file)),
        Err(TryLockError::Error(error)) => Err(error).context("lock", path),
    }
}

/// Reports whether the file exists and is not locked.
pub(super) fn is_unlocked(path: &Path) -> Result<bool, StoreError> {
    let Some(file) = open(path, OpenOptions::new().read(true))? else { return Ok(false) };
    Ok(try_lock(file, path)?.is_ok())
}

/// Returns the names in a folder; none if it does not exist.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).context("read the folder", folder),
    };
    let name = |entry: io::Result<fs::DirEntry>| {
        entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect::<io::Result<_>>().context("read the folder", folder)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::block_on::block_on;
    use crate::embedded::file::LOCK_TIMEOUT;

    /// Returns a file's lock, held, and its path.
    fn held() -> (TempDir, std::path::PathBuf, File) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("lock");
        let lock = lock_file(&path).unwrap();
        lock.lock().unwrap();
        (folder, path, lock)
    }

    /// Each holds the lock for a moment, as on a slow disk, and all together for longer than a
    /// renewal may take.
    #[test]
    fn a_crowd_takes_turns() {
        const CROWD: usize = 80;
        const MOMENT: Duration = Duration::from_millis(50);
        let (_folder, path, first) = held();
        thread::scope(|scope| {
            let turn = || {
                let lock = block_on(lock(&path, LOCK_TIMEOUT), Duration::MAX)?;
                thread::sleep(MOMENT);
                drop(lock);
                Ok::<(), StoreError>(())
            };
            let crowd: Vec<_> = (0..CROWD).map(|_| scope.spawn(turn)).collect();
            drop(first);
            for one in crowd {
                one.join().unwrap().unwrap();
            }
        });
    }

    #[test]
    fn late_locks_are_given_back() {
        let (_folder, path, first) = held();
        let timeout = Duration::from_millis(20);
        let late = block_on(lock(&path, Duration::MAX), timeout).unwrap_err();
        assert_eq!(format!("{late:?}"), "the store: no answer: no answer within 20ms");
        drop(first);
        // Returns once nothing in this process holds the lock.
        lock_file(&path).unwrap().lock().unwrap();
    }

    #[test]
    fn busy_locks_name_no_culprit() {
        let (_folder, path, first) = held();
        let busy = block_on(lock(&path, Duration::ZERO), Duration::MAX).unwrap_err();
        assert!(busy.is_unreachable());
        let expected = format!(
            "file store: no answer: {} was not free within 0ns: a process that holds it is \
             stopped, or too many wait for it",
            path.display()
        );
        assert_eq!(format!("{busy:?}"), expected);
        drop(first);
    }
}
