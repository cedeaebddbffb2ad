//! What makes an identifier scheme: its ticks, its node, its sequence, its bits.

use core::fmt;
use core::hash::Hash;
use core::time::Duration;

use crate::block::{Slot, Stem};
use crate::engine::Snapshot;
use crate::error::{BuildError, RangeError};
use crate::node::NodeId;
use crate::policy::Policy;
use crate::scale::TickScale;
use crate::sequence::{Sequence, SequenceBounds};
use crate::tick::{Tick, Ticks};
use crate::time::UnixTime;

/// An identifier scheme, as a small value that holds what the bits of an ID alone don't say (its
/// *layout*): Nanoflake's epoch, kuid's drift.
///
/// The constants are checked against each other when a generator of the scheme is compiled.
pub trait Scheme: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// The scheme's name in messages, lower case.
    const NAME: &'static str;

    /// The last tick that fits the format.
    const MAX_TICK: u64;
    /// The first tick a generator may issue.
    const FIRST_TICK: u64 = 0;
    /// The last tick a generator may issue; after it there are only errors.
    const LAST_TICK: u64 = Self::MAX_TICK;
    /// How many bits of the engine's word the tick takes: enough for the number of the last tick
    /// that can be issued or restored, plus one.
    const TICK_BITS: u32;
    /// Whether IDs have a bit that tells two passes over the same ticks apart, which is what
    /// [`Policy::TickTock`] needs.
    const TOGGLE: bool = false;
    /// The highest sequence of the widest configuration.
    const MAX_SEQUENCE: u32;
    /// The fewest sequences a generator may be confined to.
    const MIN_POOL: u32 = 1;

    /// Set if some of the scheme's IDs do not carry the node (kuid's local ones).
    const HAS_NODELESS_IDS: bool = false;

    /// Whether [`default_sequence`](Self::default_sequence) makes anything of its seed.
    const NEEDS_SEED: bool = false;

    /// What tells two generators apart.
    type Node: NodeId;
    /// What a caller chooses for each ID, and which type comes out.
    type Form: Form<Self> + Default;
    /// Where the sequence of a new tick starts unless the user says otherwise.
    type Sequence: Sequence;

    /// The tick during which `time` is.
    ///
    /// # Errors
    /// [`RangeError`] (in microseconds) when the format has no tick for that time.
    fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError>;

    /// When `tick` begins.
    fn time_of(&self, tick: Tick<Self>) -> UnixTime;

    /// The same conversions in numbers.
    fn scale(&self) -> TickScale;

    /// Writes the settings of the layout that determine bits of an ID, such as `drift 8`; nothing if
    /// there are none.
    ///
    /// A realm of leases records this text and refuses any other, so it must be complete: two layouts
    /// with the same text and the same [`scale`](Self::scale) produce the same ID from the same node,
    /// tick and sequence. It must not change from one release to the next.
    ///
    /// # Errors
    /// The errors of `out`.
    fn write_layout(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// What all IDs of `node` in `tick` share. Generators ask for it once per tick.
    fn stem(&self, node: &Self::Node, tick: Tick<Self>, toggle: bool) -> Stem;

    /// How many whole ticks pass in `duration`.
    fn ticks_in(&self, duration: Duration) -> Ticks<Self>;

    /// The sequences that fit beside `node`.
    fn sequence_bounds(&self, node: &Self::Node) -> SequenceBounds;

    /// `bounds` themselves, where a generator for `node` may be confined to them.
    ///
    /// # Errors
    /// [`BuildError::SequenceBound`] for a bound outside of
    /// [`sequence_bounds`](Self::sequence_bounds), [`BuildError::Pool`] for fewer sequences than
    /// [`MIN_POOL`](Self::MIN_POOL).
    fn check_bounds(
        &self,
        node: &Self::Node,
        bounds: SequenceBounds,
    ) -> Result<SequenceBounds, BuildError> {
        let all = self.sequence_bounds(node);
        let (lowest, last, pool) = (bounds.lowest(), bounds.last(), bounds.pool());
        for bound in [lowest, last] {
            if bound < all.lowest() || bound > all.last() {
                let (min, max) = (all.lowest().into(), all.last().into());
                let error = RangeError::new("sequence bound", bound.into(), min, max);
                return Err(BuildError::SequenceBound(error));
            }
        }
        if pool < Self::MIN_POOL.into() {
            return Err(BuildError::Pool { lowest, last, pool, min: Self::MIN_POOL });
        }
        Ok(bounds)
    }

    /// What `node` itself says of the IDs that were issued under it before.
    fn resume(&self, node: &Self::Node) -> Snapshot<Self> {
        let _ = node;
        Snapshot::EMPTY
    }

    /// Whether [`check_start`](Self::check_start) has anything to say.
    const CHECKS_START: bool = false;

    /// Whether a generator may start when it is `now`.
    ///
    /// # Errors
    /// [`BuildError::Epoch`] where the user chose an epoch that is yet to come.
    fn check_start(&self, now: UnixTime) -> Result<(), BuildError> {
        let _ = now;
        Ok(())
    }

    /// What the scheme's document says to do when the clock runs behind.
    fn default_policy(&self) -> Policy<Self>;

    /// The scheme's own sequence start; `seed` is unpredictable and new for every generator where
    /// [`NEEDS_SEED`](Self::NEEDS_SEED) is set.
    fn default_sequence(&self, seed: u64) -> Self::Sequence;
}

/// The form of schemes that leave a caller nothing to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plain;

/// The forms of IDs that a generator issues, by whether they carry its node.
///
/// Generators of one realm must not mix the two: IDs without a node are unique only if no two
/// generators issue them in the same window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forms {
    /// All forms.
    #[default]
    All,
    /// Only forms that carry the node.
    WithNode,
    /// Only forms that do not carry the node.
    WithoutNode,
}

impl Forms {
    /// Reports whether a form that carries the node, or one that does not, is among these.
    #[inline]
    #[must_use]
    pub const fn contains(self, has_node: bool) -> bool {
        match self {
            Self::All => true,
            Self::WithNode => has_node,
            Self::WithoutNode => !has_node,
        }
    }
}

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::All => "IDs with or without a node",
            Self::WithNode => "IDs with a node",
            Self::WithoutNode => "IDs without a node",
        })
    }
}

/// Turns what the engine issues into an ID: the caller's choice for one call.
///
/// SCRU64 and Nanoflake have one form, sno's carries the metabyte, kuid's says local or global.
pub trait Form<S: Scheme>: Copy {
    /// The ID that comes out.
    type Id: Copy;

    /// Reports whether IDs of this form carry the generator's node. Only schemes with
    /// [`HAS_NODELESS_IDS`](Scheme::HAS_NODELESS_IDS) are asked.
    #[inline]
    fn has_node(self) -> bool {
        true
    }

    /// The ID for one slot.
    fn id(self, scheme: &S, slot: Slot<S>) -> Self::Id;

    /// The IDs for `first` and the slots after it, as many as `out` has room for. All of them are of one
    /// tick.
    #[inline]
    fn fill(self, scheme: &S, first: Slot<S>, out: &mut [Self::Id]) {
        let mut slot = first;
        for id in out {
            *id = self.id(scheme, slot);
            slot = slot.next();
        }
    }
}
