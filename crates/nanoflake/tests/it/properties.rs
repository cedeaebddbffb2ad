//! Properties of every ID, every text and every time.

use proptest::prelude::*;
use tickid_nanoflake::tickid_core::{NodeId as _, Scheme as _};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId, UnixTime, nanoflake};
use tickid_testkit::{config, nodes, times};
use tickid_text::Text;

const HIGHEST: u128 = i64::MAX.cast_unsigned() as u128;

fn ids() -> impl Strategy<Value = NanoflakeId> {
    // This includes short numbers, which a uniform choice would never return.
    let values = (0..=i64::MAX, 0..63_u32).prop_map(|(value, shift)| value >> shift);
    values.prop_map(|value| NanoflakeId::new(value).unwrap())
}

fn epochs() -> impl Strategy<Value = Epoch> {
    let named = [Epoch::TWITTER, Epoch::DISCORD, Epoch::UNIX, Epoch::MIN, Epoch::MAX];
    prop_oneof![
        prop::sample::select(named.to_vec()),
        (Epoch::MIN.as_unix_millis()..=Epoch::MAX.as_unix_millis())
            .prop_map(|millis| Epoch::from_unix_millis(millis).unwrap()),
    ]
}

/// Returns texts of about the right length from about the right characters.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let digits = b"00000123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".to_vec();
    let bytes = prop_oneof![
        30 => prop::sample::select(digits),
        1 => any::<u8>(),
    ];
    prop::collection::vec(bytes, 0..16)
}

/// Returns the digits of `value`, one division at a time.
fn naive(mut value: u128, radix: u32) -> String {
    let mut digits = Vec::new();
    while value > 0 || digits.is_empty() {
        let digit = u32::try_from(value % u128::from(radix)).unwrap();
        digits.push(char::from_digit(digit, radix).unwrap());
        value /= u128::from(radix);
    }
    digits.iter().rev().collect()
}

/// Returns the number that ASCII digits spell, one multiplication at a time.
fn naive_value(text: &[u8], radix: u32) -> Option<u128> {
    text.iter().try_fold(0_u128, |value, &byte| {
        let digit = char::from(byte).to_digit(radix)?;
        value.checked_mul(u128::from(radix))?.checked_add(digit.into())
    })
}

