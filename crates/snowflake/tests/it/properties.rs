//! Properties of every ID, every text and every time.

use proptest::prelude::*;
use tickid_snowflake::tickid_core::{NodeId as _, Scheme as _};
use tickid_snowflake::{
    Node, NodeAboveSequence, Order, ParseError, RangeError, SequenceAboveNode, Snowflake,
    SnowflakeId, UnixTime,
};
use tickid_testkit::{Dice, config, nodes};

use crate::support::random;

fn ids() -> impl Strategy<Value = SnowflakeId> {
    // This includes short numbers, which a uniform choice would never return.
    (any::<u64>(), 0..64_u32).prop_map(|(value, shift)| SnowflakeId::new(value >> shift))
}

fn layouts<O: Order>() -> impl Strategy<Value = Snowflake<O>> {
    any::<u64>().prop_map(|seed| random(&mut Dice::new(seed), 8, 1))
}

/// Returns the digits of `value`, one division at a time.
fn naive(mut value: u64, symbols: &[u8], len: usize) -> String {
    let radix = symbols.len() as u64;
    let mut digits = Vec::new();
    while value > 0 || digits.len() < len {
        digits.push(char::from(symbols[usize::try_from(value % radix).unwrap()]));
        value /= radix;
    }
    digits.iter().rev().collect()
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn texts_round_trip(id in ids()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(SnowflakeId::try_from(&*id.encode()), Ok(id));
        let crockford = id.encode_crockford();
        prop_assert_eq!(SnowflakeId::parse_crockford(crockford.as_bytes()), Ok(id));
        let lower = crockford.to_lowercase();
        prop_assert_eq!(SnowflakeId::parse_crockford(lower.as_bytes()), Ok(id));
    }

    #[test]
    fn texts_agree_with_an_oracle(id in ids()) {
        let crockford = naive(id.get(), b"0123456789ABCDEFGHJKMNPQRSTVWXYZ", 13);
        prop_assert_eq!(id.encode_crockford(), crockford.as_str());
        prop_assert_eq!(id.encode().to_string(), naive(id.get(), b"0123456789", 1));
        prop_assert_eq!(format!("{id:?}"), id.get().to_string());
        prop_assert_eq!(format!("{id:>22}"), format!("{:>22}", id.get()));
        prop_assert_eq!(format!("{id:016x}"), naive(id.get(), b"0123456789abcdef", 16));
    }

    #[test]
    fn each_id_has_one_decimal(text in "[0-9]{0,21}|[ +0-9a-fx-]{1,8}") {
        let is_canonical = text == "0" || !text.starts_with('0') && !text.starts_with('+');
        let value = text.parse::<u64>().ok().filter(|_| is_canonical);
        let parsed: Result<SnowflakeId, ParseError> = text.parse();
        prop_assert_eq!(parsed.ok().map(SnowflakeId::get), value);
    }

    #[test]
    fn forms_order_as_ids_do(one in ids(), other in ids()) {
        let order = one.cmp(&other);
        prop_assert_eq!(one.get().cmp(&other.get()), order);
        prop_assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
        prop_assert_eq!(one.encode_crockford().cmp(&other.encode_crockford()), order);
    }

    #[test]
    fn integers_and_bytes_are_read_back(id in ids()) {
        prop_assert_eq!(SnowflakeId::from(i64::from(id)), id);
        prop_assert_eq!(SnowflakeId::from(u64::from(id)), id);
        prop_assert_eq!(SnowflakeId::from(<[u8; 8]>::from(id)), id);
        prop_assert_eq!(SnowflakeId::try_from(id.to_be_bytes().as_slice()), Ok(id));
    }

    #[test]
    fn layouts_round_trip(upper in layouts::<NodeAboveSequence>(), lower in layouts::<SequenceAboveNode>()) {
        prop_assert_eq!(upper.to_string().parse(), Ok(upper));
        prop_assert_eq!(lower.to_string().parse(), Ok(lower));
        prop_assert_eq!(Snowflake::new(upper.widths()), Ok(upper));
    }

    #[test]
    fn parts_round_trip(layout in layouts::<NodeAboveSequence>(), bits in any::<u64>()) {
        check_parts(layout, bits)?;
    }

    #[test]
    fn parts_round_trip_in_other_order(layout in layouts::<SequenceAboveNode>(), bits in any::<u64>()) {
        check_parts(layout, bits)?;
    }

    #[test]
    fn times_are_in_their_ranges(layout in layouts::<SequenceAboveNode>(), bits in any::<u64>(), late in 0..1_000_000_u64) {
        let id = SnowflakeId::new(bits & layout.max_id().get());
        let begin = layout.unix_time(id).as_micros();
        let unit = layout.micros_per_tick();
        prop_assert_eq!(
            i128::from(begin),
            i128::from(layout.epoch().as_micros()) + i128::from(layout.timestamp_of(id)) * i128::from(unit)
        );
        let time = UnixTime::from_micros(begin + (late % unit).cast_signed());
        let (min, max) = (layout.min_at(layout.unix_time(id)).unwrap(), layout.max_at(time).unwrap());
        prop_assert!(min <= id && id <= max);
        prop_assert_eq!((layout.timestamp_of(min), layout.timestamp_of(max)), (layout.timestamp_of(id), layout.timestamp_of(id)));
        prop_assert_eq!(max.get() - min.get(), (1 << (layout.widths().node + layout.widths().sequence)) - 1);
        prop_assert_eq!(layout.range(layout.unix_time(id)..=time), Some(min..=max));
        prop_assert_eq!(layout.tick(id).map(|tick| layout.time_of(tick)), Ok(layout.unix_time(id)));
    }

    #[test]
    fn time_errors_name_the_range(layout in layouts::<NodeAboveSequence>(), micros in any::<i64>()) {
        let first = i128::from(layout.epoch().as_micros());
        let last = first + (i128::from(layout.micros_per_tick()) << layout.widths().time) - 1;
        let time = UnixTime::from_micros(micros);
        let micros = i128::from(micros);
        if (first..=last).contains(&micros) {
            let ticks = (micros - first) / i128::from(layout.micros_per_tick());
            prop_assert_eq!(layout.max_at(time).map(|id| i128::from(layout.timestamp_of(id))), Ok(ticks));
        } else {
            prop_assert_eq!(layout.max_at(time), Err(RangeError::of_time(micros, first, last)));
        }
    }
}

