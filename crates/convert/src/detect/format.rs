use core::fmt;
use core::str::FromStr;

/// Declares the formats with their keys, names and descriptions.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $variant:ident: $key:literal, $name:literal;)+) => {
        /// A format of IDs that [`detect`](crate::detect()) reads.
        ///
        /// # Examples
        /// ```
        /// use tickid_convert::Format;
        ///
        /// let format: Format = "discord".parse()?;
        /// assert_eq!(format, Format::Discord);
        /// assert_eq!((format.key(), format.name()), ("discord", "Discord Snowflake"));
        /// # Ok::<(), tickid_convert::FormatError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Format {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name of the format in options and data: lower case, without spaces.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $key,)+
                }
            }

            /// Returns the name of the format in text.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

formats! {
    /// SCRU64.
    Scru64: "scru64", "SCRU64";
    /// Nanoflake, and every Snowflake of its layout with a given epoch.
    Nanoflake: "nanoflake", "Nanoflake";
    /// kuid, local, global or global with a node of 64 bits.
    Kuid: "kuid", "kuid";
    /// sno.
    Sno: "sno", "sno";
    /// A UUID, also one that holds an ID of a scheme.
    Uuid: "uuid", "UUID";
    /// ULID.
    Ulid: "ulid", "ULID";
    /// KSUID.
    Ksuid: "ksuid", "KSUID";
    /// TypeID.
    TypeId: "typeid", "TypeID";
    /// Xid.
    Xid: "xid", "Xid";
    /// MongoDB's ObjectId.
    ObjectId: "objectid", "ObjectId";
    /// Twitter's (X's) Snowflake.
    Twitter: "twitter", "Twitter Snowflake";
    /// Discord's Snowflake.
    Discord: "discord", "Discord Snowflake";
    /// Instagram's ID.
    Instagram: "instagram", "Instagram ID";
    /// Mastodon's ID.
    Mastodon: "mastodon", "Mastodon ID";
    /// Sonyflake, with the start time of its first version.
    Sonyflake: "sonyflake", "Sonyflake";
    /// Sonyflake, with the start time of its second version.
    SonyflakeV2: "sonyflake-v2", "Sonyflake 2";
    /// The snowflake of pgEdge's extension for PostgreSQL.
    PgEdge: "pgedge", "pgEdge snowflake";
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a [key](Format::key).
impl FromStr for Format {
    type Err = FormatError;

    fn from_str(key: &str) -> Result<Self, FormatError> {
        Self::ALL.iter().copied().find(|format| format.key() == key).ok_or(FormatError)
    }
}

/// The error for a text that is the key of no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format has this name")]
#[non_exhaustive]
pub struct FormatError;

/// The form in which a text holds an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Form {
    /// The format's own text; for formats that are integers, decimal digits.
    Text,
    /// A decimal integer, of a format that has another text.
    Integer,
    /// The bytes in hexadecimal, also after `0x` or `\x` or in `x'…'`.
    Hex,
    /// The bytes as a literal: `b"\x01\x86…"`, `[1, 134, …]` or `<<1,134,…>>`.
    Bytes,
}

impl Form {
    /// Returns the name of the form.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_convert::Form::Hex.name(), "hexadecimal");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Hex => "hexadecimal",
            Self::Bytes => "bytes",
        }
    }
}
