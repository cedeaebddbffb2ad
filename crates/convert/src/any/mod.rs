//! IDs and schemes that are known only at run time.

mod convert;
mod each;
mod form;
mod forms;
mod generator;
mod id;
mod kind;
#[cfg(feature = "lease")]
mod leased;
mod scheme;
mod text_form;

pub use self::convert::{convert_any, restore_any};
pub use self::each::{AnyIds, IdsVisitor};
pub use self::form::{Form, FormError};
pub use self::forms::{IdBytes, IdText};
#[cfg(target_has_atomic = "64")]
pub use self::generator::AnyGenerator;
pub use self::generator::{
    AfterError, AnyBackfill, AnyBuilder, AnyLocalGenerator, AnyObserveError,
};
#[cfg(feature = "lease")]
pub use self::leased::{AnyLeasedBuilder, AnyLeasedGenerator};
pub use self::scheme::{AnyScheme, SchemeError};
pub use self::text_form::TextForm;
pub use crate::schemes::any_id::AnyId;
pub(crate) use crate::schemes::any_id::with_id;
pub use crate::schemes::kind::Kind;
pub(crate) use crate::schemes::kind::with_type;
