//! IDs of other systems, by published examples and by their published layouts.

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tickid_convert::foreign::NanoflakeShift24;
    use tickid_convert::foreign::System::{
        Discord, Instagram, Mastodon, PgEdge, Sonyflake, SonyflakeV2, Twitter,
    };
    use tickid_convert::{Bits, ConvertError, Layouts, Nodes, Options, Parts, ToParts, convert};
    use tickid_core::UnixTime;
    use tickid_nanoflake::{Epoch, NanoflakeId};
    use tickid_sno::SnoId;
    use tickid_testkit::config;
    use tickid_testkit::vectors::{big, field, list, load, number};

    /// Milliseconds since 1970, node (none: `None`), sequence.
    type Read = (i64, Option<(u64, u32)>, (u64, u32));

    fn read(id: impl ToParts) -> Read {
        read_with(id, &Layouts::default())
    }

    fn read_with(id: impl ToParts, layouts: &Layouts) -> Read {
        let parts = id.parts(layouts).unwrap();
        assert_eq!(parts.scale().micros_per_tick(), 1_000);
        let tick = parts.scale().signed_tick_at(parts.time()).unwrap();
        assert_eq!(parts.scale().signed_time_of(tick), Some(parts.time()));
        assert_eq!((parts.toggle(), parts.metabyte(), parts.drift()), (None, None, None));
        let pair = |field: Bits| (field.value(), field.bits());
        (parts.time().as_millis(), parts.node().map(pair), pair(parts.sequence()))
    }

    #[test]
    fn published_examples_agree() {
        // The two of the vectors: a post of 2022, and the message in Discord's documentation.
        let twitter = (1_656_432_460_105, Some((378, 10)), (0, 12));
        assert_eq!(read(Twitter.id(1_541_815_603_606_036_480)), twitter);
        let discord = (1_462_015_105_796, Some((32, 10)), (7, 12));
        assert_eq!(read(Discord.id(175_928_847_299_117_063)), discord);
        // Instagram's description: user 31,341 on one of 2,000 shards, 5,001st of its sequence,
        // 1,387,263,000 milliseconds after the epoch.
        let id = 1_387_263_000_u64 << 23 | (31_341 % 2_000) << 10 | (5_001 % 1_024);
        let instagram = (1_315_607_284_721, Some((1_341, 13)), (905, 10));
        assert_eq!(read(Instagram.id(id)), instagram);
        // The time of a Mastodon ID is its upper 48 bits.
        let id = 1_700_000_000_123_u64 << 16 | 0xbeef;
        assert_eq!(read(Mastodon.id(id)), (1_700_000_000_123, None, (0xbeef, 16)));
    }

    #[test]
    fn instagram_epoch_is_published() {
        assert_eq!(Instagram.epoch().as_millis(), 1_314_220_021_721);
    }

    proptest! {
        #![proptest_config(config(4))]

        #[test]
        fn fields_follow_the_layouts(id: u64) {
            let since = |epoch: UnixTime, shift: u32| epoch.as_millis() +
                i64::try_from(id >> shift).unwrap();
            let bits = |shift: u32, bits: u32| (id >> shift & ((1 << bits) - 1), bits);
            let discord = (since(Discord.epoch(), 22), Some(bits(12, 10)), bits(0, 12));
            prop_assert_eq!(read(Discord.id(id)), discord);
            let instagram = (since(Instagram.epoch(), 23), Some(bits(10, 13)), bits(0, 10));
            prop_assert_eq!(read(Instagram.id(id)), instagram);
            prop_assert_eq!(read(Mastodon.id(id)), (since(UnixTime::EPOCH, 16), None, bits(0, 16)));
            let positive = id >> 1;
            let nanoflake = NanoflakeId::try_from(positive).unwrap();
            prop_assert_eq!(read(Twitter.id(positive)), read(nanoflake));
            let bits = |shift: u32, bits: u32| (positive >> shift & ((1 << bits) - 1), bits);
            let millis = PgEdge.epoch().as_millis() + (positive >> 22).cast_signed();
            prop_assert_eq!(read(PgEdge.id(positive)), (millis, Some(bits(12, 10)), bits(0, 12)));
            for (parts, epoch) in [
                (Sonyflake.id(positive).parts(&Layouts::default()), Sonyflake.epoch()),
                (SonyflakeV2.id(positive).parts(&Layouts::default()), SonyflakeV2.epoch()),
            ] {
                let parts = parts.unwrap();
                let millis = epoch.as_millis() + 10 * (positive >> 24).cast_signed();
                prop_assert_eq!(parts.time().as_millis(), millis);
                prop_assert_eq!(parts.scale().micros_per_tick(), 10_000);
                let node = parts.node().map(|node| (node.value(), node.bits()));
                prop_assert_eq!(node, Some(bits(0, 16)));
                let sequence = parts.sequence();
                prop_assert_eq!((sequence.value(), sequence.bits()), bits(16, 8));
            }
        }

        /// The IDs are a few milliseconds apart, so that they share ticks of the target, in years
        /// within its range.
        #[test]
        fn foreign_ids_keep_their_order(
            millis in 1_420_070_400_000..2_500_000_000_000_i64, later in 0..6_i64, node: u16,
            one: u16, other: u16,
        ) {
            let id = |epoch: UnixTime, bits: [u32; 2], millis: i64, sequence: u16| {
                let timestamp = (millis - epoch.as_millis()).cast_unsigned();
                let low = |field: u16, bits: u32| u64::from(field) & ((1 << bits) - 1);
                let [node_bits, sequence_bits] = bits;
                (timestamp << node_bits | low(node, node_bits)) << sequence_bits
                    | low(sequence, sequence_bits)
            };
            let pair = |epoch, bits| [id(epoch, bits, millis, one), id(epoch, bits, millis +
                later, other)];
            fn check<S: ToParts + Ord>(pair: [S; 2], nodes: Nodes<'_>) -> Result<(),
                TestCaseError> {
                let options = Options { nodes, ..Options::default() };
                let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                let sno = [low, high].map(|id| convert::<SnoId>(id, &options).unwrap().id);
                prop_assert!(sno[0] <= sno[1], "{sno:?}");
                let nanoflake = [low, high].map(|id| convert::<NanoflakeId>(id,
                    &options).unwrap().id);
                prop_assert!(nanoflake[0] <= nanoflake[1], "{nanoflake:?}");
                Ok(())
            }
            check(pair(Twitter.epoch(), [10, 12]).map(|id| Twitter.id(id)), Nodes::Keep)?;
            check(pair(Discord.epoch(), [10, 12]).map(|id| Discord.id(id)), Nodes::Keep)?;
            check(pair(Instagram.epoch(), [13, 10]).map(|id| Instagram.id(id)), Nodes::LowBits)?;
            check(pair(UnixTime::EPOCH, [0, 16]).map(|id| Mastodon.id(id)), Nodes::Set(1))?;
            check(pair(Twitter.epoch(), [12, 12]).map(|id| NanoflakeShift24(id & !(0b11 << 22))),
                Nodes::Keep)?;
        }
    }

    #[test]
    fn original_nanoflakes_agree() {
        let file = load("nanoflake.json");
        assert_eq!(number::<u32>(field(&file, "reference_constants"), "TIMESTAMP_SHIFT"), 24);
        let mut read = 0;
        for entry in list(&file, "ids", 165) {
            let epoch = Epoch::from_unix_millis(number(entry, "epoch_ms")).unwrap();
            let layouts = Layouts { epoch, ..Layouts::default() };
            let value: u64 = big(entry, "value");
            let gap = value & 0b11 << 22;
            if gap != 0 {
                let bits = gap;
                let error = NanoflakeShift24(value).parts(&layouts).unwrap_err();
                assert!(
                    matches!(error, ConvertError::StrayBits { bits: found, .. } if found == bits)
                );
                continue;
            }
            read += 1;
            let expected = (
                number::<i64>(entry, "reference_unix_ms"),
                Some((number::<u64>(entry, "generator"), 10)),
                (number::<u64>(entry, "sequence"), 12),
            );
            assert_eq!(read_with(NanoflakeShift24(value), &layouts), expected, "{entry}");
        }
        assert!(read > 40, "only {read}");
    }

    #[test]
    fn nanoflake_forms_differ_in_time() {
        let value = 1_u64 << 40;
        let shifted = NanoflakeShift24(value).parts(&Layouts::default()).unwrap();
        let plain = NanoflakeId::try_from(value).unwrap().parts(&Layouts::default()).unwrap();
        let since = |parts: &Parts| parts.time().as_millis() - Epoch::TWITTER.as_unix_millis();
        assert_eq!((since(&shifted), since(&plain)), (1 << 16, 1 << 18));
    }

    #[test]
    fn nonzero_reserved_bits_fail() {
        let error = Twitter.id(1 << 63).parts(&Layouts::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bits are set that a Twitter Snowflake leaves zero: 0x8000000000000000"
        );
        let error = NanoflakeShift24(0x80_0000).parts(&Layouts::default()).unwrap_err();
        assert!(error.to_string().ends_with("0x800000"), "{error}");
    }
}
