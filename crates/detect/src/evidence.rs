//! The evidence for readings, in bits. These are the binary logarithm of how many texts are as
//! probable.
//!
//! An ID that explains a text in few bits is probable, and its competitors are measured in the same
//! way.

use tickid_convert::{AnyId, Form, Kind, Parts, Settings, ToParts as _};
use tickid_core::UnixTime;
use tickid_nanoflake::Epoch;
use tickid_snowflake::Preset;

use crate::confidence::Doubt;
use crate::formats::{Format, value};
use crate::identifier::{Foreign, Identifier, version};

/// The bits that a different explanation must save for this one to be at most possible.
pub(crate) const DECISIVE_BITS: u32 = 8;

/// The additional bits that an ID of another system must save if it is written in hexadecimal,
/// because it is one of a dozen that are rarely written so.
pub(crate) const SYSTEM_BITS: u32 = 2;

/// The bits by which a time may explain a number better than an ID that is shown beside it. X's IDs
/// with a high sequence take three more than a time in nanoseconds.
pub(crate) const ABOUT_BITS: u32 = 3;

/// The bits that an ID must save compared to a number without a meaning. Most long numbers are IDs
/// of some kind, but the kind may be unknown here. Every number of 18 digits is a Discord ID of some
/// time and node, so without odds against it each would be read as one.
const MARGIN_BITS: u32 = 2;

const SECOND: u64 = 1_000_000;
/// In microseconds, like all differences of times here.
const DAY: i64 = 86_400_000_000;
/// The first time whose Nanoflakes of Twitter's epoch have 12 digits of Base36, 2011-11-03. Shorter
/// texts are likelier something else.
const TEXTS_SINCE: UnixTime =
    UnixTime::from_micros(Epoch::TWITTER.unix_time().as_micros() + (36_i64.pow(11) >> 22) * 1_000);

/// What a text is of all that was given, which decides how probable an ID is. Logs are full of
/// hashes and of the IDs of traces, but people rarely paste one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it, or a line of a column.
    Whole,
    /// A part of other text, which is searched for IDs.
    Part,
}

/// The current time, which the times of IDs are compared with.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    time: UnixTime,
    /// The ends of the likely times.
    first: i64,
    last: i64,
}

impl Now {
    /// The age that IDs of these kinds may have.
    const PAST: i64 = 30 * 31_556_952_000_000;
    /// The allowance for wrong clocks, for generators that run ahead of them, and for IDs that are
    /// made for a later time.
    const FUTURE: i64 = 30 * DAY;

    pub(crate) const fn new(time: UnixTime) -> Self {
        let now = time.as_micros();
        let (first, last) = (now.saturating_sub(Self::PAST), now.saturating_add(Self::FUTURE));
        Self { time, first, last }
    }

    pub(crate) const fn time(&self) -> UnixTime {
        self.time
    }
}

/// Returns the reason to doubt an ID because of its time.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn doubt_of_time(
    id: &Identifier,
    form: Form,
    settings: &Settings,
    time: Option<UnixTime>,
    now: Option<Now>,
) -> Option<Doubt> {
    if id.is_never_issued(settings) {
        return Some(Doubt::NeverIssued);
    }
    let time = time?;
    let Some(now) = now else { return Some(Doubt::NoClock) };
    let is_likely =
        (now.first..=now.last).contains(&time.as_micros()) && time >= since(id, form, settings);
    if !is_likely {
        return Some(Doubt::Time);
    }
    id.is_outdated().then_some(Doubt::Retired)
}

/// Returns the time since which such IDs are made.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn since(id: &Identifier, form: Form, settings: &Settings) -> UnixTime {
    match id {
        // A given epoch was chosen for IDs that start there.
        Identifier::Scheme(AnyId::Nanoflake(_)) if settings.epoch != Epoch::TWITTER => {
            UnixTime::from_micros(settings.epoch.unix_time().as_micros().saturating_add(DAY))
        }
        Identifier::Scheme(AnyId::Nanoflake(_)) if !form.is_integer() => TEXTS_SINCE,
        Identifier::Scheme(AnyId::Snowflake(_)) => {
            let epoch = settings.snowflake.widths().epoch;
            UnixTime::from_micros(epoch.as_micros().saturating_add(DAY))
        }
        Identifier::Scheme(_)
        | Identifier::KuidWide(_)
        | Identifier::Carried(_)
        | Identifier::Preset(..)
        | Identifier::Mastodon(_)
        | Identifier::Uuid(_)
        | Identifier::Foreign(_)
        | Identifier::TypeId { .. }
        | Identifier::UnixTime(..) => {
            let prior = id.format().prior();
            // Digits alone are no evidence for a format, so its integers count only from its first
            // release.
            let is_bare = form == Form::Int || id.is_in_uuid(form);
            prior.integers_since.filter(|_| is_bare).unwrap_or(prior.since)
        }
    }
}

