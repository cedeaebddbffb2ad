//! Backends, and the names for writing one, such as the data that a [`Store`](crate::Store) keeps
//! in it.

mod contract;

pub use self::contract::{Answer, Backend, Change, Commit, RowChange, Scope};
pub use crate::blocking::on_a_thread;
pub use crate::embedded::file::FileBackend;
#[cfg(feature = "conformance")]
pub use crate::embedded::memory::Backup;
pub use crate::embedded::memory::MemoryBackend;
pub use crate::embedded::static_node::NodeSource;
pub use crate::model::realm_spec::RealmParts;
pub use crate::model::realm_view::RealmView;
pub use crate::model::record::{Extra, PoolPart, Record, Row, RowState, Rows, Version};
pub use crate::store_error::{Exposure, ExposureReason, StoreErrorKind, excerpt};
