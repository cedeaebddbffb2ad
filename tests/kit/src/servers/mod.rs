//! Real servers for tests, started from the installed programs, a [`Proxy`] before them, and a
//! [`Hostile`] one. Each real one has its own temporary folder, which is removed when the server is
//! dropped or when the tests end, for whatever reason.
//!
//! Tests that need a server are functions that take it, which a target with `harness = false`
//! passes to [`Tests`] or [`run`]. If the server is not installed, they are reported as ignored.
//! With `TICKID_REQUIRE_SERVERS=1` they fail instead, so that a missing server does not go
//! unnoticed on a machine that should have it.

mod certificates;
mod etcd;
mod harness;
mod hostile;
mod kept;
mod mysql;
mod network;
mod outage;
mod postgres;
mod proxy;
mod redis;
mod server;

pub use self::certificates::CERTIFICATES;
pub use self::etcd::Etcd;
pub use self::harness::{Test, Tests, run};
pub use self::hostile::Hostile;
pub use self::mysql::MySql;
pub use self::network::{clock_library, free_port};
pub use self::outage::Outage;
pub use self::postgres::Postgres;
pub use self::proxy::{Proxy, Target};
pub use self::redis::Redis;
pub use self::server::{REQUIRE_SERVERS, Server, StartError};
