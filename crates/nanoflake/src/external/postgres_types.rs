use crate::id::NanoflakeId;

tickid_core::impl_postgres_types!(NanoflakeId, i64);
