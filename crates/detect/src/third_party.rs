//! Texts of other systems that hold a time and bits without a meaning here.
//!
//! The crate `uuid` reads UUIDs, but no crate reads these: `ulid` 3.0 accepts texts of 130 bits and
//! cuts them off, and the ones for other formats need `std`.

/// Reads a ULID: 26 digits of Crockford's base 32 in either case; the first is at most 7.
pub(crate) fn ulid(text: &[u8]) -> Option<u128> {
    crockford(text.try_into().ok()?, |byte| byte.to_ascii_uppercase())
}

/// Reads a TypeID: lower-case letters and underscores, an underscore, and 26 digits as in a ULID
/// but in lower case; or the digits alone.
///
/// Returns the length of the prefix, and the UUID.
pub(crate) fn type_id(text: &[u8]) -> Option<(u8, u128)> {
    const MAX_PREFIX: usize = 63;
    let (rest, suffix) = text.split_last_chunk::<26>()?;
    let prefix = match rest {
        [] => rest,
        [prefix @ .., b'_'] if !prefix.is_empty() => prefix,
        _ => return None,
    };
    let is_letters = prefix.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
    let is_framed = prefix.first() == Some(&b'_') || prefix.last() == Some(&b'_');
    if !is_letters || is_framed || prefix.len() > MAX_PREFIX {
        return None;
    }
    let to_upper = |byte: u8| if byte.is_ascii_uppercase() { 0 } else { byte.to_ascii_uppercase() };
    Some((u8::try_from(prefix.len()).ok()?, crockford(suffix, to_upper)?))
}

/// The value of each of Crockford's digits in upper case; 255 for other characters. All letters but
/// I, L, O and U are digits.
const CROCKFORD: [u8; 256] = values(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ");

fn crockford(text: &[u8; 26], upper: impl Fn(u8) -> u8) -> Option<u128> {
    let fits = matches!(text, [b'0'..=b'7', ..]);
    fits.then(|| base_32(text, |byte| value(&CROCKFORD, upper(byte))))?
}

/// Returns the number of these digits of base 32, if all are digits. 255 is the value of others.
fn base_32<const N: usize>(text: &[u8; N], value: impl Fn(u8) -> u8) -> Option<u128> {
    let mut number = 0;
    let mut invalid = 0;
    for byte in text {
        let digit = value(*byte);
        invalid |= digit & 0x80;
        number = number << 5 | u128::from(digit & 31);
    }
    (invalid == 0).then_some(number)
}

/// Reads a KSUID: 27 digits of base 62, 0-9, A-Z, a-z, with at most 160 bits.
pub(crate) fn ksuid(text: &[u8]) -> Option<[u8; 20]> {
    const LEN: usize = 27;
    if text.len() != LEN {
        return None;
    }
    // 160 bits, the highest first.
    let mut number = [0_u32; 5];
    for byte in text {
        let mut carry: u64 = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'Z' => byte - b'A' + 10,
            b'a'..=b'z' => byte - b'a' + 36,
            _ => return None,
        }
        .into();
        for limb in number.iter_mut().rev() {
            let product = u64::from(*limb) * 62 + carry;
            #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
            {
                *limb = product as u32;
            }
            carry = product >> u32::BITS;
        }
        if carry != 0 {
            return None;
        }
    }
    let mut bytes = [0; 20];
    for (four, limb) in bytes.as_chunks_mut().0.iter_mut().zip(number) {
        *four = limb.to_be_bytes();
    }
    Some(bytes)
}

const BASE_32_HEX: [u8; 256] = values(b"0123456789abcdefghijklmnopqrstuv");

/// Reads an Xid: 20 digits of base 32 with the extended hexadecimal alphabet, in lower case, of 96
/// bits; the last has one bit.
pub(crate) fn xid(text: &[u8]) -> Option<[u8; 12]> {
    let text: &[u8; 20] = text.try_into().ok()?;
    let number = base_32(text, |byte| value(&BASE_32_HEX, byte))?;
    if number & 0xf != 0 {
        return None;
    }
    let bytes = (number >> 4).to_be_bytes();
    bytes.last_chunk().copied()
}

