//! IDs from literals.

/// Makes a [`SnoId`](crate::SnoId) from a literal. A literal that is not an ID is a compile error,
/// so there is no `Result` to unwrap.
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
