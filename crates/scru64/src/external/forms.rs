use tickid_core::external::{Forms, SortedText};

use crate::id::Scru64Id;

impl Forms for Scru64Id {
    type Integer = u64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "SCRU64 ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[0-9A-Za-z]{12}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for Scru64Id {}
