//! Every legal combination of widths, and the limits that depend on them.

use core::time::Duration;

use tickid_snowflake::tickid_core::{
    BuildError, Builder, ErrorKind, ManualClock, ObserveError, Scheme as _, Snapshot, Tick, Ticks,
};
use tickid_snowflake::{
    AnySnowflake, LayoutError, Node, NodeAboveSequence, Order, Policy, Preset, SequenceAboveNode,
    Snowflake, SnowflakeId, UnixTime, Widths, Window,
};

const MILLI: Duration = Duration::from_millis(1);

fn widths(time: u32, node: u32, sequence: u32, is_unsigned: bool) -> Widths {
    Widths { unit: MILLI, epoch: UnixTime::EPOCH, time, node, sequence, is_unsigned }
}

/// Draws the last IDs, whose fields are all ones.
fn draw_the_last<O: Order>(layout: Snowflake<O>) {
    let last = layout.last_tick();
    let highest = (1 << layout.widths().node) - 1;
    let node = layout.node(highest).unwrap();
    let clock = ManualClock::new(layout.time_of(Tick::new(last).unwrap()));
    let lowest = layout.max_sequence().saturating_sub(2);
    let snapshot = Snapshot::at(Tick::new(last).unwrap(), lowest);
    let builder = || Builder::seeded_of(layout, node, 0).clock(&clock).restore(snapshot);
    let (shared, of_handle) = (builder().build().unwrap(), builder().build().unwrap());
    let (mut handle, mut local) = (of_handle.handle(), builder().build_local().unwrap());
    let mut filled = [SnowflakeId::MIN; 2];
    for sequence in lowest..=layout.max_sequence() {
        let id = shared.try_generate().unwrap();
        assert_eq!(layout.from_parts(last, highest, sequence), Ok(id), "{layout}");
        assert_eq!(handle.try_generate(), Ok(id), "{layout}");
        let parts = (layout.timestamp_of(id), layout.node_of(id), layout.sequence_of(id));
        assert_eq!(parts, (last, node, sequence), "{layout}");
        assert!(id <= layout.max_id(), "{layout}");
        if sequence < layout.max_sequence() {
            assert_eq!(local.try_generate(), Ok(id), "{layout}");
        } else {
            let rest = local.try_fill(&mut filled).unwrap();
            assert_eq!(rest[..], [id], "{layout}");
        }
    }
    for error in [shared.try_generate(), local.try_generate()] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::EndOfTime, "{layout}");
    }
    let is_full = last == layout.max_timestamp();
    assert_eq!(
        layout.from_parts(last, highest, layout.max_sequence()) == Ok(layout.max_id()),
        is_full
    );
    for (timestamp, node, sequence) in [
        (layout.max_timestamp() + 1, highest, 0),
        (last, highest + 1, 0),
        (last, highest, layout.max_sequence() + 1),
    ] {
        assert!(layout.from_parts(timestamp, node, sequence).is_err(), "{layout}");
    }
}

#[test]
fn every_legal_width_works() {
    let (mut legal, mut unsigned) = (0, 0);
    for time in 0..=45 {
        for node in 0..=24 {
            for sequence in 0..=20 {
                let is_in_range =
                    (8..=43).contains(&time) && node <= 22 && (1..=18).contains(&sequence);
                let sum = time + node + sequence;
                for (is_unsigned, fits) in [(false, sum <= 63), (true, sum == 64)] {
                    let widths = widths(time, node, sequence, is_unsigned);
                    let upper = Snowflake::<NodeAboveSequence>::new(widths);
                    let lower = Snowflake::<SequenceAboveNode>::new(widths);
                    assert_eq!(upper.is_ok(), is_in_range && fits, "{widths:?}");
                    let (Ok(upper), Ok(lower)) = (upper, lower) else {
                        assert!(matches!(lower, Err(LayoutError::Field(_))), "{widths:?}");
                        continue;
                    };
                    assert_eq!((upper.widths(), lower.widths()), (widths, widths));
                    assert_eq!(upper.to_string().parse(), Ok(upper));
                    assert_eq!(lower.to_string().parse(), Ok(AnySnowflake::from(lower)));
                    assert_eq!(
                        upper.to_string().parse::<Snowflake<SequenceAboveNode>>(),
                        Err(LayoutError::Order)
                    );
                    draw_the_last(upper);
                    draw_the_last(lower);
                    legal += 1;
                    unsigned += u32::from(is_unsigned);
                }
            }
        }
    }
    assert!(legal > 10_000 && unsigned > 100, "{legal} layouts");
}

