//! IDs from literals.

/// Makes a [`SnowflakeId`](crate::SnowflakeId) from a literal in decimal. A literal that is not an
/// ID is a compile error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_snowflake::{SnowflakeId, snowflake};
///
/// const ID: SnowflakeId = snowflake!("175928847299117063");
/// assert_eq!(ID.get(), 175_928_847_299_117_063);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_snowflake::snowflake!("18446744073709551616"); // one above the highest
/// ```
#[macro_export]
macro_rules! snowflake {
    ($text:expr) => {
        const { $crate::__parsed($crate::SnowflakeId::parse_bytes($text.as_bytes())) }
    };
}
