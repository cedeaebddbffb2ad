//! The bits of IDs, as an engine passes them to a scheme.

use core::marker::PhantomData;

/// The bits that all IDs of a node in one tick share, as two words. Each scheme lays them out so
/// that it takes the least effort to assemble its IDs from them. A generator computes them once per
/// tick, and for each ID only fills in the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix {
    pub(crate) high: u64,
    pub(crate) low: u64,
}

impl Prefix {
    pub(crate) const EMPTY: Self = Self::new(0, 0);

    /// Returns a prefix. The sequence goes into the lowest bits of `low`, so these must be zero.
    /// `high` holds the bits, if any, that do not fit into `low`.
    #[inline]
    #[must_use]
    pub const fn new(high: u64, low: u64) -> Self {
        Self { high, low }
    }
}

/// The bits of one ID, which are a [`Prefix`] with a sequence filled in. Only an engine makes them,
/// and a [`Variant`](crate::Variant) turns them into IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot<S> {
    high: u64,
    low: u64,
    scheme: PhantomData<fn() -> S>,
}

impl<S> Slot<S> {
    #[inline]
    pub(crate) const fn new(high: u64, low: u64) -> Self {
        Self { high, low, scheme: PhantomData }
    }

    #[inline]
    pub(crate) const fn of(prefix: Prefix, sequence: u32) -> Self {
        Self::new(prefix.high, prefix.low | sequence as u64)
    }

    /// Returns the slot with the next sequence.
    #[inline]
    pub(crate) fn next(self) -> Self {
        Self::new(self.high, self.low.wrapping_add(1))
    }

    /// Returns the prefix's high word.
    #[inline]
    #[must_use]
    pub const fn high(&self) -> u64 {
        self.high
    }

    /// Returns the prefix's low word with the sequence in its lowest bits.
    #[inline]
    #[must_use]
    pub const fn low(&self) -> u64 {
        self.low
    }
}
