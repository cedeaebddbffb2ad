//! The parts that backends in SQL databases share. A request is a statement with values, an answer
//! is rows of text, and records and rows are JSON. Each store has a thread and a connection of its
//! own.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use tickid_core::{AnyNode, UnixTime};
use tickid_lease::StoreError;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, RealmView, Record, Row, RowState, Scope, Version,
};
use tokio::runtime::Runtime;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{sleep, timeout};

use crate::error;

/// The timeout of a request over an open connection.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of a request that connects first, after which a connection is closed that has not
/// answered. If a thousand clients connect at the same time, most of this is spent in the server's
/// queue.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a claim's connection is closed that has not answered. A claim that timed
/// out is repeated over the same connection, because a new one would start at the end of the queue.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(20);
/// The time after which an idle connection is closed, by default. With the default terms a tenth of a
/// fleet is connected at any moment.
const IDLE: Duration = Duration::from_millis(500);
/// The part of a term that a request may take over a connection which is closed when it is idle. To
/// connect takes a few round trips, and a renewal has a quarter of the term.
const NEAR: u32 = 16;
/// The least time after which an open connection without an answer counts as broken. A busy server
/// may well take longer than a short term.
const PATIENCE: Duration = Duration::from_secs(1);
/// The largest number of bytes of an answer. It is enough for all rows of 65,536 nodes.
pub(super) const MAX_ANSWER: usize = 24 << 20;

/// A server's answer, as the columns of each row.
pub(super) type Texts = Vec<Vec<Option<String>>>;

/// A value of a statement.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Number(i128),
    Text(String),
}

macro_rules! values {
    ($($number:ty),*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(i128::from(number))
            }
        }
    )*};
}
values!(i64, u64);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A request to a server.
#[derive(Debug)]
pub(super) struct SqlRequest {
    /// The purpose, for error messages.
    pub(super) what: &'static str,
    pub(super) statement: &'static str,
    pub(super) values: Vec<Value>,
    /// It is of no use after half a term, so a connection that leaves it without an answer until
    /// then, or for [`PATIENCE`], counts as broken.
    pub(super) is_renewal: bool,
}

/// The reason that a server did not carry out a request.
#[derive(Debug)]
pub(super) enum StatementError {
    /// Another client was faster.
    Conflict,
    /// The database lacks our tables or functions.
    NoSchema,
    /// The server answered with an error.
    Answered(StoreError),
    /// The connection is no longer usable.
    Broken(StoreError),
}

/// A database server.
pub(super) trait Database: fmt::Debug + Send + Sync + 'static {
    /// A connection, which is closed immediately when it is dropped.
    type Session: Send + 'static;

    const NAME: &'static str;
    /// Reads a realm, by its name, one node, the first node of a page, the page's number of rows,
    /// and the number of rows with the lowest ceilings. Returns a kind, a key, a version and data.
    /// The kinds are the `store`'s clock and generation, its `record`, and rows. A `page` may be
    /// unsorted.
    const READ: &'static str;
    /// Compares a generation and the record's version, and writes a record. Compares a node's
    /// version and row, and writes its row and ceiling. It does all that only if the clock reads a
    /// time between two, and then returns a row of the kind `written`, with the record's new version
    /// if it has one. Otherwise it returns what [`READ`](Self::READ) does for the node.
    const COMMIT: &'static str;
    /// Returns the names of all realms.
    const REALMS: &'static str;
    /// Writes a record and a row of no realm, and takes them back.
    const TRY_WRITE: &'static str;

    /// Returns the server's address, for messages.
    fn endpoint(&self) -> String;

    fn connect(&self) -> impl Future<Output = Result<Self::Session, StoreError>> + Send;

    fn is_open(session: &Self::Session) -> bool;

    fn ask(
        session: &mut Self::Session,
        request: &SqlRequest,
    ) -> impl Future<Output = Result<Texts, StatementError>> + Send;

    /// Creates the tables and functions that are missing.
    fn install(
        session: &mut Self::Session,
    ) -> impl Future<Output = Result<(), StatementError>> + Send;
}

