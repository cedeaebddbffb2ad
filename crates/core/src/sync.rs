//! The atomics of the engine and of the counter clock, or a model checker's replacements for them.

#[cfg(not(all(test, any(tickid_loom, tickid_shuttle))))]
pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(all(test, tickid_loom))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(all(test, tickid_shuttle))]
pub(crate) use shuttle::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
