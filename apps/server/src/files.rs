//! Files of tokens, certificates and keys, as bytes.

use core::hash::{Hash, Hasher};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::ServerError;

/// A file that was read, or the reason why it was not.
#[derive(Debug)]
pub(crate) struct ReadFile {
    path: PathBuf,
    bytes: io::Result<Vec<u8>>,
}

/// The contents of files that are never opened again, by path. A pipe, such as bash's `<(...)`, can
/// be read once, and whoever opens it a second time may wait for ever.
#[derive(Debug, Default)]
pub(crate) struct KeptFiles(HashMap<PathBuf, Vec<u8>>);

impl KeptFiles {
    pub(crate) fn keep(&mut self, file: &ReadFile) {
        if let Ok(bytes) = &file.bytes {
            self.0.insert(file.path.clone(), bytes.clone());
        }
    }
}

/// Reports whether a file can be read once only.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file())
}

impl ReadFile {
    /// Reads a file for the first time.
    pub(crate) fn read(path: &Path) -> Self {
        Self { path: path.to_owned(), bytes: fs::read(path) }
    }

    /// Reads a file again, unless its contents are kept.
    pub(crate) fn read_again(path: &Path, kept: &KeptFiles) -> Self {
        let bytes = match kept.0.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            // The pipe has taken the place of a file that could be read again.
            None if is_pipe(path) => Err(io::ErrorKind::Unsupported.into()),
            None => fs::read(path),
        };
        Self { path: path.to_owned(), bytes }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn bytes(&self) -> Result<&[u8], ServerError> {
        self.bytes.as_deref().map_err(|error| {
            // `io::Error` has no `Clone`, and this one comes from the system, which numbers them.
            let number = error.raw_os_error();
            let source = number.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
            ServerError::Read { path: self.path.clone(), source }
        })
    }
}

/// The contents count, and not the path.
impl Hash for ReadFile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.as_ref().map_err(io::Error::kind).hash(state);
    }
}

/// Reports whether every user of the machine may write a file, and so decide who is a client.
#[cfg(unix)]
pub(crate) fn everyone_may_write(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).is_ok_and(|file| file.is_file() && file.mode() & 0o002 != 0)
}

#[cfg(not(unix))]
pub(crate) fn everyone_may_write(_: &Path) -> bool {
    false
}
