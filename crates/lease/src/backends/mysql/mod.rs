//! The backend in MySQL and MariaDB: two tables, and statements sent several at once.

mod failure;
mod url;

use core::fmt::{self, Write as _};
use core::pin::pin;
use core::task::{Context, Waker};

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Opts};

use crate::backends::sql::{Database, Failure, MAX_ANSWER, Request, Sql, Texts, Value};
use crate::error::{StoreError, StoreErrorKind};

const NAME: &str = "MySQL";

crate::backends::sql::sql_backend! {
    /// The backend in a MySQL (8.0 or later) or MariaDB (10.5 or later) database.
    ///
    /// A renewal is one round trip. Grants are committed to InnoDB tables and flushed: a
    /// server that does not flush at each commit (`innodb_flush_log_at_trx_commit`, and with a
    /// binary log `sync_binlog`) or that accepts writes on several members (Galera) is
    /// [unfit](StoreErrorKind::Unfit). A store has one connection, which is closed when it is idle
    /// for half a second, so that a fleet does not need a connection for each holder. Requests
    /// [time out](Self::with_timeout) after 3 seconds, or 10 to connect. A server that is
    /// `read_only`, like a replica, is an error.
    ///
    /// The data is in the tables `tickid_realm` and `tickid_node`. The first request creates them,
    /// which needs the right to create tables; an application does not need that right if an
    /// administrator sends one first.
    ///
    /// These end all leases, since writes may be missing: a fail-over to a replica, which has
    /// another `server_id`; tables that a dump creates anew or that are copied to another database,
    /// by their creation time and the database's name; in MariaDB also files that were copied back.
    /// A snapshot of the disk is not detected: invalidate all realms after restoring one.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_lease::{MySqlBackend, Store, block_on};
    ///
    /// let backend = MySqlBackend::open("mysql://app@db.example.com/app?sslmode=require")?;
    /// let store = Store::new(backend.with_timeout(Duration::from_secs(1)));
    /// println!("{:?}", block_on(store.realms(), Duration::from_secs(1))?);
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    MySqlBackend, Server
}

impl MySqlBackend {
    /// Opens the store at a URL of the form
    /// `mysql://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE&…`, or `mariadb://…`. Nothing is
    /// connected to yet.
    ///
    /// `sslmode` is `disable` (the default), `require` or `verify-full`; the last two are the same,
    /// since certificates are always verified. `sslrootcert` names a file of certificates to trust
    /// instead of the system's, `sslcert` and `sslkey` name the client's own certificate and its
    /// key. `socket` names a socket to use instead of host and port.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](StoreErrorKind::Url) for any other URL and for
    /// encryption without the feature `mysql-tls`, and one of the kind
    /// [`Failed`](StoreErrorKind::Failed) for certificates that cannot be read and if no thread can
    /// be started.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "mysql-tls")] {
    /// use tickid_lease::MySqlBackend;
    ///
    /// let backend = MySqlBackend::open("mysql://app:secret@db.example.com/app?sslmode=require")?;
    /// assert!(!backend.endpoint().contains("secret"));
    /// assert!(MySqlBackend::open("mysql://db.example.com/app?ssl=1").is_err()); // no such option
    /// # }
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Ok(Self(Sql::new(Server(url::parse(url)?))?))
    }
}

struct Server(Opts);

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(opts) = self;
        f.debug_struct("Server")
            .field("endpoint", &self.endpoint())
            .field("user", &opts.user())
            .field("database", &opts.db_name())
            .finish_non_exhaustive()
    }
}

