//! SCRU64 as a scheme to convert from and to.

use core::ops::RangeInclusive;

use tickid_core::{Observable, Plain, RangeError, Scheme as _, UnixTime};
use tickid_scru64::{NodeIdSize, Scru64, Scru64Id};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, held};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::{SettingOption, Settings, number};
use crate::parts::{Bits, Parts};
use crate::to_parts::ToParts;

/// Returns the error for a timestamp that no generator issues.
#[cold]
fn reserved(timestamp: u64) -> RangeError {
    let (first, last) = (Scru64::FIRST_TICK.into(), Scru64::LAST_TICK.into());
    RangeError::new("SCRU64 timestamp", timestamp.into(), first, last)
}

/// The parts have a node of [`Settings::node_size`], or none where that is unknown.
impl ToParts for Scru64Id {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        if self.is_reserved() {
            return Err(ConvertError::NoTime(reserved(self.timestamp())));
        }
        Ok(parts(self, settings))
    }
}

/// Returns the parts of an ID that may be reserved.
#[inline]
fn parts(id: Scru64Id, settings: &Settings) -> Parts {
    let (time, scale) = (id.unix_time(), Scru64.scale());
    match settings.node_size {
        Some(size) => {
            let counter = Bits::held(id.counter(size).into(), size.counter_bits());
            let node = Bits::held(id.node_id(size).into(), size.get().into());
            Parts::held(time, scale, counter).with_node(node)
        }
        None => {
            let all = Bits::held(id.node_ctr().into(), Scru64Id::NODE_CTR_BITS);
            Parts::held(time, scale, all)
        }
    }
}

impl SchemeVariant<Scru64> for Plain {
    const LEAST: Option<Self> = Some(<Self as Observable<Scru64>>::LEAST);
}

impl SchemeId for Scru64Id {
    const KIND: Kind = Kind::Scru64;
    const MAX_NUMBER: u128 = Self::MAX.get() as u128;
    const BLANK: Self = Self::MIN;
    const SETTING_OPTIONS: &'static [SettingOption] = &[SettingOption {
        name: "node-size",
        values: "BITS",
        about: "the bits of the node ID, 1 to 23; without them, node ID and counter are one number",
        is_time: false,
        set: |settings, text| {
            let range = NodeIdSize::MIN.get()..=NodeIdSize::MAX.get();
            let size = number("node ID size in bits", range, text)?;
            settings.node_size = Some(NodeIdSize::new(size)?);
            Ok(())
        },
    }];

    type Scheme = Scru64;
    type Variant = Plain;

    fn scheme(_: &Settings) -> Scru64 {
        Scru64
    }

    own_texts!();
    own_integer!();

    fn fields(settings: &Settings) -> Fields {
        match settings.node_size {
            Some(size) => Fields::new(&Self::fields(size)),
            None => Fields::new(&Self::FIELDS),
        }
    }

    own_times!();
}

impl Assemble for Scru64Id {
    #[inline]
    fn shape(settings: &Settings) -> Shape {
        let size = settings.node_size;
        Shape {
            scale: Scru64.scale(),
            node_bits: size.map(|size| size.get().into()),
            sequence_bits: size.map_or(Self::NODE_CTR_BITS, |size| size.counter_bits()),
            is_sno: false,
        }
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        settings: &Settings,
    ) -> Result<Self, ConvertError> {
        let tick = held(Scru64, tick, time)?;
        if !(Scru64::FIRST_TICK..=Scru64::LAST_TICK).contains(&tick) {
            return Err(ConvertError::Time(reserved(tick)));
        }
        let node = match (parts.node, settings.node_size) {
            (Some(node), Some(size)) => node.value() << size.counter_bits(),
            _ => 0,
        };
        #[allow(clippy::cast_possible_truncation, reason = "both fit their bits, 24 together")]
        let node_ctr = (node | parts.sequence.value()) as u32;
        Self::from_parts(tick, node_ctr).map_err(ConvertError::Time)
    }

    /// A node's previous ID may have any timestamp, because the scheme's document allows it.
    fn parts_of_last(self, settings: &Settings) -> Result<Parts, ConvertError> {
        Ok(parts(self, settings))
    }

    fn time_to_carry(self, _: &Settings) -> Result<UnixTime, RangeError> {
        Ok(self.unix_time())
    }

    fn rest_to_carry(self, _: &Settings) -> u64 {
        self.get()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, _: &Settings) -> Result<Self, CarryError> {
        let id = Self::new(rest).map_err(|_| not_carried("a number that is not an ID"))?;
        if id.unix_time().as_millis() == millis { Ok(id) } else { Err(CarryError::OTHER_TIME) }
    }
}
