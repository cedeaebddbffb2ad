use core::fmt;
use core::pin::Pin;
use std::sync::Arc;

use tickid_core::UnixTime;

use crate::error::StoreError;
use crate::node::Node;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, Record, Row, Rows};
use crate::rules::{Refusal, Rules, Standing};

/// What a store will answer. Any executor may poll it; it asks for no runtime of its own.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where the windows of nodes are kept, so that no two are given out that overlap.
///
/// The methods are whole decisions rather than reads and writes, so that a store that can run them
/// where the data is (a statement of SQL, a script) does so in **one round trip**, its own clock
/// included. Stores that only compare and set implement [`Table`](crate::Table) and get this from
/// [`TableStore`](crate::TableStore), which applies the [`Rules`]. Either way the decisions are those of
/// [`Rules`], and the conformance suite (feature `conformance`) checks that they are.
///
/// **What an implementation promises**
///
/// 1. Every method is one atomic step on the realm, or none at all.
/// 2. What it answers has become durable before the answer.
/// 3. Its errors tell a refusal (it answered no) from silence
///    ([`StoreError::is_unreachable`]), and never keep a caller waiting for longer than a time-out of
///    its own. A future that is dropped counts as unanswered: what it asked may have been done.
/// 4. To ask the same again does no harm: a claim finds what it got, a renewal renews, a release that
///    was done already is [lost](StoreError::is_lost).
/// 5. Acquiring and renewing compare, in the same step, the store's generation with the recorded one,
///    and [forget](Rules::forget) when it changed.
/// 6. Its futures need no runtime: a store whose client wants one brings it along, on a thread of its
///    own. No type of a client library is in a public signature.
pub trait Store: fmt::Debug + Send + Sync {
    /// Which kind of store, as in `"file"`. Errors name it.
    fn backend(&self) -> &'static str;

    /// Begins the realm where the store knows none of that name; one that it knows has to be the same, and stays as it
    /// is. Of several who begin different ones at once, one does.
    ///
    /// # Errors
    /// [`Refusal::Mismatch`], which says in what the one that is there differs.
    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()>;

    /// A node and a window ([`Rules::acquire`]). A realm that the store does not know begins here.
    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant>;

    /// A higher ceiling ([`Rules::renew`]).
    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant>;

    /// Gives a node back whose generator is closed ([`release`](crate::rules::release)); `used` is the
    /// highest tick that was ever in it.
    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()>;

    /// Everything the store keeps of a realm.
    ///
    /// # Errors
    /// [`Refusal::NoRealm`].
    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing>;

    /// Ends all leases and starts all nodes anew beyond what any of them can have used
    /// ([`Rules::forget`]): for a store that was restored from a backup and doesn't know it. Where the
    /// realm is gone altogether it begins here. Returns the tick from which nodes are given out.
    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64>;

    /// Takes back a ceiling that is further ahead than a lease can be ([`Rules::mend`]). Its holder, if
    /// there still is one, must be stopped first.
    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row>;

    /// Replaces the realm's pool and terms ([`Rules::reshape`]). A realm that the store does not know begins here.
    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()>;
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<T: Store + ?Sized> Store for $pointer {
            fn backend(&self) -> &'static str {
                (**self).backend()
            }

            fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
                (**self).begin(realm)
            }

            fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
                (**self).acquire(realm, claim)
            }

            fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
                (**self).renew(realm, hold)
            }

            fn release<'a>(
                &'a self,
                realm: &'a RealmName,
                hold: &'a Hold,
                used: Option<u64>,
            ) -> Answer<'a, ()> {
                (**self).release(realm, hold, used)
            }

            fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
                (**self).list(realm)
            }

            fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
                (**self).recover(realm)
            }

            fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
                (**self).mend(realm, node)
            }

            fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
                (**self).reshape(realm)
            }
        }
    )*};
}
delegate!(Arc<T>, Box<T>);

/// A lease as the store grants it: the node and the ticks `[floor, ceiling)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grant {
    /// The lease's name.
    pub hold: Hold,
    /// One past the last tick of the window.
    pub ceiling: u64,
    /// The store's clock when it granted this.
    pub now: UnixTime,
}

impl Grant {
    /// What `row` grants its holder at the time `now`; `None` for a row that is nobody's.
    #[must_use]
    pub fn of(row: &Row, now: UnixTime) -> Option<Self> {
        let hold = Hold { node: row.node, token: row.token?, floor: row.floor };
        Some(Self { hold, ceiling: row.ceiling, now })
    }
}

/// Everything a store keeps of a realm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The realm.
    pub record: Record,
    /// The nodes that were ever given out.
    pub rows: Rows,
    /// The store's clock.
    pub now: UnixTime,
}

impl Listing {
    /// What was read at one moment.
    #[must_use]
    pub fn new(record: Record, rows: Rows, now: UnixTime) -> Self {
        Self { record, rows, now }
    }

    /// How each node stands that was ever given out, in order.
    ///
    /// # Errors
    /// [`Refusal::StoreClock`].
    pub fn standings(&self) -> Result<Vec<(&Row, Standing)>, Refusal> {
        let rules = Rules::new(&self.record, self.now)?;
        let standing = |entry| rules.standing(&self.rows, entry);
        Ok(self.rows.values().map(|entry| (&entry.row, standing(entry))).collect())
    }
}
