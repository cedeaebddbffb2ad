//! The backend in PostgreSQL, with two tables and a few functions in their own schema.

mod failure;
mod stream;
mod tls;
mod url;

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tickid_lease::StoreError;
use tickid_lease::backend::Answer;
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config};

use self::failure::{NAME, failed, no_writes};
use self::stream::Stream;
use self::tls::{TlsClient, tls_to};
use crate::error;
use crate::sql::{Database, MAX_ANSWER, Sql, SqlRequest, StatementError, Texts, Value};

/// The statements that create the tables, and the functions that clients call.
macro_rules! schema {
    () => {
        include_str!("schema.sql")
    };
}

const SCHEMA: &str = schema!();

crate::sql::sql_backend! {
    /// The backend in a PostgreSQL database, version 12 or later.
    ///
    /// A renewal is one round trip. Grants are committed with `synchronous_commit = on`, whatever
    /// the session's default is. A store has one connection, which is closed when it is idle for
    /// half a second, so that a fleet does not need a connection for each holder. It stays open if
    /// requests take more than a sixteenth of a realm's term, because there is no time to connect
    /// again. Requests [time
    /// out](Self::with_timeout) after 3 seconds, or 10 to connect. A server that accepts no writes,
    /// like a standby, is an error.
    ///
    /// The data is in the schema `tickid` of the database. The first request creates what is
    /// missing, which needs the right to create schemas. If an administrator sends one first, an
    /// application does not need that right.
    ///
    /// Restored backups, fail-overs, copied databases and dumps that create the tables anew are
    /// detected, and end all leases. A snapshot of the disk, or a dump that is loaded into the same
    /// tables, is not detected, so invalidate all realms after it, before any holder reaches the
    /// server.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_stores::PostgresBackend;
    /// use tickid_lease::session::block_on;
    /// use tickid_lease::Store;
    ///
    /// let url = "postgres://app@db.example.com/app?sslmode=require";
    /// let backend = PostgresBackend::open(url)?.with_timeout(Duration::from_secs(1));
    /// let store = Store::new(backend);
    /// println!("{:?}", block_on(store.realms(), Duration::from_secs(1))?);
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    PostgresBackend, Server
}

impl PostgresBackend {
    /// The statements that create the backend's tables, and the functions `tickid.lock_realm_v1`,
    /// `tickid.reserve_v1` and `tickid.check_reserved_v1`, which reserve nodes for the database
    /// itself, for good. The crate `tickid-sql` builds on them. A node in the table
    /// `tickid.generator` is never granted, whatever happens to its row among the realm's.
    ///
    /// They must run as one transaction, and can be repeated without harm.
    pub const RESERVATIONS: &str = concat!(schema!(), "\n", include_str!("reserve.sql"));

    /// Executes statements as one transaction, over a separate connection. `what` is their purpose,
    /// as in "create functions", which errors name.
    ///
    /// # Errors
    /// Returns an error for everything that the server refuses, and if it does not answer within
    /// the [timeout](Self::with_timeout), or 10 seconds if that is longer.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_stores::PostgresBackend;
    /// use tickid_lease::session::block_on;
    ///
    /// let backend = PostgresBackend::open("postgres://admin@db.example.com/app")?;
    /// let tables = backend.execute("create tables", PostgresBackend::RESERVATIONS.to_owned());
    /// block_on(tables, Duration::from_secs(10))?;
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn execute(&self, what: &'static str, statements: String) -> Answer<'_, ()> {
        let work =
            move |mut session| async move { Server::run(&mut session, what, &statements).await };
        Box::pin(self.0.apart(work))
    }

    /// Opens the store at a URL of the form
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE&…`. It does not connect yet.
    ///
    /// The URL may name several hosts, separated by commas, of which the first one that accepts
    /// writes is used. For example, `postgres://app@a,b/app` finds the primary of `a` and `b` after
    /// a fail-over.
    ///
    /// Options are libpq's for the server's address and the login. `sslmode` is `disable`, `prefer`
    /// (the default), `require` or `verify-full`. The last two are the same, since certificates are
    /// always verified. `prefer` falls back to plain text if the server does not encrypt, so write
    /// `require` where that matters. `sslrootcert` names a file of certificates to trust instead of
    /// the system's, while `sslcert` and `sslkey` name the client's own certificate and its key.
    /// Every request has a deadline of ours, so options for timeouts and keep-alive have no effect.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](tickid_lease::backend::StoreErrorKind::Url) for any
    /// other URL, and one of the kind [`Failed`](tickid_lease::backend::StoreErrorKind::Failed) for
    /// certificates that cannot be read and if no thread can be started.
    ///
    /// # Examples
    /// ```
    /// use tickid_stores::PostgresBackend;
    ///
    /// let backend = PostgresBackend::open("postgres://app:secret@a.example,b.example/app")?;
    /// assert!(!backend.endpoint().contains("secret"));
    /// assert!(PostgresBackend::open("mysql://db.example.com/app").is_err());
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let (config, tls) = url::parse(url)?;
        Ok(Self(Sql::new(Server { config, tls })?))
    }
}

