//! Node IDs that are leased from a store, each together with a *window of time*, so that no two
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
//! Why not just a lock with a timeout? An ID that is made of a time and a node repeats if two
//! generators have the same node, or if one gets the node of another while its clock is not [past
//! the other's last ID][after]. A lock prevents neither: a process that was paused for an hour
//! wakes up and goes on, as if it still held it. So here a generator gets its node together with a
//! half-open range of ticks, its [window](tickid_core::Window), and the store never grants a tick
//! of a node twice. If a generator was paused, has a wrong clock or cannot reach its store, it
//! finds its ticks outside the window, and stops. Clocks and timeouts only decide *when* a node is
//! granted again. They never decide whether that is safe.
//!
//! A window reaches a little beyond the present, so your generators outlive a short outage of their
//! store: with the default terms, one of sno goes on for at least 10 seconds without an answer. The
//! price is that the node of one that crashed stays taken for up to 15 seconds.
//!
//! # Choosing a store
//! [`Store::in_memory`] is for tests, and for generators of one process, because it forgets its
//! windows when the process ends. A folder (`file:///…`) serves all processes of one machine. If
//! yours run on several, take the server that you operate anyway: [`tickid-stores`][stores] speaks
//! to PostgreSQL, MySQL, Redis and etcd.
//!
//! Start one [`LeasedGenerator`] per process, and share it among the threads, since each takes a
//! node of the pool, and sends a renewal every half term.
//!
//! # Parts
//! | part | purpose |
//! |---|---|
//! | [`Store`] | grants, renews and releases leases, in any backend |
//! | [`Realm`] | a set of generators whose IDs must differ, with a name, a scheme, a [`NodePool`] and [terms](admin::Terms) |
//! | [`LeasedGenerator`] | a generator whose lease is renewed in the background |
//! | [`Lease`] | a node ID and a window, granted to one holder |
//! | [`session`] | holding leases without a [`LeasedGenerator`] |
//! | [`admin`] | administering realms, and the rules |
//! | [`backend`] | folders and memory as stores, and the trait for writing a store of your own |
//! | [`tickid-stores`][stores] | stores on servers: PostgreSQL, MySQL, Redis, etcd |
//! | `conformance` | scenarios that every backend must pass (feature `conformance`) |
//!
//! [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
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
