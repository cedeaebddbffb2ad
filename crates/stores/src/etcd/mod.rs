//! The store in etcd, through its gateway for JSON over HTTP.

mod gateway;
mod message;
mod tls;
mod url;

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{AnyNode, UnixTime};
use tickid_lease::StoreError;
use tickid_lease::admin::{NodeRange, RealmName};
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, RealmView, Record, RowChange, RowState, Scope, Version,
    on_a_thread,
};

use self::gateway::{BACKEND, Gateway, TIMEOUT};
use self::message::{Compare, KeyValue, Operation, RangeAnswer, Txn, TxnAnswer};
use crate::error;

/// The number of rows read in one request.
const PAGE: usize = 2_048;

/// The number of nodes on each side of a page's start that are looked at first.
const NEAR: u64 = 2_048;

/// The number of rows that such a page has from before its start. A large pool needs none of them.
const MAX_ROUND: usize = 64;

/// The backend in etcd (3.4 and later), over the JSON gateway that every member has on its port for
/// clients.
///
/// A read is a linearizable transaction, and a write is one that compares what was read. etcd
/// answers when a majority of its members has the write on disk. A renewal takes only one
/// transaction. It is decided here, by the record and the row as this client has seen them last,
/// and committed if etcd still has exactly these values.
///
/// | event | consequence |
/// |---|---|
/// | a member is down, cut off, or not etcd's gateway | the next one is tried |
/// | a majority is missing | [unreachable](StoreError::is_unreachable), so leases continue to the end of their windows |
/// | a different cluster answers (its ID differs) | all leases of the realm are invalidated, and nodes start beyond them |
/// | the cluster was set back to an earlier state | noticed by the next renewal or release of a lease that it affects. Until then another holder can be granted a node whose row went back |
///
/// **Clock.** The time comes from the clock of the member that answers, so keep the members' clocks
/// synchronized. The gateway reports whole seconds, and within a second this machine's clock is
/// used. A renewal is decided before there is an answer, by the time of the last one plus the time
/// since by this machine's monotonic clock. So its time is at most a second ahead of the cluster's,
/// unless the cluster's clock was set back since that answer.
///
/// **Keys.** A realm's record is the key `tickid/REALM/record`, and its rows are the keys
/// `tickid/REALM/rows/NODE`. All of them are JSON. A user needs the right to read and write the
/// keys that start with `tickid/`.
///
/// **Limits.** The members together take no longer than the timeout, and an answer no more than 4
/// MiB.
///
/// # Examples
/// ```no_run
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
///
/// let store = tickid_stores::open("etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379")?;
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), Duration::from_secs(5))?;
/// println!("node {}", lease.node);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EtcdBackend(Arc<Cluster>);

#[derive(Debug)]
struct Cluster {
    gateway: Gateway,
    /// The ID of the cluster that answered last.
    id: AtomicU64,
}

impl EtcdBackend {
    /// The time that a request may take, for all members together. For claims, and before the first
    /// answer, it is 10 seconds, since many holders may connect at the same time.
    pub const TIMEOUT: Duration = TIMEOUT;

