use crate::id::NanoflakeId;

tickid_core::impl_serde!(NanoflakeId, i64);
