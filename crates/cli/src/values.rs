//! The values of options, as text. The errors name the range and the form, which clap's own parsers
//! leave out.

use core::ops::RangeInclusive;
use core::str::FromStr;
use core::time::Duration;

use tickid_core::{RangeError, UnixTime};
use tickid_kuid::{Drift, Node as KuidNode};
use tickid_nanoflake::{Epoch, GeneratorId};
use tickid_scru64::{NodeIdSize, NodeSpec, NodeSpecError};
use tickid_sno::Partition;

use crate::message::shown;

pub(crate) fn parse<T: FromStr>(text: &str) -> Result<T, String>
where
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| shown(error.to_string()))
}

/// Parses a number in decimal, or in hexadecimal after 0x.
pub(crate) fn number<T: TryFrom<u64>>(
    name: &'static str,
    range: RangeInclusive<u64>,
    text: &str,
) -> Result<T, String> {
    let found = match text.strip_prefix("0x") {
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let (min, max) = (*range.start(), *range.end());
    let found = found.ok_or_else(|| format!("a {name} is a number from {min} to {max}"))?;
    let number = u64::try_from(found).ok().filter(|number| range.contains(number));
    number
        .and_then(|number| number.try_into().ok())
        .ok_or_else(|| RangeError::new(name, found, min.into(), max.into()).to_string())
}

/// Parses a number of seconds, or a duration with units.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let parsed = text.parse::<jiff::SignedDuration>().ok();
            parsed.and_then(|duration| Duration::try_from(duration).ok())
        }
    };
    parsed.ok_or_else(|| "a duration is a number of seconds, or has units: 90s, 5m, 1h30m".into())
}

/// Parses a count, also in thousands (k), millions (M) or billions (G).
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes() {
        [.., b'k' | b'K'] => (&text[..text.len() - 1], 1_000),
        [.., b'M'] => (&text[..text.len() - 1], 1_000_000),
        [.., b'G'] => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let count: u64 = number("count", 0..=u64::MAX / factor, digits).map_err(|error| {
        format!("{error}, also in thousands, millions and billions: 10k, 1M, 1G")
    })?;
    Ok(count * factor)
}

pub(crate) fn node_size(text: &str) -> Result<NodeIdSize, String> {
    let range = NodeIdSize::MIN.get().into()..=NodeIdSize::MAX.get().into();
    let bits = number("node ID size in bits", range, text)?;
    NodeIdSize::new(bits).map_err(|error| error.to_string())
}

/// Parses a node that is a number of `bits` bits: N, or N/BITS as leases print it.
fn node<T: TryFrom<u64>>(
    (scheme, name): (&str, &'static str),
    bits: u32,
    text: &str,
) -> Result<T, String> {
    let value = match text.split_once('/') {
        Some((value, size)) => {
            let found: u32 = number("node size in bits", 1..=64, size)
                .map_err(|error| format!("'{}': {error}", shown(text)))?;
            if found != bits {
                let value = shown(value);
                return Err(format!(
                    "node {value} of {found} bits is not of this scheme: a {scheme} node has {bits} bits"
                ));
            }
            value
        }
        None => text,
    };
    number(name, 0..=(1 << bits) - 1, value)
}

pub(crate) fn generator_id(text: &str) -> Result<GeneratorId, String> {
    let id = node(("Nanoflake", "generator ID"), GeneratorId::BITS, text)?;
    GeneratorId::new(id).map_err(|error| error.to_string())
}

pub(crate) fn partition(text: &str) -> Result<Partition, String> {
    node(("sno", "partition"), u16::BITS, text).map(Partition::new)
}

/// Parses a kuid node that is a number: N/BITS as leases print it, or a fingerprint after 0x.
/// `None` is a name. What no node is called is a mistyped number, which would have a fingerprint
/// too: a text without a letter, and one with spaces, `/` or `,`.
pub(crate) fn kuid_node(text: &str) -> Result<Option<KuidNode>, String> {
    let (value, size) = text.split_once('/').unzip();
    let value = value.unwrap_or(text);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let node = |text| node(("kuid", "node"), u32::BITS, text).map(KuidNode::from_u32);
    if size.is_some_and(is_number) && (value.starts_with("0x") || is_number(value)) {
        return node(text).map(Some);
    }
    let text_shown = shown(text);
    if value.starts_with("0x") {
        return node(text).map(Some).map_err(|_| {
            format!("'{text_shown}' is not a fingerprint: 0x and 1 to 8 hexadecimal digits")
        });
    }
    if is_number(text) {
        return Err(format!(
            "{text_shown} is a number, and not the name of a node: write {text_shown}/32, or 0x \
             and its hexadecimal digits"
        ));
    }
    let is_strange = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | ',');
    if !text.is_empty() && (text.contains(is_strange) || !text.contains(char::is_alphabetic)) {
        return Err(format!(
            "'{text_shown}' is neither the name of a node, as in uid@127.0.0.1, nor a number, as \
             in 60145/32"
        ));
    }
    Ok(None)
}

