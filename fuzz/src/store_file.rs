//! Data of stores: slots of files, rows and records as JSON, and the rules over whatever was read.

use arbitrary::{Result, Unstructured};
use tickid_core::UnixTime;
use tickid_lease::fuzzing::{FILE_LEN, choose, create_file, read_file, write_file};
use tickid_lease::{Claim, Extra, Node, Record, Row, RowState, Rows, Rules, Token, Version};

pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    // The first byte of a text is a letter, so that seeds can be read.
    match kind {
        b'R' => {
            let _ = row(rest);
        }
        b'M' => record(rest),
        b'F' => file(rest),
        _ => {
            // Too few bytes are no case.
            let _ = writes(&mut Unstructured::new(rest));
        }
    }
}

fn row(json: &[u8]) -> Option<Row> {
    let row = Row::from_json(json).ok()?;
    assert_eq!(Row::from_json(row.to_json().as_bytes()).unwrap(), row);
    // A row that is too long for a slot is refused, not cut.
    if let Some(file) = create_file(&row) {
        assert_eq!(read_file(&file), Some((1, row.clone(), true)));
    }
    Some(row)
}

/// A record, and after it rows, a line each. A line that is not a row is a malformed one.
fn record(text: &[u8]) {
    let mut lines = text.split(|&byte| byte == b'\n');
    let json = lines.next().unwrap_or_default();
    let Ok(record) = Record::from_json("fuzzed".parse().unwrap(), json) else {
        return;
    };
    let again = Record::from_json("fuzzed".parse().unwrap(), record.to_json().as_bytes());
    assert_eq!(again.unwrap(), record);
    let version = Version(1);
    let rows = lines.map(|line| match row(line) {
        Some(row) => {
            let (node, is_dead) = (row.node, row.holder.is_empty());
            (node, RowState::Intact { row, version, is_dead })
        }
        None => (Node::new(8, 42).unwrap(), RowState::Malformed { version }),
    });
    rules(&record, &rows.collect());
}

/// A window that is granted begins where the node and its part end.
fn rules(record: &Record, rows: &Rows) {
    let epoch = record.realm.scale().epoch();
    let all = || rows.values().filter_map(RowState::row);
    let highest = all().map(|row| row.ceiling).max().unwrap_or(0);
    let times = [record.floor, highest, record.realm.end().saturating_sub(1)]
        .map(|tick| record.realm.scale().time_of(tick));
    for now in times.into_iter().chain([epoch, UnixTime::from_micros(0)]) {
        let Ok(rules) = Rules::new(record, now) else {
            continue;
        };
        for (&node, state) in rows {
            let _ = rules.standing(node, Some(state));
            let _ = rules.repair(node, Some(state));
        }
        if let Some(complete) = rules.complete(rows) {
            assert!(complete.is_complete());
            for row in all().filter(|row| !record.realm.pool().contains(row.node)) {
                for part in complete.parts.iter().filter(|part| !record.parts.contains(part)) {
                    let first = Node::new(part.range.bits(), part.range.first()).unwrap();
                    let is_related = first.is_prefix_related(row.node);
                    assert!(!is_related || part.floor >= row.ceiling, "{part:?} over {row:?}");
                }
            }
        }
        let claim = Claim::new(Token::from_bits(5), "fuzz", None);
        if let Some(granted) = choose(record, rows, now, &claim) {
            assert!(granted.floor < granted.ceiling, "{granted:?}");
            assert!(granted.ceiling <= record.realm.end(), "{granted:?}");
            let part = record.part_of(granted.node).unwrap();
            assert!(granted.floor >= record.floor.max(part.floor), "{granted:?}");
            let before = rows.get(&granted.node);
            assert!(!before.is_some_and(|state| state.row().is_none()), "{granted:?}");
            let ceiling = before.and_then(RowState::row).map_or(0, |row| row.ceiling);
            assert!(granted.floor >= ceiling, "{granted:?}");
            let version = Version::after(before.and_then(RowState::version));
            let state = RowState::Intact { row: granted.clone(), version, is_dead: false };
            let lease = state.lease(now).unwrap();
            // A damaged record may say that its part is younger than itself.
            if let Ok(renewed) = rules.renew(&lease, Some(&state)) {
                assert!(renewed.ceiling >= granted.ceiling && renewed.floor == granted.floor);
            }
            // Without its row, the lease proves a loss.
            assert!(rules.renew(&lease, None).is_err());
        }
        // Nothing that was granted before a loss is granted again.
        let next = rules.invalidate("another".to_owned(), 0);
        let is_next = next.era == record.era.saturating_add(1);
        assert!(is_next && next.floor >= record.floor);
    }
}

