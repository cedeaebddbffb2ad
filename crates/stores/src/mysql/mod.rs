//! The backend in MySQL and MariaDB, with a few tables, and several statements in one request.

mod connection;
mod failure;
mod login;
mod protocol;
mod url;

use core::fmt::{self, Write as _};

use tickid_lease::StoreError;
use tickid_lease::backend::StoreErrorKind;

use crate::error::{self, BoxError};
use crate::mysql::connection::Connection;
use crate::mysql::url::{NAME, Place};
use crate::sql::{Database, Sql, SqlRequest, StatementError, Texts, Value};

crate::sql::sql_backend! {
    /// The backend in a MariaDB (10.5 or later) or MySQL (8.0 or later) database. All tests use
    /// MariaDB and MySQL itself was never run, so try it before you rely on it.
    ///
    /// A renewal is one round trip. A store has one connection, which is closed when it is idle for
    /// half a second, so that a fleet does not need a connection for each holder. It stays open if
    /// requests take more than a sixteenth of a realm's term, because there is no time to connect
    /// again. Requests [time
    /// out](Self::with_timeout) after 3 seconds, or 10 to connect.
    ///
    /// Grants are committed to InnoDB tables and flushed. A server that could forget a grant or
    /// give a node away twice is [unfit](StoreErrorKind::Unfit). That is one that does not flush at
    /// each commit (`innodb_flush_log_at_trx_commit`, and with a binary log `sync_binlog`), or
    /// where several members accept writes (Galera). A server that is `read_only`, like a replica,
    /// is an error.
    ///
    /// The data is in the tables `tickid_realm` and `tickid_node`. MariaDB has the empty table
    /// `tickid_identity` beside them. The first request creates them, which needs the right to
    /// create tables. If an administrator sends one first, an application does not need that right.
    ///
    /// Writes may be missing after the following events, so these end all leases:
    ///
    /// - a fail-over to a replica, which has a different `server_id`
    /// - tables that a dump creates anew, or that are copied to a different database
    /// - in MariaDB, files that were copied back with new modification times, as `mariadb-backup
    ///   --copy-back` does
    ///
    /// Files with their old times and snapshots of the disk are not detected, so invalidate all
    /// realms after restoring them, before any holder reaches the server.
    ///
    /// It brings its own client of the protocol, with limits for what a server may send. Users
    /// authenticate by `caching_sha2_password` or `mysql_native_password`. The former needs TLS or
    /// a local socket, because the server asks for the password itself after each restart, and an
    /// unencrypted connection would show it.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_stores::MySqlBackend;
    /// use tickid_lease::session::block_on;
    /// use tickid_lease::Store;
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
    /// `mysql://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE&…`, or `mariadb://…`. It does not
    /// connect yet.
    ///
    /// `sslmode` is `disable` (the default), `require` or `verify-full`. The last two are the same,
    /// since certificates are always verified. `sslrootcert` names a file of certificates to trust
    /// instead of the system's, while `sslcert` and `sslkey` name the client's own certificate and
    /// its key. `socket` names a socket to use instead of host and port.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](StoreErrorKind::Url) for any other URL, and one of the
    /// kind [`Failed`](StoreErrorKind::Failed) for certificates that cannot be read and if no
    /// thread can be started.
    ///
    /// # Examples
    /// ```
    /// use tickid_stores::MySqlBackend;
    ///
    /// let backend = MySqlBackend::open("mysql://app:secret@db.example.com/app?sslmode=require")?;
    /// assert!(!backend.endpoint().contains("secret"));
    /// assert!(MySqlBackend::open("mysql://db.example.com/app?ssl=1").is_err()); // no such option
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Ok(Self(Sql::new(Server(url::parse(url)?))?))
    }
}

struct Server(Place);

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("endpoint", &self.endpoint())
            .field("user", &self.0.login.user)
            .field("database", &self.0.database)
            .finish_non_exhaustive()
    }
}

/// Prepares a session and returns the settings that it rests on. Only MariaDB executes `/*M! */`.
const PREPARE: &str = "
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 2, autocommit = 1,
    time_zone = '+00:00';
SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, NOT @@GLOBAL.log_bin OR @@GLOBAL.sync_binlog = 1,
    0 /*M! + @@GLOBAL.wsrep_on */";

/// The end of a read-only server's generation.
const READ_ONLY: &str = " read only";

/// The expression of a generation. MySQL has an ID of the server, and keeps the time when a table
/// was created. MariaDB has neither, and gives the time of a change of the file instead, which
/// `chmod` changes as well. So it has an empty table, whose data file is as old as this copy of the
/// database. Counting the rows makes a missing right to read it an error.
pub(crate) const GENERATION: &str = "CAST(CONCAT('server ', @@GLOBAL.server_id, \
    /*!80000 @@GLOBAL.server_uuid, */ ' database ', DATABASE(), ' of ', \
    COALESCE((SELECT /*!80000 create_time */ /*M! update_time */ FROM information_schema.tables \
        WHERE table_schema = DATABASE() \
        AND table_name = /*!80000 'tickid_realm' */ /*M! 'tickid_identity' */), ''), \
    /*M! (SELECT COUNT(*) FROM tickid_identity), */ \
    IF(@@GLOBAL.read_only, ' read only', '')) AS BINARY)";

