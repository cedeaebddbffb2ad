//! Time-ordered identifiers from clock ticks: the parts that every tickid scheme shares.
//!
//! An ID is made of a *tick* (the scheme's unit of time), a *sequence* (which distinguishes the IDs
//! of one tick) and a *node* (which distinguishes generators). For example, if two threads draw
//! from sno's partition 258 within the same 4 ms, both IDs have that tick and that node, and only
//! the sequence tells them apart. Each of the three is supplied by a trait, which a program can
//! implement itself:
//!
//! | trait | supplies | implementations |
//! |---|---|---|
//! | [`Clock`] | the time that ticks are counted from | `SystemClock`, `CounterClock`, [`ManualClock`], and `ProcessClock`, which wraps any of them |
//! | [`Sequence`] | the first sequence of each tick | [`Lowest`], [`Fixed`], [`RandomStart`] |
//! | [`NodeId`] | the generator's own bits | the schemes' nodes: SCRU64's `NodeSpec`, Nanoflake's `GeneratorId`, sno's `Partition`, the `Node`s of kuid and Snowflakes |
//!
//! Programs that learn the scheme at run time, for example from a configuration file, use an
//! [`AnyNode`], which is a node of any scheme and any size.
//!
//! Most programs want one of the scheme crates (`tickid-scru64`, `tickid-nanoflake`, `tickid-kuid`,
//! `tickid-sno`, `tickid-snowflake`), which re-export the parts that they need. Depend on this
//! crate itself if you implement one of these traits, or a [`Scheme`] of your own.
//!
//! A generator has one lock-free engine, whose whole state is a single 64-bit word. It keeps these
//! promises whatever the clock does, and however many threads draw from it (up to 1,024 at the same
//! time):
//!
//! 1. **Unique**: it never issues the same ID twice.
//! 2. **Ordered**: its IDs strictly increase. There are two exceptions. Under [`Policy::TickTock`],
//!    IDs go back with the clock, and where a caller's choice comes before the sequence, as sno's
//!    metabyte does, only the IDs of one choice are in order within a tick.
//! 3. **Bounded drift**: an ID's time never differs from the clock by more than the [`Policy`]
//!    states.
//! 4. **Nothing wraps**: a value that does not fit is an error that names the value and the range.
//! 5. **Windowed**: no ID lies outside of the generator's [`Window`].
//! 6. **No panics**.
//!
//! The child of a `fork` has a copy of its parent's generators, which would issue the same IDs.
//! With the default clock they therefore fail there ([`ClockError::Forked`]), so a child has to
//! build its own generator, with a different node.
//!
//! # Examples
//! ```
//! use tickid_core::{Generator, ManualClock, UnixTime, example};
//!
//! let clock = ManualClock::new(UnixTime::from_millis(5_000)?);
//! let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
//! let first = generator.try_generate()?;
//! assert!(generator.try_generate()? > first);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! The traits of other libraries are implemented for the IDs of all schemes. Their features have
//! the library's major version in the name. A later release can then support two versions of a
//! library at once, for programs that are moving from one to the other.
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `std` | yes | `SystemClock`, methods that wait, overflow observers, random seeds |
//! | `web` | no | `std` in browsers: their clock and random numbers; no effect elsewhere. Their threads cannot sleep, so use `generate_async` |
//! | `alloc` | with `std` | clocks behind an `Arc`, rules for sequences of the caller's own |
//! | `serde` | no | text in human-readable formats, else integers or bytes |
//! | `jiff_1`, `chrono_0_4` | no | times: of IDs, for ranges, from and to [`UnixTime`] |
//! | `postgres_types_0_2`, `sqlx_0_9`, `sqlx_0_9_postgres`, `sea_orm_2` | no | columns of databases |
//! | `diesel_2`, `diesel_2_sqlite`, `mysql_common_0_37`, `rusqlite` | no | likewise |
//! | `schemars_1`, `utoipa_6` | no | the schema of the text, for JSON and OpenAPI |
//! | `uuid_1` | no | sno and wide global kuid in UUIDs |
//! | `arbitrary_1`, `proptest_1` | no | every ID there is, for fuzzing and property tests |
//!
//! Without `std` and `alloc`, it needs neither an allocator nor an operating system. The shared
//! [`Generator`] and `std` need 64-bit atomics, but [`LocalGenerator`] needs no atomics at all.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(all(feature = "std", not(target_has_atomic = "64")))]
compile_error!(
    "`std` needs 64-bit atomics; this target has the generators of one owner without it"
);

mod any_node;
mod cases;
mod clock;
mod counted;
mod debug_error;
mod engine;
mod error;
// Hidden from the compiler, which would propose these types in errors about a program's own. The
// documentation shows them.
#[cfg_attr(not(doc), doc(hidden))]
pub mod example;
pub mod external;
mod field;
#[cfg(feature = "std")]
mod fork;
mod generator;
mod impl_conversions;
mod micros;
mod node;
mod pad;
#[cfg(feature = "std")]
#[cfg_attr(all(target_family = "wasm", target_os = "unknown"), path = "platform/browser.rs")]
mod platform;
mod policy;
mod random;
mod range;
mod scale;
mod scheme;
mod scheme_names;
mod sequence;
mod slot;
mod snapshot;
#[cfg(target_has_atomic = "64")]
mod sync;
mod tick;
mod time;
mod variant;
mod window;

pub use self::any_node::{AnyNode, ParseNodeError};
pub use self::clock::*;
#[doc(hidden)]
pub use self::counted::counted;
pub use self::engine::State;
pub use self::error::{
    BuildError, ClockError, Error, ErrorKind, NodeError, ObserveError, StallReason,
};
pub use self::field::{Field, Span};
#[cfg(feature = "std")]
pub use self::fork::{PerProcess, Process};
pub use self::generator::*;
pub use self::node::{NodeId, NumberedNode};
#[doc(hidden)]
pub use self::pad::pad;
pub use self::policy::Policy;
pub use self::range::RangeError;
pub use self::scale::TickScale;
pub use self::scheme::{Id, Observable, Plain, Scheme, Variant};
pub use self::sequence::{
    Fixed, Lowest, RandomStart, Sequence, SequenceBounds, TickStart, TickStartError,
};
pub use self::slot::{Prefix, Slot};
pub use self::snapshot::Snapshot;
pub use self::tick::{Tick, Ticks};
pub use self::time::{IntoUnixTime, UnixTime};
pub use self::variant::Variants;
pub use self::window::Window;
