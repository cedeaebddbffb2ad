//! The traits of other libraries that the types implement.

use crate::id::SnowflakeId;

tickid_core::impl_external! {
    SnowflakeId: "Snowflake",
    integer u64, bytes [u8; 8], column i64: BigInt, serde u64,
    text "^(0|[1-9][0-9]{0,19})$" from 1 characters
}
