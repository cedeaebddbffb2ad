//! Policies, which decide what a generator does after a clock rollback and in an exhausted tick.

use core::fmt;

use crate::counted::counted;
use crate::tick::Ticks;

/// The rule by which a generator goes on when the clock is behind the last tick it issued in, and
/// when a tick has no sequence left. No policy ever issues an ID twice. They differ in whether you
/// wait for an ID, and in how far the time in it may be from the clock.
///
/// | policy | small rollback | large rollback | overflow |
/// |---|---|---|---|
/// | [`Ratchet`](Self::Ratchet) | keeps the last tick | stalls | the next tick, if allowed |
/// | [`Wait`](Self::Wait) | stalls | stalls | stalls until the next tick |
/// | [`TickTock`](Self::TickTock) | flips the toggle | the same, once | stalls to the next tick |
///
/// Clocks do go back: time synchronization, an administrator or the host of a virtual machine
/// corrects them, be it by a millisecond or by an hour. So which one do you want?
///
/// - A ratchet, if small corrections should not delay IDs. The price is that their times may be
///   ahead of the clock, by up to the allowance.
/// - *Wait*, if an ID must never show a time in the future.
/// - Tick-tock, where the scheme has it, if IDs should not wait even after a large rollback. They
///   are then not in the order in which they were issued.
///
/// After a rollback, a ratchet stalls until the clock is within the allowance of the last tick, and
/// *wait* until the clock has caught up with it. Tick-tock can stall only at a second rollback,
/// because then the other toggle may have been used for the same ticks already. It continues when
/// the clock is past all of these, or has caught up with the last tick, whichever is first.
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
    /// in IDs never goes backwards. Say the allowance is 2 and the last ID is of tick 100. Then a
    /// clock in tick 98 still gives IDs of tick 100, and a clock in tick 97 gives an error.
    ///
    /// IDs can be `allowance + 1` ticks ahead of the clock, not `allowance`, because a tick that
    /// overflows moves the generator on by one more, as in the SCRU64 reference.
    Ratchet {
        /// The maximum number of whole ticks that the clock may be behind.
        allowance: Ticks<S>,
    },
    /// Issues only at the clock's own tick, so the time in an ID is never ahead of the clock.
    Wait,
    /// Issues only at the clock's own tick. After a rollback it flips a bit of the ID, the
    /// [toggle](crate::Scheme::TOGGLE), so that ticks that come again give new IDs. Of our schemes,
    /// only sno has that bit.
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

    /// Reports whether it flips the toggle, which the scheme must have.
    pub(crate) const fn toggles(self) -> bool {
        match self {
            Self::TickTock => true,
            Self::Ratchet { .. } | Self::Wait => false,
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
            Self::Ratchet { allowance } => {
                write!(f, "ratchet ({})", counted(allowance.get(), "tick"))
            }
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
