//! The results of calls that draw several IDs, as blocks or into slices.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Deref, DerefMut};

use crate::debug_error::Chain;
use crate::engine::Block;
use crate::error::Error;
#[cfg(feature = "std")]
use crate::fork::Process;
use crate::scheme::{Scheme, Variant};
use crate::slot::Slot;

/// The IDs of one block, in increasing order.
///
/// They were drawn together by `try_block` or `block`, and lie in one tick. An ID is put together
/// only when the iterator reaches it, so a large block takes no memory. IDs that are dropped unused
/// are lost, because the generator never issues them again.
///
/// A `fork` copies the iterator. In the child it is empty, whatever the generator's clock is,
/// because the IDs are the parent's.
///
/// The iterator is not `Clone`, since both copies would return the same IDs:
///
/// ```compile_fail,E0599
/// use core::num::NonZeroU32;
/// use tickid_core::{Generator, example};
///
/// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// let ids = generator.try_block(NonZeroU32::MIN)?;
/// let same = ids.clone();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "the IDs have been drawn and are lost unless they are used"]
pub struct Ids<S: Scheme, V> {
    scheme: S,
    variant: V,
    next: Slot<S>,
    left: u32,
    #[cfg(feature = "std")]
    home: Process,
}

impl<S: Scheme, V> Ids<S, V> {
    pub(crate) fn new(scheme: S, variant: V, block: &Block<S>) -> Self {
        Self {
            scheme,
            variant,
            next: block.first,
            left: block.len.get(),
            #[cfg(feature = "std")]
            home: Process::this(),
        }
    }

    /// Returns the number of IDs that this process may still take.
    #[inline]
    fn left(&self) -> u32 {
        #[cfg(feature = "std")]
        if !self.home.is_this() {
            return 0;
        }
        self.left
    }
}

impl<S: Scheme, V: Variant<S>> Iterator for Ids<S, V> {
    type Item = V::Id;

    #[inline]
    fn next(&mut self) -> Option<V::Id> {
        self.left = self.left().checked_sub(1)?;
        let slot = self.next;
        self.next = slot.next();
        Some(self.variant.id(&self.scheme, slot))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.left() as usize;
        (left, Some(left))
    }
}

impl<S: Scheme, V: Variant<S>> ExactSizeIterator for Ids<S, V> {}
impl<S: Scheme, V: Variant<S>> FusedIterator for Ids<S, V> {}

/// The part of a slice that was filled with IDs. It may be shorter than the slice, for example if
/// the tick's sequences were used up. It dereferences to the IDs.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, example};
///
/// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// let mut buffer = [0; 300]; // more than a tick of this scheme has
/// for id in generator.try_fill(&mut buffer)?.iter() {
///     println!("{id}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The compiler warns about a call that ignores how much was filled:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # use tickid_core::{Generator, example};
/// # let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// # let mut buffer = [0; 300];
/// generator.try_fill(&mut buffer)?; // the rest of the buffer may hold no IDs
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "fewer IDs than the slice has room for may have been written"]
pub struct Filled<'a, T>(&'a mut [T]);

impl<'a, T> Filled<'a, T> {
    pub(crate) fn new(ids: &'a mut [T]) -> Self {
        Self(ids)
    }

    /// Returns the IDs with the lifetime of the slice, to pass them on after this value is gone.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Generator, example};
    ///
    /// /// Fills as much of a buffer as it can, and returns that part.
    /// fn draw<'a>(
    ///     generator: &Generator<example::Seconds>,
    ///     buffer: &'a mut [u64],
    /// ) -> Result<&'a [u64], tickid_core::Error> {
    ///     Ok(generator.try_fill(buffer)?.into_slice())
    /// }
    ///
    /// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
    /// assert!(!draw(&generator, &mut [0; 10])?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn into_slice(self) -> &'a mut [T] {
        self.0
    }
}

impl<T> Deref for Filled<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T> DerefMut for Filled<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0
    }
}

/// The error for a slice that could not be filled to its end. The IDs at its front are valid and
/// will not be issued again, so use them or count them as lost.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("only {written} IDs were written")]
pub struct FillError<E = Error> {
    /// The number of IDs that were written to the front of the slice.
    pub written: usize,
    /// The reason why the generator could not continue.
    pub source: E,
}

impl<E: core::error::Error + 'static> fmt::Debug for FillError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(&Chain(self), f);
        }
        let Self { written, source } = self;
        f.debug_struct("FillError").field("written", written).field("source", source).finish()
    }
}
