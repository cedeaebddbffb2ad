use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_rusqlite!(LocalId, i64);
tickid_core::impl_rusqlite!(GlobalId, [u8; 12]);
tickid_core::impl_rusqlite!(WideGlobalId, [u8; 16]);
