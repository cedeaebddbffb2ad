use core::fmt;
use core::str::FromStr;

use tickid_convert::Kind;
use tickid_convert::foreign::System;
use tickid_core::UnixTime;

/// The expectations about the IDs of a format. Readings are compared by how well they meet them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    /// The time since which such IDs are made.
    pub(crate) since: UnixTime,
    /// The additional bits of surprise at such an ID because the format is rare.
    pub(crate) rarity: u32,
    /// The bits of surprise at nodes that are numbered from 0, so that low ones are likelier: 0 if
    /// all are. `None` if none are.
    pub(crate) numbering: Option<u32>,
    /// Set if sequences start at random, so that low ones are not likelier.
    pub(crate) has_random_sequences: bool,
}

const DAY: i64 = 86_400_000_000;
/// The first weeks of an epoch. All small numbers show such a time, but IDs in use do not.
const FIRST_WEEKS: i64 = 60 * DAY;

/// Of IDs that no program made before 2010.
const OURS: Prior = Prior {
    since: UnixTime::from_micros(1_262_304_000_000_000 + DAY),
    rarity: 0,
    numbering: None,
    has_random_sequences: false,
};
/// Of formats that are older than this project's clocks.
const OLD: Prior = Prior { since: UnixTime::from_micros(631_152_000_000_000), ..OURS };

/// Returns the expectations about the integers of a system.
const fn of_system(system: System) -> Prior {
    let epoch = system.epoch().unix_time().as_micros();
    Prior { since: UnixTime::from_micros(epoch + FIRST_WEEKS), ..OURS }
}

/// Declares the formats: their names, and what is known of their IDs.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $variant:ident: $key:expr, $name:expr, $prior:expr;)+) => {
        /// A format of IDs that [`detect`](crate::detect()) reads.
        ///
        /// # Examples
        /// ```
        /// use tickid_detect::Format;
        ///
        /// let format: Format = "discord".parse()?;
        /// assert_eq!(format, Format::Discord);
        /// assert_eq!((format.key(), format.name()), ("discord", "Discord Snowflake"));
        /// # Ok::<(), tickid_detect::FormatError>(())
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

            #[inline(always)]
            pub(crate) const fn prior(self) -> Prior {
                match self {
                    $(Self::$variant => const { $prior },)+
                }
            }
        }
    };
}

formats! {
    /// SCRU64.
    Scru64: "scru64", "SCRU64", Prior { has_random_sequences: true, ..OURS };
    /// Nanoflake, and every Snowflake of its layout with a given epoch.
    Nanoflake: "nanoflake", "Nanoflake", of_system(System::Twitter);
    /// kuid, local, global or global with a node of 64 bits.
    Kuid: "kuid", "kuid", OURS;
    /// sno.
    Sno: "sno", "sno", OURS;
    /// A UUID, also one that holds an ID of a scheme.
    Uuid: "uuid", "UUID", OLD;
    /// ULID.
    Ulid: "ulid", "ULID", OLD;
    /// KSUID.
    Ksuid: "ksuid", "KSUID", Prior { since: UnixTime::from_micros(KSUID_EPOCH.as_micros() + DAY), ..OURS };
    /// TypeID.
    TypeId: "typeid", "TypeID", OLD;
    /// Xid.
    Xid: "xid", "Xid", OURS;
    /// MongoDB's ObjectId.
    ObjectId: "objectid", "ObjectId", Prior { since: UnixTime::from_micros(1_230_768_000_000_000), ..OURS };
    /// Twitter's (X's) Snowflake.
    Twitter: System::Twitter.key(), System::Twitter.name(), of_system(System::Twitter);
    /// Discord's Snowflake.
    Discord: System::Discord.key(), System::Discord.name(),
        Prior { numbering: Some(0), ..of_system(System::Discord) };
    /// Instagram's ID.
    Instagram: System::Instagram.key(), System::Instagram.name(),
        Prior { rarity: 2, has_random_sequences: true, ..of_system(System::Instagram) };
    /// Mastodon's ID.
    Mastodon: System::Mastodon.key(), System::Mastodon.name(), Prior {
        // The first version, of 2016.
        since: UnixTime::from_micros(1_451_606_400_000_000),
        rarity: 1,
        has_random_sequences: true,
        ..OURS
    };
    /// Sonyflake, with the start time of its first version.
    Sonyflake: System::Sonyflake.key(), System::Sonyflake.name(),
        Prior { rarity: 3, numbering: Some(6), ..of_system(System::Sonyflake) };
    /// Sonyflake, with the start time of its second version.
    SonyflakeV2: System::SonyflakeV2.key(), System::SonyflakeV2.name(),
        Prior { rarity: 3, numbering: Some(6), ..of_system(System::SonyflakeV2) };
    /// The snowflake of pgEdge's extension for PostgreSQL.
    PgEdge: System::PgEdge.key(), System::PgEdge.name(),
        Prior { rarity: 3, numbering: Some(0), ..of_system(System::PgEdge) };
    /// A time in seconds, milliseconds, microseconds or nanoseconds since 1970. It is not an ID,
    /// but takes the place of one.
    UnixTime: "unix-time", "Unix time",
        Prior { since: UnixTime::from_micros(1_000_000_000_000_000), rarity: 4, ..OURS };
}

/// The start of KSUID times: 2014-05-13T16:53:20Z.
pub(crate) const KSUID_EPOCH: UnixTime = UnixTime::from_micros(1_400_000_000_000_000);

impl Format {
    /// Returns the format of a scheme's IDs.
    #[inline(always)]
    #[must_use]
    pub const fn of_scheme(kind: Kind) -> Self {
        match kind {
            Kind::Scru64 => Self::Scru64,
            Kind::Nanoflake => Self::Nanoflake,
            Kind::Sno => Self::Sno,
            _ => Self::Kuid,
        }
    }

    /// Returns the format of a system's IDs.
    #[inline(always)]
    #[must_use]
    pub const fn of_system(system: System) -> Self {
        match system {
            System::Discord => Self::Discord,
            System::Instagram => Self::Instagram,
            System::Mastodon => Self::Mastodon,
            System::Sonyflake => Self::Sonyflake,
            System::SonyflakeV2 => Self::SonyflakeV2,
            System::PgEdge => Self::PgEdge,
            _ => Self::Twitter,
        }
    }
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

/// The form of an ID in a text.
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
    /// assert_eq!(tickid_detect::Form::Hex.name(), "hexadecimal");
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
