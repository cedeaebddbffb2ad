//! The formats that an unknown ID may have: which it is, how sure that is, and what its bits say.
//!
//! ```
//! use tickid_convert::Layouts;
//! use tickid_core::UnixTime;
//! use tickid_detect::{Confidence, Format, Inspection, detect};
//!
//! let now = UnixTime::from_millis(1_750_000_000_000)?;
//! let layouts = Layouts::default();
//! let found = detect(b"0u375nxqh5cq", &layouts, Some(now));
//! let first = found.first().ok_or("no known format")?;
//! assert_eq!((first.format(), first.confidence()), (Format::Scru64, Confidence::Likely));
//!
//! let inspection = Inspection::of(first, "0u375nxqh5cq", &layouts);
//! let json = serde_json::to_string(&inspection)?;
//! assert_eq!(
//!     json,
//!     r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","#.to_owned()
//!         + r#""unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","#
//!         + r#""int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"#
//!         + r#""confidence":"likely","reason":"12 digits of Base36"}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`detect`] returns every [`Reading`] of a text, likeliest first, each with its [`Format`], its
//!   [`Confidence`] and the [`Identifier`] that the text is in that format.
//! - [`Inspection`] is an ID taken apart, which the command, the ID server, the inspector page and
//!   the npm package print.
//! - [`LayoutCard`] is a layout of Snowflakes taken apart: its fields, years, rates and limits.
//! - [`trimmed`] removes what people paste along with an ID.
//!
//! # Confidence
//! A reading is *certain*, *likely* or *possible*. Most texts fit several formats, and much of what
//! fits one is something else, for example a word, a number, a hash or a time. Common texts are at
//! most possible, with the reason as a [`Doubt`]. The project's `docs/results/README.md` has the
//! shares of IDs that are recognized, by format, and of other texts that are taken for IDs, by
//! kind.
//!
//! # `no_std`
//! The crate needs neither `std` nor an allocator and has no features.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod alphabets;
mod confidence;
mod detect;
mod fields;
mod format;
mod identifier;
mod inspection;
mod layout_card;
mod literal;
mod named;
mod notation;
mod ordinary;
mod paste;
mod reading;

pub use self::confidence::{Confidence, Doubt};
pub use self::detect::detect;
pub use self::format::{Form, Format, FormatError};
pub use self::identifier::Identifier;
pub use self::inspection::{Inspection, Member, MemberValue};
pub use self::layout_card::{LayoutCard, LayoutWarning};
pub use self::notation::{Notation, UnixUnit};
pub use self::paste::trimmed;
pub use self::reading::{Reading, Readings};

/// The examples of the package's README, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;