    /// Opens the backend in the cluster with these members, as in
    /// `etcd://10.0.0.1:2379,10.0.0.2:2379`. The default port is 2379. No member is contacted yet.
    ///
    /// `etcd://USER:PASSWORD@HOST` authenticates a user of etcd's own. Symbols in either are
    /// escaped, for example `@` as `%40`.
    ///
    /// `?sslmode=require` (or `verify-full`, which is the same) encrypts, and verifies every
    /// member's certificate and name by the system's authorities, or those in `sslrootcert=FILE`.
    /// `sslcert=FILE` and `sslkey=FILE` are the client's own certificate. A file implies the mode.
    /// Without any of these, or with `sslmode=disable`, connections are plain text.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](tickid_lease::backend::StoreErrorKind::Url) for a URL
    /// of a different form, or if one of its files cannot be read.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::Backend;
    /// use tickid_stores::EtcdBackend;
    ///
    /// let backend = EtcdBackend::open("etcd://app:secret@10.0.0.1:2379,10.0.0.2:2379")?;
    /// assert_eq!(backend.name(), "etcd");
    /// assert!(!backend.endpoint().contains("secret"));
    /// assert!(EtcdBackend::open("http://10.0.0.1").is_err());
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, None)
    }

    /// Opens the backend with a different [timeout](Self::TIMEOUT), which then holds for claims and
    /// the first answer as well.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_timeout(url: &str, timeout: Duration) -> Result<Self, StoreError> {
        Self::open_for(url, Some(timeout))
    }

    fn open_for(url: &str, timeout: Option<Duration>) -> Result<Self, StoreError> {
        let place = url::parse(url).map_err(|why| error::url(BACKEND, why))?;
        let gateway = Gateway::new(place, timeout);
        Ok(Self(Arc::new(Cluster { gateway, id: AtomicU64::new(0) })))
    }
}

impl Backend for EtcdBackend {
    fn name(&self) -> &'static str {
        BACKEND
    }

    fn endpoint(&self) -> String {
        self.0.gateway.endpoints()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        let (cluster, realm) = (Arc::clone(&self.0), realm.clone());
        on_a_thread(BACKEND, move || cluster.read(&realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        let (cluster, realm, change) = (Arc::clone(&self.0), realm.clone(), change.clone());
        on_a_thread(BACKEND, move || cluster.commit(&realm, &change))
    }

    fn try_write(&self) -> Answer<'_, bool> {
        let cluster = Arc::clone(&self.0);
        on_a_thread(BACKEND, move || cluster.try_write())
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        let cluster = Arc::clone(&self.0);
        on_a_thread(BACKEND, move || cluster.realms())
    }
}

impl Cluster {
    fn read(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        let keys = Keys(realm);
        let (all, end) = (keys.rows(), keys.rows_end());
        match scope {
            Scope::Record => Ok(self.fetch(realm, Vec::new(), false)?.0),
            Scope::Node(node) => {
                let (mut view, ranges) =
                    self.fetch(realm, vec![Operation::get(&keys.row(node))], false)?;
                keys.add_rows(&mut view, &ranges);
                Ok(view)
            }
            Scope::Candidates { start, limit } => self.candidates(realm, start, limit),
            Scope::All => {
                let page = |from: &str| {
                    self.fetch(realm, vec![Operation::get_range(from, &end, PAGE)], false)
                };
                let (mut view, mut ranges) = page(&all)?;
                keys.add_rows(&mut view, &ranges);
                while let Some(last) = ranges.first().filter(|range| range.more)
                    && let Some(KeyValue { key, .. }) = last.kvs.last()
                {
                    // The smallest key above the last one.
                    ranges = page(&format!("{}\0", String::from_utf8_lossy(&key.0)))?.1;
                    keys.add_rows(&mut view, &ranges);
                }
                Ok(view)
            }
        }
    }

