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

    /// Continues a wait that took no longer than [`quiet`](Self::quiet), unless its result is final.
    /// `wait` then waits for at most its argument.
    pub(crate) fn go_on<T>(
        &mut self,
        result: Result<T, Failure>,
        wait: impl FnOnce(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let stall = match result {
            Err(failure) if failure.passes() => failure,
            result => return result,
        };
        let (max_wait, quiet) = (self.max_wait, self.quiet());
        // Where a clock determines the end of the wait, it is known beforehand that it comes too
        // late. To wait for the bound nevertheless would only delay the message.
        let is_too_long = stall.retry_after().is_some_and(|rest| rest > max_wait);
        if quiet == max_wait || is_too_long {
            return Err(too_long(stall, max_wait));
        }
        self.is_mentioned = true;
        say(&format!("waiting, for at most {max_wait:?}: {stall}"));
        match wait(max_wait.saturating_sub(quiet)) {
            Err(failure) if failure.passes() => Err(too_long(failure, max_wait)),
            result => result,
        }
    }
}

fn too_long(stall: Failure, max_wait: Duration) -> Failure {
    Failure::TooLong { stall: Box::new(stall), max_wait }
}
