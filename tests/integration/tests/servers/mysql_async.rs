//! MariaDB, through `mysql_common` and the `mysql_async` client.

use core::fmt::Debug;
use core::marker::PhantomData;

use mysql_async::prelude::{FromValue, Queryable as _, ToValue};
use mysql_async::{FromValueError, Params, Value};
use tickid_integration::{Row, Table};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_testkit::servers::MySql;

use crate::programs::MysqlAsync as Client;

tests! {
    "mysql_async", MySql:
    integers_sort_by_time,
    bytes_sort_by_time,
    texts_sort_by_time,
    other_collations_sort_otherwise,
    other_collations_merge_ids,
    what_mariadb_holds,
    other_values_are_refused,
    ids_from_year_18584_need_unsigned,
}

impl Client {
    fn execute(&mut self, sql: &str, parameters: impl Into<Params> + Send) {
        self.runtime.block_on(self.connection.exec_drop(sql, parameters.into())).unwrap();
    }

    /// Returns the first column of the rows that `sql` selects with these parameters.
    fn select<T>(&mut self, sql: &str, parameters: impl Into<Params>) -> Vec<T>
    where
        T: FromValue + Send + 'static,
    {
        self.runtime.block_on(self.connection.exec(sql, parameters.into())).unwrap()
    }

    fn error(&mut self, sql: &str, parameters: impl Into<Params>) -> String {
        let result = self.connection.exec_drop(sql, parameters.into());
        self.runtime.block_on(result).unwrap_err().to_string()
    }
}

struct Ids<Id> {
    client: Client,
    id: PhantomData<Id>,
}

impl<Id> Ids<Id> {
    fn new(server: &MySql, column: &str) -> Self {
        let mut client = Client::connect(&server.url());
        let create = format!(
            "CREATE TEMPORARY TABLE ids (number BIGINT, micros BIGINT, id {column} PRIMARY KEY)"
        );
        client.execute(&create, ());
        Self { client, id: PhantomData }
    }

    /// Returns a table of IDs in as many bytes as they have.
    fn of_bytes(server: &MySql) -> Self {
        Self::new(server, &format!("BINARY({})", size_of::<Id>()))
    }
}

impl<Id: ToValue + FromValue + Send + 'static> Table<Id> for Ids<Id> {
    fn insert(&mut self, row: Row<Id>) {
        let values = (row.number, row.micros, row.id.to_value());
        self.client.execute("INSERT INTO ids VALUES (?, ?, ?)", values);
    }

    fn in_order_of_id(&mut self) -> Vec<(i64, Id)> {
        let Client { runtime, connection } = &mut self.client;
        let select = connection.exec("SELECT number, id FROM ids ORDER BY id", ());
        runtime.block_on(select).unwrap()
    }

    fn between(&mut self, min: Id, max: Id) -> Vec<i64> {
        let select = "SELECT number FROM ids WHERE id BETWEEN ? AND ?";
        self.client.select(select, (min.to_value(), max.to_value()))
    }

    fn during(&mut self, first: i64, last: i64) -> Vec<i64> {
        self.client.select("SELECT number FROM ids WHERE micros BETWEEN ? AND ?", (first, last))
    }
}

tickid_integration::tables_sort_by_time! {
    (server: &MySql),
    integers: Ids::new(server, "BIGINT"),
    bytes: Ids::of_bytes(server),
    texts: Ids::new(server, "CHAR(16) CHARACTER SET ascii COLLATE ascii_bin"),
}

/// Texts with every character of kuid's alphabet at the start of one, in the order of their IDs.
fn kuids() -> Vec<AsText<LocalId>> {
    (0..64).map(|high| AsText(LocalId::new(high << 58))).collect()
}

/// The default of MySQL 8, `utf8mb4_0900_ai_ci`, is not among them: MariaDB 10.11 lacks it.
fn other_collations_sort_otherwise(server: &MySql) {
    for (character_set, collation, sorts) in [
        ("ascii", "ascii_bin", true),
        ("latin1", "latin1_bin", true),
        ("utf8mb4", "utf8mb4_bin", true),
        ("utf8mb4", "utf8mb4_nopad_bin", true),
        ("binary", "binary", true),
        ("ascii", "ascii_general_ci", false),
        ("latin1", "latin1_swedish_ci", false),
        ("latin1", "latin1_general_cs", false),
        ("utf8mb4", "utf8mb4_general_ci", false),
        ("utf8mb4", "utf8mb4_unicode_ci", false),
        ("utf8mb4", "utf8mb4_uca1400_ai_ci", false),
        ("utf8mb4", "utf8mb4_uca1400_as_cs", false),
    ] {
        let mut client = Client::connect(&server.url());
        let column = format!("CHAR(11) CHARACTER SET {character_set} COLLATE {collation}");
        client.execute(&format!("CREATE TEMPORARY TABLE ids (number INT, id {column})"), ());
        for (number, id) in kuids().into_iter().enumerate() {
            client.execute("INSERT INTO ids VALUES (?, ?)", (number, id));
        }
        let found: Vec<AsText<LocalId>> =
            client.select("SELECT id FROM ids ORDER BY id, number", ());
        assert_eq!(found == kuids(), sorts, "{collation}");
    }
}

