//! Real servers for tests, started from the installed programs, each in a temporary folder of its
//! own, which is removed when the server is dropped or the tests end, however they end.
//!
//! Tests that need a server are functions of it, passed to [`server_tests`](crate::server_tests),
//! in a target with `harness = false`. Where the server is not installed they are reported as
//! ignored; with `TICKID_REQUIRE_SERVERS=1` they fail, so that a missing server does not go
//! unnoticed on a machine that should have it.

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
pub use self::network::{clock_library, free_port};
pub use self::postgres::Postgres;
pub use self::redis::Redis;
pub use self::server::{REQUIRE_SERVERS, Server, StartError};
