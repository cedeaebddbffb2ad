//! A field that does not fit is reported by an error that names it; nothing wraps.

use proptest::prelude::*;
use tickid_convert::{
    Bits, ConvertError, Converted, Kind, Nodes, Options, Parts, Settings, convert, convert_all,
    convert_any, convert_exact, restore, restore_any,
};
use tickid_core::{Scheme as _, TickScale, UnixTime};
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId, Node};
use tickid_nanoflake::{Epoch, GeneratorId, NanoflakeId};
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::{Partition, Sno, SnoId};
use tickid_snowflake::SnowflakeId;
use tickid_testkit::config;

const MILLIS: TickScale = TickScale::every(UnixTime::EPOCH, 1_000);

fn kuid(micros: i64) -> LocalId {
    LocalId::max_at(UnixTime::from_micros(micros)).unwrap()
}

fn set() -> Options<'static> {
    Options { nodes: Nodes::Set(1), ..Options::default() }
}

fn range(error: ConvertError) -> (i128, i128, i128) {
    let (ConvertError::Time(error) | ConvertError::NoTime(error)) = error else {
        panic!("{error}");
    };
    (error.value(), error.min(), error.max())
}

#[test]
fn time_errors_name_the_range() {
    let (first, end) = (1_262_304_000_000_000, 3_461_327_255_552_000);
    let convert_at = |micros| convert::<SnoId>(kuid(micros), &set());
    assert_eq!(convert_at(first).unwrap().id.timestamp(), 0);
    // The previous tick starts 576 microseconds earlier.
    let error = convert_at(first - 1).unwrap_err();
    assert_eq!(range(error), (i128::from(first) - 576, i128::from(first), i128::from(end) - 1));
    assert_eq!(convert_at(end + 959).unwrap().id.timestamp(), SnoId::MAX_TIMESTAMP);
    let error = convert_at(end + 960).unwrap_err();
    assert_eq!(range(error), (i128::from(end) + 960, i128::from(first), i128::from(end) - 1));

    let epoch = Epoch::DISCORD;
    let target = Settings { epoch, ..Settings::default() };
    let options = Options { target, ..set() };
    let first = epoch.unix_time().as_micros();
    assert_eq!(convert::<NanoflakeId>(kuid(first), &options).unwrap().id.timestamp(), 0);
    let error = convert::<NanoflakeId>(kuid(first - 1), &options).unwrap_err();
    assert_eq!(range(error).0, i128::from(first) - 576);
}

#[test]
fn reserved_scru64_is_refused() {
    let first = 256_000;
    assert_eq!(convert::<Scru64Id>(kuid(first), &Options::default()).unwrap().id.timestamp(), 1);
    let error = convert::<Scru64Id>(kuid(first - 1), &Options::default()).unwrap_err();
    assert_eq!(range(error), (0, 1, i128::from(Scru64Id::MAX_TIMESTAMP) - 1));
    let end = Scru64Id::MAX.unix_time().as_micros();
    let last = convert::<Scru64Id>(kuid(end - 1_024), &Options::default()).unwrap().id;
    assert_eq!(last.timestamp(), Scru64Id::MAX_TIMESTAMP - 1);
    let error = convert::<Scru64Id>(kuid(end + 999_999), &Options::default()).unwrap_err();
    assert!(matches!(error, ConvertError::Time(_)));
    for reserved in [Scru64Id::MIN, Scru64Id::MAX] {
        let error = convert::<SnoId>(reserved, &set()).unwrap_err();
        assert_eq!(range(error).0, reserved.timestamp().into());
    }
}

#[test]
fn timeless_kuids_are_errors() {
    let second = LocalId::from_parts(1_700, 1_000_000, 0, 0).unwrap();
    let error = convert::<SnoId>(second, &set()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ID has no time: kuid seconds 1000000 is outside of 0..=999999"
    );
    let micros = LocalId::from_parts(1_700, 0, 1_000_448, 0).unwrap();
    let global = GlobalId::from_local(micros, Node::new(1), Drift::DEFAULT);
    let error = convert::<SnoId>(global, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the ID has no time: kuid microseconds 1000448 is outside of 0..=999999"
    );
}