#[test]
fn units_and_epochs_have_limits() {
    let widths = widths(41, 10, 12, false);
    let new = <Snowflake>::new;
    for (nanos, is_legal) in [
        (99_999, false),
        (100_000, true),
        (100_001, false),
        (1_024_000, true),
        (3_600_000_000_000, true),
        (3_600_000_000_001, false),
        (3_600_000_001_000, false),
    ] {
        let unit = Duration::from_nanos(nanos);
        let layout = new(Widths { unit, time: 30, ..widths });
        assert_eq!(layout.is_ok(), is_legal, "{unit:?}");
        assert_eq!(layout.err(), (!is_legal).then_some(LayoutError::Unit(unit)));
    }
    let between = UnixTime::from_micros(1);
    let error = new(Widths { epoch: between, ..widths }).unwrap_err();
    assert_eq!(error, LayoutError::Epoch(between));
    // The last tick of the latest epoch ends before the end of all times.
    let latest = i64::MAX / 1_000 - (1 << 41);
    for (millis, is_legal) in [(latest, true), (latest + 1, false), (i64::MIN / 1_000, true)] {
        let epoch = UnixTime::from_millis(millis).unwrap();
        let layout = new(Widths { epoch, ..widths });
        assert_eq!(layout.is_ok(), is_legal, "{millis}");
        match layout {
            Ok(layout) => {
                let last = layout.unix_time(layout.max_id()).as_millis();
                assert_eq!(last, millis + (1 << 41) - 1);
            }
            Err(LayoutError::Field(error)) => {
                let range = (error.what(), error.value(), error.max());
                assert_eq!(range, ("epoch in milliseconds", millis.into(), latest.into()));
            }
            Err(error) => panic!("{error}"),
        }
    }
    // Hours leave room for 32 bits, which last longer than 64 bits of microseconds from 1970 on.
    let hours = |time, epoch| {
        let epoch = UnixTime::from_millis(epoch).unwrap();
        new(Widths { unit: Duration::from_secs(3_600), time, epoch, ..widths })
    };
    assert!(hours(31, 0).is_ok());
    assert!(
        matches!(hours(32, 0), Err(LayoutError::Field(error)) if error.what() == "epoch in milliseconds")
    );
    assert!(hours(32, i64::MIN / 1_000).is_ok());
    assert!(
        matches!(hours(33, i64::MIN / 1_000), Err(LayoutError::Field(error)) if error.max() == 32)
    );
}

#[test]
fn times_are_exact_to_the_microsecond() {
    const UNIT: i64 = 10_000;
    let layout: Snowflake<SequenceAboveNode> = "8x10ms/3s/5n@1409529600000".parse().unwrap();
    let last = 255 * UNIT;
    let tick = |id: SnowflakeId| layout.timestamp_of(id);
    for (after_epoch, from, until) in [
        (-1, None, None),
        (0, Some(0), Some(0)),
        (1, Some(1), Some(0)),
        (UNIT - 1, Some(1), Some(0)),
        (UNIT, Some(1), Some(1)),
        (last, Some(255), Some(255)),
        (last + 1, None, Some(255)),
        (last + UNIT - 1, None, Some(255)),
        (last + UNIT, None, None),
    ] {
        let time = UnixTime::from_micros(layout.epoch().as_micros() + after_epoch);
        let (min, max) = (layout.min_at(time).ok(), layout.max_at(time).ok());
        assert_eq!((min.map(tick), max.map(tick)), (from, until), "{after_epoch}");
        assert!(min.is_none_or(|id| id.get() & 0xff == 0), "{min:?}");
        assert!(max.is_none_or(|id| id.get() & 0xff == 0xff), "{max:?}");
        // Without a first ID, the range is empty or has all IDs.
        let ids = layout.range(time..);
        let first = min.or((after_epoch < 0).then_some(SnowflakeId::MIN));
        assert_eq!(ids, first.map(|first| first..=layout.max_id()), "{after_epoch}");
        let ids = layout.range(..=time);
        let most = max.or((after_epoch > 0).then_some(layout.max_id()));
        assert_eq!(ids, most.map(|most| SnowflakeId::MIN..=most), "{after_epoch}");
    }
}

#[test]
fn layouts_of_either_order_agree() {
    let upper: Snowflake = "31x1s/10n/12s@86400000".parse().unwrap();
    let lower: Snowflake<SequenceAboveNode> = "32x10ms/8s/16n@5".parse().unwrap();
    let id = SnowflakeId::new(1 << 40 | 5);
    let any = AnySnowflake::from(upper);
    assert_eq!((any.max_id(), any.widths()), (upper.max_id(), upper.widths()));
    assert_eq!(any.unix_time(id), upper.unix_time(id));
    assert_eq!(Snowflake::<NodeAboveSequence>::try_from(any), Ok(upper));
    assert_eq!(Snowflake::<SequenceAboveNode>::try_from(any), Err(LayoutError::Order));
    let any = AnySnowflake::from(lower);
    assert_eq!((any.max_id(), any.widths()), (lower.max_id(), lower.widths()));
    assert_eq!(any.unix_time(id), lower.unix_time(id));
    assert_eq!(Snowflake::<SequenceAboveNode>::try_from(any), Ok(lower));
    assert_eq!(Snowflake::<NodeAboveSequence>::try_from(any), Err(LayoutError::Order));
}

