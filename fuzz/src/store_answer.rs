//! Servers' answers and the statements sent to them: rows of SQL servers, replies and rows of
//! Redis, what MySQL sends, and the texts that become part of a statement of MySQL.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use tickid_core::{AnyNode, UnixTime};
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{RealmView, Record, Row, RowState, Scope, Version};
use tickid_stores::fuzzing::{
    MYSQL_GENERATION, is_redis_reply, mysql_statement, read_mysql_stream, read_redis_row,
    read_sql_answer,
};

use crate::store_file::any_row;

/// The columns of each row of an answer.
type Texts = Vec<Vec<Option<String>>>;

pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    // The first byte selects the kind, so that seeds are readable. Too few bytes are not a case.
    let _ = match kind {
        b'A' => answer(rest),
        b'M' => stream(rest),
        b'R' => reply(rest),
        b'S' => statement(&mut Unstructured::new(rest)),
        _ => rows(&mut Unstructured::new(rest)),
    };
}

fn realm() -> RealmName {
    "fuzzed".parse().unwrap()
}

/// Reads an answer in lines of JSON, an array of columns each.
fn answer(text: &[u8]) -> Result<()> {
    let lines = text.split(|&byte| byte == b'\n').map(serde_json::from_slice);
    let Ok(texts) = lines.collect::<core::result::Result<Texts, _>>() else { return Ok(()) };
    let start = AnyNode::new(128, 8).unwrap();
    for scope in [Scope::All, Scope::Record, Scope::Node(start)] {
        let _ = read(scope, &texts);
    }
    for limit in [0, 1, 64] {
        let _ = read(Scope::Candidates { start, limit }, &texts);
    }
    Ok(())
}

/// Reads bytes as if a MySQL server had sent them after its greeting: with the number of each
/// packet and its length, and once more with those that a whole stream would have.
fn stream(bytes: &[u8]) -> Result<()> {
    for bytes in [[&greeting(), bytes].concat(), bytes.to_vec(), in_order(bytes)] {
        let Some(texts) = read_mysql_stream(&bytes) else { continue };
        let cells = texts.iter().flatten().flatten();
        // A byte that is not UTF-8 becomes three.
        assert!(cells.map(String::len).sum::<usize>() <= 3 * bytes.len());
        assert!(texts.iter().all(|row| (1..=4).contains(&row.len())));
    }
    Ok(())
}

/// The greeting of a server that has all capabilities.
fn greeting() -> Vec<u8> {
    let mut packet = b"\x0a8.4.0\0\x01\0\0\0abcdefgh\0\xff\xff\x2d\x02\0\xff\xff\x15".to_vec();
    packet.extend([0; 10]);
    packet.extend(b"ijklmnopqrst\0caching_sha2_password\0");
    [&[packet.len() as u8, 0, 0, 0], &*packet].concat()
}

/// Returns the greeting, the acceptance of a login, and the packets of an answer: the bytes between
/// line feeds.
fn in_order(bytes: &[u8]) -> Vec<u8> {
    let mut stream = [&*greeting(), b"\x01\0\0\x02\0"].concat();
    for (packet, number) in bytes.split(|&byte| byte == b'\n').zip(1_u8..) {
        let [low, middle, high, _] = (packet.len() as u32).to_le_bytes();
        stream.extend([low, middle, high, number]);
        stream.extend(packet);
    }
    stream
}

/// Asserts that every row of a view is under its own node, and that a record is read back.
fn read(scope: Scope, texts: &Texts) -> Option<RealmView> {
    let view = read_sql_answer(&realm(), scope, texts.clone()).ok()?;
    assert!(view.rows.len() <= texts.len());
    for (node, state) in &view.rows {
        assert!(state.row().is_none_or(|row| row.node == *node), "{node}: {state:?}");
    }
    let is_page = matches!(scope, Scope::Candidates { .. });
    assert!(view.page_end.is_none_or(|node| is_page && view.rows.contains_key(&node)), "{view:?}");
    if let Some((record, _)) = &view.record {
        let again = Record::from_json(realm(), record.to_json().as_bytes());
        assert_eq!(again.unwrap(), *record);
        assert_eq!(view.is_other_generation(), record.generation != view.generation);
        let _ = view.standings();
    }
    Some(view)
}

