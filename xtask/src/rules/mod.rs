//! The project's own rules, each a function over texts or metadata.

pub(crate) mod architecture;
pub(crate) mod circles;
pub(crate) mod documents;
