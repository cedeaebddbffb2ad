//! Waiting: for a clock, a window or a node.

use core::time::Duration;
use std::time::Instant;

use tickid_core::{Clock as _, SystemClock};

use crate::failure::Failure;
use crate::message::say;

/// The age of a wait when it is first reported.
const MENTIONED_AFTER: Duration = Duration::from_secs(1);

/// The longest pause before another attempt: a step of the clock may have ended the wait.
const PAUSE: Duration = Duration::from_millis(50);

/// The waits of a command, each bounded by `--max-wait`. The first that takes longer than a second
/// is mentioned on standard error.
#[derive(Debug)]
pub(crate) struct Patience {
    max_wait: Duration,
    /// The start of the present wait.
    since: Option<Instant>,
    is_mentioned: bool,
}

impl Patience {
    pub(crate) const fn new(max_wait: Duration) -> Self {
        Self { max_wait, since: None, is_mentioned: false }
    }

    /// Pauses before the next attempt at what failed. Returns the failure if it does not pass, or
    /// not within what is left of the bound.
    pub(crate) fn pause(&mut self, failure: impl Into<Failure>) -> Result<(), Failure> {
        let failure = failure.into();
        if !failure.passes() {
            return Err(failure);
        }
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        let left = self.max_wait.saturating_sub(waited);
        let rest = failure.retry_after();
        if left.is_zero() || rest.is_some_and(|rest| rest > left) {
            return Err(Failure::TooLong { stall: Box::new(failure), max_wait: self.max_wait });
        }
        let mut pause = rest.unwrap_or(PAUSE).min(PAUSE).min(left);
        if !self.is_mentioned && waited + pause > MENTIONED_AFTER {
            let quiet = MENTIONED_AFTER.saturating_sub(waited);
            SystemClock.sleep(quiet);
            self.mention(&failure);
            pause = pause.saturating_sub(quiet);
        }
        SystemClock.sleep(pause);
        Ok(())
    }

    /// Ends the present wait, so that the next has the whole bound again.
    pub(crate) const fn succeeded(&mut self) {
        self.since = None;
    }

    /// Calls `attempt` with the time that it may repeat its requests for: a second, and if that was
    /// not enough, the rest of the bound.
    pub(crate) fn wait_for<T, E: Into<Failure>>(
        &mut self,
        attempt: impl Fn(Duration) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let start = Instant::now();
        let mut within = MENTIONED_AFTER.min(self.max_wait);
        loop {
            let failure = match attempt(within).map_err(Into::into) {
                Err(failure) if failure.passes() => failure,
                result => return result,
            };
            if self.is_mentioned || self.max_wait <= MENTIONED_AFTER {
                return Err(Failure::TooLong { stall: Box::new(failure), max_wait: self.max_wait });
            }
            self.mention(&failure);
            within = self.max_wait.saturating_sub(start.elapsed());
        }
    }

    fn mention(&mut self, failure: &Failure) {
        self.is_mentioned = true;
        say(&format!("waiting, for at most {:?}: {failure}", self.max_wait));
    }
}
