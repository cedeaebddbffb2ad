//! tickid's detector, conversions and generators for JavaScript: the npm package `tickid-wasm` and
//! the inspector page.
//!
//! The functions are documented in `npm/index.d.ts`, for those who call them. IDs are `bigint`s.
//! Nothing is rounded or cut: what does not fit throws an error that names the value and the range.

mod generator;
mod given;
mod id;
mod report;

use js_sys::{Date, Uint8Array};
use tickid_convert::{AnyId, AnyScheme, Kind, Options, Settings, convert_any, restore_any};
use tickid_core::{ManualClock, UnixTime};
use tickid_detect::{Detector, Inspection, LayoutCard, Summary, TimeOrdered, trimmed};
use tickid_snowflake::{AnySnowflake, Preset};
use wasm_bindgen::prelude::*;

use crate::given::{Given, Thrown, range_error, type_error};
use crate::report::Record;

// Words are taken as any value: as a `&str`, an argument that is not a string would be a pointer to
// anywhere.

/// Returns the kinds of IDs that can be made.
#[wasm_bindgen]
pub fn kinds(options: Option<Given>) -> Result<js_sys::Array, Thrown> {
    let settings = given::settings(options.as_ref())?;
    Ok(Kind::ALL.iter().map(|kind| report::kind(*kind, &settings)).collect())
}

/// Returns the card of a layout of Snowflakes.
#[wasm_bindgen]
pub fn layout(spec: &JsValue) -> Result<JsValue, Thrown> {
    let spec = spec.as_string().ok_or_else(|| type_error("the layout is not a string"))?;
    report::card(&LayoutCard::new(AnySnowflake::read(&spec).map_err(range_error)?, Some(now()?)))
}

/// Returns the cards of the layouts that have names.
#[wasm_bindgen]
pub fn presets() -> Result<js_sys::Array, Thrown> {
    let now = now()?;
    let cards = Preset::ALL.iter().map(|preset| LayoutCard::new(preset.layout(), Some(now)));
    cards.map(|card| report::card(&card)).collect()
}

/// Returns every reading of a text, likeliest first.
#[wasm_bindgen]
pub fn inspect(text: &JsValue, options: Option<Given>) -> Result<Record, Thrown> {
    let text = given::id_text(text)?;
    // Trimming removes whole ASCII characters.
    let text = String::from_utf8_lossy(trimmed(text.as_bytes()));
    let (detector, limit) = detector(options.as_ref())?;
    Ok(report::inspections(&text, &detector.inspect(&text), limit))
}

/// Returns the IDs in a text, in the order in which they stand.
#[wasm_bindgen]
pub fn find(text: &JsValue, options: Option<Given>) -> Result<js_sys::Array, Thrown> {
    let text = text.as_string().ok_or_else(|| type_error("the text is not a string"))?;
    let (detector, limit) = detector(options.as_ref())?;
    let (mut start, mut end) = (0, 0);
    let all = js_sys::Array::new();
    for (place, found) in detector.find(text.as_bytes()) {
        // IDs are ASCII; strings of JavaScript count the text between them in UTF-16.
        let between = text.get(end..place.start).unwrap_or_default();
        start += between.encode_utf16().count();
        let id = text.get(place.clone()).unwrap_or_default();
        let record = report::inspections(id, &found, limit);
        record.set("start", &start.into());
        start += id.len();
        record.set("end", &start.into());
        end = place.end;
        all.push(&record);
    }
    Ok(all)
}

