//! tickid's detector and conversions for JavaScript: the npm package `tickid` and the inspector
//! page.
//!
//! The functions are documented in `npm/index.d.ts`, for those who call them. IDs are `bigint`s.
//! Nothing is rounded or cut: what does not fit throws an error that names the value and the range.

mod given;
mod id;
mod report;

use js_sys::{Date, Uint8Array};
use tickid_convert::{
    AnyId, Candidate, Kind, Options, Plausibility, Reading, convert_any, detect, restore_any,
    trimmed,
};
use tickid_core::{RangeError, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::{Partition, SnoId};
use wasm_bindgen::prelude::*;

use crate::given::{Given, Thrown, range_error, type_error};
use crate::report::Record;

// Words are taken as any value: as a `&str`, an argument that is no string would be a pointer to
// anywhere.

/// Returns every reading of a text, likeliest first.
#[wasm_bindgen]
pub fn inspect(text: &JsValue, options: Option<Given>) -> Result<Record, Thrown> {
    let text = given::id_text(text)?;
    // Trimming removes whole ASCII characters.
    let text = String::from_utf8_lossy(trimmed(text.as_bytes()));
    let layouts = given::layouts(options.as_ref())?;
    let now = match given::integer(options.as_ref(), "now")? {
        Some(millis) => UnixTime::from_millis(millis).map_err(range_error)?,
        None => now()?,
    };
    let limit = given::small(options.as_ref(), "limit", 0..=u32::MAX)?.unwrap_or(u32::MAX);
    let found = detect(text.as_bytes(), &layouts, Some(now));
    let readings = js_sys::Array::new();
    for (_, candidate) in (0..limit).zip(found.iter()) {
        readings.push(&report::candidate(candidate, &text, &layouts));
    }
    let record = Record::new();
    record.set("text", &JsValue::from_str(&text));
    record.set("isCertain", &found.is_certain().into());
    record.set("isClear", &found.is_clear().into());
    record.set("likely", &count(found.possible()).into());
    record.set("readings", &readings);
    Ok(record)
}

/// Returns the number of the candidates that have a likely time.
fn count<'a>(possible: impl Iterator<Item = &'a Candidate>) -> u32 {
    let is_likely = |one: &&Candidate| one.plausibility() == Plausibility::Likely;
    possible.filter(is_likely).fold(0, |count, _| count + 1)
}

/// Takes an ID apart.
#[wasm_bindgen]
pub fn describe(format: &JsValue, id: &JsValue, options: Option<Given>) -> Result<Record, Thrown> {
    let reading = id::reading(format, id)?;
    let layouts = given::layouts(options.as_ref())?;
    let record = Record::new();
    let time = id::time(&reading, &layouts);
    // The text of a format that is no scheme's is the integer.
    let text = report::text(&reading, &given::digits(id));
    report::members(&record, &reading, time, &text, &layouts);
    Ok(record)
}

/// Reads the text of an ID.
#[wasm_bindgen]
pub fn parse(
    kind: &JsValue,
    text: &JsValue,
    form: &JsValue,
    options: Option<Given>,
) -> Result<JsValue, Thrown> {
    let kind = id::kind(kind)?;
    let text = given::id_text(text)?;
    let layouts = given::layouts(options.as_ref())?;
    let id = id::parse(kind, text.as_bytes(), &given::form(form)?, &layouts)?;
    Ok(id.to_u128().into())
}

/// Writes the text of an ID.
#[wasm_bindgen]
pub fn print(
    kind: &JsValue,
    id: &JsValue,
    form: &JsValue,
    options: Option<Given>,
) -> Result<String, Thrown> {
    let id = id::any(id::kind(kind)?, id)?;
    let layouts = given::layouts(options.as_ref())?;
    id::print(id, &given::form(form)?, &layouts)
}

/// Returns the bytes of an ID, the highest first.
#[wasm_bindgen(js_name = toBytes)]
pub fn to_bytes(kind: &JsValue, id: &JsValue) -> Result<Uint8Array, Thrown> {
    let id = id::any(id::kind(kind)?, id)?;
    Ok(Uint8Array::from(&*Reading::from(id).bytes()))
}

/// Reads the bytes of an ID.
#[wasm_bindgen(js_name = fromBytes)]
pub fn from_bytes(kind: &JsValue, bytes: &JsValue) -> Result<JsValue, Thrown> {
    let kind = id::kind(kind)?;
    let Some(bytes) = bytes.dyn_ref::<Uint8Array>() else {
        return Err(type_error("the bytes are no Uint8Array"));
    };
    let bytes = bytes.to_vec();
    if bytes.len() != kind.byte_len() {
        let expected = kind.byte_len();
        return Err(Thrown::range(&format!(
            "{} bytes, but {kind} IDs have {expected}",
            bytes.len()
        )));
    }
    let number = bytes.iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    Ok(id::of_number(kind, number)?.to_u128().into())
}

/// Converts an ID to another scheme.
#[wasm_bindgen]
pub fn convert(
    from: &JsValue,
    to: &JsValue,
    id: &JsValue,
    options: Option<Given>,
) -> Result<Record, Thrown> {
    let reading = id::reading(from, id)?;
    let kind = id::kind(to)?;
    let options = conversion(options.as_ref())?;
    let converted = convert_any(reading, kind, &options).map_err(range_error)?;
    let record = Record::new();
    record.set("id", &converted.id.to_u128().into());
    record.set("text", &JsValue::from_str(&converted.id.to_string()));
    record.set("loss", &report::loss(&converted.loss));
    Ok(record)
}

