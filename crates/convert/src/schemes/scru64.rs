use tickid_core::{RangeError, Scheme as _, UnixTime};
use tickid_scru64::{Scru64, Scru64Id};

use super::held;
use crate::error::ConvertError;
use crate::format::Source;
use crate::format::sealed::{Format, Shape};
use crate::options::Layouts;
use crate::parts::{Field, Parts};

/// Returns the error for a timestamp that no generator issues.
#[cold]
fn reserved(timestamp: u64) -> RangeError {
    let (first, last) = (Scru64::FIRST_TICK.into(), Scru64::LAST_TICK.into());
    RangeError::new("SCRU64 timestamp", timestamp.into(), first, last)
}

/// With a node of [`Layouts::node_size`]; without one where that is unknown.
impl Source for Scru64Id {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        if self.is_reserved() {
            return Err(ConvertError::NoTime(reserved(self.timestamp())));
        }
        let (time, scale) = (self.unix_time(), Scru64.scale());
        Ok(match layouts.node_size {
            Some(size) => {
                let counter = Field::held(self.counter(size).into(), size.counter_bits());
                let node = Field::held(self.node_id(size).into(), size.get().into());
                Parts::held(time, scale, counter).with_node(node)
            }
            None => {
                let all = Field::held(self.node_ctr().into(), Self::NODE_CTR_BITS);
                Parts::held(time, scale, all)
            }
        })
    }
}

impl Format for Scru64Id {
    #[inline]
    fn shape(layouts: &Layouts) -> Shape {
        let size = layouts.node_size;
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
        layouts: &Layouts,
    ) -> Result<Self, ConvertError> {
        let tick = held(Scru64, tick, time)?;
        if !(Scru64::FIRST_TICK..=Scru64::LAST_TICK).contains(&tick) {
            return Err(ConvertError::Time(reserved(tick)));
        }
        let node = match (parts.node, layouts.node_size) {
            (Some(node), Some(size)) => node.value() << size.counter_bits(),
            _ => 0,
        };
        #[allow(clippy::cast_possible_truncation, reason = "both fit their bits, 24 together")]
        let node_ctr = (node | parts.sequence.value()) as u32;
        Self::from_parts(tick, node_ctr).map_err(ConvertError::Time)
    }
}
