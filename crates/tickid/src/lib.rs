//! Time-ordered identifiers made of clock ticks: SCRU64, Nanoflake (and other Snowflakes), kuid and
//! sno.
//!
//! It takes one line to make an ID, with a generator that the whole process shares. The ID is
//! unique in this process, which is enough for a single program or a test. But a second process may
//! make the same one, because each draws its node at random and two of them may draw the same.
//! (Only SCRU64's node comes from the environment.)
//!
//! ```
//! let id = tickid::sno::new(24)?; // the byte is the caller's own
//! println!("{id} {}", id.unix_time()); // 9q8q28b6522i6222 2026-11-22T07:35:42.408Z
//!
//! let id = tickid::nanoflake::new()?; // an i64: id.get()
//! assert!(id < tickid::nanoflake::new()?);
//!
//! let (global, local) = (tickid::kuid::new()?, tickid::kuid::new_local()?);
//! # let _ = (global, local);
//!
//! # // As `SCRU64_NODE_SPEC=42/8 program` does; here nothing else runs yet.
//! # unsafe { std::env::set_var("SCRU64_NODE_SPEC", "42/8") };
//! let id = tickid::scru64::new()?; // its node is SCRU64_NODE_SPEC=42/8 in the environment
//! assert_eq!(id.to_string().len(), 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If there are several processes, give each a node ID, for example the ordinal of a StatefulSet.
//! Then IDs are unique among all processes, as long as no two use the same node at the same time,
//! and no clock goes back across a restart. Build one generator for each node and process, and let
//! every thread call it. One that is built for each ID repeats IDs, without an error:
//!
//! ```
//! use std::sync::LazyLock;
//! use tickid::sno::{BuildError, Generator, SnoId};
//!
//! static GENERATOR: LazyLock<Result<Generator, BuildError>> =
//!     LazyLock::new(|| Generator::numbered(258));
//!
//! fn next() -> Result<SnoId, Box<dyn std::error::Error>> {
//!     Ok(GENERATOR.as_ref()?.generate()?)
//! }
//!
//! let id = next()?;
//! assert_eq!(id.partition().get(), 258);
//! assert_ne!(id, next()?);
//!
//! let discord = tickid::snowflake::Snowflake::DISCORD.builder(378)?.build()?; // node 378
//! let id = discord.generate()?; // a u64: id.get()
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where that is hard to promise, because programs come and go or clocks are not trusted, lease the
//! nodes. A *lease* is a node with a window of time, from a folder or a database. No other process
//! can use the node in that window, so no ID is issued twice, even if a clock or a network fails.
//! The price is that you depend on the store. If it is down, IDs continue to the end of the window,
//! by default for at least 10 seconds, and then stop until it is back.
//!
//! ```
//! # let folder = std::env::temp_dir().join(format!("tickid-facade-{}", std::process::id()));
//! use tickid::lease::backend::FileBackend;
//! use tickid::lease::{LeasedGenerator, Realm, Store};
//! use tickid::sno::Sno;
//!
//! let store = Store::new(FileBackend::open(&folder)?); // or a database, by tickid::stores::open(URL)
//! let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
//! let generator = LeasedGenerator::start(store, realm)?;
//! let id = generator.generate()?;
//! generator.shut_down()?; // the next process may have the node
//! # drop(id);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Next: [which scheme, and why not UUIDv7][choosing], [a service with PostgreSQL][tutorial],
//! [leases in production][leases].
//!
//! # Parts
//! This crate has no code of its own, and no name but those of its modules. Each module is one of
//! the project's libraries, behind a feature, so a program compiles only what it uses. You may also
//! depend on a library directly, because the types are the same. Each scheme's module has all the
//! names that a program with that scheme needs, by the same names as the others, for example
//! `sno::Error`, `sno::BuildError` and `sno::Policy`.
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
//! | `snowflake` | `snowflake` | Snowflakes of any layout, in up to 64 bits |
//! | `kuid` | `kuid` | Erlang's k-ordered uid: 64 bits local, 96 bits global |
//! | `sno` | `sno` | 80-bit IDs in ticks of 4 ms, with a byte of the caller's own |
//! | `convert` | `convert` | conversions between the schemes, UUIDs, IDs of other systems |
//! | `detect` | `detect` | the formats that an unknown ID may have |
//! | `lease` | `lease` | node IDs that no other generator has, leased from a store |
//! | `stores` | `stores` | stores of leases on servers; `stores::open` opens any store by its URL |
//! | [`engine`] | always | clocks, policies, windows and the engine that the schemes share |
//! | [`text`] | always | the text forms that the schemes share |
//!
//! # Which scheme
//! None, if a 128-bit key is fine, because UUIDv7 needs no node ID. If there are IDs already, such
//! as Snowflakes (`snowflake`, with their layout) or Erlang's `uid` (`kuid`), keep their format.
//! For new ones, take
//!
//! - `nanoflake` in a 64-bit column, or `scru64` there if you have many small nodes,
//! - `sno` anywhere else, because it keeps issuing when the clock is set back, and has room for a
//!   byte of your choice, for example the type of a record.
//!
//! # Features
//! | feature | default | effect |
//! |---|---|---|
//! | `scru64`, `nanoflake`, `snowflake`, `kuid`, `sno` | no | the library of the scheme |
//! | `convert` | no | the conversions, and with them all schemes |
//! | `detect` | no | the detection of formats, and with it the conversions |
//! | `lease` | no | the leases; needs `std` |
//! | `stores` | no | `stores::open`, and with it the leases |
//! | `full` | no | every library |
//! | `std` | yes | the wall clock, methods that wait, seeds from the operating system |
//! | `web` | no | `std` in browsers: their clock and random numbers; no effect elsewhere |
//! | `alloc` | with `std` | `String` forms, vector clocks, clocks behind an `Arc` |
//! | `serde` | no | text in human-readable formats, else integers or bytes |
//! | `jiff_1`, `chrono_0_4` | no | times: of IDs, for ranges, from and to `UnixTime` |
//! | `postgres_types_0_2`, `sqlx_0_9`, `sqlx_0_9_postgres`, `sea_orm_2` | no | columns of databases |
//! | `diesel_2`, `diesel_2_sqlite`, `mysql_common_0_37`, `rusqlite` | no | likewise |
//! | `schemars_1`, `utoipa_6` | no | the schema of the text, for JSON and OpenAPI |
//! | `uuid_1` | no | sno and wide global kuid in UUIDs |
//! | `arbitrary_1`, `proptest_1` | no | every ID there is, for fuzzing and property tests |
//! | `lease-etcd`, `lease-mysql`, `lease-postgres`, `lease-redis` | no | stores on these servers, with TLS; with them `stores` |
//! | `metrics` | no | measurements of leased generators for the crate `metrics`; with it `lease` |
//! | `etcd`, `mysql`, `postgres`, `redis`, of `tickid-stores` alone | no | the same stores |
//! | `conformance`, of `tickid-lease` alone | no | scenarios that a backend of leases must pass |
//!
//! If several libraries have a feature, it is enabled in those that are part of the build. For
//! example, `sno` and `serde` together enable serde for sno's IDs, and do not pull in the other
//! schemes.
//!
#![doc = concat!("[choosing]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/choosing.md")]
#![doc = concat!("[tutorial]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/tutorial.md")]
#![doc = concat!("[leases]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/leases.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

// With `doc(inline)`, rustdoc would copy the engine and all libraries of its features for each
// scheme: 3 GB in four minutes.
#[cfg(feature = "convert")]
pub use tickid_convert as convert;
pub use tickid_core as engine;
#[cfg(feature = "detect")]
pub use tickid_detect as detect;
#[cfg(feature = "kuid")]
pub use tickid_kuid as kuid;
#[cfg(feature = "lease")]
pub use tickid_lease as lease;
#[cfg(feature = "nanoflake")]
pub use tickid_nanoflake as nanoflake;
#[cfg(feature = "scru64")]
pub use tickid_scru64 as scru64;
#[cfg(feature = "sno")]
pub use tickid_sno as sno;
#[cfg(feature = "snowflake")]
pub use tickid_snowflake as snowflake;
#[cfg(feature = "stores")]
pub use tickid_stores as stores;
pub use tickid_text as text;

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
