//! Stores of [leases](tickid_lease) on servers: PostgreSQL, MySQL and MariaDB, Redis, etcd.
//!
//! ```no_run
//! use tickid_lease::{LeasedGenerator, Realm};
//! use tickid_sno::Sno;
//!
//! let store = tickid_stores::open("postgres://app@db.example.com/app")?;
//! let realm = Realm::builder("orders", Sno).pool("0-1023/16").build()?;
//! let orders = LeasedGenerator::start(store, realm)?;
//! println!("{}", orders.generate()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each server is a feature, because each brings a client along. The rules of leases are in
//! `tickid-lease`, and a store here only reads and writes, with a deadline for each request and a
//! limit on the size of its answer. All of them can encrypt their connections.
//!
//! | feature | store | URL |
//! |---|---|---|
//! | `etcd` | `EtcdBackend`: an etcd cluster | `etcd://a:2379,b:2379` |
//! | `mysql` | `MySqlBackend`: MySQL or MariaDB | `mysql://app:secret@a/ids`, `mariadb://…` |
//! | `postgres` | `PostgresBackend`: PostgreSQL | `postgres://app:secret@a/ids`, `postgresql://…` |
//! | `redis` | `RedisBackend`: Redis | `redis://:secret@a`, `rediss://…` |
//!
//! # Which server
//! Take the one that you operate anyway. The same rules apply in all of them, and they pass the
//! same scenarios. Two things may matter, though. Every restart of Redis ends all leases and pauses
//! the realm for twice [ahead](tickid_lease::RealmSpec::ahead), which is half a minute for an sno
//! realm with the default terms. And MySQL itself has never been run, only MariaDB.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

#[cfg(feature = "_server")]
mod error;
#[cfg(feature = "etcd")]
mod etcd;
#[cfg(feature = "_fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "mysql")]
mod mysql;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod sql;
#[cfg(feature = "_server")]
mod tls;
#[cfg(any(feature = "etcd", feature = "mysql", feature = "redis"))]
mod url;

#[cfg(feature = "etcd")]
pub use self::etcd::EtcdBackend;
#[cfg(feature = "mysql")]
pub use self::mysql::MySqlBackend;
// For the command and the tests, which leave out no store.
#[doc(hidden)]
pub use self::open::servers;
pub use self::open::{missing_feature, open, open_detached};
#[cfg(feature = "postgres")]
pub use self::postgres::PostgresBackend;
#[cfg(feature = "redis")]
pub use self::redis::RedisBackend;
