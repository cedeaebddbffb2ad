use sea_orm::entity::prelude::*;
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, IntoActiveModel as _, QueryOrder as _,
    QuerySelect as _, Set, Statement,
};
use tickid_integration::{Dialect, Order, Program};
use tickid_kuid::{AsText, GlobalId};
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
        let rows = self.runtime.block_on(self.connection.query_all(explain)).unwrap();
        let lines = rows.iter().map(|row| row.try_get("", self.dialect.plan).unwrap());
        lines.collect::<Vec<String>>().join("\n")
    }
}
