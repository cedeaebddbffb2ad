//! PostgreSQL, through `postgres-types` and the `postgres` client.

use core::fmt::Debug;
use core::marker::PhantomData;

use postgres::types::{FromSqlOwned, ToSql};
use postgres::{Client, NoTls};
use tickid_integration::{Row, Table};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_testkit::servers::Postgres;

tests! {
    "postgres_types", Postgres:
    integers_sort_by_time,
    bytes_sort_by_time,
    texts_sort_by_time,
    other_collations_sort_otherwise,
    what_postgresql_holds,
    lists_of_ids_are_arrays,
    columns_of_other_types_are_refused,
    errors_have_the_reason,
    ids_from_year_18584_are_refused,
}

fn connect(server: &Postgres) -> Client {
    Client::connect(&server.url(), NoTls).unwrap()
}

struct Ids<Id> {
    client: Client,
    id: PhantomData<Id>,
}

impl<Id> Ids<Id> {
    fn new(server: &Postgres, column: &str) -> Self {
        let mut client = connect(server);
        let create = format!(
            "CREATE TEMPORARY TABLE ids (number BIGINT, micros BIGINT, id {column} PRIMARY KEY)"
        );
        client.execute(&create, &[]).unwrap();
        Self { client, id: PhantomData }
    }
}

impl<Id: ToSql + FromSqlOwned + Sync> Table<Id> for Ids<Id> {
    fn insert(&mut self, row: Row<Id>) {
        let values: [&(dyn ToSql + Sync); 3] = [&row.number, &row.micros, &row.id];
        self.client.execute("INSERT INTO ids VALUES ($1, $2, $3)", &values).unwrap();
    }

