//! What the engine issues: runs of consecutive sequences in one tick.

use core::iter::FusedIterator;
use core::num::NonZeroU32;

use crate::scheme::Scheme;
use crate::tick::Tick;

/// One place for one ID: a tick, the toggle bit (where the scheme has one) and a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Slot<S: Scheme> {
    /// The tick of the ID.
    pub tick: Tick<S>,
    /// Which pass over the ticks this is; always `false` for schemes without the bit.
    pub toggle: bool,
    /// What tells the IDs of one tick apart.
    pub sequence: u32,
}

impl<S: Scheme> Slot<S> {
    /// A slot of one's own making, for IDs that no engine issued.
    #[must_use]
    pub const fn new(tick: Tick<S>, toggle: bool, sequence: u32) -> Self {
        Self { tick, toggle, sequence }
    }
}

/// A run of consecutive sequences in one tick, never empty when issued; an iterator over its
/// [slots](Slot).
///
/// Slots that are dropped unused are gone: the engine never issues them again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block<S: Scheme> {
    tick: Tick<S>,
    toggle: bool,
    first: u32,
    len: u32,
}

impl<S: Scheme> Block<S> {
    /// Nothing to take.
    pub(crate) const EMPTY: Self = Self { tick: Tick::MIN, toggle: false, first: 0, len: 0 };

    pub(crate) const fn new(tick: Tick<S>, toggle: bool, first: u32, len: NonZeroU32) -> Self {
        Self { tick, toggle, first, len: len.get() }
    }

    /// The next slot, without taking it.
    #[inline]
    pub(crate) const fn peek(&self) -> Slot<S> {
        Slot::new(self.tick, self.toggle, self.first)
    }

    /// The tick of every slot.
    #[must_use]
    pub const fn tick(&self) -> Tick<S> {
        self.tick
    }

    /// The toggle bit of every slot.
    #[must_use]
    pub const fn toggle(&self) -> bool {
        self.toggle
    }

    /// The sequence of the next slot.
    #[must_use]
    pub const fn first(&self) -> u32 {
        self.first
    }

    /// How many slots are left.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether every slot has been taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<S: Scheme> Iterator for Block<S> {
    type Item = Slot<S>;

    #[inline]
    fn next(&mut self) -> Option<Slot<S>> {
        self.len = self.len.checked_sub(1)?;
        let slot = self.peek();
        self.first += 1;
        Some(slot)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len as usize, Some(self.len as usize))
    }
}

impl<S: Scheme> ExactSizeIterator for Block<S> {}
impl<S: Scheme> FusedIterator for Block<S> {}
