use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_schemars!(LocalId);
tickid_core::impl_schemars!(GlobalId);
tickid_core::impl_schemars!(WideGlobalId);
