//! `tickid serve`: the running command, its signals, and several of it over one store of each kind.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there are no such signals"))]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it has seen"
)]

#[cfg(unix)]
mod attacks;
#[cfg(unix)]
mod fleet;
#[cfg(unix)]
mod idle;
#[cfg(unix)]
mod options;
#[cfg(unix)]
#[path = "../process/mod.rs"]
mod process;
#[cfg(unix)]
mod serving;
#[cfg(unix)]
mod snippets;

/// For tests that need no server but the command's own.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

#[cfg(unix)]
impl tickid_testkit::servers::Server for Folder {
    const NAME: &'static str = "folder";

    fn start() -> Result<Self, tickid_testkit::servers::StartError> {
        Ok(Self(tempfile::TempDir::new()?))
    }

    fn is_installed() -> bool {
        true
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Tests};

    const NAME: &str = "no_id_comes_twice";
    Tests::default()
        .add("options", options::TESTS)
        .add::<Folder>("folder", &[(NAME, fleet::survives)])
        .add::<Etcd>("etcd", &[(NAME, fleet::survives)])
        .add::<MySql>("mysql", &[(NAME, fleet::survives)])
        .add::<Postgres>("postgres", &[(NAME, fleet::survives)])
        .add::<Redis>("redis", &[(NAME, fleet::survives)])
        .at_once(6)
        .run()
}

#[cfg(not(unix))]
fn main() {}
