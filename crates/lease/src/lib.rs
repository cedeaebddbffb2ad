//! Durable node identity: a node *and a window of time*, leased from a store, so that no two
//! generators ever issue the same ID.
//!
//! Two things go wrong with identifiers made of time and node: two generators get the same node, and a
//! clock steps back across a restart. Here a generator gets a node together with a half-open range of
//! ticks, its [window](tickid_core::Window), and the store gives no tick of a node out twice. A holder that
//! was paused for an hour, whose clock is wrong, or whose store is gone finds its ticks outside of the
//! window and stops. Clocks and time-outs decide *when* a node is given on, never whether that is safe.
//!
//! # The parts
//! | | is |
//! |---|---|
//! | [`Realm`] | a set of generators whose IDs must not be equal: name, scheme, [`NodePool`], [`Terms`] |
//! | [`Store`] | where windows are kept; every method is one atomic step |
//! | [`Rules`] | the decisions of a store, as functions without I/O |
//! | [`Table`] | the simpler thing that some stores are: read, and compare-and-set |
//! | [`Keeper`] | a generator whose lease is renewed in the background |
//! | [`Lease`] | a node and a window, ready for a generator |
//! | [`Agenda`] | what a holder asks its store for, and when |
//! | [`connect`] | opens a store by its URL |
//! | [`FileStore`] | a store in a folder of this machine |
//! | `EtcdStore` | a store in etcd (feature `etcd`) |
//! | `RedisStore` | a store in Redis (feature `redis`) |
//! | [`StaticStore`] | a node given from outside |
//! | [`MemoryStore`] | a store in memory |
//! | `PostgresStore` | a store in PostgreSQL (feature `postgres`) |
//! | `conformance` | the scenarios every store is held to (feature `conformance`) |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

mod agenda;
#[cfg(any(feature = "etcd", feature = "redis"))]
mod blocking;
mod boot;
mod codec;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connect;
mod error;
#[cfg(feature = "etcd")]
mod etcd;
mod file;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod keeper;
mod lease;
mod memory;
mod node;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod realm;
mod record;
#[cfg(feature = "redis")]
mod redis;
pub mod rules;
mod static_store;
mod store;
mod table;
#[cfg(any(feature = "etcd", feature = "postgres", feature = "redis"))]
mod tls;
#[cfg(any(feature = "etcd", feature = "redis"))]
mod url;
mod wait;

pub use self::agenda::{Agenda, Duty, Outcome, Request};
pub use self::codec::Unreadable;
pub use self::connect::{ConnectError, connect, connect_without_proof_of_death};
pub use self::error::{Exposed, Exposure, StoreError, StoreErrorKind};
#[cfg(feature = "etcd")]
pub use self::etcd::{EtcdStore, EtcdTable};
pub use self::file::{FileStore, FileTable};
pub use self::keeper::{
    Counters, GenerateError, Keeper, KeeperBuilder, KeeperState, KeeperView, StartError, Tenure,
    Trouble,
};
pub use self::lease::{Lease, LeaseError};
pub use self::memory::{Contents, MemoryStore, MemoryTable};
pub use self::node::{Node, NodeTextError};
pub use self::pool::{NodePool, NodeRange, PoolError};
#[cfg(feature = "postgres")]
pub use self::postgres::PostgresStore;
pub use self::realm::{Mismatch, Realm, RealmError, RealmName, Terms};
pub use self::record::{
    Claim, Entry, Hold, NoRandomness, NoToken, Record, Row, Rows, Token, Version,
};
#[cfg(feature = "redis")]
pub use self::redis::{RedisStore, RedisTable};
pub use self::rules::{Loss, Refusal, Rules, Standing};
pub use self::static_store::{NodeSource, NodeSourceError, StaticStore};
pub use self::store::{Answer, Grant, Listing, Store};
pub use self::table::{Change, Scope, Table, TableStore, View};
#[cfg(any(feature = "etcd", feature = "redis"))]
pub use self::url::UrlError;
pub use self::wait::{TimedOut, block_on};

/// The examples of the page on leases, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/leases.md")]
struct Page;
