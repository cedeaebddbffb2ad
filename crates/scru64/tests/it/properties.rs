//! Properties of every ID, every text, every node spec and every time.

use core::num::NonZeroU32;

use proptest::prelude::*;
use tickid_scru64::tickid_core::{
    AnyNode, Fixed, ManualClock, NodeError, RandomStart, Scheme as _, Sequence as _,
};
use tickid_scru64::{Builder, NodeIdSize, NodeSpec, Scru64, Scru64Id, UnixTime, scru64};
use tickid_testkit::bounds::hold_at_every_edge;
use tickid_testkit::{config, nodes, times};

use crate::support::Subject;

const END: u64 = 36_u64.pow(12);
const MAX_TIMESTAMP: u64 = 282_429_536_480;
const LAST_MICRO: i64 = 72_301_961_339_135_999;

fn ids() -> impl Strategy<Value = Scru64Id> {
    // This includes low numbers, which a uniform choice would never return.
    let values = (0..END, 0..63_u32).prop_map(|(value, shift)| value >> shift);
    values.prop_map(|value| Scru64Id::new(value).unwrap())
}

fn sizes() -> impl Strategy<Value = NodeIdSize> {
    (1..=23_u8).prop_map(|bits| NodeIdSize::new(bits).unwrap())
}

fn every_size() -> impl Iterator<Item = NodeIdSize> {
    (1..=23).map(|bits| NodeIdSize::new(bits).unwrap())
}

fn specs() -> impl Strategy<Value = NodeSpec> {
    let node_only = (sizes(), any::<u32>())
        .prop_map(|(size, node)| NodeSpec::with_node_id(node & size.max_node_id(), size).unwrap());
    let with_prev = (sizes(), ids()).prop_map(|(size, prev)| NodeSpec::with_node_prev(prev, size));
    prop_oneof![node_only, with_prev]
}

/// Returns texts of about the right length from about the right characters.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".to_vec();
    let bytes = prop_oneof![
        30 => prop::sample::select(digits),
        1 => any::<u8>(),
    ];
    prop_oneof![
        4 => prop::collection::vec(bytes.clone(), 12),
        1 => prop::collection::vec(bytes, 0..16),
    ]
}

/// Returns twelve digits of Base36, computed one division at a time.
fn naive(mut value: u64) -> String {
    let mut digits = Vec::new();
    for _ in 0..12 {
        let digit = u32::try_from(value % 36).unwrap();
        digits.push(char::from_digit(digit, 36).unwrap());
        value /= 36;
    }
    assert_eq!(value, 0, "more than twelve digits");
    digits.iter().rev().collect()
}

/// Returns the number written in ASCII digits, computed one multiplication at a time.
fn naive_value(text: &[u8], radix: u32) -> Option<u64> {
    text.iter().try_fold(0_u64, |value, &byte| {
        let digit = char::from(byte).to_digit(radix)?;
        value.checked_mul(radix.into())?.checked_add(digit.into())
    })
}

/// Returns the result of [`naive_spec`] as the crate computes it.
fn fields(spec: NodeSpec) -> (u64, Option<u64>, u8) {
    let prev = spec.node_prev().map(Scru64Id::get);
    (spec.node_id().into(), prev, spec.node_id_size().get())
}

