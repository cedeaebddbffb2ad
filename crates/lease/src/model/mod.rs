//! The data that stores keep and the rules for it, without I/O, clocks and locks.

pub(crate) mod candidates;
pub(crate) mod codec;
pub(crate) mod evidence;
pub(crate) mod lease;
pub(crate) mod pool;
pub(crate) mod realm_spec;
pub(crate) mod realm_view;
pub(crate) mod reconfiguration;
pub(crate) mod record;
pub(crate) mod refusal;
pub(crate) mod rules;
pub(crate) mod text;
pub(crate) mod token;
