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
    const NAME: &str = "no_id_comes_twice";
    const LATER: &str = "a_store_may_start_later";
    tests
        .add("serve", options::TESTS)
        .add::<Etcd>("serve::start::etcd", &[(LATER, start::a_store_may_start_later)])
        .add::<MySql>("serve::start::mysql", &[(LATER, start::a_store_may_start_later)])
        .add::<Postgres>("serve::start::postgres", &[(LATER, start::a_store_may_start_later)])
        .add::<Redis>("serve::start::redis", &[(LATER, start::a_store_may_start_later)])
        .add::<Folder>("serve::fleet::folder", &[(NAME, fleet::survives)])
        .add::<Etcd>("serve::fleet::etcd", &[(NAME, fleet::survives)])
        .add::<MySql>("serve::fleet::mysql", &[(NAME, fleet::survives)])
        .add::<Postgres>("serve::fleet::postgres", &[(NAME, fleet::survives)])
        .add::<Redis>("serve::fleet::redis", &[(NAME, fleet::survives)])
}
