//! What the tests of the schemes share. Not published; a dev-dependency of crates that are.
//!
//! The schemes make the same promises, so they are held to them by the same means. A scheme says what
//! it is as a [`Subject`]: how its IDs come apart, and which of two has to be the higher.
//!
//! | module | for |
//! |---|---|
//! | [`invariants`] | one thread, random schedules, failures shrunk to a few calls |
//! | [`reference`](mod@reference) | one thread, random schedules, against the state machine of a document |
//! | [`storm`] | eight threads on one generator, under a wild clock or none |
//! | [`soak`] | a billion IDs, and ten years in which the clock does what clocks do |
//! | [`bounds`] | sequence bounds at every edge |
//! | [`every_clock`] | all kinds of generators over each clock that there is |
//! | [`threads`] | running eight threads, each with its own [`Dice`] |
//! | [`clock`] | a clock that moves while it is read, and notes of who read what |
//! | [`levels`] | recorded texts, written and read by each level of the codecs |
//! | [`slices`] | many texts at once, as one by one |
//! | [`nodes`] | nodes made of their bits, as leases make them |
//! | [`vectors`] | what the original programs wrote |
//! | [`binary_serde`] | what IDs are in formats that nobody reads |
//! | [`servers`] | real servers, each in a temporary folder of its own |

#![allow(
    clippy::exhaustive_enums,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and nobody but tests depends on this"
)]

pub mod binary_serde;
pub mod bounds;
#[cfg(test)]
mod broken;
mod cases;
pub mod clock;
mod dice;
pub mod every_clock;
pub mod invariants;
pub mod levels;
pub mod nodes;
mod promises;
pub mod reference;
mod schedule;
#[cfg(unix)]
pub mod servers;
pub mod slices;
pub mod soak;
pub mod storm;
mod subject;
pub mod threads;
pub mod vectors;

pub use self::cases::config;
pub use self::dice::Dice;
pub use self::promises::Seen;
pub use self::subject::{Parts, Subject};
