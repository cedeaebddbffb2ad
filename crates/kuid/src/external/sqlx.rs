use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_sqlx!(LocalId, i64);
tickid_core::impl_sqlx!(GlobalId, [u8; 12]);
tickid_core::impl_sqlx!(WideGlobalId, [u8; 16]);