/// Reads a node spec: the node ID or the previous ID, and the size. It follows the documented
/// grammar, independently of the crate.
fn naive_spec(text: &str) -> Option<(u64, Option<u64>, u8)> {
    let (node, size) = text.split_once('/')?;
    if !(1..=3).contains(&size.len()) || !size.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size: u16 = size.parse().unwrap();
    let size = u8::try_from(size).ok().filter(|size| (1..=23).contains(size))?;
    let hexadecimal = node.strip_prefix("0x").or(node.strip_prefix("0X"));
    let node_id = match (node.len(), hexadecimal) {
        (12, _) => {
            let prev = naive_value(node.as_bytes(), 36)?;
            let node_id = (prev % (1 << 24)) >> (24 - size);
            return Some((node_id, Some(prev).filter(|prev| prev >> 24 > 0), size));
        }
        (3..=8, Some(digits)) => naive_value(digits.as_bytes(), 16)?,
        (1..=8, None) => naive_value(node.as_bytes(), 10)?,
        _ => return None,
    };
    (node_id < 1 << size).then_some((node_id, None, size))
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn texts_round_trip_in_any_case(id in ids()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
        prop_assert_eq!(Scru64Id::try_from(&*id.encode()), Ok(id));
        prop_assert_eq!(Scru64Id::parse_bytes(id.encode().as_bytes()), Ok(id));
    }

    #[test]
    fn texts_agree_with_an_oracle(id in ids()) {
        let text = naive(id.get());
        prop_assert_eq!(id.encode(), text.as_str());
        prop_assert_eq!(&id.to_string(), &text);
        prop_assert_eq!(&format!("{id:?}"), &text);
        prop_assert_eq!(format!("{id:_>15}"), format!("___{text}"));
    }

    #[test]
    fn each_id_has_one_text(text in texts()) {
        let value = naive_value(&text, 36).filter(|_| text.len() == 12);
        let parsed = Scru64Id::parse_bytes(&text);
        prop_assert_eq!(Scru64Id::parse_const(&text), parsed);
        prop_assert_eq!(parsed.ok().map(Scru64Id::get), value);
        if let Ok(id) = parsed {
            prop_assert_eq!(id.to_string().into_bytes(), text.to_ascii_lowercase());
        }
    }

    #[test]
    fn all_forms_order_as_ids_do(one in ids(), other in ids()) {
        let order = one.cmp(&other);
        prop_assert_eq!(u64::from(one).cmp(&u64::from(other)), order);
        prop_assert_eq!(i64::from(one).cmp(&i64::from(other)), order);
        prop_assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
        let parts = |id: Scru64Id| (id.timestamp(), id.node_ctr());
        prop_assert_eq!(parts(one).cmp(&parts(other)), order);
    }

    #[test]
    fn integers_and_bytes_are_read_back(id in ids()) {
        prop_assert_eq!(Scru64Id::try_from(u64::from(id)), Ok(id));
        prop_assert_eq!(Scru64Id::try_from(i64::from(id)), Ok(id));
        prop_assert_eq!(Scru64Id::try_from(<[u8; 8]>::from(id)), Ok(id));
        prop_assert_eq!(Scru64Id::from_be_bytes(id.to_be_bytes()), Ok(id));
        prop_assert_eq!(id.get().to_be_bytes(), id.to_be_bytes());
    }

    #[test]
    fn integer_errors_name_the_value(value in END..=u64::MAX) {
        let errors = [
            Scru64Id::new(value).unwrap_err(),
            Scru64Id::try_from(value).unwrap_err(),
            Scru64Id::from_be_bytes(value.to_be_bytes()).unwrap_err(),
            Scru64Id::try_from(value.to_be_bytes()).unwrap_err(),
        ];
        for error in errors {
            let named = (error.value(), error.min(), error.max());
            prop_assert_eq!(named, (value.into(), 0, i128::from(END) - 1));
        }
        let signed = value.cast_signed();
        let error = Scru64Id::try_from(signed).unwrap_err();
        prop_assert_eq!((error.value(), error.max()), (signed.into(), i128::from(END) - 1));
    }

    #[test]
    fn parts_round_trip_or_are_errors(
        timestamp in prop_oneof![0..=MAX_TIMESTAMP, any::<u64>(), MAX_TIMESTAMP..MAX_TIMESTAMP + 2],
        node_ctr in prop_oneof![0..1_u32 << 24, any::<u32>(), (1_u32 << 24) - 1..(1_u32 << 24) + 1],
    ) {
        match Scru64Id::from_parts(timestamp, node_ctr) {
            Ok(id) => {
                prop_assert!(timestamp <= MAX_TIMESTAMP && node_ctr < 1 << 24);
                let expected = u128::from(timestamp) * (1 << 24) + u128::from(node_ctr);
                prop_assert_eq!(u128::from(id.get()), expected);
                prop_assert_eq!((id.timestamp(), id.node_ctr()), (timestamp, node_ctr));
                prop_assert_eq!(id.tick().get(), timestamp);
            }
            Err(error) if timestamp > MAX_TIMESTAMP => {
                let named = (error.value(), error.min(), error.max());
                prop_assert_eq!(named, (timestamp.into(), 0, MAX_TIMESTAMP.into()));
            }
            Err(error) => {
                prop_assert!(node_ctr >= 1 << 24);
                let named = (error.value(), error.min(), error.max());
                prop_assert_eq!(named, (node_ctr.into(), 0, (1 << 24) - 1));
            }
        }
    }

    #[test]
    fn node_and_counter_fill_24_bits(id in ids()) {
        for size in every_size() {
            let (node_id, counter) = (id.node_id(size), id.counter(size));
            prop_assert!(node_id <= size.max_node_id() && counter <= size.max_counter());
            prop_assert_eq!(node_id * (size.max_counter() + 1) + counter, id.node_ctr());
        }
    }

    #[test]
    fn node_id_errors_name_the_value(size in sizes(), any in any::<u32>(), near in 0..3_u32) {
        let max = size.max_node_id();
        // The last two that fit, and the first that does not.
        for node_id in [any, max - 1 + near] {
            match NodeSpec::with_node_id(node_id, size) {
                Ok(spec) => {
                    prop_assert!(node_id <= max);
                    prop_assert_eq!((spec.node_id(), spec.node_id_size()), (node_id, size));
                    prop_assert_eq!(spec.node_prev(), None);
                }
                Err(error) => {
                    prop_assert!(node_id > max);
                    let named = (error.value(), error.min(), error.max());
                    prop_assert_eq!(named, (node_id.into(), 0, max.into()));
                }
            }
        }
    }

    #[test]
    fn node_specs_round_trip(spec in specs()) {
        prop_assert_eq!(spec.to_string().parse(), Ok(spec));
        prop_assert_eq!(spec.to_string().to_uppercase().parse(), Ok(spec));
        prop_assert_eq!(format!("{spec:?}"), spec.to_string());
    }

    #[test]
    fn node_specs_follow_the_grammar(
        text in prop_oneof![
            "[0-9]{0,9}/[0-9]{0,4}",
            "[0-9]{1,3}/(1[0-9]|2[0-3])",
            "0[xX][0-9a-fA-F]{0,7}/[0-9]{0,3}",
            "0[xX][0-9a-fA-F]{1,4}/(1[0-9]|2[0-3])",
            "[0-9a-zA-Z]{11,13}/[0-9]{1,2}",
            "[0-9a-z]{12}/(1[0-9]|2[0-3])",
            "[0-9a-fxX+/ _-]{0,16}",
            any::<String>(),
        ],
    ) {
        prop_assert_eq!(text.parse::<NodeSpec>().ok().map(fields), naive_spec(&text));
    }

    #[test]
    fn times_are_tick_starts(id in ids()) {
        let micros = i128::from(id.timestamp()) * 256_000;
        prop_assert_eq!(i128::from(id.unix_time().as_micros()), micros);
        prop_assert_eq!(Scru64.time_of(id.tick()), id.unix_time());
        prop_assert_eq!(Scru64.tick_at(id.unix_time()), Ok(id.tick()));
    }

    #[test]
    fn ranges_hold_the_ids_of_a_tick(id in ids(), late in 0..256_000_i64) {
        let begin = id.unix_time().as_micros();
        let time = UnixTime::from_micros(begin + late);
        let min = Scru64Id::min_at(id.unix_time()).unwrap();
        let max = Scru64Id::max_at(time).unwrap();
        prop_assert!(min <= id && id <= max);
        prop_assert_eq!(min.get(), id.timestamp() << 24);
        prop_assert_eq!(max.get() - min.get(), (1 << 24) - 1);
        // The neighbouring IDs belong to the ticks before and after.
        let before = Scru64Id::max_at(UnixTime::from_micros(begin - 1));
        prop_assert_eq!(before.ok().map(Scru64Id::get), min.get().checked_sub(1));
        let next = Some(max.get() + 1).filter(|&value| value < END);
        for micros in [begin + 1, begin + late.max(1), begin + 256_000] {
            let after = Scru64Id::min_at(UnixTime::from_micros(micros));
            prop_assert_eq!(after.ok().map(Scru64Id::get), next);
        }
    }

    #[test]
    fn random_starts_fit_the_counter(
        seed in any::<u64>(),
        tick in 1..MAX_TIMESTAMP,
        spec in specs(),
        guard_bits in 0..25_u32,
    ) {
        let bounds = Scru64.sequence_bounds(&spec);
        let max_counter = spec.node_id_size().max_counter();
        prop_assert_eq!((bounds.lowest(), bounds.last()), (0, max_counter));
        let clock = ManualClock::new(UnixTime::from_micros(tick.cast_signed() * 256_000));
        let node = NodeSpec::with_node_id(spec.node_id(), spec.node_id_size()).unwrap();
        let mut generator = Builder::seeded(node, seed).clock(&clock).build_local().unwrap();
        let counter = generator.try_generate().unwrap().counter(node.node_id_size());
        let own = RandomStart::new(seed).with_guard_bits(Scru64.guard_bits(&node));
        prop_assert_eq!(counter, own.start(tick, bounds));
        let guarded = RandomStart::new(seed).with_guard_bits(guard_bits).start(tick, bounds);
        prop_assert!(guarded <= max_counter >> guard_bits);
    }

    /// A generator restored from another one's node spec continues after its last ID.
    #[test]
    fn successors_issue_higher_ids(
        spec in specs(),
        start in any::<u32>(),
        first in 1..MAX_TIMESTAMP - 1_000,
        steps in prop::collection::vec(0..30_u64, 1..8),
    ) {
        let node = NodeSpec::with_node_id(spec.node_id(), spec.node_id_size()).unwrap();
        let start = Fixed(start & node.node_id_size().max_counter());
        let clock = ManualClock::new(UnixTime::EPOCH);
        let mut successor = node;
        let mut last = None;
        for step in steps {
            // Some times are behind the last one, but within the allowance even if each call
            // overflows.
            clock.set(UnixTime::from_micros((first + step).cast_signed() * 256_000));
            let builder = Builder::seeded(successor, 0).clock(&clock).sequence(start);
            let mut generator = builder.build_local().unwrap();
            prop_assert_eq!(NodeSpec::from(&generator), successor);
            let id = generator.try_generate().unwrap();
            prop_assert!(last < Some(id));
            prop_assert_eq!(id.node_id(node.node_id_size()), node.node_id());
            last = Some(id);
            successor = NodeSpec::from(&generator);
            prop_assert_eq!(successor, NodeSpec::with_node_prev(id, node.node_id_size()));
        }
    }
}

