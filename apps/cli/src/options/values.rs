//! The values of options, as text. The errors name the range and the form, which clap's own parsers
//! leave out.

use core::ops::RangeInclusive;
use core::str::FromStr;
use core::time::Duration;

use tickid_convert::{SettingOption, SettingOptionError, Settings};
use tickid_core::RangeError;

use crate::message::shown;
use crate::options::when::{fixed, is_odd};

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

pub(crate) fn metabyte(text: &str) -> Result<u8, String> {
    number("metabyte", 0..=u8::MAX.into(), text)
}

/// Parses the value of a setting's option, and returns it as the option takes it.
pub(crate) fn setting(option: &SettingOption, text: &str) -> Result<String, String> {
    let set = |text: &str| option.set(&mut Settings::default(), text);
    let name = option.name;
    match set(text) {
        Ok(()) if option.is_time => check_epoch(text).map(|()| text.to_owned()),
        Ok(()) => Ok(text.to_owned()),
        // The option takes names and milliseconds, and people write dates, such as `2014-09-01`.
        Err(SettingOptionError::Epoch) => {
            let time =
                fixed(text).map_err(|error| format!("not the name of an {name}, and {error}"))?;
            if time.as_micros() % 1_000 != 0 {
                return Err(format!("an {name} is a whole millisecond"));
            }
            let millis = time.as_millis().to_string();
            set(&millis).map_err(|error| error.to_string())?;
            Ok(millis)
        }
        Err(error) => {
            // A layout of 64 bits says that it is one.
            let unsigned = text.replacen('@', "/unsigned@", 1);
            let hint = if set(&unsigned).is_ok() {
                format!("; a layout of 64 bits is {unsigned}")
            } else {
                String::new()
            };
            Err(format!("{error}{hint}"))
        }
    }
}

/// Refuses an epoch that is likelier a year or a count of seconds than of milliseconds: it is for
/// good, and a mistake would show when it is too late. Whole days are accepted, because the command
/// itself writes dates as milliseconds.
pub(crate) fn check_epoch(text: &str) -> Result<(), String> {
    const DAY_MICROS: i64 = 86_400_000_000;
    if is_odd(text) {
        let time = fixed(text)?;
        if time.as_micros() % DAY_MICROS == 0 {
            return Ok(());
        }
        return Err(format!(
            "epochs count milliseconds since 1970, so this one is {time}; as a date: 2020-01-01"
        ));
    }
    Ok(())
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
