//! The program by mysql_async.

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Row};
use tickid_integration::{MARIADB, Order, Program};
use tickid_nanoflake::NanoflakeId;
use tokio::runtime::Runtime;

pub(crate) struct MysqlAsync {
    pub(crate) runtime: Runtime,
    pub(crate) connection: Conn,
}

impl MysqlAsync {
    pub(crate) fn connect(url: &str) -> Self {
        let runtime = super::runtime();
        let connection = runtime.block_on(Conn::from_url(url)).unwrap();
        Self { runtime, connection }
    }
}

impl Program for MysqlAsync {
    fn execute(&mut self, statement: &str) {
        self.runtime.block_on(self.connection.query_drop(statement)).unwrap();
    }

    fn insert(&mut self, order: Order) {
        let insert = "INSERT INTO orders VALUES (?, ?, ?, ?)";
        self.runtime.block_on(self.connection.exec_drop(insert, order)).unwrap();
    }

    fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
        let select = "SELECT * FROM orders WHERE id BETWEEN ? AND ?";
        self.runtime.block_on(self.connection.exec(select, (min, max))).unwrap()
    }

    fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
        let select = "SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT ?";
        self.runtime.block_on(self.connection.exec(select, (after, rows))).unwrap()
    }

    fn find(&mut self, id: NanoflakeId) -> Option<Order> {
        let select = "SELECT * FROM orders WHERE id = ?";
        self.runtime.block_on(self.connection.exec_first(select, (id,))).unwrap()
    }

    fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
        let explain = self.connection.exec_first(statement, (min, max));
        let row: Row = self.runtime.block_on(explain).unwrap().unwrap();
        row.get(MARIADB.plan).unwrap()
    }
}
