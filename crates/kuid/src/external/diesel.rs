use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_diesel!(LocalId, i64, BigInt);
tickid_core::impl_diesel!(GlobalId, [u8; 12], Binary);
tickid_core::impl_diesel!(WideGlobalId, [u8; 16], Binary);
