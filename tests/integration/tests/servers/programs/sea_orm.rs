//! The program by sea-orm.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::ValueType;
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, IntoActiveModel as _, QueryOrder as _,
    QuerySelect as _, Set, Statement, TryFromU64,
};
use tickid_integration::{Dialect, Order, Program};
use tickid_kuid::{AsText, GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_sno::SnoId;
use tokio::runtime::Runtime;

mod order {
    use super::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "orders")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: NanoflakeId,
        pub customer: SnoId,
        pub label: AsText<GlobalId>,
        pub recommender: Option<SnoId>,
    }

    #[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A connection to any of sea-orm's databases.
pub(super) struct SeaOrm {
    runtime: Runtime,
    connection: DatabaseConnection,
    dialect: Dialect,
}

impl SeaOrm {
    pub(super) fn connect(url: &str, dialect: Dialect) -> Self {
        let runtime = super::runtime();
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        let connection = runtime.block_on(Database::connect(options)).unwrap();
        Self { runtime, connection, dialect }
    }
}

/// Returns the row of an entity.
fn row(order: order::Model) -> Order {
    (order.id, order.customer, order.label, order.recommender)
}

impl Program for SeaOrm {
    fn execute(&mut self, statement: &str) {
        self.runtime.block_on(self.connection.execute_unprepared(statement)).unwrap();
    }

    fn insert(&mut self, (id, customer, label, recommender): Order) {
        let order = order::Model { id, customer, label, recommender };
        let insert = order.clone().into_active_model().insert(&self.connection);
        assert_eq!(self.runtime.block_on(insert).unwrap(), order);
    }

    fn insert_by_default(
        &mut self,
        customer: SnoId,
        label: AsText<GlobalId>,
    ) -> Option<NanoflakeId> {
        if !self.dialect.has_default {
            return None;
        }
        let order =
            order::ActiveModel { customer: Set(customer), label: Set(label), ..Default::default() };
        Some(self.runtime.block_on(order.insert(&self.connection)).unwrap().id)
    }

    fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
        let select = order::Entity::find().filter(order::Column::Id.between(min, max));
        let orders = self.runtime.block_on(select.all(&self.connection)).unwrap();
        orders.into_iter().map(row).collect()
    }

    fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
        let select = order::Entity::find().filter(order::Column::Id.gt(after));
        let select = select.order_by_asc(order::Column::Id).limit(rows.unsigned_abs());
        let orders = self.runtime.block_on(select.all(&self.connection)).unwrap();
        orders.into_iter().map(row).collect()
    }

    fn find(&mut self, id: NanoflakeId) -> Option<Order> {
        let find = order::Entity::find_by_id(id).one(&self.connection);
        self.runtime.block_on(find).unwrap().map(row)
    }

    fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
        let backend = self.connection.get_database_backend();
        let values = [min.into(), max.into()];
        let explain = Statement::from_sql_and_values(backend, statement, values);
        let rows = self.runtime.block_on(self.connection.query_all_raw(explain)).unwrap();
        let lines = rows.iter().map(|row| row.try_get("", self.dialect.plan).unwrap());
        lines.collect::<Vec<String>>().join("\n")
    }
}

/// Asserts that IDs keep their values in sea-orm, which refuses values that are no IDs. An ID that
/// no column of integers holds becomes text; a `STRICT` table refuses it.
pub(super) fn converts_values(file: &str) {
    let last = LocalId::new((1 << 63) - 1);
    assert_eq!(Value::from(last), Value::from(i64::MAX));
    assert_eq!(Value::from(SnoId::MAX), Value::from(vec![0xff_u8; 10]));
    assert_eq!(Value::from(AsText(SnoId::MAX)), Value::from("xxxxxxxxxxxxxxxx"));
    assert_eq!(Value::from(None::<SnoId>), Value::Bytes(None));
    let read = <LocalId as ValueType>::try_from(i64::MAX.into());
    assert_eq!(read.ok(), Some(last));
    assert!(<LocalId as ValueType>::try_from((-1_i64).into()).is_err());
    assert!(<SnoId as ValueType>::try_from(vec![0_u8].into()).is_err());
    assert!(<AsText<SnoId> as ValueType>::try_from("2".into()).is_err());
    assert_eq!(<LocalId as TryFromU64>::try_from_u64(7), Ok(LocalId::new(7)));
    assert!(<LocalId as TryFromU64>::try_from_u64(1 << 63).is_err());
    assert!(<SnoId as TryFromU64>::try_from_u64(7).is_err());

    let beyond = Value::from(LocalId::new(1 << 63));
    assert_eq!(beyond, Value::from("9223372036854775808"));
    let mut program = SeaOrm::connect(file, tickid_integration::SQLITE);
    program.execute("CREATE TABLE ids (id INTEGER PRIMARY KEY, note BLOB) STRICT");
    let SeaOrm { runtime, connection, .. } = program;
    let run = |statement, value| {
        let backend = connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, statement, [value]);
        runtime.block_on(connection.query_all_raw(statement))
    };
    let error = run("INSERT INTO ids (id) VALUES (?)", beyond).unwrap_err().to_string();
    assert!(error.contains("datatype mismatch"), "{error}");

    run("INSERT INTO ids VALUES (-1, ?)", vec![0_u8].into()).unwrap();
    let rows = run("SELECT * FROM ids WHERE id = ?", (-1_i64).into()).unwrap();
    let error = rows[0].try_get::<LocalId>("", "id").unwrap_err().to_string();
    assert!(error.contains("kuid local ID -1 is outside of 0..="), "{error}");
    let error = rows[0].try_get::<SnoId>("", "note").unwrap_err().to_string();
    assert!(error.contains("length in bytes 1 is outside of 10..=10"), "{error}");
}
