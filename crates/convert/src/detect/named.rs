//! Texts of other kinds that contain their time. They are only named, because their fields are not
//! a node and a sequence.

use tickid_core::UnixTime;

/// Returns the time of a ULID: the first 48 of its 128 bits are milliseconds since 1970.
///
/// 26 digits of Crockford's base 32 in either case; the first is at most 7.
pub(super) fn ulid_time(text: &[u8]) -> Option<UnixTime> {
    const LEN: usize = 26;
    const TIME_LEN: usize = 10;
    if text.len() != LEN {
        return None;
    }
    let mut millis: i64 = 0;
    for (place, byte) in text.iter().enumerate() {
        let digit = crockford(byte.to_ascii_uppercase())?;
        if place == 0 && digit > 7 {
            return None;
        }
        if place < TIME_LEN {
            millis = millis << 5 | digit;
        }
    }
    UnixTime::from_millis(millis).ok()
}

/// Returns the value of a digit. All letters but I, L, O and U are digits.
fn crockford(byte: u8) -> Option<i64> {
    let digits = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let place = digits.iter().position(|digit| *digit == byte)?;
    i64::try_from(place).ok()
}

/// The start of KSUID times: 2014-05-13T16:53:20Z.
pub(super) const KSUID_EPOCH: UnixTime = UnixTime::from_micros(1_400_000_000_000_000);

/// Returns the time of a KSUID: the first 32 of its 160 bits are seconds since its epoch.
///
/// 27 digits of base 62, 0-9, A-Z, a-z, of which the largest number has 160 bits.
pub(super) fn ksuid_time(text: &[u8]) -> Option<UnixTime> {
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
    let [seconds, ..] = number;
    Some(UnixTime::from_micros(KSUID_EPOCH.as_micros() + i64::from(seconds) * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ulids_tell_their_milliseconds() {
        // The example of the ULID specification, of 2016-07-30.
        let time = ulid_time(b"01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap();
        assert_eq!(time.as_millis(), 1_469_922_850_259);
        assert_eq!(ulid_time(b"01arz3ndektsv4rrffq69g5fav"), Some(time));
        assert_eq!(ulid_time(b"7ZZZZZZZZZZZZZZZZZZZZZZZZZ").unwrap().as_millis(), (1 << 48) - 1);
        for text in [
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", // 129 bits
            "01ARZ3NDEKTSV4RRFFQ69G5FA",
            "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
            "01ARZ3NDEKTSV4RRFFQ69G5FAI",
            "01ARZ3NDEKTSV4RRFFQ69G5FAu",
        ] {
            assert_eq!(ulid_time(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn ksuids_tell_their_seconds() {
        // The example of the KSUID project's page: 107608047 seconds after the epoch.
        let time = ksuid_time(b"0ujtsYcgvSTl8PAuAdqWYSMnLOv").unwrap();
        assert_eq!(time.as_millis() / 1_000, 1_507_608_047);
        let last = ksuid_time(b"aWgEPTl1tmebfsQzFP4bxwgy80V").unwrap();
        assert_eq!(last.as_millis() / 1_000, 1_400_000_000 + i64::from(u32::MAX));
        for text in [
            "aWgEPTl1tmebfsQzFP4bxwgy80W", // 2^160
            "zzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "0ujtsYcgvSTl8PAuAdqWYSMnLO",
            "0ujtsYcgvSTl8PAuAdqWYSMnLO-",
        ] {
            assert_eq!(ksuid_time(text.as_bytes()), None, "{text}");
        }
    }
}
