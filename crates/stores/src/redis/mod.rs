//! The store in Redis, by two scripts that run in the server.

mod connection;
pub(crate) mod reply;
mod server;
mod url;

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{AnyNode, UnixTime};
use tickid_lease::StoreError;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, RealmView, Record, Row, RowChange, RowState, Scope, Version,
    on_a_thread,
};

use self::reply::Reply;
use self::server::{BACKEND, Script, Server};
use crate::error;

/// The number of rows read in one request.
const PAGE: usize = 2_048;

/// The version of a row that has none. It is above the version of any lease.
const UNREADABLE: Version = Version(1 << 52);

/// The backend in Redis (6.2 and later) or Valkey.
///
/// One script reads, and a second one compares and writes. A renewal is a single round trip. It is
/// decided here, by the record and the row as this client has seen them last, and committed if the
/// server still has exactly these. No script looks at more than a bounded number of rows.
///
/// **Losses.** A restarted server does not show whether it kept all writes, so a restart counts as
/// a loss. A server that is restarted or replaced has a new run ID or replication ID, which both
/// scripts compare. All leases of the realm are then invalidated, and its nodes start beyond
/// anything that a lease can have reached. This means:
///
/// - Every restart of Redis and every failover costs all holders their leases, and they acquire new
///   ones. The same happens when the first replica arrives, and an hour after the last one has
///   left, because both change the replication ID.
/// - Rows that were lost then do no harm, provided that the new server's clock is not further
///   behind.
/// - Data that is lost under a running server, for example by `FLUSHALL` or a dump loaded into it,
///   is noticed by the next renewal or release of a lease that it affects. Until then another
///   holder can be granted a node whose row went back.
/// - A realm that is lost as a whole starts again beyond all leases of the lost one.
///
/// A server that may lose acknowledged writes is refused. It must have `appendonly yes`,
/// `appendfsync always`, and an eviction policy that removes only keys with an expiry. These
/// settings can be changed at any time, so each request asks for them anew.
///
/// Only `CONFIG GET` shows `appendfsync`, and it also shows the server's passwords. A user without
/// the right to it states the setting in the URL, as `?appendfsync=always`.
/// `?persistence=acknowledged` accepts any server, for cases where its settings cannot be changed
/// and these losses are acceptable.
///
/// A replica is an error. A primary that was demoted while it lives cuts no connection, so after
/// any error the next request connects anew.
///
/// **Keys.** A realm has four, in one hash slot of a cluster. They are `tickid:{REALM}:record`, the
/// hash `:rows`, and the sorted sets `:nodes` and `:ceilings` that index it.
///
/// **Limits.** A request takes no longer than the timeout, and its answer no more than 4 MiB. An
/// idle connection stays open for the next request, so a thousand clients need a thousand of the
/// server's `maxclients` (10,000 by default). The system resolves the server's name, with its own
/// timeout.
///
/// # Examples
/// ```no_run
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
///
/// let store = tickid_stores::open("redis://10.0.0.1")?;
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), Duration::from_secs(5))?;
/// println!("node {}", lease.node);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RedisBackend(Arc<Server>);

impl RedisBackend {
    /// The time that a request may take over an open connection. A request that connects first has
    /// 10 seconds.
    pub const TIMEOUT: Duration = server::TIMEOUT;

    /// Opens the backend at a URL, as in `redis://:secret@10.0.0.1:6379/0`. The server is not
    /// contacted yet.
    ///
    /// `redis://USER:PASSWORD@HOST` authenticates a user of Redis' ACL. Symbols in either are
    /// escaped, for example `@` as `%40`. `rediss://` encrypts, and verifies the server's
    /// certificate and name by the system's authorities, or those in `?sslrootcert=FILE`.
    /// `sslcert=FILE` and `sslkey=FILE` are the client's own certificate.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](tickid_lease::backend::StoreErrorKind::Url) for a URL
    /// of a different form, or if one of its files cannot be read.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::Backend;
    /// use tickid_stores::RedisBackend;
    ///
    /// let backend = RedisBackend::open("redis://:secret@10.0.0.1:6379/0")?;
    /// assert_eq!(backend.name(), "redis");
    /// assert!(!backend.endpoint().contains("secret"));
    /// assert!(RedisBackend::open("http://10.0.0.1").is_err());
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, None)
    }

    /// Opens the backend with a different [timeout](Self::TIMEOUT), which then holds for requests
    /// that connect as well.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_timeout(url: &str, timeout: Duration) -> Result<Self, StoreError> {
        Self::open_for(url, Some(timeout))
    }

    fn open_for(url: &str, timeout: Option<Duration>) -> Result<Self, StoreError> {
        let place = url::parse(url).map_err(|why| error::url(BACKEND, why))?;
        Ok(Self(Arc::new(Server::new(place, timeout))))
    }
}

impl fmt::Debug for RedisBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisBackend").field(&self.0).finish()
    }
}

