//! A row in a file of two slots, which are written alternately, so that a write cut short leaves
//! the other.

use crate::model::record::Row;
use crate::model::text::LeaseTextError;

/// The length of a slot, with zeros after its row.
pub(crate) const SLOT_LEN: usize = 1_024;
/// The length of a row's file, from its creation on.
pub(crate) const FILE_LEN: usize = 2 * SLOT_LEN;

const MAGIC: [u8; 4] = *b"TKN1";
/// Magic number, checksum of all that follows, write number, length of the row.
const HEADER_LEN: usize = 4 + 4 + 8 + 2;

/// The contents of a row's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlotReading {
    /// The number and row of the last write.
    Whole(u64, Row),
    /// The number and row of one slot. The other cannot be read, because a write was cut short or
    /// the last one has gone bad.
    Torn(u64, Row),
    /// The record version of the last write, by a later release.
    Newer(u32),
    /// No row.
    Unreadable,
}

/// Reads a row's file.
pub(crate) fn read(bytes: &[u8]) -> SlotReading {
    if bytes.len() != FILE_LEN {
        return SlotReading::Unreadable;
    }
    let slots = [read_slot(&bytes[..SLOT_LEN]), read_slot(&bytes[SLOT_LEN..])];
    let (number, row, is_whole) = match slots {
        [Some((one, row)), Some((other, _))] if one > other => (one, row, true),
        [Some((one, _)), Some((other, row))] if other > one => (other, row, true),
        [Some((number, row)), None] | [None, Some((number, row))] => (number, row, false),
        _ => return SlotReading::Unreadable,
    };
    match row {
        Ok(row) if is_whole => SlotReading::Whole(number, row),
        Ok(row) => SlotReading::Torn(number, row),
        Err(LeaseTextError::Newer { record_version, .. }) => SlotReading::Newer(record_version),
        Err(_) => SlotReading::Unreadable,
    }
}

/// Reads a slot; `None` if it is not intact.
fn read_slot(slot: &[u8]) -> Option<(u64, Result<Row, LeaseTextError>)> {
    let (magic, rest) = slot.split_first_chunk::<4>()?;
    let (checksum, checked) = rest.split_first_chunk::<4>()?;
    let (number, rest) = checked.split_first_chunk::<8>()?;
    let (len, rest) = rest.split_first_chunk::<2>()?;
    let len = usize::from(u16::from_le_bytes(*len));
    let is_intact = *magic == MAGIC && crc32fast::hash(checked) == u32::from_le_bytes(*checksum);
    if !is_intact {
        return None;
    }
    Some((u64::from_le_bytes(*number), Row::from_json(rest.get(..len)?)))
}

/// Returns the slot of the write `number` of `row`, and its place in the file. Returns `None` for a
/// row that does not fit, which only fields of a later release can cause.
pub(crate) fn write(number: u64, row: &Row) -> Option<(u64, [u8; SLOT_LEN])> {
    let text = row.to_json();
    let len = u16::try_from(text.len()).ok()?;
    let mut slot = [0; SLOT_LEN];
    slot.get_mut(HEADER_LEN..HEADER_LEN + text.len())?.copy_from_slice(text.as_bytes());
    slot[16..18].copy_from_slice(&len.to_le_bytes());
    slot[8..16].copy_from_slice(&number.to_le_bytes());
    let checksum = crc32fast::hash(&slot[8..]);
    slot[4..8].copy_from_slice(&checksum.to_le_bytes());
    slot[..4].copy_from_slice(&MAGIC);
    let is_second = number.is_multiple_of(2);
    Some((if is_second { SLOT_LEN as u64 } else { 0 }, slot))
}

