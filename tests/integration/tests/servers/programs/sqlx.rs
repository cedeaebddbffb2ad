//! The program by sqlx.

use sqlx::mysql::MySqlConnection;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};
use tickid_integration::{Dialect, MARIADB, Order, POSTGRES, Program, SQLITE};
use tickid_kuid::{AsText, GlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_sno::SnoId;
use tokio::runtime::Runtime;

/// A connection to any of sqlx's databases.
pub(crate) struct Sqlx<C> {
    pub(crate) runtime: Runtime,
    pub(crate) connection: C,
}

/// Returns a statement with the placeholders of its database.
fn statement(dialect: &Dialect, statement: &str) -> AssertSqlSafe<String> {
    if !dialect.has_default {
        return AssertSqlSafe(statement.to_owned());
    }
    let mut number = 0;
    let mut parts = statement.split('?');
    let first = parts.next().unwrap().to_owned();
    AssertSqlSafe(parts.fold(first, |statement, part| {
        number += 1;
        format!("{statement}${number}{part}")
    }))
}

/// Implements the program for a database. The code is the same: sqlx's traits for a generic one are
/// too many to name.
macro_rules! program {
    ($connection:ty, $dialect:ident $(, $default:item)?) => {
        impl Sqlx<$connection> {
            pub(crate) fn connect(url: &str) -> Self {
                let runtime = super::runtime();
                let connection = runtime.block_on(<$connection>::connect(url)).unwrap();
                Self { runtime, connection }
            }
        }

        impl Program for Sqlx<$connection> {
            fn execute(&mut self, statement: &str) {
                self.runtime.block_on(self.connection.execute(AssertSqlSafe(statement))).unwrap();
            }

            fn insert(&mut self, (id, customer, label, recommender): Order) {
                let insert = statement(&$dialect, "INSERT INTO orders VALUES (?, ?, ?, ?)");
                let insert = sqlx::query(insert).bind(id).bind(customer).bind(label);
                let insert = insert.bind(recommender).execute(&mut self.connection);
                assert_eq!(self.runtime.block_on(insert).unwrap().rows_affected(), 1);
            }

            $($default)?

            fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
                let select = "SELECT * FROM orders WHERE id BETWEEN ? AND ?";
                let select = statement(&$dialect, select);
                let select = sqlx::query_as(select).bind(min).bind(max);
                self.runtime.block_on(select.fetch_all(&mut self.connection)).unwrap()
            }

            fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
                let select = "SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT ?";
                let select = statement(&$dialect, select);
                let select = sqlx::query_as(select).bind(after).bind(rows);
                self.runtime.block_on(select.fetch_all(&mut self.connection)).unwrap()
            }

            fn find(&mut self, id: NanoflakeId) -> Option<Order> {
                let select = statement(&$dialect, "SELECT * FROM orders WHERE id = ?");
                let select = sqlx::query_as(select).bind(id);
                self.runtime.block_on(select.fetch_optional(&mut self.connection)).unwrap()
            }

            fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
                let explain = sqlx::query(AssertSqlSafe(statement)).bind(min).bind(max);
                let rows = explain.fetch_all(&mut self.connection);
                let rows = self.runtime.block_on(rows).unwrap();
                let lines = rows.iter().map(|row| row.get($dialect.plan));
                lines.collect::<Vec<String>>().join("\n")
            }
        }
    };
}

program!(MySqlConnection, MARIADB);
program!(SqliteConnection, SQLITE);
program! {
    PgConnection, POSTGRES,
    fn insert_by_default(
        &mut self,
        customer: SnoId,
        label: AsText<GlobalId>,
    ) -> Option<NanoflakeId> {
        let insert = "INSERT INTO orders (customer, label) VALUES ($1, $2) RETURNING id";
        let insert = sqlx::query_scalar(insert).bind(customer).bind(label);
        Some(self.runtime.block_on(insert.fetch_one(&mut self.connection)).unwrap())
    }
}
