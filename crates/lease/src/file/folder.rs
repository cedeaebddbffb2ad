//! Files that are whole or not there, and locks.

use core::time::Duration;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

/// What could not be done with a file.
#[derive(Debug, thiserror::Error)]
#[error("could not {what} {}", path.display())]
pub(super) struct FileError {
    pub(super) what: &'static str,
    pub(super) path: PathBuf,
    pub(super) source: io::Error,
}

pub(super) trait Context<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { what, path: path.to_owned(), source })
    }
}

/// Creates a folder and those above it, durably.
pub(super) fn create(folder: &Path) -> Result<(), FileError> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        create(parent)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        result => result.context("create the folder", folder),
    }?;
    folder.parent().map_or(Ok(()), sync)
}

/// Makes the names in a folder durable.
fn sync(folder: &Path) -> Result<(), FileError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).context("sync the folder", folder)
    } else {
        Ok(())
    }
}

/// All of a file; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context("read", path),
    }
}

/// The first bytes of a file, one more than `len` if there are more; `None` when there is none. In fewer
/// calls of the system than [`read`] takes, for files of which there are many.
pub(super) fn read_short(path: &Path, len: usize) -> Result<Option<Vec<u8>>, FileError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("open", path),
    };
    let mut bytes = vec![0; len + 1];
    let mut filled = 0;
    // Mostly once: what comes is all of it.
    while filled < len {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("read", path),
        }
    }
    bytes.truncate(filled);
    Ok(Some(bytes))
}

/// Puts a file in its place, durably: after a power loss it is there as a whole or as it was before.
/// Only one at a time may write in a folder.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let new = path.with_extension("new");
    let written = File::create(&new)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .context("write", &new)
        .and_then(|()| fs::rename(&new, path).context("put in its place", path));
    if written.is_err() {
        // It is in nobody's way, but takes room where there may be none.
        let _ = fs::remove_file(&new);
    }
    written?;
    path.parent().map_or(Ok(()), sync)
}

/// Overwrites a part of a file, durably. The file does not change its length, so it takes no room.
pub(super) fn overwrite(path: &Path, at: u64, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = OpenOptions::new().write(true).open(path).context("open", path)?;
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.write_all(bytes))
        .and_then(|()| file.sync_data())
        .context("write", path)
}

/// Opens a file to lock it.
pub(super) fn lock_file(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).context("open", path)
}

/// Locks a file that others hold for moments only. An error of the kind [`io::ErrorKind::TimedOut`] when
/// somebody holds it for longer than `patience`.
pub(super) fn lock(path: &Path, patience: Duration) -> Result<File, FileError> {
    let file = lock_file(path)?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error).context("lock", path),
            Err(TryLockError::WouldBlock) if start.elapsed() > patience => {
                let silence = io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("somebody has held the lock for longer than {patience:?}"),
                );
                return Err(silence).context("lock", path);
            }
            Err(TryLockError::WouldBlock) => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(2));
            }
        }
    }
}

/// Whether a file is there that nobody has locked.
pub(super) fn is_unlocked(path: &Path) -> Result<bool, FileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).context("open", path),
    };
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error).context("lock", path),
    }
}

/// The names in a folder; none when it is not there.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, FileError> {
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
