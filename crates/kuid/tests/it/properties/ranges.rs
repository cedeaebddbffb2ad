//! Ranges of times, at the edges of ticks and of the format.

use super::*;
use tickid_testkit::times;

proptest! {
    #[test]
    fn ranges_are_exact_at_tick_edges(
        second in second(), step in prop_oneof![0i64..977, Just(976)], within in 0i64..1_024,
        node in node(), seq in 0u32..1 << 14, drift in drift(),
    ) {
        let begin = second * 1_000_000 + step * 1_024;
        // The last tick of a second ends with the second.
        let end = (begin + 1_024).min((second + 1) * 1_000_000);
        let time = UnixTime::from_micros((begin + within).min(end - 1));
        let start = UnixTime::from_micros(begin);
        let (min, max) = (LocalId::min_at(start).unwrap(), LocalId::max_at(time).unwrap());
        prop_assert_eq!(min, local_at(begin, 0));
        prop_assert_eq!(max, local_at(begin, 0x3fff));
        for micros in [begin, end - 1] {
            prop_assert_eq!(LocalId::max_at(UnixTime::from_micros(micros)), Ok(max));
        }
        if begin > 0 {
            prop_assert!(LocalId::max_at(UnixTime::from_micros(begin - 1)).unwrap() < min);
        }
        if end <= LAST_MICRO {
            let next = LocalId::min_at(UnixTime::from_micros(end)).unwrap();
            prop_assert!(next > max);
            prop_assert_eq!(LocalId::min_at(UnixTime::from_micros(begin + 1)), Ok(next));
        }

        let kuid = Kuid { drift };
        let (min, max) = (kuid.min_at(start).unwrap(), kuid.max_at(time).unwrap());
        let id = GlobalId::from_local(local_at(begin, seq), node, drift);
        prop_assert!(min <= id && id <= max);
        for (edge, node, seq) in [(min, 0, 0), (max, u32::MAX, 0x3fff)] {
            prop_assert_eq!(edge.node(drift), Node::new(node));
            prop_assert_eq!(edge.to_local(drift), local_at(begin, seq));
        }
        let min = WideGlobalId::min_at(start, drift).unwrap();
        let max = WideGlobalId::max_at(time, drift).unwrap();
        for (edge, node, seq) in [(min, 0, 0), (max, u64::MAX, 0x3fff)] {
            prop_assert_eq!(edge.node(drift), node);
            prop_assert_eq!(edge.to_local(drift), local_at(begin, seq));
        }
    }

    /// A scan finds all IDs of its times, and no IDs that are further off than the interval.
    #[test]
    fn scans_find_every_id(
        from in 1_539_999_000_000_000i64..1_540_001_000_000_000,
        len in 0i64..600_000_000,
        offset in -1_300_000_000i64..1_300_000_000,
        seq in 0u32..1 << 14, node in node(), drift in drift(),
    ) {
        let kuid = Kuid { drift };
        let to = from + len;
        let scan = kuid.min_at(UnixTime::from_micros(from)).unwrap()
            ..=kuid.max_at(UnixTime::from_micros(to)).unwrap();
        let micros = from + offset;
        let id = GlobalId::from_local(local_at(micros, seq), node, drift);
        if (from..=to).contains(&id.unix_time(drift).as_micros()) {
            prop_assert!(scan.contains(&id));
        }
        let interval = i64::from(1u16 << drift.get()) * 1_000_000;
        if micros < from - interval || micros > to + interval {
            prop_assert!(!scan.contains(&id));
        }
    }

    #[test]
    fn ticks_and_times_agree(second in second(), step in prop_oneof![0i64..977, Just(976)]) {
        let time = UnixTime::from_micros(second * 1_000_000 + step * 1_024);
        let tick = Kuid::default().tick_at(time).unwrap();
        prop_assert_eq!(i64::try_from(tick.get()).unwrap(), second * 977 + step);
        prop_assert_eq!(Kuid::default().time_of(tick), time);
        let id = LocalId::min_at(time).unwrap();
        prop_assert_eq!(id.tick(), Some(tick));
        prop_assert_eq!(id.unix_time(), time);
    }
}

#[test]
fn times_end_with_the_format() {
    let end = LAST_MICRO.into();
    let range = [0, end - 575, end];
    let last = local_at(LAST_MICRO, 0x3fff);
    times::end_with_the_format([LocalId::MIN, last], range, LocalId::min_at, LocalId::max_at);
    for drift in (5..=10).map(|bits| Drift::new(bits).unwrap()) {
        let kuid = Kuid { drift };
        times::end_with_the_format(
            [GlobalId::MIN, GlobalId::from_local(last, Node::new(u32::MAX), drift)],
            range,
            |time| kuid.min_at(time),
            |time| kuid.max_at(time),
        );
        times::end_with_the_format(
            [WideGlobalId::MIN, WideGlobalId::from_local(last, u64::MAX, drift)],
            range,
            |time| WideGlobalId::min_at(time, drift),
            |time| WideGlobalId::max_at(time, drift),
        );
    }
}

/// Returns seconds since 1970, often at the ends of the format and of a million.
fn second() -> impl Strategy<Value = i64> {
    let last = LAST_MICRO / 1_000_000;
    prop_oneof![
        0..=last,
        Just(0),
        Just(last),
        1_539_000_000i64..1_541_000_000,
        (0i64..1 << 20).prop_map(|mega| mega * 1_000_000),
        (0i64..1 << 20).prop_map(|mega| mega * 1_000_000 + 999_999),
    ]
}
