use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_proptest!(LocalId);
tickid_core::impl_proptest!(GlobalId);
tickid_core::impl_proptest!(WideGlobalId);
