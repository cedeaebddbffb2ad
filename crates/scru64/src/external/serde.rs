use crate::id::Scru64Id;

tickid_core::impl_serde!(Scru64Id, u64);
