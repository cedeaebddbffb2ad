//! Names for holding leases without a [`LeasedGenerator`](crate::LeasedGenerator), for example in
//! an event loop. These are claims, the requests of a holder without I/O, the parts of a
//! generator's state, and [`block_on`], which runs a request without an executor.

pub use crate::block_on::block_on;
pub use crate::holder::active_lease::ActiveLease;
pub use crate::holder::clock_gap::ClockGap;
pub use crate::holder::counters::{Counters, ReasonCounts};
pub use crate::holder::error::Stall;
pub use crate::holder::name::holder_name;
pub use crate::holder::session::{LeaseSession, Outcome, Request};
pub use crate::holder::wait_reason::WaitReason;
pub use crate::holder::waiting::Wait;
pub use crate::model::lease::Claim;
pub use crate::model::token::Token;
