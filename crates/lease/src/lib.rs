//! Durable node IDs: a node ID *and a window of time*, leased from a store, so that no two
//! generators ever issue the same ID.
//!
//! ```
//! use tickid_lease::{LeasedGenerator, Realm, Store};
//! use tickid_sno::Sno;
//!
//! let store = Store::in_memory(); // or `Store::open("file:///var/lib/orders")?`
//! let realm = Realm::builder("orders", Sno).pool("0-1023/16").build()?;
//! let orders = LeasedGenerator::start(store, realm)?;
//! println!("{}", orders.generate()?);
//! orders.shut_down()?; // the node is free again
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! IDs made of time and node repeat if two generators get the same node, or if a clock steps back
//! across a restart. Here a generator gets a node together with a half-open range of ticks, its
//! [window](tickid_core::Window), and the store never grants a tick of a node twice. A generator
//! that was paused for an hour, has a wrong clock, or cannot reach its store finds its ticks
//! outside the window and stops. Clocks and timeouts decide *when* a node is granted again, never
//! whether that is safe.
//!
//! # Parts
//! | part | purpose |
//! |---|---|
//! | [`Store`] | grants, renews and releases leases, in any backend |
//! | [`Realm`] | a set of generators whose IDs must differ: name, scheme, [`NodePool`], [terms](admin::Terms) |
//! | [`LeasedGenerator`] | a generator whose lease is renewed in the background |
//! | [`Lease`] | a node ID and a window, granted to one holder |
//! | [`session`] | holding leases without a [`LeasedGenerator`] |
//! | [`admin`] | administering realms, and the rules |
//! | [`backend`] | folders and memory as stores, and writing another |
//! | [`tickid-stores`][stores] | stores on servers: PostgreSQL, MySQL, Redis, etcd |
//! | `conformance` | scenarios that every backend must pass (feature `conformance`) |
//!
//! [stores]: https://docs.rs/tickid-stores

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

pub mod admin;
pub mod backend;
mod block_on;
mod blocking;
#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
#[cfg(feature = "conformance")]
#[doc(hidden)]
pub mod fuzzing;
mod holder;
mod model;
mod realm;
pub mod session;
mod store;
mod store_error;

pub use self::holder::builder::LeasedGeneratorBuilder;
pub use self::holder::error::{GenerateError, LeaseError, LeasedObserveError};
pub use self::holder::leased_generator::LeasedGenerator;
pub use self::holder::state::LeaseState;
pub use self::model::lease::Lease;
pub use self::model::pool::NodePool;
pub use self::model::realm_spec::{RealmError, RealmSpec};
pub use self::realm::{Realm, RealmBuilder};
pub use self::store::Store;
pub use self::store_error::StoreError;

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
