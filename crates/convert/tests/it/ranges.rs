//! Ranges of times, for all schemes alike: an ID lies in a range if the time that it shows does.

use core::ops::RangeInclusive;

use jiff::civil::date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use tickid_convert::Settings;
use tickid_core::{RangeError, Scheme, Tick, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};
use tickid_testkit::config;

use crate::support::{
    TestId, TickFields, fields, for_each_test_id, near, nearest, settings, times,
};

type Ends<S> = [Result<S, RangeError>; 2];

trait Ranges: TestId {
    /// The half-open range.
    fn half_open(settings: &Settings, ends: [UnixTime; 2]) -> Option<RangeInclusive<Self>>;
    /// `min_at` and `max_at`.
    fn ends(settings: &Settings, ends: [UnixTime; 2]) -> Ends<Self>;
}

macro_rules! ranges {
    ($($id:ty: |$settings:ident| $scheme:expr;)*) => {
        $(impl Ranges for $id {
            fn half_open(
                $settings: &Settings,
                [since, until]: [UnixTime; 2],
            ) -> Option<RangeInclusive<Self>> {
                $scheme.range(since..until)
            }

            fn ends($settings: &Settings, [since, until]: [UnixTime; 2]) -> Ends<Self> {
                [$scheme.min_at(since), $scheme.max_at(until)]
            }
        })*
    };
}
ranges! {
    Scru64Id: |_layouts| Scru64;
    NanoflakeId: |settings| Nanoflake { epoch: settings.epoch };
    SnoId: |_layouts| Sno;
}

/// Local kuids: global ones have ranges of all nodes, which are wider.
impl Ranges for LocalId {
    fn half_open(_: &Settings, [since, until]: [UnixTime; 2]) -> Option<RangeInclusive<Self>> {
        Self::range(since..until)
    }

    fn ends(_: &Settings, [since, until]: [UnixTime; 2]) -> Ends<Self> {
        [Self::min_at(since), Self::max_at(until)]
    }
}

fn at<S: TestId>(time: UnixTime, fields: TickFields, settings: &Settings) -> S {
    S::at(nearest(S::scheme(settings), time), fields, settings)
}

fn shown<S: TestId>(id: S, settings: &Settings) -> UnixTime {
    S::scheme(settings).time_of(id.tick(settings).unwrap())
}

fn exact<S: Ranges>(
    ends: [UnixTime; 2],
    time: UnixTime,
    fields: TickFields,
    settings: &Settings,
) -> Result<(), TestCaseError> {
    let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    let id: S = at(time, fields, settings);
    let shown = shown(id, settings);
    let range = S::half_open(settings, ends);
    let is_found = range.is_some_and(|range| range.contains(&id));
    prop_assert_eq!(is_found, (ends[0]..ends[1]).contains(&shown), "{:?}", id);

    let scheme = S::scheme(settings);
    let [min, max] = S::ends(settings, ends);
    match min {
        Ok(min) => prop_assert_eq!(min <= id, ends[0] <= shown, "{:?}", id),
        Err(error) => {
            let last = scheme.time_of(Tick::MAX);
            prop_assert!(scheme.tick_at(ends[0]).is_err() || last < ends[0], "{error}");
        }
    }
    match max {
        Ok(max) => prop_assert_eq!(id <= max, shown <= ends[1], "{:?}", id),
        Err(error) => prop_assert_eq!(scheme.tick_at(ends[1]), Err(error)),
    }
    Ok(())
}

fn close(time: UnixTime, near: i64) -> UnixTime {
    UnixTime::from_micros(time.as_micros().saturating_add(near))
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn ranges_are_exact(
        one in times(), span in near(), off in near(), fields in fields(), settings in settings()
    ) {
        let ends = [one, close(one, span)];
        for time in [close(one, off), close(ends[1], off)] {
            macro_rules! check {
                // Theirs are wider, as tested below.
                (GlobalId) => {};
                ($Id:ident) => { exact::<$Id>(ends, time, fields, &settings)?; };
            }
            for_each_test_id!(check);
        }
    }

    #[test]
    fn global_kuid_ranges_are_wider(
        one in times(), span in near(), off in -2_000_000_000_i64..2_000_000_000,
        fields in fields(), settings in settings()
    ) {
        let kuid = Kuid { drift: settings.drift };
        let (from, to) = (one.min(close(one, span)), one.max(close(one, span)));
        let range = kuid.range(from..=to);
        for time in [close(one, off), close(one, off % 2_000), close(to, off % 2_000)] {
            let id: GlobalId = at(time, fields, &settings);
            let time = kuid.unix_time(id);
            let is_found = range.clone().is_some_and(|range| range.contains(&id));
            if (from..=to).contains(&time) {
                prop_assert!(is_found, "{id} is missing");
            } else if is_found {
                let off = from.saturating_since(time).max(time.saturating_since(to));
                prop_assert!(off < settings.drift.interval(), "{id} is {off:?} off");
            }
        }
    }

    #[test]
    fn one_nodes_kuid_range_is_exact(
        one in times(), span in near(), off in near(), fields in fields(), settings in settings()
    ) {
        let kuid = Kuid { drift: settings.drift };
        let (from, to) = (one.min(close(one, span)), one.max(close(one, span)));
        let node = Node::new(fields.node);
        let global = |local| GlobalId::from_local(local, node, settings.drift);
        let range = LocalId::range(from..to).map(|range| {
            let (first, last) = range.into_inner();
            global(first)..=global(last)
        });
        for time in [close(one, off), close(to, off)] {
            let id: GlobalId = at(time, fields, &settings);
            let is_its = (from..to).contains(&kuid.unix_time(id));
            prop_assert_eq!(range.as_ref().is_some_and(|range| range.contains(&id)), is_its);
        }
    }
}

