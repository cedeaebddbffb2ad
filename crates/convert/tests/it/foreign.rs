//! IDs of other programs, by published examples and by their published layouts.

use proptest::prelude::*;
use tickid_convert::foreign::{Mastodon, NanoflakeShift24};
use tickid_convert::{Bits, ConvertError, Nodes, Options, Parts, Settings, ToParts, convert};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_sno::SnoId;
use tickid_snowflake::{AnySnowflake, Snowflake, SnowflakeId};
use tickid_testkit::config;
use tickid_testkit::vectors::{big, field, list, load, number};

/// Milliseconds since 1970, node (none: `None`), sequence.
type Read = (i64, Option<(u64, u32)>, (u64, u32));

fn of(layout: impl Into<AnySnowflake>) -> Settings {
    Settings { snowflake: layout.into(), ..Settings::default() }
}

fn read(id: u64, layout: impl Into<AnySnowflake>) -> Read {
    read_with(SnowflakeId::new(id), &of(layout))
}

fn read_with(id: impl ToParts, settings: &Settings) -> Read {
    let parts = id.parts(settings).unwrap();
    assert_eq!(parts.scale().micros_per_tick(), 1_000);
    let tick = parts.scale().signed_tick_at(parts.unix_time()).unwrap();
    assert_eq!(parts.scale().signed_time_of(tick), Some(parts.unix_time()));
    assert_eq!((parts.toggle(), parts.metabyte(), parts.drift()), (None, None, None));
    let pair = |field: Bits| (field.value(), field.bits());
    (parts.unix_time().as_millis(), parts.node().map(pair), pair(parts.sequence()))
}

