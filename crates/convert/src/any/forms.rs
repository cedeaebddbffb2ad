//! The text and the bytes of an ID of any scheme, on the stack.

use core::fmt;
use core::ops::Deref;

use crate::inline_vec::InlineVec;

/// The text of an ID on the stack.
pub type IdText = tickid_text::Text<{ tickid_text::form::MAX_LEN }>;

/// The largest number of bytes of an ID, a KSUID's.
const MAX_BYTES: usize = 20;

/// The bytes of an ID on the stack, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdBytes(InlineVec<u8, MAX_BYTES>);

impl IdBytes {
    /// Returns the first twenty of these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(InlineVec::new(bytes, 0))
    }
}

impl Deref for IdBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Writes hexadecimal digits in lower case.
impl fmt::Display for IdBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
