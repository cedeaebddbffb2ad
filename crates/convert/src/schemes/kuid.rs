use tickid_core::{RangeError, Scheme as _, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId, Node, WideGlobalId};

use super::held;
use crate::error::ConvertError;
use crate::format::Source;
use crate::format::sealed::{Format, Shape};
use crate::options::Layouts;
use crate::parts::{Field, Parts};

const SEQUENCE_BITS: u32 = LocalId::MAX_SEQUENCE.trailing_ones();

/// Returns the reason a kuid has no time.
#[cold]
pub(crate) fn no_time(id: LocalId) -> RangeError {
    const MAX: i128 = 999_999;
    let (seconds, micros) = (i128::from(id.seconds()), i128::from(id.micro_seconds()));
    if seconds > MAX {
        RangeError::new("kuid seconds", seconds, 0, MAX)
    } else {
        RangeError::new("kuid microseconds", micros, 0, MAX)
    }
}

/// Without a node.
///
/// A local ID whose B or C is a million or more has no time to convert. The type can hold such IDs,
/// but no generator issues them.
impl Source for LocalId {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        if self.tick().is_none() {
            return Err(ConvertError::NoTime(no_time(self)));
        }
        let sequence = Field::held(self.sequence().into(), SEQUENCE_BITS);
        Ok(Parts::held(self.unix_time(), Kuid::default().scale(), sequence))
    }
}

impl Format for LocalId {
    #[inline]
    fn shape(_: &Layouts) -> Shape {
        let scale = Kuid::default().scale();
        Shape { scale, node_bits: None, sequence_bits: SEQUENCE_BITS, is_sno: false }
    }

    #[inline]
    fn of(tick: i64, time: UnixTime, parts: &Parts, _: &Layouts) -> Result<Self, ConvertError> {
        held(Kuid::default(), tick, time)?;
        // Checked: a tick of the format begins then.
        let micros = parts.time.as_micros().cast_unsigned();
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        #[allow(
            clippy::cast_possible_truncation,
            reason = "20 bits, below a million twice, 14 bits"
        )]
        let id = Self::from_parts(
            (seconds / 1_000_000) as u32,
            (seconds % 1_000_000) as u32,
            micros as u32,
            parts.sequence.value() as u32,
        );
        id.map_err(ConvertError::Time)
    }
}

/// With its time and node under [`Layouts::drift`]; else as a local ID.
impl Source for GlobalId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let drift = layouts.drift;
        let node = Field::held(self.node(drift).get().into(), u32::BITS);
        Ok(self.to_local(drift).parts(layouts)?.with_node(node).with_drift(drift))
    }
}

impl Format for GlobalId {
    #[inline]
    fn shape(layouts: &Layouts) -> Shape {
        Shape { node_bits: Some(u32::BITS), ..LocalId::shape(layouts) }
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        layouts: &Layouts,
    ) -> Result<Self, ConvertError> {
        let local = LocalId::of(tick, time, parts, layouts)?;
        #[allow(clippy::cast_possible_truncation, reason = "32 bits")]
        let node = Node::from_u32(parts.node.map_or(0, Field::value) as u32);
        Ok(Self::from_local(local, node, layouts.drift))
    }
}

/// As a global ID, with a node of 64 bits.
impl Source for WideGlobalId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let drift = layouts.drift;
        let node = Field::held(self.node(drift), u64::BITS);
        Ok(self.to_local(drift).parts(layouts)?.with_node(node).with_drift(drift))
    }
}
