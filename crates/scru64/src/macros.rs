//! IDs from literals.

/// Makes a [`Scru64Id`](crate::Scru64Id) from a literal. A literal that is not an ID is a compile
/// error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_scru64::{Scru64Id, scru64};
///
/// const ID: Scru64Id = scru64!("0u375nxqh5cq");
/// assert_eq!(u64::from(ID), 110_009_624_767_914_842);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_scru64::scru64!("0u375nxqh5c"); // a character short
/// ```
#[macro_export]
macro_rules! scru64 {
    ($text:expr) => {
        const { $crate::__parsed($crate::Scru64Id::parse_const($text.as_bytes())) }
    };
}
