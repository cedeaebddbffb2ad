use core::fmt;
use core::time::Duration;

use tickid_core::{
    Form, IntoUnixTime, Plain, Policy, RandomStart, RangeError, Scheme, SequenceBounds, Slot,
    Snapshot, Stem, Tick, TickScale, Ticks, UnixTime,
};

use crate::id::Scru64Id;
use crate::node::NodeSpec;

/// The SCRU64 scheme. Its IDs say everything about their time, so it holds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scru64;

impl Scru64 {
    pub(crate) const MICROS_PER_TICK: u64 = 256_000;

    /// How far a generator lets the clock run behind before it stalls: 10 seconds.
    pub const DEFAULT_ALLOWANCE: Duration = Duration::from_secs(10);

    /// The lowest ID of the tick during which `time` is; [`Scru64Id::min_at`].
    ///
    /// # Errors
    /// [`RangeError`] for a time before 1970 or after the last timestamp.
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::min_at(time)
    }

    /// The highest ID of the tick during which `time` is; [`Scru64Id::max_at`].
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::max_at(time)
    }

    #[inline]
    pub(crate) fn tick(time: UnixTime) -> Result<Tick<Self>, RangeError> {
        let micros = u64::try_from(time.as_micros()).ok();
        let tick = micros.and_then(|micros| Tick::new(micros / Self::MICROS_PER_TICK).ok());
        tick.ok_or_else(|| {
            let end = (i128::from(Self::MAX_TICK) + 1) * i128::from(Self::MICROS_PER_TICK);
            RangeError::new("time in microseconds", time.as_micros().into(), 0, end - 1)
        })
    }
}

impl Scheme for Scru64 {
    const NAME: &'static str = "scru64";
    const MAX_TICK: u64 = Scru64Id::MAX_TIMESTAMP;
    // The first and the last timestamp are reserved.
    const FIRST_TICK: u64 = 1;
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const TICK_BITS: u32 = 39;
    const MAX_SEQUENCE: u32 = (1 << 23) - 1;
    const NEEDS_SEED: bool = true;

    type Node = NodeSpec;
    type Form = Plain;
    type Sequence = RandomStart;

    #[inline]
    fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
        Self::tick(time)
    }

    fn time_of(&self, tick: Tick<Self>) -> UnixTime {
        UnixTime::from_micros((tick.get() * Self::MICROS_PER_TICK).cast_signed())
    }

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, Self::MICROS_PER_TICK)
    }

    fn write_layout(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    fn stem(&self, node: &NodeSpec, tick: Tick<Self>, _: bool) -> Stem {
        Stem::new(0, Scru64Id::assemble(tick, node.node_part()).get())
    }

    fn ticks_in(&self, duration: Duration) -> Ticks<Self> {
        let ticks = duration.as_micros() / u128::from(Self::MICROS_PER_TICK);
        Ticks::new(u64::try_from(ticks).unwrap_or(u64::MAX))
    }

    fn sequence_bounds(&self, node: &NodeSpec) -> SequenceBounds {
        SequenceBounds::new(0, node.node_id_size().max_counter())
    }

    fn resume(&self, node: &NodeSpec) -> Snapshot<Self> {
        match node.node_prev() {
            Some(prev) => Snapshot::at(prev.tick(), prev.counter(node.node_id_size()) + 1),
            None => Snapshot::EMPTY,
        }
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Ratchet { allowance: self.ticks_in(Self::DEFAULT_ALLOWANCE) }
    }

    fn default_sequence(&self, seed: u64) -> RandomStart {
        RandomStart::new(seed)
    }
}

impl Form<Scru64> for Plain {
    type Id = Scru64Id;

    #[inline]
    fn id(self, _: &Scru64, slot: Slot<Scru64>) -> Scru64Id {
        Scru64Id::from_slot(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_allowance_is_39_whole_ticks() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(39) };
        assert_eq!(Scru64.default_policy(), ratchet);
    }

    #[test]
    fn ticks_are_whole_quarters_of_a_second() {
        for (micros, ticks) in [(0, 0), (255_999, 0), (256_000, 1), (511_999, 1)] {
            let time = UnixTime::from_micros(micros);
            assert_eq!(Scru64.tick_at(time).unwrap().get(), ticks, "{micros} µs");
        }
        assert_eq!(Scru64.time_of(Tick::MAX).as_micros(), 72_301_961_338_880_000);
    }
}
