//! The facts about each scheme that need no settings.

use core::ops::RangeInclusive;
use core::str::FromStr;

use tickid_core::Scheme;

use super::{AnyScheme, SchemeError, TextForm};
use crate::options::{SettingOption, Settings};
use crate::schemes::kind::{Kind, with_type};
use crate::schemes::{SchemeId, SchemeVariant, SchemeVisitor};

impl Kind {
    /// Returns the number of bytes of an ID.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_convert::Kind::Sno.byte_len(), 10);
    /// ```
    #[must_use]
    pub const fn byte_len(self) -> usize {
        with_type!(self, Id => size_of::<Id>())
    }

    /// Reports whether IDs carry a node. (SCRU64 IDs do, although its size has to be known from
    /// elsewhere.)
    ///
    /// # Examples
    /// ```
    /// assert!(!tickid_convert::Kind::KuidLocal.has_node());
    /// ```
    #[must_use]
    pub const fn has_node(self) -> bool {
        with_type!(self, Id => Id::HAS_NODE)
    }

    /// Returns the lengths of canonical texts.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_convert::Kind::Sno.text_lens(), 16..=16);
    /// ```
    #[must_use]
    pub const fn text_lens(self) -> RangeInclusive<usize> {
        let (min, max) = TextForm::canonical(self).facts().lens;
        min..=max
    }

    /// Returns the reason why a [range](AnyScheme::range) also holds IDs of other times, as a
    /// sentence to print beside the range, or `None` if it does not.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Kind;
    ///
    /// assert!(Kind::KuidGlobal.range_note().is_some());
    /// assert_eq!(Kind::Sno.range_note(), None);
    /// ```
    #[must_use]
    pub const fn range_note(self) -> Option<&'static str> {
        with_type!(self, Id => Id::RANGE_NOTE)
    }

    /// Returns the options for the values that the bits of IDs do not say. An option that several
    /// kinds have has the same name in all of them.
    #[must_use]
    pub const fn setting_options(self) -> &'static [SettingOption] {
        with_type!(self, Id => Id::SETTING_OPTIONS)
    }

    /// Reports whether the caller chooses a metabyte for each ID, as with sno.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Kind;
    ///
    /// assert!(Kind::Sno.has_metabyte() && !Kind::Scru64.has_metabyte());
    /// ```
    #[must_use]
    pub fn has_metabyte(self) -> bool {
        struct HasMetabyte;

        impl SchemeVisitor for HasMetabyte {
            type Output = bool;

            fn visit<S: Scheme, V: SchemeVariant<S>>(self, _: S, _: V) -> bool {
                V::HAS_METABYTE
            }
        }

        AnyScheme::new(self, &Settings::default()).visit(HasMetabyte)
    }

    /// Returns the highest number that is an ID. All numbers from 0 to this one are.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_convert::Kind::Sno.max_number(), (1 << 80) - 1);
    /// ```
    #[must_use]
    pub const fn max_number(self) -> u128 {
        with_type!(self, Id => Id::MAX_NUMBER)
    }
}

/// Reads a [key](Kind::key).
impl FromStr for Kind {
    type Err = SchemeError;

    fn from_str(key: &str) -> Result<Self, SchemeError> {
        Self::ALL.iter().copied().find(|kind| kind.key() == key).ok_or(SchemeError::Name)
    }
}
