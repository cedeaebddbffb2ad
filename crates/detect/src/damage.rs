//! IDs that a program has damaged as it wrote them as numbers.

use core::fmt;

use crate::literal;

/// The damage that a program has done to an integer, for example by rounding it. The ID cannot be
/// restored from such a text, because its last digits are lost.
///
/// # Examples
/// ```
/// use tickid_detect::Damage;
///
/// assert_eq!(Damage::of(b"653247040368672768"), None);
/// assert_eq!(Damage::of(b"653247040368672800"), Some(Damage::Rounded));
/// assert_eq!(Damage::of(b"6.53247E+17"), Some(Damage::Scientific));
/// assert_eq!(Damage::of(b"6.5324704036867277e+17"), Some(Damage::Float));
/// assert_eq!(Damage::Rounded.reason(), "JavaScript may have rounded this; carry IDs as text");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Damage {
    /// An integer above 2^53 that is the shortest text of its own double. JavaScript and other
    /// programs without integers of 64 bits print this text for every integer close to it.
    ///
    /// This is a hint and no proof, since some integers have such a text by accident. Just above
    /// 2^53, every second one has, at 2^56 one in 16, and at 2^62 one in 1,024.
    Rounded,
    /// A number in scientific notation, such as `1.2E+17`. A spreadsheet has written it, and
    /// dropped the digits after the fifteenth or an earlier one.
    Scientific,
    /// A number that a program held as a floating-point number: in scientific notation with a small
    /// `e` or more digits than spreadsheets write, such as `1.4560744691298714e+18`, or above 2^53
    /// with `.0` behind it. pandas makes such numbers of a column of integers with a missing value.
    Float,
}

impl Damage {
    /// Returns the damage of a text, or `None` if it shows none.
    #[must_use]
    pub fn of(text: &[u8]) -> Option<Self> {
        if let Some(damage) = Self::of_notation(text) {
            return Some(damage);
        }
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let number = literal::integer(digits).and_then(|number| u64::try_from(number).ok())?;
        is_rounded(number, digits).then_some(Self::Rounded)
    }

    /// Returns the damage that the notation of a number shows, which is any but
    /// [`Rounded`](Self::Rounded). No text with it is an ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_detect::Damage;
    ///
    /// assert_eq!(Damage::of_notation(b"1.2E+17"), Some(Damage::Scientific));
    /// assert_eq!(Damage::of_notation(b"653247040368672800"), None);
    /// ```
    #[must_use]
    pub fn of_notation(text: &[u8]) -> Option<Self> {
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        // Smaller ones have all of their digits.
        let is_large = |digits| literal::integer(digits).is_some_and(|it| it > EXACT.into());
        let is_float = || digits.strip_suffix(b".0").is_some_and(is_large);
        of_scientific(digits).or_else(|| is_float().then_some(Self::Float))
    }

    /// Returns what has happened and what to do about it, as a phrase.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Rounded => "JavaScript may have rounded this; carry IDs as text",
            Self::Scientific => "spreadsheets round large integers; export the column as text",
            Self::Float => {
                "a program held this as a floating-point number, which rounds; in pandas, read the \
                 column with dtype='Int64' or str"
            }
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.reason())
    }
}

/// Doubles hold all integers up to this one exactly.
const EXACT: u64 = 1 << 53;

/// Reports whether digits are the shortest text of the double that the number is closest to.
fn is_rounded(number: u64, digits: &[u8]) -> bool {
    /// Compares what is written with the text, because there is no memory to write it to.
    struct Expected<'a>(&'a [u8]);

    impl fmt::Write for Expected<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(text.as_bytes()).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    // Doubles hold integers of up to 53 bits exactly. From 2^56 on they are at least 16 apart, so
    // each is the double nearest to some multiple of 10, which is its shortest text.
    if number <= EXACT || (number >> 56 != 0 && !number.is_multiple_of(10)) {
        return false;
    }
    #[allow(clippy::cast_precision_loss, reason = "the loss is looked for")]
    let double = number as f64;
    // Powers of 10 are doubles themselves, so a double has no fewer digits than its integers.
    fmt::write(&mut Expected(digits), format_args!("{double}")).is_ok()
}

