use tickid_core::{Scheme as _, UnixTime};
use tickid_sno::{Partition, Sno, SnoId};

use super::held;
use crate::error::ConvertError;
use crate::format::Source;
use crate::format::sealed::{Format, Shape};
use crate::options::Layouts;
use crate::parts::{Field, Parts};

/// With tick-tock bit and metabyte.
impl Source for SnoId {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let sequence = Field::held(self.sequence().into(), u16::BITS);
        let partition = Field::held(self.partition().get().into(), u16::BITS);
        let parts = Parts::held(self.unix_time(), Sno.scale(), sequence);
        Ok(parts.with_node(partition).with_toggle(self.toggle()).with_metabyte(self.meta()))
    }
}

impl Format for SnoId {
    #[inline]
    fn shape(_: &Layouts) -> Shape {
        let scale = Sno.scale();
        Shape { scale, node_bits: Some(u16::BITS), sequence_bits: u16::BITS, is_sno: true }
    }

    #[inline]
    fn of(tick: i64, time: UnixTime, parts: &Parts, _: &Layouts) -> Result<Self, ConvertError> {
        let tick = held(Sno, tick, time)?;
        let (toggle, meta) = (parts.toggle == Some(true), parts.metabyte.unwrap_or(0));
        #[allow(clippy::cast_possible_truncation, reason = "16 bits each")]
        let (partition, sequence) =
            (parts.node.map_or(0, Field::value) as u16, parts.sequence.value() as u16);
        let id = Self::from_parts(tick, toggle, meta, Partition::new(partition), sequence);
        id.map_err(ConvertError::Time)
    }
}