/// A PostgreSQL server, or the one of several that accepts writes.
struct Server {
    config: Config,
    tls: TlsClient,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration's text leaves the password out.
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A connection.
struct PostgresSession {
    client: Client,
    driver: AbortHandle,
    /// The number of bytes that the server may still send.
    left: Arc<AtomicUsize>,
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Server {
    fn port(&self, number: usize) -> u16 {
        let ports = self.config.get_ports();
        ports.get(number).or(ports.first()).copied().unwrap_or(5_432)
    }

    /// Connects to one of the hosts.
    async fn connect_to(&self, number: usize, host: &Host) -> Result<PostgresSession, StoreError> {
        let port = self.port(number);
        let address = self.config.get_hostaddrs().get(number);
        let left = Arc::new(AtomicUsize::new(MAX_ANSWER));
        let stream = Stream::connect(host, address, port, Arc::clone(&left)).await;
        let stream = stream.map_err(failure::unreachable)?;
        let tls = tls_to(&self.tls, host)?;
        let (client, connection) = self.config.connect_raw(stream, tls).await.map_err(|error| {
            failure::of_connecting(&error, self.config.get_ssl_mode() == SslMode::Disable)
        })?;
        // The client reports the error that it ends with.
        let driver = tokio::spawn(async { drop(connection.await) }).abort_handle();
        Ok(PostgresSession { client, driver, left })
    }

    /// Reports whether the server accepts writes, which is needed only if there are other hosts.
    async fn is_writable(&self, session: &mut PostgresSession) -> Result<bool, StoreError> {
        if self.config.get_target_session_attrs() != TargetSessionAttrs::ReadWrite {
            return Ok(true);
        }
        let (what, statement) = ("ask for its mode", "SHOW transaction_read_only");
        let request = SqlRequest { what, statement, values: Vec::new(), is_renewal: false };
        match Self::ask(session, &request).await {
            Ok(texts) => Ok(texts.iter().flatten().flatten().any(|mode| mode == "off")),
            Err(StatementError::Answered(error) | StatementError::Broken(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }
}

impl Database for Server {
    type Session = PostgresSession;

    const NAME: &'static str = NAME;
    // The types are qualified: a search path may have other schemas before `pg_catalog`.
    // Also in a database of an earlier release, an administrator's first request creates what
    // commits of others call.
    const READ: &'static str = "SELECT kind, key, version, data \
         FROM tickid.read_v1($1, $2, $3, $4, $5) \
         WHERE 'tickid.commit_v2'::pg_catalog.regproc IS NOT NULL";
    const COMMIT: &'static str = "SELECT kind, key, version, data \
         FROM tickid.commit_v2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    const REALMS: &'static str = "SELECT name FROM tickid.realm";
    const TRY_WRITE: &'static str = include_str!("try_write.sql");

    fn endpoint(&self) -> String {
        let host = |(number, host): (usize, &Host)| match host {
            Host::Tcp(name) => format!("{name}:{}", self.port(number)),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        };
        self.config.get_hosts().iter().enumerate().map(host).collect::<Vec<_>>().join(",")
    }

    async fn connect(&self) -> Result<PostgresSession, StoreError> {
        let mut last = None;
        for (number, host) in self.config.get_hosts().iter().enumerate() {
            let attempt = async {
                let mut session = self.connect_to(number, host).await?;
                let is_writable = self.is_writable(&mut session).await?;
                if is_writable { Ok(session) } else { Err(no_writes("connect")) }
            };
            match attempt.await {
                Ok(session) => return Ok(session),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| error::url(NAME, "its URL names no host")))
    }

    fn is_open(session: &PostgresSession) -> bool {
        !session.client.is_closed()
    }

    async fn ask(
        session: &mut PostgresSession,
        request: &SqlRequest,
    ) -> Result<Texts, StatementError> {
        session.left.store(MAX_ANSWER, Ordering::Relaxed);
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::Number(number) => Some(number.to_string()),
            Value::Text(text) => Some(text.clone()),
        };
        let values: Vec<Option<String>> = request.values.iter().map(text).collect();
        let parameters = values.iter().map(|value| (value as &(dyn ToSql + Sync), Type::TEXT));
        let parameters: Vec<_> = parameters.collect();
        // Neither prepared nor named: one round trip also for the first, and through a pool.
        let rows = session.client.query_typed(request.statement, &parameters).await;
        let rows = rows.map_err(|error| failure::of_statement(&error, request.what))?;
        let columns = |row: tokio_postgres::Row| (0..row.len()).map(|n| row.try_get(n)).collect();
        let texts: Result<_, tokio_postgres::Error> = rows.into_iter().map(columns).collect();
        texts.map_err(|error| StatementError::Broken(failed(request.what).with_source(error)))
    }

    async fn install(session: &mut PostgresSession) -> Result<(), StatementError> {
        Self::run(session, "create its schema", SCHEMA).await
    }
}

impl Server {
    /// Executes statements in one transaction.
    async fn run(
        session: &mut PostgresSession,
        what: &str,
        statements: &str,
    ) -> Result<(), StatementError> {
        session.left.store(MAX_ANSWER, Ordering::Relaxed);
        let done = session.client.batch_execute(statements).await;
        done.map_err(|error| failure::of_statement(&error, what))
    }
}
