//! IDs from literals.

/// A [`SnoId`](crate::SnoId) from a literal; one that does not parse does not compile.
///
/// ```
/// use tickid_sno::{SnoId, sno};
///
/// const ID: SnoId = sno!("brpk4q72xwf2m63l");
/// assert_eq!(ID.sequence(), 4_147);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_sno::sno!("brpk4q72xwf2m63z"); // no z in the alphabet
/// ```
#[macro_export]
macro_rules! sno {
    ($text:expr) => {
        const { $crate::__parsed($crate::SnoId::parse_const($text.as_bytes())) }
    };
}
