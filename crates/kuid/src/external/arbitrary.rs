use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_arbitrary!(LocalId);
tickid_core::impl_arbitrary!(GlobalId);
tickid_core::impl_arbitrary!(WideGlobalId);
