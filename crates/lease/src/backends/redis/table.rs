use core::fmt;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use redis::Script;
use tickid_core::UnixTime;

use super::scripts::{Scripts, run};
use super::server::Server;
use super::{BACKEND, corrupt, text};
use crate::blocking::on_a_thread;
use crate::error::StoreError;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Entry, Hold, Record, Rows, Version};
use crate::store::{Answer, Grant};
use crate::table::{Change, Scope, Table, View};

/// The table of a [`RedisStore`](super::RedisStore).
#[derive(Clone)]
pub struct RedisTable(Arc<Shared>);

struct Shared {
    server: Server,
    scripts: Scripts,
    /// The realms that were there.
    seen: Mutex<HashSet<RealmName>>,
}

/// What `read.lua` returns.
type Read = (String, i64, i64, String, String, Vec<String>);

impl RedisTable {
    pub(crate) fn new(server: Server) -> Self {
        let seen = Mutex::default();
        Self(Arc::new(Shared { server, scripts: Scripts::new(), seen }))
    }

    /// What the script grants; `None` where it leaves that to the rules.
    pub(crate) async fn acquire(
        &self,
        realm: &Realm,
        claim: &Claim,
    ) -> Result<Option<Grant>, StoreError> {
        let args = vec![
            text::realm(realm),
            claim.token.to_string(),
            claim.holder().to_owned(),
            claim.now.map_or_else(String::new, |now| now.to_string()),
            text::start(realm, claim).to_string(),
        ];
        granted(&self.ask(realm.name(), |scripts| &scripts.acquire, args).await?)
    }

    /// As [`acquire`](Self::acquire).
    pub(crate) async fn renew(
        &self,
        realm: &RealmName,
        hold: &Hold,
    ) -> Result<Option<Grant>, StoreError> {
        granted(&self.ask(realm, |scripts| &scripts.renew, lease(hold)).await?)
    }

    /// Whether the script has done it.
    pub(crate) async fn release(
        &self,
        realm: &RealmName,
        hold: &Hold,
        used: Option<u64>,
    ) -> Result<bool, StoreError> {
        let mut args = lease(hold);
        let ceiling = used.map_or(hold.floor, |used| hold.floor.max(used.saturating_add(1)));
        args.push(ceiling.to_string());
        Ok(!self.ask(realm, |scripts| &scripts.release, args).await?.is_empty())
    }

    /// Runs one of the scripts that decide. It answers nothing where it leaves that to the rules.
    fn ask(
        &self,
        realm: &RealmName,
        script: fn(&Scripts) -> &Script,
        args: Vec<String>,
    ) -> Answer<'static, Vec<String>> {
        let (shared, realm) = (Arc::clone(&self.0), realm.clone());
        on_a_thread(BACKEND, move || {
            let script = script(&shared.scripts);
            let answer: Vec<String> =
                shared.server.ask("run a script", |server| run(script, &realm, &args, server))?;
            if !answer.is_empty() {
                shared.saw(&realm);
            }
            Ok(answer)
        })
    }
}

fn granted(answer: &[String]) -> Result<Option<Grant>, StoreError> {
    if answer.is_empty() {
        return Ok(None);
    }
    let grant = grant(answer).ok_or_else(|| corrupt("the answer of a script".to_owned()))?;
    Ok(Some(grant))
}

fn lease(hold: &Hold) -> Vec<String> {
    vec![text::name(hold.node), hold.token.to_string(), hold.floor.to_string()]
}

/// Node, token, floor, ceiling, and the time in seconds and microseconds.
fn grant(answer: &[String]) -> Option<Grant> {
    let [node, token, floor, ceiling, seconds, micros] = answer else {
        return None;
    };
    let (token, floor) = (token.parse().ok()?, floor.parse().ok()?);
    let hold = Hold { node: text::node(node)?, token, floor };
    let now = time(seconds.parse().ok()?, micros.parse().ok()?)?;
    Some(Grant { hold, ceiling: ceiling.parse().ok()?, now })
}

/// As `TIME` gives it.
fn time(seconds: i64, micros: i64) -> Option<UnixTime> {
    Some(UnixTime::from_micros(seconds.checked_mul(1_000_000)?.checked_add(micros)?))
}

impl Table for RedisTable {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        let (shared, realm) = (Arc::clone(&self.0), realm.clone());
        on_a_thread(BACKEND, move || shared.read(&realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        let (shared, realm, change) = (Arc::clone(&self.0), realm.clone(), change.clone());
        on_a_thread(BACKEND, move || shared.commit(&realm, &change))
    }
}

impl Shared {
    fn saw(&self, realm: &RealmName) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(realm) {
            seen.insert(realm.clone());
        }
    }

    fn has_seen(&self, realm: &RealmName) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).contains(realm)
    }

    fn read(&self, realm: &RealmName, scope: Scope) -> Result<View, StoreError> {
        let args = match scope {
            Scope::All => Vec::new(),
            Scope::Node(node) => vec![text::name(node)],
        };
        let script = &self.scripts.read;
        let (generation, seconds, micros, version, json, fields): Read =
            self.server.ask("read", |server| run(script, realm, &args, server))?;
        let now = time(seconds, micros).ok_or_else(|| corrupt("its time".to_owned()))?;
        let mut rows = Rows::new();
        let (pairs, _) = fields.as_chunks();
        for [name, row] in pairs.iter().filter(|[_, row]| !row.is_empty()) {
            let row = text::node(name).and_then(|node| text::parse_row(node, row));
            let (version, row) = row.ok_or_else(|| corrupt(format!("the row {name}")))?;
            let version = Version(version);
            rows.insert(row.node, Entry { row, version, is_dead: false });
        }
        let record = if version.is_empty() {
            None
        } else {
            let unreadable = || corrupt(format!("the record of {realm}"));
            let version = version.parse().map_err(|error| unreadable().with_source(error))?;
            let record = Record::from_json(realm.clone(), json.as_bytes());
            Some((record.map_err(|error| unreadable().with_source(error))?, Version(version)))
        };
        let has_forgotten = match &record {
            Some((record, _)) => record.generation != generation,
            // It was there.
            None => self.has_seen(realm),
        };
        if record.is_some() {
            self.saw(realm);
        }
        Ok(View { record, rows, now, generation, has_forgotten })
    }

    fn commit(&self, realm: &RealmName, change: &Change) -> Result<bool, StoreError> {
        let version = |version: Option<Version>| {
            version.map_or_else(String::new, |Version(version)| version.to_string())
        };
        let fields = change.record.as_ref().map_or_else(Vec::new, text::fields);
        let mut args = vec![change.generation.clone(), version(change.record_version)];
        args.push(fields.len().to_string());
        args.extend(fields);
        if let Some((row_version, row)) = &change.row {
            args.extend([text::name(row.node), version(*row_version), text::row(row)]);
        }
        let script = &self.scripts.commit;
        self.server.ask("write", |server| run(script, realm, &args, server))
    }
}

impl fmt::Debug for RedisTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisTable").field(&self.0.server).finish()
    }
}
