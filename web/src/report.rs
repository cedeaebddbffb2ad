//! Readings and losses as objects.

use js_sys::{Array, BigInt, Uint8Array};
use tickid_convert::{AnyScheme, Kind, Layouts, Loss};
use tickid_core::UnixTime;
use tickid_detect::{Doubt, Identifier, Inspection};
use wasm_bindgen::prelude::*;

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

/// Returns a kind of IDs.
pub(crate) fn kind(kind: Kind) -> Record {
    let scheme = AnyScheme::new(kind, &Layouts::default());
    let lens = kind.text_lens();
    let record = Record::new();
    record.set("kind", &kind.key().into());
    record.set("name", &kind.to_string().into());
    record.set("nodeBits", &scheme.node_bits().unwrap_or(0).into());
    record.set("sequenceBits", &scheme.sequence_bits().into());
    record.set("isInteger", &(kind.byte_len() <= 8).into());
    record.set("textSorts", &(lens.start() == lens.end()).into());
    record
}

/// Returns an inspection.
pub(crate) fn inspection(inspection: &Inspection<'_>) -> Record {
    let record = Record::new();
    let id = inspection.identifier();
    let kind = id.scheme_id().map(|id| id.kind().key());
    let source = match id {
        Identifier::Foreign(id) => Some(id.system().key()),
        _ => kind,
    };
    let key = |key: Option<&str>| key.map_or(JsValue::NULL, JsValue::from_str);
    record.set("format", &inspection.format().key().into());
    record.set("kind", &key(kind));
    record.set("source", &key(source));
    record.set("name", &inspection.name().to_string().into());
    record.set("form", &inspection.form().name().into());
    record.set("isInUuid", &inspection.is_carried().into());
    record.set("text", &inspection.text().into());
    inspection.with_hex(|hex| {
        record.set("id", &integer(hex));
        record.set("hex", &JsValue::from_str(hex));
    });
    record.set("bytes", &Uint8Array::from(inspection.bytes()));
    record.set("unixMs", &millis(inspection.time()));
    record.set("fields", &fields(inspection));
    let settings = Array::new();
    for setting in inspection.settings() {
        let member = Record::new();
        member.set("name", &setting.name.into());
        member.set("value", &setting.value.to_string().into());
        member.set("meaning", &setting.meaning.into());
        settings.push(&member);
    }
    record.set("settings", &settings);
    if let Some(confidence) = inspection.confidence() {
        record.set("confidence", &confidence.name().into());
        record.set("reason", &key(inspection.reason()));
        record.set("doubt", &key(inspection.doubt().map(Doubt::reason)));
    }
    record
}

fn fields(inspection: &Inspection<'_>) -> Array {
    let fields = Array::new();
    for field in inspection.fields() {
        let member = Record::new();
        member.set("name", &field.name().into());
        member.set("start", &field.start().into());
        member.set("bits", &field.bits().into());
        member.set("value", &field.value(inspection.bytes()).into());
        member.set("meaning", &field.meaning().into());
        member.set("isHex", &field.is_hex().into());
        member.set("isDivided", &field.is_divided().into());
        let spans = Array::new();
        for span in field.spans() {
            let place = Record::new();
            place.set("start", &span.start.into());
            place.set("bits", &span.bits.into());
            spans.push(&place);
        }
        member.set("spans", &spans);
        fields.push(&member);
    }
    fields
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
