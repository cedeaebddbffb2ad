//! The program by tokio-postgres.

use tickid_integration::{Order, POSTGRES, Program};
use tickid_kuid::{AsText, GlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_sno::SnoId;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row};

pub(super) struct TokioPostgres {
    runtime: Runtime,
    client: Client,
}

impl TokioPostgres {
    pub(super) fn connect(url: &str) -> Self {
        let runtime = super::runtime();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self { runtime, client }
    }
}

/// Returns the order in a row.
fn order(row: &Row) -> Order {
    (row.get("id"), row.get("customer"), row.get("label"), row.get("recommender"))
}

impl Program for TokioPostgres {
    fn execute(&mut self, statement: &str) {
        self.runtime.block_on(self.client.batch_execute(statement)).unwrap();
    }

    fn insert(&mut self, (id, customer, label, recommender): Order) {
        let insert = "INSERT INTO orders VALUES ($1, $2, $3, $4)";
        let row: [&(dyn ToSql + Sync); 4] = [&id, &customer, &label, &recommender];
        assert_eq!(self.runtime.block_on(self.client.execute(insert, &row)).unwrap(), 1);
    }

    fn insert_by_default(
        &mut self,
        customer: SnoId,
        label: AsText<GlobalId>,
    ) -> Option<NanoflakeId> {
        let insert = "INSERT INTO orders (customer, label) VALUES ($1, $2) RETURNING id";
        let row = self.runtime.block_on(self.client.query_one(insert, &[&customer, &label]));
        Some(row.unwrap().get("id"))
    }

    fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
        let select = "SELECT * FROM orders WHERE id BETWEEN $1 AND $2";
        let rows = self.runtime.block_on(self.client.query(select, &[&min, &max]));
        rows.unwrap().iter().map(order).collect()
    }

    fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
        let select = "SELECT * FROM orders WHERE id > $1 ORDER BY id LIMIT $2";
        let rows = self.runtime.block_on(self.client.query(select, &[&after, &rows]));
        rows.unwrap().iter().map(order).collect()
    }

    fn find(&mut self, id: NanoflakeId) -> Option<Order> {
        let select = "SELECT * FROM orders WHERE id = $1";
        let row = self.runtime.block_on(self.client.query_opt(select, &[&id]));
        row.unwrap().as_ref().map(order)
    }

    fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
        let rows = self.runtime.block_on(self.client.query(statement, &[&min, &max])).unwrap();
        rows.iter().map(|row| row.get(POSTGRES.plan)).collect::<Vec<String>>().join("\n")
    }
}
