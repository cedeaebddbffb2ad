//! The subjects of the libraries' own tests, from their support files.

#[path = "../../crates/kuid/tests/it/support/mod.rs"]
pub(crate) mod kuid;
#[path = "../../crates/nanoflake/tests/it/support/mod.rs"]
pub(crate) mod nanoflake;
#[path = "../../crates/scru64/tests/it/support/mod.rs"]
pub(crate) mod scru64;
#[allow(dead_code, reason = "the tests of sno use more of it")]
#[path = "../../crates/sno/tests/it/support/mod.rs"]
pub(crate) mod sno;
#[allow(dead_code, reason = "the tests of Snowflakes use more of it")]
#[path = "../../crates/snowflake/tests/it/support/mod.rs"]
pub(crate) mod snowflake;