#[test]
fn ends_of_time_are_errors() {
    let sequence = Bits::new(u32::MAX.into(), 32).unwrap();
    for time in [UnixTime::MIN, UnixTime::MAX] {
        for scale in [MILLIS, Kuid::default().scale()] {
            let parts = Parts::new(time, scale, sequence).unwrap();
            for epoch in [Epoch::MIN, Epoch::UNIX, Epoch::MAX] {
                let target = Settings { epoch, ..Settings::default() };
                let options = Options { target, ..set() };
                let scru64 = convert::<Scru64Id>(parts, &Options::default());
                assert!(matches!(scru64, Err(ConvertError::Time(_))));
                assert!(convert::<LocalId>(parts, &Options::default()).is_err());
                assert!(convert::<SnoId>(parts, &options).is_err());
                let reaches = convert::<NanoflakeId>(parts, &options).is_ok();
                let at_end = (time == UnixTime::MIN && epoch == Epoch::MIN)
                    || (time == UnixTime::MAX && epoch == Epoch::MAX);
                // `UnixTime::MIN` is not a whole millisecond, so it is before the first.
                assert_eq!(reaches, at_end && time == UnixTime::MAX, "{time} since {epoch:?}");
            }
        }
    }
}

/// Hours of microseconds, a toggle and a sequence of 32 bits have more ranks than 64 bits count.
#[test]
fn widest_ranks_keep_order() {
    for layout in ["30x3600s/0n/18s@0", "30x3600s/10n/1s@0", "30x3600s/0n/9s@1970-01-02"] {
        let target = Settings { snowflake: layout.parse().unwrap(), ..Settings::default() };
        let options = Options { target, ..set() };
        let options = if target.snowflake.widths().node == 0 {
            Options { nodes: Nodes::Keep, ..options }
        } else {
            options
        };
        let convert_at = |micros: i64, toggle, sequence| {
            let time = UnixTime::from_micros(86_400_000_000 + micros);
            let scale = TickScale::every(UnixTime::EPOCH, 1);
            let parts = Parts::new(time, scale, Bits::new(sequence, 32).unwrap()).unwrap();
            convert::<SnowflakeId>(parts.with_toggle(toggle), &options).unwrap()
        };
        let max = u32::MAX.into();
        let ids = [
            convert_at(0, false, 0),
            convert_at(0, true, max),
            convert_at(1 << 30, false, 5),
            convert_at((1 << 31) - 1, true, max),
            convert_at(1 << 31, false, 0),
            convert_at(3_000_000_000, true, max),
            convert_at(3_599_999_999, true, max),
        ];
        assert!(ids.is_sorted_by_key(|converted| converted.id), "{layout}: {ids:?}");
        // The highest bit of the rank is the last that is cut.
        assert!(ids[3].id < ids[4].id, "{layout}");
        assert_eq!(ids[0].id.get(), ids[0].id.get() >> 1 << 1, "{layout}");
    }
}