/// Reports whether an ID of so many bits explains a text that takes `chance` bits without a
/// meaning.
pub(crate) const fn is_for_id(id: u32, chance: u32) -> bool {
    id.saturating_add(MARGIN_BITS) <= chance
}

/// The bits that it takes to explain a text as an ID, that is the binary logarithm of how many
/// texts are as probable as this one. For example, if they are 51, and 59 for a number without a
/// meaning, then the ID is 2^8 times as probable.
#[derive(Clone, Copy)]
pub(crate) struct Surprise {
    /// The bits of the tick when the ID was made. It may be any since its format is in use, but
    /// recent ones are likelier.
    pub(crate) time: u32,
    /// The bits of everything else. Random fields count with all of their bits, and those that are
    /// counted from 0 with about as many as their value has. Formats that are rarely met have a few
    /// bits more.
    pub(crate) fields: u32,
}

impl Surprise {
    const fn of(fields: u32) -> Self {
        Self { time: 0, fields }
    }

    pub(crate) const fn bits(self) -> u32 {
        self.time.saturating_add(self.fields)
    }
}

/// Returns the bits of surprise at an ID with a plausible time.
pub(crate) fn surprise(
    id: &Identifier,
    form: Form,
    settings: &Settings,
    now: UnixTime,
) -> Surprise {
    // The unit of the time, and the bits of everything else.
    let (micros_per_tick, fields) = match *id {
        Identifier::Foreign(id) => {
            let (micros_per_tick, fields) = of_foreign(&id);
            (micros_per_tick, fields.saturating_add(id.format().prior().rarity))
        }
        Identifier::Uuid(uuid) | Identifier::TypeId { uuid, .. } => match version(uuid) {
            Some(1 | 6) => (1, 14 + 48),
            Some(7) => (1_000, 74),
            Some(4) => return Surprise::of(122),
            Some(_) => return Surprise::of(126),
            None => return Surprise::of(128),
        },
        Identifier::UnixTime(unit, _) => {
            // It may be the time of any event, so recent times are no likelier than others.
            let since = Format::UnixTime.prior().since;
            let age = now.as_micros().saturating_sub(since.as_micros());
            let seconds = u64::try_from(age).unwrap_or(0) / SECOND;
            let time = log2(seconds.saturating_mul(unit.per_second()));
            return Surprise { time, fields: Format::UnixTime.prior().rarity };
        }
        Identifier::Scheme(_)
        | Identifier::KuidWide(_)
        | Identifier::Preset(..)
        | Identifier::Mastodon(_)
        | Identifier::Carried(_) => match id.parts(settings) {
            Ok(parts) => (parts.scale().micros_per_tick(), of_parts(id, &parts)),
            Err(_) => return Surprise::of(u32::MAX),
        },
    };
    let ticks = |since: UnixTime| {
        let age = now.as_micros().saturating_sub(since.as_micros());
        log2(u64::try_from(age).unwrap_or(0) / micros_per_tick)
    };
    /// The binary logarithm of the number of ages, each twice the one before, which are as likely.
    const AGES: u32 = 6;
    /// The additional bits of surprise at an ID of a later time.
    const LATER: u32 = 3;
    // All ticks since the format came into use are equally likely. But people more often look at
    // recent IDs, so the time is also counted as one of 2^AGES ages, and one tick of that age.
    let at_any_time = ticks(since(id, form, settings));
    let time = match id.unix_time(settings) {
        Some(time) if time > now => at_any_time + LATER,
        Some(time) => at_any_time.min(ticks(time) + AGES),
        None => at_any_time,
    };
    Surprise { time, fields }
}

