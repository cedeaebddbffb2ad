use tickid_core::UnixTime;

use super::reading::{Reading, version};
use crate::options::Layouts;

/// The plausibility that a text is an ID of a format. Likelier values come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Plausibility {
    /// Made in the 30 years before now, or up to a day after it, and not on the first day of the
    /// format's epoch, where all short texts and small numbers fall; and no other reading
    /// [explains](crate::detect()) the bits 256 times better.
    Likely,
    /// It has no time, or there is no `now` to compare it with.
    Unknown,
    /// Made at another time, or explained much better by another reading.
    Unlikely,
    /// No generator issues it: a kuid whose fields are not a valid time, or a SCRU64 ID with a
    /// reserved timestamp.
    NeverIssued,
}

/// The binary logarithm of the factor by which another reading has to explain the bits better for
/// this one to be unlikely.
pub(super) const DECISIVE_BITS: u32 = 8;

const SECOND: u64 = 1_000_000;
/// In microseconds, as all differences of times here.
const DAY: i64 = 86_400_000_000;

/// The time relative to which others are judged.
#[derive(Clone, Copy)]
pub(super) struct Now {
    time: UnixTime,
    /// The ends of the likely times.
    first: i64,
    last: i64,
}

impl Now {
    /// As old as IDs of these kinds may well be.
    const PAST: i64 = 30 * 31_556_952_000_000;
    /// The allowance for wrong clocks and for generators that run ahead of them.
    const FUTURE: i64 = DAY;

    pub(super) const fn new(time: UnixTime) -> Self {
        let now = time.as_micros();
        let (first, last) = (now.saturating_sub(Self::PAST), now.saturating_add(Self::FUTURE));
        Self { time, first, last }
    }

    pub(super) const fn time(&self) -> UnixTime {
        self.time
    }
}

impl Plausibility {
    #[inline(always)]
    pub(super) fn of(
        reading: &Reading,
        layouts: &Layouts,
        time: Option<UnixTime>,
        now: Option<Now>,
    ) -> Self {
        if reading.is_never_issued(layouts) {
            return Self::NeverIssued;
        }
        match (time.map(UnixTime::as_micros), now) {
            (Some(time), Some(now)) => {
                let is_likely = (now.first..=now.last).contains(&time)
                    && time >= reading.epoch(layouts).as_micros().saturating_add(DAY);
                if is_likely { Self::Likely } else { Self::Unlikely }
            }
            _ => Self::Unknown,
        }
    }
}

const fn difference(later: UnixTime, earlier: UnixTime) -> i64 {
    later.as_micros().saturating_sub(earlier.as_micros())
}

/// Returns the bits of surprise at a reading with a plausible time: the binary logarithm of the
/// number of equally likely IDs, this being one of them.
///
/// Ticks are equally likely since the format is in use. Random fields, and nodes that are addresses
/// or hashes, count with all of their bits; sequences, counters and nodes that are numbered from 0
/// with about twice as many bits as the number has. Formats that are rarely met as such a text have
/// a few bits more.
pub(super) fn surprise(reading: &Reading, layouts: &Layouts, now: UnixTime) -> u32 {
    let id = reading.integer().unwrap_or_default();
    let bits = |shift: u32, bits: u32| id >> shift & ((1 << bits) - 1);
    let snowflake = || 10 + small(bits(0, 12), 12);
    let sony = || 3 + small(bits(16, 8), 8) + 16;
    let (micros_per_tick, rest) = match *reading {
        Reading::Scru64(_) => (256_000, 24),
        Reading::Nanoflake(..) | Reading::Twitter(_) => (1_000, snowflake()),
        Reading::KuidLocal(..) => (1_024, 4 + small(bits(0, 14), 14)),
        Reading::KuidGlobal(id, _) => (1_024, 32 + small(id.sequence().into(), 14)),
        Reading::KuidWide(id, _) => (1_024, 64 + small(id.sequence().into(), 14)),
        Reading::Sno(id) => {
            let toggle = if id.toggle() { 8 } else { 0 };
            let meta = small(id.meta().into(), 8);
            (4_000, toggle + meta + 16 + small(id.sequence().into(), 16))
        }
        Reading::Discord(_) => {
            let node = small(bits(17, 5), 5) + small(bits(12, 5), 5);
            (1_000, node + small(bits(0, 12), 12))
        }
        Reading::Instagram(_) => (1_000, 2 + 13 + 10),
        Reading::Mastodon(_) => (1_000, 1 + 16),
        Reading::Sonyflake(_) | Reading::SonyflakeV2(_) => (10_000, sony()),
        Reading::PgEdge(_) => (1_000, 3 + small(bits(10, 12), 12) + small(bits(0, 10), 10)),
        Reading::Ulid(_) => (1_000, 80),
        Reading::Ksuid(_) => (SECOND, 128),
        Reading::Xid(_) | Reading::ObjectId(_) => (SECOND, 64),
        Reading::Uuid(uuid) | Reading::TypeId { uuid, .. } => match version(uuid) {
            Some(1 | 6) => (1, 14 + 48),
            Some(7) => (1_000, 74),
            Some(_) => (u64::MAX, 122),
            None => (u64::MAX, 128),
        },
        // A UUID with the marks of an ID in it.
        Reading::Carried(_) => (u64::MAX, 0),
    };
    let age = difference(now, reading.in_use_since(layouts));
    let ticks = u64::try_from(age).unwrap_or(0) / micros_per_tick;
    rest + ticks.checked_ilog2().unwrap_or(0)
}

/// Returns the bits of surprise at a number of which small ones are likelier.
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
