use crate::id::Scru64Id;

tickid_core::impl_diesel!(Scru64Id, i64, BigInt);
