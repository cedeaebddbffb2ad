//! The macros of libraries whose feature is off, which implement nothing. They exist because a
//! scheme's table names all of them, and a `cfg` within a macro would look at the scheme's
//! features.

#[cfg(not(feature = "arbitrary_1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_arbitrary {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "diesel_2"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_diesel {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "mysql_common_0_37"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_mysql_common {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "postgres_types_0_2"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_postgres_types {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "proptest_1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_proptest {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "rusqlite"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_rusqlite {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "schemars_1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_schemars {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "sea_orm_2"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_sea_orm {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "sqlx_0_9"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_sqlx {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "sqlx_0_9_postgres"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_sqlx_postgres {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "utoipa_6"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_utoipa {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "uuid_1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_uuid_v8 {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "uuid_1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_uuid_bytes {
    ($($_:tt)*) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! impl_serde {
    ($($_:tt)*) => {};
}
