//! The schemes as values.

use core::fmt;

/// Declares the kinds of the [`table`] of schemes.
macro_rules! declare {
    ($($variant:ident($Id:ty), $name:literal, $key:literal, $shown:literal;)+) => {
        /// Evaluates `$body` with `$Type` as the ID type of a [`Kind`].
        macro_rules! with_type {
            ($kind:expr, $Type:ident => $body:expr) => {
                match $kind {
                    $($crate::schemes::kind::Kind::$variant => {
                        type $Type = $Id;
                        $body
                    })+
                }
            };
        }

        /// A scheme, where kuid's two kinds of IDs count as two.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = $shown] $variant,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name of the scheme in lower case. Kuid's two kinds have the same one.
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

            /// Returns the name in options and data, for example `kuid-local`. Each kind has its
            /// own.
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

        /// Writes the name for texts that people read, for example `kuid local`.
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
