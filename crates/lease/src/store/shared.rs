//! The store as a value, which clones share.

use core::fmt;
use std::sync::Arc;

use super::cache::Cache;
use crate::backend::Backend;
use crate::embedded::static_node::StaticNode;

/// Durable storage of leases, which never grants two overlapping windows of a node.
///
/// You will usually just open one and pass it to a [`LeasedGenerator`](crate::LeasedGenerator). The
/// methods are for programs that hold leases themselves or administer realms. Their futures need no
/// particular runtime: any executor can poll them, and [`block_on`](crate::session::block_on) runs
/// one without an executor. Clones share the backend.
///
/// All rules are here, and none are in a backend, which only reads and writes. So a PostgreSQL and a
/// folder cannot disagree about when a node is free. Each request is a small transaction: read,
/// decide, and commit if nothing has changed that the decision rests on. If something has, start
/// over.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
/// let renewed = block_on(store.renew(realm.spec(), &lease), timeout)?;
/// assert_eq!((renewed.node, renewed.floor), (lease.node, lease.floor));
/// assert!(renewed.ceiling >= lease.ceiling);
///
/// block_on(store.release(realm.spec(), &renewed, None), timeout)?; // no ID was issued
/// assert!(block_on(store.renew(realm.spec(), &renewed), timeout).unwrap_err().is_lost());
/// assert_eq!(block_on(store.realms(), timeout)?, [realm.name().clone()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) shared: Arc<StoreState>,
}

pub(super) struct StoreState {
    pub(super) backend: Box<dyn Backend>,
    /// The node that is given from outside. If there is one, every realm consists of it alone.
    pub(super) node: Option<StaticNode>,
    /// For renewals, if the backend [is remote](Backend::is_remote).
    pub(super) known: Option<Cache>,
}

impl fmt::Debug for StoreState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, node, .. } = self;
        f.debug_struct("StoreState")
            .field("backend", backend)
            .field("node", node)
            .finish_non_exhaustive()
    }
}
