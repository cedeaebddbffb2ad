//! Real servers for tests, started from the programs that are installed, each in a temporary folder of
//! its own, which is gone when the server is dropped or the tests end, however they end.
//!
//! Tests that need one are functions of it, given to [`server_tests`](crate::server_tests), in a target
//! with `harness = false`. Where the server is not installed they show as ignored; with
//! `TICKID_REQUIRE_SERVERS=1` they fail, so that a machine that is meant to have it can't do without.

mod etcd;
mod harness;
mod kept;
mod network;
mod postgres;
mod redis;

use core::fmt;
use std::io;

pub use self::etcd::Etcd;
pub use self::harness::{Test, Tests, run};
pub use self::postgres::Postgres;
pub use self::redis::Redis;

/// When set, tests whose server is not installed fail.
pub const REQUIRE_SERVERS: &str = "TICKID_REQUIRE_SERVERS";

/// A program that tests talk to.
pub trait Server: Sized + Send + Sync + 'static {
    /// What people call it.
    const NAME: &'static str;

    /// Starts one, in a folder of its own; returns when it takes connections.
    ///
    /// # Errors
    /// [`StartError::NotInstalled`] where there is no such program.
    fn start() -> Result<Self, StartError>;

    /// Whether its programs are there.
    fn is_installed() -> bool;
}

/// Why there is no server.
#[derive(Debug)]
pub enum StartError {
    /// Its programs are in none of the usual places.
    NotInstalled,
    /// It did not start; what it said about it.
    Failed(String),
    /// What it needs could not be prepared.
    Io(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str("not installed"),
            Self::Failed(said) => write!(f, "did not start; it said:\n{said}"),
            Self::Io(error) => write!(f, "could not be prepared: {error}"),
        }
    }
}

impl core::error::Error for StartError {}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