impl Backend for RedisBackend {
    fn name(&self) -> &'static str {
        BACKEND
    }

    fn endpoint(&self) -> String {
        self.0.address()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        let (server, realm) = (Arc::clone(&self.0), realm.clone());
        on_a_thread(BACKEND, move || server.read(&realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        let (server, realm, change) = (Arc::clone(&self.0), realm.clone(), change.clone());
        on_a_thread(BACKEND, move || server.commit(&realm, &change))
    }

    fn try_write(&self) -> Answer<'_, bool> {
        let server = Arc::clone(&self.0);
        on_a_thread(BACKEND, move || server.try_write())
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        let server = Arc::clone(&self.0);
        on_a_thread(BACKEND, move || server.realms())
    }
}

/// The answer of `read.lua`.
struct Page {
    generation: String,
    now: UnixTime,
    /// The record's text.
    record: Option<String>,
    /// The number of nodes that are of the page, and the first of [`rows`](Self::rows).
    len: usize,
    /// The number of nodes in the realm.
    count: usize,
    rows: Vec<(String, Reply)>,
}

impl Page {
    /// Returns a view with the record, and without rows.
    fn view(&self, realm: &RealmName) -> Result<RealmView, StoreError> {
        let mut view = RealmView::empty(self.now, self.generation.clone());
        if let Some(text) = &self.record {
            let corrupt = || corrupt(format!("the record of {realm}"));
            let (version, json) = split(text.as_bytes()).ok_or_else(corrupt)?;
            let record = Record::from_json(realm.clone(), json);
            view.record = Some((record.map_err(|error| corrupt().with_source(error))?, version));
        }
        Ok(view)
    }
}

impl Server {
    fn read(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        // One script answers all scopes, because it reads the keys and the clock at one moment.
        let page = match scope {
            Scope::Record => self.page(realm, "none", "", 0),
            Scope::Node(node) => self.page(realm, "node", &node.sort_key(), 1),
            Scope::All => self.page(realm, "page", "-", PAGE),
            Scope::Candidates { start, limit } => {
                self.page(realm, "candidates", &format!("[{}", start.sort_key()), limit)
            }
        }?;
        let mut view = page.view(realm)?;
        let mut rows = page.rows;
        view.has_lowest = matches!(scope, Scope::Candidates { .. });
        // The lowest rows follow the page's own, so its end is counted from `len`.
        if view.has_lowest && page.len < page.count {
            let page = rows[..page.len].iter().rev();
            view.page_end = page.filter_map(|(node, _)| AnyNode::from_sort_key(node)).next();
        }
        // The first page has the record too; of the others only the rows are new.
        let mut is_cut = scope == Scope::All && page.len < page.count;
        while is_cut && let Some((last, _)) = rows.last() {
            let next = self.page(realm, "page", &format!("({last}"), PAGE)?;
            is_cut = next.len == PAGE;
            rows.extend(next.rows);
        }
        view.rows.extend(states(&rows));
        Ok(view)
    }

    fn page(
        &self,
        realm: &RealmName,
        kind: &str,
        start: &str,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let reply = self.run(Script::Read, &keys(realm), &[kind, start, &limit.to_string()])?;
        page(&reply).ok_or_else(|| corrupt("the answer of a script"))
    }

    fn commit(&self, realm: &RealmName, change: &Change) -> Result<Commit, StoreError> {
        let Change { generation, within, record_version, record, row } = change;
        let time = |time: Option<UnixTime>| {
            time.map_or_else(String::new, |time| time.as_micros().to_string())
        };
        let mut args = vec![
            generation.clone(),
            time(within.map(|(earliest, _)| earliest)),
            time(within.map(|(_, latest)| latest)),
            beginning(*record_version),
            record.as_ref().map_or_else(String::new, Record::to_json),
        ];
        if let Some(RowChange { node, version, exactly, row }) = row {
            let text = |version: Version, row: &Row| format!("{} {}", version.0, row.to_json());
            let old = exactly.as_ref().zip(*version);
            let old = old.map_or_else(|| beginning(*version), |(row, version)| text(version, row));
            args.extend([node.sort_key(), old]);
            if let Some(new) = row {
                args.extend([text(Version::after(*version), new), new.ceiling.to_string()]);
            }
        }
        let args: Vec<&str> = args.iter().map(|arg| &**arg).collect();
        let reply = self.run(Script::Commit, &keys(realm), &args)?;
        match reply.text() {
            Some("1") => Ok(Commit::Written { record: None }),
            Some(version) => {
                let version = version.parse().map(Version);
                let version = version.map_err(|_| corrupt("the answer of a script"))?;
                Ok(Commit::Written { record: Some(version) })
            }
            None => {
                let page = page(&reply).ok_or_else(|| corrupt("the answer of a script"))?;
                let mut view = page.view(realm)?;
                view.rows.extend(states(&page.rows));
                Ok(Commit::Differs { view: Some(Box::new(view)) })
            }
        }
    }

