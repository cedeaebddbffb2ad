use tickid_core::external::{Forms, SortedText};

use crate::id::SnoId;

impl Forms for SnoId {
    type Integer = u128;
    type Bytes = [u8; 10];

    const NAME: &'static str = "sno ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[2-9a-x]{16}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for SnoId {}
