//! Properties of every ID, every time and every text.

use core::hash::{Hash, Hasher};
use std::hash::DefaultHasher;

use crate::support::{MICROS_PER_TICK, at, within};
use data_encoding::{Encoding, Specification};
use proptest::prelude::*;
use tickid_sno::{Partition, SnoId, sno};
use tickid_testkit::{config, nodes, times};
use tickid_text::ParseErrorKind;

const ALPHABET: &str = "23456789abcdefghijklmnopqrstuvwx";

/// The same encoding, implemented by another crate.
fn oracle() -> Encoding {
    let mut specification = Specification::new();
    specification.symbols.push_str(ALPHABET);
    specification.encoding().unwrap()
}

fn ids() -> impl Strategy<Value = SnoId> {
    let edges = prop::sample::select(vec![0, 1, 1 << 16, u128::MAX >> 48, (u128::MAX >> 48) - 1]);
    prop_oneof![
        8 => any::<[u8; 10]>().prop_map(SnoId::from_bytes),
        1 => edges.prop_map(|value| SnoId::try_from(value).unwrap()),
    ]
}

fn timestamps() -> impl Strategy<Value = u64> {
    let last = SnoId::MAX_TIMESTAMP;
    prop_oneof![0..=last, Just(0), Just(1), Just(last - 1), Just(last)]
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn what_is_printed_is_read_back(id in ids()) {
        let text = id.to_string();
        prop_assert_eq!(text.len(), SnoId::TEXT_LEN);
        prop_assert_eq!(text.parse(), Ok(id));
        prop_assert_eq!(SnoId::try_from(&*text), Ok(id));
        prop_assert_eq!(SnoId::parse_bytes(text.as_bytes()), Ok(id));
        prop_assert_eq!(SnoId::from_text_bytes(id.to_text_bytes()), Ok(id));
        prop_assert_eq!(format!("{id:?}"), &*text);
        prop_assert_eq!(String::from(id.encode()), text);
    }

    #[test]
    fn texts_agree_with_an_oracle(id in ids()) {
        let oracle = oracle();
        prop_assert_eq!(id.to_string(), oracle.encode(&id.to_bytes()));
        prop_assert_eq!(oracle.decode(&id.to_text_bytes()).unwrap(), id.to_bytes());
    }

    #[test]
    fn only_canonical_bytes_parse(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..20),
            prop::collection::vec(prop::sample::select(ALPHABET.as_bytes()), 16),
        ],
    ) {
        let decoded = oracle().decode(&bytes).ok().filter(|_| bytes.len() == 16);
        let parsed = SnoId::parse_bytes(&bytes);
        prop_assert_eq!(SnoId::parse_const(&bytes), parsed);
        prop_assert_eq!(parsed.ok().map(|id| id.to_bytes().to_vec()), decoded);
        if let Ok(id) = parsed {
            prop_assert_eq!(id.to_text_bytes().to_vec(), bytes);
        }
    }

    #[test]
    fn one_wrong_byte_is_found_and_named(id in ids(), position in 0..16_usize, byte: u8) {
        let mut text = id.to_text_bytes();
        text[position] = byte;
        let parsed = SnoId::from_text_bytes(text);
        if ALPHABET.as_bytes().contains(&byte) {
            prop_assert_eq!(parsed.unwrap().to_text_bytes(), text);
        } else {
            let kind = ParseErrorKind::Character { byte, position, expected: "2-9, a-x" };
            prop_assert_eq!(parsed.unwrap_err().kind(), kind);
        }
    }

    #[test]
    fn all_forms_order_alike(one in ids(), other in ids(), close: u8) {
        // This compares any two, and two that differ in a single byte.
        let mut near = one.to_bytes();
        near[usize::from(close % 10)] ^= 1 << (close / 10 % 8);
        for other in [other, SnoId::from_bytes(near)] {
            let order = one.cmp(&other);
            prop_assert_eq!(order, one.to_bytes().cmp(&other.to_bytes()));
            prop_assert_eq!(order, one.to_string().cmp(&other.to_string()));
            prop_assert_eq!(order, one.to_text_bytes().cmp(&other.to_text_bytes()));
            prop_assert_eq!(order, u128::from(one).cmp(&u128::from(other)));
            let fields = |id: SnoId| {
                (id.timestamp(), id.toggle(), id.meta(), id.partition(), id.sequence())
            };
            prop_assert_eq!(order, fields(one).cmp(&fields(other)));
        }
    }

    #[test]
    fn fields_agree_with_arithmetic(id in ids()) {
        let number = u128::from(id);
        prop_assert_eq!(number, id.to_bytes().iter().fold(0, |n, &byte| n << 8 | u128::from(byte)));
        let bits = |shift: u32, len: u32| number >> shift & ((1 << len) - 1);
        prop_assert_eq!(u128::from(id.timestamp()), bits(41, 39));
        prop_assert_eq!(u128::from(id.tick().get()), bits(41, 39));
        prop_assert_eq!(u128::from(id.toggle()), bits(40, 1));
        prop_assert_eq!(u128::from(id.meta()), bits(32, 8));
        prop_assert_eq!(u128::from(id.partition().get()), bits(16, 16));
        prop_assert_eq!(u128::from(id.sequence()), bits(0, 16));
        prop_assert_eq!(id.is_zero(), number == 0);
        let micros = i128::from(id.unix_time().as_micros());
        prop_assert_eq!(micros, 1_262_304_000_000_000 + bits(41, 39).cast_signed() * 4_000);
    }

    #[test]
    fn all_forms_make_the_same_id(id in ids()) {
        let (toggle, meta) = (id.toggle(), id.meta());
        let parts = (id.partition(), id.sequence());
        let assembled = SnoId::from_parts(id.timestamp(), toggle, parts.0, parts.1);
        let assembled = assembled.map(|id| id.with_meta(meta));
        prop_assert_eq!(assembled, Ok(id));
        prop_assert_eq!(SnoId::from(<[u8; 10]>::from(id)), id);
        prop_assert_eq!(SnoId::try_from(u128::from(id)), Ok(id));
        prop_assert_eq!(id.as_ref(), id.to_bytes());
    }

    #[test]
    fn integer_errors_name_the_value(any: u128, shift in 0..48_u32) {
        let value = (any | 1 << 127) >> shift;
        let error = SnoId::try_from(value).unwrap_err();
        let named = (error.value(), error.min(), error.max());
        let expected = i128::try_from(value).unwrap_or(i128::MAX);
        prop_assert_eq!(named, (expected, 0, (1 << 80) - 1));
    }

    /// Times are exact at the first and last microsecond of a tick.
    #[test]
    fn ranges_are_exact(timestamp in timestamps(), rest: u64) {
        let units = timestamp.cast_signed();
        let (first, last) = (at(units), within(units, MICROS_PER_TICK - 1));
        let (min, max) = (SnoId::min_at(first).unwrap(), SnoId::max_at(first).unwrap());
        prop_assert_eq!(SnoId::max_at(last), Ok(max));
        let next = SnoId::min_at(at(units + 1)).ok();
        prop_assert_eq!([within(units, 1), last].map(|time| SnoId::min_at(time).ok()), [next; 2]);
        // All bits below the timestamp are free.
        prop_assert_eq!(u128::from(min), u128::from(timestamp) << 41);
        prop_assert_eq!(u128::from(max), u128::from(min) + (1 << 41) - 1);
        let any = SnoId::try_from(u128::from(min) + u128::from(rest >> 23)).unwrap();
        prop_assert!(min <= any && any <= max && any.timestamp() == timestamp);
        prop_assert_eq!(any.unix_time(), first);

        let before = SnoId::max_at(within(units, -1));
        prop_assert_eq!(before.ok().map(u128::from), u128::from(min).checked_sub(1));
        prop_assert_eq!(next.is_none(), timestamp == SnoId::MAX_TIMESTAMP);
        prop_assert!(next.is_none_or(|id| u128::from(id) == u128::from(max) + 1));
    }

    #[test]
    fn equal_ids_hash_alike(one in ids(), other in ids()) {
        let hash = |id: SnoId| {
            let mut hasher = DefaultHasher::new();
            id.hash(&mut hasher);
            hasher.finish()
        };
        prop_assert_eq!(hash(one), hash(SnoId::from_bytes(one.to_bytes())));
        prop_assert_eq!(hash(one) == hash(other), one == other);
    }

    #[test]
    fn partitions_have_two_forms(number: u16) {
        let partition = Partition::new(number);
        prop_assert_eq!(Partition::from(number), partition);
        prop_assert_eq!(Partition::from(number.to_be_bytes()), partition);
        prop_assert_eq!(u16::from(partition), number);
        prop_assert_eq!(<[u8; 2]>::from(partition), number.to_be_bytes());
        prop_assert_eq!(partition.to_string(), number.to_string());
    }
}

