use crate::id::SnoId;

tickid_core::impl_sqlx!(SnoId, [u8; 10]);