/// A backend in a database.
#[derive(Debug)]
pub(super) struct Sql<D: Database> {
    shared: Arc<SqlConnection<D>>,
    timeout: Option<Duration>,
    /// A child process does not have its parent's threads.
    process: u32,
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
}

struct SqlConnection<D: Database> {
    database: D,
    session: Arc<tokio::sync::Mutex<Option<D::Session>>>,
    uses: AtomicU64,
    /// The shortest term of the realms that were read, in microseconds.
    term: AtomicU64,
    /// The time after which an idle connection is closed, in microseconds.
    idle: AtomicU64,
}

impl<D: Database> fmt::Debug for SqlConnection<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.database.fmt(f)
    }
}

impl<D: Database> SqlConnection<D> {
    /// Waits for the connection and sends a request. If this future is dropped after that, the
    /// request continues, so that the next one finds the connection. Otherwise, if many clients
    /// connected at the same time, each of them would connect again and again.
    async fn ask(
        self: Arc<Self>,
        request: SqlRequest,
        limit: Duration,
    ) -> Result<Texts, StoreError> {
        let slot = Arc::clone(&self.session).lock_owned().await;
        let work = async move { timeout(limit, self.send(slot, request)).await };
        tokio::spawn(work).await.map_err(unreachable::<D>)?.map_err(unreachable::<D>)?
    }

    async fn send(
        self: Arc<Self>,
        mut slot: OwnedMutexGuard<Option<D::Session>>,
        request: SqlRequest,
    ) -> Result<Texts, StoreError> {
        // The session is closed if this future is dropped, with an answer still to come.
        let (mut session, is_new) = match slot.take().filter(D::is_open) {
            Some(session) => (session, false),
            None => (self.database.connect().await?, true),
        };
        let mut asked = Instant::now();
        let patience = (self.term() / 2).max(PATIENCE);
        let most = if request.is_renewal && !is_new { patience } else { Duration::MAX };
        let answer = timeout(most, D::ask(&mut session, &request)).await;
        let mut answer =
            answer.unwrap_or_else(|late| Err(StatementError::Broken(unreachable::<D>(late))));
        // A connection that was kept may have been closed, or lost by the network between, which
        // shows only now. Another one is made at once, before the window ends.
        let mut broken = None;
        if !is_new && matches!(answer, Err(StatementError::Broken(_))) {
            broken = answer.err();
            session = self.database.connect().await?;
            asked = Instant::now();
            answer = D::ask(&mut session, &request).await;
        }
        let took = asked.elapsed();
        // Two more attempts: one after the tables were made, and one after a conflict. A server
        // that fails for ever is not asked for ever.
        for _ in 0..2 {
            let next = match &answer {
                Err(StatementError::NoSchema) => D::install(&mut session).await,
                Err(StatementError::Conflict) => Ok(()),
                _ => break,
            };
            answer = match next {
                Ok(()) => D::ask(&mut session, &request).await,
                Err(failure) => Err(failure),
            };
        }
        let answer = match (answer, broken) {
            // The first attempt may have been carried out, so that the second one could not.
            (Ok(texts), Some(StatementError::Broken(error)))
                if written(&texts).is_none() && request.statement == D::COMMIT =>
            {
                Err(error)
            }
            (answer, _) => answer_of::<D>(&request, answer)?,
        };
        self.keep(&mut slot, session, took);
        answer
    }

    /// Returns the shortest term of the realms so far, or a very long one.
    fn term(&self) -> Duration {
        Duration::from_micros(self.term.load(Ordering::Relaxed))
    }

    /// Notes the term of a realm.
    fn note(&self, record: Option<&Record>) {
        if let Some(record) = record {
            self.term.fetch_min(micros(record.realm.terms().term), Ordering::Relaxed);
        }
    }