/// Returns a new file with the write `number` of `row` in both slots, so that an empty slot always
/// means damage.
pub(crate) fn create(number: u64, row: &Row) -> Option<[u8; FILE_LEN]> {
    let mut file = [0; FILE_LEN];
    for number in [number.checked_sub(1)?, number] {
        let (at, slot) = write(number, row)?;
        let at = usize::try_from(at).ok()?;
        file[at..at + SLOT_LEN].copy_from_slice(&slot);
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lease::Claim;
    use crate::model::token::Token;

    fn row(ceiling: u64) -> Row {
        Row {
            node: "42/8".parse().unwrap(),
            token: Some(Token::from_bits(ceiling.into())),
            holder: "somebody".to_owned(),
            era: 0,
            floor: 5,
            ceiling,
            cut: crate::backend::Version::default(),
            extra: crate::backend::Extra::default(),
        }
    }

    /// A file after writes 1 to `count`, of rows whose ceilings are the numbers of their writes.
    fn file(count: u64) -> Vec<u8> {
        let mut file = create(1, &row(1)).unwrap().to_vec();
        for number in 2..=count {
            apply(&mut file, number, SLOT_LEN);
        }
        file
    }

    /// The first `len` bytes of a write.
    fn apply(file: &mut [u8], number: u64, len: usize) {
        let (at, slot) = write(number, &row(number)).unwrap();
        let at = usize::try_from(at).unwrap();
        file[at..at + len].copy_from_slice(&slot[..len]);
    }

    #[test]
    fn the_last_write_counts() {
        for count in 1..6 {
            assert_eq!(read(&file(count)), SlotReading::Whole(count, row(count)));
            let file = create(count, &row(count)).unwrap();
            assert_eq!(read(&file), SlotReading::Whole(count, row(count)));
        }
    }

    #[test]
    fn truncated_write_keeps_the_last() {
        for count in 1..4 {
            for len in 0..=SLOT_LEN {
                let mut torn = file(count);
                apply(&mut torn, count + 1, len);
                match read(&torn) {
                    SlotReading::Whole(number, seen) => {
                        assert!(number == count || number == count + 1);
                        assert_eq!(seen, row(number));
                    }
                    SlotReading::Torn(number, seen) => {
                        assert_eq!((number, seen), (count, row(count)))
                    }
                    other @ (SlotReading::Newer(_) | SlotReading::Unreadable) => {
                        panic!("write {}, {len} bytes: {other:?}", count + 1)
                    }
                }
            }
        }
    }

    #[test]
    fn every_bad_byte_is_detected() {
        let good = file(4);
        for at in 0..FILE_LEN {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let is_last = at >= SLOT_LEN;
            let expected = if is_last { (3, row(3)) } else { (4, row(4)) };
            assert_eq!(read(&bad), SlotReading::Torn(expected.0, expected.1), "byte {at}");
        }
    }

    #[test]
    fn zeroed_slot_is_no_new_file() {
        for count in 1..5 {
            for slot in [0..SLOT_LEN, SLOT_LEN..FILE_LEN] {
                let mut bad = file(count);
                bad[slot].fill(0);
                assert!(!matches!(read(&bad), SlotReading::Whole(..)), "after {count} writes");
            }
        }
    }

    #[test]
    fn other_lengths_are_unreadable() {
        let mut file = file(3);
        for len in 0..FILE_LEN {
            assert_eq!(read(&file[..len]), SlotReading::Unreadable, "{len} bytes");
        }
        file.push(0);
        assert_eq!(read(&file), SlotReading::Unreadable);
    }

    #[test]
    fn the_longest_row_fits() {
        let longest = Row {
            node: "9223372036854775807/63".parse().unwrap(),
            token: Some(Token::from_bits(u128::MAX)),
            holder: "\"".repeat(Claim::MAX_HOLDER_LEN),
            era: u64::MAX,
            floor: u64::MAX,
            ceiling: u64::MAX,
            cut: crate::backend::Version::default(),
            extra: crate::backend::Extra::default(),
        };
        assert_eq!(read(&create(1, &longest).unwrap()), SlotReading::Whole(1, longest));
    }
}