proptest! {
    #![proptest_config(config(80))]

    #[test]
    fn texts_round_trip(id in ids()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(NanoflakeId::try_from(&*id.encode()), Ok(id));
        prop_assert_eq!(NanoflakeId::parse_bytes(id.encode_padded().as_bytes()), Ok(id));
        prop_assert_eq!(id.encode_padded().to_uppercase().parse(), Ok(id));
        prop_assert_eq!(NanoflakeId::parse_decimal(id.encode_decimal().as_bytes()), Ok(id));
    }

    #[test]
    fn texts_agree_with_an_oracle(id in ids()) {
        let value = u128::from(u64::from(id));
        let (base36, decimal) = (naive(value, 36), value.to_string());
        let padded = format!("{base36:0>13}");
        prop_assert_eq!(id.encode(), base36.as_str());
        prop_assert_eq!(id.encode_padded(), padded.as_str());
        prop_assert_eq!(id.encode_decimal(), decimal.as_str());
        prop_assert_eq!(&id.to_string(), &base36);
        prop_assert_eq!(&format!("{id:?}"), &base36);
        prop_assert_eq!(format!("{id:_>15}"), format!("{base36:_>15}"));
    }

    #[test]
    fn each_id_has_two_texts(text in texts()) {
        let unpadded = matches!(*text, [b'0'] | [b'1'..=b'9' | b'a'..=b'z' | b'A'..=b'Z', ..]);
        let form = text.len() <= 13 && unpadded || text.len() == 13;
        let value = naive_value(&text, 36).filter(|&value| form && value <= HIGHEST);
        let parsed = NanoflakeId::parse_bytes(&text);
        prop_assert_eq!(NanoflakeId::parse_const(&text), parsed);
        prop_assert_eq!(parsed.ok().map(|id| u128::from(u64::from(id))), value);
        if let Ok(id) = parsed {
            let lower = text.to_ascii_lowercase();
            let forms = [id.encode(), id.encode_padded()];
            prop_assert!(forms.iter().any(|form| form.as_bytes() == lower));
        }
    }

    #[test]
    fn each_id_has_one_decimal(
        text in prop_oneof!["[0-9]{0,21}", "[0-9+_ -]{0,20}", any::<String>()],
    ) {
        let canonical = text == "0" || !text.starts_with('0') && !text.is_empty();
        let value = naive_value(text.as_bytes(), 10)
            .filter(|&value| canonical && text.is_ascii() && value <= HIGHEST);
        let parsed = NanoflakeId::parse_decimal(text.as_bytes());
        prop_assert_eq!(parsed.ok().map(|id| u128::from(u64::from(id))), value);
        if let Ok(id) = parsed {
            prop_assert_eq!(id.encode_decimal().to_string(), text);
        }
    }

    #[test]
    fn forms_order_as_ids_do(one in ids(), other in ids()) {
        let order = one.cmp(&other);
        prop_assert_eq!(i64::from(one).cmp(&i64::from(other)), order);
        prop_assert_eq!(u64::from(one).cmp(&u64::from(other)), order);
        prop_assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
        prop_assert_eq!(one.encode_padded().cmp(&other.encode_padded()), order);
        let parts = |id: NanoflakeId| (id.timestamp(), id.generator(), id.sequence());
        prop_assert_eq!(parts(one).cmp(&parts(other)), order);
    }

    #[test]
    fn integers_and_bytes_are_read_back(id in ids()) {
        prop_assert_eq!(NanoflakeId::try_from(i64::from(id)), Ok(id));
        prop_assert_eq!(NanoflakeId::try_from(u64::from(id)), Ok(id));
        prop_assert_eq!(NanoflakeId::try_from(<[u8; 8]>::from(id)), Ok(id));
        prop_assert_eq!(NanoflakeId::from_be_bytes(id.to_be_bytes()), Ok(id));
        prop_assert_eq!(id.get().to_be_bytes(), id.to_be_bytes());
    }

    #[test]
    fn integer_errors_name_the_value(value in i64::MIN..0) {
        let errors = [
            NanoflakeId::new(value).unwrap_err(),
            NanoflakeId::try_from(value).unwrap_err(),
            NanoflakeId::from_be_bytes(value.to_be_bytes()).unwrap_err(),
            NanoflakeId::try_from(value.to_be_bytes()).unwrap_err(),
        ];
        for error in errors {
            prop_assert_eq!((error.value(), error.min()), (value.into(), 0));
            prop_assert_eq!(error.max(), i64::MAX.into());
        }
        let unsigned = value.cast_unsigned();
        let error = NanoflakeId::try_from(unsigned).unwrap_err();
        prop_assert_eq!((error.value(), error.max()), (unsigned.into(), i64::MAX.into()));
    }

    #[test]
    fn parts_round_trip_or_are_errors(
        timestamp in prop_oneof![0..1_u64 << 41, any::<u64>(), (1_u64 << 41) - 1..(1_u64 << 41) + 1],
        generator in 0..1024_u16,
        sequence in prop_oneof![0..4096_u16, any::<u16>(), 4095..4097_u16],
    ) {
        let node = GeneratorId::new(generator).unwrap();
        match NanoflakeId::from_parts(timestamp, node, sequence) {
            Ok(id) => {
                prop_assert!(timestamp < 1 << 41 && sequence < 4096);
                let expected = u128::from(timestamp) * (1 << 22)
                    + u128::from(generator) * (1 << 12)
                    + u128::from(sequence);
                prop_assert_eq!(u128::from(u64::from(id)), expected);
                let parts = (id.timestamp(), id.generator(), id.sequence());
                prop_assert_eq!(parts, (timestamp, node, sequence));
                prop_assert_eq!(id.tick().get(), timestamp);
            }
            Err(error) if timestamp >= 1 << 41 => {
                prop_assert_eq!(error.value(), timestamp.into());
                prop_assert_eq!((error.min(), error.max()), (0, (1 << 41) - 1));
            }
            Err(error) => {
                prop_assert!(sequence >= 4096);
                prop_assert_eq!(error.value(), sequence.into());
                prop_assert_eq!((error.min(), error.max()), (0, 4095));
            }
        }
    }

    /// The comparison uses arithmetic with room to spare.
    #[test]
    fn times_add_timestamp_to_epoch(id in ids(), epoch in epochs()) {
        let millis = i128::from(epoch.as_unix_millis()) + i128::from(id.timestamp());
        let time = Nanoflake { epoch }.unix_time(id);
        prop_assert_eq!(i128::from(time.as_micros()), millis * 1_000);
    }

    #[test]
    fn ranges_hold_a_milliseconds_ids(id in ids(), epoch in epochs(), late in 0..1_000_i64) {
        let nanoflake = Nanoflake { epoch };
        let begin = nanoflake.unix_time(id).as_micros();
        // The last millisecond of the last epoch is cut short by the end of time.
        let time = UnixTime::from_micros(begin.saturating_add(late));
        let min = nanoflake.min_at(nanoflake.unix_time(id)).unwrap();
        let max = nanoflake.max_at(time).unwrap();
        prop_assert!(min <= id && id <= max);
        prop_assert_eq!((min.timestamp(), max.timestamp()), (id.timestamp(), id.timestamp()));
        prop_assert_eq!(max.get() - min.get(), (1 << 22) - 1);
        prop_assert_eq!(min.get() % (1 << 22), 0);
        // The neighbouring IDs belong to the milliseconds before and after.
        if let Some(before) = begin.checked_sub(1).map(UnixTime::from_micros) {
            let end = nanoflake.max_at(before).ok().map(NanoflakeId::get);
            prop_assert_eq!(end, min.get().checked_sub(1).filter(|&value| value >= 0));
        }
        for later in [1, late.max(1), 1_000] {
            if let Some(after) = begin.checked_add(later).map(UnixTime::from_micros) {
                let start = nanoflake.min_at(after).ok().map(NanoflakeId::get);
                prop_assert_eq!(start, max.get().checked_add(1));
            }
        }
    }

    #[test]
    fn a_tick_starts_at_its_own_time(id in ids(), epoch in epochs()) {
        let nanoflake = Nanoflake { epoch };
        let tick = id.tick();
        prop_assert_eq!(nanoflake.time_of(tick), nanoflake.unix_time(id));
        prop_assert_eq!(nanoflake.tick_at(nanoflake.time_of(tick)), Ok(tick));
    }
}

