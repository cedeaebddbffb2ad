//! What the engine issues: runs of consecutive sequences in one tick.

use core::marker::PhantomData;
use core::num::NonZeroU32;
use core::ops::Range;

use crate::scheme::Scheme;
use crate::tick::Tick;

/// What all IDs of a node in one tick share: two words that a scheme lays out so that its IDs are made of
/// them with the least effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stem {
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

impl Stem {
    pub(crate) const EMPTY: Self = Self::new(0, 0);

    /// `tail` is where the sequence goes: into its lowest bits, which are zero here. `head` holds what
    /// finds no room there, if anything.
    #[inline]
    #[must_use]
    pub const fn new(head: u64, tail: u64) -> Self {
        Self { head, tail }
    }
}

/// One place for one ID, as only an engine issues it: a [`Stem`] that has got its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot<S: Scheme> {
    head: u64,
    tail: u64,
    scheme: PhantomData<fn() -> S>,
}

impl<S: Scheme> Slot<S> {
    #[inline]
    pub(crate) const fn new(head: u64, tail: u64) -> Self {
        Self { head, tail, scheme: PhantomData }
    }

    #[inline]
    pub(crate) const fn of(stem: Stem, sequence: u32) -> Self {
        Self::new(stem.head, stem.tail | sequence as u64)
    }

    /// The slot with the next sequence.
    #[inline]
    pub(crate) const fn next(self) -> Self {
        Self::new(self.head, self.tail.wrapping_add(1))
    }

    /// That of the stem.
    #[inline]
    #[must_use]
    pub const fn head(self) -> u64 {
        self.head
    }

    /// That of the stem, with the sequence in its lowest bits.
    #[inline]
    #[must_use]
    pub const fn tail(self) -> u64 {
        self.tail
    }
}

/// A run of consecutive sequences in one tick, never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block<S: Scheme> {
    /// The tick of every sequence.
    pub(crate) tick: Tick<S>,
    /// Which pass over the ticks this is; always `false` for schemes without the bit.
    pub(crate) toggle: bool,
    /// The lowest of the sequences.
    pub(crate) first: u32,
    /// How many there are.
    pub(crate) len: NonZeroU32,
}

impl<S: Scheme> Block<S> {
    /// From the first sequence to one past the last.
    #[inline]
    pub(crate) fn sequences(&self) -> Range<u32> {
        self.first..self.first + self.len.get()
    }
}
