#![doc = include_str!("../README.md")]
//!
//! Global IDs with a node of 64 bits, for nodes that are random numbers, are in [`wide`].
//!
//! # Features
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | the wall clock, methods that wait, random nodes, [`new`] and [`generator`] |
//! | `alloc` | with `std` | [`VectorClock`] (without: [`vector_clock`]), `String` forms |
//! | `serde` | no | text in human-readable formats, else integers or bytes; vector clocks |
//!
//! Support for other libraries (database clients, time types, schemas) is enabled by features of
//! `tickid-core`, because one implementation there serves all schemes. For example, `cargo add
//! tickid-core --features sqlx_0_9,jiff_1` enables it for sqlx 0.9 and jiff 1. The project's
//! `docs/stacks.md` lists these features and shows which columns sort. In browsers, `std` also
//! needs the core's feature `web`, which provides the clock and the random numbers.
//!
//! # Spec
//! The `README.md` of fogfish/uid (<https://github.com/fogfish/uid>). The project's
//! `docs/schemes/kuid.md` lists where its code differs from it, and what this crate does in these
//! cases. `docs/moving.md` has the calls of the Erlang library beside those of this crate.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The badges of other libraries name features of `tickid-core`.
#![cfg_attr(docsrs, allow(unexpected_cfgs))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod codec;
mod distance;
mod drift;
mod external;
mod generator;
mod global;
mod local;
mod macros;
mod node;
#[cfg(feature = "std")]
mod process;
mod scheme;
pub mod vector_clock;
pub mod wide;

pub use self::distance::Distance;
pub use self::drift::{Drift, Kuid};
#[cfg(target_has_atomic = "64")]
pub use self::generator::Generator;
pub use self::generator::{Builder, LocalGenerator};
pub use self::global::GlobalId;
pub use self::local::LocalId;
pub use self::node::{ForeignNode, Node};
#[cfg(feature = "std")]
pub use self::process::{generator, new, new_local};
pub use self::scheme::{Global, Local};
#[cfg(feature = "alloc")]
pub use self::vector_clock::VectorClock;

pub use tickid_core;
pub use tickid_core::external::AsText;
/// A form of IDs for serde's `with` attribute, which is the same in every format. Use it where a
/// field should not have the default form. For example, `serde_as_string` suits a JSON field of
/// decimal digits, because JavaScript would round a number.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Record {
///     #[serde(with = "tickid_kuid::serde_as_string")]
///     id: LocalId,
///     #[serde(with = "tickid_kuid::serde_as_integer::option")]
///     parent: Option<LocalId>,
/// }
///
/// let id = LocalId::new(27_082_559_990_628_353);
/// let record = Record { id, parent: Some(id) };
/// let json = serde_json::json!({ "id": "27082559990628353", "parent": id.get() });
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