    /// Scans all keys of the database, in steps.
    fn realms(&self) -> Result<Vec<RealmName>, StoreError> {
        let (mut realms, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            // `KEYS` would stop the server until it has looked at every key.
            let scan = ["SCAN", &cursor, "MATCH", "tickid:{*}:record", "COUNT", "1000"];
            let reply = self.command(&scan)?;
            let corrupt = || corrupt("the answer to SCAN");
            let [next, keys] = reply.list().ok_or_else(corrupt)? else { return Err(corrupt()) };
            let name = |key: &Reply| {
                let key = key.text()?.strip_prefix("tickid:{")?;
                key.strip_suffix("}:record")?.parse().ok()
            };
            realms.extend(keys.list().ok_or_else(corrupt)?.iter().filter_map(name));
            next.text().ok_or_else(corrupt)?.clone_into(&mut cursor);
            if cursor == "0" {
                // A key may be returned more than once while the server's table grows.
                realms.sort();
                realms.dedup();
                return Ok(realms);
            }
        }
    }
}

/// Returns the keys of a realm. The braces put them into one slot of a cluster.
fn keys(realm: &RealmName) -> [String; 4] {
    ["record", "rows", "nodes", "ceilings"].map(|key| format!("tickid:{{{realm}}}:{key}"))
}

fn page(reply: &Reply) -> Option<Page> {
    let [generation, seconds, micros, record, len, count, nodes, rows] = reply.list()? else {
        return None;
    };
    let (nodes, rows) = (nodes.list()?, rows.list()?);
    let name = |node: &Reply| Some(node.text()?.to_owned());
    let names = nodes.iter().map(name).collect::<Option<Vec<_>>>()?;
    let len = len.number().filter(|&len| len <= rows.len() && len <= names.len())?;
    Some(Page {
        generation: generation.text()?.to_owned(),
        now: time(seconds, micros)?,
        record: match record {
            Reply::Nil => None,
            Reply::Text(_) | Reply::Error(_) | Reply::List(_) => Some(record.text()?.to_owned()),
        },
        len,
        count: count.number()?,
        rows: names.into_iter().zip(rows.iter().cloned()).collect(),
    })
}

fn time(seconds: &Reply, micros: &Reply) -> Option<UnixTime> {
    let seconds: i64 = seconds.number()?;
    Some(UnixTime::from_micros(seconds.checked_mul(1_000_000)?.checked_add(micros.number()?)?))
}

/// Splits a text into its version, of 19 digits at most, and the JSON.
fn split(text: &[u8]) -> Option<(Version, &[u8])> {
    let (digits, json) = text.split_at(text.iter().position(|byte| *byte == b' ')?);
    let is_version = (1..=19).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let version = str::from_utf8(digits).ok().filter(|_| is_version)?.parse().ok()?;
    Some((Version(version), &json[1..]))
}

/// Returns the prefix of texts of this version, which `commit.lua` recognizes.
fn beginning(version: Option<Version>) -> String {
    match version {
        None => String::new(),
        Some(UNREADABLE) => "?".to_owned(),
        Some(Version(version)) => format!("{version} "),
    }
}

/// Returns the states of rows, by their nodes.
fn states(rows: &[(String, Reply)]) -> impl Iterator<Item = (AnyNode, RowState)> {
    rows.iter().filter_map(|(node, text)| {
        let node = AnyNode::from_sort_key(node)?;
        Some((node, row_state(node, text)?))
    })
}

/// Returns the state of a row, or `None` if there is none.
pub(crate) fn row_state(node: AnyNode, text: &Reply) -> Option<RowState> {
    let Reply::Text(text) = text else { return None };
    let Some((version, json)) = split(text) else {
        return Some(RowState::Malformed { version: UNREADABLE });
    };
    Some(RowState::from_json(node, json, version))
}

fn corrupt(what: impl Into<String>) -> StoreError {
    error::corrupt(BACKEND, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let backend = RedisBackend::open("redis://user:secret@a").unwrap();
        assert!(!format!("{backend:?}").contains("secret"));
        let error = RedisBackend::open("redis://user:secret@a:x").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn texts_start_with_a_version() {
        assert_eq!(split(b"7 {}"), Some((Version(7), &b"{}"[..])));
        for text in ["", "7", " {}", "+7 {}", "7a {}", &"1".repeat(20)] {
            assert_eq!(split(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn row_of_other_node_is_malformed() {
        let node = "42/8".parse().unwrap();
        let text = |json: &str| Reply::Text(format!("5 {json}").into_bytes());
        let row = r#"{"record_version":1,"node":"42/8","token":null,"holder":"","era":0,"floor":1,"ceiling":2}"#;
        assert!(matches!(row_state(node, &text(row)), Some(RowState::Intact { .. })));
        let malformed = Some(RowState::Malformed { version: Version(5) });
        assert_eq!(row_state(node, &text(&row.replace("42/8", "43/8"))), malformed);
        assert_eq!(row_state(node, &text("x")), malformed);
        assert_eq!(row_state(node, &Reply::Nil), None);
        let unreadable = Some(RowState::Malformed { version: UNREADABLE });
        assert_eq!(row_state(node, &Reply::Text(vec![0xff])), unreadable);
    }
}