/// Inspects the texts of a column, which decide together what one integer cannot, and counts them
/// by format.
#[wasm_bindgen]
pub fn column(texts: &JsValue, options: Option<Given>) -> Result<Record, Thrown> {
    /// The number of texts that decide, as for the command.
    const AHEAD: usize = 10;

    if !js_sys::Array::is_array(texts) {
        return Err(type_error("the texts are not an array"));
    }
    let texts: Result<Vec<String>, Thrown> =
        js_sys::Array::from(texts).iter().map(|text| given::id_text(&text)).collect();
    let texts = texts?;
    let texts: Vec<_> =
        texts.iter().map(|text| String::from_utf8_lossy(trimmed(text.as_bytes()))).collect();
    // The first texts decide for all of them, until one is of another format.
    let (detector, limit) = detector(options.as_ref())?;
    let skip = given::small(options.as_ref(), "skip", 0..=u32::MAX)?.unwrap_or(0) as usize;
    let mut agreement = detector.agreement(texts.iter().take(AHEAD).map(|text| text.as_bytes()));
    let mut summary = Summary::default();
    let inspections = js_sys::Array::new();
    for (place, text) in texts.iter().enumerate() {
        let mut found = detector.inspect(text);
        found.agree(&mut agreement);
        let likely = found.readings().likely();
        summary.add(likely.map(|one| (one.identifier().shown_format(), one.unix_time())));
        // The page asks for a single text of a column with all its readings, and skips the ones
        // before it. They are inspected all the same, because they help to decide what it is.
        if place >= skip {
            inspections.push(&report::inspections(text, &found, limit));
        }
    }
    let record = Record::new();
    record.set("inspections", &inspections);
    record
        .set("summary", &summary.rows().iter().map(report::summary_row).collect::<js_sys::Array>());
    Ok(record)
}

/// Returns the detector that the options describe, and the largest number of readings to return.
fn detector(options: Option<&Given>) -> Result<(Detector<ManualClock>, u32), Thrown> {
    let settings = given::settings(options)?;
    let now = match given::integer(options, "now")? {
        Some(millis) => UnixTime::from_millis(millis).map_err(range_error)?,
        None => now()?,
    };
    let limit = given::small(options, "limit", 0..=u32::MAX)?.unwrap_or(u32::MAX);
    Ok((Detector::new(settings, ManualClock::new(now)), limit))
}

/// Takes an ID apart.
#[wasm_bindgen]
pub fn describe(format: &JsValue, id: &JsValue, options: Option<Given>) -> Result<Record, Thrown> {
    let mut settings = given::settings(options.as_ref())?;
    let identifier = id::identifier(format, id, &mut settings)?;
    Ok(report::inspection(&Inspection::new(identifier, "", &settings)))
}

/// Reads the text of an ID.
#[wasm_bindgen]
pub fn parse(
    kind: &JsValue,
    text: &JsValue,
    form: &JsValue,
    options: Option<Given>,
) -> Result<JsValue, Thrown> {
    let mut settings = given::settings(options.as_ref())?;
    let kind = id::scheme(kind, &mut settings)?;
    let text = given::id_text(text)?;
    let id = id::parse(kind, text.as_bytes(), &given::form(form)?, &settings)?;
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
    let mut settings = given::settings(options.as_ref())?;
    let id = id::any(id::scheme(kind, &mut settings)?, id)?;
    id::print(id, &given::form(form)?, &settings)
}

/// Returns the bytes of an ID, the highest first.
#[wasm_bindgen(js_name = toBytes)]
pub fn to_bytes(kind: &JsValue, id: &JsValue) -> Result<Uint8Array, Thrown> {
    let id = id::any(id::scheme(kind, &mut Settings::default())?, id)?;
    Ok(Uint8Array::from(&*id.bytes()))
}

/// Reads the bytes of an ID.
#[wasm_bindgen(js_name = fromBytes)]
pub fn from_bytes(kind: &JsValue, bytes: &JsValue) -> Result<JsValue, Thrown> {
    let kind = id::scheme(kind, &mut Settings::default())?;
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
    let id = AnyId::from_bytes(kind, &bytes).map_err(range_error)?;
    Ok(id.to_u128().into())
}

/// Converts an ID to another scheme.
#[wasm_bindgen]
pub fn convert(
    from: &JsValue,
    to: &JsValue,
    id: &JsValue,
    options: Option<Given>,
) -> Result<Record, Thrown> {
    let mut options = conversion(options.as_ref())?;
    // The names may be those of layouts, which become the settings of the conversion.
    let identifier = id::identifier(from, id, &mut options.source)?;
    let kind = id::scheme(to, &mut options.target)?;
    let converted = convert_any(identifier, kind, &options).map_err(range_error)?;
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
    let mut options = conversion(options.as_ref())?;
    let kind = id::scheme(from, &mut options.source)?;
    let converted = id::any(id::scheme(to, &mut options.target)?, converted)?;
    let id = restore_any(converted, kind, &options).map_err(range_error)?;
    Ok(id.to_u128().into())
}

