//! Processes that are started, stopped, killed and given wrong clocks, with a lease from a store of
//! each kind: no ID is issued twice, and none lies outside the windows that were granted to its
//! process.
//!
//! This program is also the holder: it starts itself with a [`Task`](task::Task) in the
//! environment. A holder reports its grants and its IDs; the tests collect the reports in a
//! [`Ledger`](ledger::Ledger).

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there are no such signals"))]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it has seen"
)]

#[cfg(unix)]
mod crowd;
#[cfg(unix)]
mod fleet;
#[cfg(unix)]
mod holder;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod ledger;
#[cfg(unix)]
mod lost_rows;
#[cfg(unix)]
mod outages;
#[cfg(unix)]
mod planted;
#[cfg(unix)]
mod pools;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod rollbacks;
#[cfg(unix)]
mod scheme;
#[cfg(unix)]
mod stopped;
#[cfg(unix)]
mod stores;
#[cfg(unix)]
#[path = "../../../lease/tests/subjects/mod.rs"]
mod subjects;
#[cfg(unix)]
mod task;
#[cfg(unix)]
mod terms;

/// Returns a number of repetitions: `usual`, unless the environment sets it, as `cargo xtask
/// verify` does.
fn count(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |count| count.parse().unwrap())
}

/// Returns the seed of the tests' random choices. The operating system adds its own.
fn seed() -> u64 {
    std::env::var("TICKID_PROCESSES_SEED").map_or(1, |seed| seed.parse().unwrap())
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Test, Tests};

    use crate::stores::{Folder, ProcessStore};

    fn tests<G: ProcessStore>() -> Vec<Test<G>> {
        [
            crowd::tests(),
            kills::tests(),
            stopped::tests(),
            rollbacks::tests(),
            pools::tests(),
            terms::tests(),
            lost_rows::tests(),
            outages::tests(),
        ]
        .concat()
    }

    if let Some(task) = task::Task::of_this_process() {
        return holder::hold(task);
    }
    Tests::default()
        .add("file", &tests::<Folder>())
        .add("file", &planted::TESTS)
        .add("postgres", &[tests::<Postgres>(), outages::network_tests()].concat())
        .add("mysql", &[tests::<MySql>(), outages::network_tests()].concat())
        .add("etcd", &[tests::<Etcd>(), outages::network_tests()].concat())
        .add("etcd", &outages::CLUSTER_TESTS)
        .add("redis", &[tests::<Redis>(), outages::network_tests()].concat())
        .run()
}

#[cfg(not(unix))]
fn main() {}
