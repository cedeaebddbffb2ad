//! The engine of a lease, without the scheme of its IDs.
//!
//! A generic function is compiled in every program that calls it, at every rebuild. In a leased
//! generator only the calls that draw IDs need that. State, worker and session hold a `dyn Engine`
//! instead, so they are compiled once, with this crate. Three rules keep it so:
//!
//! - Code that does not use the scheme has no parameter `S` or `C`. If it needs something of the
//!   engine, that becomes a method of [`Engine`], which is implemented in a line or two.
//! - The traits here have no methods with a body, since each scheme would compile its own copy. Such
//!   methods are on `dyn Engine` instead.
//! - An `async` function is compiled where it is polled, even if it is not generic. So the futures of
//!   this crate are polled here, in functions that are not generic: the worker calls `block_on`, and
//!   calls that wait as a task go through `HolderState::poll`.
//!
//! `cargo llvm-lines --release` shows what a program compiles: of ten lines that lease from a folder,
//! most is the engine and how it is built.

use core::time::Duration;
use std::sync::Arc;

use tickid_core::{Error, ErrorKind, RangeError, StallReason, UnixTime};

use crate::holder::error::LeaseError;
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmSpec;

/// An [`ActiveLease`](crate::session::ActiveLease) of any scheme and clock.
pub(crate) trait Engine {
    /// Reports whether the engine is known to be closed.
    fn is_over(&self) -> bool;

    /// Notes that the engine is closed.
    fn set_over(&self);

    /// Reads the clock.
    fn now(&self) -> Option<UnixTime>;

    /// Reports whether an ID could be issued now.
    fn check_ready(&self) -> Result<(), Error>;

    /// Returns the end of the window.
    fn ends_at(&self) -> UnixTime;

    /// Reports whether the engine is closed, also if its clock fails.
    fn is_closed(&self) -> bool;

    /// Raises the ceiling of the window.
    fn widen(&self, ceiling: u64) -> Result<(), RangeError>;

    /// Ends issuing, and returns the highest tick that was used.
    fn close(&self) -> Option<u64>;
}

/// An engine that calls, state and worker share.
pub(crate) type SharedEngine = Arc<dyn Engine + Send + Sync>;

/// The engines of a leased generator, one after the other, and their clock.
pub(crate) trait Engines {
    /// Reads the clock.
    fn now(&self) -> Option<UnixTime>;

    /// Starts an engine for a lease of the realm. Calls draw from it as soon as this returns.
    fn start(&self, realm: &RealmSpec, lease: &Lease) -> Result<SharedEngine, LeaseError>;
}

impl dyn Engine + Send + Sync {
    /// Returns the time until the window ends; zero if the engine cannot issue.
    pub(crate) fn window_left(&self) -> Duration {
        let is_ready = match self.check_ready() {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::Stalled(StallReason::TickUsedUp),
        };
        match self.now() {
            Some(now) if is_ready => self.ends_at().saturating_since(now),
            _ => Duration::ZERO,
        }
    }

    /// Returns the time until the clock has caught up with the window and the last ID.
    pub(crate) fn stall(&self) -> Duration {
        match self.check_ready() {
            Err(error) if error.kind() == ErrorKind::Stalled(StallReason::ClockBehind) => {
                error.retry_after().unwrap_or(Duration::ZERO)
            }
            _ => Duration::ZERO,
        }
    }
}
