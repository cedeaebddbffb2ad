//! The progress of a long run: a line on standard error that is written over.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

/// A run with more IDs, lines or bytes than this is long.
const LONG: u64 = 1_000_000;

/// The pause before the line is written anew.
const INTERVAL: Duration = Duration::from_millis(200);

/// Set while the terminal shows the line, which messages must not be mixed into.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// A line on standard error, if that is a terminal and no data goes to one meanwhile: on the
/// terminal that shows the data, the line would be mixed into it. Dropping it takes the line away.
pub(crate) struct Progress {
    /// The plural of what is counted.
    noun: &'static str,
    /// The end of the run, if it is known.
    total: Option<u64>,
    is_wanted: bool,
    /// The time when the line was last written.
    shown: Option<Instant>,
}

impl Progress {
    /// `total` is the number of IDs, or of bytes of input. `is_free` says that no terminal shows
    /// data during the run.
    pub(crate) fn new(noun: &'static str, total: Option<u64>, is_free: bool) -> Self {
        Self { noun, total, is_wanted: is_free && io::stderr().is_terminal(), shown: None }
    }

    /// Reports that `count` things are done, which are `part` of the total, when it is time to.
    pub(crate) fn show(&mut self, count: u64, part: u64) {
        if !self.is_wanted
            || !is_long(count, self.total)
            || self.shown.is_some_and(|shown| shown.elapsed() < INTERVAL)
        {
            return;
        }
        self.shown = Some(Instant::now());
        IS_SHOWN.store(true, Ordering::Relaxed);
        // Progress that can't be shown must not stop the command.
        let _ = write!(io::stderr(), "\r{}", line(count, self.noun, part, self.total));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        erase();
    }
}

/// Takes the line away. It comes back when it is next due.
pub(crate) fn erase() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

fn is_long(count: u64, total: Option<u64>) -> bool {
    total.unwrap_or(count) > LONG
}

fn line(count: u64, noun: &str, part: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => {
            let percent = u128::from(part) * 100 / u128::from(total.max(1));
            format!("{count} {noun} ({percent} %)")
        }
        None => format!("{count} {noun}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_have_a_line() {
        assert!(is_long(1, Some(LONG + 1)));
        assert!(!is_long(1, Some(LONG)));
        // Of unknown length, once they turn out to be long.
        assert!(!is_long(LONG, None));
        assert!(is_long(LONG + 1, None));
    }

    #[test]
    fn line_has_count_and_share() {
        assert_eq!(line(1_234_567, "IDs", 1_234_567, Some(20_000_000)), "1234567 IDs (6 %)");
        assert_eq!(line(7, "lines", u64::MAX, Some(u64::MAX)), "7 lines (100 %)");
        assert_eq!(line(0, "IDs", 0, Some(0)), "0 IDs (0 %)");
        assert_eq!(line(1_000_001, "lines", 17_000_017, None), "1000001 lines");
    }
}
