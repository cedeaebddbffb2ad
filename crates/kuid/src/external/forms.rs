use tickid_core::external::{Forms, SortedText};

use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;

impl Forms for LocalId {
    type Integer = u64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "kuid local ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // The last character holds four bits.
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl Forms for GlobalId {
    type Integer = u128;
    type Bytes = [u8; 12];

    const NAME: &'static str = "kuid global ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{16}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl Forms for WideGlobalId {
    type Integer = u128;
    type Bytes = [u8; 16];

    const NAME: &'static str = "kuid wide global ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // The last character holds two bits.
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{21}[.FVk]$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for LocalId {}
impl SortedText for GlobalId {}
impl SortedText for WideGlobalId {}
