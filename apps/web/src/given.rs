//! Arguments and options, as JavaScript passes them.

use core::fmt::Display;
use core::ops::RangeInclusive;

use tickid_convert::{Kind, Nodes, Settings};
use tickid_core::{RangeError, UnixTime};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An object with options.
    pub type Given;

    #[wasm_bindgen(method, indexing_getter)]
    fn get(this: &Given, name: &str) -> JsValue;
}

/// An exception.
pub struct Thrown(JsValue);

impl Thrown {
    /// Returns a `RangeError`.
    pub(crate) fn range(message: &str) -> Self {
        Self(js_sys::RangeError::new(message).into())
    }
}

impl From<JsValue> for Thrown {
    fn from(exception: JsValue) -> Self {
        Self(exception)
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

/// Returns the `RangeError` for a value that does not fit.
pub(crate) fn range_error(error: impl Display) -> Thrown {
    Thrown::range(&error.to_string())
}

/// Returns the `SyntaxError` for a text that is not an ID.
pub(crate) fn syntax_error(error: impl Display) -> Thrown {
    Thrown(js_sys::SyntaxError::new(&error.to_string()).into())
}

/// Returns the `TypeError` for an argument of another type, or an unknown word.
pub(crate) fn type_error(message: &str) -> Thrown {
    Thrown(js_sys::TypeError::new(message).into())
}

/// Returns an ID that was given as text, or as an integer for its digits.
pub(crate) fn id_text(value: &JsValue) -> Result<String, Thrown> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    if value.is_bigint() {
        return Ok(digits(value));
    }
    Err(type_error("an ID is a string or a bigint; a number loses digits"))
}

/// Returns the name of a form of text, `text` if it is left out.
pub(crate) fn form(value: &JsValue) -> Result<String, Thrown> {
    if value.is_undefined() || value.is_null() {
        return Ok("text".to_owned());
    }
    value.as_string().ok_or_else(|| type_error("the form is not a string"))
}

/// Returns the decimal digits of a `bigint`.
pub(crate) fn digits(bigint: &JsValue) -> String {
    bigint
        .unchecked_ref::<js_sys::BigInt>()
        .to_string(10)
        .map_or_else(|_| String::new(), String::from)
}

/// Returns an option, unless it is left out.
fn option(given: Option<&Given>, name: &str) -> Option<JsValue> {
    let value = given?.get(name);
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// Returns an option that is an integer.
pub(crate) fn integer(given: Option<&Given>, name: &'static str) -> Result<Option<i64>, Thrown> {
    option(given, name).map(|value| whole(&value, name)).transpose()
}

/// Returns an integer, given as a `number` or a `bigint`.
fn whole(value: &JsValue, name: &str) -> Result<i64, Thrown> {
    if value.is_bigint() {
        let number = i64::try_from(value.clone());
        return number
            .map_err(|_| Thrown::range(&format!("{name} {} does not fit 64 bits", digits(value))));
    }
    let number = value.as_f64().and_then(exact);
    number.ok_or_else(|| type_error(&format!("{name} is not an integer")))
}

/// Returns a number as the integer that it is, if it is one that has no neighbour within 1.
fn exact(number: f64) -> Option<i64> {
    // `Number.MAX_SAFE_INTEGER`, 2^53 - 1. Above it, different integers are the same `number`.
    const LAST: f64 = 9_007_199_254_740_991.0;
    #[allow(clippy::cast_possible_truncation, reason = "a safe integer")]
    (number.trunc() == number && number.abs() <= LAST).then_some(number as i64)
}

/// Returns the time of a number of milliseconds, without its fraction.
pub(crate) fn millis(number: f64) -> Option<UnixTime> {
    UnixTime::from_millis(exact(number.floor())?).ok()
}

/// Returns an argument that is a time.
pub(crate) fn time(value: &JsValue, name: &'static str) -> Result<UnixTime, Thrown> {
    UnixTime::from_millis(whole(value, name)?).map_err(range_error)
}

/// Returns an option that is an integer of a range.
pub(crate) fn small<T>(
    given: Option<&Given>,
    name: &'static str,
    range: RangeInclusive<T>,
) -> Result<Option<T>, Thrown>
where
    T: Copy + Into<i128> + TryFrom<i64> + PartialOrd,
{
    let Some(value) = integer(given, name)? else { return Ok(None) };
    let number = T::try_from(value).ok().filter(|number| range.contains(number));
    let (min, max) = ((*range.start()).into(), (*range.end()).into());
    let number =
        number.ok_or_else(|| range_error(RangeError::new(name, value.into(), min, max)))?;
    Ok(Some(number))
}

/// Returns an option that is an object.
pub(crate) fn object(given: Option<&Given>, name: &str) -> Result<Option<Given>, Thrown> {
    match option(given, name) {
        Some(value) if value.is_object() => Ok(Some(value.unchecked_into())),
        Some(_) => Err(type_error(&format!("{name} is not an object"))),
        None => Ok(None),
    }
}

/// Reads the settings from the options, which are named as on the command line, but in camel case:
/// `nodeSize` is `--node-size`.
pub(crate) fn settings(given: Option<&Given>) -> Result<Settings, Thrown> {
    let mut settings = Settings::default();
    for known in Kind::ALL.iter().flat_map(|kind| kind.setting_options()) {
        let name = camel_case(known.name);
        let Some(value) = option(given, &name) else { continue };
        let text = match value.as_string() {
            Some(text) => text,
            None => whole(&value, &name)?.to_string(),
        };
        known.set(&mut settings, &text).map_err(range_error)?;
    }
    Ok(settings)
}

/// Returns `node-size` as `nodeSize`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut is_initial = false;
    let letter = |letter: char| {
        let is_first = core::mem::replace(&mut is_initial, letter == '-');
        let letter = if is_first { letter.to_ascii_uppercase() } else { letter };
        (letter != '-').then_some(letter)
    };
    name.chars().filter_map(letter).collect()
}

/// Returns the option for the nodes of new IDs.
pub(crate) fn nodes(given: Option<&Given>) -> Result<Nodes<'static>, Thrown> {
    let Some(value) = option(given, "nodes") else { return Ok(Nodes::Keep) };
    match value.as_string().as_deref() {
        Some("keep") => Ok(Nodes::Keep),
        Some("low-bits") => Ok(Nodes::LowBits),
        Some("high-bits") => Ok(Nodes::HighBits),
        Some(_) => Err(type_error("nodes is none of keep, low-bits, high-bits and an integer")),
        None => {
            let node = whole(&value, "nodes")?;
            let in_range = u64::try_from(node);
            let error = RangeError::new("nodes", node.into(), 0, i64::MAX.into());
            Ok(Nodes::Set(in_range.map_err(|_| range_error(error))?))
        }
    }
}
