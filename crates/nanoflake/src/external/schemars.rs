use crate::id::NanoflakeId;

tickid_core::impl_schemars!(NanoflakeId);
