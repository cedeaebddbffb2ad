//! Delivers the rows of an outbox in the order of their IDs, here to the standard output. Each row is
//! delivered at least once, also if this is killed at any time, so a receiver should remember the
//! last ID. Started twice, the second one waits until the first one ends.
//!
//! ```sql
//! CREATE TABLE outbox (id bigint PRIMARY KEY DEFAULT tickid.nanoflake('outbox'), body text);
//! CREATE TABLE delivered (last bigint NOT NULL, state text);
//! INSERT INTO delivered VALUES (0);
//! ```

use core::error::Error;
use core::time::Duration;
use std::io::Write as _;

use tokio_postgres::{Client, NoTls};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::var("DATABASE_URL")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        deliver(&client).await
    })
}

async fn deliver(client: &Client) -> Result<(), Box<dyn Error>> {
    // It is released when the connection ends.
    client.execute("SELECT pg_advisory_lock(hashtext('outbox'))", &[]).await?;
    let kept = client.query_one("SELECT last, state FROM delivered", &[]).await?;
    let (mut last, mut state): (i64, Option<String>) = (kept.get(0), kept.get(1));
    loop {
        let follow = "CALL tickid.nanoflake_follow('outbox', $1, $2)";
        let answer = client.query_one(follow, &[&last, &state]).await?;
        let (until, next): (i64, Option<String>) = (answer.get(0), answer.get(1));
        let page = "SELECT id, body FROM outbox WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 1000";
        let mut after = last;
        loop {
            let rows = client.query(page, &[&after, &until]).await?;
            let Some(end) = rows.last() else { break };
            after = end.get(0);
            let mut out = std::io::stdout().lock();
            for row in &rows {
                writeln!(out, "{} {}", row.get::<_, i64>(0), row.get::<_, &str>(1))?;
            }
            out.flush()?;
        }
        if after == last {
            tokio::time::sleep(Duration::from_millis(20)).await;
        } else {
            // Not the last row's ID, which does not tell the functions' node.
            let keep = "UPDATE delivered SET last = $1, state = $2";
            client.execute(keep, &[&until, &next]).await?;
        }
        (last, state) = (until, next);
    }
}
