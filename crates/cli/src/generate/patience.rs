//! Waiting: for a clock, a window or a node.

use core::time::Duration;
use std::time::Instant;

use tickid_core::{Clock as _, SystemClock};
use tickid_lease::Token;

use crate::failure::Failure;
use crate::message::say;

/// The age at which a wait is mentioned.
const MENTIONED_AFTER: Duration = Duration::from_secs(1);

/// The longest pause before another attempt: a step of the clock, or a node that was released, may
/// have ended the wait.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest pause before another request to a store, which many commands may ask at once.
const STORE_PAUSE: Duration = Duration::from_secs(2);

/// The waits of a command, each bounded by `--max-wait`. The first that takes longer than a second
/// is mentioned on standard error.
#[derive(Debug)]
pub(crate) struct Patience {
    max_wait: Duration,
    /// The start of the present wait.
    since: Option<Instant>,
    is_mentioned: bool,
    /// The number of requests to a store that failed, one after the other.
    refusals: u32,
}

impl Patience {
    pub(crate) const fn new(max_wait: Duration) -> Self {
        Self { max_wait, since: None, is_mentioned: false, refusals: 0 }
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
        let mut pause = match failure {
            Failure::Lease(_) => self.back_off()?,
            _ => rest.unwrap_or(PAUSE).min(PAUSE),
        }
        .min(left);
        if !self.is_mentioned && waited + pause > MENTIONED_AFTER {
            let quiet = MENTIONED_AFTER.saturating_sub(waited);
            SystemClock.sleep(quiet);
            self.is_mentioned = true;
            say(&format!("waiting, for at most {:?}: {failure}", self.max_wait));
            pause = pause.saturating_sub(quiet);
        }
        SystemClock.sleep(pause);
        Ok(())
    }

    /// Returns a random time of up to [`PAUSE`], doubled with each request in a row up to
    /// [`STORE_PAUSE`] ("full jitter").
    fn back_off(&mut self) -> Result<Duration, Failure> {
        let most = PAUSE.saturating_mul(1 << self.refusals.min(16)).min(STORE_PAUSE);
        self.refusals = self.refusals.saturating_add(1);
        let random = Token::random().map_err(Failure::Randomness)?.bits() % most.as_nanos();
        Ok(Duration::from_nanos(u64::try_from(random).unwrap_or(0)))
    }

    /// Ends the present wait, so that the next has the whole bound again.
    pub(crate) const fn succeeded(&mut self) {
        self.since = None;
        self.refusals = 0;
    }
}
