//! SQLite, through `rusqlite`.

use core::fmt::Debug;
use core::marker::PhantomData;

use rusqlite::types::FromSql;
use rusqlite::{Connection, ToSql, params};
use tickid_core::UnixTime;
use tickid_integration::{Row, Table};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_snowflake::{Snowflake, SnowflakeId};

struct Sqlite<Id> {
    connection: Connection,
    id: PhantomData<Id>,
}

impl<Id> Sqlite<Id> {
    fn new(column: &str) -> Self {
        let connection = Connection::open_in_memory().unwrap();
        let create = format!(
            "CREATE TABLE ids (number INTEGER, micros INTEGER, id {column} PRIMARY KEY) STRICT"
        );
        connection.execute(&create, []).unwrap();
        Self { connection, id: PhantomData }
    }

    fn numbers(&self, condition: &str, from: &dyn ToSql, to: &dyn ToSql) -> Vec<i64> {
        let select = format!("SELECT number FROM ids WHERE {condition} BETWEEN ?1 AND ?2");
        let mut select = self.connection.prepare(&select).unwrap();
        let rows = select.query_map(params![from, to], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

impl<Id: ToSql + FromSql> Table<Id> for Sqlite<Id> {
    fn insert(&mut self, row: Row<Id>) {
        let values = params![row.number, row.micros, row.id];
        self.connection.execute("INSERT INTO ids VALUES (?1, ?2, ?3)", values).unwrap();
    }

    fn in_order_of_id(&mut self) -> Vec<(i64, Id)> {
        let mut select = self.connection.prepare("SELECT number, id FROM ids ORDER BY id").unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn between(&mut self, min: Id, max: Id) -> Vec<i64> {
        self.numbers("id", &min, &max)
    }

    fn during(&mut self, first: i64, last: i64) -> Vec<i64> {
        self.numbers("micros", &first, &last)
    }
}

tickid_integration::tables_sort_by_time! {
    #[test] (),
    integers: Sqlite::new("INTEGER"),
    bytes: Sqlite::new("BLOB"),
    texts: Sqlite::new("TEXT"),
}

#[test]
fn nocase_merges_and_misorders_ids() {
    let kuids: Vec<_> = (0..64).map(|high| AsText(LocalId::new(high << 58))).collect();
    for (collation, sorts) in [("BINARY", true), ("NOCASE", false)] {
        let mut table = Sqlite::<AsText<LocalId>>::new(&format!("TEXT COLLATE {collation}"));
        let insert = "INSERT OR IGNORE INTO ids VALUES (0, 0, ?1)";
        let rows: usize =
            kuids.iter().map(|id| table.connection.execute(insert, [id]).unwrap()).sum();
        // 26 letters of the alphabet are there in both cases.
        assert_eq!(rows, if sorts { 64 } else { 64 - 26 }, "{collation}");
        let ids: Vec<_> = table.in_order_of_id().into_iter().map(|(_, id)| id).collect();
        assert_eq!(ids.is_sorted(), sorts, "{collation}");
    }
}

/// Of all schemes' digits, only SCRU64's have one value in either case.
#[test]
fn nocase_sorts_scru64_of_either_case() {
    for (collation, sorts) in [("BINARY", false), ("NOCASE", true)] {
        let mut table = Sqlite::<String>::new(&format!("TEXT COLLATE {collation}"));
        for number in 0..64 {
            let text = Scru64Id::new(number << 56).unwrap().to_string();
            let id = if number % 2 == 0 { text } else { text.to_uppercase() };
            table.insert(Row { number: number.cast_signed(), micros: 0, id });
        }
        let numbers: Vec<_> =
            table.in_order_of_id().into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers.is_sorted(), sorts, "{collation}");
    }
}

/// Writes a value, reads it back, and returns SQLite's literal for it.
fn stored<T: ToSql + FromSql + PartialEq + Debug>(value: T) -> String {
    let connection = Connection::open_in_memory().unwrap();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (back, literal) = connection.query_row("SELECT ?1, quote(?1)", [&value], read).unwrap();
    assert_eq!(value, back);
    literal
}

#[test]
fn what_sqlite_holds() {
    assert_eq!(stored(Scru64Id::MAX), "4738381338321616895");
    assert_eq!(stored(NanoflakeId::MAX), "9223372036854775807");
    assert_eq!(stored(LocalId::new(7)), "7");
    assert_eq!(stored(SnoId::MAX), "X'FFFFFFFFFFFFFFFFFFFF'");
    assert_eq!(stored(GlobalId::from_bytes(*b"0123456789ab")), "X'303132333435363738396162'");
    assert_eq!(stored(WideGlobalId::MIN), format!("X'{}'", "0".repeat(32)));
    assert_eq!(stored(AsText(SnoId::MAX)), "'xxxxxxxxxxxxxxxx'");
    assert_eq!(stored(None::<SnoId>), "NULL");
    assert_eq!(stored(Some(AsText(Scru64Id::MIN))), "'000000000000'");
}

#[test]
fn noncanonical_text_is_read() {
    let connection = Connection::open_in_memory().unwrap();
    let AsText(id) = connection
        .query_row("SELECT '0U375NXQH5CQ'", [], |row| row.get::<_, AsText<Scru64Id>>(0))
        .unwrap();
    assert_eq!(id.to_string(), "0u375nxqh5cq");
}

#[test]
fn errors_have_the_reason() {
    fn error<T: FromSql>(literal: &str) -> String {
        let connection = Connection::open_in_memory().unwrap();
        let value =
            connection.query_row(&format!("SELECT {literal}"), [], |row| row.get::<_, T>(0));
        value.err().map(|error| error.to_string()).unwrap_or_default()
    }
    let cases = [
        (error::<Scru64Id>("-1"), "SCRU64 integer -1 is outside of 0..=4738381338321616895"),
        (error::<NanoflakeId>("-1"), "Nanoflake integer -1 is outside of 0..="),
        (error::<LocalId>("-1"), "kuid local ID -1 is outside of 0..=9223372036854775807"),
        (error::<SnoId>("x'00'"), "length in bytes 1 is outside of 10..=10"),
        (error::<SnoId>("7"), "Integer"),
        (error::<AsText<SnoId>>("'2'"), "not a sno ID: 1 byte"),
        (error::<Scru64Id>("NULL"), "Null"),
    ];
    for (error, expected) in cases {
        assert!(error.contains(expected), "{error}: {expected}");
    }
}

/// Local IDs are unsigned and columns are not: the column would sort them in another order.
#[test]
fn ids_from_year_18584_are_refused() {
    let connection = Connection::open_in_memory().unwrap();
    let first = LocalId::new(1 << 63);
    assert_eq!(first.unix_time().as_millis() / 1_000, 524_288_000_000);
    let error = connection.execute("SELECT ?1", [first]).unwrap_err();
    let expected = "kuid local ID 9223372036854775808 is outside of 0..=9223372036854775807";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(stored(LocalId::new(u64::MAX >> 1)), i64::MAX.to_string());
    assert_eq!(stored(AsText(LocalId::MAX)), "'zzzzzzzzzzw'");
}

/// Those of the page on data tools, which need no function of ours.
#[test]
fn statements_of_data_tools_run() {
    let page = include_str!("../../../../docs/data-tools.md");
    let (_, block) = page.split_once("-- SQLite").unwrap();
    let (_, block) = block.split_once('\n').unwrap();
    let (times, rest) = block.split_once(';').unwrap();
    let (first, _) = rest.split_once(';').unwrap();
    let connection = Connection::open_in_memory().unwrap();
    connection.execute("CREATE TABLE messages (id INTEGER)", []).unwrap();
    let discord = Snowflake::DISCORD;
    let day = UnixTime::from_millis(1_793_491_200_000).unwrap();
    for id in [SnowflakeId::new(175_928_847_299_117_063), discord.min_at(day).unwrap()] {
        connection.execute("INSERT INTO messages VALUES (?1)", [id.get().cast_signed()]).unwrap();
        let found: String = connection.query_row(times, [], |row| row.get(0)).unwrap();
        assert_eq!(found, format!("{:.3}", discord.unix_time(id)));
        connection.execute("DELETE FROM messages", []).unwrap();
    }
    let found: i64 = connection.query_row(first, [], |row| row.get(0)).unwrap();
    assert_eq!(found, discord.min_at(day).unwrap().get().cast_signed());
}
