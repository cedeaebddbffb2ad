//! Durable node IDs: a node ID *and a window of time*, leased from a store, so that no two
//! generators ever issue the same ID.
//!
//! IDs made of time and node go wrong in two ways: two generators get the same node, or a clock
//! steps back across a restart. Here a generator gets a node together with a half-open range of
//! ticks, its [window](tickid_core::Window), and the store grants no tick of a node twice. A
//! generator that was paused for an hour, has a wrong clock, or cannot reach its store finds its
//! ticks outside the window and stops. Clocks and timeouts decide *when* a node is granted again,
//! never whether that is safe.
//!
//! # Parts
//! | part | purpose |
//! |---|---|
//! | [`Store`] | grants, renews and releases leases, by the [`Rules`], in any backend |
//! | [`Realm`] | a set of generators whose IDs must differ: name, scheme, [`NodePool`], [`Terms`] |
//! | [`LeasedGenerator`] | a generator whose lease is renewed in the background |
//! | [`Lease`] | a node ID and a window, granted to one holder |
//! | [`LeaseSession`] | the requests of a holder and their times, without I/O |
//! | [`Backend`] | a database or folder: reads, and compares and sets |
//! | [`FileBackend`] | a folder of this machine |
//! | [`MemoryBackend`] | memory, for tests |
//! | `PostgresBackend`, `MySqlBackend` | PostgreSQL, MySQL, MariaDB (`postgres`, `mysql`) |
//! | [`NodeSource`] | a node that is given from outside, with a window of its own |
//! | `conformance` | scenarios that every backend must pass (feature `conformance`) |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

mod backend;
mod backends;
#[cfg(any(feature = "etcd", feature = "redis"))]
mod blocking;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
#[cfg(feature = "_fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod holder;
mod known;
mod losses;
mod model;
mod realm;
mod store;
#[cfg(feature = "_server")]
mod tls;
#[cfg(any(feature = "etcd", feature = "mysql", feature = "redis"))]
mod url;
mod wait;

pub use self::backend::{Answer, Backend, Change, RowChange, Scope};
#[cfg(feature = "etcd")]
pub use self::backends::etcd::EtcdBackend;
pub use self::backends::file::FileBackend;
pub use self::backends::memory::{Backup, MemoryBackend};
#[cfg(feature = "mysql")]
pub use self::backends::mysql::MySqlBackend;
#[cfg(feature = "postgres")]
pub use self::backends::postgres::PostgresBackend;
#[cfg(feature = "redis")]
pub use self::backends::redis::RedisBackend;
pub use self::backends::static_node::NodeSource;
pub use self::error::{Exposed, Exposure, StoreError, StoreErrorKind};
pub use self::holder::builder::LeasedGeneratorBuilder;
pub use self::holder::error::{GenerateError, LeaseError};
pub use self::holder::leased_generator::LeasedGenerator;
pub use self::holder::name::holder_name;
pub use self::holder::session::{LeaseSession, Outcome, Request};
pub use self::holder::state::{Counters, Failures, LeaseState, Stalls};
pub use self::holder::tenure::Tenure;
pub use self::holder::view::LeasedView;
pub use self::model::lease::{Claim, Lease};
pub use self::model::node::Node;
pub use self::model::pool::{NodePool, NodeRange, PoolError};
pub use self::model::realm::{Mismatch, RealmError, RealmName, RealmSpec, Terms};
pub use self::model::record::Extra;
pub use self::model::record::{Part, Record, Row, RowState, Rows, Version};
pub use self::model::refusal::{Loss, Refusal};
pub use self::model::rules::{Rules, Standing};
pub use self::model::text::ParseError;
pub use self::model::token::Token;
pub use self::model::view::View;
pub use self::realm::Realm;
pub use self::store::{Begin, Store};
pub use self::wait::block_on;

/// The examples of the guide, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/leases.md")]
struct Guide;

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
