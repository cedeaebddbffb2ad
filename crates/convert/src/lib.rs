//! Conversions between SCRU64, Nanoflake, kuid and sno IDs that keep their order, and say what is lost.
//!
//! ```text
//!              ticks           node               sequence  besides
//! SCRU64       256 ms          1 to 23 bits, n    24 - n    (24 and no node, unless n is given)
//! Nanoflake    1 ms            10                 12
//! kuid local   1,024 µs steps                     14
//! kuid global    in a second   32                 14        drift
//! sno          4 ms            16                 16        tick-tock bit, metabyte
//! ```
//!
//! # Examples
//! ```
//! use tickid_convert::{Layouts, Options, convert, convert_exact};
//! use tickid_kuid::GlobalId;
//! use tickid_scru64::{NodeIdSize, scru64};
//! use tickid_sno::SnoId;
//!
//! let source = Layouts { node_size: Some(NodeIdSize::new(8)?), ..Layouts::default() };
//! let options = Options { source, ..Options::default() };
//! let id: SnoId = convert_exact(scru64!("0u375nxqh5cq"), &options)?; // nothing may be lost
//! assert_eq!((id.partition().get(), id.sequence()), (42, 25_434));
//!
//! let kuid = convert::<GlobalId>(scru64!("0u375nxqh5cq"), &options)?;
//! assert_eq!(
//!     kuid.loss.to_string(),
//!     "time coarsened by 832µs, sequence narrowed by 2 bits that held 2",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is here
//! - [`convert`], [`convert_exact`] and [`restore`]; [`convert_all`] and [`convert_slice`] for many,
//!   without allocating. [`Options`] say what the bits don't: epochs, node sizes, drifts, which node
//!   becomes which.
//! - [`Parts`]: an ID in terms that no scheme owns.
//! - [`carry`]: any ID in a UUID, a `u128` or 16 bytes, without loss.
//! - [`foreign`]: IDs of Twitter, Discord, Instagram, Mastodon and the original Nanoflake programs, to move
//!   away from them.
//! - [`AnyId`], [`convert_any`] and [`restore_any`]: IDs and targets whose scheme is known only at run time.
//! - [`detect`]: what a text may be, likeliest first.
//!
//! What survives between which two schemes is in one table in the project's `docs/conversions.md`.
//!
//! # Order
//! For IDs of one node and one metabyte: **if a < b, then convert(a) ≤ convert(b)**.
//!
//! A new ID's tick is the one of the target during which the old ID's tick *began*. That alone would not
//! do: of two IDs of different ticks that fall into one of the target's, the earlier may have the higher
//! sequence. So the new sequence is the old ID's **rank** in there:
//!
//! ```text
//! rank = ticks of the source that began in the target's tick before the ID's | tick-tock bit | sequence
//! ```
//!
//! in as many bits as the most such ticks need, and shifted right by as many bits as it is wider than
//! the target's sequence. Why that keeps the order:
//!
//! 1. Let a < b, of one node and metabyte. In every scheme they then compare by (tick, tick-tock bit,
//!    sequence), since all else in their bits is equal. A SCRU64 ID whose node size is unknown is all sequence,
//!    and compares so whatever its node. A global kuid with a node in the midst of its seconds compares as
//!    its local part does. (kuids that hold no time are not converted.)
//! 2. Ticks begin in their order, and rounding down keeps it: the target's tick for a is not after the one
//!    for b. If it is before, the new IDs are in order, whatever follows, as long as their nodes and
//!    metabytes are equal; and equal ones become equal ones, under every choice of [`Nodes`].
//! 3. If both fall into one tick of the target, which begins at S, let k count the source's ticks that begin
//!    from S on and before the ID's. Then k(a) < k(b) where their ticks differ, and k(a) = k(b) where they
//!    don't. So (k, tick-tock bit, sequence) compare as the IDs do; and as bits in a row, each with room
//!    for all its values, so does the rank: rank(a) < rank(b).
//! 4. The shift is the same for all IDs of a scheme and a target, and shifting right keeps ≤. That is where
//!    two IDs may meet: they do if, and only if, they differ in the bits that are cut.
//!
//! Going to **finer** ticks is the same: no more than one tick of the source begins in one of the target,
//! k is always 0, and the rank is the sequence.
//!
//! k must be counted exactly, because **kuid's ticks nest in nobody's**: a second has 977 of them, 1,024 µs
//! apart, the last 576 µs long. In a millisecond begins one or none, so that no two kuids of different ticks get one
//! Nanoflake tick, though each second has 23 milliseconds in which none begins. In 4 ms begin at most 4. In 256 ms begin at most 251, not
//! 250, when the end of a second is in there. The other way, up to 2 milliseconds begin during one of kuid's
//! ticks (0 and 1,000 µs in the first of a second): k takes one bit there, though the ticks seem to be of a
//! size. Dividing an offset in microseconds by the length of a tick gives wrong ranks in each of these cases; here ticks
//! are numbered, and k is a difference of numbers.
//!
//! sno's tick-tock bit stays what it is from sno to sno, and is the rank's for all others.
//!
//! # Loss
//! [`Loss`] is what readers of the new ID can't see in its fields: by how much its time is earlier, bits of
//! the sequence that were cut and were not zero, a node that is another, the metabyte, a tick-tock bit that was
//! set. Time and tick-tock bit are still in the rank; [`restore`] takes it apart and finds the old ID again
//! unless the node, the metabyte or bits of the sequence were lost.
//!
//! Converting back is not restoring. A sno ID made of a SCRU64 ID converts to a SCRU64 ID of which the
//! sequence is a rank *among all sno IDs* of that quarter of a second; restoring asks of which SCRU64 ID it
//! was made.
//!
//! # `no_std`
//! The crate needs neither `std` nor an allocator and has no features.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod any;
mod bulk;
pub mod carry;
mod convert;
mod detect;
mod error;
pub mod foreign;
mod format;
mod loss;
mod nodes;
mod options;
mod parts;
mod schemes;

pub use self::any::{AnyId, Kind, convert_any, restore_any};
pub use self::bulk::{ConvertSliceError, Losses, convert_all, convert_slice};
pub use self::convert::{Converted, convert, convert_exact, restore};
pub use self::detect::{
    Candidate, Candidates, KuidAlphabet, NanoflakeText, Plausibility, Reading, detect,
};
pub use self::error::ConvertError;
pub use self::format::{Source, Target};
pub use self::loss::{Loss, NodeLoss, SequenceLoss};
pub use self::nodes::{NodeTable, NodeTableError, Nodes};
pub use self::options::{Layouts, Options};
pub use self::parts::{Field, Parts};

#[doc(no_inline)]
pub use uuid::Uuid;

/// The examples of the page on conversions, so that they stay true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/conversions.md")]
struct Page;
