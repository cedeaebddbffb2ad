//! The command as a process, without servers.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod command;
mod convert;
mod features;
mod forms;
mod generate;
mod inspect;
mod layout;
mod lease;
#[cfg(target_os = "linux")]
mod lease_exec;
mod man;
mod messages;
mod pages;
#[path = "../process/mod.rs"]
mod process;
mod range;
#[cfg(target_os = "linux")]
mod terminal;
mod waiting;

const SCHEMES: [&str; 4] = ["scru64", "nanoflake", "kuid", "sno"];
