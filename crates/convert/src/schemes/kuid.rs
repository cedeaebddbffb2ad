//! kuid as a scheme to convert from and to.

use core::ops::{Bound, RangeInclusive};

use tickid_core::{Observable, RangeError, Scheme as _, UnixTime};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{Drift, Global, GlobalId, Kuid, Local, LocalId, Node};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, SettingList, SettingValue, held};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::{SettingOption, Settings, number};
use crate::parts::{Bits, Parts, mask};
use crate::to_parts::ToParts;

/// The bits below the fields of a global ID in a UUID of version 7.
const UNUSED_BITS: u32 = 18;

const SEQUENCE_BITS: u32 = LocalId::MAX_SEQUENCE.trailing_ones();

/// Returns the reason a kuid has no time.
#[cold]
fn no_time(id: LocalId) -> RangeError {
    const MAX: i128 = 999_999;
    let (seconds, micros) = (i128::from(id.seconds()), i128::from(id.micro_seconds()));
    if seconds > MAX {
        RangeError::new("kuid seconds", seconds, 0, MAX)
    } else {
        RangeError::new("kuid microseconds", micros, 0, MAX)
    }
}

/// The parts have no node.
///
/// A local ID whose B or C is a million or more has no time to convert, so it is an error. The type
/// can hold such IDs, but no generator issues them.
impl ToParts for LocalId {
    #[inline]
    fn parts(self, _: &Settings) -> Result<Parts, ConvertError> {
        if self.tick().is_none() {
            return Err(ConvertError::NoTime(no_time(self)));
        }
        let sequence = Bits::held(self.sequence().into(), SEQUENCE_BITS);
        Ok(Parts::held(self.unix_time(), Kuid::default().scale(), sequence))
    }
}

impl SchemeVariant<Kuid> for Local {
    const LEAST: Option<Self> = Some(<Self as Observable<Kuid>>::LEAST);
}

impl SchemeVariant<Kuid> for Global {
    const LEAST: Option<Self> = None;
}

impl SchemeId for LocalId {
    const KIND: Kind = Kind::KuidLocal;
    const MAX_NUMBER: u128 = u64::MAX as u128;
    const HAS_NODE: bool = false;
    const BLANK: Self = Self::MIN;

    type Scheme = Kuid;
    type Variant = Local;

    fn scheme(settings: &Settings) -> Kuid {
        Kuid { drift: settings.drift }
    }

    own_texts!();
    own_integer!();

    fn fields(_: &Settings) -> Fields {
        Fields::new(&Self::FIELDS)
    }

    fn setting_list(_: &Settings) -> SettingList {
        SettingList::one("kind", SettingValue::Word("local"), "without a node")
    }

    own_times!();
}

impl SchemeId for GlobalId {
    const KIND: Kind = Kind::KuidGlobal;
    const MAX_NUMBER: u128 = (1 << 96) - 1;
    const BLANK: Self = Self::MIN;
    const RANGE_NOTE: Option<&'static str> = Some(
        "Global kuids of several nodes sort by node within some minutes: near its ends, the range \
         has IDs of other times as well.",
    );
    const SETTING_OPTIONS: &'static [SettingOption] = &[SettingOption {
        name: "drift",
        values: "5..10",
        about: "the drift of global IDs, 5 to 10 [default: 8]",
        is_time: false,
        set: |settings, text| {
            let range = Drift::MIN.get()..=Drift::MAX.get();
            settings.drift = Drift::new(number("kuid drift in bits", range, text)?)?;
            Ok(())
        },
    }];

    type Scheme = Kuid;
    type Variant = Global;

    fn scheme(settings: &Settings) -> Kuid {
        Kuid { drift: settings.drift }
    }

    own_texts!();
    own_bytes!(12);

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn unix_time(self, settings: &Settings) -> UnixTime {
        self.unix_time(settings.drift)
    }

    fn fields(settings: &Settings) -> Fields {
        Fields::new(&Self::fields(settings.drift))
    }

    fn setting_list(settings: &Settings) -> SettingList {
        global_setting_list(settings)
    }

    fn min_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        Self::min_at(time, settings.drift)
    }

    fn max_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError> {
        Self::max_at(time, settings.drift)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        settings: &Settings,
    ) -> Option<RangeInclusive<Self>> {
        Self::range(times, settings.drift)
    }
}

/// Returns the facts about a global ID that are not in its bits.
pub(crate) fn global_setting_list(settings: &Settings) -> SettingList {
    let drift = SettingValue::Number(settings.drift.get().into());
    SettingList::one("kind", SettingValue::Word("global"), "with a node").and(
        "drift",
        drift,
        "bits of seconds below the node; not in the ID",
    )
}

