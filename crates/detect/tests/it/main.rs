//! The detector: the formats that a text fits, their confidence, and the inspection of an ID.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod column;
mod detect;
mod false_alarms;
mod find;
mod inspections;
mod judgement;
mod labelled;
mod layouts;
mod time_ordered;