    /// Keeps a connection for the next request, until it is idle. If requests take long for the
    /// realms' terms, it is kept for good, because there is no time to connect again.
    fn keep(self: &Arc<Self>, slot: &mut Option<D::Session>, session: D::Session, took: Duration) {
        *slot = Some(session);
        let use_number = self.uses.fetch_add(1, Ordering::Relaxed) + 1;
        if took > self.term() / NEAR {
            return;
        }
        let idle = Duration::from_micros(self.idle.load(Ordering::Relaxed));
        let shared = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep(idle).await;
            let Some(shared) = shared.upgrade() else { return };
            // A request that holds the lock keeps the connection anew.
            if let Ok(mut slot) = shared.session.try_lock()
                && shared.uses.load(Ordering::Relaxed) == use_number
            {
                *slot = None;
            }
        });
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the result of a request, or the error of a connection that cannot be kept.
fn answer_of<D: Database>(
    request: &SqlRequest,
    answer: Result<Texts, StatementError>,
) -> Result<Result<Texts, StoreError>, StoreError> {
    Ok(match answer {
        Ok(texts) => Ok(texts),
        Err(StatementError::Broken(error)) => return Err(error),
        Err(StatementError::Answered(error)) => Err(error),
        // The caller takes no rows as "others were faster", and decides anew on what they wrote.
        Err(StatementError::Conflict) => Ok(Texts::new()),
        Err(StatementError::NoSchema) => Err(failed::<D>(format!("{}: no tables", request.what))),
    })
}

impl<D: Database> Sql<D> {
    pub(super) fn new(database: D) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(format!("tickid-{}", D::NAME))
            .enable_all()
            .build()
            .map_err(|error| failed::<D>("start a thread").with_source(error))?;
        let (session, uses) = (Arc::default(), AtomicU64::new(0));
        let term = AtomicU64::new(u64::MAX);
        let idle = AtomicU64::new(micros(IDLE));
        let shared = SqlConnection { database, session, uses, term, idle };
        Ok(Self {
            shared: Arc::new(shared),
            timeout: None,
            process: std::process::id(),
            runtime: Some(runtime),
        })
    }

    pub(super) fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(super) fn with_idle_time(self, idle: Duration) -> Self {
        self.shared.idle.store(micros(idle), Ordering::Relaxed);
        self
    }

    /// Sends a request from our own thread, so that any executor can wait for the answer. A
    /// connection that does not answer is closed after `most`, which is zero for a renewal: that is
    /// repeated soon, over another one.
    async fn ask<const N: usize>(
        &self,
        what: &'static str,
        most: Duration,
        statement: &'static str,
        values: [Value; N],
    ) -> Result<Texts, StoreError> {
        let runtime = self.runtime()?;
        let is_renewal = most.is_zero();
        let request = SqlRequest { what, statement, values: values.into(), is_renewal };
        // Another request, which holds the connection, may be about to open it.
        let slot = self.shared.session.try_lock();
        let is_open = slot.is_ok_and(|slot| slot.as_ref().is_some_and(D::is_open));
        let limit = self.timeout.unwrap_or(if is_open { TIMEOUT } else { CONNECTION_TIMEOUT });
        let asked = Arc::clone(&self.shared).ask(request, limit.max(most));
        // The timer must start on the runtime's own thread.
        let task = runtime.spawn(async move { timeout(limit, asked).await });
        task.await.map_err(unreachable::<D>)?.map_err(unreachable::<D>)?
    }

    fn runtime(&self) -> Result<&Runtime, StoreError> {
        let runtime = self.runtime.as_ref().filter(|_| std::process::id() == self.process);
        runtime.ok_or_else(|| failed::<D>("run in a child process: open it there anew"))
    }

    /// Does `work` with a separate connection, within a longer timeout.
    #[cfg(feature = "postgres")]
    pub(super) async fn apart<F>(
        &self,
        work: impl FnOnce(D::Session) -> F + Send + 'static,
    ) -> Result<(), StoreError>
    where
        F: Future<Output = Result<(), StatementError>> + Send,
    {
        let (shared, limit) =
            (Arc::clone(&self.shared), self.timeout.unwrap_or(TIMEOUT).max(CONNECTION_TIMEOUT));
        let work = async move {
            let session = shared.database.connect().await?;
            work(session).await.map_err(|failure| match failure {
                StatementError::Answered(error) | StatementError::Broken(error) => error,
                StatementError::Conflict => failed::<D>("commit: another client was faster"),
                StatementError::NoSchema => failed::<D>("find its tables"),
            })
        };
        let task = self.runtime()?.spawn(async move { timeout(limit, work).await });
        task.await.map_err(unreachable::<D>)?.map_err(unreachable::<D>)?
    }
}

