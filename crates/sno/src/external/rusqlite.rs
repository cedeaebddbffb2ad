use crate::id::SnoId;

tickid_core::impl_rusqlite!(SnoId, [u8; 10]);
