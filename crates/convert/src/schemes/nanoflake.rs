use core::ops::{Bound, RangeInclusive};

use tickid_core::{Plain, RangeError, Scheme as _, UnixTime};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId};
use tickid_text::{ParseError, Text};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, SettingValue, Settings, held, number_of};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::Layouts;
use crate::parts::{Bits, Parts};
use crate::source::Source;

/// With its time since [`Layouts::epoch`].
impl Source for NanoflakeId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let scheme = Nanoflake { epoch: layouts.epoch };
        let sequence = Bits::held(self.sequence().into(), Self::SEQUENCE_BITS);
        let generator = Bits::held(self.generator().get().into(), GeneratorId::BITS);
        Ok(Parts::held(scheme.unix_time(self), scheme.scale(), sequence).with_node(generator))
    }
}

impl SchemeVariant<Nanoflake> for Plain {}

impl SchemeId for NanoflakeId {
    const KIND: Kind = Kind::Nanoflake;
    const MAX_NUMBER: u128 = Self::MAX.get().cast_unsigned() as u128;
    const BLANK: Self = Self::MIN;

    type Text = Text<{ Self::TEXT_LEN }>;
    type Bytes = [u8; 8];

    #[inline]
    fn parse(text: &[u8]) -> Result<Self, ParseError> {
        Self::parse_bytes(text)
    }

    fn from_number(number: u128) -> Result<Self, RangeError> {
        number_of::<Self, _>(number, Self::try_from)
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
        self.get().cast_unsigned().into()
    }

    #[inline(always)]
    fn time(self, layouts: &Layouts) -> UnixTime {
        Nanoflake { epoch: layouts.epoch }.unix_time(self)
    }

    fn fields(_: &Layouts) -> Fields {
        Fields::new(&Self::FIELDS)
    }

    fn settings(layouts: &Layouts) -> Settings {
        let epoch = SettingValue::Number(layouts.epoch.as_unix_millis());
        Settings::one("epoch_ms", epoch, "ms since 1970; not in the ID")
    }

    fn min_at(time: UnixTime, layouts: &Layouts) -> Result<Self, RangeError> {
        Nanoflake { epoch: layouts.epoch }.min_at(time)
    }

    fn max_at(time: UnixTime, layouts: &Layouts) -> Result<Self, RangeError> {
        Nanoflake { epoch: layouts.epoch }.max_at(time)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        layouts: &Layouts,
    ) -> Option<RangeInclusive<Self>> {
        Nanoflake { epoch: layouts.epoch }.range(times)
    }
}

impl Assemble for NanoflakeId {
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
        let node = parts.node.map_or(0, Bits::value);
        #[allow(clippy::cast_possible_truncation, reason = "10 and 12 bits")]
        let (generator, sequence) = (node as u16, parts.sequence.value() as u16);
        let id = GeneratorId::new(generator)
            .and_then(|generator| Self::from_parts(tick, generator, sequence));
        id.map_err(ConvertError::Time)
    }

    fn read_layout(text: &str, layouts: Layouts) -> Option<Layouts> {
        let millis = text.strip_prefix("epoch ")?.parse().ok()?;
        Some(Layouts { epoch: Epoch::from_unix_millis(millis).ok()?, ..layouts })
    }

    fn time_to_carry(self, layouts: &Layouts) -> Result<UnixTime, RangeError> {
        Ok(self.time(layouts))
    }

    fn rest_to_carry(self, _: &Layouts) -> u64 {
        self.get().cast_unsigned()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, layouts: &Layouts) -> Result<Self, CarryError> {
        let id = Self::try_from(rest).map_err(|_| not_carried("a number that is not an ID"))?;
        let found = millis - id.timestamp().cast_signed();
        let expected = layouts.epoch.as_unix_millis();
        if found == expected {
            return Ok(id);
        }
        Epoch::from_unix_millis(found).map_err(|_| not_carried("an epoch that is not one"))?;
        Err(CarryError::Epoch { found, expected })
    }
}
