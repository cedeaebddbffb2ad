use crate::id::SnoId;

tickid_core::impl_diesel!(SnoId, [u8; 10], Binary);