/// The unpadded and the decimal text are as short as possible, so they don't sort.
#[test]
fn other_texts_do_not_order() {
    let id = |value| NanoflakeId::new(value).unwrap();
    let (z, ten) = (id(35), id(36));
    assert!(z < ten && z.encode() > ten.encode());
    assert_eq!((z.encode().as_str(), ten.encode().as_str()), ("z", "10"));
    assert!(z.encode_padded() < ten.encode_padded());
    let (nine, tenth) = (id(9), id(10));
    assert!(nine < tenth && nine.encode_decimal() > tenth.encode_decimal());
}

#[test]
fn ends_have_their_texts() {
    let texts = |id: NanoflakeId| {
        let text = |text: Text<13>| text.to_string();
        (text(id.encode()), text(id.encode_padded()), id.encode_decimal().to_string())
    };
    let zero = ("0".into(), "0000000000000".into(), "0".into());
    assert_eq!(texts(NanoflakeId::MIN), zero);
    let last = "1y2p0ij32e8e7";
    let highest = (last.into(), last.into(), i64::MAX.to_string());
    assert_eq!(texts(NanoflakeId::MAX), highest);
    assert_eq!(last.len(), NanoflakeId::TEXT_LEN);
}

#[test]
fn times_end_with_the_format() {
    for epoch in [Epoch::MIN, Epoch::UNIX, Epoch::DISCORD, Epoch::MAX] {
        let nanoflake = Nanoflake { epoch };
        let first = i128::from(epoch.as_unix_millis()) * 1_000;
        let last = first + (1 << 41) * 1_000 - 1;
        times::end_with_the_format(
            [NanoflakeId::MIN, NanoflakeId::MAX],
            [first, last - 999, last],
            |time| nanoflake.min_at(time),
            |time| nanoflake.max_at(time),
        );
    }
}

#[test]
fn generator_ids_are_made_of_10_bits() {
    nodes::are_made_of_their_bits::<GeneratorId>(10..=10);
}

#[test]
fn every_generator_id_is_read_back() {
    for number in 0..1024 {
        let generator = GeneratorId::new(number).unwrap();
        assert_eq!(u16::from(generator), number);
        assert_eq!(GeneratorId::try_from(number), Ok(generator));
        assert_eq!((generator.bits(), generator.value()), (10, number.into()));
        assert_eq!(generator.to_string(), number.to_string());
        let (datacenter, worker) = (generator.datacenter(), generator.worker());
        assert_eq!(u16::from(datacenter) * 32 + u16::from(worker), number);
        assert_eq!(GeneratorId::from_datacenter_worker(datacenter, worker), Ok(generator));
        let id = NanoflakeId::from_parts(1, generator, 2).unwrap();
        assert_eq!(id.generator(), generator);
    }
}

#[test]
fn literals_agree_with_the_parser() {
    const UNPADDED: NanoflakeId = nanoflake!("bppc0m3ju134");
    const PADDED: NanoflakeId = nanoflake!("0BPPC0M3JU134");
    assert_eq!(UNPADDED, PADDED);
    assert_eq!(Ok(UNPADDED), "bppc0m3ju134".parse());
}

#[test]
fn named_epochs_are_as_published() {
    assert_eq!(Epoch::TWITTER.as_unix_millis(), 1_288_834_974_657);
    assert_eq!(Epoch::DISCORD.as_unix_millis(), 1_420_070_400_000);
    assert_eq!(Epoch::UNIX.as_unix_millis(), 0);
    assert_eq!(Nanoflake::default(), Nanoflake { epoch: Epoch::TWITTER });
}
