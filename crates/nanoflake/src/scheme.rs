//! The scheme with its layout, the epoch.

use core::fmt;

use tickid_core::{
    BuildError, Clock, Observable, Plain, Policy, Prefix, Scheme, Slot, Tick, TickScale, Variant,
};

use crate::epoch::Epoch;
use crate::id::NanoflakeId;
use crate::node::GeneratorId;

/// The Nanoflake scheme. It holds the epoch, because the time of an ID cannot be computed without
/// it.
///
/// # Examples
/// ```
/// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId, UnixTime};
///
/// let discord = Nanoflake { epoch: Epoch::DISCORD };
/// let time = UnixTime::from_millis(1_462_015_105_796)?;
/// let (min, max) = (discord.min_at(time)?, discord.max_at(time)?);
/// let id = NanoflakeId::new(175_928_847_299_117_063)?;
/// assert!((min..=max).contains(&id));
/// assert_eq!(discord.unix_time(id), time);
///
/// // The same ID under another epoch is of another time.
/// assert_ne!(Nanoflake::default().unix_time(id), time);
/// # Ok::<(), tickid_nanoflake::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Nanoflake {
    /// The start of timestamp 0.
    pub epoch: Epoch,
}

impl Nanoflake {
    const MICROS_PER_TICK: u64 = 1_000;
}

impl Scheme for Nanoflake {
    const NAME: &'static str = "nanoflake";
    const MAX_TICK: u64 = NanoflakeId::MAX_TIMESTAMP;
    const MAX_SEQUENCE: u32 = NanoflakeId::MAX_SEQUENCE as u32;

    type Node = GeneratorId;
    type Variant = Plain;

    #[inline]
    fn scale(&self) -> TickScale {
        TickScale::every(self.epoch.unix_time(), Self::MICROS_PER_TICK)
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "epoch {}", self.epoch.as_unix_millis())
    }

    fn node_bits(&self) -> Option<u32> {
        Some(GeneratorId::BITS)
    }

    fn prefix(&self, node: &GeneratorId, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(0, NanoflakeId::assemble(tick.get(), *node, 0).get().unsigned_abs())
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    fn check_start(&self, clock: &impl Clock) -> Result<(), BuildError> {
        let (epoch, now) = (self.epoch.unix_time(), clock.now()?);
        if epoch <= now { Ok(()) } else { Err(BuildError::Epoch { epoch, now }) }
    }
}

impl Observable<Nanoflake> for Plain {
    const LEAST: Self = Self;
}

impl Variant<Nanoflake> for Plain {
    type Id = NanoflakeId;

    #[inline]
    fn id(self, _: &Nanoflake, slot: Slot<Nanoflake>) -> NanoflakeId {
        NanoflakeId::from_bits(slot.low())
    }
}
