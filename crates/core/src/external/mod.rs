//! The traits of other libraries that IDs implement, for scheme crates. One file for each feature.
//!
//! A scheme describes each of its IDs in a table ([`impl_external`](crate::impl_external)); the
//! implementations are generated here, alike for all IDs. The libraries are re-exported, hidden, so
//! that the macros find them.

mod as_text;
#[cfg(feature = "alloc")]
mod columns;
mod representations;

pub use self::as_text::AsText;
#[cfg(feature = "alloc")]
pub use self::columns::Column;
pub use self::representations::{Representations, SortedText, from_slice};
pub use crate::conversions::node_number;
pub use crate::random::random_bytes;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __alloc {
    pub use alloc::string;
}

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "diesel")]
pub mod diesel;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "mysql_common")]
pub mod mysql_common;
#[cfg(feature = "postgres-types")]
pub mod postgres_types;
#[cfg(feature = "proptest")]
pub mod proptest;
#[cfg(feature = "rusqlite")]
pub mod rusqlite;
#[cfg(feature = "schemars")]
pub mod schemars;
#[cfg(feature = "sea-orm")]
pub mod sea_orm;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "sqlx")]
pub mod sqlx;
#[cfg(feature = "utoipa")]
pub mod utoipa;
#[cfg(feature = "uuid")]
pub mod uuid;
