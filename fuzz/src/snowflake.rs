//! Snowflakes: their two texts, integers and bytes; layouts, as text and as parts; and generators
//! of any layout, on schedules as in [`engine`](crate::engine).

use core::time::Duration;

use arbitrary::{Result, Unstructured};
use tickid_core::UnixTime;
use tickid_snowflake::{
    AnySnowflake, NodeAboveSequence, Order, SequenceAboveNode, Snowflake, SnowflakeId, Widths,
};

use crate::engine;
use crate::subjects::snowflake::Subject;

pub fn check(data: &[u8]) {
    text(data);
    layout_text(data);
    if let Some(bytes) = data.first_chunk() {
        integer(u64::from_be_bytes(*bytes));
    }
    // Too few bytes are not a case.
    let _ = any_order(&mut Unstructured::new(data));
}

fn text(text: &[u8]) {
    let is_number = text.iter().all(u8::is_ascii_digit);
    let has_form = text == b"0" || is_number && !text.starts_with(b"0");
    let value = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let parsed = SnowflakeId::parse_bytes(text).ok().map(SnowflakeId::get);
    assert_eq!(parsed, value.filter(|_| has_form));
    let parsed = SnowflakeId::parse_crockford(text).ok().map(SnowflakeId::get);
    assert_eq!(parsed, crockford(text).filter(|_| text.len() == 13));
}

/// Returns the number that `text` spells in Crockford's Base32.
fn crockford(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0_u64, |value, byte| {
        let digit = match byte.to_ascii_uppercase() {
            b'O' => 0,
            b'I' | b'L' => 1,
            digit => b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".iter().position(|it| *it == digit)?,
        };
        value.checked_mul(32)?.checked_add(digit as u64)
    })
}

fn integer(value: u64) {
    let id = SnowflakeId::new(value);
    assert_eq!(SnowflakeId::from_be_bytes(value.to_be_bytes()), id);
    assert_eq!(SnowflakeId::from(i64::from(id)), id);
    assert_eq!(*id.encode(), value.to_string());
    assert_eq!(crockford(id.encode_crockford().as_bytes()), Some(value));
}

fn layout_text(text: &[u8]) {
    let Ok(Ok(layout)) = str::from_utf8(text).map(str::parse::<AnySnowflake>) else { return };
    // Names, dates and units are read in several forms, and written in one.
    assert_eq!(layout.to_string().parse(), Ok(layout));
}

fn any_order(data: &mut Unstructured<'_>) -> Result<()> {
    if data.arbitrary()? {
        hold::<NodeAboveSequence>(data)
    } else {
        hold::<SequenceAboveNode>(data)
    }
}

fn hold<O: Order>(data: &mut Unstructured<'_>) -> Result<()> {
    let widths = Widths {
        unit: Duration::from_micros(match data.int_in_range(0..=4)? {
            0 => data.arbitrary::<u32>()?.into(),
            1 => 100,
            2 => 1_000,
            3 => 10_000,
            _ => 3_600_000_000,
        }),
        epoch: UnixTime::from_millis(data.int_in_range(-1 << 41..=1 << 41)?).unwrap(),
        // One beyond either end, too.
        time: data.int_in_range(7..=44)?,
        node: data.int_in_range(0..=23)?,
        sequence: data.int_in_range(0..=19)?,
        is_unsigned: data.arbitrary()?,
    };
    let sum = widths.time + widths.node + widths.sequence;
    let is_legal = (8..=43).contains(&widths.time)
        && widths.node <= 22
        && (1..=18).contains(&widths.sequence)
        && if widths.is_unsigned { sum == 64 } else { sum <= 63 };
    let layout = Snowflake::<O>::new(widths);
    // The unit and the epoch have limits as well.
    assert!(is_legal || layout.is_err(), "{widths:?}");
    let Ok(layout) = layout else { return Ok(()) };
    assert_eq!(layout.widths(), widths);
    assert_eq!(layout.to_string().parse(), Ok(layout));
    let id = SnowflakeId::new(data.arbitrary()?);
    fields(layout, id);
    let node = layout.node(data.int_in_range(0..=(1 << widths.node) - 1)?).unwrap();
    engine::hold(&Subject { layout, node }, data)
}

/// Asserts that an ID is made of its fields, and lies in the range of its time, unless it is not of
/// the layout.
fn fields<O: Order>(layout: Snowflake<O>, id: SnowflakeId) {
    let (timestamp, node) = (layout.timestamp_of(id), layout.node_of(id).get());
    let made = layout.from_parts(timestamp, node, layout.sequence_of(id));
    assert_eq!(made.is_ok(), layout.check(id).is_ok(), "{layout}: {id}");
    assert_eq!(made.is_ok(), id <= layout.max_id(), "{layout}: {id}");
    let Ok(made) = made else { return };
    assert_eq!(made, id, "{layout}");
    let time = layout.unix_time(id);
    let (min, max) = (layout.min_at(time).unwrap(), layout.max_at(time).unwrap());
    assert!(min <= id && id <= max, "{layout}: {id} of {min} to {max}");
}