#[test]
fn fields_have_bits() {
    for node in [0, 10] {
        let layout = Snowflake::<NodeAboveSequence>::new(widths(41, node, 12, false)).unwrap();
        let bits: Vec<_> = layout.fields().map(|field| field.bits()).collect();
        assert!(bits.contains(&12) && !bits.contains(&0), "{bits:?}");
    }
}

#[test]
fn the_schemes_limits_are_the_widest_layouts() {
    let layout = |time, sequence| -> Snowflake {
        Snowflake::new(widths(time, 63 - time - sequence, sequence, false)).unwrap()
    };
    let (longest, fastest) = (layout(43, 1), layout(35, 18));
    assert_eq!(longest.max_tick(), Snowflake::<NodeAboveSequence>::MAX_TICK);
    // The engine's word has no room for one more than the longest time.
    assert_eq!(longest.last_tick(), longest.max_tick() - 1);
    assert_eq!(fastest.max_sequence(), Snowflake::<NodeAboveSequence>::MAX_SEQUENCE);
}

#[test]
fn presets_are_found_by_their_layout() {
    for preset in Preset::ALL.iter().copied() {
        let found = Preset::of(preset.layout()).unwrap();
        assert_eq!(found.layout(), preset.layout());
    }
    assert_eq!(Preset::of("31x1s/10n/12s@86400000".parse().unwrap()), None);
}

#[test]
fn random_nodes_are_others_and_use_all_bits() {
    let layout = |node| Snowflake::<NodeAboveSequence>::new(widths(41, node, 12, false)).unwrap();
    // There is only one node without bits, and with one bit there is only one other.
    let only = layout(0).node(0).unwrap();
    assert_eq!(layout(0).random_node(Some(only)), Ok(only));
    for (one, other) in [(0, 1), (1, 0)].repeat(64) {
        let [one, other] = [one, other].map(|number| layout(1).node(number).unwrap());
        assert_eq!(layout(1).random_node(Some(one)), Ok(other));
    }
    // A bit that is always the same would be so by chance once in 2^63 runs.
    let nodes = [(); 64].map(|()| layout(10).random_node(None).unwrap().get());
    assert_eq!(nodes.iter().fold(0, |all, node| all | node), 1_023);
    assert_eq!(nodes.iter().fold(1_023, |all, node| all & node), 0);
}

#[test]
fn layouts_are_read_by_name_or_bits() {
    for (text, layout) in [
        ("twitter", Some(Snowflake::TWITTER.into())),
        ("leaf", Some(Snowflake::TWITTER.into())),
        ("sonyflake", Some(Snowflake::SONYFLAKE.into())),
        ("41x1ms/10n/12s@1288834974657", Some(AnySnowflake::from(Snowflake::TWITTER))),
        ("", None),
        ("twiter", None),
        ("@", None),
    ] {
        match layout {
            Some(layout) => assert_eq!(AnySnowflake::read(text), Ok(layout)),
            None => {
                let error = AnySnowflake::read(text).unwrap_err();
                assert!(matches!(error, LayoutError::Name { .. }), "{text:?}: {error}");
                let message = error.to_string();
                assert!(Preset::ALL.iter().all(|preset| message.contains(preset.key())));
            }
        }
    }
    let error = AnySnowflake::read("41x1ms").unwrap_err();
    assert!(matches!(error, LayoutError::Text { position: 6, .. }), "{error}");
}

#[test]
fn nodes_of_other_layouts_are_refused() {
    let clock = ManualClock::new(UnixTime::from_millis(1_700_000_000_000).unwrap());
    let node = Snowflake::SONYFLAKE.node(3).unwrap();
    let error = Builder::seeded_of(Snowflake::TWITTER, node, 0).clock(&clock).build().unwrap_err();
    assert!(matches!(error, BuildError::Node(_)));
    assert_eq!(error.to_string(), "node bits 16 is outside of 10..=10");
    assert!(
        Builder::seeded_of(Snowflake::TWITTER, Node::new(3, 10).unwrap(), 0)
            .clock(&clock)
            .build()
            .is_ok()
    );
}

