use core::fmt;
use core::pin::Pin;
use std::sync::Arc;

use crate::error::StoreError;
use crate::model::lease::Lease;
use crate::model::node::Node;
use crate::model::realm::RealmName;
use crate::model::record::{Record, Row, Version, View};
use crate::wait;

/// A future answer of a store. Any executor may poll it: it needs no runtime of its own.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A database or folder that keeps records and rows, and writes them by compare-and-set.
///
/// It decides nothing: [`Store`](crate::Store) applies the rules to any backend. An implementation
/// promises that:
///
/// 1. An answer is durable before it is given.
/// 2. Its errors distinguish a refusal from silence ([`StoreError::is_unreachable`]). No request
///    lasts longer than a timeout of the backend's own. A request without an answer, or whose
///    future is dropped, may have been carried out.
/// 3. Repeating a request is harmless.
/// 4. A malformed row is a [`RowState::Malformed`](crate::RowState), not an error.
/// 5. A row's version is 1 in its first write and rises by one in each further one, and is lost
///    with the row. A row that replaces a malformed one gets a version above the version of its
///    leases.
///
/// No type of a client library is in a public signature.
pub trait Backend: fmt::Debug + Send + Sync {
    /// Returns the backend's name, as in `"file"`.
    fn name(&self) -> &'static str;

    /// Returns the place of the data in human-readable form: a folder, or the addresses of servers.
    /// It contains no password.
    fn endpoint(&self) -> String {
        self.name().to_owned()
    }

    /// Reports whether a realm that the backend does not have begins at once, rather than beyond
    /// anything that a lost realm of that name can have granted.
    fn begins_at_once(&self) -> bool {
        false
    }

    /// Reads a realm. The record is read no later than the rows.
    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View>;

    /// Writes all of `change` in one atomic step if everything compares equal, and otherwise
    /// nothing. Returns `false` if anything differed.
    ///
    /// A backend that receives its generation only with the answer may have written the change even
    /// if the generation differs. That is harmless: the store invalidates the realm then.
    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool>;

    /// Renews a lease in one round trip, if the backend can: raises the row's ceiling as
    /// [`Rules::renew`](crate::Rules::renew) does and returns the lease.
    ///
    /// Returns `None`, and writes nothing, if anything is out of the ordinary: no record or no row,
    /// another generation, another token or floor, a version or ceiling or record's era below the
    /// lease's, a node that is not in the record's parts or entered them in a later era, or
    /// anything malformed. The store decides then.
    fn renew<'a>(&'a self, realm: &'a RealmName, lease: &'a Lease) -> Answer<'a, Option<Lease>> {
        let _ = (realm, lease);
        Box::pin(core::future::ready(Ok(None)))
    }

    /// Returns the names of all realms, in order.
    fn realms(&self) -> Answer<'_, Vec<RealmName>>;

    /// Waits before a request is repeated that lost `lost` races in a row: for a random time of up
    /// to 2 ms, doubled with each race up to 250 ms.
    fn back_off(&self, lost: u32) -> Answer<'_, ()> {
        Box::pin(async move {
            wait::back_off(lost).await;
            Ok(())
        })
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<T: Backend + ?Sized> Backend for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }

            fn endpoint(&self) -> String {
                (**self).endpoint()
            }

            fn begins_at_once(&self) -> bool {
                (**self).begins_at_once()
            }

            fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
                (**self).read(realm, scope)
            }

            fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
                (**self).commit(realm, change)
            }

            fn renew<'a>(
                &'a self,
                realm: &'a RealmName,
                lease: &'a Lease,
            ) -> Answer<'a, Option<Lease>> {
                (**self).renew(realm, lease)
            }

            fn realms(&self) -> Answer<'_, Vec<RealmName>> {
                (**self).realms()
            }

            fn back_off(&self, lost: u32) -> Answer<'_, ()> {
                (**self).back_off(lost)
            }
        }
    )*};
}
delegate!(Arc<T>, Box<T>);

/// The rows that a [`read`](Backend::read) requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a backend must know every scope")]
pub enum Scope {
    /// No rows, the record only.
    Record,
    /// The row of one node.
    Node(Node),
    /// A bounded number of rows, for a claim. Two kinds, each of about `limit` rows:
    ///
    /// - a *page*: consecutive rows in the order of nodes from `start` on, wrapping around from the
    ///   last to the first. [`View::page_end`] is its last row's node, or `None` if the view has
    ///   all rows of nodes in the pool. Nodes of the page without a row were never granted.
    /// - the rows with the lowest ceilings, if the backend has an index of these.
    Candidates {
        /// The first node of the page.
        start: Node,
        /// The number of rows. A page that wraps around may have twice as many.
        limit: usize,
    },
    /// All rows.
    All,
}

/// A compare-and-set of a realm's data. Everything named is compared in the same atomic step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends take it apart")]
pub struct Change {
    /// The generation of the view that this was decided on. If the backend's generation has changed
    /// since, nothing is written.
    pub generation: String,
    /// The record's version as it must be; `None` if there must be no record.
    pub record_version: Option<Version>,
    /// The record to write, if it changes.
    pub record: Option<Record>,
    /// The row to compare and to write.
    pub row: Option<RowChange>,
}

/// The part of a [`Change`] that concerns a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends take it apart")]
pub struct RowChange {
    /// The node.
    pub node: Node,
    /// The row's version as it must be; `None` if there must be no row.
    pub version: Option<Version>,
    /// The row to write, if it changes.
    pub row: Option<Row>,
}