#[test]
fn ends_have_their_texts() {
    assert_eq!(Scru64Id::MIN.encode(), "000000000000");
    assert_eq!(Scru64Id::MAX.encode(), "zzzzzzzzzzzz");
    assert_eq!(Scru64Id::MAX.get(), END - 1);
    assert_eq!(Scru64Id::MAX_TIMESTAMP, MAX_TIMESTAMP);
    assert!(Scru64Id::new(END).is_err());
}

#[test]
fn times_end_with_the_format() {
    times::end_with_the_format(
        [Scru64Id::MIN, Scru64Id::MAX],
        [0, 72_301_961_338_880_000, LAST_MICRO.into()],
        Scru64Id::min_at,
        Scru64Id::max_at,
    );
}

#[test]
fn node_spec_bytes_follow_grammar() {
    let (mut valid, mut count) = (0, 0);
    for spec in ["42/8", "00000042/008", "0xb00/12", "0X000b00/12", "0u2r85hm2pt3/16"] {
        for position in 0..spec.len() {
            for byte in 0..=u8::MAX {
                let mut text = spec.as_bytes().to_vec();
                text[position] = byte;
                // Specs are read from text only.
                let Ok(text) = String::from_utf8(text) else { continue };
                let parsed = text.parse::<NodeSpec>().ok().map(fields);
                assert_eq!(parsed, naive_spec(&text), "{text:?}");
                valid += usize::from(parsed.is_some());
                count += 1;
            }
        }
    }
    assert_eq!(count, (4 + 12 + 8 + 11 + 15) * 128);
    assert!(valid > 100, "{valid}");
}

