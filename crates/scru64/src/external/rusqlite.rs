use crate::id::Scru64Id;

tickid_core::impl_rusqlite!(Scru64Id, i64);