impl<D: Database> Backend for Sql<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn endpoint(&self) -> String {
        self.shared.database.endpoint()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        let (node, start, page, lowest) = match scope {
            Scope::Record => (None, String::new(), 0, 0),
            Scope::Node(node) => (Some(node.sort_key()), String::new(), 0, 0),
            Scope::Candidates { start, limit } => {
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                (None, start.sort_key(), limit.saturating_add(1), limit)
            }
            Scope::All => (None, String::new(), i64::MAX, 0),
        };
        let values = [realm.as_str().into(), node.into(), start.into(), page.into(), lowest.into()];
        let most = match scope {
            Scope::Candidates { .. } => CLAIM_TIMEOUT,
            Scope::Record | Scope::Node(_) | Scope::All => CONNECTION_TIMEOUT,
        };
        Box::pin(async move {
            let what = "read a realm";
            let texts = self.ask(what, most, D::READ, values).await?;
            if texts.is_empty() {
                return Err(failed::<D>(format!("{what}: other clients were faster")));
            }
            let view = view::<D>(realm, scope, texts)?;
            self.shared.note(view.record.as_ref().map(|(record, _)| record));
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        let row = change.row.as_ref();
        let new = row.and_then(|row| row.row.as_ref());
        // In the order of the parameters `$1` to `$11` of the statement. What is `NULL` is not
        // compared, or not written.
        let values = [
            realm.as_str().into(),
            (&*change.generation).into(),
            change.record_version.map(|version| version.0).into(),
            change.record.as_ref().map(Record::to_json).into(),
            row.map(|row| row.node.sort_key()).into(),
            row.and_then(|row| row.version).map(|version| version.0).into(),
            row.and_then(|row| row.exactly.as_ref()).map(Row::to_json).into(),
            new.map(Row::to_json).into(),
            new.map(|row| row.ceiling).into(),
            change.within.map(|(earliest, _)| earliest.as_micros()).into(),
            change.within.map(|(_, latest)| latest.as_micros()).into(),
        ];
        Box::pin(async move {
            let texts = match change.within {
                Some(_) => self.ask("renew", Duration::ZERO, D::COMMIT, values).await?,
                None => self.ask("write", CONNECTION_TIMEOUT, D::COMMIT, values).await?,
            };
            if let Some(version) = written(&texts) {
                self.shared.note(change.record.as_ref());
                let version = version.and_then(|version| version.parse().ok()).map(Version);
                return Ok(Commit::Written { record: change.record.as_ref().and(version) });
            }
            // Another client was faster, and the statement has compared nothing.
            if texts.is_empty() {
                return Ok(Commit::Differs { view: None });
            }
            let scope = row.map_or(Scope::Record, |row| Scope::Node(row.node));
            let view = view::<D>(realm, scope, texts)?;
            self.shared.note(view.record.as_ref().map(|(record, _)| record));
            Ok(Commit::Differs { view: Some(Box::new(view)) })
        })
    }

    fn try_write(&self) -> Answer<'_, bool> {
        Box::pin(async move {
            self.ask("write", CONNECTION_TIMEOUT, D::TRY_WRITE, []).await?;
            Ok(true)
        })
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        Box::pin(async move {
            let what = "read the names of realms";
            let texts = self.ask(what, CONNECTION_TIMEOUT, D::REALMS, []).await?;
            let names = texts.into_iter().flatten().flatten();
            let mut names: Vec<RealmName> = names.filter_map(|name| name.parse().ok()).collect();
            names.sort_unstable();
            Ok(names)
        })
    }
}

