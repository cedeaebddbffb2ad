use crate::id::SnoId;

tickid_core::impl_postgres_types!(SnoId, [u8; 10]);
