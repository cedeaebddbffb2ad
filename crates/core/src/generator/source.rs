//! The source of slots that a generator's calls draw from.

use core::num::NonZeroU32;
#[cfg(feature = "std")]
use core::time::Duration;

#[cfg(feature = "std")]
use crate::clock::Clock;
use crate::engine::Block;
#[cfg(feature = "std")]
use crate::engine::Rules;
#[cfg(feature = "std")]
use crate::error::Error;
#[cfg(feature = "std")]
use crate::generator::timing::Timing;
use crate::scheme::{Observable, Scheme, Variant};
use crate::slot::Slot;

/// The end of a wait, by two clocks.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    /// By the monotonic clock of the source that waits.
    pub(super) at: Duration,
    /// The time that may still be awaited, by the executor's clock. That need not be the source's
    /// clock. For example, a `ManualClock` stands still while a task sleeps, and without this bound
    /// the task would sleep forever.
    pub(super) to_await: Duration,
    /// Set if a wait whose end is unknown may use all of the time.
    pub(super) is_explicit: bool,
}

#[cfg(feature = "std")]
impl Deadline {
    /// Returns the deadline `within` after `now`.
    #[must_use]
    pub const fn after(now: Duration, within: Duration) -> Self {
        Self { at: now.saturating_add(within), to_await: within, is_explicit: true }
    }

    /// Returns the time that is left at `now`.
    #[must_use]
    pub const fn left(&self, now: Duration) -> Duration {
        let left = self.at.saturating_sub(now);
        if left.as_nanos() < self.to_await.as_nanos() { left } else { self.to_await }
    }

    /// Notes that the executor slept for `pause`.
    pub const fn awaited(&mut self, pause: Duration) {
        self.to_await = self.to_await.saturating_sub(pause);
    }
}

/// A source of slots, which is a generator or a handle, borrowed for one call.
///
/// Fast paths are inlined into the call, so a fast path that misses returns a value that the slow
/// path continues from.
pub trait Source {
    /// The scheme of its IDs.
    type Scheme: Scheme;
    /// The reason why it has no slot.
    type Error;
    /// The state that a missed fast path leaves to the slow path.
    type Missed;

    /// Returns the layout of its IDs.
    fn scheme(&self) -> Self::Scheme;

    /// Checks that it may issue IDs of a variant.
    ///
    /// # Errors
    /// Returns an error if its node is not for IDs of that kind.
    fn check_variant(&self, variant: impl Variant<Self::Scheme>) -> Result<(), Self::Error>;

    /// Returns one slot if no rule has to be consulted.
    ///
    /// # Errors
    /// Returns the state to continue from.
    fn fast_slot(&mut self) -> Result<Slot<Self::Scheme>, Self::Missed>;

    /// Returns one slot.
    ///
    /// # Errors
    /// Returns the reason why no ID can be issued now.
    fn slow_slot(&mut self, missed: Self::Missed) -> Result<Slot<Self::Scheme>, Self::Error>;

    /// Returns at least one and at most `want` slots.
    ///
    /// # Errors
    /// Returns the reason why no IDs can be issued now.
    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<Self::Scheme>, Self::Error>;

    /// Reports whether a slot could be drawn now, without drawing one.
    ///
    /// # Errors
    /// Returns the reason why not.
    fn check_ready(&self) -> Result<(), Self::Error>;

    /// Notes that a call could not issue immediately.
    fn note(&mut self, error: Self::Error) -> Self::Error {
        error
    }

    /// Returns the deadline of a wait that starts now and lasts for at most `within`, or for as
    /// long as the generator's options permit.
    #[cfg(feature = "std")]
    fn deadline(&self, within: Option<Duration>) -> Deadline;

    /// Waits until it can issue after `error`, without drawing anything.
    ///
    /// # Errors
    /// Returns an error if waiting does not help, or takes too long.
    #[cfg(feature = "std")]
    fn until_ready(&mut self, error: Self::Error, deadline: Deadline) -> Result<(), Self::Error>;

    /// Does the same, awaiting `sleep`.
    #[cfg(feature = "std")]
    fn until_ready_async<F, Fut>(
        &mut self,
        error: Self::Error,
        deadline: &mut Deadline,
        sleep: &F,
    ) -> impl Future<Output = Result<(), Self::Error>>
    where
        F: Fn(Duration) -> Fut,
        Fut: Future<Output = ()>;
}

/// A source that can be brought past an observed ID.
pub trait Follow: Source {
    /// The reason why it was not.
    type Refusal;

    /// Makes later calls draw only slots for which `is_after` returns true. `is_after` must be
    /// monotone, that is, once true, it stays true.
    ///
    /// # Errors
    /// Returns the reason why it cannot, and changes nothing.
    fn follow(
        self,
        is_after: impl Fn(&Self::Scheme, Slot<Self::Scheme>) -> bool,
    ) -> Result<(), Self::Refusal>;
}

/// Makes the IDs of later calls follow `id` under all variants of type `V`.
pub fn observe<D: Follow, V: Observable<D::Scheme>>(
    source: D,
    id: V::Id,
) -> Result<(), D::Refusal> {
    source.follow(|scheme, slot| V::LEAST.id(scheme, slot) > id)
}

/// A source that waits by its own clock.
#[cfg(feature = "std")]
pub(crate) trait Timed: Source<Error = Error> {
    type Clock: Clock;

    fn rules(&self) -> &Rules<Self::Scheme>;

    fn timing(&self) -> &Timing<Self::Clock>;
}
