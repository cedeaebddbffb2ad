use crate::id::NanoflakeId;

tickid_core::impl_sqlx!(NanoflakeId, i64);
