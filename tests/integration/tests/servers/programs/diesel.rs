//! The program by diesel.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{
    AsyncConnection as _, AsyncMysqlConnection, AsyncPgConnection, RunQueryDsl,
    SimpleAsyncConnection as _,
};
use tickid_integration::{Order, Program};
use tickid_kuid::{AsText, GlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_sno::SnoId;
use tokio::runtime::Runtime;

diesel::table! {
    orders (id) {
        id -> BigInt,
        customer -> Binary,
        label -> Text,
        recommender -> Nullable<Binary>,
    }
}

/// A connection to any of diesel's databases.
pub(crate) struct Diesel<C> {
    pub(crate) runtime: Runtime,
    pub(crate) connection: C,
}

/// Implements the program for a database. `EXPLAIN` returns the plan in the column `$plan`.
macro_rules! program {
    ($connection:ty, $plan:literal $(, $default:item)?) => {
        impl Diesel<$connection> {
            pub(crate) fn connect(url: &str) -> Self {
                let runtime = super::runtime();
                let connection = runtime.block_on(<$connection>::establish(url)).unwrap();
                Self { runtime, connection }
            }
        }

        impl Program for Diesel<$connection> {
            fn execute(&mut self, statement: &str) {
                self.runtime.block_on(self.connection.batch_execute(statement)).unwrap();
            }

            fn insert(&mut self, (id, customer, label, recommender): Order) {
                let row = (
                    orders::id.eq(id),
                    orders::customer.eq(customer),
                    orders::label.eq(label),
                    orders::recommender.eq(recommender),
                );
                let insert = diesel::insert_into(orders::table).values(row);
                let rows = self.runtime.block_on(insert.execute(&mut self.connection));
                assert_eq!(rows, Ok(1));
            }

            $($default)?

            fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
                let select = orders::table.filter(orders::id.between(min, max));
                self.runtime.block_on(select.load(&mut self.connection)).unwrap()
            }

            fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
                let select = orders::table.filter(orders::id.gt(after));
                let select = select.order(orders::id).limit(rows);
                self.runtime.block_on(select.load(&mut self.connection)).unwrap()
            }

            fn find(&mut self, id: NanoflakeId) -> Option<Order> {
                let find = orders::table.find(id);
                self.runtime.block_on(find.first(&mut self.connection)).optional().unwrap()
            }

            fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
                #[derive(QueryableByName)]
                struct Plan {
                    #[diesel(sql_type = Text, column_name = $plan)]
                    line: String,
                }

                let explain = diesel::sql_query(statement);
                let explain = explain.bind::<BigInt, _>(min).bind::<BigInt, _>(max);
                let plan = self.runtime.block_on(explain.load::<Plan>(&mut self.connection));
                plan.unwrap().into_iter().map(|plan| plan.line).collect::<Vec<_>>().join("\n")
            }
        }
    };
}

program!(AsyncMysqlConnection, "EXPLAIN");
program!(SyncConnectionWrapper<SqliteConnection>, "detail");
program! {
    AsyncPgConnection, "QUERY PLAN",
    fn insert_by_default(
        &mut self,
        customer: SnoId,
        label: AsText<GlobalId>,
    ) -> Option<NanoflakeId> {
        let row = (orders::customer.eq(customer), orders::label.eq(label));
        let insert = diesel::insert_into(orders::table).values(row).returning(orders::id);
        Some(self.runtime.block_on(insert.get_result(&mut self.connection)).unwrap())
    }
}
