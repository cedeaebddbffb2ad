//! The issuing engine: ticks of a clock go in, blocks or stalls come out.
//!
//! An engine owns no clock and never sleeps. Its state is one 64-bit [word](word); every decision
//! but the fast path's is one pure function, [`Rules::step`](rules::Rules::step), that the shared
//! engine, the exclusive engine and the tests all call.

mod exclusive;
mod rules;
#[cfg(target_has_atomic = "64")]
mod shared;
mod snapshot;
mod span;
mod stall;
mod word;

pub(crate) use self::exclusive::ExclusiveEngine;
pub(crate) use self::rules::Rules;
#[cfg(target_has_atomic = "64")]
pub(crate) use self::shared::SharedEngine;
pub use self::snapshot::{Snapshot, State};
pub(crate) use self::span::Span;
pub use self::stall::{Stall, StallReason};
#[cfg(target_has_atomic = "64")]
pub(crate) use self::word::Word;

use core::num::NonZeroU32;

use crate::block::Block;
use crate::error::ClockError;
use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::sequence::SequenceBounds;
use crate::tick::Tick;

/// Why [`Issue::issue`] gave no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal<S> {
    Stall(Stall<S>),
    Clock(ClockError),
    /// The start that is outside of the bounds, and the bounds.
    SequenceStart(u32, SequenceBounds),
}

/// Where the ticks come from, and what they are to those outside of the engine.
pub(crate) trait TickSource<S: Scheme> {
    /// The tick now, read after everything that the thread did before.
    fn now(&mut self) -> Result<Tick<S>, ClockError>;

    /// The tick now or a moment ago.
    fn glance(&mut self) -> Result<Tick<S>, ClockError>;

    /// What is known of the tick of `block` under `policy`.
    fn span(&self, block: &Block<S>, policy: Policy<S>) -> Span;
}

/// For tests: one function for both, and nothing known.
#[cfg(test)]
impl<S: Scheme, F: FnMut() -> Result<Tick<S>, ClockError>> TickSource<S> for F {
    fn now(&mut self) -> Result<Tick<S>, ClockError> {
        self()
    }

    fn glance(&mut self) -> Result<Tick<S>, ClockError> {
        self()
    }

    fn span(&self, _: &Block<S>, _: Policy<S>) -> Span {
        Span::EMPTY
    }
}

/// What generators need of an engine, shared or exclusive.
pub(crate) trait Issue<S: Scheme> {
    /// A block of at least one and at most `want` sequences.
    ///
    /// The clock may be read more than once.
    fn issue(
        &mut self,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>>;

    /// Returns the stall that [`issue`](Self::issue) would end in at this reading. Draws nothing, so
    /// that a waiting call can repeat it without using up sequences.
    fn ready(&self, now: Tick<S>) -> Result<(), Stall<S>>;
}
