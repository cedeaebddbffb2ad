//! PostgreSQL, through `sqlx`.

use core::fmt::Debug;

use sqlx::postgres::{PgConnection, PgHasArrayType};
use sqlx::{AssertSqlSafe, Decode, Encode, Postgres as Pg, Row as _, Type};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_snowflake::SnowflakeId;
use tickid_testkit::servers::Postgres;

use crate::programs::Sqlx;

tests! {
    "sqlx", Postgres:
    what_postgresql_holds,
    lists_of_ids_are_arrays,
    columns_of_other_types_are_refused,
    errors_have_the_reason,
    ids_from_year_18584_are_refused,
}

type Client = Sqlx<PgConnection>;

/// The traits of sqlx for a value that is written and read.
trait Value:
    for<'a> Encode<'a, Pg> + for<'a> Decode<'a, Pg> + Type<Pg> + Send + Unpin + 'static
{
}

impl<T> Value for T where
    T: for<'a> Encode<'a, Pg> + for<'a> Decode<'a, Pg> + Type<Pg> + Send + Unpin + 'static
{
}

/// Writes a value, reads it back, and returns PostgreSQL's text for it. sqlx infers its type.
fn stored<T: Value + Copy + PartialEq + Debug>(server: &Postgres, value: T) -> Option<String> {
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let select = sqlx::query_as("SELECT $1, $1::text").bind(value);
    let (back, text): (T, _) = runtime.block_on(select.fetch_one(&mut connection)).unwrap();
    assert_eq!(back, value);
    text
}

fn what_postgresql_holds(server: &Postgres) {
    let is = |stored: Option<String>, expected: &str| assert_eq!(stored.as_deref(), Some(expected));
    is(stored(server, Scru64Id::MAX), "4738381338321616895");
    is(stored(server, NanoflakeId::MAX), "9223372036854775807");
    is(stored(server, LocalId::new(7)), "7");
    is(stored(server, SnowflakeId::new(7)), "7");
    is(stored(server, SnoId::MAX), r"\xffffffffffffffffffff");
    is(stored(server, GlobalId::from_bytes(*b"0123456789ab")), r"\x303132333435363738396162");
    is(stored(server, WideGlobalId::MIN), &format!(r"\x{}", "0".repeat(32)));
    is(stored(server, AsText(SnoId::MAX)), "xxxxxxxxxxxxxxxx");
    assert_eq!(stored(server, None::<SnoId>), None);
    is(stored(server, Some(AsText(Scru64Id::MIN))), "000000000000");
}

fn lists_of_ids_are_arrays(server: &Postgres) {
    is_array(server, [Scru64Id::MIN, Scru64Id::MAX]);
    is_array(server, [NanoflakeId::MIN, NanoflakeId::MAX]);
    is_array(server, [SnoId::MIN, SnoId::MAX]);
    is_array(server, [GlobalId::MIN, GlobalId::MAX]);
    is_array(server, [AsText(SnoId::MIN), AsText(SnoId::MAX)]);
}

fn is_array<T: Value + PgHasArrayType + Copy + PartialEq + Debug>(server: &Postgres, ids: [T; 2]) {
    let all = ids.to_vec();
    let select = "SELECT id FROM unnest($1) AS id WHERE id = ANY ($2)";
    let select = sqlx::query_scalar(select).bind(all).bind(vec![ids[1]]);
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let found: Vec<T> = runtime.block_on(select.fetch_all(&mut connection)).unwrap();
    assert_eq!(found, [ids[1]]);
}

/// Returns the reason why `select` does not give a `T`.
fn error<T: Value>(server: &Postgres, select: &str) -> String {
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let row = sqlx::query(AssertSqlSafe(select)).fetch_one(&mut connection);
    let row = runtime.block_on(row).unwrap();
    row.try_get::<T, _>(0).err().unwrap().to_string()
}

fn columns_of_other_types_are_refused(server: &Postgres) {
    for error in [
        error::<SnoId>(server, "SELECT 'a'"),
        error::<SnoId>(server, "SELECT 1::bigint"),
        error::<Scru64Id>(server, "SELECT 1"),
        error::<AsText<Scru64Id>>(server, "SELECT 1::bigint"),
    ] {
        assert!(error.contains("mismatched types"), "{error}");
    }
}

fn errors_have_the_reason(server: &Postgres) {
    let cases = [
        (
            error::<Scru64Id>(server, "SELECT -1::bigint"),
            "SCRU64 integer -1 is outside of 0..=4738381338321616895",
        ),
        (
            error::<SnoId>(server, r"SELECT '\x00'::bytea"),
            "length in bytes 1 is outside of 10..=10",
        ),
        (error::<AsText<SnoId>>(server, "SELECT '2'"), "not a sno ID: 1 byte long, not 16"),
    ];
    for (error, expected) in cases {
        assert!(error.ends_with(expected), "{error}: {expected}");
    }
}

/// Local IDs are unsigned and columns are not: the column would sort them in another order.
fn ids_from_year_18584_are_refused(server: &Postgres) {
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let select = sqlx::query("SELECT $1").bind(LocalId::new(1 << 63));
    let error = runtime.block_on(select.fetch_one(&mut connection)).unwrap_err().to_string();
    let expected = "kuid local ID 9223372036854775808 is outside of 0..=9223372036854775807";
    assert!(error.ends_with(expected), "{error}");
    let last = stored(server, LocalId::new(u64::MAX >> 1));
    assert_eq!(last, Some(i64::MAX.to_string()));
    assert_eq!(stored(server, AsText(LocalId::MAX)).as_deref(), Some("zzzzzzzzzzw"));
}
