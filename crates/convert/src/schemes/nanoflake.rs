use tickid_core::{Scheme as _, UnixTime};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};

use super::held;
use crate::error::ConvertError;
use crate::format::Source;
use crate::format::sealed::{Format, Shape};
use crate::options::Layouts;
use crate::parts::{Field, Parts};

/// With its time since [`Layouts::epoch`].
impl Source for NanoflakeId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let scheme = Nanoflake { epoch: layouts.epoch };
        let sequence = Field::held(self.sequence().into(), Self::SEQUENCE_BITS);
        let generator = Field::held(self.generator().get().into(), GeneratorId::BITS);
        Ok(Parts::held(scheme.unix_time(self), scheme.scale(), sequence).with_node(generator))
    }
}

impl Format for NanoflakeId {
    #[inline]
    fn shape(layouts: &Layouts) -> Shape {
        Shape {
            scale: Nanoflake { epoch: layouts.epoch }.scale(),
            node_bits: Some(GeneratorId::BITS),
            sequence_bits: Self::SEQUENCE_BITS,
            is_sno: false,
        }
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        layouts: &Layouts,
    ) -> Result<Self, ConvertError> {
        let tick = held(Nanoflake { epoch: layouts.epoch }, tick, time)?;
        let node = parts.node.map_or(0, Field::value);
        #[allow(clippy::cast_possible_truncation, reason = "10 and 12 bits")]
        let (generator, sequence) = (node as u16, parts.sequence.value() as u16);
        let id = GeneratorId::new(generator)
            .and_then(|generator| Self::from_parts(tick, generator, sequence));
        id.map_err(ConvertError::Time)
    }
}
