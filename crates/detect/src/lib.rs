//! Somebody pastes an ID, and you want to know what it is: which format it may have, how sure that
//! is, and what its bits mean.
//!
//! An ID in a log or a bug report rarely says what made it, and its text often fits several formats.
//! So a text is read in every format that it fits, and each reading has a confidence.
//!
//! ```
//! use tickid_detect::{Confidence, Format, inspect};
//!
//! let found = inspect("0u375nxqh5cq");
//! let first = found.first().ok_or("no known format")?;
//! assert_eq!((first.format(), first.confidence()), (Format::Scru64, Some(Confidence::Likely)));
//!
//! let json = serde_json::to_string(&first)?;
//! assert_eq!(
//!     json,
//!     r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","#.to_owned()
//!         + r#""unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","#
//!         + r#""int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"#
//!         + r#""node":null,"sequence":null,"#
//!         + r#""confidence":"likely","reason":"12 digits of Base36"}"#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`inspect`] is the place to start, since it takes nothing but the text. A [`Detector`] does
//!   the same with settings and a clock of your own, which it is given once.
//! - [`Detector::agreement`] reads several lines of a column, because together they decide what one
//!   number cannot.
//! - A [`Summary`] counts the texts of each format, and has the first and last time of each.
//! - [`find`] searches a line of a log, a URL or any other text for IDs.
//! - [`detect`] returns every [`Reading`] of a text, likeliest first, each with its [`Format`], its
//!   [`Confidence`] and the [`Identifier`] that the text is in that format. It does not allocate.
//! - [`Inspection`] is an ID taken apart, which the command, the ID server, the inspector page and
//!   the npm package print.
//! - [`TimeOrdered`] turns a range of times into a range of IDs, for formats such as ULID and
//!   UUIDv7.
//! - [`LayoutCard`] is a layout of Snowflakes taken apart, with its fields, years, rates and
//!   limits.
//! - [`trimmed`] removes what people paste along with an ID, for example quotation marks.
//!
//! # Confidence
//! A reading is *certain*, *likely* or *possible*. Be careful with the last kind: much of what fits a
//! format is something else, such as a word, a number, a hash or a time. `activities12` could be an
//! ID in Base36, but it reads like words, so it is only possible, and its [`Doubt`] says why. The
//! command shows such readings only if you ask for them.
//!
//! How many IDs are recognized, by format, and how many other texts are taken for IDs, by kind, is
//! in the project's `docs/results/README.md`, and in the tables that it names.
//!
//! # Features
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | [`inspect`] and a default [`Detector`], with the system's clock; [`Summary`] |
//!
//! Without it, the crate needs neither `std` nor an allocator.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod alphabets;
mod column;
mod confidence;
mod damage;
mod detect;
mod detector;
mod erlang;
mod escapes;
mod evidence;
mod false_positives;
mod fields;
mod find;
mod formats;
mod identifier;
mod inspection;
mod layout_card;
mod literal;
mod paste;
mod reading;
mod serialize;
#[cfg(feature = "std")]
mod summary;
mod time_ordered;
mod unix_unit;
mod wide_column;

pub use self::column::Agreement;
pub use self::confidence::{Confidence, Doubt};
pub use self::damage::Damage;
pub use self::detect::detect;
#[cfg(feature = "std")]
pub use self::detector::inspect;
pub use self::detector::{Detector, Inspections};
#[cfg(feature = "std")]
pub use self::find::find;
pub use self::formats::{Format, FormatError};
pub use self::identifier::{Foreign, Identifier};
pub use self::inspection::{Inspection, Member, MemberValue};
pub use self::layout_card::{LayoutCard, LayoutWarning};
pub use self::paste::trimmed;
pub use self::reading::{Reading, Readings};
#[cfg(feature = "std")]
pub use self::summary::{Summary, SummaryRow};
pub use self::time_ordered::TimeOrdered;
pub use self::unix_unit::UnixUnit;
pub use tickid_convert::Form;
