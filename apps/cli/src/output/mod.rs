//! Standard output or a file, in large pieces.

pub(crate) mod json;
pub(crate) mod picture;
pub(crate) mod printed;
pub(crate) mod progress;
pub(crate) mod template;

use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

/// The capacity of the buffer: large enough that writing costs little compared with making the
/// output, and small enough to stay in the processor's cache.
const CAPACITY: usize = 128 * 1024;

/// A buffer before standard output or a file, to be [flushed](Self::flush) or
/// [finished](Self::finish) at the end.
pub(crate) struct Output {
    buffer: Vec<u8>,
    /// The number of bytes that have left the buffer.
    written: u64,
    sink: Sink,
}

enum Sink {
    Stdout,
    /// A device, a pipe, or a file that is overwritten.
    File(File),
    /// A file that takes its place at the end.
    New(NewFile),
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Self { buffer: Vec::with_capacity(CAPACITY), written: 0, sink: Sink::Stdout }
    }

    /// Writes to `path`, or to standard output without a path and for `-`.
    ///
    /// A file keeps its old contents until [`finish`](Self::finish) replaces it, because a run may
    /// be interrupted. An endless run has no such end, and overwrites the file.
    pub(crate) fn to(path: Option<&Path>, is_endless: bool) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::stdout());
        };
        // If the folder takes no new file, or the owner could not be kept, the old file itself may
        // still be writable. If it is not, the error is its own.
        let new = if is_endless { None } else { NewFile::create(path).ok().flatten() };
        let sink = match new {
            Some(new) => Sink::New(new),
            None => Sink::File(File::create(path).map_err(|reason| failure(path, reason))?),
        };
        Ok(Self { sink, ..Self::stdout() })
    }

    /// Reports whether a terminal shows the output.
    pub(crate) fn is_terminal(&self) -> bool {
        match &self.sink {
            Sink::Stdout => io::stdout().is_terminal(),
            Sink::File(file) => file.is_terminal(),
            Sink::New(_) => false,
        }
    }

    /// Returns the buffer, to append to.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Returns the number of bytes appended so far.
    pub(crate) fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Makes room once enough has been gathered. Call it between records.
    #[inline]
    pub(crate) fn drain(&mut self) -> Result<(), Failure> {
        if self.buffer.len() >= CAPACITY / 2 { self.flush() } else { Ok(()) }
    }

    /// Writes everything out before a message, where a terminal shows both.
    pub(crate) fn before_message(&mut self) -> Result<(), Failure> {
        if io::stderr().is_terminal() { self.flush() } else { Ok(()) }
    }

    /// Writes everything out.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = match &mut self.sink {
            Sink::Stdout => {
                let mut stdout = io::stdout();
                stdout.write_all(&self.buffer).and_then(|()| stdout.flush())
            }
            Sink::File(file) => file.write_all(&self.buffer),
            Sink::New(new) => new.file.write_all(&self.buffer),
        };
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        written.map_err(Failure::Write)
    }

    /// Writes everything out, for a command whose exit status says what its output says. It does so
    /// also to those who read no output.
    pub(crate) fn flush_or_closed(&mut self) -> Result<(), Failure> {
        self.flush().or_else(|failure| if failure.is_closed_pipe() { Ok(()) } else { Err(failure) })
    }

    /// Writes everything out, and puts a new file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        match &self.sink {
            Sink::New(new) => new.replace().map_err(|reason| failure(&new.path, reason)),
            Sink::Stdout | Sink::File(_) => Ok(()),
        }
    }
}

fn failure(path: &Path, reason: io::Error) -> Failure {
    Failure::WriteFile { path: path.to_owned(), reason }
}

/// The file that is not finished. A signal that ends the process removes it.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A file beside the one that it is to replace. Dropping it removes it, unless it did.
struct NewFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl NewFile {
    /// Creates the file; `None` if `path` is there and is no file, as a device or a pipe.
    fn create(path: &Path) -> io::Result<Option<Self>> {
        // The file that a symbolic link names is replaced, and not the link.
        let (path, old) = match fs::symlink_metadata(path) {
            Ok(_) => (fs::canonicalize(path)?, Some(fs::metadata(path)?)),
            Err(_) => (path.to_owned(), None),
        };
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(None);
        }
        let mut attempts = (0..u32::MAX).map(|attempt| {
            // Of a fixed length, so that no name is too long.
            let name = format!(".tickid-{}-{attempt}", process::id());
            let temporary = path.with_file_name(name);
            File::create_new(&temporary).map(|file| (file, temporary))
        });
        let is_taken = |made: &io::Result<_>| {
            made.as_ref()
                .is_err_and(|error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists)
        };
        let made = attempts.find(|made| !is_taken(made));
        let (file, temporary) = made.ok_or(io::ErrorKind::AlreadyExists)??;
        *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(temporary.clone());
        let new = Self { file, temporary, path };
        if let Some(old) = old {
            new.resemble(&old)?;
        }
        Ok(Some(new))
    }

    /// Gives the file the owner and the rights of another.
    fn resemble(&self, old: &Metadata) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};

            let new = self.file.metadata()?;
            if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                fchown(&self.file, Some(old.uid()), Some(old.gid()))?;
            }
        }
        self.file.set_permissions(old.permissions())
    }

    /// Puts the file in the place of the old one.
    fn replace(&self) -> io::Result<()> {
        // Some systems report only here that bytes could not be written.
        self.file.sync_all()?;
        // A file that is mounted by itself, as into a container, cannot be replaced.
        fs::rename(&self.temporary, &self.path)
            .or_else(|_| fs::copy(&self.temporary, &self.path).map(drop))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        discard();
    }
}

/// Removes the file that is not finished, if there is one.
pub(crate) fn discard() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(temporary) = unfinished {
        // If it has taken the place of the output by now, it is gone.
        let _ = fs::remove_file(temporary);
    }
}