    /// Reads a page, and some more rows where it goes round.
    ///
    /// etcd counts all keys of a range, however few it returns, and needs 16 ms for 65,536. So it
    /// first gets a range near the start, which is enough if it fills the page or has the whole
    /// pool.
    fn candidates(
        &self,
        realm: &RealmName,
        start: AnyNode,
        limit: usize,
    ) -> Result<RealmView, StoreError> {
        let keys = Keys(realm);
        let (from, all, end) = (keys.row(start), keys.rows(), keys.rows_end());
        let node = |value| AnyNode::new(value, start.bits()).ok();
        // Read only the nodes near the start first, which is less to send and usually enough.
        let low = start.value().checked_sub(NEAR).and_then(node);
        let high = start.value().checked_add(NEAR).and_then(node);
        let after = low.map_or_else(|| all.clone(), |low| keys.row(low));
        let before = high.map_or_else(|| end.clone(), |high| keys.row(high));
        let page = |after: &str, before: &str, round: usize| {
            let up = Operation::get_range(&from, before, limit);
            self.fetch(realm, vec![up, Operation::get_range(after, &from, round)], true)
        };
        // From the start to the end, and then from the beginning to the start.
        let (mut view, mut ranges) = page(&after, &before, limit.min(MAX_ROUND))?;
        // If the pool reaches further and the first read was short of rows, read all of it.
        let is_near = |range: &NodeRange| {
            let node = |value| AnyNode::new(value, range.bits()).ok();
            let (first, last) = (node(range.first()), node(range.last()));
            low.is_none_or(|low| first >= Some(low)) && high.is_none_or(|high| last < Some(high))
        };
        let pool = view.record.as_ref().map(|(record, _)| record.realm.pool());
        let mut is_all = pool.is_some_and(|pool| pool.ranges().iter().all(is_near));
        if !is_all && ranges.first().is_none_or(|range| range.kvs.len() < limit) {
            (view, ranges) = page(&all, &end, limit)?;
            is_all = true;
        }
        // The page ends at its last row if there are more nodes than were read.
        let rows: usize = ranges.iter().map(|range| range.kvs.len()).sum();
        if !is_all || rows > limit || ranges.iter().any(|range| range.more) {
            let page = ranges.iter().flat_map(|range| &range.kvs).take(limit);
            view.page_end = page.filter_map(|kv| keys.node(kv)).last();
        }
        keys.add_rows(&mut view, &ranges);
        Ok(view)
    }

    /// Reads the record, into a view without rows, and ranges of rows.
    fn fetch(
        &self,
        realm: &RealmName,
        ranges: Vec<Operation>,
        is_claim: bool,
    ) -> Result<(RealmView, Vec<RangeAnswer>), StoreError> {
        let mut success = vec![Operation::get(&Keys(realm).record())];
        success.extend(ranges);
        let (answer, now) = self.gateway.txn(&Txn { success, ..Txn::default() }, is_claim)?;
        self.id.store(answer.header.cluster_id, Ordering::Relaxed);
        Keys(realm).view(answer, now)
    }

    /// Writes a change, if it is in time. A transaction cannot compare the cluster's ID,
    /// so the last answer's ID is compared before it, and its own answer's ID and time after it.
    fn commit(&self, realm: &RealmName, change: &Change) -> Result<Commit, StoreError> {
        if self.id.load(Ordering::Relaxed).to_string() != change.generation {
            return Ok(Commit::Differs { view: None });
        }
        let keys = Keys(realm);
        let number = |version: Option<Version>| version.map_or(0, |Version(number)| number);
        let mut txn = Txn::default();
        txn.compare.push(Compare::revision(&keys.record(), number(change.record_version)));
        txn.failure.push(Operation::get(&keys.record()));
        if let Some(record) = &change.record {
            txn.success.push(Operation::put(&keys.record(), &record.to_json()));
        }
        if let Some(RowChange { node, version, exactly, row }) = &change.row {
            let key = keys.row(*node);
            txn.compare.push(Compare::version(&key, number(*version)));
            txn.failure.push(Operation::get(&key));
            txn.compare.extend(exactly.as_ref().map(|row| Compare::value(&key, &row.to_json())));
            txn.success.extend(row.as_ref().map(|row| Operation::put(&key, &row.to_json())));
        }
        // A renewal that is decided by an estimate is repeated soon.
        let (answer, now) = self.gateway.txn(&txn, change.within.is_none())?;
        // A write to another cluster is not a lease. The next read detects the change of cluster.
        self.id.store(answer.header.cluster_id, Ordering::Relaxed);
        let is_same = answer.header.cluster_id.to_string() == change.generation;
        let is_in_time = change.within.is_none_or(|(first, last)| first <= now && now <= last);
        if !answer.succeeded {
            let (mut view, ranges) = keys.view(answer, now)?;
            keys.add_rows(&mut view, &ranges);
            return Ok(Commit::Differs { view: Some(Box::new(view)) });
        }
        if !is_same || !is_in_time {
            return Ok(Commit::Differs { view: None });
        }
        let record = change.record.as_ref().map(|_| Version(answer.header.revision));
        Ok(Commit::Written { record })
    }

