//! Standard output, in large pieces.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// The capacity of the buffer: large enough that writing costs little compared with making the
/// output, and small enough to stay in the processor's cache.
const CAPACITY: usize = 128 * 1024;

/// A buffer before standard output or a file, to be [flushed](Self::flush) at the end.
pub(crate) struct Output {
    buffer: Vec<u8>,
    /// Standard output unless given.
    file: Option<File>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Self { buffer: Vec::with_capacity(CAPACITY), file: None }
    }

    /// Creates a file to write to, or empties it; standard output for no path and for `-`.
    pub(crate) fn to(path: Option<&Path>) -> Result<Self, Failure> {
        let path = path.filter(|path| *path != Path::new("-"));
        let create = |path: &Path| {
            let failure = |reason| Failure::WriteFile { path: path.to_owned(), reason };
            File::create(path).map_err(failure)
        };
        Ok(Self { file: path.map(create).transpose()?, ..Self::stdout() })
    }

    /// Reports whether a terminal shows the output.
    pub(crate) fn is_terminal(&self) -> bool {
        self.file.as_ref().map_or_else(|| io::stdout().is_terminal(), File::is_terminal)
    }

    /// Returns the buffer, to append to.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
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
        let written = match &mut self.file {
            Some(file) => file.write_all(&self.buffer),
            None => {
                let mut sink = io::stdout();
                sink.write_all(&self.buffer).and_then(|()| sink.flush())
            }
        };
        self.buffer.clear();
        written.map_err(Failure::Write)
    }
}