#[test]
fn published_examples_agree() {
    // The two of the vectors: a post of 2022, and the message in Discord's documentation.
    let twitter = (1_656_432_460_105, Some((378, 10)), (0, 12));
    assert_eq!(read(1_541_815_603_606_036_480, Snowflake::TWITTER), twitter);
    let discord = (1_462_015_105_796, Some((32, 10)), (7, 12));
    assert_eq!(read(175_928_847_299_117_063, Snowflake::DISCORD), discord);
    // Instagram's description: user 31,341 on one of 2,000 shards, 5,001st of its sequence,
    // 1,387,263,000 milliseconds after the epoch.
    let id = 1_387_263_000_u64 << 23 | (31_341 % 2_000) << 10 | (5_001 % 1_024);
    let instagram = (1_315_607_284_721, Some((1_341, 13)), (905, 10));
    assert_eq!(read(id, Snowflake::INSTAGRAM), instagram);
    // The time of a Mastodon ID is its upper 48 bits.
    let id = 1_700_000_000_123_u64 << 16 | 0xbeef;
    let mastodon = read_with(Mastodon(id), &Settings::default());
    assert_eq!(mastodon, (1_700_000_000_123, None, (0xbeef, 16)));
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn fields_follow_the_layouts(id: u64) {
        let bits = |id: u64, shift: u32, bits: u32| (id >> shift & ((1 << bits) - 1), bits);
        let since = |millis: i64, ticks: u64| millis + i64::try_from(ticks).unwrap();
        let discord = (since(1_420_070_400_000, id >> 22), Some(bits(id, 12, 10)),
            bits(id, 0, 12));
        prop_assert_eq!(read(id, Snowflake::DISCORD), discord);
        let instagram = (since(1_314_220_021_721, id >> 23), Some(bits(id, 10, 13)),
            bits(id, 0, 10));
        prop_assert_eq!(read(id, Snowflake::INSTAGRAM), instagram);
        let mastodon = (since(0, id >> 16), None, bits(id, 0, 16));
        prop_assert_eq!(read_with(Mastodon(id), &Settings::default()), mastodon);
        let id = id >> 1;
        let nanoflake = NanoflakeId::try_from(id).unwrap();
        let nanoflake = read_with(nanoflake, &Settings::default());
        prop_assert_eq!(read(id, Snowflake::TWITTER), nanoflake);
        let pgedge = (since(1_672_531_200_000, id >> 22), Some(bits(id, 12, 10)),
            bits(id, 0, 12));
        prop_assert_eq!(read(id, Snowflake::PGEDGE), pgedge);
        for (layout, epoch) in [
            (Snowflake::SONYFLAKE, 1_409_529_600_000),
            (Snowflake::SONYFLAKE_V2, 1_735_689_600_000),
        ] {
            let parts = SnowflakeId::new(id).parts(&of(layout)).unwrap();
            prop_assert_eq!(parts.unix_time().as_millis(), since(epoch, 10 * (id >> 24)));
            prop_assert_eq!(parts.scale().micros_per_tick(), 10_000);
            let node = parts.node().map(|node| (node.value(), node.bits()));
            prop_assert_eq!(node, Some(bits(id, 0, 16)));
            let sequence = parts.sequence();
            prop_assert_eq!((sequence.value(), sequence.bits()), bits(id, 16, 8));
        }
    }

    /// The IDs are a few milliseconds apart, so that they share ticks of the target, in years
    /// within its range.
    #[test]
    fn foreign_ids_keep_their_order(
        millis in 1_420_070_400_000..2_500_000_000_000_i64, later in 0..6_i64, node: u16,
        one: u16, other: u16,
    ) {
        let id = |epoch: i64, bits: [u32; 2], millis: i64, sequence: u16| {
            let timestamp = (millis - epoch).cast_unsigned();
            let low = |field: u16, bits: u32| u64::from(field) & ((1 << bits) - 1);
            let [node_bits, sequence_bits] = bits;
            (timestamp << node_bits | low(node, node_bits)) << sequence_bits
                | low(sequence, sequence_bits)
        };
        let pair = |epoch, bits| [id(epoch, bits, millis, one), id(epoch, bits, millis +
            later, other)];
        fn check<S: ToParts + Ord>(pair: [S; 2], source: Settings, nodes: Nodes<'_>)
            -> Result<(), TestCaseError> {
            let options = Options { source, nodes, ..Options::default() };
            let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let sno = [low, high].map(|id| convert::<SnoId>(id, &options).unwrap().id);
            prop_assert!(sno[0] <= sno[1], "{sno:?}");
            let nanoflake = [low, high].map(|id| convert::<NanoflakeId>(id,
                &options).unwrap().id);
            prop_assert!(nanoflake[0] <= nanoflake[1], "{nanoflake:?}");
            Ok(())
        }
        let twitter = 1_288_834_974_657;
        for (epoch, bits, layout, nodes) in [
            (twitter, [10, 12], Snowflake::TWITTER, Nodes::Keep),
            (1_420_070_400_000, [10, 12], Snowflake::DISCORD, Nodes::Keep),
            (1_314_220_021_721, [13, 10], Snowflake::INSTAGRAM, Nodes::LowBits),
        ] {
            check(pair(epoch, bits).map(SnowflakeId::new), of(layout), nodes)?;
        }
        check(pair(0, [0, 16]).map(Mastodon), Settings::default(), Nodes::Set(1))?;
        let shifted = pair(twitter, [12, 12]).map(|id| NanoflakeShift24(id & !(0b11 << 22)));
        check(shifted, Settings::default(), Nodes::Keep)?;
    }
}

#[test]
fn original_nanoflakes_agree() {
    let file = load("nanoflake.json");
    assert_eq!(number::<u32>(field(&file, "reference_constants"), "TIMESTAMP_SHIFT"), 24);
    let mut read = 0;
    for entry in list(&file, "ids", 165) {
        let epoch = Epoch::from_unix_millis(number(entry, "epoch_ms")).unwrap();
        let settings = Settings { epoch, ..Settings::default() };
        let value: u64 = big(entry, "value");
        let gap = value & 0b11 << 22;
        if gap != 0 {
            let bits = gap;
            let error = NanoflakeShift24(value).parts(&settings).unwrap_err();
            assert!(matches!(error, ConvertError::StrayBits { bits: found, .. } if found == bits));
            continue;
        }
        read += 1;
        let expected = (
            number::<i64>(entry, "reference_unix_ms"),
            Some((number::<u64>(entry, "generator"), 10)),
            (number::<u64>(entry, "sequence"), 12),
        );
        assert_eq!(read_with(NanoflakeShift24(value), &settings), expected, "{entry}");
    }
    assert!(read > 40, "only {read}");
}

#[test]
fn nanoflake_forms_differ_in_time() {
    let value = 1_u64 << 40;
    let shifted = NanoflakeShift24(value).parts(&Settings::default()).unwrap();
    let plain = NanoflakeId::try_from(value).unwrap().parts(&Settings::default()).unwrap();
    let since = |parts: &Parts| parts.unix_time().as_millis() - Epoch::TWITTER.as_unix_millis();
    assert_eq!((since(&shifted), since(&plain)), (1 << 16, 1 << 18));
}

#[test]
fn nonzero_reserved_bits_fail() {
    let error = SnowflakeId::new(1 << 63).parts(&of(Snowflake::TWITTER)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bits are set that a Twitter Snowflake leaves zero: 0x8000000000000000"
    );
    let error = NanoflakeShift24(0x80_0000).parts(&Settings::default()).unwrap_err();
    assert!(error.to_string().ends_with("0x800000"), "{error}");
}
