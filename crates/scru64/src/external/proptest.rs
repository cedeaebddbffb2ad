use crate::id::Scru64Id;

tickid_core::impl_proptest!(Scru64Id);
