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
use crate::options::{LayoutOption, Layouts, number};
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
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
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

    fn scheme(layouts: &Layouts) -> Kuid {
        Kuid { drift: layouts.drift }
    }

    own_texts!();
    own_integer!();

    fn fields(_: &Layouts) -> Fields {
        Fields::new(&Self::FIELDS)
    }

    fn setting_list(_: &Layouts) -> SettingList {
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
    const LAYOUT_OPTIONS: &'static [LayoutOption] = &[LayoutOption {
        name: "drift",
        values: "5..10",
        about: "the drift of global IDs, 5 to 10 [default: 8]",
        is_time: false,
        set: |layouts, text| {
            let range = Drift::MIN.get()..=Drift::MAX.get();
            layouts.drift = Drift::new(number("kuid drift in bits", range, text)?)?;
            Ok(())
        },
    }];

    type Scheme = Kuid;
    type Variant = Global;

    fn scheme(layouts: &Layouts) -> Kuid {
        Kuid { drift: layouts.drift }
    }

    own_texts!();
    own_bytes!(12);

    #[inline(always)]
    fn unix_time(self, layouts: &Layouts) -> UnixTime {
        self.unix_time(layouts.drift)
    }

    fn fields(layouts: &Layouts) -> Fields {
        Fields::new(&Self::fields(layouts.drift))
    }

    fn setting_list(layouts: &Layouts) -> SettingList {
        global_setting_list(layouts)
    }

    fn min_at(time: UnixTime, layouts: &Layouts) -> Result<Self, RangeError> {
        Self::min_at(time, layouts.drift)
    }

    fn max_at(time: UnixTime, layouts: &Layouts) -> Result<Self, RangeError> {
        Self::max_at(time, layouts.drift)
    }

    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        layouts: &Layouts,
    ) -> Option<RangeInclusive<Self>> {
        Self::range(times, layouts.drift)
    }
}

/// Returns the facts about a global ID that are not in its bits.
pub(crate) fn global_setting_list(layouts: &Layouts) -> SettingList {
    let drift = SettingValue::Number(layouts.drift.get().into());
    SettingList::one("kind", SettingValue::Word("global"), "with a node").and(
        "drift",
        drift,
        "bits of seconds below the node; not in the ID",
    )
}

/// Reads the drift, which realms of local IDs record as well.
fn read_drift(text: &str, layouts: Layouts) -> Option<Layouts> {
    let bits = text.strip_prefix("drift ")?.parse().ok()?;
    Some(Layouts { drift: Drift::new(bits).ok()?, ..layouts })
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
    fn shape(_: &Layouts) -> Shape {
        let scale = Kuid::default().scale();
        Shape { scale, node_bits: None, sequence_bits: SEQUENCE_BITS, is_sno: false }
    }

    #[inline]
    fn of(tick: i64, time: UnixTime, parts: &Parts, _: &Layouts) -> Result<Self, ConvertError> {
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

    fn read_layout(text: &str, layouts: Layouts) -> Option<Layouts> {
        read_drift(text, layouts)
    }

    fn time_to_carry(self, _: &Layouts) -> Result<UnixTime, RangeError> {
        valid_time(self)
    }

    fn rest_to_carry(self, _: &Layouts) -> u64 {
        self.get()
    }

    fn from_v7(millis: i64, rest: u64, _: u8, _: &Layouts) -> Result<Self, CarryError> {
        let id = Self::new(rest);
        let is_its = valid_time(id).is_ok_and(|time| time.as_millis() == millis);
        if is_its { Ok(id) } else { Err(CarryError::OTHER_TIME) }
    }
}

/// The parts have the time and the node under [`Layouts::drift`], and are otherwise those of a
/// local ID.
impl ToParts for GlobalId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let drift = layouts.drift;
        let node = Bits::held(self.node(drift).get().into(), u32::BITS);
        Ok(self.to_local(drift).parts(layouts)?.with_node(node).with_drift(drift))
    }
}

impl Assemble for GlobalId {
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
        let node = Node::new(parts.node.map_or(0, Bits::value) as u32);
        Ok(Self::from_local(local, node, layouts.drift))
    }

    fn read_layout(text: &str, layouts: Layouts) -> Option<Layouts> {
        read_drift(text, layouts)
    }

    fn time_to_carry(self, layouts: &Layouts) -> Result<UnixTime, RangeError> {
        valid_time(self.to_local(layouts.drift))
    }

    fn rest_to_carry(self, layouts: &Layouts) -> u64 {
        u64::from(self.node(layouts.drift).get()) << u32::BITS
            | u64::from(self.sequence()) << UNUSED_BITS
    }

    fn from_v7(millis: i64, rest: u64, drift: u8, layouts: &Layouts) -> Result<Self, CarryError> {
        let found = Drift::new(drift).map_err(|_| not_carried("a drift that is not one"))?;
        if rest & mask(UNUSED_BITS) != 0 {
            return Err(not_carried("more bits than the kind has"));
        }
        let (node, sequence) = (rest >> u32::BITS, rest >> UNUSED_BITS & mask(SEQUENCE_BITS));
        let local = first_local_of(millis).map(|id| LocalId::new(id.get() | sequence));
        let local = local.ok_or(not_carried("a millisecond in which no kuid's tick starts"))?;
        if found != layouts.drift {
            return Err(CarryError::Drift { found: drift, expected: layouts.drift.get() });
        }
        let node = Node::new(u32::try_from(node).unwrap_or(u32::MAX));
        Ok(Self::from_local(local, node, found))
    }
}

/// The parts are those of a global ID, with a node of 64 bits.
impl ToParts for WideGlobalId {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let drift = layouts.drift;
        let node = Bits::held(self.node(drift), u64::BITS);
        Ok(self.to_local(drift).parts(layouts)?.with_node(node).with_drift(drift))
    }
}
