//! Policies, which decide what a generator does after a clock rollback and in an exhausted tick.

use core::fmt;

use crate::tick::Ticks;

/// The reaction of a generator to a clock that is behind the last tick issued, and to a tick whose
/// sequences are used up. No policy ever issues an ID twice. They differ in whether IDs wait, and
/// in how far the time in an ID may be from the clock.
///
/// | policy | small rollback | large rollback | overflow |
/// |---|---|---|---|
/// | [`Ratchet`](Self::Ratchet) | keeps the last tick | stalls | the next tick, if allowed |
/// | [`Wait`](Self::Wait) | stalls | stalls | stalls until the next tick |
/// | [`TickTock`](Self::TickTock) | flips the toggle | the same, once | stalls to the next tick |
///
/// Clocks go back when time synchronization, an administrator or the host of a virtual machine
/// corrects them, be it by a millisecond or by an hour. Choose a ratchet if small corrections
/// should not delay IDs, and their times may be ahead of the clock by the allowance. Choose *wait*
/// if an ID must never show a time in the future, and tick-tock, where the scheme has it, if IDs
/// should not wait even after a large rollback and need not be in order then.
///
/// A stall after a rollback lasts until the clock is within the allowance of the last tick
/// (ratchet), or has caught up with it (wait). Under tick-tock, only a second rollback can stall a
/// generator, namely if the clock is not past everything issued under the other toggle. It
/// continues once that is so, or once the clock has caught up with its last tick, whichever comes
/// first.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{ErrorKind, StallReason, LocalGenerator, ManualClock, Policy, Ticks, UnixTime, example};
///
/// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
/// let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1))
///     .policy(Policy::Ratchet { allowance: Ticks::new(2) })
///     .clock(&clock)
///     .build_local()?;
/// let first = generator.try_generate()?;
///
/// clock.set(UnixTime::from_millis(98_000)?); // two ticks back
/// assert!(generator.try_generate()? > first);
///
/// clock.set(UnixTime::from_millis(97_000)?); // three
/// let error = generator.try_generate().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy<S> {
    /// Stays at the last tick while the clock is at most `allowance` ticks behind it, so the time
    /// in IDs never goes backwards. IDs are at most `allowance + 1` ticks ahead of the clock. The
    /// additional tick is the one that an overflow moves to, as in the SCRU64 reference. For
    /// example, with an allowance of 2 and the last ID in tick 100, a clock in tick 98 still gives
    /// IDs of tick 100, and a clock in tick 97 gives an error.
    Ratchet {
        /// The maximum number of whole ticks that the clock may be behind.
        allowance: Ticks<S>,
    },
    /// Issues only at the clock's own tick, so the time in an ID is never ahead of the clock.
    Wait,
    /// Issues only at the clock's own tick, and flips the toggle bit after a rollback, so that
    /// repeated ticks give new IDs. This needs a scheme with a [toggle bit](crate::Scheme::TOGGLE),
    /// such as sno.
    TickTock,
}

impl<S> Policy<S> {
    /// Returns the allowance of a ratchet. It is `None` for the other policies, whose IDs are never
    /// ahead of the clock.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Policy, Ticks, example::Seconds};
    ///
    /// let ratchet = Policy::<Seconds>::Ratchet { allowance: Ticks::new(2) };
    /// assert_eq!(ratchet.allowance(), Some(Ticks::new(2)));
    /// assert_eq!(Policy::<Seconds>::Wait.allowance(), None);
    /// ```
    #[must_use]
    pub const fn allowance(self) -> Option<Ticks<S>> {
        match self {
            Self::Ratchet { allowance } => Some(allowance),
            Self::Wait | Self::TickTock => None,
        }
    }

    /// Returns the number of ticks that IDs may be ahead of the clock without an overflow. It is
    /// capped at a number that no distance between two ticks reaches, so that no sum overflows, and
    /// a difference that wrapped around is never taken for an allowed one.
    #[inline]
    pub(crate) const fn reach(self) -> u64 {
        match self {
            Self::Ratchet { allowance } if allowance.get() < MAX_ALLOWANCE => allowance.get(),
            Self::Ratchet { .. } => MAX_ALLOWANCE,
            Self::Wait | Self::TickTock => 0,
        }
    }
}

const MAX_ALLOWANCE: u64 = 1 << 62;

/// Writes the name and the allowance, for example `ratchet (39 ticks)`, `wait` or `tick-tock`.
impl<S> fmt::Display for Policy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratchet { allowance } => write!(f, "ratchet ({allowance} ticks)"),
            Self::Wait => f.write_str("wait"),
            Self::TickTock => f.write_str("tick-tock"),
        }
    }
}
#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;
    use crate::example::Toggling;

    fn ratchet(allowance: u64) -> Policy<Toggling> {
        Policy::Ratchet { allowance: Ticks::new(allowance) }
    }

    #[test]
    fn only_ratchets_run_ahead() {
        assert_eq!(ratchet(39).reach(), 39);
        assert_eq!(Policy::<Toggling>::Wait.reach(), 0);
        assert_eq!(Policy::<Toggling>::TickTock.reach(), 0);
    }

    #[test]
    fn allowances_saturate() {
        assert_eq!(ratchet(MAX_ALLOWANCE - 1).reach(), MAX_ALLOWANCE - 1);
        assert_eq!(ratchet(u64::MAX).reach(), MAX_ALLOWANCE);
        assert_ne!(ratchet(u64::MAX), ratchet(MAX_ALLOWANCE), "as given");
    }

    #[test]
    fn equal_allowances_are_equal() {
        let policies = [ratchet(1), ratchet(2), Policy::Wait, Policy::TickTock];
        for (i, one) in policies.iter().enumerate() {
            for (j, other) in policies.iter().enumerate() {
                assert_eq!(one == other, i == j, "{one} and {other}");
            }
        }
    }

    #[test]
    fn shows_name_and_allowance() {
        assert_eq!(ratchet(39).to_string(), "ratchet (39 ticks)");
        assert_eq!(Policy::<Toggling>::Wait.to_string(), "wait");
        assert_eq!(Policy::<Toggling>::TickTock.to_string(), "tick-tock");
    }
}
