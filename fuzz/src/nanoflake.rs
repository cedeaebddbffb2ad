//! Nanoflake IDs: their three texts, integers, bytes, parts.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};

use crate::reference::base_36;

pub fn check(data: &[u8]) {
    text(data);
    decimal(data);
    if let Some(bytes) = data.first_chunk() {
        integer(i64::from_be_bytes(*bytes));
    }
    let mut data = Unstructured::new(data);
    if let (Ok(one), Ok(other)) =
        (NanoflakeId::arbitrary(&mut data), NanoflakeId::arbitrary(&mut data))
    {
        order(one, other);
    }
    if let (Ok(id), Ok(millis)) = (NanoflakeId::arbitrary(&mut data), i64::arbitrary(&mut data)) {
        time(id, millis);
    }
}

fn text(text: &[u8]) {
    // Unpadded, or padded to 13.
    let has_form = text.len() == 13 || text.len() < 13 && (text == b"0" || !text.starts_with(b"0"));
    let value = base_36(text).and_then(|value| i64::try_from(value).ok());
    let parsed = NanoflakeId::parse_bytes(text);
    assert_eq!(parsed.ok().map(NanoflakeId::get), value.filter(|_| has_form));
    assert_eq!(NanoflakeId::parse_const(text), parsed);
    if let (Ok(id), Ok(text)) = (parsed, str::from_utf8(text)) {
        let text = text.to_ascii_lowercase();
        assert!(*id.encode() == text || *id.encode_padded() == text, "{text}");
        integer(id.get());
    }
}

fn decimal(text: &[u8]) {
    let is_number = text.iter().all(u8::is_ascii_digit);
    let has_form = text == b"0" || is_number && !text.starts_with(b"0");
    let value = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let parsed = NanoflakeId::parse_decimal(text).ok();
    assert_eq!(parsed.map(NanoflakeId::get), value.filter(|_| has_form));
}

fn integer(value: i64) {
    let id = NanoflakeId::new(value);
    assert_eq!(id.is_ok(), value >= 0);
    assert_eq!(NanoflakeId::from_be_bytes(value.to_be_bytes()), id);
    assert_eq!(NanoflakeId::try_from(value), id);
    assert_eq!(NanoflakeId::try_from(value.cast_unsigned()).is_ok(), id.is_ok());
    let Ok(id) = id else {
        return;
    };
    assert_eq!(id.to_be_bytes(), value.to_be_bytes());
    assert_eq!(*id.encode_decimal(), value.to_string());
    assert_eq!(NanoflakeId::parse_decimal(id.encode_decimal().as_bytes()), Ok(id));
    let (short, padded) = (id.encode(), id.encode_padded());
    assert_eq!(padded.trim_start_matches('0'), if value == 0 { "" } else { &*short });
    for text in [short.as_bytes(), padded.as_bytes()] {
        assert_eq!(base_36(text), Some(value.cast_unsigned().into()));
    }
    assert_eq!(NanoflakeId::from_parts(id.timestamp(), id.generator(), id.sequence()), Ok(id));
    let parts = id.timestamp() << 22 | u64::from(id.generator().get()) << 12;
    assert_eq!(parts | u64::from(id.sequence()), value.cast_unsigned());
}

fn order(one: NanoflakeId, other: NanoflakeId) {
    let order = one.get().cmp(&other.get());
    assert_eq!(one.cmp(&other), order);
    assert_eq!(one.encode_padded().as_str().cmp(&other.encode_padded()), order);
    assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
}

/// Asserts that under any epoch, an ID's time is the earliest whose range contains the ID.
fn time(id: NanoflakeId, millis: i64) {
    let Ok(epoch) = Epoch::from_unix_millis(millis) else {
        return;
    };
    let layout = Nanoflake { epoch };
    let time = layout.unix_time(id);
    assert_eq!(time.as_millis(), millis + id.timestamp().cast_signed());
    let (min, max) = (layout.min_at(time).unwrap(), layout.max_at(time).unwrap());
    assert!(min <= id && id <= max, "{id} of {min} to {max}");
}
