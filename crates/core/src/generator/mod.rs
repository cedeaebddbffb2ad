//! Generators: an engine, a clock, a node, and the ways to ask for IDs.

mod builder;
#[cfg(target_has_atomic = "64")]
mod handle;
mod issuer;
mod local;
#[cfg(feature = "std")]
mod overflow;
#[cfg(target_has_atomic = "64")]
mod shared;

pub use self::builder::{Builder, DEFAULT_MAX_WAIT};
#[cfg(target_has_atomic = "64")]
pub use self::handle::Handle;
#[cfg(feature = "std")]
pub use self::issuer::FillError;
pub use self::issuer::Ids;
pub use self::local::{LocalGenerator, ResetError, Resettable};
#[cfg(feature = "std")]
pub use self::overflow::Overflow;
#[cfg(target_has_atomic = "64")]
pub use self::shared::Generator;