fn conversion(options: Option<&Given>) -> Result<Options<'static>, Thrown> {
    Ok(Options {
        source: given::settings(given::object(options, "source")?.as_ref())?,
        target: given::settings(given::object(options, "target")?.as_ref())?,
        nodes: given::nodes(options)?,
        metabyte: given::small(options, "metabyte", 0..=u8::MAX)?.unwrap_or(0),
    })
}

/// Returns the lowest and the highest ID of a half-open range of times.
#[wasm_bindgen]
pub fn range(
    of: &JsValue,
    since: &JsValue,
    until: &JsValue,
    options: Option<Given>,
) -> Result<Record, Thrown> {
    let mut settings = given::settings(options.as_ref())?;
    let name = of.as_string().unwrap_or_default();
    let read_only = TimeOrdered::all().find(|one| one.name() == name);
    let kind = match read_only {
        Some(_) => None,
        None => Some(id::scheme(of, &mut settings)?),
    };
    let [since, until] = [given::time(since, "since")?, given::time(until, "until")?];
    if since >= until {
        return Err(Thrown::range(&format!("since {since} is not before until {until}")));
    }
    // The highest ID is that of the last time before the end, and the smallest step of times is a
    // microsecond.
    let last = UnixTime::from_micros(until.as_micros() - 1);
    let none = || Thrown::range(&format!("no ID shows a time from {since} to before {until}"));
    let record = Record::new();
    if let Some(kind) = kind {
        let scheme = AnyScheme::new(kind, &settings);
        // Times without an ID are named, rather than cut to those that have one.
        scheme.min_at(since).and(scheme.max_at(last)).map_err(range_error)?;
        let ids = scheme.range(since..until).ok_or_else(none)?;
        record.set("min", &ids.start().to_u128().into());
        record.set("max", &ids.end().to_u128().into());
    }
    if let Some(format) = read_only {
        let min = format.min_at(since).map_err(range_error)?;
        let max = format.max_at(last).map_err(range_error)?;
        // If no tick starts within the range, the lowest ID is above the highest.
        if *min.bytes() > *max.bytes() {
            return Err(none());
        }
        for (end, id) in [("min", min), ("max", max)] {
            // Integers as such, and others as their text, which sorts like them. A TID is an
            // integer, too, but is written in Base32.
            let inspection = Inspection::new(id, "", &settings);
            let text = inspection.text();
            let integer = id.integer().filter(|integer| integer.to_string() == text);
            record.set(end, &integer.map_or_else(|| text.into(), JsValue::from));
        }
    }
    Ok(record)
}

/// Returns an ID of given fields, for examples and tests. It is unique only by chance.
#[wasm_bindgen]
pub fn sample(kind: &JsValue, options: Option<Given>) -> Result<JsValue, Thrown> {
    let options = options.as_ref();
    let mut settings = given::settings(options)?;
    let kind = id::scheme(kind, &mut settings)?;
    let time = match given::integer(options, "unixMs")? {
        Some(millis) => UnixTime::from_millis(millis).map_err(range_error)?,
        None => now()?,
    };
    let node = given::small(options, "node", 0..=u32::MAX)?.unwrap_or(0);
    let sequence = given::small(options, "sequence", 0..=u32::MAX)?.unwrap_or(0);
    let scheme = AnyScheme::new(kind, &settings);
    let id = scheme.id_at(time, node.into(), sequence.into()).map_err(range_error)?;
    Ok(id.to_u128().into())
}

/// Returns the browser's or Node's time.
fn now() -> Result<UnixTime, Thrown> {
    given::millis(Date::now()).ok_or_else(|| type_error("the clock shows no time"))
}
