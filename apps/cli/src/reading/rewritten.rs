//! IDs as programs have rewritten them, which are read only after that has been undone.

use std::borrow::Cow;

use uuid::Uuid;

/// The suffixes of integers in Rust, C, Java and Python 2.
const SUFFIXES: [&str; 12] =
    ["u64", "i64", "u128", "ULL", "ull", "LL", "ll", "UL", "ul", "U", "L", "l"];

/// The characters that divide digits into groups of three, in the countries' ways: as they are typed,
/// and as spreadsheets and programs write them.
const SEPARATORS: [char; 6] = [',', '.', ' ', '\'', '\u{a0}', '\u{202f}'];

/// Returns what undoes the rewriting of an ID, as a phrase, and the ID's own text. They are not
/// read unasked, because nothing writes an ID so on purpose.
pub(super) fn of(text: &[u8]) -> Option<(Cow<'static, str>, String)> {
    let text = str::from_utf8(text).ok()?;
    let digits = text.trim_start_matches('0');
    // Columns of fixed width have zeros in front.
    if digits.len() < text.len() && is_digits(digits) {
        return Some(("without the zeros in front".into(), digits.to_owned()));
    }
    // Of source code, as in 1_000u64.
    let mut endings = SUFFIXES.iter().filter_map(|it| Some((it, text.strip_suffix(it)?)));
    let ending = endings.find_map(|(suffix, rest)| {
        let (_, digits) = undivided(rest.strip_suffix('_').unwrap_or(rest))?;
        Some((format!("without the {suffix} behind it"), digits))
    });
    if let Some((how, digits)) = ending {
        return Some((how.into(), digits));
    }
    // Of pandas, whose columns with a missing value are doubles.
    if let Some(digits) = text.strip_suffix(".0").filter(|digits| is_digits(digits)) {
        return Some(("without the .0 behind it".into(), digits.to_owned()));
    }
    if let Some((Some(how), digits)) = undivided(text) {
        return Some((how.into(), digits));
    }
    if let Some(uuid) = of_base64(text) {
        return Some(("decoded from Base64".into(), uuid.to_string()));
    }
    in_rfc_order(text).map(|uuid| ("out of the byte order of SQL Server".into(), uuid.to_string()))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// Returns the digits without what divides them, and a phrase that says so if anything does.
fn undivided(text: &str) -> Option<(Option<&'static str>, String)> {
    if is_digits(text) {
        return Some((None, text.to_owned()));
    }
    // Of source code, as in 1_000, in groups of any length.
    if text.split('_').all(is_digits) {
        return Some((Some("without its underscores"), text.replace('_', "")));
    }
    let separator = text.chars().find(|it| SEPARATORS.contains(it))?;
    let mut groups = text.split(separator);
    let is_first = |first: &str| is_digits(first) && first.len() <= 3;
    let is_other = |other: &str| is_digits(other) && other.len() == 3;
    // A single one of a number would be its decimal point.
    let is_divided = text.matches(separator).count() > 1 && groups.next().is_some_and(is_first);
    (is_divided && groups.all(is_other))
        .then(|| (Some("without its separators"), text.replace(separator, "")))
}

/// Returns the UUID whose first fields have the low byte first here, as those of .NET and SQL Server
/// have, if only this one has a version.
pub(super) fn in_rfc_order(text: &str) -> Option<Uuid> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("\\x")).unwrap_or(text);
    let uuid = Uuid::try_parse(digits).ok()?;
    let other = Uuid::from_bytes_le(*uuid.as_bytes());
    (!has_version(&uuid) && has_version(&other)).then_some(other)
}

/// Reports whether a UUID has a version of RFC 9562.
pub(crate) fn has_version(uuid: &Uuid) -> bool {
    uuid.get_variant() == uuid::Variant::RFC4122 && (1..=8).contains(&uuid.get_version_num())
}

/// Reads 16 bytes in Base64, as MongoDB's shell prints them, also behind the number of a subtype.
fn of_base64(text: &str) -> Option<Uuid> {
    let text = text.split_once(",\"").map_or(text, |(_, text)| text.trim_end_matches('"'));
    let digits = text.strip_suffix("==").filter(|digits| digits.len() == 22)?;
    let value = |digit: u8| {
        Some(match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        })
    };
    let (last, others) = digits.as_bytes().split_last()?;
    let number = others
        .iter()
        .try_fold(0, |number: u128, digit| Some(number << 6 | u128::from(value(*digit)?)))?;
    // 126 bits, and two of the last digit, whose others are 0.
    let uuid = Uuid::from_u128(number << 2 | u128::from(value(*last)? >> 4));
    (uuid.get_variant() == uuid::Variant::RFC4122).then_some(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_ids_are_told() {
        let (id, uuid) = ("175928847299117063", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
        for (text, how, own) in [
            ("000175928847299117063", "zeros", id),
            ("175928847299117063L", "the L", id),
            ("175928847299117063l", "the l", id),
            ("175928847299117063.0", "the .0", id),
            ("175_928_847_299_117_063", "underscores", id),
            ("175928847299117063u64", "the u64", id),
            ("175_928_847_299_117_063_u64", "the u64", id),
            ("175928847299117063ULL", "the ULL", id),
            ("175'928'847'299'117'063LL", "the LL", id),
            ("175,928,847,299,117,063", "separators", id),
            ("175.928.847.299.117.063", "separators", id),
            ("175 928 847 299 117 063", "separators", id),
            ("175'928'847'299'117'063", "separators", id),
            ("175\u{202f}928\u{202f}847\u{202f}299\u{202f}117\u{202f}063", "separators", id),
            ("fwF/4nmwfMOYxNwMDAc5jw==", "Base64", "7f017fe2-79b0-7cc3-98c4-dc0c0c07398f"),
            ("4,\"AX8i4nmwfMOYxNwMDAc5jw==\"", "Base64", uuid),
            ("e2227f01-b079-c37c-98c4-dc0c0c07398f", "SQL Server", uuid),
            ("0xe2227f01b079c37c98c4dc0c0c07398f", "SQL Server", uuid),
        ] {
            let found = of(text.as_bytes());
            let is_it = |(said, rest): &(Cow<'_, str>, String)| said.contains(how) && rest == own;
            assert!(found.as_ref().is_some_and(is_it), "{text}: {found:?}");
        }
        for text in [
            id,
            uuid,
            "",
            "0",
            "L",
            ".0",
            "_",
            "1__2",
            "_12",
            "12_",
            "12a_3",
            "1.50",
            "1.500",
            "1,500",
            "1,500.250",
            "1,50,000",
            "1000,000,000",
            ",500,000",
            "u64",
            "_u64",
            "12au64",
            "AX8i4nmwfMOYxNwMDAc5jw",
            "AX8i4nmwfMOYxNwMDAc5j!==",
        ] {
            assert_eq!(of(text.as_bytes()), None, "{text}");
        }
    }
}
