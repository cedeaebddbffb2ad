//! Conversions between SCRU64, Nanoflake, kuid, sno and Snowflake IDs that keep their order and
//! report any information lost.
//!
//! ```text
//!              ticks           node               sequence  besides
//! SCRU64       256 ms          1 to 23 bits, n    24 - n    (24 and no node, unless n is given)
//! Nanoflake    1 ms            10                 12
//! kuid local   1,024 µs steps                     14
//! kuid global    in a second   32                 14        drift
//! sno          4 ms            16                 16        tick-tock bit, metabyte
//! Snowflake    as the layout   0 to 22            1 to 18
//! ```
//!
//! # Examples
//! ```
//! use tickid_convert::{Options, Settings, convert, convert_exact};
//! use tickid_kuid::GlobalId;
//! use tickid_scru64::{NodeIdSize, scru64};
//! use tickid_sno::SnoId;
//!
//! let source = Settings { node_size: Some(NodeIdSize::new(8)?), ..Settings::default() };
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
//! - [`convert`] converts one ID and reports what was lost, [`convert_exact`] makes any loss an
//!   error, and [`restore`] reverses a conversion. [`convert_all`] converts many IDs
//!   without allocating. [`Options`] hold what the bits do not say, for example epochs, node
//!   sizes, drifts and the mapping of nodes.
//! - [`Parts`] are an ID in scheme-independent terms. Build them yourself to convert from a format
//!   of your own.
//! - [`carry`] stores any ID in a UUID, a `u128` or 16 bytes, without loss.
//! - [`foreign`] has the IDs of Mastodon and of the original Nanoflake programs, which no scheme's
//!   layout describes. Those of Twitter, Discord, Instagram, Sonyflake and pgEdge are
//!   [`SnowflakeId`](tickid_snowflake::SnowflakeId)s with a preset in [`Settings::snowflake`].
//! - [`AnyId`], [`AnyScheme`], [`convert_any`] and [`restore_any`] are for IDs and schemes that are
//!   known only at run time, for example because a user names them. Code that is generic over the
//!   schemes uses [`SchemeId`] and [`AnyScheme::visit`].
//! - [`AnyGenerator`] and [`AnyLocalGenerator`] generate IDs of such a scheme, and [`AnyBackfill`]
//!   generates them for times that have passed.
//!
//! The project's `docs/conversions.md` has a table of the information kept between each pair of
//! schemes.
//!
//! # Order
//! For IDs of one node and one metabyte, **if a < b, then convert(a) ≤ convert(b)**. So the rows of
//! one node stay in order in an index on the converted IDs.
//!
//! A new ID's tick is the target's tick that contains the *start* of the old ID's tick. This alone
//! does not keep the order, because two IDs of different ticks can fall into one tick of the
//! target, and the earlier one may have the higher sequence. For example, the four milliseconds of
//! a sno tick each have Nanoflakes whose sequences start at 0. The new sequence is therefore the
//! old ID's **rank** in that tick:
//!
//! ```text
//! rank = number of the source's tick within the target's tick | tick-tock bit | sequence
//! ```
//!
//! The number of ticks takes as many bits as its largest value needs. The rank is then shifted
//! right by as many bits as it is wider than the target's sequence. The order is kept for the
//! following reasons.
//!
//! 1. Let a < b, of one node and metabyte. In every scheme they then compare by (tick, tick-tock
//!    bit, sequence), because all else in their bits is equal. A SCRU64 ID of unknown node size is
//!    all sequence, and compares the same for any node. A global kuid, whose node lies between the
//!    bits of its seconds, compares as its local part does. (kuids without a valid time are not
//!    converted.)
//! 2. Ticks start in their order, and rounding down keeps it, so the target's tick for a is not
//!    after the one for b. If it is before, the new IDs are in order whatever follows, as long as
//!    their nodes and metabytes are equal. They are, because under every choice of [`Nodes`] equal
//!    ones become equal ones.
//! 3. If both fall into one tick of the target, which starts at S, let k be the number of the
//!    source's ticks that start at or after S and before the ID's. Then k(a) < k(b) if their ticks
//!    differ, and k(a) = k(b) if they do not. Therefore (k, tick-tock bit, sequence) compare as the
//!    IDs do. The rank is the same bits in a row, each field with room for all its values, so
//!    rank(a) < rank(b).
//! 4. The shift is the same for all IDs of a scheme and a target, and shifting right keeps ≤. Two
//!    IDs become equal if, and only if, they differ only in the bits that are cut.
//!
//! Going to **finer** ticks is the same. At most one tick of the source starts in one of the
//! target, so k is always 0, and the rank is the sequence.
//!
//! k must be counted exactly, because **kuid's ticks do not nest in the ticks of any other
//! scheme**. A second has 977 of them, 1,024 µs apart, and the last is 576 µs long. At most one
//! starts in a millisecond, so no two kuids of different ticks get one Nanoflake tick, although in
//! 23 milliseconds of each second none starts. At most 4 start in 4 ms. At most 251 start in 256
//! ms, rather than 250, if the end of a second is among them. In the other direction, up to 2
//! milliseconds start during one of kuid's ticks (0 and 1,000 µs in the first of a second), so k
//! takes one bit there, although the ticks seem to be of equal size. Dividing an offset in
//! microseconds by the length of a tick would give wrong ranks in each of these cases, so here
//! ticks are numbered, and k is a difference of numbers.
//!
//! sno's tick-tock bit is copied from sno to sno, and becomes part of the rank for all other
//! targets.
//!
//! # Loss
//! [`Loss`] lists the information that the new ID's fields do not show. This is how much earlier
//! its time is, bits of the sequence that were cut and not all zero, a different node, the
//! metabyte, and a tick-tock bit that was set. Time and tick-tock bit are not gone, because they
//! are still in the rank. So [`restore`] splits the rank and recovers the old ID, unless the node,
//! the metabyte or bits of the sequence were lost.
//!
//! Converting back is not restoring. For example, a sno ID made of a SCRU64 ID converts to a SCRU64
//! ID whose sequence is a rank *among all sno IDs* of that quarter of a second, while restoring
//! returns the SCRU64 ID that the sno ID was made of.
//!
//! # Features
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | no | generators by the system's clock, and their calls that wait |
//! | `lease` | no | `AnyLeasedGenerator`: generators with leased nodes; with `std` |
//!
//! Without them, the crate needs neither an allocator nor an operating system.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "lease"))]
extern crate std;

