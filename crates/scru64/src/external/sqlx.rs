use crate::id::Scru64Id;

tickid_core::impl_sqlx!(Scru64Id, i64);
