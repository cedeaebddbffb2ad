//! Why the engine can't issue.

use crate::tick::Tick;

/// The engine cannot issue now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stall<S> {
    /// Why not.
    pub reason: StallReason,
    /// The clock reading at which it can go on; `None` when no reading helps, or when that does not
    /// depend on the clock (a window that has to be widened).
    pub until: Option<Tick<S>>,
}

impl<S> Stall<S> {
    pub(crate) const fn new(reason: StallReason, until: Option<Tick<S>>) -> Self {
        Self { reason, until }
    }
}

/// Why the engine cannot issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StallReason {
    /// The clock is behind what was issued last, by more than the policy allows.
    Rollback,
    /// All sequences of the tick are used up.
    Exhausted,
    /// The tick lies outside of the window.
    Window,
    /// The generator was closed.
    Closed,
    /// The scheme has no tick left.
    EndOfTime,
}
