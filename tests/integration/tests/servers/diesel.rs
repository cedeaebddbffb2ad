//! PostgreSQL, through `diesel` (its `postgres_backend`), with IDs in the schema, in structs and in
//! queries.

use core::fmt::Debug;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, SingleValue, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use tickid_integration::Program;
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_snowflake::SnowflakeId;
use tickid_testkit::servers::Postgres;

use crate::programs::Diesel;

tests! {
    "diesel", Postgres:
    ids_are_fields_of_structs,
    what_postgresql_holds,
    errors_have_the_reason,
    ids_from_year_18584_are_refused,
}

type Client = Diesel<AsyncPgConnection>;

diesel::table! {
    orders (id) {
        id -> Binary,
        customer -> BigInt,
        parent -> Nullable<Binary>,
        label -> Text,
        changed -> Nullable<BigInt>,
    }
}

#[derive(Clone, Debug, PartialEq, Queryable, Selectable, Insertable, Identifiable, AsChangeset)]
#[diesel(table_name = orders, treat_none_as_null = true)]
struct Order {
    id: SnoId,
    customer: Scru64Id,
    parent: Option<SnoId>,
    label: AsText<GlobalId>,
    changed: Option<NanoflakeId>,
}

fn ids_are_fields_of_structs(server: &Postgres) {
    let mut client = Client::connect(&server.url());
    Program::execute(
        &mut client,
        "CREATE TEMPORARY TABLE orders (id BYTEA PRIMARY KEY, customer BIGINT NOT NULL, parent BYTEA,
         label TEXT NOT NULL, changed BIGINT)",
    );
    let Client { runtime, mut connection } = client;
    let first = Order {
        id: SnoId::MAX,
        customer: Scru64Id::MAX,
        parent: None,
        label: AsText(GlobalId::MAX),
        changed: Some(NanoflakeId::MAX),
    };
    let second = Order { id: SnoId::MIN, parent: Some(first.id), changed: None, ..first.clone() };
    runtime.block_on(async {
        let both = [first.clone(), second.clone()];
        let insert = diesel::insert_into(orders::table).values(&both);
        assert_eq!(insert.execute(&mut connection).await, Ok(2));

        let all = orders::table.order(orders::id).select(Order::as_select());
        assert_eq!(all.load(&mut connection).await, Ok(vec![second.clone(), first.clone()]));

        let one = orders::table.find(first.id).select(orders::customer);
        assert_eq!(one.first::<Scru64Id>(&mut connection).await, Ok(first.customer));

        let children = orders::table.filter(orders::parent.eq(first.id)).select(orders::id);
        assert_eq!(children.load(&mut connection).await, Ok(vec![second.id]));

        let any = orders::table.filter(orders::customer.eq_any([Scru64Id::MIN, Scru64Id::MAX]));
        assert_eq!(any.count().get_result(&mut connection).await, Ok(2));

        let changed = Order { parent: Some(second.id), ..first };
        let update = diesel::update(&changed).set(&changed).returning(orders::parent);
        let parent = update.get_result::<Option<SnoId>>(&mut connection).await;
        assert_eq!(parent, Ok(changed.parent));
    });
}

/// Selects a value of a type, and PostgreSQL's text for it.
macro_rules! stored {
    ($server:ident, $value:expr, $sql:ty) => {{
        let Client { runtime, mut connection } = Client::connect(&$server.url());
        let select = diesel::select((
            $value.into_sql::<$sql>(),
            diesel::dsl::sql::<Nullable<Text>>("").bind::<$sql, _>($value).sql("::text"),
        ));
        let (back, text) = runtime.block_on(select.get_result(&mut connection)).unwrap();
        is_same(back, $value);
        let text: Option<String> = text;
        text
    }};
}

fn is_same<T: PartialEq + Debug>(left: T, right: T) {
    assert_eq!(left, right);
}

fn what_postgresql_holds(server: &Postgres) {
    let is = |stored: Option<String>, expected: &str| assert_eq!(stored.as_deref(), Some(expected));
    is(stored!(server, Scru64Id::MAX, BigInt), "4738381338321616895");
    is(stored!(server, NanoflakeId::MAX, BigInt), "9223372036854775807");
    is(stored!(server, LocalId::new(7), BigInt), "7");
    is(stored!(server, SnowflakeId::new(7), BigInt), "7");
    is(stored!(server, SnoId::MAX, Binary), r"\xffffffffffffffffffff");
    let global = GlobalId::from_bytes(*b"0123456789ab");
    is(stored!(server, global, Binary), r"\x303132333435363738396162");
    is(stored!(server, WideGlobalId::MIN, Binary), &format!(r"\x{}", "0".repeat(32)));
    is(stored!(server, AsText(SnoId::MAX), Text), "xxxxxxxxxxxxxxxx");
    assert_eq!(stored!(server, None::<SnoId>, Nullable<Binary>), None);
    is(stored!(server, Some(AsText(Scru64Id::MIN)), Nullable<Text>), "000000000000");
}

/// Returns the reason why `select` gives no `T`.
fn error<T, Sql>(server: &Postgres, select: &str) -> String
where
    T: diesel::deserialize::FromSql<Sql, diesel::pg::Pg>
        + Queryable<Sql, diesel::pg::Pg>
        + Debug
        + Send
        + 'static,
    Sql: SingleValue + diesel::query_builder::QueryId + Send + 'static,
    diesel::pg::Pg: diesel::sql_types::HasSqlType<Sql>,
{
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let select = diesel::select(diesel::dsl::sql::<Sql>(select));
    let error = runtime.block_on(select.get_result::<T>(&mut connection)).unwrap_err();
    let diesel::result::Error::DeserializationError(reason) = error else {
        panic!("{error}");
    };
    // The error names the column, and has the reason as its source.
    reason.source().map(ToString::to_string).unwrap_or_default()
}

fn errors_have_the_reason(server: &Postgres) {
    let cases = [
        (
            error::<Scru64Id, BigInt>(server, "-1::bigint"),
            "SCRU64 integer -1 is outside of 0..=4738381338321616895",
        ),
        (
            error::<SnoId, Binary>(server, r"'\x00'::bytea"),
            "length in bytes 1 is outside of 10..=10",
        ),
        (error::<AsText<SnoId>, Text>(server, "'2'"), "not a sno ID: 1 byte long, not 16"),
    ];
    for (error, expected) in cases {
        assert_eq!(error, expected);
    }
}

/// Local IDs are unsigned and columns are not: the column would sort them in another order.
fn ids_from_year_18584_are_refused(server: &Postgres) {
    let Client { runtime, mut connection } = Client::connect(&server.url());
    let select = diesel::select(LocalId::new(1 << 63).into_sql::<BigInt>());
    let result: Result<LocalId, _> = runtime.block_on(select.get_result(&mut connection));
    let error = result.unwrap_err().to_string();
    let expected = "kuid local ID 9223372036854775808 is outside of 0..=9223372036854775807";
    assert!(error.ends_with(expected), "{error}");
    let last = stored!(server, LocalId::new(u64::MAX >> 1), BigInt);
    assert_eq!(last, Some(i64::MAX.to_string()));
    assert_eq!(stored!(server, AsText(LocalId::MAX), Text).as_deref(), Some("zzzzzzzzzzw"));
}
