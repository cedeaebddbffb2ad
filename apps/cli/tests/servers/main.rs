//! The command with servers: the stores of leases, `tickid serve`, PostgreSQL's functions, and other
//! clocks.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it has seen"
)]

#[cfg(all(target_os = "linux", feature = "full"))]
mod backfill;
#[cfg(target_os = "linux")]
mod clock_steps;
#[cfg(all(unix, feature = "full"))]
mod doctor;
#[cfg(all(target_os = "linux", feature = "full"))]
mod doors;
#[cfg(unix)]
#[path = "../process/mod.rs"]
mod process;
#[cfg(all(unix, feature = "full"))]
mod serve;
#[cfg(all(unix, feature = "full"))]
mod stores;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let tests = tickid_testkit::servers::Tests::default();
    #[cfg(target_os = "linux")]
    let tests = tests.add("clock_steps", &clock_steps::TESTS);
    #[cfg(all(target_os = "linux", feature = "full"))]
    let tests = tests.add("backfill", &backfill::TESTS).add("doors", &doors::TESTS);
    #[cfg(feature = "full")]
    let tests = stores::add_to(doctor::add_to(serve::add_to(tests))).threads(6);
    tests.run()
}

#[cfg(not(unix))]
fn main() {}
