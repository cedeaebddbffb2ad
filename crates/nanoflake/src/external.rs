//! The traits of other libraries that the types implement.

use crate::id::NanoflakeId;

// Texts are padded or not. That the highest ID of 13 digits is `1y2p0ij32e8e7` is more than a short
// pattern says.
tickid_core::impl_external! {
    NanoflakeId: "Nanoflake",
    integer i64, bytes [u8; 8], column i64: BigInt, serde i64,
    text "^(0|[1-9A-Za-z][0-9A-Za-z]{0,12}|0[0-9A-Za-z]{12})$" from 1 characters
}
