//! Fleets of holders with the timeouts and back-off of the library, over real servers: all start at
//! once, their server is down for a while, and it comes back without what it granted.
//!
//! `TICKID_HOLDERS` sets the number of holders, but SQL databases renew for 200 at most. They have
//! the default terms then, and the times and numbers of requests that the project promises are
//! asserted. Otherwise a small fleet with short terms shows the same events, and nothing that
//! depends on the machine is asserted.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there are no servers"))]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and prints its figures"
)]

#[cfg(unix)]
mod failures;
#[cfg(unix)]
mod fleet;
#[cfg(unix)]
mod servers;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Tests};

    Tests::default()
        .add("postgres", &failures::tests::<Postgres>())
        .add("mysql", &failures::tests::<MySql>())
        .add("etcd", &failures::tests::<Etcd>())
        .add("redis", &failures::tests::<Redis>())
        .run()
}

#[cfg(not(unix))]
fn main() {}
