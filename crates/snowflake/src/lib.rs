//! Snowflakes of any layout. They are 64-bit identifiers that consist of a time, a node and a
//! sequence, whose widths, unit and epoch are a value.
//!
//! ```text
//!  64 bits, of which a layout uses up to 63, or all if it is unsigned
//! ┌──────────┬────────────────────────────────┬──────────────┬─────────────┐
//! │ unused   │ time: 8 to 43 bits             │ node: 0 to 22│ sequence:   │
//! │ (0)      │ units of 100 µs to 1 h         │ bits         │ 1 to 18 bits│
//! └──────────┴────────────────────────────────┴──────────────┴─────────────┘
//!  SequenceAboveNode has the last two in the other order
//!  text: decimal; on request 13 characters of Crockford's Base32
//! ```
//!
//! # Examples
//! ```
//! use tickid_snowflake::{SequenceAboveNode, Snowflake, SnowflakeId};
//!
//! // A preset, and the same layout as text.
//! let sonyflake: Snowflake<SequenceAboveNode> = "39x10ms/8s/16n@2014-09-01".parse()?;
//! assert_eq!(sonyflake, Snowflake::SONYFLAKE);
//!
//! let generator = sonyflake.builder(7)?.build()?;
//! let id = generator.generate()?;
//! println!("{id}"); // such as 645712345678901255
//! assert_eq!(sonyflake.node_of(id).get(), 7);
//! assert_eq!(id.to_string().parse::<SnowflakeId>()?, id);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to choose it
//! Choose it for systems that already have Snowflakes of some layout, and for those whose IDs must
//! fit into fewer bits. For example, IDs of [`Snowflake::JS_SAFE`] have 53 bits, which JavaScript's
//! numbers hold exactly. With Twitter's widths, `tickid-nanoflake` has a smaller API and a shorter
//! text.
//!
//! There are two pitfalls. An ID does not show its layout, so all generators and readers of a
//! system must use the same one. Store its text beside the IDs, or use a realm of leases, which
//! refuses any other layout. And an ID is not a secret. It reveals its time and node, and since
//! sequences are counted up, other IDs can be guessed from it.
//!
//! # Features
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | the wall clock, methods that wait, and process-wide generators |
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
//! Each preset names its source. The project's `docs/schemes/snowflake.md` lists the limits of
//! layouts and where the original programs differ.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The badges of other libraries name features of `tickid-core`.
#![cfg_attr(docsrs, allow(unexpected_cfgs))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod any;
mod external;
mod generator;
mod id;
mod layout;
mod macros;
mod node;
mod order;
mod presets;
mod scheme;
mod text;
mod time;

pub use self::any::AnySnowflake;
#[cfg(target_has_atomic = "64")]
pub use self::generator::Generator;
pub use self::generator::{Builder, LocalGenerator};
pub use self::id::SnowflakeId;
pub use self::layout::{LayoutError, Snowflake, Widths};
pub use self::node::Node;
pub use self::order::{NodeAboveSequence, Order, SequenceAboveNode};
pub use self::presets::Preset;

pub use tickid_core;
/// A form of IDs for serde's `with` attribute, which is the same in every format. Use it where a
/// field should not have the default form. For example, `serde_as_integer` writes a number in JSON
/// too, where the default is text because JavaScript would round the number.
///
/// # Examples
/// ```
/// use tickid_snowflake::SnowflakeId;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Record {
///     id: SnowflakeId, // text in JSON
///     #[serde(with = "tickid_snowflake::serde_as_integer::option")]
///     parent: Option<SnowflakeId>,
/// }
///
/// let id = SnowflakeId::new(1_541_815_603_606_036_480);
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

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
