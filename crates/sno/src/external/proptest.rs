use crate::id::SnoId;

tickid_core::impl_proptest!(SnoId);