impl<D: Database> Drop for Sql<D> {
    fn drop(&mut self) {
        // To wait for the thread would panic on another executor's thread.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn failed<D: Database>(what: impl Into<String>) -> StoreError {
    error::failed(D::NAME, what)
}

fn unreachable<D: Database>(source: impl core::error::Error + Send + Sync + 'static) -> StoreError {
    error::unreachable(D::NAME, source)
}

/// Returns the record's version, if there is one, of the answer to a [`COMMIT`](Database::COMMIT)
/// that has written.
fn written(texts: &Texts) -> Option<Option<&str>> {
    let [kind, _, version, _] = texts.first()?.as_slice() else { return None };
    (kind.as_deref() == Some("written")).then_some(version.as_deref())
}

/// Builds a view from the answer to [`READ`](Database::READ).
pub(super) fn view<D: Database>(
    realm: &RealmName,
    scope: Scope,
    texts: Texts,
) -> Result<RealmView, StoreError> {
    let no_answer = || error::corrupt(D::NAME, "the answer");
    let mut view = RealmView::empty(UnixTime::EPOCH, String::new());
    let (mut page, mut is_whole) = (Vec::new(), false);
    // Each row says by its first column what it is: the store, the record, a node, or a node of the
    // requested page.
    for columns in texts {
        let Ok([Some(kind), key, version, data]) = <[_; 4]>::try_from(columns) else {
            return Err(no_answer());
        };
        let (key, data) = (key.unwrap_or_default(), data.unwrap_or_default());
        if kind == "store" {
            view.now = UnixTime::from_micros(key.parse().map_err(|_| no_answer())?);
            (view.generation, is_whole) = (data, true);
            continue;
        }
        let version = version.and_then(|version| version.parse().ok()).map(Version);
        let version = version.ok_or_else(no_answer)?;
        if kind == "record" {
            let record = Record::from_json(realm.clone(), data.as_bytes());
            let what = || error::corrupt(D::NAME, format!("the record of the realm {realm}"));
            view.record = Some((record.map_err(|error| what().with_source(error))?, version));
            continue;
        }
        // A key of another form does not belong to a node, and quarantines none.
        let Some(node) = AnyNode::from_sort_key(&key) else { continue };
        view.rows.insert(node, RowState::from_json(node, data.as_bytes(), version));
        if kind == "page" {
            page.push(node);
        }
    }
    // The row about the store is always there, so without it the answer was cut off.
    if !is_whole {
        return Err(no_answer());
    }
    // Pages begin at `start` and go on at the lowest node.
    if let Scope::Candidates { start, limit } = scope {
        view.has_lowest = true;
        page.sort_unstable_by_key(|node| (*node < start, *node));
        if page.len() > limit {
            view.page_end = limit.checked_sub(1).and_then(|last| page.get(last)).copied();
        }
    }
    Ok(view)
}

/// Defines a backend over a [`Database`].
macro_rules! sql_backend {
    ($(#[$doc:meta])* $name:ident, $database:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($crate::sql::Sql<$database>);

        impl $name {
            /// Sets the timeout of a request, connecting included. The default is 3 seconds, or 10
            /// for a request that connects first.
            #[must_use]
            pub fn with_timeout(self, timeout: core::time::Duration) -> Self {
                Self(self.0.with_timeout(timeout))
            }

            /// Sets the time after which an idle connection is closed. The default is half a second.
            /// With a longer one, there is less to connect anew, and the server has a connection for
            /// each holder.
            #[must_use]
            pub fn with_idle_time(self, idle: core::time::Duration) -> Self {
                Self(self.0.with_idle_time(idle))
            }
        }

        impl core::ops::Deref for $name {
            type Target = dyn tickid_lease::backend::Backend;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}
pub(super) use sql_backend;
