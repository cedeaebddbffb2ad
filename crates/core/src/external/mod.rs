//! The traits of other libraries that IDs implement, for scheme crates. One file for each feature.
//!
//! A scheme describes each of its IDs in a table ([`impl_external`](crate::impl_external)); the
//! implementations are generated here, alike for all IDs. The libraries are re-exported, hidden, so
//! that the macros find them.

mod as_text;
#[cfg(feature = "alloc")]
mod columns;
mod representations;
mod without;

pub use self::as_text::AsText;
#[cfg(feature = "alloc")]
pub use self::columns::Column;
pub use self::representations::{Representations, SortedText, from_slice};
pub use crate::impl_conversions::node_number;
pub use crate::random::random_bytes;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __alloc {
    pub use alloc::string;
}

#[cfg(feature = "arbitrary_1")]
pub mod arbitrary;
#[cfg(feature = "bytemuck_1")]
pub mod bytemuck;
#[cfg(feature = "chrono_0_4")]
mod chrono;
#[cfg(feature = "diesel_2")]
pub mod diesel;
#[cfg(any(feature = "jiff_0_2", feature = "jiff_1"))]
mod jiff;
#[cfg(feature = "mysql_common_0_37")]
pub mod mysql_common;
#[cfg(feature = "postgres_types_0_2")]
pub mod postgres_types;
#[cfg(feature = "proptest_1")]
pub mod proptest;
#[cfg(feature = "rusqlite")]
pub mod rusqlite;
#[cfg(feature = "schemars_1")]
pub mod schemars;
#[cfg(feature = "sea_orm_2")]
pub mod sea_orm;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "sqlx_0_9")]
pub mod sqlx;
#[cfg(feature = "utoipa_6")]
pub mod utoipa;
#[cfg(feature = "uuid_1")]
pub mod uuid;
