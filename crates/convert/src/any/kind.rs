//! The schemes as values, and the facts about each that need no layout.

use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use tickid_core::Scheme;

use super::{AnyScheme, SchemeError};
use crate::options::{LayoutOption, Layouts};
use crate::schemes::{SchemeId, SchemeVariant, SchemeVisitor, table};

/// Declares the kinds of the [`table`] of schemes.
macro_rules! declare {
    ($($variant:ident($Id:ty), $name:literal, $key:literal, $shown:literal;)+) => {
        /// Evaluates `$body` with `$Type` as the ID type of a [`Kind`].
        macro_rules! with_type {
            ($kind:expr, $Type:ident => $body:expr) => {
                match $kind {
                    $($crate::any::Kind::$variant => {
                        type $Type = $Id;
                        $body
                    })+
                }
            };
        }

        /// A scheme; kuid's two kinds of IDs are two.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = $shown] $variant,)+
        }

        impl Kind {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name of the scheme, lower case.
            ///
            /// # Examples
            /// ```
            /// assert_eq!(tickid_convert::Kind::KuidLocal.name(), "kuid");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the name in options and data, which no other kind has.
            ///
            /// # Examples
            /// ```
            /// use tickid_convert::Kind;
            ///
            /// assert_eq!(Kind::KuidLocal.key(), "kuid-local");
            /// assert_eq!("kuid-local".parse(), Ok(Kind::KuidLocal));
            /// ```
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $key,)+
                }
            }

            /// Returns the name of the ID as a number, for errors.
            pub(crate) const fn number_name(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($shown, " ID"),)+
                }
            }
        }

        /// As in `kuid local`.
        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$variant => $shown,)+
                })
            }
        }
    };
}

table! { declare }
#[allow(clippy::single_component_path_imports, reason = "it is a macro")]
pub(crate) use with_type;

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

    /// Reports whether IDs carry a node, in a SCRU64 ID of a size that its layout has.
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
        with_type!(self, Id => Id::TEXT_LENS)
    }

    /// Returns the reason why a [range](AnyScheme::range) holds IDs of other times, too, as a
    /// sentence for people, if there is one.
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

    /// Returns the options for the values that the bits of IDs do not say. An option of several
    /// kinds has one name.
    #[must_use]
    pub const fn layout_options(self) -> &'static [LayoutOption] {
        with_type!(self, Id => Id::LAYOUT_OPTIONS)
    }

    /// Reports whether the caller chooses a metabyte per ID.
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

        AnyScheme::new(self, &Layouts::default()).visit(HasMetabyte)
    }

    /// Returns the highest number that is an ID; all from 0 on are.
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
