use crate::id::Scru64Id;

tickid_core::impl_arbitrary!(Scru64Id);
