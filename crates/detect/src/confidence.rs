//! How sure a reading is, and the reasons to doubt it.

use tickid_convert::{AnyId, Kind, Layouts, Parts, ToParts as _};
use tickid_core::UnixTime;
use tickid_nanoflake::Epoch;
use tickid_snowflake::Preset;

use crate::format::Format;
use crate::identifier::{Identifier, version};
use crate::notation::Notation;

/// The confidence that a text is an ID of a format. Higher confidence comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Only this format has the text's marks, and nothing else is likely.
    Certain,
    /// The ID was made since its format is in use, in the 30 years before now or in the 30 days
    /// after it, the text is not one that is common for other reasons, and no other reading
    /// [explains](crate::detect()) the bits 256 times better.
    Likely,
    /// The text fits the format, and nothing else speaks for it: [`Doubt`] has the reason.
    Possible,
}

impl Confidence {
    /// Returns the word for it.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_detect::Confidence::Likely.name(), "likely");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        }
    }
}

impl core::fmt::Display for Confidence {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// The reason why a reading is no more than possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// The time is after the next 30 days, more than 30 years ago, or before such IDs were made.
    Time,
    /// The present time is unknown, so the ID's time cannot be judged.
    NoClock,
    /// The letters read like words.
    Words,
    /// All characters are decimal digits, of a format that has letters.
    Digits,
    /// All characters are hexadecimal digits, as in hashes and addresses.
    HexDigits,
    /// The digits are a date and a time of day.
    Date,
    /// The digits are a Unix time.
    UnixTime,
    /// Another reading explains the bits better, or that they are random.
    Unexplained,
    /// No generator issues such an ID: a kuid whose fields are not a valid time, or a SCRU64 ID
    /// with a reserved timestamp.
    NeverIssued,
}

impl Doubt {
    /// Returns the reason as a phrase, which can follow a *but*.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_detect::Doubt::Digits.reason(), "digits alone are rarely such an ID");
    /// ```
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Time => "of an unlikely time",
            Self::NoClock => "the current time is unknown",
            Self::Words => "it reads like words",
            Self::Digits => "digits alone are rarely such an ID",
            Self::HexDigits => "hexadecimal digits, as of a hash or an address",
            Self::Date => "the digits are a date",
            Self::UnixTime => "the digits are a Unix time",
            Self::Unexplained => "its bits are likelier another ID, or random",
            Self::NeverIssued => "no generator issues it",
        }
    }
}

impl core::fmt::Display for Doubt {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.reason())
    }
}

/// The bits of surprise that another reading must save for this one to be at most possible.
pub(crate) const DECISIVE_BITS: u32 = 8;

const SECOND: u64 = 1_000_000;
/// In microseconds, as all differences of times here.
const DAY: i64 = 86_400_000_000;
/// The first time whose Nanoflakes of Twitter's epoch have 12 digits of Base36, 2011-11-03. Shorter
/// texts are likelier something else.
const BASE36_SINCE: UnixTime =
    UnixTime::from_micros(Epoch::TWITTER.unix_time().as_micros() + (36_i64.pow(11) >> 22) * 1_000);

/// The time that others are judged by.
#[derive(Clone, Copy)]
pub(crate) struct Now {
    time: UnixTime,
    /// The ends of the likely times.
    first: i64,
    last: i64,
}

