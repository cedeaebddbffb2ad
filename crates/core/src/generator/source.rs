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
#[cfg(feature = "std")]
use crate::generator::wait::Deadline;
use crate::scheme::Scheme;
use crate::slot::Slot;
use crate::variant::{Observable, Variant};

/// A source of slots: a generator or a handle, borrowed for one call.
///
/// Fast paths are inlined into the call, so a fast path that misses returns a value that the slow
/// path continues from.
pub trait Source {
    /// The scheme of its IDs.
    type Scheme: Scheme;
    /// The reason that it has no slot.
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
    /// Returns the reason why there is none now.
    fn slow_slot(&mut self, missed: Self::Missed) -> Result<Slot<Self::Scheme>, Self::Error>;

    /// Returns at least one and at most `want` slots.
    ///
    /// # Errors
    /// Returns the reason why there are none now.
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

/// A source that can be brought past an ID.
pub trait Follow: Source {
    /// The reason that it was not.
    type Refusal;

    /// Makes the slots of later calls those of which `is_after` returns true. It is true of all
    /// slots after the first of which it is.
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

/// Implements the parts of [`Source`] that are the same for all generators of this crate, and
/// [`Timed`]: `$this` is `self`, and `$rules` and `$timing` are expressions of it.
macro_rules! own_source {
    (rules $this:ident $rules:expr) => {
        #[inline]
        fn scheme(&$this) -> S {
            $rules.scheme
        }

        #[inline]
        fn check_variant(&$this, variant: impl crate::variant::Variant<S>) -> Result<(), Error> {
            $rules.check_variant(variant)
        }

        #[cfg(feature = "std")]
        fn deadline(
            &self,
            within: Option<core::time::Duration>,
        ) -> crate::generator::wait::Deadline {
            crate::generator::wait::deadline(self, within)
        }

        #[cfg(feature = "std")]
        fn until_ready(
            &mut self,
            error: Error,
            deadline: crate::generator::wait::Deadline,
        ) -> Result<(), Error> {
            crate::generator::wait::until_ready(self, error, deadline)
        }

        #[cfg(feature = "std")]
        fn until_ready_async<F, Fut>(
            &mut self,
            error: Error,
            deadline: &mut crate::generator::wait::Deadline,
            sleep: &F,
        ) -> impl Future<Output = Result<(), Error>>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            crate::generator::wait::until_ready_async(self, error, deadline, sleep)
        }
    };
    (timed $this:ident $rules:expr, $timing:expr) => {
        type Clock = C;

        fn rules(&$this) -> &crate::engine::Rules<S> {
            $rules
        }

        fn timing(&$this) -> &Timing<C> {
            &$timing
        }
    };
}
pub(crate) use own_source;
