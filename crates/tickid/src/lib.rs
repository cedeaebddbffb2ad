//! Time-ordered identifiers made of clock ticks: SCRU64, Nanoflake (and other Snowflakes), kuid and
//! sno.
//!
//! This crate is the way in to the project's libraries. It has no code of its own: each module is
//! one of the libraries, behind a feature. Depending on a library directly gives the same types.
//!
//! ```toml
//! [dependencies]
//! tickid = { version = "0.1", features = ["sno"] }
//! ```
//!
//! | module | feature | contents |
//! |---|---|---|
//! | `scru64` | `scru64` | 63-bit IDs in ticks of 256 ms, 12 characters of Base36 |
//! | `nanoflake` | `nanoflake` | 63-bit Snowflakes in milliseconds since any epoch |
//! | `kuid` | `kuid` | Erlang's k-ordered uid: 64 bits local, 96 bits global |
//! | `sno` | `sno` | 80-bit IDs in ticks of 4 ms, with a byte of the caller's own |
//! | `convert` | `convert` | conversions between the schemes, UUIDs, IDs of other systems |
//! | `detect` | `detect` | the formats that an unknown ID may have |
//! | `lease` | `lease` | node IDs that no other generator has, leased from a store |
//! | `server` | `server` | the ID server, for programs that embed it |
//! | `sql` | `sql` | functions in PostgreSQL that make IDs |
//! | [`tickid_core`] | always | clocks, policies, windows and the engine that the schemes share |
//! | [`text`] | always | the text forms that the schemes share |
//!
//! The module of the core has the name of its crate: called `core`, it would hide the standard
//! library's `core` from programs that import `tickid::*`.
//!
//! # Which scheme
//! - None, if a 128-bit key suits you: take UUIDv7, which needs no node ID.
//! - `sno`: the default choice if there is no format to match. It keeps issuing when the clock is
//!   set back, sorts as text and bytes, and fits 16 characters.
//! - `scru64` and `nanoflake`: the ID must fit a signed 64-bit integer, such as a `BIGINT`.
//!   Nanoflake reads as a Snowflake and is ordered by milliseconds; SCRU64 divides its node bits
//!   between nodes and counter as the deployment needs.
//! - `kuid`: the IDs are exchanged with Erlang programs, or vector clocks are needed.
//!
//! # Examples
//! ```
//! use tickid::sno::{Generator, Partition, SnoId};
//!
//! let generator = Generator::new(Partition::new(258))?;
//! let first = generator.generate()?;
//! let second = generator.generate()?;
//! assert!(first < second);
//! assert_eq!(first.to_string().parse::<SnoId>()?, first);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! | feature | default | effect |
//! |---|---|---|
//! | `scru64`, `nanoflake`, `kuid`, `sno` | no | the library of the scheme |
//! | `convert` | no | the conversions, and with them all schemes |
//! | `detect` | no | the detection of formats, and with it the conversions |
//! | `lease` | no | the leases; needs `std` |
//! | `full` | no | all of the above |
//! | `server` | no | the ID server, and with it the leases; not in `full` |
//! | `sql` | no | functions in PostgreSQL, and with them its store; not in `full` |
//! | `std` | yes | the wall clock, methods that wait, seeds from the operating system |
//! | `web` | no | `std` in browsers: their clock and random numbers; no effect elsewhere |
//! | `alloc` | with `std` | `String` forms, vector clocks, clocks behind an `Arc` |
//! | `serde`, `schemars`, `utoipa` | no | IDs in formats of serde, JSON Schema and OpenAPI |
//! | `postgres-types`, `sqlx`, `sqlx-postgres`, `sea-orm` | no | columns of databases |
//! | `diesel`, `diesel-postgres`, `diesel-mysql`, `diesel-sqlite` | no | likewise |
//! | `mysql_common`, `rusqlite` | no | likewise |
//! | `chrono`, `jiff` | no | times of these libraries |
//! | `bytemuck`, `uuid` | no | sno and global kuid as plain bytes and as UUIDs |
//! | `arbitrary`, `proptest` | no | every ID, for fuzzing and property tests |
//! | `etcd`, `mysql`, `postgres`, `redis` | no | stores on these servers; with them `lease` |
//! | `etcd-tls`, `mysql-tls`, `postgres-tls`, `redis-tls` | no | encrypted connections |
//! | `metrics` | no | measurements of leased generators for the crate `metrics`; with it `lease` |
//! | `conformance`, of `tickid-lease` alone | no | scenarios that a backend of leases must pass |
//!
//! A feature of several libraries is enabled in those that are part of the build.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "convert")]
#[doc(inline)]
pub use tickid_convert as convert;
pub use tickid_core;
#[cfg(feature = "detect")]
#[doc(inline)]
pub use tickid_detect as detect;
#[cfg(feature = "kuid")]
#[doc(inline)]
pub use tickid_kuid as kuid;
#[cfg(feature = "lease")]
#[doc(inline)]
pub use tickid_lease as lease;
#[cfg(feature = "nanoflake")]
#[doc(inline)]
pub use tickid_nanoflake as nanoflake;
#[cfg(feature = "scru64")]
#[doc(inline)]
pub use tickid_scru64 as scru64;
#[cfg(feature = "server")]
#[doc(inline)]
pub use tickid_server as server;
#[cfg(feature = "sno")]
#[doc(inline)]
pub use tickid_sno as sno;
#[cfg(feature = "sql")]
#[doc(inline)]
pub use tickid_sql as sql;
pub use tickid_text as text;

/// The examples of the project's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