/// Returns any scale, with ticks of a microsecond to two hours, that restart now and then.
fn scales() -> impl Strategy<Value = TickScale> {
    let len = prop_oneof![1_u64..=4, 1_u64..=7_200_000_000, (0..33_u32).prop_map(|bits| 1 << bits)];
    let epoch = prop_oneof![Just(i64::MIN), Just(0), Just(i64::MAX), any::<i64>()];
    (epoch, len, 1_u64..=5, 0_u64..=3).prop_map(|(epoch, len, ticks, more)| {
        TickScale::anew_every(UnixTime::from_micros(epoch), len * ticks + more, len)
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    let layout = prop_oneof![
        Just("41x1ms/10n/12s@1288834974657"),
        Just("30x3600s/0n/18s@0"),
        Just("30x3600s/10n/1s@0"),
        Just("43x100us/10s/10n@2024-01-01"),
        Just("43x2s/2n/18s@-9223372036854775"),
    ];
    layout.prop_map(|layout| Settings { snowflake: layout.parse().unwrap(), ..Settings::default() })
}

proptest! {
    #![proptest_config(config(8))]

    /// Whatever the widths and scales of parts, nothing overflows, order is kept, and what is not
    /// lost distinguishes IDs.
    #[test]
    fn parts_of_any_width_convert(
        scale in scales(), target in settings(), bits in 0..=32_u32,
        one: (i64, u64, bool), micros in prop_oneof![0..5_i64, 0..7_200_000_000_i64],
        other: (u64, bool), is_now: bool,
    ) {
        let options = Options { target, nodes: Nodes::Set(0), ..Options::default() };
        let parts = |micros: i64, sequence: u64, toggle| {
            let micros = if is_now { micros % (1 << 50) } else { micros };
            let sequence = Bits::new(sequence & ((1 << bits) - 1), bits).unwrap();
            let tick = scale.signed_tick_at(UnixTime::from_micros(micros));
            // Without one, it is the time of no ID.
            let start = tick.and_then(|tick| scale.signed_time_of(tick));
            let parts = Parts::new(start.unwrap_or(UnixTime::MIN), scale, sequence).unwrap();
            (tick.filter(|_| start.is_some()), parts.with_toggle(toggle))
        };
        let (a, first) = parts(one.0, one.1, one.2);
        let (b, second) = parts(one.0.saturating_add(micros), other.0, other.1);
        let rank = |tick, parts: &Parts| (tick, parts.toggle(), parts.sequence().value());
        let (a, b) = (rank(a, &first), rank(b, &second));
        let has_node = target.snowflake.widths().node > 0;
        let options = if has_node { options } else { Options { nodes: Nodes::Keep, ..options } };
        let (Ok(x), Ok(y)) =
            (convert::<SnowflakeId>(first, &options), convert::<SnowflakeId>(second, &options))
        else {
            return Ok(()); // not one of the target's times
        };
        if a.0.is_none() || b.0.is_none() {
            return Ok(());
        }
        let order = x.id.cmp(&y.id);
        prop_assert!(order.is_eq() || order == a.cmp(&b), "{a:?} {b:?}: {x:?} {y:?}");
        if a != b && x.loss.is_restorable() && y.loss.is_restorable() {
            prop_assert!(order.is_ne(), "{a:?} {b:?}: {x:?}");
        }
    }
}

/// No kuid has such times, but parts built by a caller may.
#[test]
fn times_within_ticks_do_not_panic() {
    let sequence = Bits::new((1 << 14) - 1, 14).unwrap();
    for micros in (1_700_000_000_000_000..1_700_000_001_000_000).step_by(61) {
        let time = UnixTime::from_micros(micros);
        for scale in [Kuid::default().scale(), MILLIS] {
            let parts = Parts::new(time, scale, sequence).unwrap();
            let sno = convert::<SnoId>(parts, &set()).unwrap();
            assert_eq!(sno.id.tick(), SnoId::max_at(time).unwrap().tick(), "{micros}");
            let scru64 = convert::<Scru64Id>(parts, &Options::default()).unwrap();
            assert!(scru64.id <= Scru64Id::max_at(time).unwrap());
            assert!(convert::<NanoflakeId>(parts, &set()).is_ok());
            assert!(convert::<LocalId>(parts, &Options::default()).is_ok());
        }
    }
}

/// sno's bit holds the toggle of sno's ticks. That of shorter ticks is in the rank.
#[test]
fn a_toggle_is_kept_once() {
    let time = UnixTime::from_micros(1_700_000_000_002_000); // half of a tick of 4 ms
    let converted = |scale, toggle| {
        let parts = Parts::new(time, scale, Bits::new(5, 9).unwrap()).unwrap();
        convert::<SnoId>(parts.with_toggle(toggle), &set()).unwrap()
    };
    // A rank of 2 bits of the tick, one of the toggle and 9 of the sequence fits.
    for (scale, ticks, in_rank) in [(MILLIS, 2 << 10, 1), (Sno.scale(), 0, 0)] {
        for toggle in [false, true] {
            let Converted { id, loss, .. } = converted(scale, toggle);
            let bit = u16::from(toggle);
            assert_eq!(id.sequence(), ticks | (bit * in_rank) << 9 | 5, "{toggle}");
            assert_eq!(
                (id.toggle(), loss.toggle),
                (toggle && in_rank == 0, toggle && in_rank == 1)
            );
        }
    }
}

#[test]
fn wide_nodes_need_a_truncation() {
    let id = GlobalId::from_local(kuid(3 << 49), Node::new(0x0001_0005), Drift::DEFAULT);
    let error = convert::<SnoId>(id, &Options::default()).unwrap_err();
    assert_eq!(error, ConvertError::NodeTooWide { node: 0x0001_0005, bits: 16 });
    let low = Options { nodes: Nodes::LowBits, ..Options::default() };
    let converted = convert::<SnoId>(id, &low).unwrap();
    assert_eq!(converted.id.partition(), Partition::new(5));
    let text = converted.loss.to_string();
    assert!(text.contains("node narrowed from 65541 (32 bits) to 5 (16)"), "{text}");
    assert!(matches!(convert_exact::<SnoId>(id, &low), Err(ConvertError::Lossy(_))));
    // A local kuid has no place for a node.
    let error = convert::<LocalId>(id, &Options::default()).unwrap_err();
    assert_eq!(error, ConvertError::NodeTooWide { node: 0x0001_0005, bits: 0 });
    assert_eq!(convert::<LocalId>(id, &low).unwrap().loss.to_string(), "node 65541 dropped");
}

#[test]
fn unknown_node_size_is_sequence() {
    let id: Scru64Id = "0u375nxqh5cq".parse().unwrap();
    let error = convert::<SnoId>(id, &Options::default()).unwrap_err();
    assert_eq!(error, ConvertError::NodeMissing { bits: 16 });
    let sequence = convert::<SnoId>(id, &set()).unwrap().id.sequence();
    assert_eq!(u32::from(sequence), id.node_ctr() >> 8);
    let node_size = NodeIdSize::new(8).ok();
    let source = Settings { node_size, ..Settings::default() };
    let options = Options { source, ..Options::default() };
    let converted: SnoId = convert_exact(id, &options).unwrap();
    assert_eq!((converted.partition().get(), converted.sequence()), (42, 25_434));
    assert_eq!(restore(converted, &options), Ok(id));
}

#[test]
fn unconverted_is_not_restored() {
    // Four milliseconds of 4,096 have 16,384 ranks.
    let options = Options::default();
    let sno = |toggle, meta, sequence| {
        let id = SnoId::from_parts(100_000_000_000, toggle, Partition::new(5), sequence);
        id.unwrap().with_meta(meta)
    };
    let restored = |id| restore::<NanoflakeId, _>(id, &options);
    let last = restored(sno(false, 0, 16_383)).unwrap();
    assert_eq!(last.sequence(), 4_095);
    for never in [sno(false, 0, 16_384), sno(true, 0, 0), sno(false, 7, 0)] {
        assert_eq!(restored(never), Err(ConvertError::NeverConverted));
    }
    // At most one sno tick starts during a kuid's tick, and 3 of the 17 bits of its rank are
    // cut. Any sequence is a rank, but in most of kuid's ticks none starts.
    let id = LocalId::from_parts(1_700, 0, 4_096, 0).unwrap();
    let options = Options { nodes: Nodes::Set(1), ..options };
    let global = GlobalId::from_local(id, Node::new(1), Drift::DEFAULT);
    let error = restore::<SnoId, _>(global, &options).unwrap_err();
    assert_eq!(error, ConvertError::NodeMissing { bits: 16 });
    let kept = Options::default();
    assert_eq!(restore::<SnoId, _>(global, &kept), Err(ConvertError::NeverConverted));
    let at = LocalId::from_parts(1_700, 0, 0, 0).unwrap();
    let global = GlobalId::from_local(at, Node::new(1), Drift::DEFAULT);
    assert!(restore::<SnoId, _>(global, &kept).is_ok());
}

fn nanoflakes<const N: usize>(millis: [u64; N]) -> [NanoflakeId; N] {
    millis.map(|ms| NanoflakeId::from_parts(ms, GeneratorId::new(5).unwrap(), 7).unwrap())
}

/// An ID that cannot be converted does not end the iteration.
#[test]
fn each_of_many_has_its_result() {
    let ids = nanoflakes([400_000_000_003, 2_199_023_255_551, 400_000_000_004]);
    let discord = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
    let options = Options { source: discord, ..Options::default() };
    let each = ids.map(|id| convert::<SnoId>(id, &options));
    assert!(matches!(each, [Ok(_), Err(ConvertError::Time(_)), Ok(_)]), "{each:?}");
    assert!(convert_all(ids, &options).eq(each));
}

#[test]
fn dynamic_schemes_agree() {
    let [id] = nanoflakes([400_000_000_003]);
    let options = Options { nodes: Nodes::LowBits, ..Options::default() };
    for &kind in Kind::ALL {
        let any = convert_any(id, kind, &options).unwrap();
        assert_eq!(any.id.kind(), kind);
        let text = match kind {
            Kind::Scru64 => convert::<Scru64Id>(id, &options).unwrap().id.to_string(),
            Kind::Nanoflake => convert::<NanoflakeId>(id, &options).unwrap().id.to_string(),
            Kind::KuidLocal => convert::<LocalId>(id, &options).unwrap().id.to_string(),
            Kind::KuidGlobal => convert::<GlobalId>(id, &options).unwrap().id.to_string(),
            Kind::Snowflake => convert::<SnowflakeId>(id, &options).unwrap().id.to_string(),
            Kind::Sno => convert::<SnoId>(id, &options).unwrap().id.to_string(),
            other => panic!("{other}"),
        };
        assert_eq!(any.id.to_string(), text);
        if any.loss.is_restorable() {
            assert_eq!(restore_any(any.id, Kind::Nanoflake, &options), Ok(id.into()));
        }
    }
}