#[test]
fn literals_agree_with_the_parser() {
    const LOWER: Scru64Id = scru64!("0u375nxqh5cq");
    const UPPER: Scru64Id = scru64!("0U375NXQH5CQ");
    assert_eq!(LOWER, UPPER);
    assert_eq!(Ok(LOWER), "0u375nxqh5cq".parse());
}

#[test]
fn node_specs_are_made_of_1_to_23_bits() {
    nodes::are_made_of_their_bits::<NodeSpec>(1..=23);
}

/// All node IDs of up to 12 bits, and the ends of the others.
#[test]
fn node_ids_parse_in_both_bases() {
    let mut count = 0;
    for size in every_size() {
        let max = size.max_node_id();
        let low = 0..=max.min(4_095);
        let high = max.saturating_sub(64)..=max;
        for node_id in low.chain(high) {
            let spec = NodeSpec::with_node_id(node_id, size).unwrap();
            let bits = size.get();
            for text in [
                format!("{node_id}/{bits}"),
                format!("{node_id:08}/{bits:03}"),
                format!("0x{node_id:x}/{bits}"),
                format!("0X{node_id:06X}/{bits:02}"),
            ] {
                assert_eq!(text.parse(), Ok(spec), "{text}");
            }
            assert_eq!(spec.to_string(), format!("{node_id}/{bits}"));
            count += 1;
        }
        for text in [format!("{}/{}", max + 1, size.get()), format!("{max}/{}", size.get() - 1)] {
            assert!(text.parse::<NodeSpec>().is_err(), "{text}");
        }
    }
    assert!(count > 23 * 64);
}