    fn in_order_of_id(&mut self) -> Vec<(i64, Id)> {
        let rows = self.client.query("SELECT number, id FROM ids ORDER BY id", &[]).unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    fn between(&mut self, min: Id, max: Id) -> Vec<i64> {
        let select = "SELECT number FROM ids WHERE id BETWEEN $1 AND $2";
        self.client.query(select, &[&min, &max]).unwrap().iter().map(|row| row.get(0)).collect()
    }

    fn during(&mut self, first: i64, last: i64) -> Vec<i64> {
        let select = "SELECT number FROM ids WHERE micros BETWEEN $1 AND $2";
        self.client.query(select, &[&first, &last]).unwrap().iter().map(|row| row.get(0)).collect()
    }
}

tickid_integration::tables_sort_by_time! {
    (server: &Postgres),
    integers: Ids::new(server, "BIGINT"),
    bytes: Ids::new(server, "BYTEA"),
    texts: Ids::new(server, "TEXT COLLATE \"C\""),
}

fn other_collations_sort_otherwise(server: &Postgres) {
    /// Reports whether texts sort in the order of `ids`, which is the order of the IDs.
    fn sorts<T>(server: &Postgres, ids: &[T], collation: &str) -> bool
    where
        T: ToSql + FromSqlOwned + Sync + PartialEq,
    {
        assert!(ids.len() > 1);
        let select =
            format!("SELECT id FROM unnest($1::text[]) AS id ORDER BY id COLLATE {collation}");
        let rows = connect(server).query(&select, &[&ids]).unwrap();
        rows.iter().map(|row| row.get::<_, T>(0)).collect::<Vec<_>>() == ids
    }
    // Every character of kuid's alphabet leads one of these.
    let kuids: Vec<_> = (0..64).map(|high| AsText(LocalId::new(high << 58))).collect();
    // In Danish two of these make a letter that comes last.
    let scru64s =
        ["0aa000000000", "0b0000000000"].map(|text| AsText(text.parse::<Scru64Id>().unwrap()));
    assert!(sorts(server, &kuids, "\"C\"") && sorts(server, &scru64s, "\"C\""));
    assert!(!sorts(server, &kuids, "\"en-x-icu\""));
    assert!(!sorts(server, &scru64s, "\"da-x-icu\""));
}

/// Writes a value, reads it back, and returns PostgreSQL's text for it.
fn stored<T>(server: &Postgres, value: T, ty: &str) -> Option<String>
where
    T: ToSql + Sync + FromSqlOwned + PartialEq + Debug,
{
    let select = format!("SELECT $1::{ty}, $1::{ty}::text");
    let row = connect(server).query_one(&select, &[&value]).unwrap();
    assert_eq!(value, row.get(0));
    row.get(1)
}

fn what_postgresql_holds(server: &Postgres) {
    let is = |stored: Option<String>, expected: &str| assert_eq!(stored.as_deref(), Some(expected));
    is(stored(server, Scru64Id::MAX, "bigint"), "4738381338321616895");
    is(stored(server, NanoflakeId::MAX, "bigint"), "9223372036854775807");
    is(stored(server, LocalId::new(7), "bigint"), "7");
    is(stored(server, SnoId::MAX, "bytea"), r"\xffffffffffffffffffff");
    is(
        stored(server, GlobalId::from_bytes(*b"0123456789ab"), "bytea"),
        r"\x303132333435363738396162",
    );
    is(stored(server, WideGlobalId::MIN, "bytea"), &format!(r"\x{}", "0".repeat(32)));
    for ty in ["text", "varchar", "char(16)"] {
        is(stored(server, AsText(SnoId::MAX), ty), "xxxxxxxxxxxxxxxx");
    }
    assert_eq!(stored(server, None::<SnoId>, "bytea"), None);
    is(stored(server, Some(AsText(Scru64Id::MIN)), "text"), "000000000000");
}

fn lists_of_ids_are_arrays(server: &Postgres) {
    let all = [Scru64Id::MIN, Scru64Id::MAX];
    let select = "SELECT id FROM unnest($1::bigint[]) AS id WHERE id = ANY ($2)";
    let rows = connect(server).query(select, &[&&all[..], &vec![all[1]]]).unwrap();
    let found: Vec<Scru64Id> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(found, [all[1]]);
    is_array(server, vec![SnoId::MIN, SnoId::MAX], "bytea");
    is_array(server, vec![AsText(SnoId::MIN)], "text");
}

fn is_array<T: ToSql + Sync + FromSqlOwned + PartialEq + Debug>(
    server: &Postgres,
    ids: Vec<T>,
    ty: &str,
) {
    let row = connect(server).query_one(&format!("SELECT $1::{ty}[]"), &[&ids]).unwrap();
    assert_eq!(ids, row.get::<_, Vec<T>>(0));
}

fn columns_of_other_types_are_refused(server: &Postgres) {
    let error = |value: &(dyn ToSql + Sync), ty: &str| {
        let result = connect(server).query_one(&format!("SELECT $1::{ty}"), &[value]);
        core::error::Error::source(&result.unwrap_err()).unwrap().to_string()
    };
    for (value, ty) in [
        (&SnoId::MIN as &(dyn ToSql + Sync), "text"),
        (&SnoId::MIN, "bigint"),
        (&Scru64Id::MIN, "int"),
        (&Scru64Id::MIN, "text"),
        (&AsText(Scru64Id::MIN), "bigint"),
    ] {
        let error = error(value, ty);
        assert!(error.starts_with("cannot convert between the Rust type `"), "{error}");
    }
}

fn errors_have_the_reason(server: &Postgres) {
    fn error<T: FromSqlOwned>(server: &Postgres, value: &str) -> String {
        let row = connect(server).query_one(&format!("SELECT {value}"), &[]).unwrap();
        let error = row.try_get::<_, T>(0).err().unwrap();
        core::error::Error::source(&error).unwrap().to_string()
    }
    let cases = [
        (
            error::<Scru64Id>(server, "-1::bigint"),
            "SCRU64 integer -1 is outside of 0..=4738381338321616895",
        ),
        (
            error::<NanoflakeId>(server, "-1::bigint"),
            "Nanoflake integer -1 is outside of 0..=9223372036854775807",
        ),
        (
            error::<LocalId>(server, "-1::bigint"),
            "kuid local ID -1 is outside of 0..=9223372036854775807",
        ),
        (error::<SnoId>(server, r"'\x00'::bytea"), "length in bytes 1 is outside of 10..=10"),
        (error::<GlobalId>(server, r"'\x00'::bytea"), "length in bytes 1 is outside of 12..=12"),
        (error::<AsText<SnoId>>(server, "'2'::text"), "not a sno ID: 1 byte long, not 16"),
    ];
    for (error, expected) in cases {
        assert_eq!(error, expected);
    }
}

/// Local IDs are unsigned and columns are not: the column would sort them in another order.
fn ids_from_year_18584_are_refused(server: &Postgres) {
    let first = LocalId::new(1 << 63);
    let error = connect(server).query_one("SELECT $1::bigint", &[&first]).unwrap_err();
    let reason = core::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, "kuid local ID 9223372036854775808 is outside of 0..=9223372036854775807");
    let last = stored(server, LocalId::new(u64::MAX >> 1), "bigint");
    assert_eq!(last, Some(i64::MAX.to_string()));
    assert_eq!(stored(server, AsText(LocalId::MAX), "text").as_deref(), Some("zzzzzzzzzzw"));
}
