//! Readings and losses as objects.

use js_sys::{Array, BigInt, Uint8Array};
use tickid_convert::{Candidate, Kind, Layouts, Loss, NanoflakeText, Plausibility, Reading};
use tickid_core::UnixTime;
use wasm_bindgen::prelude::*;

use crate::id;

#[wasm_bindgen]
extern "C" {
    /// A plain object.
    #[wasm_bindgen(js_name = Object)]
    pub type Record;

    #[wasm_bindgen(constructor, js_class = Object)]
    pub(crate) fn new() -> Record;

    #[wasm_bindgen(method, indexing_setter)]
    pub(crate) fn set(this: &Record, name: &str, value: &JsValue);
}

/// Returns a candidate, with its plausibility.
pub(crate) fn candidate(candidate: &Candidate, given: &str, layouts: &Layouts) -> JsValue {
    let reading = candidate.reading();
    // An ID in a UUID is shown as itself.
    let inner = match reading {
        Reading::Carried(id) => id.into(),
        other => other,
    };
    let record = Record::new();
    let plausibility = match candidate.plausibility() {
        Plausibility::Likely => "likely",
        Plausibility::Unlikely => "unlikely",
        Plausibility::NeverIssued => "never-issued",
        _ => "unknown",
    };
    record.set("plausibility", &plausibility.into());
    record.set("reason", &candidate.reason().into());
    record.set("name", &reading.to_string().into());
    record.set("form", &candidate.form().name().into());
    record.set("isInUuid", &matches!(reading, Reading::Carried(_)).into());
    members(&record, &inner, candidate.time(), &text(&inner, given), layouts);
    record.into()
}

/// Adds the members of every ID.
pub(crate) fn members(
    record: &Record,
    reading: &Reading,
    time: Option<UnixTime>,
    text: &str,
    layouts: &Layouts,
) {
    let bytes = reading.bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let kind = reading.id().map(|id| id.kind());
    let kind = kind.map_or(JsValue::NULL, |kind: Kind| id::key(kind).into());
    record.set("format", &reading.format().key().into());
    record.set("kind", &kind);
    record.set("text", &text.into());
    record.set("id", &integer(&hex));
    record.set("hex", &JsValue::from_str(&hex));
    record.set("bytes", &Uint8Array::from(&*bytes));
    record.set("unixMs", &millis(time));
    let fields = Array::new();
    for field in reading.fields(layouts) {
        let member = Record::new();
        member.set("name", &field.name().into());
        member.set("start", &field.start().into());
        member.set("bits", &field.bits().into());
        member.set("value", &field.value().into());
        fields.push(&member);
    }
    record.set("fields", &fields);
}

/// Returns a time in milliseconds. No ID has one that a `number` does not hold exactly.
fn millis(time: Option<UnixTime>) -> JsValue {
    #[allow(clippy::cast_precision_loss, reason = "less than 2^53")]
    time.map_or(JsValue::NULL, |time| JsValue::from_f64(time.as_millis() as f64))
}

/// Returns an integer of any size.
fn integer(hex: &str) -> JsValue {
    let digits = JsValue::from_str(&format!("0x{hex}"));
    BigInt::new(&digits).map_or(JsValue::NULL, JsValue::from)
}

/// Returns the canonical text of a reading; `given` if its format has no other.
pub(crate) fn text(reading: &Reading, given: &str) -> String {
    match *reading {
        Reading::Nanoflake(id, NanoflakeText::Decimal) => id.encode_decimal().to_string(),
        Reading::KuidWide(id, _) => id.to_string(),
        Reading::Uuid(uuid) => uuid.to_string(),
        Reading::ObjectId(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        other => other.id().map_or_else(|| given.to_owned(), id::text),
    }
}

/// Returns what a conversion lost.
pub(crate) fn loss(loss: &Loss) -> JsValue {
    let record = Record::new();
    let micros = loss.time.map_or(JsValue::NULL, |time| time.subsec_micros().into());
    record.set("timeMicros", &micros);
    let node = loss.node.map_or(JsValue::NULL, |node| {
        let member = Record::new();
        member.set("from", &node.from.value().into());
        member.set("to", &node.to.map_or(JsValue::NULL, |to| to.value().into()));
        member.into()
    });
    record.set("node", &node);
    let sequence = loss.sequence.map_or(JsValue::NULL, |sequence| {
        let member = Record::new();
        member.set("bits", &sequence.bits.into());
        member.set("value", &sequence.value.into());
        member.into()
    });
    record.set("sequence", &sequence);
    record.set("metabyte", &loss.metabyte.map_or(JsValue::NULL, JsValue::from));
    record.set("toggle", &loss.toggle.into());
    record.set("isNone", &loss.is_none().into());
    record.set("isRestorable", &loss.is_restorable().into());
    record.set("text", &loss.to_string().into());
    record.into()
}
