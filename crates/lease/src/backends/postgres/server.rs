//! A connection, and what is asked over it.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config};

use crate::error::StoreError;
use crate::postgres::rows::{self, Brought, GrantRow, NodeRow, RealmRow, ViewRow};
use crate::postgres::url::Tls;
use crate::postgres::{BACKEND, failed, failure, unreachable};
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold};
use crate::store::{Answer, Grant};
use crate::table::{Change, Scope, Table, View};

const SCHEMA: &str = include_str!("schema.sql");

/// The functions that clients call; JSON is passed as text. The types are qualified, because a
/// search path may put other schemas before `pg_catalog`.
const ACQUIRE: &str = "SELECT tickid.acquire_v1($1::pg_catalog.text::pg_catalog.jsonb, \
                       $2, $3, $4, $5)::pg_catalog.text";
const RENEW: &str = "SELECT tickid.renew_v1($1, $2, $3, $4, $5)::pg_catalog.text";
const VIEW: &str = "SELECT tickid.view_v1($1, $2, $3)::pg_catalog.text";
const COMMIT: &str = "SELECT tickid.commit_v1($1, $2, $3, $4::pg_catalog.text::pg_catalog.jsonb, \
                      $5, $6::pg_catalog.text::pg_catalog.jsonb)::pg_catalog.text";

type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A PostgreSQL server, or the one of several that takes writes.
pub(super) struct Server {
    config: Config,
    tls: Tls,
    session: Arc<Mutex<Option<Arc<Session>>>>,
}

