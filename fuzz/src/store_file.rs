//! Data of stores: the slots of a folder's files, rows and records as JSON, and claims over any of
//! them.

use core::time::Duration;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use tickid_core::{AnyNode, ManualClock, UnixTime};
use tickid_lease::Store;
use tickid_lease::admin::RealmRules;
use tickid_lease::backend::{
    Change, Extra, MemoryBackend, Record, Row, RowState, Rows, Scope, Version,
};
use tickid_lease::fuzzing::{FILE_LEN, create_file, read_file, write_file};
use tickid_lease::session::{Claim, Token, block_on};

pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    // The first byte selects the kind, so that seeds are readable.
    match kind {
        b'R' => {
            let _ = row(rest);
        }
        b'M' => record(rest),
        b'F' => file(rest),
        _ => {
            // Too few bytes are not a case.
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

/// Reads a record, and after it rows, a line each.
fn record(text: &[u8]) {
    let mut lines = text.split(|&byte| byte == b'\n');
    let json = lines.next().unwrap_or_default();
    let Ok(record) = Record::from_json("fuzzed".parse().unwrap(), json) else {
        return;
    };
    let again = Record::from_json("fuzzed".parse().unwrap(), record.to_json().as_bytes());
    assert_eq!(again.unwrap(), record);
    let rows = lines.filter_map(row).map(|row| {
        let is_dead = row.holder.is_empty();
        (row.node, RowState::Intact { row, version: Version(1), is_dead })
    });
    claims(&record, &rows.collect());
}

/// Asserts that with any data, a granted window starts at the node's ceiling or above.
fn claims(record: &Record, rows: &Rows) {
    let (realm, name) = (&record.realm, record.realm.name());
    let highest = rows.values().filter_map(RowState::row).map(|row| row.ceiling).max();
    let times = [record.floor, highest.unwrap_or(0), realm.end().saturating_sub(1)]
        .map(|tick| realm.scale().time_of(tick));
    for now in times.into_iter().chain([realm.scale().epoch(), UnixTime::EPOCH]) {
        let backend = MemoryBackend::new(Arc::new(ManualClock::new(now)));
        let generation = backend.data(name, Scope::Record).unwrap().generation;
        let record = Record { generation: generation.clone(), ..record.clone() };
        let begin = Some(record.clone());
        backend.write(
            name,
            &Change { generation, record_version: None, record: begin, row: None, within: None },
        );
        let Ok(rules) = RealmRules::new(&record, now) else {
            continue;
        };
        for (node, state) in rows {
            backend.set_row(name, *node, Some(state.clone()));
            let _ = rules.standing(*node, Some(state));
            let _ = rules.repair(*node, Some(state));
        }
        let store = Store::new(backend);
        let mut claim = Claim::new(Token::from_bits(5), "fuzz", None);
        if let Ok(lease) = block_on(store.acquire(realm, &mut claim), Duration::MAX) {
            assert!(lease.floor < lease.ceiling && lease.ceiling <= realm.end(), "{lease:?}");
            assert!(realm.pool().contains(lease.node), "{lease:?}");
            let ceiling = rules.ceiling(lease.node, rows.get(&lease.node));
            assert!(ceiling.is_some_and(|ceiling| lease.floor >= ceiling), "{lease:?}");
            if let Ok(renewed) = block_on(store.renew(realm, &lease), Duration::MAX) {
                assert!(renewed.ceiling >= lease.ceiling && renewed.floor == lease.floor);
            }
        }
        let invalidated = rules.invalidate("another".to_owned(), 0);
        assert_eq!(invalidated.era, record.era.saturating_add(1));
        assert!(invalidated.floor >= record.floor);
    }
}

/// Reads any bytes as a row's file; a row that is read must survive writing and reading.
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

/// Cuts the last write short, then damages bytes; asserts that only the last write or the one
/// before is ever read.
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

pub(crate) fn any_row(data: &mut Unstructured<'_>) -> Result<Row> {
    let bits = data.int_in_range(0..=63)?;
    let value = data.int_in_range(0..=(1 << bits) - 1)?;
    let token = data.arbitrary::<Option<u128>>()?.map(Token::from_bits);
    let name: &str = data.arbitrary()?;
    Ok(Row {
        node: AnyNode::new(value, bits).unwrap(),
        token,
        holder: Claim::new(Token::from_bits(0), name, None).holder().to_owned(),
        era: data.arbitrary()?,
        floor: data.arbitrary()?,
        ceiling: data.arbitrary()?,
        cut: Version::default(),
        extra: Extra::default(),
    })
}
