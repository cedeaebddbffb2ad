//! The progress of a long run.

use core::time::Duration;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

/// Runs of more IDs than this are long.
const LONG: u64 = 1_000_000;

/// The pause before the line is written anew.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line on standard error, if that is a terminal, the run is long, and the IDs go elsewhere: on
/// the terminal that shows the IDs the line would be mixed into them.
pub(crate) struct Progress {
    total: u64,
    /// The time when the line was last written, or `None` without a line.
    shown: Option<Instant>,
}

impl Progress {
    /// For a run of `total` IDs, or of as many as the reader takes.
    pub(crate) fn new(total: Option<u64>, is_data_on_terminal: bool) -> Self {
        let shown = is_wanted(total, io::stderr().is_terminal(), is_data_on_terminal);
        let shown = shown.then(Instant::now);
        Self { total: total.unwrap_or(u64::MAX), shown }
    }

    /// Says that `left` IDs are left, when it is time to.
    pub(crate) fn show(&mut self, left: u64) {
        if let Some(shown) = &mut self.shown
            && shown.elapsed() >= INTERVAL
        {
            *shown = Instant::now();
            // Progress that can't be shown must not stop the command.
            let _ = write!(io::stderr(), "\r{}", line(self.total.saturating_sub(left), self.total));
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn is_wanted(total: Option<u64>, is_terminal: bool, is_data_on_terminal: bool) -> bool {
    is_terminal && !is_data_on_terminal && total.is_some_and(|total| total > LONG)
}

fn line(done: u64, total: u64) -> String {
    let percent = u128::from(done) * 100 / u128::from(total.max(1));
    format!("{done} of {total} IDs ({percent} %)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_on_terminals_only() {
        assert!(is_wanted(Some(1_000_001), true, false));
        assert!(!is_wanted(Some(1_000_000), true, false));
        assert!(!is_wanted(Some(1_000_001), false, false));
        assert!(!is_wanted(Some(1_000_001), true, true));
        assert!(!is_wanted(None, true, false));
    }

    #[test]
    fn line_has_count_and_share() {
        assert_eq!(line(1_234_567, 20_000_000), "1234567 of 20000000 IDs (6 %)");
        assert_eq!(line(u64::MAX, u64::MAX), format!("{0} of {0} IDs (100 %)", u64::MAX));
        assert_eq!(line(0, 0), "0 of 0 IDs (0 %)");
    }
}
