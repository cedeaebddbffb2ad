//! A generator together with the variant of the IDs to issue.

use crate::generator::calls::calls;
use crate::generator::source::{Follow, Source, observe};
use crate::scheme::{Observable, Variant};

/// A generator together with the variant of the IDs to issue.
/// [`Generator::with`](crate::Generator::with),
/// [`LocalGenerator::with`](crate::LocalGenerator::with) and [`Handle::with`](crate::Handle::with)
/// return it.
///
/// Each call takes the view by value. The view of a shared generator is `Copy`, so it can be kept
/// and used again. Those of the other two hold a `&mut` borrow, so each call needs a new one.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, example, example::Plain};
///
/// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// let plain = generator.with(Plain); // schemes with a choice have other variants
/// let first = plain.try_generate()?;
/// assert!(plain.try_generate()? > first);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<D, V> {
    source: D,
    variant: V,
}

impl<D, V> View<D, V> {
    #[doc(hidden)]
    pub fn new(source: D, variant: V) -> Self {
        Self { source, variant }
    }
}

impl<D: Source, V: Variant<D::Scheme>> View<D, V> {
    calls! {
        self, (self), self.source, self.variant,
        id V::Id, ids crate::generator::Ids<D::Scheme, V>, error D::Error,
        named "the generator's error", max_wait "crate::Builder::max_wait", filled "",
        setup "let shared = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?; let generator = shared.with(example::Plain);"
    }
}

impl<D: Follow, V: Observable<D::Scheme>> View<D, V> {
    /// Observes an ID of this type of variant, as [`Generator::observe`](crate::Generator::observe)
    /// does. Later IDs of the generator are greater, whatever variant of this type they have. For
    /// example, if a sno generator under *wait* has observed an ID with the metabyte 200, its next
    /// ID with the metabyte 3 is greater too.
    ///
    /// # Errors
    /// Returns the error of the generator's `observe`, and changes nothing.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Generator, example, example::Plain};
    ///
    /// let peer = Generator::<example::Seconds>::new(example::Node(1))?;
    /// let generator = Generator::<example::Seconds>::new(example::Node(2))?;
    /// let id = peer.generate()?;
    /// generator.with(Plain).observe(id)?;
    /// assert!(generator.generate()? > id);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(self, id: V::Id) -> Result<(), D::Refusal> {
        observe::<D, V>(self.source, id)
    }
}
