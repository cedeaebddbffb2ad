//! Real servers for tests, started from the programs that are installed, each in a temporary folder of
//! its own, which is gone when the server is dropped or the tests end, however they end.
//!
//! Tests that need one are functions of it, given to [`server_tests`](crate::server_tests), in a target
//! with `harness = false`. Where the server is not installed they show as ignored; with
//! `TICKID_REQUIRE_SERVERS=1` they fail, so that a machine that is meant to have it can't do without.

mod etcd;
mod harness;
mod kept;
mod mysql;
mod network;
mod postgres;
mod redis;
mod server;

pub use self::etcd::Etcd;
pub use self::harness::{Test, Tests, run};
pub use self::mysql::MySql;
pub use self::postgres::Postgres;
pub use self::redis::Redis;
pub use self::server::{REQUIRE_SERVERS, Server, StartError};
