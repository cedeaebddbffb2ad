//! The subjects of the libraries' own tests, from their support files.

#[allow(dead_code, reason = "of the codecs' tests, which use all of it")]
#[path = "../../crates/text/tests/codecs/forms.rs"]
pub(crate) mod codecs;
#[path = "../../crates/kuid/tests/support/mod.rs"]
pub(crate) mod kuid;
#[path = "../../crates/nanoflake/tests/support/mod.rs"]
pub(crate) mod nanoflake;
#[path = "../../crates/scru64/tests/support/mod.rs"]
pub(crate) mod scru64;
#[path = "../../crates/sno/tests/support/mod.rs"]
pub(crate) mod sno;
