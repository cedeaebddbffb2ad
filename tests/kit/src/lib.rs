//! Shared test code. It is not published, and is a dev-dependency of the published crates.
//!
//! All schemes make the same promises, and the same tests check them. A scheme describes its IDs as
//! a [`Subject`], which returns the parts of an ID and compares two.
//!
//! | module | contents |
//! |---|---|
//! | [`suite!`] | a test for each promise, in one line |
//! | [`invariants`] | random schedules of one thread; failures are shrunk to a few calls |
//! | [`reference`](mod@reference) | random schedules, compared with a document's state machine |
//! | `storm` | eight threads on one generator, under a wild clock or a standing one |
//! | [`services`] | generators that observe each other's IDs |
//! | `soak` | a billion IDs, and ten years of clock steps |
//! | [`bounds`] | sequence bounds at every edge |
//! | [`shares`] | generators that divide the sequences of a node, and the other promises over one |
//! | `every_clock` | all kinds of generators over each clock |
//! | `threads` | eight threads, each with its own [`Dice`] |
//! | `clock` | a clock that moves while it is read, and a record of the readings of each thread |
//! | [`nodes`] | nodes made of their bits, as leases make them |
//! | [`Windows`] | the windows of nodes, and the IDs in them |
//! | [`times`] | IDs of times at the ends of a format |
//! | [`vectors`] | recordings of the original programs |
//! | [`example`] | support for the tests of the core |
//! | `servers` | real servers, each in its own temporary folder |
//!
//! `every_clock`, `soak`, `storm` and `suite` need `std`, which enables the feature of that name in
//! the core, and `servers` needs the feature of its own name.

#![allow(
    clippy::exhaustive_enums,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and only tests depend on this"
)]

pub mod bounds;
#[cfg(test)]
mod broken;
mod cases;
pub mod clock;
mod dice;
#[cfg(feature = "std")]
pub mod every_clock;
pub mod example;
mod generators;
pub mod invariants;
pub mod nodes;
#[cfg(doctest)]
mod pages;
mod promises;
pub mod reference;
mod schedule;
#[cfg(all(feature = "servers", unix))]
pub mod servers;
#[cfg(feature = "std")]
pub mod services;
pub mod shares;
mod skip;
#[cfg(feature = "std")]
pub mod soak;
#[cfg(feature = "std")]
pub mod storm;
mod subject;
#[cfg(feature = "std")]
pub mod suite;
pub mod threads;
pub mod times;
pub mod vectors;
mod windows;

pub use self::cases::{config, scaled};
pub use self::dice::Dice;
pub use self::promises::Seen;
pub use self::skip::skip;
pub use self::subject::{Parts, Subject};
pub use self::windows::{NodeWindow, Windows};
