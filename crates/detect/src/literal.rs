//! Forms that are not a format's own text, which are integers, hexadecimal digits and literals of
//! bytes.

use tickid_convert::Form;

/// The number of bytes of the largest ID, a KSUID's.
const MAX: usize = 20;

/// The bytes of a literal, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    bytes: [u8; MAX],
    len: usize,
    pub(crate) form: Form,
}

impl Literal {
    const fn new(form: Form) -> Self {
        Self { bytes: [0; MAX], len: 0, form }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Returns the bytes if there are `N`.
    pub(crate) fn array<const N: usize>(&self) -> Option<[u8; N]> {
        self.bytes().try_into().ok()
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }
}

/// Reads hexadecimal digits or a literal of bytes.
pub(crate) fn read(text: &[u8]) -> Option<Literal> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => hex(digits),
        [b'\\', b'x', digits @ ..] => hex(digits).or_else(|| escapes(text, None)),
        [b'x' | b'X', quote @ (b'\'' | b'"'), inner @ .., end] if quote == end => hex(inner),
        [b'b' | b'B', quote @ (b'\'' | b'"'), inner @ .., end] if quote == end => {
            escapes(inner, Some(*quote))
        }
        [b'[', inner @ .., b']'] | [b'{', inner @ .., b'}'] => list(inner),
        [b'<', b'<', inner @ .., b'>', b'>'] => list(inner),
        _ => hex(text),
    }
}

