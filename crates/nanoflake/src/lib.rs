#![doc = include_str!("../README.md")]
//!
//! # Features
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | the wall clock, methods that wait, and [`new`] |
//! | `alloc` | with `std` | `String` forms |
//! | `serde` | no | text in human-readable formats, integers in others; any form through `with` |
//!
//! Support for other libraries (database clients, time types, schemas) is enabled by features of
//! `tickid-core`, because one implementation there serves all schemes. For example, `cargo add
//! tickid-core --features sqlx_0_9,jiff_1` enables it for sqlx 0.9 and jiff 1. The project's
//! `docs/stacks.md` lists these features and shows which columns sort. In browsers, `std` also
//! needs the core's feature `web`, which provides the clock and the random numbers.
//!
//! # Spec
//! Nanoflakes (<https://github.com/nanoflakes/spec>). The project's `docs/schemes/nanoflake.md`
//! lists where the original programs differ from it, and what this crate does in these cases.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The badges of other libraries name features of `tickid-core`.
#![cfg_attr(docsrs, allow(unexpected_cfgs))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod epoch;
mod external;
mod generator;
mod id;
mod macros;
mod node;
#[cfg(feature = "std")]
mod process;
mod scheme;
mod time;

pub use self::epoch::Epoch;
#[cfg(target_has_atomic = "64")]
pub use self::generator::Generator;
pub use self::generator::{Builder, LocalGenerator};
pub use self::id::NanoflakeId;
pub use self::node::{GeneratorId, GeneratorIdError};
#[cfg(feature = "std")]
pub use self::process::{generator, new};
pub use self::scheme::Nanoflake;

pub use tickid_core;
/// A form of IDs for serde's `with` attribute, which is the same in every format. Use it where a
/// field should not have the default form. For example, `serde_as_string` suits a JSON field of
/// decimal digits, because JavaScript would round a number.
///
/// # Examples
/// ```
/// use tickid_nanoflake::NanoflakeId;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Record {
///     #[serde(with = "tickid_nanoflake::serde_as_string")]
///     id: NanoflakeId,
///     #[serde(with = "tickid_nanoflake::serde_as_integer::option")]
///     parent: Option<NanoflakeId>,
/// }
///
/// let id = NanoflakeId::new(1_541_815_603_606_036_480)?;
/// let record = Record { id, parent: Some(id) };
/// let json = serde_json::json!({ "id": "1541815603606036480", "parent": id.get() });
/// assert_eq!(serde_json::to_value(&record)?, json);
/// assert_eq!(serde_json::from_value::<Record>(json)?.id, id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "serde")]
pub use tickid_core::external::serde::{
    as_bytes as serde_as_bytes, as_integer as serde_as_integer, as_string as serde_as_string,
    as_text as serde_as_text,
};
#[doc(hidden)]
pub use tickid_text::parsed as __parsed;
#[doc(no_inline)]
pub use tickid_text::{ParseError, ParseErrorKind, Text};

tickid_core::scheme_names!();
