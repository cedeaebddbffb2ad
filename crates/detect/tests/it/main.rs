//! The detector: which formats a text fits, with what confidence, and what is said about an ID.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod detect;
mod false_alarms;
mod inspections;
mod labelled;