impl Now {
    /// As old as IDs of these kinds may well be.
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
#[inline(always)]
pub(crate) fn doubt_of_time(
    id: &Identifier,
    layouts: &Layouts,
    time: Option<UnixTime>,
    now: Option<Now>,
) -> Option<Doubt> {
    if id.is_never_issued(layouts) {
        return Some(Doubt::NeverIssued);
    }
    let time = time?;
    let Some(now) = now else { return Some(Doubt::NoClock) };
    let micros = time.as_micros();
    let is_likely = (now.first..=now.last).contains(&micros) && time >= since(id, layouts);
    (!is_likely).then_some(Doubt::Time)
}

/// Returns the time since which such IDs are made.
#[inline(always)]
fn since(id: &Identifier, layouts: &Layouts) -> UnixTime {
    match id {
        // A given epoch was chosen for IDs that start there.
        Identifier::Scheme(AnyId::Nanoflake(_), _) if layouts.epoch != Epoch::TWITTER => {
            UnixTime::from_micros(layouts.epoch.unix_time().as_micros().saturating_add(DAY))
        }
        Identifier::Scheme(AnyId::Nanoflake(_), Notation::Canonical) => BASE36_SINCE,
        Identifier::Scheme(AnyId::Snowflake(_), _) => {
            let epoch = layouts.snowflake.widths().epoch;
            UnixTime::from_micros(epoch.as_micros().saturating_add(DAY))
        }
        _ => id.format().prior().since,
    }
}

/// Returns the bits of surprise at an ID with a plausible time: the binary logarithm of the number
/// of equally likely IDs, this being one of them.
///
/// Ticks are equally likely since the format is in use, and recent ones are likelier. Random fields
/// count with all of their bits, and so do nodes that are addresses or hashes; sequences, counters
/// and nodes that are numbered from 0 with about twice as many bits as the number has. Formats that
/// are rarely met as such a text have a few bits more.
pub(crate) fn surprise(id: &Identifier, layouts: &Layouts, now: UnixTime) -> u32 {
    let (micros_per_tick, rest) = match *id {
        Identifier::Ulid(_) => (1_000, 80),
        Identifier::Ksuid(_) => (SECOND, 128),
        Identifier::Xid(_) | Identifier::ObjectId(_) => (SECOND, 64),
        Identifier::Uuid(uuid) | Identifier::TypeId { uuid, .. } => match version(uuid) {
            Some(1 | 6) => (1, 14 + 48),
            Some(7) => (1_000, 74),
            Some(4) => return 122,
            Some(_) => return 126,
            None => return 128,
        },
        // A UUID with the marks of an ID in it.
        Identifier::Carried(_) => return 0,
        Identifier::UnixTime(unit, _) => {
            let age = now.as_micros() - Format::UnixTime.prior().since.as_micros();
            let seconds = u64::try_from(age).unwrap_or(0) / SECOND;
            let units = (seconds * unit.per_second()).checked_ilog2().unwrap_or(0);
            return units + Format::UnixTime.prior().rarity;
        }
        _ => match id.parts(layouts) {
            Ok(parts) => (parts.scale().micros_per_tick(), of_parts(id, &parts, layouts)),
            Err(_) => return u32::MAX,
        },
    };
    let ticks = |since: UnixTime| {
        let age = now.as_micros().saturating_sub(since.as_micros());
        (u64::try_from(age).unwrap_or(0) / micros_per_tick).checked_ilog2().unwrap_or(0)
    };
    /// The binary logarithm of the number of ages, each twice the one before, which are as likely.
    const AGES: u32 = 6;
    /// The additional bits of surprise at an ID of a later time.
    const LATER: u32 = 3;
    let at_any_time = ticks(since(id, layouts));
    rest + match id.unix_time(layouts) {
        Some(time) if time > now => at_any_time + LATER,
        Some(time) => at_any_time.min(ticks(time) + AGES),
        None => at_any_time,
    }
}

/// Returns the bits of surprise at everything but the time.
fn of_parts(id: &Identifier, parts: &Parts, layouts: &Layouts) -> u32 {
    let prior = id.format().prior();
    let sequence = match parts.sequence() {
        sequence if prior.has_random_sequences => sequence.bits(),
        sequence => small(sequence.value(), sequence.bits()),
    };
    let node = match (id, parts.node()) {
        // Two numbers, each from 0 on.
        (Identifier::Preset(Preset::Discord, _), Some(_)) => {
            let bytes = id.bytes();
            let fields = id.fields(layouts);
            let nodes = fields.iter().skip(1).take(2);
            let value = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
            nodes.map(|field| small(value(field.value(&bytes)), field.bits())).sum()
        }
        (_, Some(node)) => match prior.numbering {
            Some(bits) => (bits + small(node.value(), node.bits())).min(node.bits() + 1),
            None => node.bits(),
        },
        (Identifier::Scheme(id, _), None) if id.kind() == Kind::KuidLocal => 4,
        (_, None) => 0,
    };
    let toggle = if parts.toggle() == Some(true) { 8 } else { 0 };
    let metabyte = parts.metabyte().map_or(0, |metabyte| small(metabyte.into(), 8));
    prior.rarity + sequence + node + toggle + metabyte
}

/// Returns the bits of surprise at a number if small ones are likelier.
fn small(value: u64, bits: u32) -> u32 {
    let gamma = 2 * (value + 1).ilog2() + 1;
    gamma.min(bits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_surprise_less() {
        assert_eq!([0, 1, 2, 3, 6, 7].map(|value| small(value, 12)), [1, 3, 3, 5, 5, 7]);
        assert_eq!([62, 63, 4_095].map(|value| small(value, 12)), [11, 13, 13]);
        assert_eq!(small(u64::MAX - 1, 64), 65);
    }
}
