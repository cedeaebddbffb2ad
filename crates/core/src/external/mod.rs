//! For scheme crates: what every ID does with other libraries, one file for each feature.
//!
//! An ID says what its forms are ([`Forms`]) and which of them a database holds; the rest is done here, alike
//! for all. The libraries are re-exported, hidden, so that the macros find them.

mod as_text;
mod forms;

pub use self::as_text::AsText;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __alloc {
    pub use alloc::string;
}

pub use self::forms::{Forms, SortedText, from_slice};

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "diesel")]
pub mod diesel;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "postgres-types")]
pub mod postgres_types;
#[cfg(feature = "proptest")]
pub mod proptest;
#[cfg(feature = "rusqlite")]
pub mod rusqlite;
#[cfg(feature = "schemars")]
pub mod schemars;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "sqlx")]
pub mod sqlx;
