//! Holders of leases, which acquire one, issue IDs under it, renew it and release it.

pub(crate) mod active_lease;
mod boot;
pub(crate) mod builder;
pub(crate) mod clock_gap;
pub(crate) mod counters;
pub(crate) mod engine;
pub(crate) mod error;
pub(crate) mod leased_generator;
#[cfg(feature = "metrics")]
mod metrics;
pub(crate) mod name;
pub(crate) mod session;
pub(crate) mod state;
mod thread;
pub(crate) mod wait_reason;
pub(crate) mod waiting;
mod warnings;
mod worker;
