//! What stores keep: the file store's slots, rows and records as JSON and as the Redis store's text, what the PostgreSQL
//! store answers, and the rules over whatever was read.

use arbitrary::{Result, Unstructured};
use tickid_core::UnixTime;
use tickid_lease::fuzzing::{
    FILE_LEN, create_file, read_file, read_postgres_view, read_redis_row, redis_node, write_file,
    write_redis_row,
};
use tickid_lease::{Claim, Entry, Hold, Node, Record, Row, Rows, Rules, Token, Version};

pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    // What is kept as text is told by its first byte, so that seeds can be read.
    match kind {
        b'R' => {
            let _ = row(rest);
        }
        b'M' => record(rest),
        b'S' => redis_row(rest),
        b'P' => postgres_view(rest),
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
    let text = format!("17 {}", write_redis_row(&row));
    assert_eq!(read_redis_row(row.node, &text), Some((17, row.clone())));
    // No row of ours is too long for a slot; one that is is refused, not cut.
    if let Some(file) = create_file(&row) {
        assert_eq!(read_file(&file), Some((1, row.clone(), true)));
    }
    Some(row)
}

/// A record, and after it rows, a line each.
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
        (row.node, Entry { row, version: Version(1), is_dead })
    });
    rules(&record, &rows.collect());
}

fn redis_row(text: &[u8]) {
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    if let Some((node, name)) = redis_node(text) {
        assert_eq!(name, text, "{node}");
    }
    let node = Node::new(8, 42).unwrap();
    if let Some((version, row)) = read_redis_row(node, text) {
        let again = format!("{version} {}", write_redis_row(&row));
        assert_eq!(read_redis_row(node, &again), Some((version, row)));
    }
}

fn postgres_view(json: &[u8]) {
    let view = read_postgres_view(&"fuzzed".parse().unwrap(), json);
    let Some((view, record)) = view.and_then(|view| Some((view.clone(), view.record?.0))) else {
        return;
    };
    assert_eq!(view.has_forgotten, record.generation != view.generation);
    rules(&record, &view.rows);
}

/// Whatever a store kept: a window that is granted begins where everything that could be equal has ended.
fn rules(record: &Record, rows: &Rows) {
    let epoch = record.realm.scale().epoch();
    let highest = rows.values().map(|entry| entry.row.ceiling).max().unwrap_or(0);
    let times = [record.floor, highest, record.realm.end().saturating_sub(1)]
        .map(|tick| record.realm.scale().time_of(tick));
    for now in times.into_iter().chain([epoch, UnixTime::from_micros(0)]) {
        let Ok(rules) = Rules::new(record, now) else {
            continue;
        };
        for entry in rows.values() {
            let _ = rules.standing(rows, entry);
            let _ = rules.mend(rows, entry.row.node);
        }
        let claim = Claim::new(Token::from_bits(5), "fuzz", None);
        if let Ok(granted) = rules.acquire(&record.realm, rows, &claim) {
            assert!(granted.floor < granted.ceiling, "{granted:?}");
            assert!(granted.ceiling <= record.realm.end(), "{granted:?}");
            assert!(record.realm.pool().contains(granted.node), "{granted:?}");
            let is_own = |entry: &&Entry| entry.row.token == Some(claim.token);
            if rows.values().find(is_own).is_none() {
                for entry in
                    rows.values().filter(|entry| entry.row.node.is_prefix_related(granted.node))
                {
                    assert!(granted.floor >= entry.row.ceiling, "{granted:?} over {entry:?}");
                }
                assert!(granted.floor >= record.floor, "{granted:?}");
            }
            let hold = Hold { node: granted.node, token: claim.token, floor: granted.floor };
            let mut after = rows.clone();
            let entry = Entry { row: granted.clone(), version: Version(2), is_dead: false };
            after.insert(granted.node, entry);
            if let Ok(renewed) = rules.renew(&after, &hold) {
                assert!(renewed.ceiling >= granted.ceiling && renewed.floor == granted.floor);
            }
        }
        // Nothing that was granted before a store forgot is granted again.
        let forgotten = rules.forget("another".to_owned());
        let is_next = forgotten.era == record.era.saturating_add(1);
        assert!(is_next && forgotten.floor >= record.floor);
    }
}

/// Any bytes as a row's file: what is read can be written, and reads the same then.
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

/// Writes, the last of them cut short, then bytes gone bad: what is read is the last write or the one before, never
/// anything else.
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
    })
}