impl Server {
    /// Checks that the server keeps acknowledged writes.
    async fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
        let settings = connection.query(PREPARE).await;
        let settings = settings.map_err(|error| failure::of_connecting(&error))?;
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
    type Session = Connection;

    const NAME: &'static str = NAME;
    const READ: &'static str = include_str!("read.sql");
    const COMMIT: &'static str = include_str!("commit.sql");
    const REALMS: &'static str = "SELECT name FROM tickid_realm";
    const TRY_WRITE: &'static str = include_str!("try_write.sql");

    fn endpoint(&self) -> String {
        let Place { host, port, socket, .. } = &self.0;
        match socket {
            Some(socket) => socket.clone(),
            None => format!("{host}:{port}"),
        }
    }

    async fn connect(&self) -> Result<Connection, StoreError> {
        let connection = Connection::open(&self.0).await;
        let mut connection = connection.map_err(|error| failure::of_connecting(&error))?;
        Self::prepare(&mut connection).await?;
        Ok(connection)
    }

    fn is_open(_: &Connection) -> bool {
        true
    }

    async fn ask(
        connection: &mut Connection,
        request: &SqlRequest,
    ) -> Result<Texts, StatementError> {
        let sql = fill(request.statement, &request.values);
        match connection.query(&sql).await {
            Ok(texts) => {
                let last = texts.first().and_then(|row| row.last()?.as_deref());
                // A server that became read-only answers reads as before. Its generation, the last
                // column, shows it.
                if last.is_some_and(|generation| generation.ends_with(READ_ONLY)) {
                    return Err(StatementError::Broken(no_writes(request.what)));
                }
                Ok(texts)
            }
            Err(error) => {
                let failure = failure::of_statement(&error, request.what);
                // A failed statement leaves its transaction open, and the next request would be
                // part of it.
                if !matches!(failure, StatementError::Broken(_))
                    && let Err(error) = connection.query("ROLLBACK").await
                {
                    return Err(StatementError::Broken(unreachable(error.to_string())));
                }
                Err(failure)
            }
        }
    }

    async fn install(connection: &mut Connection) -> Result<(), StatementError> {
        let created = connection.query(include_str!("schema.sql")).await;
        created.map(drop).map_err(|error| failure::of_statement(&error, "create its tables"))
    }
}

/// Replaces `$1` and so on by values, `$generation` by [its expression](GENERATION). Text is in
/// hexadecimal digits, so that nothing in it can end a literal.
fn fill(statement: &str, values: &[Value]) -> String {
    // What stands before the first `$` has no value.
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
                sql.push_str(GENERATION);
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
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    use super::{Connection, Server, Texts, Value, fill, url};
    use crate::sql;
    use tickid_lease::StoreError;
    use tickid_lease::admin::RealmName;
    use tickid_lease::backend::{RealmView, Scope};

    pub(crate) fn view(
        realm: &RealmName,
        scope: Scope,
        texts: Texts,
    ) -> Result<RealmView, StoreError> {
        sql::view::<Server>(realm, scope, texts)
    }

    pub(crate) fn stream(bytes: &[u8]) -> Option<Texts> {
        let place = url::parse("mysql://app:secret@a/b").ok()?;
        let socket = tokio::io::join(std::io::Cursor::new(bytes.to_vec()), tokio::io::sink());
        let asked = async {
            let mut connection = Connection::log_in(socket, false, &place).await.ok()?;
            connection.query("SELECT 1").await.ok()
        };
        // A socket in memory never waits.
        match pin!(asked).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(texts) => texts,
            Poll::Pending => unreachable!("memory is always ready"),
        }
    }

    pub(crate) fn statement(template: &str, texts: &[Option<String>]) -> String {
        let values: Vec<Value> = texts.iter().cloned().map(Value::from).collect();
        fill(template, &values)
    }
}

fn failed(what: impl Into<String>) -> StoreError {
    error::failed(NAME, what)
}

fn no_writes(what: &str) -> StoreError {
    not_ready(format!("{what}: the server accepts no writes, like a replica"))
}

fn not_ready(what: impl Into<String>) -> StoreError {
    error::not_ready(NAME, what)
}

fn unreachable(source: impl Into<BoxError>) -> StoreError {
    error::unreachable(NAME, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_show_read_only_servers() {
        assert!(GENERATION.contains(&format!("'{READ_ONLY}'")));
    }

    #[test]
    fn literals_are_escaped() {
        let values = [Value::from("a'\\"), Value::Number(-5), Value::Null];
        let sql = fill("$1, $2 - $3 '$.a' $generation.", &values);
        assert_eq!(sql, format!("_utf8mb4 X'61275c', -5 - NULL '$.a' {GENERATION}."));
        assert_eq!(fill("$2 $$2 $4 $20", &values), "-5 $-5 $4 $20");
    }
}
