//! One file or folder for each backend.

#[cfg(feature = "etcd")]
pub(crate) mod etcd;
pub(crate) mod file;
pub(crate) mod memory;
#[cfg(feature = "mysql")]
pub(crate) mod mysql;
pub(crate) mod open;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "redis")]
pub(crate) mod redis;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod sql;
pub(crate) mod static_node;
