//! The stores on servers pass the conformance scenarios and keep their own promises, whatever
//! happens to the server.

#![cfg_attr(
    not(all(unix, feature = "etcd", feature = "mysql", feature = "postgres", feature = "redis")),
    allow(dead_code, unused_imports, reason = "each store uses its own part of what they share")
)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod distance;
#[path = "../error_chain/mod.rs"]
mod error_chain;
#[cfg(all(unix, feature = "etcd"))]
mod etcd;
mod herd;
#[cfg(all(unix, feature = "mysql"))]
mod mysql;
#[cfg(all(unix, feature = "postgres"))]
mod postgres;
#[cfg(all(unix, feature = "redis"))]
mod redis;
mod releases;
mod sql;
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    let tests = tickid_testkit::servers::Tests::default();
    let tests = tests.add("file", &releases::Folder::tests());
    #[cfg(feature = "etcd")]
    let tests = tests.add("etcd", &etcd::tests());
    #[cfg(feature = "mysql")]
    let tests = tests.add("mysql", &mysql::tests());
    #[cfg(feature = "postgres")]
    let tests = tests.add("postgres", &postgres::tests());
    #[cfg(feature = "redis")]
    let tests = tests.add("redis", &redis::tests());
    for (store, _) in tickid_stores::servers().filter(|(_, is_on)| *is_on) {
        assert!(tests.has(store), "the store {store} has no tests");
    }
    tests.threads(12).run()
}

#[cfg(not(unix))]
fn main() {}
