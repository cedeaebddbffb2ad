//! Generators, which put an engine, a clock and the calls that draw IDs together.

mod accessors;
mod backfill;
mod builder;
mod calls;
#[cfg(target_has_atomic = "64")]
mod handle;
mod ids;
mod local;
#[cfg(feature = "std")]
mod overflow;
mod own_source;
#[cfg(feature = "std")]
mod process;
#[cfg(target_has_atomic = "64")]
mod shared;
mod source;
mod timing;
mod view;
#[cfg(feature = "std")]
mod wait;

pub use self::backfill::{Backfill, BackfillError};
pub use self::builder::Builder;
#[cfg(target_has_atomic = "64")]
pub use self::handle::Handle;
pub use self::ids::{FillError, Filled, Ids};
pub use self::local::{LocalGenerator, ResetError, Resettable};
#[cfg(feature = "std")]
pub use self::overflow::Overflow;
#[cfg(feature = "std")]
pub use self::process::ProcessError;
#[cfg(target_has_atomic = "64")]
pub use self::shared::Generator;
pub use self::timing::DEFAULT_MAX_WAIT;
pub use self::view::View;

/// The parts of a generator's calls, for the leased generators of `tickid-lease`.
#[doc(hidden)]
pub mod source_parts {
    pub use crate::debug_error::Chain;
    pub use crate::engine::Block;
    #[cfg(feature = "std")]
    pub use crate::generator::calls::{block, block_async, fill, generate, generate_async};
    pub use crate::generator::calls::{try_block, try_fill, try_generate};
    #[cfg(feature = "std")]
    pub use crate::generator::source::Deadline;
    pub use crate::generator::source::{Follow, Source, observe};
    #[cfg(feature = "std")]
    pub use crate::generator::wait::{wait_ready, wait_ready_async};
}
