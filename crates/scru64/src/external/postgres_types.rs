use crate::id::Scru64Id;

tickid_core::impl_postgres_types!(Scru64Id, i64);
