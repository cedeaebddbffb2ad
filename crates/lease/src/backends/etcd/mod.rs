mod gateway;
mod liveness;
mod lives;
mod message;
#[cfg(feature = "etcd-tls")]
mod tls;
mod url;

use core::time::Duration;
use std::collections::HashSet;
use std::sync::Arc;

use self::gateway::{Gateway, lacks_lease};
use self::liveness::Liveness;
use self::lives::{Life, Lives, judge};
use self::message::{Bytes, Compare, KeyValue, LeaseId, Operation, OperationAnswer, Txn};
use crate::blocking::on_a_thread;
use crate::error::{StoreError, StoreErrorKind};
use crate::node::Node;
use crate::realm::RealmName;
use crate::record::{Entry, Record, Row, Rows, Version};
use crate::store::Answer;
use crate::table::{Change, Scope, Table, TableStore, View};
use crate::url::UrlError;

const BACKEND: &str = "etcd";
const FORM: &str = "etcd://[USER:PASSWORD@]HOST[:PORT],…[?OPTION=VALUE&…]";

/// The store in etcd (3.4 and later), over the JSON gateway that every member has on its port for
/// clients.
///
/// Every operation is two transactions, a linearizable read and a write that compares the
/// modification revisions of what was read, so that it holds whatever else happens in between. etcd answers
/// when a majority of its members has the write on disk.
///
/// | when | then |
/// |---|---|
/// | a member is down or cut off | the next one is asked |
/// | there is no majority | [unreachable](StoreError::is_unreachable): leases go on to the end of their windows |
/// | another cluster answers (its ID is another one) | noticed: all leases are lost, and nodes start anew beyond them |
/// | the cluster was put back to an earlier state | noticed by every client that has seen a higher revision |
///
/// **Its clock** is that of the member that answers, as the gateway says it: to the second. Within
/// that second, the clock of the machine that asks counts.
///
/// A realm's record is the key `tickid/REALM/record`, its rows are the keys `tickid/REALM/rows/NODE`,
/// all of them JSON. A user needs the right to read and write the keys that begin with `tickid/`.
///
/// **No etcd lease excludes anybody**: a window does that by itself. With `?lease_ttl=SECONDS` (2 to 3600) a client
/// has one all the same, and writes the key `tickid/REALM/alive/NODE` with it beside the row of each node that it
/// holds. When that is gone, its holder is taken for dead, as by the lock of a [`FileStore`](crate::FileStore):
/// the node shows as [free](crate::Standing::Free), and is given to whoever finds no other, from the end of its last window
/// on. Whether it is dead or only cut off, it keeps its own window, and hears that the lease is
/// [lost](StoreError::is_lost) when it asks for more.
///
/// # Examples
/// ```no_run
/// use tickid_lease::{EtcdStore, Realm, Store as _, block_on};
/// use tickid_scru64::Scru64;
///
/// let store = EtcdStore::open("etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379")?;
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let claim = tickid_lease::Claim::new(tickid_lease::Token::random()?, "web-1", None);
/// let grant = block_on(store.acquire(&realm, &claim), core::time::Duration::from_secs(5))??;
/// println!("node {}", grant.hold.node);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type EtcdStore = TableStore<EtcdTable>;

impl EtcdStore {
    /// The store in the cluster with these members, as in `etcd://10.0.0.1:2379,10.0.0.2:2379`. The
    /// port is 2379 where none is given. Nothing is asked yet.
    ///
    /// `etcd://USER:PASSWORD@HOST` logs in, as a user of etcd's own authentication; symbols of a URL are escaped
    /// (`%40` is an `@`). With the feature `etcd-tls`, `?sslmode=require` (or `verify-full`, which is the
    /// same) encrypts, and verifies every member's certificate and name by the system's authorities, or
    /// those in `sslrootcert=FILE`; `sslcert=FILE` and `sslkey=FILE` are the client's own certificate. Who
    /// names a file need not name the mode. Nothing falls back to plain text, which is what there is without
    /// any of these, or with `sslmode=disable`.
    ///
    /// `?lease_ttl=SECONDS`, 2 to 3600, has the nodes of this client shown as free so long after its process has
    /// died, or its last clone was dropped. A thread keeps the etcd lease alive, with a request every third of that.
    ///
    /// # Errors
    /// [`UrlError`] when the URL has another form, or a file of it can't be read.
    pub fn open(url: &str) -> Result<Self, UrlError> {
        EtcdTable::open(url, EtcdTable::TIME_OUT).map(Self::new)
    }

