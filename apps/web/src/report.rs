//! Readings and losses as objects.

use js_sys::{Array, BigInt, Uint8Array};
use tickid_convert::{AnyScheme, Bits, Form, Kind, Loss, Settings, TextForm};
use tickid_core::UnixTime;
use tickid_detect::{Damage, Doubt, Identifier, Inspection, Inspections, LayoutCard, SummaryRow};
use wasm_bindgen::prelude::*;

use crate::given::{Thrown, camel_case, range_error};

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
pub(crate) fn kind(kind: Kind, settings: &Settings) -> Record {
    let scheme = AnyScheme::new(kind, settings);
    let record = Record::new();
    record.set("kind", &kind.key().into());
    record.set("name", &kind.to_string().into());
    record.set("nodeBits", &scheme.node_bits().unwrap_or(0).into());
    record.set("sequenceBits", &scheme.sequence_bits().into());
    let options = kind.setting_options().iter().map(|option| {
        let member = Record::new();
        member.set("key", &camel_case(option.name).into());
        member.set("name", &option.name.into());
        member.set("values", &option.values.into());
        member.set("about", &option.about.into());
        member.set("isTime", &option.is_time.into());
        member
    });
    record.set("options", &options.collect::<Array>());
    record
}

/// Returns the card of a layout, as the command prints it in JSON.
pub(crate) fn card(card: &LayoutCard) -> Result<JsValue, Thrown> {
    // By way of JSON, because `Serialize` describes the card already, and the page has the same
    // members as the command.
    let json = serde_json::to_string(card).map_err(range_error)?;
    js_sys::JSON::parse(&json).map_err(Thrown::from)
}

/// Returns the way to make ranges of the IDs of a scheme, or of a preset of that name.
fn range_of(kind: Kind, name: &str) -> Record {
    // A range is a BETWEEN, so only forms that sort like the IDs are offered: texts if they do,
    // and integers if a column of a database can hold them.
    let forms = [
        (kind.byte_len() <= 8).then_some(Form::Int.name()),
        TextForm::canonical(kind).sorts.then_some("text"),
        Some(Form::Hex.name()),
    ];
    let record = Record::new();
    record.set("of", &name.into());
    let forms = forms.into_iter().flatten().map(JsValue::from_str);
    record.set("forms", &forms.collect::<Array>());
    record.set("note", &kind.range_note().map_or(JsValue::NULL, JsValue::from_str));
    record
}

/// Returns the inspections of a text, up to a number of them.
pub(crate) fn inspections(text: &str, found: &Inspections<'_>, limit: u32) -> Record {
    let readings = Array::new();
    for (_, one) in (0..limit).zip(found.iter()) {
        readings.push(&inspection(&one));
    }
    let found = found.readings();
    let record = Record::new();
    record.set("text", &JsValue::from_str(text));
    record.set("isClear", &found.is_clear().into());
    let damage = Damage::of_notation(text.as_bytes()).map(Damage::reason);
    record.set("damage", &damage.map_or(JsValue::NULL, JsValue::from_str));
    let likely = found.likely().fold(0_u32, |count, _| count + 1);
    record.set("likely", &likely.into());
    record.set("readings", &readings);
    record
}

/// Returns the texts of a column that have one format.
pub(crate) fn summary_row(row: &SummaryRow) -> Record {
    let record = Record::new();
    record.set("format", &row.format.map_or(JsValue::NULL, |format| format.key().into()));
    record.set("title", &row.title().into());
    #[allow(clippy::cast_precision_loss, reason = "no array has 2^53 texts")]
    record.set("lines", &JsValue::from_f64(row.texts as f64));
    record.set("firstMs", &millis(row.first()));
    record.set("lastMs", &millis(row.last()));
    let also = row.also.iter().map(|format| {
        let other = Record::new();
        other.set("format", &format.key().into());
        other.set("title", &format.title().into());
        other
    });
    record.set("also", &also.collect::<Array>());
    record
}

