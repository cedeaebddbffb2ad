//! The source of slots that a generator's calls draw from.

use core::num::NonZeroU32;

use crate::clock::Clock;
use crate::engine::{Block, Rules};
use crate::error::Error;
use crate::generator::timing::Timing;
use crate::scheme::Scheme;
use crate::slot::Slot;

/// A source of slots: a generator or a handle, borrowed for one call.
///
/// Fast paths are inlined into the call, so a fast path that misses returns a value that the slow
/// path continues from.
#[allow(unnameable_types, reason = "sealed: the generators and the handle are the only sources")]
pub trait Source {
    type Scheme: Scheme;
    type Clock: Clock;
    /// The state that a missed fast path leaves to the slow path.
    type Missed;

    fn rules(&self) -> &Rules<Self::Scheme>;

    #[cfg_attr(not(feature = "std"), allow(dead_code, reason = "only calls that wait need it"))]
    fn timing(&self) -> &Timing<Self::Clock>;

    /// Returns one slot if no rule has to be consulted.
    fn fast_slot(&mut self) -> Result<Slot<Self::Scheme>, Self::Missed>;

    /// Returns one slot, or the reason why there is none now.
    fn slow_slot(&mut self, missed: Self::Missed) -> Result<Slot<Self::Scheme>, Error>;

    /// Returns at least one and at most `want` slots, or the reason why there are none now.
    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<Self::Scheme>, Error>;

    /// Reports whether a slot could be drawn now, without drawing one.
    #[cfg(feature = "std")]
    fn check_ready(&self) -> Result<(), Error>;
}
