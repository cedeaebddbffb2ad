//! A scheme under test.

use core::fmt;

use tickid_core::{AnyNode, Builder, Scheme, SequenceBounds, UnixTime, Variant};

/// A scheme under test: one of its nodes, and the parts of its IDs.
pub trait Subject: Sync {
    /// The scheme.
    type Scheme: Scheme;
    /// The variants of IDs. Several forms share one type here.
    type Variant: Variant<Self::Scheme, Id = Self::Id> + fmt::Debug + Default + Send + Sync;
    /// An ID of any of the forms.
    type Id: Copy + fmt::Debug + PartialOrd + Send + Sync;

    /// Returns the layout of the IDs.
    fn settings(&self) -> Self::Scheme;

    /// Returns the node of the IDs.
    fn node(&self) -> <Self::Scheme as Scheme>::Node;

    /// Returns the node of the generators, if it is a share of the node of the IDs.
    fn share(&self) -> Option<AnyNode> {
        None
    }

    /// Returns a builder of a generator.
    fn builder(&self, seed: u64) -> Builder<Self::Scheme> {
        match self.share() {
            Some(share) => Builder::seeded_of_any(self.settings(), share, seed),
            None => Builder::seeded_of(self.settings(), self.node(), seed),
        }
    }

    /// Returns the sequences of the generators.
    fn sequences(&self) -> SequenceBounds {
        let share = self.share().and_then(|share| self.settings().split_node(share).ok());
        share.map_or_else(|| self.settings().sequence_bounds(&self.node()), |(_, share)| share)
    }

    /// Returns the time to start at, which is a time of interest far from both ends of the format.
    fn start(&self) -> UnixTime;

    /// Returns the forms to request, in turn.
    fn forms(&self) -> Vec<Self::Variant> {
        vec![Self::Variant::default()]
    }

    /// Returns any ID, as a placeholder.
    fn blank(&self) -> Self::Id;

    /// Returns the parts of an ID.
    fn parts(&self, id: Self::Id) -> Parts;

    /// Reports whether the rest of the ID is as requested: its node, its form, and no field beyond
    /// its range.
    fn is_of(&self, id: Self::Id, form: Self::Variant) -> bool;

    /// Reports whether `next`, which was issued after `id` (and under the same toggle), sorts after
    /// it in every order that the scheme requires.
    fn increases(&self, id: Self::Id, next: Self::Id) -> bool {
        id < next
    }
}

/// The parts of an ID that the engine sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts {
    /// The scheme's ticks since its epoch.
    pub tick: u64,
    /// The toggle bit, in schemes that have one.
    pub toggle: bool,
    /// The sequence, which distinguishes the IDs of one tick.
    pub sequence: u32,
}

impl Parts {
    /// Returns a number that is different for each ID of a generator.
    pub(crate) fn key(self) -> u128 {
        u128::from(self.tick << 1 | u64::from(self.toggle)) << 32 | u128::from(self.sequence)
    }
}
