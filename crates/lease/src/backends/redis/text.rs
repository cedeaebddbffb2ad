//! Records and rows as the scripts know them.

use core::fmt::Write as _;

use crate::node::Node;
use crate::realm::Realm;
use crate::record::{Claim, Record, Row};

/// Up to here Lua's numbers are whole.
const EXACT: u64 = 1 << 53;

/// A node as binary digits.
pub(crate) fn name(node: Node) -> String {
    let bits = node.bits();
    (0..bits).rev().map(|bit| if node.value() >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

/// The node with these binary digits.
pub(crate) fn node(name: &str) -> Option<Node> {
    let bits = u32::try_from(name.len()).ok()?;
    // A sign would do for a number.
    let is_binary = name.bytes().all(|digit| matches!(digit, b'0' | b'1'));
    if !is_binary {
        return None;
    }
    let value = if bits == 0 { 0 } else { u64::from_str_radix(name, 2).ok()? };
    Node::new(bits, value).ok()
}

/// All that makes two realms one.
pub(crate) fn realm(realm: &Realm) -> String {
    Record::new(realm.clone(), String::new()).to_json()
}

/// Whether all numbers that the scripts can meet are exact there, up to the year 2112: the clock counts
/// from 1970, ticks from an epoch no earlier than half as far before it as doubles reach.
fn is_exact(record: &Record) -> bool {
    let (realm, scale) = (&record.realm, record.realm.scale());
    let numbers = [realm.end(), record.max_ahead, realm.max_ahead(), scale.period_micros()];
    let epoch = i128::from(scale.epoch().as_micros());
    numbers.into_iter().all(|number| number <= EXACT)
        && epoch.unsigned_abs() <= u128::from(EXACT / 2)
}

/// The record's fields, each after its name.
pub(crate) fn fields(record: &Record) -> Vec<String> {
    let (realm, scale) = (&record.realm, record.realm.scale());
    let (mut pool, mut since) = (String::new(), String::new());
    let end = |bits, value| Node::new(bits, value).map(name).unwrap_or_default();
    for range in realm.pool().ranges() {
        // Writing to a string does not fail.
        let _ = write!(pool, "{} {};", end(range.bits(), range.first()), range.len());
    }
    for (range, era) in record.since() {
        let (first, last) = (end(range.bits(), range.first()), end(range.bits(), range.last()));
        let _ = write!(since, "{first}-{last} {era};");
    }
    let fields = [
        ("json", record.to_json()),
        ("generation", record.generation.clone()),
        ("realm", self::realm(realm)),
        ("is_exact", u8::from(is_exact(record)).to_string()),
        ("era", record.era.to_string()),
        ("floor", record.floor.to_string()),
        ("end", realm.end().to_string()),
        ("ahead", realm.ahead().to_string()),
        ("max_ahead", record.max_ahead.to_string()),
        ("term", realm.term_ticks().to_string()),
        ("epoch", scale.epoch().as_micros().to_string()),
        ("period", scale.period_micros().to_string()),
        ("ticks_per_period", scale.ticks_per_period().to_string()),
        ("micros_per_tick", scale.micros_per_tick().to_string()),
        ("pool", pool),
        ("since", since),
    ];
    fields.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
}

/// The row without its version.
pub(crate) fn row(row: &Row) -> String {
    let token = row.token.map_or_else(|| "-".to_owned(), |token| token.to_string());
    format!("{token} {} {} {} {}", row.era, row.floor, row.ceiling, row.holder)
}

/// The version and the row of a node.
pub(crate) fn parse_row(node: Node, text: &str) -> Option<(u64, Row)> {
    let mut words = text.splitn(6, ' ');
    let version = words.next()?.parse().ok()?;
    let token = match words.next()? {
        "-" => None,
        token => Some(token.parse().ok()?),
    };
    let mut number = || words.next()?.parse().ok();
    let (era, floor, ceiling) = (number()?, number()?, number()?);
    let holder = words.next()?.to_owned();
    Some((version, Row { node, token, holder, era, floor, ceiling }))
}

/// With which node of the pool a claim begins: [`Rules::acquire`](crate::Rules::acquire) says the same.
pub(crate) fn start(realm: &Realm, claim: &Claim) -> u64 {
    #[allow(clippy::cast_possible_truncation, reason = "as the rules do")]
    let start = claim.token.bits() as u64;
    start % realm.pool().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Token;

    #[test]
    fn nodes_are_binary_digits() {
        for text in ["0/0", "0/1", "1/1", "42/8", "9223372036854775807/63"] {
            let wanted: Node = text.parse().unwrap();
            assert_eq!(node(&name(wanted)), Some(wanted));
        }
        assert_eq!(name("42/8".parse().unwrap()), "00101010");
        assert_eq!([node("2"), node(&"1".repeat(64)), node("+1")], [None; 3]);
    }

    #[test]
    fn rows_come_back() {
        let node = "42/8".parse().unwrap();
        for (token, holder) in [(None, ""), (Some(Token::from_bits(7)), " a - 1 \"b\" 🙂 ")] {
            let holder = holder.to_owned();
            let wanted = Row { node, token, holder, era: 1, floor: 2, ceiling: u64::MAX };
            let text = format!("5 {}", row(&wanted));
            assert_eq!(parse_row(node, &text), Some((5, wanted)));
        }
        for text in ["", "1", "1 - 1 2 3", "x - 1 2 3 h", "1 x 1 2 3 h"] {
            assert_eq!(parse_row(node, text), None, "{text}");
        }
    }

    #[test]
    fn numbers_that_lua_has_not_are_left_to_the_rules() {
        let pool = "0-7/8".parse().unwrap();
        let name = "a".parse().unwrap();
        let realm = Realm::new(name, &tickid_core::example::Seconds, pool).unwrap();
        let exact = |realm: Realm| is_exact(&Record::new(realm, String::new()));
        assert!(exact(realm.clone()));
        assert!(!exact(Realm { end: EXACT + 1, ..realm.clone() }));
        let scale = tickid_core::TickScale::every(tickid_core::UnixTime::MIN, 1_000);
        assert!(!exact(Realm { scale, ..realm.clone() }));
        let terms = crate::Terms { allowance: EXACT, ..realm.terms() };
        assert!(!exact(Realm { terms, ..realm }));
    }
}
