#![doc = include_str!("../README.md")]
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
//! | `web` | no | `std` in browsers: their clock and random numbers; no effect elsewhere. Their threads cannot sleep, so use `generate_async` |
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
//! In browsers (`wasm32-unknown-unknown`), `std` without `web` is an error, and a dependency's comes
//! first: "The wasm32/64-unknown-unknown are not supported by default; you may need to enable the
//! "wasm_js" crate feature". Enable `web`, not that one.
//!
//! If several libraries have a feature, it is enabled in those that are part of the build. For
//! example, `sno` and `serde` together enable serde for sno's IDs, and do not pull in the other
//! schemes.
//!
//! # Weight
//! | feature | pulls in |
//! |---|---|
//! | a scheme | `rand` and `thiserror` |
//! | a scheme without `std` | `thiserror` |
//! | `convert` | also `uuid` |
//! | `lease` | `serde_json`, `tracing`, `rustix` and others |
//! | `lease-redis`, `lease-etcd`, `lease-postgres`, `lease-mysql` | also `rustls`; PostgreSQL's `tokio-postgres`, MySQL's `tokio`, etcd's `ureq` |
//!
//! `cargo tree -e normal` lists them for your features and your lock file.
//!
//! Of `rand`, only the operating system's random numbers are used, once for a seed or a random
//! node. An ID takes none, because its sequence makes it unique, and random starts of ticks are a
//! function of the seed.

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
