#![doc = include_str!("../README.md")]
//!
//! # Features
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | the wall clock, methods that wait, [`new`] and [`generator`] |
//! | `alloc` | with `std` | `String` from the text of an ID |
//! | `serde` | no | text in human-readable formats, else bytes; any form through `with`; snapshots |
//!
//! Support for other libraries (database clients, time types, schemas) is enabled by features of
//! `tickid-core`, because one implementation there serves all schemes. For example, `cargo add
//! tickid-core --features sqlx_0_9,jiff_1` enables it for sqlx 0.9 and jiff 1. The project's
//! `docs/stacks.md` lists these features and shows which columns sort. In browsers, `std` also
//! needs the core's feature `web`, which provides the clock and the random numbers.
//!
//! # Spec
//! sno (<https://github.com/muyo/sno>). The project's `docs/schemes/sno.md` lists where the
//! original program differs from its own document, and what this crate does in these cases.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The badges of other libraries name features of `tickid-core`.
#![cfg_attr(docsrs, allow(unexpected_cfgs))]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod codec;
mod external;
mod generator;
mod id;
mod macros;
mod partition;
#[cfg(feature = "std")]
mod process;
mod scheme;
mod snapshot;
mod time;
#[cfg(target_has_atomic = "16")]
mod with_time;

#[cfg(feature = "serde")]
pub use self::external::serde_zero_as_null;
#[cfg(target_has_atomic = "64")]
pub use self::generator::Generator;
pub use self::generator::{Builder, LocalGenerator};
pub use self::id::SnoId;
pub use self::partition::Partition;
#[cfg(feature = "std")]
pub use self::process::{generator, new};
pub use self::scheme::{Meta, Sno};
pub use self::snapshot::GeneratorSnapshot;
#[cfg(target_has_atomic = "16")]
pub use self::with_time::WithTime;

pub use tickid_core;
pub use tickid_core::external::AsText;
/// A form of IDs for serde's `with` attribute, which is the same in every format. Use it where a
/// field should not have the default form. For example, `serde_as_string` suits a JSON field of
/// decimal digits, because JavaScript would round a number.
///
/// # Examples
/// ```
/// use tickid_sno::SnoId;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Record {
///     #[serde(with = "tickid_sno::serde_as_string")]
///     id: SnoId,
///     #[serde(with = "tickid_sno::serde_as_integer::option")]
///     parent: Option<SnoId>,
/// }
///
/// let id = SnoId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 1, 7]);
/// let record = Record { id, parent: Some(id) };
/// let json = serde_json::json!({ "id": "263", "parent": 263 });
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