#[test]
fn partitions_are_made_of_16_bits() {
    nodes::are_made_of_their_bits::<Partition>(16..=16);
}

#[test]
fn times_end_with_the_format() {
    times::end_with_the_format(
        [SnoId::MIN, SnoId::MAX],
        [1_262_304_000_000_000, 3_461_327_255_548_000, 3_461_327_255_551_999],
        SnoId::min_at,
        SnoId::max_at,
    );
}

#[test]
fn other_lengths_are_refused() {
    for text in ["", "brpk4q72xwf2m63", "brpk4q72xwf2m63ll", "brpk4q72xwf2m63ł"] {
        let (found, len) = (text.len(), SnoId::TEXT_LEN);
        let kind = ParseErrorKind::Length { found, min: len, max: len };
        assert_eq!(text.parse::<SnoId>().unwrap_err().kind(), kind, "{text:?}");
    }
}

#[test]
fn printing_honours_width_and_fill() {
    let id = sno!("brpk4q72xwf2m63l");
    assert_eq!(format!("{id:_>18}|{id:<18}|"), "__brpk4q72xwf2m63l|brpk4q72xwf2m63l  |");
    assert_eq!(format!("{:>4}", Partition::new(7)), "   7");
}

#[test]
fn constants_are_the_ends() {
    assert_eq!(SnoId::MIN.encode(), "2222222222222222");
    assert_eq!(SnoId::MAX.encode(), "xxxxxxxxxxxxxxxx");
    assert_eq!(SnoId::ZERO, SnoId::MIN);
    assert_eq!(SnoId::MAX.timestamp(), SnoId::MAX_TIMESTAMP);
    assert_eq!(SnoId::MAX.unix_time().as_millis(), 3_461_327_255_548);
    assert_eq!((SnoId::LEN, SnoId::TEXT_LEN), (10, 16));
}
