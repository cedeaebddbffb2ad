//! Columns that hold an ID's canonical text instead of an integer or bytes.

use core::fmt;

use crate::external::SortedText;

/// Stores an ID in a database as its canonical text, rather than as an integer or bytes. The column
/// is larger, but people can read it, and compare it with what they see in logs and URLs.
///
/// All IDs whose text sorts as they do have this form, in every database library that there is a
/// feature for. The column sorts in the same order **if its collation compares bytes**. That is
/// `COLLATE "C"` in PostgreSQL, `ascii_bin` in MySQL, and the default in SQLite. A collation for a
/// language may sort differently, and range queries then miss rows.
///
/// Texts that are valid but not canonical, such as SCRU64's in upper case, are read too. The
/// project's `docs/stacks.md` shows the use with each library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "diesel_2",
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

#[cfg(feature = "alloc")]
impl<T: SortedText> From<AsText<T>> for alloc::string::String {
    fn from(id: AsText<T>) -> Self {
        alloc::string::ToString::to_string(&id)
    }
}

#[cfg(feature = "alloc")]
impl<T: SortedText> TryFrom<alloc::string::String> for AsText<T> {
    type Error = T::Err;

    fn try_from(text: alloc::string::String) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}