pub(crate) fn metabyte(text: &str) -> Result<u8, String> {
    number("metabyte", 0..=u8::MAX.into(), text)
}

pub(crate) fn drift(text: &str) -> Result<Drift, String> {
    let range = Drift::MIN.get().into()..=Drift::MAX.get().into();
    Drift::new(number("kuid drift in bits", range, text)?).map_err(|error| error.to_string())
}

/// Parses a SCRU64 node spec, or a node ID if an option has its size.
pub(crate) fn node_spec(text: &str, size: Option<NodeIdSize>) -> Result<NodeSpec, String> {
    if let (Some(size), false) = (size, text.contains('/')) {
        let id = number("node ID", 0..=size.max_node_id().into(), text)?;
        return NodeSpec::with_node_id(id, size).map_err(|error| error.to_string());
    }
    text.parse().map_err(|error| match error {
        NodeSpecError::Range(error) => error.to_string(),
        error => format!(
            "{error}; as in 42/8: node ID 42 (0 to 255) in 8 bits (1 to 23), or 42 \
                           with --node-size 8"
        ),
    })
}

pub(crate) fn epoch(text: &str) -> Result<Epoch, String> {
    let time = match text {
        "twitter" => return Ok(Epoch::TWITTER),
        "discord" => return Ok(Epoch::DISCORD),
        "unix" => return Ok(Epoch::UNIX),
        other => time(other).map_err(|error| format!("no name of an epoch, and {error}"))?,
    };
    if time.as_micros() % 1_000 != 0 {
        return Err("an epoch is a whole millisecond".into());
    }
    Epoch::from_unix_millis(time.as_millis()).map_err(|error| error.to_string())
}

/// Parses a time in milliseconds since 1970 or in RFC 3339, and cuts it to whole microseconds.
pub(crate) fn time(text: &str) -> Result<UnixTime, String> {
    if let Ok(millis) = text.parse::<i128>() {
        let time = i64::try_from(millis).ok().and_then(|millis| UnixTime::from_millis(millis).ok());
        let [min, max] = [UnixTime::MIN, UnixTime::MAX].map(|time| time.as_millis().into());
        let error = || RangeError::new("time in milliseconds", millis, min, max).to_string();
        return time.ok_or_else(error);
    }
    let form = "neither milliseconds since 1970 nor RFC 3339, as in 2024-01-01T00:00:00Z";
    let time: jiff::Timestamp = text.parse().map_err(|_| form)?;
    UnixTime::try_from(time).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_units() {
        for (text, expected) in [
            ("0", 0),
            ("7", 7),
            ("0x10", 16),
            ("3k", 3_000),
            ("1M", 1_000_000),
            ("2G", 2_000_000_000),
        ] {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for text in ["", "M", "1m", "1MM", "-1", "18446744073709552k"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