    /// Writes a key of no realm and deletes it, in two transactions, since one may not change a key
    /// twice.
    fn try_write(&self) -> Result<bool, StoreError> {
        const KEY: &str = "tickid/.doctor";
        for operation in [Operation::put(KEY, ""), Operation::delete(KEY)] {
            let txn = Txn { success: vec![operation], ..Txn::default() };
            match self.gateway.txn(&txn, false) {
                Ok(_) => {}
                // A user may have the keys of some realms only.
                Err(error) if gateway::is_denied(&error) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Steps from the first key of one realm to the first key of the next.
    fn realms(&self) -> Result<Vec<RealmName>, StoreError> {
        let (mut realms, mut from) = (Vec::new(), "tickid/".to_owned());
        loop {
            let success = vec![Operation::get_range(&from, "tickid0", 1)];
            let (answer, _) = self.gateway.txn(&Txn { success, ..Txn::default() }, false)?;
            let range = answer.responses.into_iter().next().map(|answer| answer.response_range);
            let kv = range.and_then(|range| range.kvs.into_iter().next());
            let Some(KeyValue { key, .. }) = kv else { return Ok(realms) };
            let key = String::from_utf8_lossy(&key.0);
            let name = key.split('/').nth(1).unwrap_or_default();
            from = format!("tickid/{name}0");
            if key.strip_prefix("tickid/").and_then(|key| key.strip_suffix("/record")) == Some(name)
            {
                realms.extend(name.parse::<RealmName>());
            }
        }
    }
}

/// The keys of a realm.
struct Keys<'a>(&'a RealmName);

impl Keys<'_> {
    fn record(&self) -> String {
        format!("tickid/{}/record", self.0)
    }

    /// Returns the prefix of all rows' keys.
    fn rows(&self) -> String {
        format!("tickid/{}/rows/", self.0)
    }

    /// Returns the first key after them: `0` is next to `/`.
    fn rows_end(&self) -> String {
        format!("tickid/{}/rows0", self.0)
    }

    fn row(&self, node: AnyNode) -> String {
        format!("{}{}", self.rows(), node.sort_key())
    }

    /// Returns the node of a row's key. Other keys are ignored.
    fn node(&self, kv: &KeyValue) -> Option<AnyNode> {
        AnyNode::from_sort_key(str::from_utf8(&kv.key.0).ok()?.strip_prefix(&self.rows())?)
    }

    /// Returns a view of the answer to a read of the record and of ranges of rows, and these.
    fn view(
        &self,
        answer: TxnAnswer,
        now: UnixTime,
    ) -> Result<(RealmView, Vec<RangeAnswer>), StoreError> {
        let mut ranges = answer.responses.into_iter().map(|answer| answer.response_range);
        let mut view = RealmView::empty(now, answer.header.cluster_id.to_string());
        if let Some(kv) = ranges.next().and_then(|range| range.kvs.into_iter().next()) {
            let record = Record::from_json(self.0.clone(), &kv.value.0).map_err(|error| {
                error::corrupt(BACKEND, format!("the key {}", self.record())).with_source(error)
            })?;
            view.record = Some((record, Version(kv.mod_revision)));
        }
        Ok((view, ranges.collect()))
    }

    fn add_rows(&self, view: &mut RealmView, ranges: &[RangeAnswer]) {
        let state = |kv: &KeyValue| {
            let node = self.node(kv)?;
            Some((node, RowState::from_json(node, &kv.value.0, Version(kv.version))))
        };
        view.rows.extend(ranges.iter().flat_map(|range| &range.kvs).filter_map(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let backend = EtcdBackend::open("etcd://user:secret@a").unwrap();
        assert!(!format!("{backend:?}").contains("secret"), "{backend:?}");
    }
}
