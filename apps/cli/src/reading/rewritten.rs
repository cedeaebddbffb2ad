//! IDs as programs have rewritten them, which are read only after that has been undone.

use uuid::Uuid;

/// Returns what undoes the rewriting of an ID, as a phrase, and the ID's own text. They are not
/// read unasked, because nothing writes an ID so on purpose.
pub(super) fn of(text: &[u8]) -> Option<(&'static str, String)> {
    let text = str::from_utf8(text).ok()?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let digits = text.trim_start_matches('0');
    // Columns of fixed width have zeros in front.
    if digits.len() < text.len() && is_digits(digits) {
        return Some(("without the zeros in front", digits.to_owned()));
    }
    // Of Java and Python 2.
    if let Some(digits) = text.strip_suffix(['L', 'l']).filter(|digits| is_digits(digits)) {
        return Some(("without the L behind it", digits.to_owned()));
    }
    // Of pandas, whose columns with a missing value are doubles.
    if let Some(digits) = text.strip_suffix(".0").filter(|digits| is_digits(digits)) {
        return Some(("without the .0 behind it", digits.to_owned()));
    }
    // Of source code, as in 1_000.
    if text.contains('_') && text.split('_').all(is_digits) {
        return Some(("without its underscores", text.replace('_', "")));
    }
    if let Some(uuid) = of_base64(text) {
        return Some(("decoded from Base64", uuid.to_string()));
    }
    in_rfc_order(text).map(|uuid| ("out of the byte order of SQL Server", uuid.to_string()))
}

/// Returns the UUID whose first fields have the low byte first here, as those of .NET and SQL Server
/// have, if only this one has a version.
pub(super) fn in_rfc_order(text: &str) -> Option<Uuid> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("\\x")).unwrap_or(text);
    let uuid = Uuid::try_parse(digits).ok()?;
    let other = Uuid::from_bytes_le(*uuid.as_bytes());
    let has_version = |uuid: &Uuid| {
        uuid.get_variant() == uuid::Variant::RFC4122 && (1..=8).contains(&uuid.get_version_num())
    };
    (!has_version(&uuid) && has_version(&other)).then_some(other)
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
            ("175928847299117063l", "the L", id),
            ("175928847299117063.0", "the .0", id),
            ("175_928_847_299_117_063", "underscores", id),
            ("fwF/4nmwfMOYxNwMDAc5jw==", "Base64", "7f017fe2-79b0-7cc3-98c4-dc0c0c07398f"),
            ("4,\"AX8i4nmwfMOYxNwMDAc5jw==\"", "Base64", uuid),
            ("e2227f01-b079-c37c-98c4-dc0c0c07398f", "SQL Server", uuid),
            ("0xe2227f01b079c37c98c4dc0c0c07398f", "SQL Server", uuid),
        ] {
            let found = of(text.as_bytes());
            let is_it = |(said, rest): &(&str, String)| said.contains(how) && rest == own;
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
            "AX8i4nmwfMOYxNwMDAc5jw",
            "AX8i4nmwfMOYxNwMDAc5j!==",
        ] {
            assert_eq!(of(text.as_bytes()), None, "{text}");
        }
    }
}
