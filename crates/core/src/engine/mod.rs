//! The issuing engine, which turns clock readings into slots or errors.
//!
//! An engine owns no clock and never sleeps: it is asked, with a clock in hand, and answers. All it
//! remembers is one 64-bit [word](word), so a draw is one exchange of that word.
//!
//! What to do is decided in one place, the pure function [`Rules::step`](rules::Rules::step). The
//! shared engine, the exclusive engine and the tests all call it, so what holds for one holds for
//! the others. There is one exception, the fast path, which sees that nothing has to be decided:
//! the tick is still the same, and it has sequences left.

#![cfg_attr(
    not(target_has_atomic = "64"),
    expect(dead_code, reason = "some decisions are only the shared engine's, which needs atomics")
)]

mod exclusive;
#[cfg(all(test, any(tickid_loom, tickid_shuttle)))]
pub(crate) mod models;
mod observe;
mod rules;
#[cfg(target_has_atomic = "64")]
mod shared;
#[cfg(target_has_atomic = "64")]
mod shared_cache;
mod state;
mod tick_cache;
mod word;

pub(crate) use self::exclusive::ExclusiveEngine;
pub(crate) use self::rules::Rules;
#[cfg(target_has_atomic = "64")]
pub(crate) use self::shared::{Drawn, SharedEngine};
pub use self::state::State;
pub(crate) use self::tick_cache::TickCache;

use core::num::NonZeroU32;

use crate::clock::Clock;
use crate::error::Error;
use crate::scheme::Scheme;
use crate::slot::Slot;

/// A run of consecutive slots in one tick, never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<S> {
    /// The facts about the tick of every slot.
    pub(crate) cache: TickCache,
    /// The first slot.
    pub(crate) first: Slot<S>,
    /// The number of slots.
    pub(crate) len: NonZeroU32,
}

/// The operations that generators need from an engine, whether shared or exclusive.
pub(crate) trait Engine<S: Scheme> {
    fn rules(&self) -> &Rules<S>;

    /// Draws a block of at least one and at most `want` slots. It may read the clock more than
    /// once.
    fn try_block(&mut self, clock: &impl Clock, want: NonZeroU32) -> Result<Block<S>, Error>;

    /// Reports whether [`try_block`](Self::try_block) would issue at the clock's present reading.
    /// It draws nothing, so waiting callers may call it as often as they like.
    fn check_ready(&self, clock: &impl Clock) -> Result<(), Error>;
}

/// Scripted clocks, and the fields of blocks, for the tests of both engines.
#[cfg(test)]
mod tests {
    use super::Block;
    use crate::clock::Clock;
    use crate::error::ClockError;
    use crate::example::Toggling;
    use crate::time::UnixTime;

    /// A clock whose readings, in seconds, are the function's results.
    pub(super) struct At<F>(pub(super) F);

    impl<F: Fn() -> Result<u64, ClockError>> At<F> {
        pub(super) fn time(second: u64) -> UnixTime {
            UnixTime::from_micros(second.cast_signed() * 1_000_000)
        }
    }

    impl<F: Fn() -> Result<u64, ClockError>> Clock for At<F> {
        fn now(&self) -> Result<UnixTime, ClockError> {
            (self.0)().map(Self::time)
        }
    }

    /// The fields of a block of [`Toggling`] IDs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct BlockFields {
        pub(super) tick: u64,
        pub(super) toggle: bool,
        pub(super) first: u64,
        pub(super) len: u32,
    }

    pub(super) fn fields(block: &Block<Toggling>) -> BlockFields {
        let id = block.first.low();
        let (tick, toggle) = (id >> 17, id >> 16 & 1 == 1);
        BlockFields { tick, toggle, first: id & 0xff, len: block.len.get() }
    }
}
