//! Nanoflake as a scheme to convert from and to.

use core::ops::{Bound, RangeInclusive};

use tickid_core::{Observable, Plain, RangeError, Scheme as _, UnixTime};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, SettingList, SettingValue, held};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::{SettingOption, SettingOptionError, Settings};
use crate::parts::{Bits, Parts};
use crate::to_parts::ToParts;

/// The parts have the time since [`Settings::epoch`].
impl ToParts for NanoflakeId {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        let scheme = Nanoflake { epoch: settings.epoch };
        let sequence = Bits::held(self.sequence().into(), Self::SEQUENCE_BITS);
        let generator = Bits::held(self.generator().get().into(), GeneratorId::BITS);
        Ok(Parts::held(scheme.unix_time(self), scheme.scale(), sequence).with_node(generator))
    }
}

impl SchemeVariant<Nanoflake> for Plain {
    const LEAST: Option<Self> = Some(<Self as Observable<Nanoflake>>::LEAST);
}

impl SchemeId for NanoflakeId {
    const KIND: Kind = Kind::Nanoflake;
    const MAX_NUMBER: u128 = Self::MAX.get().cast_unsigned() as u128;
    const BLANK: Self = Self::MIN;
    const SETTING_OPTIONS: &'static [SettingOption] = &[SettingOption {
        name: "epoch",
        values: "twitter|discord|unix|TIME",
        about: "the epoch, by name, as a date, in RFC 3339 or in milliseconds since 1970 [default: \
                twitter]",
        is_time: true,
        set: |settings, text| {
            settings.epoch = match text {
                "twitter" => Epoch::TWITTER,
                "discord" => Epoch::DISCORD,
                "unix" => Epoch::UNIX,
                millis => {
                    let millis: i128 = millis.parse().map_err(|_| SettingOptionError::Epoch)?;
                    let in_range = i64::try_from(millis).ok();
                    let [min, max] = [UnixTime::MIN, UnixTime::MAX].map(UnixTime::as_millis);
                    let error =
                        RangeError::new("time in milliseconds", millis, min.into(), max.into());
                    Epoch::from_unix_millis(in_range.ok_or(error)?)?
                }
            };
            Ok(())
        },
    }];

    type Scheme = Nanoflake;
    type Variant = Plain;

    fn scheme(settings: &Settings) -> Nanoflake {
        Nanoflake { epoch: settings.epoch }
    }

    own_texts!();
    own_integer!();

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn unix_time(self, settings: &Settings) -> UnixTime {
        Nanoflake { epoch: settings.epoch }.unix_time(self)
    }

    fn fields(_: &Settings) -> Fields {
        Fields::new(&Self::FIELDS)
    }

    fn setting_list(settings: &Settings) -> SettingList {
        let epoch = SettingValue::Number(settings.epoch.as_unix_millis());
        SettingList::one("epoch_ms", epoch, "ms since 1970; not in the ID")
    }

    fn min_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        Nanoflake { epoch: settings.epoch }.min_at(time)
    }

    fn max_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        Nanoflake { epoch: settings.epoch }.max_at(time)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        settings: &Settings,
    ) -> Option<RangeInclusive<Self>> {
        Nanoflake { epoch: settings.epoch }.range(times)
    }
}

impl Assemble for NanoflakeId {
    #[inline]
    fn shape(settings: &Settings) -> Shape {
        let scale = Nanoflake { epoch: settings.epoch }.scale();
        Shape::new(scale, GeneratorId::BITS, Self::SEQUENCE_BITS)
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        settings: &Settings,
    ) -> Result<Self, ConvertError> {
        let tick = held(Nanoflake { epoch: settings.epoch }, tick, time)?;
        let node = parts.node.map_or(0, Bits::value);
        #[allow(clippy::cast_possible_truncation, reason = "10 and 12 bits")]
        let (generator, sequence) = (node as u16, parts.sequence.value() as u16);
        let id = GeneratorId::new(generator)
            .and_then(|generator| Self::from_parts(tick, generator, sequence));
        id.map_err(ConvertError::Time)
    }

    fn read_settings(text: &str, settings: Settings) -> Option<Settings> {
        let millis = text.strip_prefix("epoch ")?.parse().ok()?;
        Some(Settings { epoch: Epoch::from_unix_millis(millis).ok()?, ..settings })
    }

    fn time_to_carry(self, settings: &Settings) -> Result<UnixTime, RangeError> {
        Ok(self.unix_time(settings))
    }

    fn rest_to_carry(self, _: &Settings) -> u64 {
        self.get().cast_unsigned()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, settings: &Settings) -> Result<Self, CarryError> {
        let id = Self::try_from(rest).map_err(|_| not_carried("a number that is not an ID"))?;
        let found = millis - id.timestamp().cast_signed();
        let expected = settings.epoch.as_unix_millis();
        if found == expected {
            return Ok(id);
        }
        Epoch::from_unix_millis(found).map_err(|_| not_carried("an epoch that is not one"))?;
        Err(CarryError::Epoch { found, expected })
    }
}
