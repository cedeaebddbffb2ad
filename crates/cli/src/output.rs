//! Standard output, in large pieces.

use std::io::{self, IsTerminal as _, Write as _};

use crate::failure::Failure;

/// The capacity of the buffer: large enough that writing costs little compared with making the
/// output, and small enough to stay in the processor's cache.
const CAPACITY: usize = 128 * 1024;

/// A buffer before standard output, to be [flushed](Self::flush) at the end.
pub(crate) struct Output(Vec<u8>);

impl Output {
    pub(crate) fn stdout() -> Self {
        Self(Vec::with_capacity(CAPACITY))
    }

    /// Returns the buffer, to append to.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    /// Makes room once enough has been gathered. Call it between records.
    pub(crate) fn drain(&mut self) -> Result<(), Failure> {
        if self.0.len() >= CAPACITY / 2 { self.flush() } else { Ok(()) }
    }

    /// Writes everything out before a message, where a terminal shows both.
    pub(crate) fn before_message(&mut self) -> Result<(), Failure> {
        if io::stderr().is_terminal() { self.flush() } else { Ok(()) }
    }

    /// Writes everything out.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let mut sink = io::stdout();
        let written = sink.write_all(&self.0).and_then(|()| sink.flush());
        self.0.clear();
        written.map_err(Failure::Write)
    }
}