/// Reverses a conversion.
#[wasm_bindgen]
pub fn restore(
    from: &JsValue,
    to: &JsValue,
    converted: &JsValue,
    options: Option<Given>,
) -> Result<JsValue, Thrown> {
    let kind = id::kind(from)?;
    let converted = id::any(id::kind(to)?, converted)?;
    let options = conversion(options.as_ref())?;
    let id = restore_any(converted, kind, &options).map_err(range_error)?;
    Ok(id.to_u128().into())
}

fn conversion(options: Option<&Given>) -> Result<Options<'static>, Thrown> {
    Ok(Options {
        source: given::layouts(given::object(options, "source")?.as_ref())?,
        target: given::layouts(given::object(options, "target")?.as_ref())?,
        nodes: given::nodes(options)?,
        metabyte: given::small(options, "metabyte", 0..=u8::MAX)?.unwrap_or(0),
    })
}

/// Returns the lowest and the highest ID of a half-open range of times.
#[wasm_bindgen]
pub fn range(
    kind: &JsValue,
    since: &JsValue,
    until: &JsValue,
    options: Option<Given>,
) -> Result<Record, Thrown> {
    let kind = id::kind(kind)?;
    let layouts = given::layouts(options.as_ref())?;
    let [since, until] = [given::time(since, "since")?, given::time(until, "until")?];
    if since >= until {
        return Err(Thrown::range(&format!("since {since} is not before until {until}")));
    }
    let last = UnixTime::from_micros(until.as_micros() - 1);
    let nanoflake = Nanoflake { epoch: layouts.epoch };
    let kuid = Kuid { drift: layouts.drift };
    let ends: Result<(AnyId, AnyId), RangeError> = (|| {
        Ok(match kind {
            Kind::Scru64 => (Scru64Id::min_at(since)?.into(), Scru64Id::max_at(last)?.into()),
            Kind::Nanoflake => (nanoflake.min_at(since)?.into(), nanoflake.max_at(last)?.into()),
            Kind::KuidLocal => (LocalId::min_at(since)?.into(), LocalId::max_at(last)?.into()),
            Kind::KuidGlobal => (kuid.min_at(since)?.into(), kuid.max_at(last)?.into()),
            _ => (SnoId::min_at(since)?.into(), SnoId::max_at(last)?.into()),
        })
    })();
    let (min, max) = ends.map_err(range_error)?;
    let record = Record::new();
    record.set("min", &min.to_u128().into());
    record.set("max", &max.to_u128().into());
    Ok(record)
}

/// Returns an ID of given fields, for examples and tests. It is unique only by chance.
#[wasm_bindgen]
pub fn sample(kind: &JsValue, options: Option<Given>) -> Result<JsValue, Thrown> {
    let kind = id::kind(kind)?;
    let options = options.as_ref();
    let layouts = given::layouts(options)?;
    let time = match given::integer(options, "unixMs")? {
        Some(millis) => UnixTime::from_millis(millis).map_err(range_error)?,
        None => now()?,
    };
    let node = given::small(options, "node", 0..=u32::MAX)?.unwrap_or(0);
    let sequence = given::small(options, "sequence", 0..=u32::MAX)?.unwrap_or(0);
    let narrow = |what, value: u32| {
        let error = RangeError::new(what, value.into(), 0, u16::MAX.into());
        u16::try_from(value).map_err(|_| error)
    };
    let id: Result<AnyId, RangeError> = (|| {
        Ok(match kind {
            Kind::Scru64 => {
                let first = Scru64Id::min_at(time)?;
                let low = match layouts.node_size {
                    Some(size) => {
                        checked("node ID", node, size.max_node_id())? << size.counter_bits()
                            | checked("counter", sequence, size.max_counter())?
                    }
                    None => {
                        checked("node ID", node, 0)?;
                        sequence
                    }
                };
                Scru64Id::from_parts(first.timestamp(), low)?.into()
            }
            Kind::Nanoflake => {
                let first = Nanoflake { epoch: layouts.epoch }.min_at(time)?;
                let generator = GeneratorId::new(narrow("generator ID", node)?)?;
                let sequence = narrow("sequence", sequence)?;
                NanoflakeId::from_parts(first.timestamp(), generator, sequence)?.into()
            }
            Kind::KuidLocal | Kind::KuidGlobal => {
                let first = LocalId::min_at(time)?;
                let (a, b, c) = (first.mega_seconds(), first.seconds(), first.micro_seconds());
                let local = LocalId::from_parts(a, b, c, sequence)?;
                if kind == Kind::KuidLocal {
                    checked("node", node, 0)?;
                    local.into()
                } else {
                    GlobalId::from_local(local, Node::from_u32(node), layouts.drift).into()
                }
            }
            _ => {
                let partition = Partition::new(narrow("partition", node)?);
                let first = SnoId::min_at(time)?.with_partition(partition);
                first.with_sequence(narrow("sequence", sequence)?).into()
            }
        })
    })();
    Ok(id.map_err(range_error)?.to_u128().into())
}

fn checked(what: &'static str, value: u32, max: u32) -> Result<u32, RangeError> {
    if value <= max { Ok(value) } else { Err(RangeError::new(what, value.into(), 0, max.into())) }
}

/// Returns the browser's or Node's time.
fn now() -> Result<UnixTime, Thrown> {
    given::millis(Date::now()).ok_or_else(|| type_error("the clock shows no time"))
}
