//! The state that a closed generator passes to its successor.

use crate::tick::Tick;

/// The state of a closed generator, which lets a successor continue without issuing an ID twice. A
/// program that shuts down in an orderly way can store it, and is then safe even if the clock is
/// set back before it starts again. A crash leaves no snapshot, though. If that matters, use a
/// lease.
///
/// [`Generator::close`](crate::Generator::close) returns it, and
/// [`Builder::restore`](crate::Builder::restore) takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Snapshot<S> {
    /// The tick issued last, or entered to follow an observed ID, or `None` if there was neither.
    pub tick: Option<Tick<S>>,
    /// The next sequence of that tick, which is one past the last if the tick is used up.
    pub next_sequence: u32,
    /// The number of times that the toggle bit was flipped, which is odd if the bit is set now. It
    /// wraps at 2^32.
    pub drifts: u32,
    /// The highest tick ever issued under the other toggle bit.
    pub other_past: Option<Tick<S>>,
}

impl<S> Snapshot<S> {
    /// The snapshot of a generator that has issued nothing.
    pub const EMPTY: Self = Self { tick: None, next_sequence: 0, drifts: 0, other_past: None };

    /// Returns the snapshot of a generator that issued `next_sequence - 1` in `tick` last, and that
    /// never flipped its toggle. Use it to rebuild a snapshot from the two numbers, or from the
    /// last ID that is known.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Snapshot, Tick, example::Seconds};
    ///
    /// let snapshot = Snapshot::<Seconds>::at(Tick::new(100)?, 7);
    /// assert_eq!((snapshot.next_sequence, snapshot.drifts), (7, 0));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn at(tick: Tick<S>, next_sequence: u32) -> Self {
        Self { tick: Some(tick), next_sequence, ..Self::EMPTY }
    }

    /// Returns the same snapshot after `drifts` flips, with `other_past` as the highest tick under
    /// the other toggle. Only schemes with a toggle bit, such as sno, need both.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Snapshot, Tick, example::Toggling};
    ///
    /// let past = Tick::<Toggling>::new(120)?;
    /// let snapshot = Snapshot::at(Tick::new(100)?, 7).with_drifts(1, Some(past));
    /// assert_eq!(snapshot.highest_tick(), Some(past));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn with_drifts(self, drifts: u32, other_past: Option<Tick<S>>) -> Self {
        Self { drifts, other_past, ..self }
    }

    /// Returns the highest tick that was ever issued under either toggle, or `None` if nothing was
    /// issued. A later generator that starts above it cannot repeat an ID, whatever the rest of the
    /// snapshot was.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Snapshot, Tick, example::Seconds};
    ///
    /// let tick = Tick::<Seconds>::new(100)?;
    /// assert_eq!(Snapshot::at(tick, 7).highest_tick(), Some(tick));
    /// assert_eq!(Snapshot::<Seconds>::EMPTY.highest_tick(), None);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn highest_tick(&self) -> Option<Tick<S>> {
        self.tick.max(self.other_past)
    }
}