/// Returns an inspection.
pub(crate) fn inspection(inspection: &Inspection<'_>) -> Record {
    let record = Record::new();
    let id = inspection.identifier();
    let kind = id.scheme_id().map(|id| id.kind().key());
    // The name that options have for this format, for example to ask for a range.
    let (source, ranged) = match id {
        Identifier::Preset(preset, _) => (Some(preset.key()), Some(Kind::Snowflake)),
        Identifier::Mastodon(_) => (Some(id.format().key()), None),
        Identifier::Scheme(_)
        | Identifier::KuidWide(_)
        | Identifier::Carried(_)
        | Identifier::Uuid(_)
        | Identifier::Foreign(_)
        | Identifier::TypeId { .. }
        | Identifier::UnixTime(..) => (kind, id.scheme_id().map(|id| id.kind())),
        _ => (kind, id.scheme_id().map(|id| id.kind())),
    };
    let range = ranged.zip(source).map(|(kind, name)| range_of(kind, name));
    let key = |key: Option<&str>| key.map_or(JsValue::NULL, JsValue::from_str);
    // The members of every inspection.
    record.set("format", &inspection.format().key().into());
    record.set("kind", &key(kind));
    record.set("source", &key(source));
    record.set("range", &range.map_or(JsValue::NULL, JsValue::from));
    record.set("name", &inspection.name().to_string().into());
    record.set("form", &inspection.form().name().into());
    record.set("isInUuid", &inspection.is_carried().into());
    // The ID in its forms, with its time and its fields.
    record.set("text", &inspection.text().into());
    inspection.with_hex(|hex| {
        record.set("id", &integer(hex));
        record.set("hex", &JsValue::from_str(hex));
    });
    record.set("bytes", &Uint8Array::from(inspection.bytes()));
    record.set("unixMs", &millis(inspection.unix_time()));
    let time = inspection.date_time().map(|time| JsValue::from_str(&time.to_string()));
    record.set("time", &time.unwrap_or(JsValue::NULL));
    let number = |bits: Option<Bits>| bits.map_or(JsValue::NULL, |bits| bits.value().into());
    record.set("node", &number(inspection.node()));
    record.set("sequence", &number(inspection.sequence()));
    record.set("fields", &fields(inspection));
    // The other forms of the ID, in the order in which the page lists them.
    let forms = Array::new();
    for (name, text) in inspection.forms() {
        let member = Record::new();
        member.set("name", &name.into());
        member.set("text", &text.to_string().into());
        forms.push(&member);
    }
    record.set("forms", &forms);
    let settings = Array::new();
    for setting in inspection.setting_list() {
        let member = Record::new();
        member.set("name", &setting.name.into());
        member.set("value", &setting.value.to_string().into());
        member.set("meaning", &setting.meaning.into());
        settings.push(&member);
    }
    record.set("settings", &settings);
    // How sure that is, unless the format was given.
    if let Some(confidence) = inspection.confidence() {
        record.set("confidence", &confidence.name().into());
        record.set("reason", &key(inspection.reason()));
        record.set("doubt", &key(inspection.doubt().map(Doubt::reason)));
    }
    record
}

fn fields(inspection: &Inspection<'_>) -> Array {
    let fields = Array::new();
    for field in inspection.fields().iter() {
        let member = Record::new();
        member.set("name", &field.name().into());
        member.set("start", &field.start().into());
        member.set("bits", &field.bits().into());
        // A `bigint` for every field, although most would fit a `number`: code that reads all
        // fields of an ID must not meet two types, and the payload of a KSUID has 128 bits.
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
    // The members are always there, `null` where nothing was lost, so that a caller tests one
    // member and not whether it exists. Nodes and sequences are of the type `bigint`, as in the
    // fields.
    let record = Record::new();
    #[allow(clippy::cast_precision_loss, reason = "at most a tick, which is less than 2^53 µs")]
    let micros = loss.time.map_or(JsValue::NULL, |time| JsValue::from_f64(time.as_micros() as f64));
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
