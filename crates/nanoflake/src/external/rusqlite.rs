use crate::id::NanoflakeId;

tickid_core::impl_rusqlite!(NanoflakeId, i64);
