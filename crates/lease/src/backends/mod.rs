//! One file or folder for each backend.

#[cfg(feature = "etcd")]
pub(crate) mod etcd;
pub(crate) mod file;
#[cfg(any(feature = "etcd", feature = "redis"))]
mod known;
pub(crate) mod memory;
pub(crate) mod open;
#[cfg(feature = "redis")]
pub(crate) mod redis;
pub(crate) mod static_node;