#[test]
fn nodes_are_made_of_up_to_22_bits() {
    nodes::are_made_of_their_bits::<Node>(0..=22);
    assert_eq!(Node::from_value(0, 64).unwrap_err().what(), "node bits");
}

/// Checks the accessors and `from_parts` against each other, and the fields against both.
fn check_parts<O: Order>(layout: Snowflake<O>, bits: u64) -> Result<(), TestCaseError> {
    let id = SnowflakeId::new(bits & layout.max_id().get());
    let (time, node, sequence) =
        (layout.timestamp_of(id), layout.node_of(id), layout.sequence_of(id));
    prop_assert_eq!(layout.from_parts(time, node.get(), sequence), Ok(id));
    let bytes = id.to_be_bytes();
    for field in layout.fields() {
        let expected = match field.name() {
            "unused" => 0,
            "timestamp" => time.into(),
            "node" => node.get().into(),
            _ => u128::from(sequence),
        };
        prop_assert_eq!(field.value(&bytes), expected, "{}", field.name());
    }
    prop_assert_eq!(layout.fields().map(|field| field.bits()).sum::<u32>(), 64);
    let stray = SnowflakeId::new(bits);
    prop_assert_eq!(layout.check(stray).is_ok(), stray == id);
    prop_assert_eq!(layout.tick(stray).is_ok(), stray == id);
    Ok(())
}
