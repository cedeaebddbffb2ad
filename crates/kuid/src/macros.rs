//! IDs from literals.

/// Makes a [`LocalId`](crate::LocalId) from a literal in canonical text. Any other literal is a
/// compile error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_kuid::{LocalId, local_id};
///
/// const ID: LocalId = local_id!(".5.tXbhdV.3");
/// assert_eq!(ID.sequence(), 1);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_kuid::local_id!(".5.tXbhdV."); // a character short
/// ```
#[macro_export]
macro_rules! local_id {
    ($text:expr) => {
        const { $crate::__parsed($crate::LocalId::parse_const($text.as_bytes())) }
    };
}

/// Makes a [`GlobalId`](crate::GlobalId) from a literal in canonical text. Any other literal is a
/// compile error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_kuid::{GlobalId, global_id};
///
/// const ID: GlobalId = global_id!(".5.tXVEf8n8vPN.0");
/// assert_eq!(ID.sequence(), 1);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_kuid::global_id!(".5.tXVEf8n8vPN.0."); // a character too many
/// ```
#[macro_export]
macro_rules! global_id {
    ($text:expr) => {
        const { $crate::__parsed($crate::GlobalId::parse_const($text.as_bytes())) }
    };
}