/// Returns the microseconds of a tick and the bits of surprise at everything but the time.
fn of_foreign(id: &Foreign) -> (u64, u32) {
    let Some(description) = id.description() else {
        return (1, u32::MAX);
    };
    let bytes = id.bytes();
    let bits = description.others().map(|(place, field)| match value(field, bytes) {
        Some(value) if Some(place) == description.counted => small(value, field.bits()),
        _ => field.bits(),
    });
    (description.unit.into(), bits.sum())
}

/// Returns the bits of surprise at everything but the time.
fn of_parts(id: &Identifier, parts: &Parts) -> u32 {
    let prior = id.format().prior();
    let sequence = match parts.sequence() {
        sequence if prior.has_random_sequences => sequence.bits(),
        sequence => small(sequence.value(), sequence.bits()),
    };
    let node = match (id, parts.node()) {
        // Two numbers that each count from 0.
        (Identifier::Preset(Preset::Discord, _), Some(node)) => {
            small(node.value() >> 5, 5) + small(node.value() & 31, 5)
        }
        (_, Some(node)) => match prior.numbering {
            Some(bits) => (bits + small(node.value(), node.bits())).min(node.bits() + 1),
            None => node.bits(),
        },
        (Identifier::Scheme(id), None) if id.kind() == Kind::KuidLocal => 4,
        (_, None) => 0,
    };
    let toggle = if parts.toggle() == Some(true) { 8 } else { 0 };
    let metabyte = parts.metabyte().map_or(0, |metabyte| small(metabyte.into(), 8));
    prior.rarity + sequence + node + toggle + metabyte
}

/// Returns the bits of surprise at a number of so many bits that counts from 0. One in four is 0,
/// and of the others each range from a power of two to the next is equally likely. The numbers of
/// busy generators lie anywhere, which takes one bit more than the number has.
pub(crate) const fn small(value: u64, bits: u32) -> u32 {
    match value {
        _ if bits == 0 => 0,
        0 => 2,
        _ => {
            let octave = value.saturating_add(1).ilog2() + bits.ilog2() + 1;
            if octave > bits { bits + 1 } else { octave }
        }
    }
}

/// Returns the binary logarithm, rounded down, and 0 for 0.
fn log2(value: u64) -> u32 {
    value.checked_ilog2().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_surprise_less() {
        assert_eq!([0, 1, 2, 3, 6, 7].map(|value| small(value, 12)), [2, 5, 5, 6, 6, 7]);
        assert_eq!([62, 63, 4_095].map(|value| small(value, 12)), [9, 10, 13]);
        assert_eq!([0, 1, 30, 31].map(|value| small(value, 5)), [2, 4, 6, 6]);
        assert_eq!((small(0, 0), small(u64::MAX, 64)), (0, 65));
    }

    /// The fields are all bits but the time's, the version's and the variant's.
    #[test]
    fn uuids_are_weighed_by_their_version() {
        for (text, micros_per_tick, fields) in [
            ("c232ab00-9414-11ec-b3c8-9f6bdeced846", Some(1), 62),
            ("1ec9414c-232a-6b00-b3c8-9f6bdeced846", Some(1), 62),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", Some(1_000), 74),
            ("919108f7-52d1-4320-9bac-f847db4148a8", None, 122),
            ("919108f7-52d1-5320-9bac-f847db4148a8", None, 126),
            ("919108f7-52d1-f320-9bac-f847db4148a8", None, 128),
        ] {
            let id = Identifier::Uuid(tickid_convert::Uuid::parse_str(text).unwrap());
            // A second after the time of those that have one.
            let now = UnixTime::from_micros(1_645_557_743_000_000);
            let found = surprise(&id, Form::Own, &Settings::default(), now);
            let time = micros_per_tick.map_or(0, |micros| log2(1_000_000 / micros) + 6);
            assert_eq!((found.time, found.fields), (time, fields), "{text}");
        }
    }

    #[test]
    fn ids_are_weighed_at_four_to_one() {
        for (id, chance, is_for) in [(57, 59, true), (58, 59, false), (u32::MAX, 59, false)] {
            assert_eq!(is_for_id(id, chance), is_for, "{id} and {chance}");
        }
    }
}