/// Worse than a wrong order: texts that differ in case only are one key.
fn other_collations_merge_ids(server: &MySql) {
    let [upper, lower] = ["Q...........", "q..........."].map(|text| &text[..11]);
    let [upper, lower] = [upper, lower].map(|text| AsText(text.parse::<LocalId>().unwrap()));
    for (column, merges) in [
        ("CHAR(11) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", true),
        ("CHAR(11) CHARACTER SET ascii COLLATE ascii_bin", false),
    ] {
        let mut ids = Ids::<AsText<LocalId>>::new(server, column);
        ids.insert(Row { number: 1, micros: 1, id: upper });
        assert_eq!(ids.between(lower, lower), if merges { vec![1] } else { vec![] }, "{column}");
        if merges {
            let error = ids.client.error("INSERT INTO ids VALUES (2, 2, ?)", (lower,));
            assert!(error.contains("Duplicate entry"), "{error}");
        }
    }
}

/// Writes a value, reads it back by both protocols, and returns MariaDB's text for it.
fn stored<T>(server: &MySql, value: T, column: &str, literal: &str) -> Option<String>
where
    T: ToValue + FromValue + PartialEq + Debug + Send + 'static,
{
    let mut client = Client::connect(&server.url());
    client.execute(&format!("CREATE TEMPORARY TABLE ids (id {column})"), ());
    client.execute("INSERT INTO ids VALUES (?)", (value.to_value(),));
    let Client { runtime, connection } = &mut client;
    let text: Option<T> = runtime.block_on(connection.query_first("SELECT id FROM ids")).unwrap();
    assert_eq!(text.as_ref(), Some(&value));
    assert_eq!(client.select::<T>("SELECT id FROM ids", ()), [value]);
    client.select(&format!("SELECT CAST({literal} AS CHAR) FROM ids"), ()).pop().unwrap()
}

fn what_mariadb_holds(server: &MySql) {
    let is = |stored: Option<String>, expected: &str| assert_eq!(stored.as_deref(), Some(expected));
    is(stored(server, Scru64Id::MAX, "BIGINT", "id"), "4738381338321616895");
    is(stored(server, NanoflakeId::MAX, "BIGINT", "id"), "9223372036854775807");
    is(stored(server, LocalId::new(7), "BIGINT", "id"), "7");
    is(stored(server, SnoId::MAX, "BINARY(10)", "HEX(id)"), "FFFFFFFFFFFFFFFFFFFF");
    let global = GlobalId::from_bytes(*b"0123456789ab");
    is(stored(server, global, "BINARY(12)", "HEX(id)"), "303132333435363738396162");
    is(stored(server, WideGlobalId::MIN, "BINARY(16)", "HEX(id)"), &"0".repeat(32));
    let text = "CHAR(16) CHARACTER SET ascii COLLATE ascii_bin";
    is(stored(server, AsText(SnoId::MAX), text, "id"), "xxxxxxxxxxxxxxxx");
    is(stored(server, AsText(Scru64Id::MIN), text, "id"), "000000000000");
    let wide = "CHAR(22) CHARACTER SET ascii COLLATE ascii_bin";
    is(stored(server, AsText(WideGlobalId::MIN), wide, "id"), &".".repeat(22));
    assert_eq!(stored(server, None::<SnoId>, "BINARY(10)", "HEX(id)"), None);
}

fn other_values_are_refused(server: &MySql) {
    fn error<T: FromValue + Send + 'static>(server: &MySql, select: &str) -> Value {
        let value: Value =
            Client::connect(&server.url()).select(&format!("SELECT {select}"), ()).remove(0);
        let FromValueError(value) = T::from_value_opt(value).err().unwrap();
        value
    }
    assert_eq!(error::<Scru64Id>(server, "-1"), Value::Int(-1));
    assert_eq!(error::<Scru64Id>(server, "4738381338321616896"), Value::UInt(4738381338321616896));
    assert_eq!(error::<NanoflakeId>(server, "-1"), Value::Int(-1));
    assert_eq!(error::<SnoId>(server, "x'00'"), Value::Bytes(vec![0]));
    assert_eq!(error::<SnoId>(server, "7"), Value::Int(7));
    assert_eq!(error::<AsText<SnoId>>(server, "'2'"), Value::Bytes(b"2".to_vec()));
    assert_eq!(error::<Scru64Id>(server, "NULL"), Value::NULL);
}

/// Local IDs are unsigned, as a column of MariaDB can be.
fn ids_from_year_18584_need_unsigned(server: &MySql) {
    let (last, first) = (LocalId::new((1 << 63) - 1), LocalId::new(1 << 63));
    let mut ids = Ids::new(server, "BIGINT");
    ids.insert(Row { number: 1, micros: 1, id: last });
    let error = ids.client.error("INSERT INTO ids VALUES (2, 2, ?)", (first,));
    assert!(error.contains("Out of range value for column 'id'"), "{error}");

    let mut ids = Ids::new(server, "BIGINT UNSIGNED");
    ids.insert(Row { number: 2, micros: 2, id: first });
    ids.insert(Row { number: 1, micros: 1, id: last });
    assert_eq!(ids.in_order_of_id(), [(1, last), (2, first)]);
    assert_eq!(ids.between(first, LocalId::MAX), [2]);
}