/// All rules of 2024, without a database of zones: in most of them midnight is not a multiple
/// of SCRU64's 256 ms.
const ZONES: [&str; 7] = [
    "UTC0",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "IST-5:30",
    "NST3:30NDT,M3.2.0,M11.1.0",
    "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
];

/// Returns the midnights of 2024 and the first of 2025.
fn days(zone: &str) -> Vec<UnixTime> {
    let zone = TimeZone::posix(zone).unwrap();
    let midnight = |day: i64| -> Timestamp {
        let day = date(2024, 1, 1).checked_add(day.days()).unwrap();
        day.to_zoned_datetime(zone.clone()).unwrap().timestamp()
    };
    (0..=366).map(|day| UnixTime::from_micros(midnight(day).as_microsecond())).collect()
}

#[test]
fn days_of_every_zone_are_disjoint() {
    fn check<S: Ranges>(zone: &str, days: &[UnixTime], fields: TickFields) {
        let settings = Settings::default();
        let scheme = S::scheme(&settings);
        let ranges: Vec<_> = days
            .windows(2)
            .map(|day| S::half_open(&settings, [day[0], day[1]]).expect("IDs of every day"))
            .collect();
        for (day, pair) in days[1..].iter().zip(ranges.windows(2)) {
            // The day's end is the last ID of a tick, the next day's start the first of the
            // next tick: nothing is in both, and nothing in between.
            let [last, next] = [pair[0].end(), pair[1].start()].map(|id| id.tick(&settings));
            let [last, next] = [last, next].map(|tick| tick.unwrap().get());
            assert_eq!(last + 1, next, "{} in {zone} at {day}", S::NAME);
            assert!(pair[0].end() < pair[1].start());
        }
        // IDs around every midnight lie in the one range that has the time they show.
        for (index, midnight) in days.iter().enumerate() {
            for micros in [-256_001, -256_000, -1_024, -1, 0, 1, 1_024, 128_000, 256_000] {
                let tick = scheme.tick_at(close(*midnight, micros)).unwrap();
                let id = S::at(tick, fields, &settings);
                let shown = shown(id, &settings);
                for near in index.saturating_sub(2)..(index + 2).min(ranges.len()) {
                    let is_its = (days[near]..days[near + 1]).contains(&shown);
                    assert_eq!(ranges[near].contains(&id), is_its, "{id:?} in {zone}");
                }
            }
        }
    }
    let highest = TickFields { node: u32::MAX, sequence: u32::MAX, toggle: true, metabyte: 255 };
    let lowest = TickFields { node: 0, sequence: 0, toggle: false, metabyte: 0 };
    for zone in ZONES {
        let days = days(zone);
        for fields in [lowest, highest] {
            macro_rules! check_kind {
                // Their ranges overlap, because they are wider.
                (GlobalId) => {};
                ($Id:ident) => {
                    check::<$Id>(zone, &days, fields);
                };
            }
            for_each_test_id!(check_kind);
        }
    }
}

#[test]
fn ranges_reach_both_ends() {
    fn check<S: Ranges>(lowest: S, highest: S) {
        let settings = Settings::default();
        let scheme = S::scheme(&settings);
        let first = scheme.time_of(Tick::MIN);
        let last = scheme.time_of(Tick::MAX);
        assert_eq!(S::ends(&settings, [first, last]), [Ok(lowest), Ok(highest)]);
        let all = Some(lowest..=highest);
        assert_eq!(S::half_open(&settings, [first, close(last, 1)]), all);
        assert_eq!(S::half_open(&settings, [UnixTime::MIN, UnixTime::MAX]), all);
        assert!(S::ends(&settings, [close(first, -1), last])[0].is_err());
        assert!(S::ends(&settings, [close(last, 1), last])[0].is_err());
        let end =
            (1..300_000).find(|off| S::ends(&settings, [first, close(last, *off)])[1].is_err());
        let len = match S::NAME {
            "scru64" => 256_000,
            "nanoflake" => 1_000,
            "sno" => 4_000,
            _ => 576, // the last step of a second
        };
        assert_eq!(end, Some(len), "{}", S::NAME);
    }
    macro_rules! check_kind {
        (GlobalId) => {};
        // Their highest integers have no time.
        (LocalId) => {
            let mega = LocalId::MAX_MEGA_SECONDS;
            check(LocalId::MIN, LocalId::from_parts(mega, 999_999, 999_999, 16_383).unwrap());
        };
        ($Id:ident) => {
            check($Id::MIN, $Id::MAX);
        };
    }
    for_each_test_id!(check_kind);
}

#[test]
fn open_ends_are_not_cut() {
    use core::ops::Bound;

    let tick = UnixTime::from_micros(256_000 * 5);
    let id = Scru64Id::from_parts(5, 7).unwrap();
    assert_eq!(Scru64Id::range(tick..).unwrap(), Scru64Id::min_at(tick).unwrap()..=Scru64Id::MAX);
    assert_eq!(Scru64Id::range(..=tick).unwrap(), Scru64Id::MIN..=Scru64Id::max_at(tick).unwrap());
    assert!(!Scru64Id::range(..tick).unwrap().contains(&id));
    let after = Scru64Id::range((Bound::Excluded(tick), Bound::Unbounded)).unwrap();
    assert_eq!(after.start(), &Scru64Id::from_parts(6, 0).unwrap());
    assert_eq!(Scru64Id::range((Bound::Excluded(UnixTime::MAX), Bound::Unbounded)), None);
    assert_eq!(Scru64Id::range(..UnixTime::MIN), None);
    let all = Scru64Id::range::<UnixTime>(..);
    assert_eq!(all, Some(Scru64Id::MIN..=Scru64Id::MAX));
}