/// Any bytes as a row's file: a row that is read can be written, and reads the same then.
fn file(bytes: &[u8]) {
    let mut file = vec![0; FILE_LEN];
    let len = bytes.len().min(FILE_LEN);
    file[..len].copy_from_slice(&bytes[..len]);
    if let Some((number, row, _)) = read_file(&file) {
        let (at, slot) = write_file(number, &row).unwrap();
        file[at..at + slot.len()].copy_from_slice(&slot);
        let (_, again, _) = read_file(&file).unwrap();
        assert_eq!(again, row);
    }
    assert_eq!(read_file(bytes).is_some(), bytes.len() == FILE_LEN && read_file(&file).is_some());
}

/// Writes, the last of them cut short, then bytes gone bad: the file reads as the last write or the
/// one before, never as anything else.
fn writes(data: &mut Unstructured<'_>) -> Result<()> {
    let count = data.int_in_range(1..=5)?;
    let rows: Vec<Row> = (0..=count).map(|_| any_row(data)).collect::<Result<_>>()?;
    let row = |number: u64| rows[usize::try_from(number - 1).unwrap()].clone();
    let mut file = create_file(&row(1)).unwrap();
    for number in 2..=count {
        let (at, slot) = write_file(number, &row(number)).unwrap();
        file[at..at + slot.len()].copy_from_slice(&slot);
    }
    assert_eq!(read_file(&file), Some((count, row(count), true)));

    let (at, slot) = write_file(count + 1, &row(count + 1)).unwrap();
    let len = data.int_in_range(0..=slot.len())?;
    let mut torn = file.clone();
    torn[at..at + len].copy_from_slice(&slot[..len]);
    let (number, read, _) = read_file(&torn).expect("one slot is whole");
    assert!((count..=count + 1).contains(&number) && read == row(number), "{number}, {len} bytes");

    // Four bytes of a checksum find any error of four bytes.
    let place = data.int_in_range(0..=FILE_LEN / 4 - 1)? * 4;
    let mask: [u8; 4] = data.arbitrary()?;
    for (byte, mask) in file[place..place + 4].iter_mut().zip(mask) {
        *byte ^= mask;
    }
    let (number, read, is_whole) = read_file(&file).expect("one slot is whole");
    // A new file has its row in both slots.
    let expected = [(count, row(count)), (count - 1, row((count - 1).max(1)))];
    assert!(expected.contains(&(number, read)), "{number} of {count}, bad at {place}");
    assert_eq!(is_whole, mask == [0; 4], "{place}");
    Ok(())
}

fn any_row(data: &mut Unstructured<'_>) -> Result<Row> {
    let bits = data.int_in_range(0..=63)?;
    let value = data.int_in_range(0..=(1 << bits) - 1)?;
    let token = data.arbitrary::<Option<u128>>()?.map(Token::from_bits);
    let name: &str = data.arbitrary()?;
    Ok(Row {
        node: Node::new(bits, value).unwrap(),
        token,
        holder: Claim::new(Token::from_bits(0), name, None).holder().to_owned(),
        era: data.arbitrary()?,
        floor: data.arbitrary()?,
        ceiling: data.arbitrary()?,
        extra: Extra::default(),
    })
}