#[test]
fn format_limits() {
    assert_eq!(Scru64::MAX_SEQUENCE, 8_388_607);
    assert_eq!(Scru64::MAX_TICK, MAX_TIMESTAMP);
    assert_eq!((Scru64::FIRST_TICK, Scru64::LAST_TICK), (1, MAX_TIMESTAMP - 1));
}

/// Allows 1,024 threads to draw at the same time.
#[test]
fn shared_blocks_have_up_to_8191() {
    let clock = ManualClock::new(UnixTime::from_micros(256_000 * 9));
    let builder = Builder::seeded("0/1".parse().unwrap(), 0).clock(&clock);
    let generator = builder.sequence(Fixed(0)).build().unwrap();
    assert_eq!(generator.try_block(NonZeroU32::MAX).unwrap().len(), 8_191);
}

/// Follows the document's usage notes: 0, 10, 110, 1110 and so on, in 1, 2, 3, 4 and so on bits.
#[test]
fn prefix_free_nodes_share_a_realm() {
    let mut taken = Vec::new();
    for size in every_size() {
        let node = NodeSpec::with_node_id(size.max_node_id() - 1, size).unwrap();
        let clock = ManualClock::new(UnixTime::from_micros(256_000 * 9));
        let extremes = [0, size.max_counter()].map(|start| {
            let builder = Builder::seeded(node, 0).clock(&clock);
            let mut generator = builder.sequence(Fixed(start)).build_local().unwrap();
            generator.try_generate().unwrap()
        });
        taken.push(extremes);
    }
    for pair in taken.windows(2) {
        let ([_, last], [next, _]) = (pair[0], pair[1]);
        assert_eq!(last.get() + 1, next.get());
    }
}

#[test]
fn bounds_hold_for_every_node_size() {
    for size in 1..=23 {
        hold_at_every_edge(&Subject::of(&format!("1/{size}")));
    }
}

/// Nodes have the sizes of the document. They are no shares: counters start at 0 beside each.
#[test]
fn nodes_of_any_size_end_at_23_bits() {
    for bits in 1..=23 {
        let node = AnyNode::new(1, bits).unwrap();
        let (spec, counters) = Scru64.split_node(node).unwrap();
        assert_eq!(AnyNode::of(&spec), Ok(node));
        assert_eq!((counters.lowest(), counters.pool()), (0, 1 << (24 - bits)));
    }
    for bits in [0, 24, 25, 63] {
        let error = Scru64.split_node(AnyNode::new(0, bits).unwrap()).unwrap_err();
        let NodeError::Range(error) = error else { panic!("{error}") };
        assert_eq!((error.value(), error.min(), error.max()), (bits.into(), 1, 23));
    }
}

/// As `Scru64Generator::new` of the original (`generator.rs`): "reserve one overflow guard bit if
/// `counter_size` is very small".
#[test]
fn few_counters_keep_a_guard_bit() {
    for size in every_size() {
        let node = NodeSpec::with_node_id(1, size).unwrap();
        let first = |seed| {
            let clock = ManualClock::new(UnixTime::from_millis(1_700_000_000_000).unwrap());
            let mut generator = Builder::seeded(node, seed).clock(&clock).build_local().unwrap();
            generator.try_generate().unwrap().counter(size)
        };
        let highest = (0..200).map(first).max().unwrap();
        let half = size.max_counter() / 2;
        assert_eq!(highest <= half, size.get() >= 20, "{size:?}: {highest} of {half}");
    }
}
