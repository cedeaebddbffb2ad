//! The project's own rules, each a function over texts or metadata.

pub(crate) mod architecture;
pub(crate) mod counts;
pub(crate) mod documents;
pub(crate) mod packages;
pub(crate) mod prose;
pub(crate) mod test_files;