/// Reads pairs of digits in either case.
fn hex(digits: &[u8]) -> Option<Literal> {
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    if !matches!(pairs.len(), 8 | 10 | 12 | 16 | MAX) {
        return None;
    }
    let mut literal = Literal::new(Form::Hex);
    for &[high, low] in pairs {
        literal.push(digit(high)? << 4 | digit(low)?)?;
    }
    Some(literal)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Reads printable ASCII characters and the escapes of C, Python and Rust. The quote around them
/// must be escaped.
fn escapes(text: &[u8], quote: Option<u8>) -> Option<Literal> {
    let mut literal = Literal::new(Form::Bytes);
    let mut rest = text;
    loop {
        let (byte, after) = match *rest {
            [] => return Some(literal),
            [b'\\', b'x', high, low, ref after @ ..] => (digit(high)? << 4 | digit(low)?, after),
            [b'\\', escaped, ref after @ ..] => (unescaped(escaped)?, after),
            [byte @ b' '..=b'~', ref after @ ..] if byte != b'\\' && Some(byte) != quote => {
                (byte, after)
            }
            _ => return None,
        };
        literal.push(byte)?;
        rest = after;
    }
}

const fn unescaped(byte: u8) -> Option<u8> {
    Some(match byte {
        b'0' => 0,
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'\\' | b'\'' | b'"' => byte,
        _ => return None,
    })
}

/// Reads numbers with commas in between, in decimal or hexadecimal.
fn list(inner: &[u8]) -> Option<Literal> {
    let mut literal = Literal::new(Form::Bytes);
    for item in inner.split(|byte| *byte == b',') {
        let item = item.trim_ascii();
        let byte = match *item {
            [b'0', b'x', high, low] => digit(high)? << 4 | digit(low)?,
            [b'0', b'x', low] => digit(low)?,
            _ => str::from_utf8(item).ok()?.parse().ok()?,
        };
        literal.push(byte)?;
    }
    Some(literal)
}

/// Reads a decimal integer of up to 128 bits without leading zeros. A negative one of 64 bits is
/// read as a signed column shows an unsigned value.
pub(crate) fn integer(text: &[u8]) -> Option<u128> {
    if let [b'-', digits @ ..] = text {
        let value = i64::try_from(decimal(digits)?).ok()?.checked_neg()?;
        return (value < 0).then(|| value.cast_unsigned().into());
    }
    decimal(text)
}

fn decimal(digits: &[u8]) -> Option<u128> {
    if digits.is_empty() || digits.len() > 39 || (digits.len() > 1 && digits.first() == Some(&b'0'))
    {
        return None;
    }
    // The first 19 digits fit 64 bits, which are faster.
    let (head, tail) = digits.split_at_checked(19).unwrap_or((digits, &[]));
    let (mut number, mut is_decimal) = (0_u64, true);
    for byte in head {
        let digit = byte.wrapping_sub(b'0');
        is_decimal &= digit < 10;
        number = number.wrapping_mul(10).wrapping_add(digit.into());
    }
    if !is_decimal {
        return None;
    }
    tail.iter().try_fold(u128::from(number), |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 { number.checked_mul(10)?.checked_add(digit.into()) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 8] = [0x01, 0x86, 0xd5, 0x2b, 0xbe, 0x2a, 0x63, 0x5a];

    #[test]
    fn literals_of_several_languages() {
        for (text, form) in [
            ("0186d52bbe2a635a", Form::Hex),
            ("0186D52BBE2A635A", Form::Hex),
            ("0x0186d52bbe2a635a", Form::Hex),
            ("\\x0186d52bbe2a635a", Form::Hex),
            ("x'0186d52bbe2a635a'", Form::Hex),
            ("X'0186d52bbe2a635a'", Form::Hex),
            ("b'\\x01\\x86\\xd5+\\xbe*cZ'", Form::Bytes),
            ("b\"\\x01\\x86\\xd5\\x2b\\xbe\\x2a\\x63\\x5a\"", Form::Bytes),
            ("\\x01\\x86\\xd5\\x2b\\xbe\\x2a\\x63\\x5a", Form::Bytes),
            ("[1, 134, 213, 43, 190, 42, 99, 90]", Form::Bytes),
            ("<<1,134,213,43,190,42,99,90>>", Form::Bytes),
            ("{0x1, 0x86, 0xd5, 0x2b, 0xbe, 0x2a, 0x63, 0x5a}", Form::Bytes),
        ] {
            let literal = read(text.as_bytes()).unwrap();
            assert_eq!((literal.bytes(), literal.form), (&BYTES[..], form), "{text}");
            assert_eq!(literal.array(), Some(BYTES));
            assert_eq!(literal.array::<10>(), None);
        }
    }

    #[test]
    fn escapes_of_c_are_read() {
        let literal = read(br#"b'\0\a\b\t\n\v\f\r\\\'\"'"#).unwrap();
        assert_eq!(literal.bytes(), b"\0\x07\x08\t\n\x0b\x0c\r\\'\"");
    }

    #[test]
    fn other_texts_are_no_literals() {
        for text in [
            "",
            "x",
            "0x",
            "\\x",
            "x''",
            "b'",
            "0186d52bbe2a635",
            "0186d52bbe2a635g",
            "[]",
            "[256]",
            "[-1]",
            "[1,,2]",
            "<<>>",
            "x'01'",
            "x'0186d52bbe2a635a\"",
            "b'01234567\"",
            "b'\\q'",
            "b'\\'",
            "b'a'b'",
            "b\"\"\"",
            "b'\\x0'",
            "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]",
        ] {
            let read = read(text.as_bytes());
            assert!(read.is_none_or(|read| read.bytes().is_empty()), "{text}: {read:?}");
        }
    }

    #[test]
    fn integers_of_up_to_128_bits() {
        for value in [0, 9, 10, u64::MAX.into(), u128::from(u64::MAX) + 1, u128::MAX] {
            let text = std::format!("{value}");
            assert_eq!(integer(text.as_bytes()), Some(value), "{text}");
        }
        assert_eq!(integer(b"-1"), Some(u64::MAX.into()));
        assert_eq!(integer(b"-9223372036854775807"), Some((1 << 63) + 1));
        for text in ["", "-", "-0", "00", "01", "+1", "1.0", "1e9", "12a", " 1", "-1:"] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
        assert_eq!(integer(b"340282366920938463463374607431768211456"), None); // 2^128
        assert_eq!(integer(b"12345678901234567890:"), None);
    }
}
