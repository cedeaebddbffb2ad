//! IDs and schemes that are known only at run time.

mod convert;
mod forms;
mod id;
mod kind;
mod scheme;

pub use self::convert::{convert_any, restore_any};
pub use self::forms::{IdBytes, IdText};
pub use self::id::AnyId;
pub(crate) use self::id::with_id;
pub use self::kind::Kind;
pub(crate) use self::kind::with_type;
pub use self::scheme::{AnyScheme, SchemeError};
