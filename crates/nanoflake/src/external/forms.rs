use tickid_core::external::Forms;

use crate::id::NanoflakeId;

impl Forms for NanoflakeId {
    type Integer = i64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "Nanoflake";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // Padded or not. That the highest ID of 13 digits is `1y2p0ij32e8e7` is more than a short pattern says.
    const TEXT_PATTERN: &'static str = "^(0|[1-9A-Za-z][0-9A-Za-z]{0,12}|0[0-9A-Za-z]{12})$";
    const MIN_TEXT_LEN: usize = 1;
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}
