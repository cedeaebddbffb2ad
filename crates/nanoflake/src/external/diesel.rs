use crate::id::NanoflakeId;

tickid_core::impl_diesel!(NanoflakeId, i64, BigInt);
