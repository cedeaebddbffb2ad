//! Other libraries' traits, one file for each feature.

mod forms;

#[cfg(feature = "arbitrary")]
mod arbitrary;
#[cfg(feature = "diesel")]
mod diesel;
#[cfg(feature = "postgres-types")]
mod postgres_types;
#[cfg(feature = "proptest")]
mod proptest;
#[cfg(feature = "rusqlite")]
mod rusqlite;
#[cfg(feature = "schemars")]
mod schemars;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "sqlx")]
mod sqlx;
