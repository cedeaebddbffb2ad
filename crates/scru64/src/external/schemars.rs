use crate::id::Scru64Id;

tickid_core::impl_schemars!(Scru64Id);