    /// The same without an etcd lease of its own, whatever the URL says: for leases that outlive the process which asks
    /// for them. (As [`FileStore::without_proof_of_death`](crate::FileStore::without_proof_of_death).) That of clones
    /// that were made before goes on.
    #[must_use]
    pub fn without_proof_of_death(self) -> Self {
        Self::new(EtcdTable { liveness: None, ..self.into_table() })
    }
}

/// The table of an [`EtcdStore`].
#[derive(Clone, Debug)]
pub struct EtcdTable {
    cluster: Arc<Cluster>,
    /// Where others are to see when this client is gone.
    liveness: Option<Arc<Liveness>>,
}

/// Where clients ask, and what they have heard.
#[derive(Debug)]
struct Cluster {
    gateway: Arc<Gateway>,
    lives: Lives,
}

impl EtcdTable {
    /// How long the members get to answer, all together, unless said otherwise.
    pub const TIME_OUT: Duration = Duration::from_secs(3);

    /// The table in the cluster with these members, which together get so long to answer.
    ///
    /// # Errors
    /// As [`EtcdStore::open`].
    pub fn open(url: &str, time_out: Duration) -> Result<Self, UrlError> {
        let place = url::parse(url)?;
        let liveness = place.lease_ttl.map(|ttl| Arc::new(Liveness::new(ttl)));
        let gateway = Arc::new(Gateway::new(place, time_out));
        Ok(Self { cluster: Arc::new(Cluster { gateway, lives: Lives::default() }), liveness })
    }
}

impl Table for EtcdTable {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        let (cluster, realm) = (Arc::clone(&self.cluster), realm.clone());
        on_a_thread(BACKEND, move || cluster.read(&realm, scope))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        let (cluster, realm, change) = (Arc::clone(&self.cluster), realm.clone(), change.clone());
        let liveness = self.liveness.clone();
        on_a_thread(BACKEND, move || match liveness {
            Some(liveness) => cluster.commit_with(&liveness, &realm, &change),
            None => cluster.commit(&realm, &change, None),
        })
    }
}

impl Cluster {
    fn read(&self, realm: &RealmName, scope: Scope) -> Result<View, StoreError> {
        let keys = Keys(realm);
        let rows = match scope {
            Scope::All => Operation::get_all(&keys.rows(), &keys.rows_end()),
            Scope::Node(node) => Operation::get(&keys.row(node)),
        };
        let alive = Operation::get_all(&keys.alive(), &keys.alive_end());
        let success = vec![Operation::get(&keys.record()), rows, alive];
        let before = self.lives.before(realm);
        let (answer, now) = self.gateway.txn(&Txn { compare: Vec::new(), success })?;
        let mut parts = answer.responses.into_iter();
        let record = keys_of(parts.next()).next().map(|kv| record(realm, &kv)).transpose()?;
        let rows: Vec<KeyValue> = keys_of(parts.next()).collect();
        let alive = keys_of(parts.next()).map(|kv| kv.key).collect();
        let rows = rows.iter().map(|kv| row(kv, &keys, &alive)).collect::<Result<Rows, _>>()?;
        let kept = record.as_ref().map(|(record, _)| record);
        let (generation, has_forgotten) = judge(before, answer.header, kept);
        if kept.is_some() && !has_forgotten {
            self.lives.saw(realm, before, Life::new(generation, answer.header));
        }
        Ok(View { record, rows, now, generation: generation.to_string(), has_forgotten })
    }

