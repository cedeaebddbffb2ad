//! The scheme with its setting, the drift.

use core::fmt;
use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{
    IntoUnixTime, Observable, Policy, Prefix, RangeError, Scheme, Slot, Tick, TickScale, UnixTime,
    Variant,
};

use crate::drift::Kuid;
use crate::global::GlobalId;
use crate::local::LocalId;
use crate::node::Node;

impl Kuid {
    /// Returns the start of the ID's tick, as [`GlobalId::unix_time`] does with this drift.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, GlobalId, Kuid, LocalId, Node};
    ///
    /// let kuid = Kuid { drift: Drift::DEFAULT };
    /// let local = LocalId::from_parts(1_539, 625_275, 0, 1)?;
    /// let id = GlobalId::from_local(local, Node::phash2("a@host"), kuid.drift);
    /// assert_eq!(kuid.unix_time(id), local.unix_time());
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[must_use]
    pub const fn unix_time(self, id: GlobalId) -> UnixTime {
        id.unix_time(self.drift)
    }

    /// Returns [`unix_time`](Self::unix_time) as a time type of a different library, for example
    /// `jiff`'s `Timestamp` (with the core's feature `jiff_1`) or `chrono`'s `DateTime<Utc>` (with
    /// `chrono_0_4`).
    ///
    /// # Errors
    /// As [`LocalId::time_as`].
    pub fn time_as<T: TryFrom<UnixTime>>(self, id: GlobalId) -> Result<T, T::Error> {
        T::try_from(self.unix_time(id))
    }

    /// Returns the lowest global ID, over all nodes, that shows `time`, as [`GlobalId::min_at`]
    /// does with this drift.
    ///
    /// # Errors
    /// As [`GlobalId::min_at`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
    ///
    /// let kuid = Kuid::default();
    /// let local = LocalId::from_parts(1_539, 625_275, 0, 1)?;
    /// let id = GlobalId::from_local(local, Node::phash2("a@host"), kuid.drift);
    /// assert!(kuid.min_at(local.unix_time())? <= id);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<GlobalId, RangeError> {
        GlobalId::min_at(time, self.drift)
    }

    /// Returns the highest global ID, over all nodes, that shows `time`, as [`GlobalId::max_at`]
    /// does with this drift.
    ///
    /// # Errors
    /// As [`GlobalId::max_at`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
    ///
    /// let kuid = Kuid::default();
    /// let local = LocalId::from_parts(1_539, 625_275, 0, 1)?;
    /// let id = GlobalId::from_local(local, Node::phash2("a@host"), kuid.drift);
    /// assert!(kuid.max_at(local.unix_time())? >= id);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<GlobalId, RangeError> {
        GlobalId::max_at(time, self.drift)
    }

    /// Returns a range that contains all global IDs that show a time within `times`, as
    /// [`GlobalId::range`] does with this drift.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
    ///
    /// let kuid = Kuid::default();
    /// let local = LocalId::from_parts(1_539, 625_275, 0, 1)?;
    /// let id = GlobalId::from_local(local, Node::phash2("a@host"), kuid.drift);
    /// let since = kuid.range(local.unix_time()..);
    /// assert!(since.is_some_and(|range| range.contains(&id)));
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<GlobalId>> {
        GlobalId::range(times, self.drift)
    }
}

impl Scheme for Kuid {
    const NAME: &'static str = "kuid";
    /// The last tick of the last valid `{A, B, C}`, in the year 35198.
    const MAX_TICK: u64 =
        (LocalId::MAX_MEGA_SECONDS as u64 + 1) * 1_000_000 * Self::TICKS_PER_SECOND - 1;
    /// The last tick that fits the engine's 44 bits, in the year 2540.
    const LAST_TICK: u64 = (1 << 44) - 2;
    const MAX_SEQUENCE: u32 = LocalId::MAX_SEQUENCE;
    const HAS_NODELESS_IDS: bool = true;

    type Node = Node;
    type Variant = Global;

    #[inline]
    fn scale(&self) -> TickScale {
        Self::SCALE
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "drift {}", self.drift)
    }

    fn node_bits(&self) -> Option<u32> {
        Some(u32::BITS)
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, _: bool) -> Prefix {
        GlobalId::from_local(LocalId::at(tick, 0), *node, self.drift).prefix()
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Ratchet { allowance: self.ticks_in(Self::DEFAULT_ALLOWANCE) }
    }
}

/// The variant of local IDs, which have no node and are unique among the IDs of one generator.
///
/// A generator draws both variants from the same sequence, so a local and a global ID never have
/// the same time and sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Local;

/// The variant of global IDs, which have the node. It is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Global;

/// Only local IDs are observable, because within a neighborhood global IDs sort by node before
/// time.
impl Observable<Kuid> for Local {
    const LEAST: Self = Self;
}

impl Variant<Kuid> for Local {
    type Id = LocalId;

    #[inline]
    fn has_node(self) -> bool {
        false
    }

    #[inline]
    fn id(self, scheme: &Kuid, slot: Slot<Kuid>) -> LocalId {
        GlobalId::from_slot(slot).to_local(scheme.drift)
    }

    /// The sequence is in the lowest bits, so the node has to be taken out only once.
    #[inline]
    fn fill(self, scheme: &Kuid, first: Slot<Kuid>, out: &mut [LocalId]) {
        let first = self.id(scheme, first).get();
        for (id, value) in out.iter_mut().zip(first..) {
            *id = LocalId::new(value);
        }
    }
}

impl Variant<Kuid> for Global {
    type Id = GlobalId;

    #[inline]
    fn id(self, _: &Kuid, slot: Slot<Kuid>) -> GlobalId {
        GlobalId::from_slot(slot)
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::Ticks;

    use super::*;

    #[test]
    fn default_allowance_is_977_ticks() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(977) };
        assert_eq!(Kuid::default().default_policy(), ratchet);
    }

    #[test]
    fn generation_ends_in_2540() {
        assert_eq!(Kuid::LAST_TICK, (1 << 44) - 2);
        let last = Kuid::default().time_of(Tick::new(Kuid::LAST_TICK).unwrap());
        // 2540-08-06T14:47:52Z.
        assert_eq!(last.as_millis() / 1_000, 18_006_331_672);
    }
}
