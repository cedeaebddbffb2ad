//! Simple reference forms of the texts: digits of a number, with no regard to speed.

/// Returns the number that `text` spells in base 36 in either case; `None` for other characters, no
/// characters and more than 128 bits.
pub(crate) fn base_36(text: &[u8]) -> Option<u128> {
    let digit = |&byte: &u8| char::from(byte).to_digit(36);
    let next = |value: u128, digit: u32| value.checked_mul(36)?.checked_add(digit.into());
    let start = if text.is_empty() { None } else { Some(0) };
    text.iter().fold(start, |value, byte| next(value?, digit(byte)?))
}
