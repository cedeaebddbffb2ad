use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

tickid_core::impl_postgres_types!(LocalId, i64);
tickid_core::impl_postgres_types!(GlobalId, [u8; 12]);
tickid_core::impl_postgres_types!(WideGlobalId, [u8; 16]);
