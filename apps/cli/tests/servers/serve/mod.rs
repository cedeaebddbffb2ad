//! `tickid serve`: the running command, its signals, and several of it over one store of each kind.

mod attacks;
mod fleet;
mod idle;
mod options;
mod serving;
mod start;

use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Server, StartError, Tests};

#[cfg(target_os = "linux")]
pub(crate) use self::serving::{Serving, http};

/// For tests that need no server but the command's own.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Server for Folder {
    const NAME: &'static str = "folder";

    fn start() -> Result<Self, StartError> {
        Ok(Self(tempfile::TempDir::new()?))
    }

    fn is_installed() -> bool {
        true
    }
}

/// Adds the tests of the running command.
pub(crate) fn add_to(tests: Tests) -> Tests {
    tests
        .add("serve", options::TESTS)
        .add::<Etcd>("serve::start::etcd", &start::tests())
        .add::<MySql>("serve::start::mysql", &start::tests())
        .add::<Postgres>("serve::start::postgres", &start::tests())
        .add::<Redis>("serve::start::redis", &start::tests())
        .add::<Folder>("serve::fleet::folder", &fleet::tests())
        .add::<Etcd>("serve::fleet::etcd", &fleet::tests())
        .add::<MySql>("serve::fleet::mysql", &fleet::tests())
        .add::<Postgres>("serve::fleet::postgres", &fleet::tests())
        .add::<Redis>("serve::fleet::redis", &fleet::tests())
}
