mod scripts;
mod server;
mod table;
pub(crate) mod text;
#[cfg(feature = "redis-tls")]
mod tls;
mod url;

use core::time::Duration;

pub use self::table::RedisTable;

use self::server::Server;
use crate::error::StoreError;
use crate::node::Node;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, Row};
use crate::store::{Answer, Grant, Listing, Store};
use crate::table::TableStore;
use crate::url::UrlError;

const BACKEND: &str = "redis";
const FORM: &str = "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTION=VALUE&…]";

/// The store in Redis (6.2 and later, or Valkey), by scripts that run in one step where the data is.
///
/// To acquire, renew and release take one script each, and one round trip. The scripts decide by the
/// [rules](crate::Rules) as far as these say yes. Everything else (a realm that is new, a refusal, a
/// server that has been restarted, the rarer operations) is read, decided by the rules themselves, and
/// written by a script that compares what was read.
///
/// **What Redis may forget.** A server that is restarted or replaced shows by another run ID or
/// replication ID, which every script compares. Then all leases of the realm are lost, and its nodes
/// start anew beyond what any lease can have reached. So:
///
/// * Every restart of Redis, and every fail-over, costs all holders their lease. They acquire new ones.
///   So does what else gives it another replication ID: the first replica, and the hour after the last.
/// * What was lost of rows, be it hours, does no harm, given that the new server's clock is no further
///   behind than the old one's was, and that the realm's record itself is there.
/// * A realm that is lost as a whole (it began after the last write that was kept, or nothing is kept
///   at all) begins at nothing again, while holders may still run. Only a client that knows the realm
///   from before notices. That is why a server is refused that does not keep what it answers:
///   `appendonly yes` and `appendfsync always` are asked for, and a policy of eviction that takes no keys
///   without an expiry.
/// * Replicas are behind the server that they copy. Asynchronous replication is as safe as the above:
///   begin a realm once, see it on the replicas, and don't put a replica in charge that has not got it.
///
/// `?persistence=acknowledged` takes any server, for those who can't change its settings, or not ask
/// for them, and who have read this.
///
/// The keys of a realm are `tickid:{REALM}:record` and `tickid:{REALM}:rows`, both hashes. Lua counts
/// exactly up to 2^53, which no scheme's ticks reach; a realm whose numbers do is left to the rules.
///
/// # Examples
/// ```no_run
/// use tickid_lease::{Claim, Realm, RedisStore, Store as _, Token, block_on};
/// use tickid_scru64::Scru64;
///
/// let store = RedisStore::open("redis://10.0.0.1")?;
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let claim = Claim::new(Token::random()?, "web-1", None);
/// let grant = block_on(store.acquire(&realm, &claim), core::time::Duration::from_secs(5))??;
/// println!("node {}", grant.hold.node);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RedisStore(TableStore<RedisTable>);

impl RedisStore {
    /// How long the server gets to take a connection, and then to answer.
    pub const TIME_OUT: Duration = Duration::from_secs(2);

    /// The store in the server at this URL, as in `redis://:secret@10.0.0.1:6379/0`. Nothing is asked
    /// yet.
    ///
    /// `redis://USER:PASSWORD@HOST` logs in, as a user of Redis' ACL; symbols of a URL are escaped (`%40` is an
    /// `@`). With the feature `redis-tls`, `rediss://` encrypts, and verifies the server's certificate and
    /// name by the system's authorities, or those in `?sslrootcert=FILE`; `sslcert=FILE` and `sslkey=FILE`
    /// are the client's own certificate.
    ///
    /// # Errors
    /// [`UrlError`] when the URL has another form, or a file of it can't be read.
    pub fn open(url: &str) -> Result<Self, UrlError> {
        Self::open_with_time_out(url, Self::TIME_OUT)
    }

    /// The same with another [time-out](Self::TIME_OUT).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_time_out(url: &str, time_out: Duration) -> Result<Self, UrlError> {
        let place = url::parse(url)?;
        Ok(Self(TableStore::new(RedisTable::new(Server::new(place, time_out)))))
    }

    /// The table that holds what the scripts leave to the rules.
    #[must_use]
    pub const fn table(&self) -> &RedisTable {
        self.0.table()
    }
}

impl Store for RedisStore {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        self.0.begin(realm)
    }

    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
        Box::pin(async move {
            match self.table().acquire(realm, claim).await? {
                Some(grant) => Ok(grant),
                None => self.0.acquire(realm, claim).await,
            }
        })
    }

    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
        Box::pin(async move {
            match self.table().renew(realm, hold).await? {
                Some(grant) => Ok(grant),
                None => self.0.renew(realm, hold).await,
            }
        })
    }

    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            if self.table().release(realm, hold, used).await? {
                return Ok(());
            }
            self.0.release(realm, hold, used).await
        })
    }

    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
        self.0.list(realm)
    }

    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
        self.0.recover(realm)
    }

    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
        self.0.mend(realm, node)
    }

    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        self.0.reshape(realm)
    }
}

/// An answer that can't be read.
fn corrupt(what: String) -> StoreError {
    StoreError::new(BACKEND, crate::StoreErrorKind::Corrupt { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_shown() {
        let store = RedisStore::open("redis://user:secret@a").unwrap();
        assert!(!format!("{store:?}").contains("secret"));
        let error = RedisStore::open("redis://user:secret@a:x").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
