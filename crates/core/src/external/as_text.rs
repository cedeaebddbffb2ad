use core::fmt;

use crate::external::SortedText;

/// In a database: the canonical text of an ID, rather than an integer or bytes.
///
/// There is such a form of all IDs whose text sorts as they do, in every database library that there is a
/// feature for. The column sorts so, too, **if its collation compares bytes**: `COLLATE "C"` in PostgreSQL. SQLite
/// does so unless told otherwise.
///
/// Texts that can be read but are not canonical, such as SCRU64's in upper case, are read. Examples with each
/// library are in the project's `docs/stacks.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "diesel",
    derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow),
    diesel(sql_type = diesel::sql_types::Text)
)]
#[allow(clippy::exhaustive_structs, reason = "a wrapper is there to be taken off")]
pub struct AsText<T: SortedText>(pub T);

impl<T: SortedText> From<T> for AsText<T> {
    fn from(id: T) -> Self {
        Self(id)
    }
}

impl<T: SortedText> fmt::Display for AsText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
