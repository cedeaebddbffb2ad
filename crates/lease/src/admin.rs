//! Names for administering realms, such as how one starts, the standing of its nodes, and the rules
//! and refusals behind the requests of a [`Store`](crate::Store).

pub use crate::model::pool::{NodeRange, PoolError};
pub use crate::model::realm_spec::{Mismatch, RealmName, Terms};
pub use crate::model::record::PauseReason;
pub use crate::model::refusal::{LeaseEnd, Refusal};
pub use crate::model::rules::{RealmRules, Standing};
pub use crate::model::text::LeaseTextError;
pub use crate::store::{Created, Start};
