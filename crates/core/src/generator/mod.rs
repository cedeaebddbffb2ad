//! Generators: an engine, a clock, and the calls that draw IDs.

mod builder;
mod calls;
#[cfg(target_has_atomic = "64")]
mod handle;
mod ids;
mod local;
#[cfg(feature = "std")]
mod overflow;
#[cfg(target_has_atomic = "64")]
mod shared;
mod source;
mod view;
mod wait;

pub use self::builder::{Builder, DEFAULT_MAX_WAIT};
#[cfg(target_has_atomic = "64")]
pub use self::handle::Handle;
#[cfg(feature = "std")]
pub use self::ids::FillError;
pub use self::ids::{Filled, Ids};
pub use self::local::{LocalGenerator, ResetError, Resettable};
#[cfg(feature = "std")]
pub use self::overflow::Overflow;
#[cfg(target_has_atomic = "64")]
pub use self::shared::Generator;
pub use self::view::View;