const fn values(alphabet: &[u8; 32]) -> [u8; 256] {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 32 {
        #[allow(clippy::indexing_slicing, reason = "in a constant")]
        {
            values[alphabet[value as usize] as usize] = value;
        }
        value += 1;
    }
    values
}

fn value(values: &[u8; 256], byte: u8) -> u8 {
    values.get(usize::from(byte)).copied().unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulids_hold_their_milliseconds() {
        // The example of the ULID specification, of 2016-07-30.
        let ulid_millis = |text: &str| ulid(text.as_bytes()).map(|ulid| ulid >> 80);
        assert_eq!(ulid_millis("01ARZ3NDEKTSV4RRFFQ69G5FAV"), Some(1_469_922_850_259));
        assert_eq!(ulid_millis("01arz3ndektsv4rrffq69g5fav"), Some(1_469_922_850_259));
        assert_eq!(ulid(b"7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), Some(u128::MAX));
        for text in [
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", // 129 bits
            "01ARZ3NDEKTSV4RRFFQ69G5FA",
            "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
            "01ARZ3NDEKTSV4RRFFQ69G5FAI",
            "01ARZ3NDEKTSV4RRFFQ69G5FAu",
        ] {
            assert_eq!(ulid(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn ksuids_hold_their_seconds() {
        // The example of the KSUID project's page: 107608047 seconds after the epoch.
        let seconds = |text: &str| {
            ksuid(text.as_bytes()).map(|ksuid| u32::from_be_bytes(*ksuid.first_chunk().unwrap()))
        };
        assert_eq!(seconds("0ujtsYcgvSTl8PAuAdqWYSMnLOv"), Some(107_608_047));
        assert_eq!(ksuid(b"aWgEPTl1tmebfsQzFP4bxwgy80V"), Some([255; 20]));
        for text in [
            "aWgEPTl1tmebfsQzFP4bxwgy80W", // 2^160
            "zzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "0ujtsYcgvSTl8PAuAdqWYSMnLO",
            "0ujtsYcgvSTl8PAuAdqWYSMnLO-",
        ] {
            assert_eq!(ksuid(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn type_ids_hold_a_uuid_behind_a_prefix() {
        // The example of the TypeID specification.
        let uuid = 0x0190_63fc_1ba6_7e31_8e4e_4f2f_6b8a_3d2b_u128;
        let mut digits = [0_u8; 26];
        for (place, digit) in digits.iter_mut().rev().enumerate() {
            let value = usize::try_from(uuid >> (5 * place) & 31).unwrap();
            *digit = b"0123456789abcdefghjkmnpqrstvwxyz"[value];
        }
        let suffix = str::from_utf8(&digits).unwrap();
        for (prefix, len) in [("", 0), ("user_", 4), ("a_b_", 3)] {
            let text = std::format!("{prefix}{suffix}");
            assert_eq!(type_id(text.as_bytes()), Some((len, uuid)), "{text}");
        }
        for prefix in ["_", "__", "_a_", "a__", "User_", "a1_", "a"] {
            let text = std::format!("{prefix}{suffix}");
            assert_eq!(type_id(text.as_bytes()), None, "{text}");
        }
        let upper = suffix.to_ascii_uppercase();
        assert_eq!(type_id(upper.as_bytes()), None);
    }

    #[test]
    fn xids_are_read_as_published() {
        // The example of the project's page.
        let bytes = [0x4d, 0x88, 0xe1, 0x5b, 0x60, 0xf4, 0x86, 0xe4, 0x28, 0x41, 0x2d, 0xc9];
        assert_eq!(xid(b"9m4e2mr0ui3e8a215n4g"), Some(bytes));
        for text in ["9m4e2mr0ui3e8a215n4h", "9m4e2mr0ui3e8a215n4", "9M4E2MR0UI3E8A215N4G", ""] {
            assert_eq!(xid(text.as_bytes()), None, "{text}");
        }
    }
}
