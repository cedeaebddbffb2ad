//! Snowflakes as a scheme to convert from and to.

use core::ops::{Bound, RangeInclusive};

use tickid_core::{Observable, Plain, RangeError, Scheme as _, UnixTime};
use tickid_snowflake::{AnySnowflake, Preset, SnowflakeId};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, SettingList, SettingValue, held};
use crate::any::Kind;
use crate::carry::CarryError;
use crate::error::ConvertError;
use crate::options::{SettingOption, Settings};
use crate::parts::{Bits, Parts};
use crate::to_parts::ToParts;

/// The parts have the time, the node and the sequence by [`Settings::snowflake`], and no node if
/// the layout has no bits for one.
///
/// # Errors
/// Returns [`ConvertError::StrayBits`] for an ID with bits above the layout.
impl ToParts for SnowflakeId {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        let layout = settings.snowflake;
        let stray_bits = self.get() & !layout.max_id().get();
        if stray_bits != 0 {
            return Err(stray(stray_bits, layout));
        }
        let widths = layout.widths();
        let sequence = Bits::held(layout.sequence_of(self).into(), widths.sequence);
        let parts = Parts::held(layout.unix_time(self), layout.scale(), sequence);
        if widths.node == 0 {
            return Ok(parts);
        }
        Ok(parts.with_node(Bits::held(layout.node_of(self).get().into(), widths.node)))
    }
}

#[cold]
fn stray(bits: u64, layout: AnySnowflake) -> ConvertError {
    let form = Preset::of(layout).map_or("Snowflake of this layout", Preset::title);
    ConvertError::StrayBits { form, bits }
}

impl SchemeVariant<AnySnowflake> for Plain {
    const LEAST: Option<Self> = Some(<Self as Observable<AnySnowflake>>::LEAST);
}

impl SchemeId for SnowflakeId {
    const KIND: Kind = Kind::Snowflake;
    const MAX_NUMBER: u128 = u64::MAX as u128;
    const BLANK: Self = Self::MIN;
    const SETTING_OPTIONS: &'static [SettingOption] = &[SettingOption {
        name: "layout",
        values: "NAME|LAYOUT",
        about: "the layout, by name (discord, sonyflake, js-safe, ...) or as in \
                41x1ms/10n/12s@2026-01-01 [default: twitter]",
        is_time: false,
        set: |settings, text| {
            settings.snowflake = AnySnowflake::read(text)?;
            Ok(())
        },
    }];

    type Scheme = AnySnowflake;
    type Variant = Plain;

    fn scheme(settings: &Settings) -> AnySnowflake {
        settings.snowflake
    }

    own_texts!();
    own_integer!();

    #[inline]
    fn unix_time(self, settings: &Settings) -> UnixTime {
        settings.snowflake.unix_time(self)
    }

    fn fields(settings: &Settings) -> Fields {
        let mut fields = [tickid_core::Field::new("", 0, 0, ""); 4];
        let own = fields.iter_mut().zip(settings.snowflake.fields());
        let own = own.map(|(to, from)| *to = from).count();
        Fields::new(fields.get(..own).unwrap_or_default())
    }

    fn setting_list(settings: &Settings) -> SettingList {
        let widths = settings.snowflake.widths();
        let epoch = SettingValue::Number(widths.epoch.as_millis());
        // An hour at most.
        let unit = i64::try_from(widths.unit.as_micros()).unwrap_or(i64::MAX);
        SettingList::one("epoch_ms", epoch, "ms since 1970; not in the ID").and(
            "tick_us",
            SettingValue::Number(unit),
            "µs of a tick; not in the ID",
        )
    }

    fn min_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        settings.snowflake.min_at(time)
    }

    fn max_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        settings.snowflake.max_at(time)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        settings: &Settings,
    ) -> Option<RangeInclusive<Self>> {
        settings.snowflake.range(times)
    }
}

impl Assemble for SnowflakeId {
    #[inline]
    fn shape(settings: &Settings) -> Shape {
        let widths = settings.snowflake.widths();
        Shape::new(settings.snowflake.scale(), widths.node, widths.sequence)
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        settings: &Settings,
    ) -> Result<Self, ConvertError> {
        let node = parts.node.map_or(0, Bits::value);
        #[allow(clippy::cast_possible_truncation, reason = "22 and 18 bits at most")]
        let (node, sequence) = (node as u32, parts.sequence.value() as u32);
        let layout = settings.snowflake;
        let id = layout.from_parts(held(layout, tick, time)?, node, sequence);
        id.map_err(ConvertError::Time)
    }

    fn read_settings(text: &str, settings: Settings) -> Option<Settings> {
        Some(Settings { snowflake: text.parse().ok()?, ..settings })
    }

    fn time_to_carry(self, settings: &Settings) -> Result<UnixTime, RangeError> {
        settings.snowflake.check(self).map(|()| settings.snowflake.unix_time(self))
    }

    fn rest_to_carry(self, _: &Settings) -> u64 {
        self.get()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, settings: &Settings) -> Result<Self, CarryError> {
        let id = Self::new(rest);
        let is_its = id.time_to_carry(settings).is_ok_and(|time| time.as_millis() == millis);
        if is_its { Ok(id) } else { Err(CarryError::OTHER_TIME) }
    }
}
