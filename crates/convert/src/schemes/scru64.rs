use core::ops::{Bound, RangeInclusive};

use tickid_core::{Plain, RangeError, Scheme as _, UnixTime};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_text::{ParseError, Text};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, held, number_of};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::Layouts;
use crate::parts::{Bits, Parts};
use crate::source::Source;

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
                let counter = Bits::held(self.counter(size).into(), size.counter_bits());
                let node = Bits::held(self.node_id(size).into(), size.get().into());
                Parts::held(time, scale, counter).with_node(node)
            }
            None => {
                let all = Bits::held(self.node_ctr().into(), Self::NODE_CTR_BITS);
                Parts::held(time, scale, all)
            }
        })
    }
}

impl SchemeVariant<Scru64> for Plain {}

impl SchemeId for Scru64Id {
    const KIND: Kind = Kind::Scru64;
    const MAX_NUMBER: u128 = Self::MAX.get() as u128;
    const BLANK: Self = Self::MIN;

    type Text = Text<{ Self::TEXT_LEN }>;
    type Bytes = [u8; 8];

    #[inline]
    fn parse(text: &[u8]) -> Result<Self, ParseError> {
        Self::parse_bytes(text)
    }

    fn from_number(number: u128) -> Result<Self, RangeError> {
        number_of::<Self, _>(number, Self::new)
    }

    #[inline]
    fn text(self) -> Self::Text {
        self.encode()
    }

    #[inline]
    fn bytes(self) -> Self::Bytes {
        self.to_be_bytes()
    }

    #[inline]
    fn number(self) -> u128 {
        self.get().into()
    }

    #[inline(always)]
    fn time(self, _: &Layouts) -> UnixTime {
        self.unix_time()
    }

    fn fields(layouts: &Layouts) -> Fields {
        match layouts.node_size {
            Some(size) => Fields::new(&Self::fields(size)),
            None => Fields::new(&Self::FIELDS),
        }
    }

    fn min_at(time: UnixTime, _: &Layouts) -> Result<Self, RangeError> {
        Self::min_at(time)
    }

    fn max_at(time: UnixTime, _: &Layouts) -> Result<Self, RangeError> {
        Self::max_at(time)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        _: &Layouts,
    ) -> Option<RangeInclusive<Self>> {
        Self::range(times)
    }
}

impl Assemble for Scru64Id {
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

    fn time_to_carry(self, _: &Layouts) -> Result<UnixTime, RangeError> {
        Ok(self.unix_time())
    }

    fn rest_to_carry(self, _: &Layouts) -> u64 {
        self.get()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, _: &Layouts) -> Result<Self, CarryError> {
        let id = Self::new(rest).map_err(|_| not_carried("a number that is not an ID"))?;
        if id.unix_time().as_millis() == millis { Ok(id) } else { Err(CarryError::OTHER_TIME) }
    }
}