#[test]
fn nothing_leaves_its_field() {
    let layout: Snowflake = "8x1s/4n/3s@0".parse().unwrap();
    let clock = ManualClock::new(UnixTime::from_millis(255_000).unwrap());
    let builder = || Builder::seeded_of(layout, layout.node(9).unwrap(), 0).clock(&clock);
    for policy in [Policy::Wait, Policy::Ratchet { allowance: Ticks::new(9) }] {
        let generator = builder().policy(policy).build().unwrap();
        let ids: Vec<u64> =
            (0..20).map_while(|_| generator.try_generate().ok()).map(SnowflakeId::get).collect();
        let expected: Vec<u64> = (0..8).map(|sequence| (255 << 4 | 9) << 3 | sequence).collect();
        assert_eq!(ids, expected, "{policy}");
        let fresh = builder().policy(policy).build().unwrap();
        for beyond in [(256 << 4 | 9) << 3 | 2, u64::MAX] {
            let refused = fresh.observe(SnowflakeId::new(beyond));
            assert_eq!(refused, Err(ObserveError::EndOfTime), "{policy}");
        }
        assert_eq!(fresh.try_generate().map(SnowflakeId::get), Ok(expected[0]), "{policy}");
    }
    assert!(layout.max_at(UnixTime::from_millis(256_000).unwrap()).is_err());
    let snapshot = Snapshot::at(Tick::new(256).unwrap(), 0);
    assert!(matches!(builder().restore(snapshot).build(), Err(BuildError::Restore(_))));
    let window = Window::new(Tick::new(255).unwrap(), 257).unwrap();
    assert!(matches!(builder().window(window).build(), Err(BuildError::Ceiling(_))));
}

#[test]
fn future_epochs_are_refused() {
    let clock = ManualClock::new(UnixTime::from_millis(1_000_000_000_000).unwrap());
    let node = Snowflake::TWITTER.node(0).unwrap();
    let error = Builder::seeded_of(Snowflake::TWITTER, node, 0).clock(&clock).build().unwrap_err();
    assert!(matches!(error, BuildError::Epoch { .. }));
    // Its own microsecond is the first that is not.
    let epoch = Snowflake::TWITTER.epoch().as_micros();
    for (now, is_legal) in [(epoch - 1, false), (epoch, true)] {
        clock.set(UnixTime::from_micros(now));
        let built = Builder::seeded_of(Snowflake::TWITTER, node, 0).clock(&clock).build();
        assert_eq!(built.is_ok(), is_legal, "{now}");
    }
}

#[test]
fn documented_ends_are_right() {
    let day = |id: SnowflakeId, time: UnixTime| {
        (id, time.to_string().split('T').next().unwrap().to_owned())
    };
    let negative = SnowflakeId::new(1 << 63);
    for (time, expected) in [
        (Snowflake::DISCORD.unix_time(negative), "2084-09-06"),
        (Snowflake::TSID.unix_time(negative), "2089-09-06"),
        (Snowflake::INSTAGRAM.unix_time(negative), "2046-06-27"),
        (Snowflake::JS_SAFE.unix_time(Snowflake::JS_SAFE.max_id()), "2094-09-07"),
        (Snowflake::UNIX_EPOCH.unix_time(Snowflake::UNIX_EPOCH.max_id()), "2039-09-07"),
        (Snowflake::BAIDU.unix_time(Snowflake::BAIDU.max_id()), "2024-11-20"),
    ] {
        assert_eq!(day(negative, time).1, expected);
    }
}

/// A layout's ticks may reach more than 2^63 microseconds beyond its epoch, which is as far as
/// signed differences of times do.
#[test]
fn far_times_have_bounds_and_ranges() {
    let layout: Snowflake = "43x2s/2n/18s@-9223372036854775".parse().unwrap();
    let last = layout.max_timestamp();
    let ticks = [0, 1, (1 << 62) / 1_000_000, (1 << 62) / 1_000_000 + 1, last - 1, last];
    for tick in ticks {
        let time = layout.time_of(Tick::new(tick).unwrap());
        let [lowest, highest] = [(0, 0), (3, layout.max_sequence())]
            .map(|(node, sequence)| layout.from_parts(tick, node, sequence).unwrap());
        assert_eq!(layout.min_at(time), Ok(lowest), "{time}");
        assert_eq!(layout.max_at(time), Ok(highest), "{time}");
        assert_eq!(layout.range(time..=time), Some(lowest..=highest), "{time}");
        assert_eq!(layout.range(..=time), Some(SnowflakeId::MIN..=highest), "{time}");
        let next = UnixTime::from_micros(time.as_micros() + 1);
        let following = layout.from_parts(tick + 1, 0, 0);
        assert_eq!(layout.min_at(next).ok(), following.ok(), "{next}");
        assert_eq!(layout.max_at(next), Ok(highest), "{next}");
        assert_eq!(layout.range(next..=next), None, "{next}");
    }
}
