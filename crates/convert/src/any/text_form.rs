//! The text forms of the schemes as values.

use core::fmt;
use core::ops::Deref;

use tickid_text::ParseError;
use tickid_text::form::{Facts, FormOf};

use super::{AnyId, IdText, Kind, with_id, with_type};
use crate::schemes::SchemeId;

/// A text form of a scheme: one row of the table of its ID type.
///
/// It dereferences to the facts about the form. Its order is that of the schemes, and of the tables,
/// in which the canonical form is first.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, TextForm, Kind};
///
/// let url = TextForm::named(Kind::KuidGlobal, "url").ok_or("no such form")?;
/// let id = url.parse(b"AGA5igPrJzJ7aYAB")?;
/// assert_eq!(id.text_in(url).as_deref(), Some("AGA5igPrJzJ7aYAB"));
/// assert!(!url.sorts && TextForm::canonical(Kind::KuidGlobal).sorts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextForm {
    kind: Kind,
    /// Below the number of rows, because only [`Self::all`] sets it.
    row: u8,
}

impl TextForm {
    /// Returns the canonical form of a scheme.
    #[inline]
    #[must_use]
    pub const fn canonical(kind: Kind) -> Self {
        Self { kind, row: 0 }
    }

    /// Returns the form in which the text is the digits of the ID's integer, if the scheme has one.
    #[must_use]
    pub const fn integer(kind: Kind) -> Option<Self> {
        let mut row = 0;
        while let Some(form) = Self::at(kind, row) {
            if form.facts().is_integer {
                return Some(form);
            }
            row += 1;
        }
        None
    }

    /// Returns all forms of a scheme, the canonical one first.
    pub fn all(kind: Kind) -> impl Iterator<Item = Self> + Clone {
        (0..u8::MAX).map_while(move |row| Self::at(kind, row))
    }

    /// Returns the number of forms of a scheme.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "a table has a few rows")]
    pub const fn count(kind: Kind) -> u8 {
        with_type!(kind, Id => <Id as SchemeId>::FORMS.len() as u8)
    }

    /// Returns the form in this row of a scheme's table.
    #[must_use]
    pub const fn at(kind: Kind, row: u8) -> Option<Self> {
        if row < Self::count(kind) { Some(Self { kind, row }) } else { None }
    }

    /// Returns the form of a scheme with this name.
    #[must_use]
    pub fn named(kind: Kind, name: &str) -> Option<Self> {
        Self::all(kind).find(|form| form.name == name)
    }

    /// Returns the scheme.
    #[must_use]
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// Returns the place in the table of the ID type.
    #[inline]
    #[must_use]
    pub const fn row(self) -> u8 {
        self.row
    }

    /// Returns the row of an ID type's table, if the form is one of that type.
    #[inline]
    #[must_use]
    pub fn of<I: SchemeId>(self) -> Option<&'static FormOf<I>> {
        I::FORMS.get(usize::from(self.row)).filter(|_| self.kind == I::KIND)
    }

    /// Returns the facts.
    #[inline]
    #[must_use]
    pub const fn facts(self) -> &'static Facts {
        with_type!(self.kind, Id => &<Id as SchemeId>::FORMS[self.row as usize].form)
    }

    /// Reads a text in this form.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID of the scheme in this form.
    pub fn parse(self, text: &[u8]) -> Result<AnyId, ParseError> {
        with_type!(self.kind, Id => (<Id as SchemeId>::FORMS[self.row as usize].parse)(text).map(AnyId::from))
    }
}

impl Deref for TextForm {
    type Target = Facts;

    #[inline]
    fn deref(&self) -> &Facts {
        self.facts()
    }
}

impl fmt::Debug for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.key(), self.name)
    }
}

impl AnyId {
    /// Returns the text in a form, or `None` if the form is one of another scheme.
    #[must_use]
    pub fn text_in(self, form: TextForm) -> Option<IdText> {
        /// Selects the type that the form must be of.
        fn text<I: SchemeId>(id: I, form: TextForm) -> Option<IdText> {
            form.of::<I>().map(|row| (row.write)(id))
        }
        with_id!(self, id => text(id, form))
    }
}