/// Asserts that the answer of a server that has these rows, some of them malformed, is read as
/// these rows.
fn rows(data: &mut Unstructured<'_>) -> Result<()> {
    let mut kept = BTreeMap::<AnyNode, (Row, Option<String>)>::new();
    for _ in 0..data.int_in_range(0..=6)? {
        let row = any_row(data)?;
        let damaged = data.arbitrary::<Option<&str>>()?.map(str::to_owned);
        kept.insert(row.node, (row, damaged));
    }
    let (start, limit) = (any_row(data)?.node, data.int_in_range(1..=6)?);
    let (now, version) = (data.arbitrary()?, data.arbitrary::<u64>()?);
    // The server's order: from the start to the last one, and from the first one on.
    let page = kept.range(start..).chain(kept.range(..start)).take(limit + 1);
    let text = |text: &str| Some(text.to_owned());
    let number = |number: u64| Some(number.to_string());
    let mut texts: Texts = page
        .clone()
        .map(|(node, (row, damaged))| {
            let json = damaged.clone().unwrap_or_else(|| row.to_json());
            vec![text("page"), text(&node.sort_key()), number(version), Some(json)]
        })
        .collect();
    let now = UnixTime::from_micros(now);
    texts.push(vec![text("store"), Some(now.as_micros().to_string()), None, text("a")]);

    let view = read(Scope::Candidates { start, limit }, &texts).unwrap();
    assert_eq!((view.now, &*view.generation), (now, "a"));
    assert_eq!(view.rows.len(), kept.len().min(limit + 1));
    let last = if kept.len() > limit { page.clone().nth(limit - 1) } else { None };
    assert_eq!(view.page_end, last.map(|(node, _)| *node));
    for (node, (row, damaged)) in page {
        let version = Version(version);
        let state = &view.rows[node];
        let intact = RowState::Intact { row: row.clone(), version, is_dead: false };
        match damaged {
            None => assert_eq!(*state, intact),
            // It is malformed, of a later format, or the row of that node by chance.
            Some(_) => assert!(state.version().is_none_or(|found| found == version), "{state:?}"),
        }
    }
    Ok(())
}

/// Reads a reply of Redis, and the same bytes as the text of a row.
fn reply(bytes: &[u8]) -> Result<()> {
    let _ = is_redis_reply(bytes);
    let node = AnyNode::new(42, 8).unwrap();
    let state = read_redis_row(node, bytes).expect("a text is a row, if a malformed one");
    assert!(state.row().is_none_or(|row| row.node == node), "{state:?}");
    Ok(())
}

const STATEMENTS: [&str; 3] = [
    include_str!("../../crates/stores/src/mysql/read.sql"),
    include_str!("../../crates/stores/src/mysql/commit.sql"),
    "$1$2 $generation $$3 '$'",
];
const LITERAL: &str = "_utf8mb4 X'";

/// The largest number in a statement.
const NUMBERS: usize = 11;

/// Asserts that each text is in its own literal, and leaves the rest of a statement as it is.
fn statement(data: &mut Unstructured<'_>) -> Result<()> {
    let template = *data.choose(&STATEMENTS)?;
    let texts: Vec<Option<String>> =
        (0..NUMBERS).map(|_| data.arbitrary()).collect::<Result<_>>()?;
    let filled = mysql_statement(template, &texts);
    let mut from = template.replace("$generation", MYSQL_GENERATION);
    // `$11` before `$1`.
    for number in (1..=NUMBERS).rev() {
        from = from.replace(&format!("${number}"), &format!("\0{number}\0"));
    }
    // Numbers of texts stand between the parts.
    let mut parts = from.split('\0');
    let mut rest = filled.strip_prefix(parts.next().unwrap()).unwrap();
    while let (Some(number), Some(part)) = (parts.next(), parts.next()) {
        rest = match &texts[number.parse::<usize>().unwrap() - 1] {
            None => rest.strip_prefix("NULL").unwrap(),
            Some(text) => {
                let (digits, rest) = rest.strip_prefix(LITERAL).unwrap().split_once('\'').unwrap();
                let digits = data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap();
                assert_eq!(digits, text.as_bytes());
                rest
            }
        };
        rest = rest.strip_prefix(part).unwrap();
    }
    assert_eq!(rest, "");
    Ok(())
}