/// For how long a server may take to let a client in. Longer than who asks waits for an answer: what was begun
/// is there for the next request, where many begin at once and each would begin again.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection. It is closed at once when this is dropped, whatever it waits for.
struct Session {
    client: Client,
    driver: AbortHandle,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Server {
    pub(super) fn new(config: Config, tls: Tls) -> Self {
        Self { config, tls, session: Arc::default() }
    }

    /// Creates what is missing of the schema. All or nothing: several statements in one string are one
    /// transaction.
    pub(super) async fn init(&self) -> Result<(), StoreError> {
        let session = self.session().await?;
        let done = session.client.batch_execute(SCHEMA).await;
        done.map_err(|error| failure::of_statement(error, "create its schema"))
    }

    /// What the database grants by itself.
    pub(super) async fn acquire(
        &self,
        realm: &Realm,
        claim: &Claim,
    ) -> Result<Option<Grant>, StoreError> {
        let brought = rows::json(&Brought::of(realm)?);
        let now = claim.now.map(rows::bigint);
        #[allow(clippy::cast_possible_truncation, reason = "any number will do")]
        let start = rows::bigint(claim.token.bits() as u64 % realm.pool().len());
        let parameters: [Parameter<'_>; 5] = [
            (&brought, Type::TEXT),
            (&claim.token.to_string(), Type::TEXT),
            (&claim.holder(), Type::TEXT),
            (&now, Type::INT8),
            (&start, Type::INT8),
        ];
        self.grant("give out a node", ACQUIRE, &parameters).await
    }

    /// What the database grants by itself.
    pub(super) async fn renew(
        &self,
        realm: &RealmName,
        hold: &Hold,
    ) -> Result<Option<Grant>, StoreError> {
        let Hold { node, token, floor } = hold;
        let parameters: [Parameter<'_>; 5] = [
            (&realm.as_str(), Type::TEXT),
            (&token.to_string(), Type::TEXT),
            (&node.bits().cast_signed(), Type::INT4),
            (&rows::bigint(node.value()), Type::INT8),
            (&rows::bigint(*floor), Type::INT8),
        ];
        self.grant("renew a lease", RENEW, &parameters).await
    }

    async fn grant(
        &self,
        what: &str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Grant>, StoreError> {
        let granted: Option<GrantRow> = self.ask(what, query, parameters).await?;
        granted.and_then(|granted| granted.grant().transpose()).transpose()
    }

    async fn view(&self, realm: &RealmName, scope: Scope) -> Result<View, StoreError> {
        let node = match scope {
            Scope::Node(node) => Some(node),
            _ => None,
        };
        let parameters: [Parameter<'_>; 3] = [
            (&realm.as_str(), Type::TEXT),
            (&node.map(|node| node.bits().cast_signed()), Type::INT4),
            (&node.map(|node| rows::bigint(node.value())), Type::INT8),
        ];
        let view: Option<ViewRow> = self.ask("read what it keeps", VIEW, &parameters).await?;
        view.ok_or_else(|| failed("read what it keeps: others came first"))?.view(realm)
    }

    async fn write(&self, realm: &RealmName, change: &Change) -> Result<bool, StoreError> {
        let record = change.record.as_ref().map(RealmRow::of).transpose()?;
        let record = record.as_ref().map(rows::json);
        let row = change.row.as_ref();
        let row_version = row.and_then(|(version, _)| *version);
        let row = row.map(|(_, row)| rows::json(&NodeRow::of(realm, row)));
        let parameters: [Parameter<'_>; 6] = [
            (&realm.as_str(), Type::TEXT),
            (&change.generation, Type::TEXT),
            (&change.record_version.map(|version| rows::bigint(version.0)), Type::INT8),
            (&record, Type::TEXT),
            (&row_version.map(|version| rows::bigint(version.0)), Type::INT8),
            (&row, Type::TEXT),
        ];
        let is_done: Option<bool> = self.ask("write", COMMIT, &parameters).await?;
        Ok(is_done.unwrap_or(false))
    }

    /// Asks for one value, as JSON. Null when others came first. Creates the schema if need be.
    async fn ask<T: DeserializeOwned>(
        &self,
        what: &str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<T>, StoreError> {
        let session = self.session().await?;
        // Neither prepared nor named: one round trip also for the first, and also through a pool.
        let mut answer = session.client.query_typed_one(query, parameters).await;
        if answer.as_ref().is_err_and(failure::lacks_schema) {
            self.init().await?;
            answer = session.client.query_typed_one(query, parameters).await;
        }
        let row = match answer {
            Ok(row) => row,
            Err(error) if failure::is_conflict(&error) => return Ok(None),
            Err(error) => {
                // Perhaps another server takes writes now.
                if error.code().is_none_or(failure::takes_no_writes) {
                    self.disconnect_from(&session).await;
                }
                return Err(failure::of_statement(error, what));
            }
        };
        let unreadable = |error| rows::corrupt(what).with_source(error);
        let text: Option<&str> = row.try_get(0).map_err(unreadable)?;
        let value = text.map(serde_json::from_str).transpose();
        value.map_err(|error| rows::corrupt(what).with_source(error))
    }

    /// The connection, made anew if need be. It is made also when nobody waits for it any more.
    async fn session(&self) -> Result<Arc<Session>, StoreError> {
        let mut session = Arc::clone(&self.session).lock_owned().await;
        if let Some(session) = session.as_ref().filter(|session| !session.client.is_closed()) {
            return Ok(Arc::clone(session));
        }
        let (config, tls) = (self.config.clone(), Tls::clone(&self.tls));
        let connecting = tokio::spawn(async move {
            let connected = timeout(CONNECT_TIMEOUT, config.connect(tls)).await;
            let is_plain = config.get_ssl_mode() == SslMode::Disable;
            let (client, connection) = connected
                .map_err(unreachable)?
                .map_err(|error| failure::of_connecting(error, is_plain))?;
            // What it ends with is told to whoever waits for an answer.
            let driver = tokio::spawn(async { drop(connection.await) }).abort_handle();
            Ok(Arc::clone(session.insert(Arc::new(Session { client, driver }))))
        });
        connecting.await.map_err(unreachable)?
    }

    async fn disconnect_from(&self, broken: &Arc<Session>) {
        let mut session = self.session.lock().await;
        session.take_if(|session| Arc::ptr_eq(session, broken));
    }

    /// Has the next request make a new connection.
    pub(super) fn disconnect(&self) {
        // Who holds the lock is making one.
        if let Ok(mut session) = self.session.try_lock() {
            *session = None;
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Which does not show the password.
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Table for Server {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(self.view(realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        Box::pin(self.write(realm, change))
    }
}
