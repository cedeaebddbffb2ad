//! The traits of other libraries that the types implement.

use crate::id::NanoflakeId;

// Texts are padded or not. The pattern stays short, so it does not exclude texts of 13 digits above
// the highest ID, `1y2p0ij32e8e7`.
tickid_core::impl_external! {
    NanoflakeId: "Nanoflake",
    integer i64, bytes [u8; 8], column i64: BigInt, serde i64,
    text "^(0|[1-9A-Za-z][0-9A-Za-z]{0,12}|0[0-9A-Za-z]{12})$" from 1 characters
}