mod any;
mod bulk;
pub mod carry;
mod convert;
mod error;
pub mod foreign;
mod inline_vec;
mod loss;
mod nodes;
mod options;
mod parts;
mod schemes;
mod to_parts;

#[cfg(target_has_atomic = "64")]
pub use self::any::AnyGenerator;
pub use self::any::{
    AfterError, AnyBackfill, AnyBuilder, AnyId, AnyIds, AnyLocalGenerator, AnyObserveError,
    AnyScheme, Form, FormError, IdBytes, IdText, IdsVisitor, Kind, SchemeError, TextForm,
    convert_any, restore_any,
};
#[cfg(feature = "lease")]
pub use self::any::{AnyLeasedBuilder, AnyLeasedGenerator};
pub use self::bulk::convert_all;
pub use self::convert::{Converted, convert, convert_exact, restore};
pub use self::error::ConvertError;
pub use self::loss::{Loss, NodeLoss, SequenceLoss};
pub use self::nodes::{NodeTable, NodeTableError, Nodes};
pub use self::options::{Options, SettingOption, SettingOptionError, Settings};
pub use self::parts::{Bits, Parts};
pub use self::schemes::{
    Fields, SchemeId, SchemeVariant, SchemeVisitor, Setting, SettingList, SettingValue,
};
pub use self::to_parts::ToParts;

#[doc(no_inline)]
pub use uuid::Uuid;