    /// [`commit`](Self::commit) with an etcd lease for a node that is given to this client or renewed.
    fn commit_with(
        &self,
        liveness: &Liveness,
        realm: &RealmName,
        change: &Change,
    ) -> Result<bool, StoreError> {
        let is_held = change.row.as_ref().is_some_and(|(_, row)| row.token.is_some());
        let lease = if is_held { liveness.lease(&self.gateway)? } else { None };
        match (self.commit(realm, change, lease), lease) {
            // It ended since it was kept alive last, and nothing was done.
            (Err(error), Some(over)) if lacks_lease(&error) => {
                liveness.is_over(&self.gateway, over);
                self.commit(realm, change, liveness.lease(&self.gateway)?)
            }
            (result, _) => result,
        }
    }

    fn commit(
        &self,
        realm: &RealmName,
        change: &Change,
        lease: Option<LeaseId>,
    ) -> Result<bool, StoreError> {
        let keys = Keys(realm);
        let revision = |version: Option<Version>| version.map(|Version(revision)| revision);
        let mut txn = Txn::default();
        txn.compare.push(Compare::written_by(&keys.record(), revision(change.record_version)));
        if let Some(record) = &change.record {
            txn.success.push(Operation::put(&keys.record(), &record.to_json()));
        }
        if let Some((version, row)) = &change.row {
            let key = keys.row(row.node);
            txn.compare.push(Compare::written_by(&key, revision(*version)));
            txn.success.push(Operation::put(&key, &row.to_text(lease.is_some())));
            if let (Some(lease), Some(token)) = (lease, row.token) {
                let (key, token) = (keys.alive_at(row.node), token.to_string());
                txn.success.push(Operation::put_with(lease, &key, &token));
            }
        }
        let before = self.lives.before(realm);
        let (answer, _) = self.gateway.txn(&txn)?;
        // What another cluster or an earlier state of this one has written is no lease: it is read
        // again, and noticed then.
        let goes_on = lives::goes_on(before, &change.generation, answer.header);
        Ok(answer.succeeded && goes_on)
    }
}

/// The keys of a realm.
struct Keys<'a>(&'a RealmName);

impl Keys<'_> {
    fn record(&self) -> String {
        format!("tickid/{}/record", self.0)
    }

    /// What all keys of rows begin with.
    fn rows(&self) -> String {
        format!("tickid/{}/rows/", self.0)
    }

    /// The first key after them: `0` is next to `/`.
    fn rows_end(&self) -> String {
        format!("tickid/{}/rows0", self.0)
    }

    fn row(&self, node: Node) -> String {
        format!("{}{node}", self.rows())
    }

    /// What all keys begin with that end with their holders.
    fn alive(&self) -> String {
        format!("tickid/{}/alive/", self.0)
    }

    fn alive_end(&self) -> String {
        format!("tickid/{}/alive0", self.0)
    }

    fn alive_at(&self, node: Node) -> String {
        format!("{}{node}", self.alive())
    }
}

fn keys_of(answer: Option<OperationAnswer>) -> impl Iterator<Item = KeyValue> {
    answer.into_iter().flat_map(|answer| answer.response_range.kvs)
}

fn record(realm: &RealmName, kv: &KeyValue) -> Result<(Record, Version), StoreError> {
    let record = Record::from_json(realm.clone(), &kv.value.0);
    Ok((record.map_err(|error| corrupt(kv, error))?, Version(kv.mod_revision)))
}

/// The row, and whether its holder is gone by what is `alive`.
fn row(
    kv: &KeyValue,
    keys: &Keys<'_>,
    alive: &HashSet<Bytes>,
) -> Result<(Node, Entry), StoreError> {
    let (row, has_lease) = Row::from_text(&kv.value.0).map_err(|error| corrupt(kv, error))?;
    // Whose it is need not be compared: it is written with the row.
    let is_there = alive.contains(&Bytes::from(&*keys.alive_at(row.node)));
    let is_dead = has_lease && row.token.is_some() && !is_there;
    Ok((row.node, Entry { row, version: Version(kv.mod_revision), is_dead }))
}

fn corrupt(kv: &KeyValue, source: crate::Unreadable) -> StoreError {
    let what = format!("the key {}", String::from_utf8_lossy(&kv.key.0));
    StoreError::new(BACKEND, StoreErrorKind::Corrupt { what }).with_source(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_leaves_out_the_password() {
        let store = EtcdStore::open("etcd://user:secret@a").unwrap();
        assert!(!format!("{store:?}").contains("secret"), "{store:?}");
    }
}
