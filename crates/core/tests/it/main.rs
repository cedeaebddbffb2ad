//! The tests of the crate, as its users see it.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod backfill;
mod clocks;
mod closing;
mod errors;
mod invariants;
mod layouts;
mod lifecycle;
mod local;
mod observe;
mod overflow;
mod random_start;
mod reference;
mod shares;
mod stalls;
mod successors;
mod times;
mod waiting;
mod widths;
