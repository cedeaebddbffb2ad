//! The store in PostgreSQL: two tables and the functions that decide over them, in a schema of their
//! own.

mod failure;
mod rows;
mod server;
#[cfg(feature = "postgres-tls")]
mod tls;
mod url;

#[cfg(fuzzing)]
pub(crate) use self::rows::read_view;

use core::time::Duration;
use std::sync::Arc;

use tokio::runtime::Runtime;

use crate::error::{StoreError, StoreErrorKind};
use crate::node::Node;
use crate::postgres::server::Server;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, Row};
use crate::store::{Answer, Grant, Listing, Store};
use crate::table::TableStore;

pub(crate) const BACKEND: &str = "PostgreSQL";

/// The store in a PostgreSQL database, of version 12 or later.
///
/// To acquire and to renew are one round trip each: a function in the database decides, by the
/// database's clock, and what it answers is committed with `synchronous_commit = on`. Where it can't grant
/// what it is asked for, two more tell why.
///
/// It keeps one connection, made when it is first needed and made anew when it is lost. What is not
/// answered in [time](Self::with_timeout) is [unreachable](StoreError::is_unreachable); a connection that
/// takes longer, up to ten seconds, is there for the next request. A server that
/// takes no writes, as a standby does, is an error.
///
/// What it keeps is in the schema `tickid` of the database, which is created when it is not there; see
/// [`init`](Self::init). Restoring a backup and failing over are noticed by the system's identifier and the
/// timeline: all leases end then.
///
/// # Examples
/// ```no_run
/// use core::time::Duration;
/// use tickid_lease::{Claim, Lease, PostgresStore, Realm, Token, block_on};
/// use tickid_sno::Sno;
///
/// let store = PostgresStore::open("postgres://app@db.example.com/app?sslmode=require")?;
/// let realm = Realm::new("orders".parse()?, &Sno, "0-65535/16".parse()?)?;
/// let claim = Claim::new(Token::random()?, "an example", None);
/// let lease = block_on(Lease::acquire(&store, &realm, &claim), Duration::from_secs(5))??;
/// let generator = lease.builder(&Sno)?.build()?;
/// println!("{}", generator.generate()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PostgresStore {
    server: Arc<TableStore<Server>>,
    timeout: Duration,
    /// Which process this is: a child has not its parent's threads.
    process: u32,
    /// A thread of our own. There until it is dropped.
    runtime: Option<Runtime>,
}

impl PostgresStore {
    /// For how long an answer may take unless said otherwise.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3);

    /// The store at a URL of the form `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE&…`.
    /// Nothing is connected to yet.
    ///
    /// It may name several hosts, separated by commas: the first one that takes writes is used. Of the
    /// options those of libpq are known that say where the server is and who connects. `sslmode` is
    /// `disable`, `prefer` (the default), `require` or `verify-full`; the last two are the same, since
    /// a certificate is always verified. `sslrootcert` names a file of certificates to trust instead of
    /// the system's, `sslcert` and `sslkey` those of the client's own certificate and its key.
    ///
    /// # Errors
    /// [`StoreErrorKind::Failed`] for anything else, for encryption without the feature
    /// `postgres-tls`, and when there can be no thread.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let (config, tls) = url::parse(url)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tickid-postgres")
            .enable_all()
            .build()
            .map_err(|error| failed("start a thread").with_source(error))?;
        let server = Arc::new(TableStore::new(Server::new(config, tls)));
        Ok(Self {
            server,
            timeout: Self::DEFAULT_TIMEOUT,
            process: std::process::id(),
            runtime: Some(runtime),
        })
    }

    /// The same with another limit to how long an answer may take, connecting included.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Creates the schema `tickid` with what belongs to it, as far as it is not there.
    ///
    /// The other methods do so by themselves when they find it missing. It takes the right to create
    /// schemas in the database, which an application need not have: run this once as somebody who has.
    pub fn init(&self) -> Answer<'_, ()> {
        self.run(|server| async move { server.table().init().await })
    }

    /// Has our own thread do it, so that any executor may wait for it.
    fn run<'a, T, F>(
        &'a self,
        ask: impl FnOnce(Arc<TableStore<Server>>) -> F + Send + 'a,
    ) -> Answer<'a, T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        Box::pin(async move {
            let runtime = self.runtime.as_ref().filter(|_| std::process::id() == self.process);
            let Some(runtime) = runtime else {
                return Err(failed("run in a child process: open it there anew"));
            };
            // The timer is started on the runtime's own thread, as it must be.
            let (timeout, asked) = (self.timeout, ask(Arc::clone(&self.server)));
            let task = runtime.spawn(async move { tokio::time::timeout(timeout, asked).await });
            match task.await {
                Ok(Ok(answer)) => answer,
                Ok(Err(elapsed)) => {
                    self.server.table().disconnect();
                    Err(unreachable(elapsed))
                }
                Err(error) => Err(unreachable(error)),
            }
        })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        // Waiting for the thread would be a panic on somebody else's executor.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Store for PostgresStore {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        let realm = realm.clone();
        self.run(|server| async move { server.begin(&realm).await })
    }

    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
        let (realm, claim) = (realm.clone(), claim.clone());
        self.run(|server| async move {
            match server.table().acquire(&realm, &claim).await? {
                Some(grant) => Ok(grant),
                None => server.acquire(&realm, &claim).await,
            }
        })
    }

    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
        let (realm, hold) = (realm.clone(), *hold);
        self.run(move |server| async move {
            match server.table().renew(&realm, &hold).await? {
                Some(grant) => Ok(grant),
                None => server.renew(&realm, &hold).await,
            }
        })
    }

    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()> {
        let (realm, hold) = (realm.clone(), *hold);
        self.run(move |server| async move { server.release(&realm, &hold, used).await })
    }

    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
        let realm = realm.clone();
        self.run(|server| async move { server.list(&realm).await })
    }

    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
        let realm = realm.clone();
        self.run(|server| async move { server.recover(&realm).await })
    }

    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
        let realm = realm.clone();
        self.run(move |server| async move { server.mend(&realm, node).await })
    }

    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        let realm = realm.clone();
        self.run(|server| async move { server.reshape(&realm).await })
    }
}

fn failed(what: impl Into<String>) -> StoreError {
    StoreError::new(BACKEND, StoreErrorKind::Failed { what: what.into() })
}

fn unreachable(source: impl core::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::new(BACKEND, StoreErrorKind::Unreachable).with_source(source)
}
