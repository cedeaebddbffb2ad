//! Waiting for a clock, a window or a node: the generator waits, and a message says why.

use core::time::Duration;

use crate::failure::Failure;
use crate::message::say;

/// The age of a wait when it is reported.
const MENTIONED_AFTER: Duration = Duration::from_secs(1);

/// The waits of a command, each bounded by `--max-wait`. The first that takes longer than a second
/// is reported on standard error.
#[derive(Debug)]
pub(crate) struct Patience {
    max_wait: Duration,
    is_mentioned: bool,
}

impl Patience {
    pub(crate) const fn new(max_wait: Duration) -> Self {
        Self { max_wait, is_mentioned: false }
    }

    /// Returns the part of each wait that is not reported.
    pub(crate) fn quiet(&self) -> Duration {
        if self.is_mentioned { self.max_wait } else { self.max_wait.min(MENTIONED_AFTER) }
    }

    /// Waits by `wait`, which takes no longer than its argument, and returns its result.
    pub(crate) fn wait<T>(
        &mut self,
        mut wait: impl FnMut(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let quiet = self.quiet();
        wait(quiet)
            .or_else(|failure| self.wait_on(failure, |rest| wait(rest.saturating_sub(quiet))))
    }

    /// Reports a failure that may pass, and waits for that by `wait`, for the rest of the bound.
    pub(crate) fn wait_on<T>(
        &mut self,
        failure: Failure,
        wait: impl FnOnce(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { max_wait, .. } = *self;
        let too_long = |stall| Failure::TooLong { stall: Box::new(stall), max_wait };
        if !failure.passes() {
            return Err(failure);
        }
        let is_over = self.quiet() == max_wait;
        if is_over || failure.retry_after().is_some_and(|rest| rest > max_wait) {
            return Err(too_long(failure));
        }
        self.is_mentioned = true;
        say(&format!("waiting, for at most {max_wait:?}: {failure}"));
        wait(max_wait).map_err(|failure| if failure.passes() { too_long(failure) } else { failure })
    }
}
