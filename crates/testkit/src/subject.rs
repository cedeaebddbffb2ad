use core::fmt;

use tickid_core::{Scheme, UnixTime, Variant};

/// A scheme under test: one node of it, and what its IDs say.
pub trait Subject: Sync {
    /// The scheme.
    type Scheme: Scheme + Default;
    /// What can be asked for; several forms of IDs are one type here.
    type Variant: Variant<Self::Scheme, Id = Self::Id> + fmt::Debug + Send + Sync;
    /// An ID of any of the forms.
    type Id: Copy + fmt::Debug + Send + Sync;

    /// What the bits don't say.
    fn layout(&self) -> Self::Scheme {
        Self::Scheme::default()
    }

    /// Whose IDs they are.
    fn node(&self) -> <Self::Scheme as Scheme>::Node;

    /// When to begin: a time of interest, far from both ends of the format.
    fn start(&self) -> UnixTime;

    /// The forms to ask for, by turns.
    fn forms(&self) -> Vec<Self::Variant>;

    /// Some ID, to be written over.
    fn blank(&self) -> Self::Id;

    /// The ID taken apart.
    fn parts(&self, id: Self::Id) -> Parts;

    /// Whether all else that the ID says is as it was asked for: its node, its form, no field beyond
    /// its range.
    fn is_of(&self, id: Self::Id, form: Self::Variant) -> bool;

    /// Whether `next`, which was issued after `id` (and under the same toggle), sorts after it, in all
    /// the ways in which it has to.
    fn increases(&self, id: Self::Id, next: Self::Id) -> bool;
}

/// What the engine put into an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts {
    /// The scheme's ticks since its epoch.
    pub tick: u64,
    /// The toggle bit, in schemes that have one.
    pub toggle: bool,
    /// What tells the IDs of one tick apart.
    pub sequence: u32,
}

impl Parts {
    /// One number for each ID of a generator.
    pub(crate) fn key(self) -> u128 {
        u128::from(self.tick << 1 | u64::from(self.toggle)) << 32 | u128::from(self.sequence)
    }
}
