//! One file or folder for each backend.

pub(crate) mod file;
pub(crate) mod memory;
pub(crate) mod open;
pub(crate) mod static_node;
