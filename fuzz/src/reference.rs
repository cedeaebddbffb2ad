//! Simple reference forms of the texts: digits of a number, with no regard to speed.

/// sno's alphabet.
pub(crate) const SNO: &str = "23456789abcdefghijklmnopqrstuvwx";
/// kuid's canonical alphabet.
pub(crate) const SORTABLE: &str =
    ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/// kuid's alphabet for URLs.
pub(crate) const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns the number that `text` spells in base 36 in either case; `None` for other characters, no
/// characters and more than 128 bits.
pub(crate) fn base_36(text: &[u8]) -> Option<u128> {
    let digit = |&byte: &u8| char::from(byte).to_digit(36);
    let next = |value: u128, digit: u32| value.checked_mul(36)?.checked_add(digit.into());
    let start = if text.is_empty() { None } else { Some(0) };
    text.iter().fold(start, |value, byte| next(value?, digit(byte)?))
}

/// Returns the `N` bytes that `text` spells in an alphabet of 32 or 64 characters, the most
/// significant bit first; `None` unless it is a text that [`in_alphabet`] writes.
pub(crate) fn of_alphabet<const N: usize>(symbols: &str, text: &[u8]) -> Option<[u8; N]> {
    let width = symbols.len().ilog2() as usize;
    let bit_count = N * 8;
    if text.len() != bit_count.div_ceil(width) {
        return None;
    }
    let mut bits = Vec::new();
    for byte in text {
        let value = symbols.bytes().position(|symbol| symbol == *byte)?;
        bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }
    if bits[bit_count..].contains(&true) {
        return None;
    }
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    let mut bytes = [0; N];
    for (place, bits) in bytes.iter_mut().zip(bits.chunks(8)) {
        *place = byte(bits);
    }
    Some(bytes)
}

/// Returns the text of `bytes`.
pub(crate) fn in_alphabet(symbols: &str, bytes: &[u8]) -> String {
    let width = symbols.len().ilog2() as usize;
    let mut bits: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect();
    bits.resize(bits.len().next_multiple_of(width), false);
    let value = |bits: &[bool]| bits.iter().fold(0, |value, &bit| value << 1 | usize::from(bit));
    bits.chunks(width).map(|bits| char::from(symbols.as_bytes()[value(bits)])).collect()
}