/// A connection.
struct Session {
    conn: Option<Conn>,
    is_mariadb: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        // Dropped as it is, it would wait for the server's answers first, forever if there are
        // none.
        if let Some(conn) = self.conn.take() {
            let goodbye = pin!(conn.disconnect());
            let _ = goodbye.poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

/// Prepares a session and returns the settings that it rests on.
const PREPARE: &str = "
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 2, autocommit = 1;
SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, NOT @@GLOBAL.log_bin OR @@GLOBAL.sync_binlog = 1,
    0 /*M! + @@GLOBAL.wsrep_on */";

/// The end of a read-only server's generation.
const READ_ONLY: &str = " read only";

/// The expression of a generation. Only MySQL has a `server_uuid`.
fn generation(is_mariadb: bool) -> String {
    let uuid = if is_mariadb { "''" } else { "@@GLOBAL.server_uuid" };
    format!(
        "CAST(CONCAT('server ', @@GLOBAL.server_id, {uuid}, ' database ', DATABASE(), ' of ', \
         COALESCE((SELECT create_time FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND table_name = 'tickid_realm'), ''), \
         IF(@@GLOBAL.read_only, '{READ_ONLY}', '')) AS BINARY)"
    )
}

impl Session {
    async fn query(&mut self, sql: &str) -> mysql_async::Result<Texts> {
        let (mut texts, mut size) = (Texts::new(), 0);
        let Some(conn) = &mut self.conn else { return Ok(texts) };
        let mut result = conn.query_iter(sql).await?;
        while !result.is_empty() {
            let keep = |row: mysql_async::Row| {
                let text = |value| match value {
                    Some(mysql_async::Value::Bytes(bytes)) => {
                        Some(String::from_utf8_lossy(&bytes).into_owned())
                    }
                    _ => None,
                };
                let row: Vec<Option<String>> = row.unwrap_raw().into_iter().map(text).collect();
                size += row.iter().flatten().map(String::len).sum::<usize>() + 100;
                if size <= MAX_ANSWER {
                    texts.push(row);
                }
            };
            result.for_each(keep).await?;
        }
        drop(result);
        if size > MAX_ANSWER {
            return Err(mysql_async::DriverError::PacketTooLarge.into());
        }
        Ok(texts)
    }

    /// Checks that the server keeps acknowledged writes.
    async fn prepare(&mut self) -> Result<(), StoreError> {
        let settings = self.query(PREPARE).await.map_err(|error| failure::of_connecting(&error))?;
        let settings: Vec<&str> = settings.iter().flatten().flatten().map(|one| &**one).collect();
        let why = match *settings {
            ["1" | "3", "1", "0"] => return Ok(()),
            ["1" | "3", "1", ..] => {
                "the members of a cluster (wsrep_on) accept writes side by side"
            }
            ["1" | "3", ..] => {
                "its binary log is not flushed at each commit (sync_binlog is not 1)"
            }
            _ => "it does not flush at each commit (innodb_flush_log_at_trx_commit is not 1)",
        };
        Err(StoreError::new(NAME, StoreErrorKind::Unfit { why: why.to_owned() }))
    }
}

impl Database for Server {
    type Session = Session;

    const NAME: &'static str = NAME;
    const READ: &'static str = include_str!("read.sql");
    const COMMIT: &'static str = include_str!("commit.sql");
    const REALMS: &'static str = "SELECT name FROM tickid_realm";

    fn endpoint(&self) -> String {
        let Self(opts) = self;
        match opts.socket() {
            Some(socket) => socket.to_owned(),
            None => format!("{}:{}", opts.ip_or_hostname(), opts.tcp_port()),
        }
    }

    async fn connect(&self) -> Result<Session, StoreError> {
        let conn = Conn::new(self.0.clone()).await;
        let conn = conn.map_err(|error| failure::of_connecting(&error))?;
        let is_mariadb = conn.server_version().0 >= 10;
        let mut session = Session { conn: Some(conn), is_mariadb };
        session.prepare().await?;
        Ok(session)
    }

    fn is_open(session: &Session) -> bool {
        session.conn.is_some()
    }

    async fn ask(session: &mut Session, request: &Request) -> Result<Texts, Failure> {
        let sql = fill(request.statement, &request.values, &generation(session.is_mariadb));
        match session.query(&sql).await {
            Ok(texts) => {
                let last = texts.first().and_then(|row| row.last()?.as_deref());
                if last.is_some_and(|generation| generation.ends_with(READ_ONLY)) {
                    return Err(Failure::Broken(no_writes(request.what)));
                }
                Ok(texts)
            }
            Err(error) => {
                let failure = failure::of_statement(&error, request.what);
                if !matches!(failure, Failure::Broken(_))
                    && let Err(error) = session.query("ROLLBACK").await
                {
                    return Err(Failure::Broken(unreachable(failure::message(&error))));
                }
                Err(failure)
            }
        }
    }

    async fn install(session: &mut Session) -> Result<(), Failure> {
        let created = session.query(include_str!("schema.sql")).await;
        created.map(drop).map_err(|error| failure::of_statement(&error, "create its tables"))
    }
}

/// Replaces `$1` and so on by values, `$generation` by its expression. Text is in hexadecimal
/// digits, so that nothing in it can end a literal.
fn fill(statement: &str, values: &[Value], generation: &str) -> String {
    let mut parts = statement.split('$');
    let mut sql = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let value =
            number.parse().ok().and_then(|number: usize| values.get(number.checked_sub(1)?));
        match (value, part.strip_prefix("generation")) {
            (Some(Value::Null), _) => sql.push_str("NULL"),
            (Some(Value::Number(number)), _) => sql.push_str(&number.to_string()),
            (Some(Value::Text(text)), _) => {
                sql.push_str("_utf8mb4 X'");
                for byte in text.bytes() {
                    // To write to a string never fails.
                    let _ = write!(sql, "{byte:02x}");
                }
                sql.push('\'');
            }
            (None, Some(rest)) => {
                sql.push_str(generation);
                sql.push_str(rest);
                continue;
            }
            (None, None) => {
                sql.push('$');
                sql.push_str(number);
            }
        }
        sql.push_str(rest);
    }
    sql
}

/// Private functions for fuzz targets.
#[cfg(feature = "_fuzzing")]
pub(crate) mod fuzzing {
    use super::{Server, Texts, Value, fill};
    use crate::backends::sql;
    use crate::{RealmName, Scope, StoreError, View};

    pub(crate) fn view(realm: &RealmName, scope: Scope, texts: Texts) -> Result<View, StoreError> {
        sql::view::<Server>(realm, scope, texts)
    }

    pub(crate) fn statement(template: &str, texts: &[Option<String>]) -> String {
        let values: Vec<Value> = texts.iter().cloned().map(Value::from).collect();
        fill(template, &values, "generation()")
    }
}

fn failed(what: impl Into<String>) -> StoreError {
    StoreError::failed(NAME, what)
}

fn no_writes(what: &str) -> StoreError {
    failed(format!("{what}: the server accepts no writes, like a replica"))
}

fn unreachable(source: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> StoreError {
    StoreError::unreachable(NAME, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_escaped() {
        let values = [Value::from("a'\\"), Value::Number(-5), Value::Null];
        let sql = fill("$1, $2 - $3 '$.a' $generation.", &values, "g()");
        assert_eq!(sql, "_utf8mb4 X'61275c', -5 - NULL '$.a' g().");
        assert_eq!(fill("$2 $$2 $4 $20", &values, ""), "-5 $-5 $4 $20");
    }
}