/// Returns the damage of a number with an exponent, if it has the twelve digits or more from which on
/// spreadsheets write one.
fn of_scientific(text: &[u8]) -> Option<Damage> {
    /// The most digits that spreadsheets keep.
    const DIGITS: usize = 15;

    let place = text.iter().position(|byte| matches!(byte, b'e' | b'E'))?;
    let (mantissa, exponent) = text.split_at_checked(place)?;
    let (sign, exponent) = exponent.split_first()?;
    // Spreadsheets in most of Europe write a comma.
    let (decimals, is_comma): (&[u8], bool) = match mantissa {
        [b'1'..=b'9'] => (&[], false),
        [b'1'..=b'9', point @ (b'.' | b','), rest @ ..] if !rest.is_empty() => {
            (rest, *point == b',')
        }
        _ => return None,
    };
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
    let number = str::from_utf8(exponent).ok().filter(|_| is_digits(exponent))?;
    let is_large = number.parse::<u32>().is_ok_and(|number| (11..=38).contains(&number));
    // Only spreadsheets write a comma. They write a capital E, as few programs do.
    let is_float = !is_comma && (*sign == b'e' || decimals.len() >= DIGITS);
    let damage = if is_float { Damage::Float } else { Damage::Scientific };
    (is_digits(decimals) && is_large).then_some(damage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_integers_are_told() {
        for (text, damage) in [
            // Of Discord and X, as they are and as JavaScript prints them.
            ("175928847299117063", None),
            ("175928847299117060", Some(Damage::Rounded)),
            ("1541815603606036481", None),
            ("1541815603606036500", Some(Damage::Rounded)),
            ("-1541815603606036500", Some(Damage::Rounded)),
            // 2^53 is exact, and every second integer above.
            ("9007199254740992", None),
            ("9007199254740993", None),
            ("9007199254740994", Some(Damage::Rounded)),
            ("72057594037927936", None), // 2^56, which JavaScript prints as
            ("72057594037927940", Some(Damage::Rounded)),
            ("72057594037927945", None),
            ("1000000", None),
            ("18446744073709552000", None), // 2^64
            ("1.2E+17", Some(Damage::Scientific)),
            ("1.2345E17", Some(Damage::Scientific)),
            ("1,75929E+17", Some(Damage::Scientific)),
            ("1.75928847299117E+17", Some(Damage::Scientific)),
            // As Python, R and Java print doubles.
            ("-1e18", Some(Damage::Float)),
            ("1e+18", Some(Damage::Float)),
            ("1.4560744691298714e+18", Some(Damage::Float)),
            ("1.456074e+18", Some(Damage::Float)),
            ("1.45607446912987136E18", Some(Damage::Float)),
            ("1456074469129871360.0", Some(Damage::Float)),
            ("-1456074469129871363.0", Some(Damage::Float)),
            ("9007199254740992.0", None),
            ("1.0", None),
            (".0", None),
            ("1456074469129871360.00", None),
            ("1,4e+", None),
            ("1.2E+3", None),
            ("4.687E+11", Some(Damage::Scientific)),
            ("4.687E+10", None),
            ("1.E17", None),
            ("12E17", None),
            ("1.2E+", None),
            ("1.2E++17", None),
            ("1E1x", None),
            ("E17", None),
            ("0e7a5d1c", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(Damage::of(text.as_bytes()), damage, "{text}");
        }
    }

    #[test]
    fn damage_is_told_with_what_to_do() {
        for (damage, what, advice) in [
            (Damage::Rounded, "JavaScript ", "carry IDs as text"),
            (Damage::Scientific, "spreadsheets ", "export the column as text"),
            (Damage::Float, "a program held this as a floating-point ", "dtype='Int64' or str"),
        ] {
            let reason = damage.reason();
            assert!(reason.starts_with(what) && reason.ends_with(advice), "{reason}");
            assert_eq!(std::format!("{damage}"), reason);
        }
    }

    /// No integer is passed over by the shortcut for those that end in other digits.
    #[test]
    fn rounded_integers_print_as_themselves() {
        let mut number = (1_u64 << 53) + 3;
        while let Some(next) = number.checked_mul(3).map(|next| next / 2 + 7) {
            #[allow(clippy::cast_precision_loss, reason = "the loss is looked for")]
            let text = std::format!("{}", number as f64);
            assert_eq!(Damage::of(text.as_bytes()), Some(Damage::Rounded), "{text}");
            number = next;
        }
        assert!(number > 1 << 62);
    }
}
