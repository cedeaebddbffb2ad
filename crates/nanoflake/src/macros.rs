//! IDs from literals.

/// Makes a [`NanoflakeId`](crate::NanoflakeId) from a literal in Base36, padded or not. A literal
/// that is not an ID is a compile error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_nanoflake::{NanoflakeId, nanoflake};
///
/// const ID: NanoflakeId = nanoflake!("bppc0m3ju134");
/// assert_eq!(i64::from(ID), 1_541_815_603_606_036_480);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_nanoflake::nanoflake!("1y2p0ij32e8e8"); // one above the highest
/// ```
#[macro_export]
macro_rules! nanoflake {
    ($text:expr) => {
        const { $crate::__parsed($crate::NanoflakeId::parse_const($text.as_bytes())) }
    };
}
