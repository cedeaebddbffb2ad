//! Names for administering realms, such as how one starts, the standing of its nodes, and the
//! refusals of a [`Store`](crate::Store).

pub use crate::model::pool::{NodeRange, PoolError};
pub use crate::model::realm_spec::{Mismatch, RealmFacet, RealmName, Terms};
pub use crate::model::reconfiguration::RealmPart;
pub use crate::model::record::PauseReason;
pub use crate::model::refusal::{LeaseEnd, Refusal};
// For the command and the supervisor, which treat refusals by their kinds.
#[doc(hidden)]
pub use crate::model::refusal::RefusalKind;
// The rules are for the command, the fuzz targets and the simulation.
#[doc(hidden)]
pub use crate::model::rules::RealmRules;
pub use crate::model::rules::Standing;
pub use crate::model::text::LeaseTextError;
pub use crate::store::{Created, Reconfigured, Start};