/// Reads the drift, which realms of local IDs record as well.
fn read_drift(text: &str, settings: Settings) -> Option<Settings> {
    let bits = text.strip_prefix("drift ")?.parse().ok()?;
    Some(Settings { drift: Drift::new(bits).ok()?, ..settings })
}

/// Returns the start of an ID's tick.
fn valid_time(id: LocalId) -> Result<UnixTime, RangeError> {
    if id.tick().is_some() { Ok(id.unix_time()) } else { Err(no_time(id)) }
}

/// Returns the first local ID of the tick that starts during a millisecond, if one does.
fn first_local_of(millis: i64) -> Option<LocalId> {
    let id = LocalId::min_at(UnixTime::from_millis(millis).ok()?).ok()?;
    (id.unix_time().as_millis() == millis).then_some(id)
}

impl Assemble for LocalId {
    #[inline]
    fn shape(_: &Settings) -> Shape {
        let scale = Kuid::default().scale();
        Shape { scale, node_bits: None, sequence_bits: SEQUENCE_BITS, is_sno: false }
    }

    #[inline]
    fn of(tick: i64, time: UnixTime, parts: &Parts, _: &Settings) -> Result<Self, ConvertError> {
        held(Kuid::default(), tick, time)?;
        // Checked: a tick of the format starts then.
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

    fn read_settings(text: &str, settings: Settings) -> Option<Settings> {
        read_drift(text, settings)
    }

    fn time_to_carry(self, _: &Settings) -> Result<UnixTime, RangeError> {
        valid_time(self)
    }

    fn rest_to_carry(self, _: &Settings) -> u64 {
        self.get()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, _: &Settings) -> Result<Self, CarryError> {
        let id = Self::new(rest);
        let is_its = valid_time(id).is_ok_and(|time| time.as_millis() == millis);
        if is_its { Ok(id) } else { Err(CarryError::OTHER_TIME) }
    }
}

/// The parts have the time and the node under [`Settings::drift`], and are otherwise those of a
/// local ID.
impl ToParts for GlobalId {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        let drift = settings.drift;
        let node = Bits::held(self.node(drift).get().into(), u32::BITS);
        Ok(self.to_local(drift).parts(settings)?.with_node(node).with_drift(drift))
    }
}

impl Assemble for GlobalId {
    #[inline]
    fn shape(settings: &Settings) -> Shape {
        Shape { node_bits: Some(u32::BITS), ..LocalId::shape(settings) }
    }

    #[inline]
    fn of(
        tick: i64,
        time: UnixTime,
        parts: &Parts,
        settings: &Settings,
    ) -> Result<Self, ConvertError> {
        let local = LocalId::of(tick, time, parts, settings)?;
        #[allow(clippy::cast_possible_truncation, reason = "32 bits")]
        let node = Node::new(parts.node.map_or(0, Bits::value) as u32);
        Ok(Self::from_local(local, node, settings.drift))
    }

    fn read_settings(text: &str, settings: Settings) -> Option<Settings> {
        read_drift(text, settings)
    }

    fn time_to_carry(self, settings: &Settings) -> Result<UnixTime, RangeError> {
        valid_time(self.to_local(settings.drift))
    }

    fn rest_to_carry(self, settings: &Settings) -> u64 {
        u64::from(self.node(settings.drift).get()) << u32::BITS
            | u64::from(self.sequence()) << UNUSED_BITS
    }

    fn from_v7(millis: i64, rest: u64, drift: u8, settings: &Settings) -> Result<Self, CarryError> {
        let found = Drift::new(drift).map_err(|_| not_carried("a drift that is not one"))?;
        if rest & mask(UNUSED_BITS) != 0 {
            return Err(not_carried("more bits than the kind has"));
        }
        let (node, sequence) = (rest >> u32::BITS, rest >> UNUSED_BITS & mask(SEQUENCE_BITS));
        let local = first_local_of(millis).map(|id| LocalId::new(id.get() | sequence));
        let local = local.ok_or(not_carried("a millisecond in which no kuid's tick starts"))?;
        if found != settings.drift {
            return Err(CarryError::Drift { found: drift, expected: settings.drift.get() });
        }
        let node = Node::new(u32::try_from(node).unwrap_or(u32::MAX));
        Ok(Self::from_local(local, node, found))
    }
}

/// The parts are those of a global ID, with a node of 64 bits.
impl ToParts for WideGlobalId {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        let drift = settings.drift;
        let node = Bits::held(self.node(drift), u64::BITS);
        Ok(self.to_local(drift).parts(settings)?.with_node(node).with_drift(drift))
    }
}
