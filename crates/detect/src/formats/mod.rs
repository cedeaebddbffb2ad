//! The formats that are detected, one row each. A format that is only read is known nowhere else.

mod description;
mod texts;

use core::fmt;
use core::str::FromStr;

use tickid_convert::Kind;
use tickid_core::{Field, UnixTime};
use tickid_snowflake::Preset;

use crate::alphabets::Alphabets;
use crate::confidence::Doubt;

pub(crate) use self::description::{Coding, Description, value};
pub(crate) use self::texts::{CROCKFORD, type_id};

/// The expectations about the IDs of a format. Readings are compared by how well they meet them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    /// The time since which such IDs are made.
    pub(crate) since: UnixTime,
    /// The same for decimal integers of a format with a different text, and for those that look like
    /// a UUID. Digits say nothing about their format, so they count from about its first release.
    /// `None` if that is not known to be later.
    pub(crate) integers_since: Option<UnixTime>,
    /// The additional bits of surprise at such an ID because the format is rare.
    pub(crate) rarity: u32,
    /// The bits of surprise at nodes that are numbered from 0, so that low ones are likelier. These
    /// are 0 if all nodes are numbered so. `None` if none are.
    pub(crate) numbering: Option<u32>,
    /// Set if sequences start at random, so that low ones are not likelier.
    pub(crate) has_random_sequences: bool,
    /// Set if the format is never shown before other systems' that the text is likely of, because
    /// their early IDs have the times of its present ones.
    pub(crate) is_modest: bool,
    /// The format that is shown before this one where a text is likely of both, because nearly all of
    /// its IDs look like those of this one, and are far more frequent.
    pub(crate) behind: Option<Format>,
    /// The doubt at every such ID, which is at most possible: either no generator makes them any
    /// more, or common texts look the same.
    pub(crate) doubt: Option<Doubt>,
}

const DAY: i64 = 86_400_000_000;
/// The first weeks of an epoch. All small numbers show such a time, but IDs in use do not.
const FIRST_WEEKS: i64 = 60 * DAY;

/// The expectations about IDs that no program made before 2010.
const OURS: Prior = Prior {
    since: UnixTime::from_micros(1_262_304_000_000_000 + DAY),
    integers_since: None,
    rarity: 0,
    numbering: None,
    has_random_sequences: false,
    is_modest: false,
    behind: None,
    doubt: None,
};
/// The expectations about formats that are older than this project's clocks.
const OLD: Prior = Prior { since: UnixTime::from_micros(631_152_000_000_000), ..OURS };

/// Returns the expectations about the integers of a preset.
const fn of_preset(preset: Preset) -> Prior {
    let epoch = preset.layout().widths().epoch.as_micros();
    Prior { since: UnixTime::from_micros(epoch + FIRST_WEEKS), ..OURS }
}

/// Declares the formats. A row has key and title, or the preset that has them, and the
/// expectations. For a scheme it also has each kind of IDs, whose ID type has the table of its text
/// forms. Formats that are only read have a description instead, with its source in the comment
/// above.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+
        $variant:ident $(of $Preset:ident)? $(($key:literal, $title:literal))?: $prior:expr
        $(, $description:expr)?
        $(; $($kind:ident($Id:ty)),+)?;)+) => {
        /// A format of IDs that [`detect`](crate::detect()) reads.
        ///
        /// # Examples
        /// ```
        /// use tickid_detect::Format;
        ///
        /// let format: Format = "discord".parse()?;
        /// assert_eq!(format, Format::Discord);
        /// assert_eq!((format.key(), format.title()), ("discord", "Discord Snowflake"));
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

            /// Returns the name in options and data, in lower case and with hyphens, for example
            /// `unique-rowid`.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $($key)? $($Preset::$variant.key())?,)+
                }
            }

            /// Returns the name in text, for example `CockroachDB row ID`.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $($title)? $($Preset::$variant.title())?,)+
                }
            }

            /// Reports whether this format is shown behind `front` where a text is likely of both,
            /// because nearly all IDs of `front`, which are far more frequent, look like its own.
            ///
            /// # Examples
            /// ```
            /// use tickid_detect::Format;
            ///
            /// assert!(Format::TikTok.is_behind(Format::UnixEpoch));
            /// assert!(!Format::UnixEpoch.is_behind(Format::TikTok));
            /// ```
            #[must_use]
            pub fn is_behind(self, front: Self) -> bool {
                self.prior().behind == Some(front)
            }

            #[cfg_attr(not(target_family = "wasm"), inline(always))]
            pub(crate) const fn prior(self) -> &'static Prior {
                match self {
                    $(Self::$variant => const { &$prior },)+
                }
            }

            /// Returns the description of a format that is only read.
            pub(crate) const fn description(self) -> Option<&'static Description> {
                match self {
                    $($(Self::$variant => {
                        static IT: Description = $description;
                        Some(&IT)
                    })?)+
                    _ => None,
                }
            }

            /// Returns the format of a scheme's IDs.
            #[cfg_attr(not(target_family = "wasm"), inline(always))]
            #[must_use]
            pub const fn of_kind(kind: Kind) -> Self {
                match kind {
                    $($($(Kind::$kind => Self::$variant,)+)?)+
                    // None, or what is below would not compile.
                    _ => Self::Uuid,
                }
            }

            /// Returns the format of a preset's IDs.
            #[cfg_attr(not(target_family = "wasm"), inline(always))]
            #[must_use]
            pub const fn of_preset(preset: Preset) -> Self {
                match preset {
                    $($($Preset::$variant => Self::$variant,)?)+
                    // None, or what is below would not compile.
                    _ => Self::Snowflake,
                }
            }
        }

        // Both types may grow, so a `match` has to have an arm for others. This asks for the rows.
        const _: () = {
            let (mut kind, mut preset) = (0, 0);
            while kind < Kind::ALL.len() {
                let format = Format::of_kind(Kind::ALL[kind]);
                assert!(!matches!(format, Format::Uuid), "a kind of IDs without a row");
                kind += 1;
            }
            while preset < Preset::ALL.len() {
                let format = Format::of_preset(Preset::ALL[preset]);
                assert!(!matches!(format, Format::Snowflake), "a preset without a row");
                preset += 1;
            }
        };

        /// The formats that are only read.
        pub(crate) static READ_ONLY: &[(Format, &Description)] = &[$($({
            static IT: Description = $description;
            (Format::$variant, &IT)
        },)?)+];

        /// Evaluates `$read!` with each ID type of the schemes.
        macro_rules! each_id {
            ($read:ident) => {
                $($($($read!($Id);)+)?)+
            };
        }
    };
}

formats! {
    /// SCRU64.
    Scru64("scru64", "SCRU64"): Prior {
        // The first programs are of March 2023, but IDs that are converted to a format keep the
        // times of the year before it. Of earlier ones, integers of the same bits are Mastodon's.
        integers_since: Some(UnixTime::from_micros(1_640_995_200_000_000)),
        has_random_sequences: true,
        ..OURS
    };
        Scru64(tickid_scru64::Scru64Id);
    /// Nanoflake, and every Snowflake of its layout with a given epoch.
    Nanoflake("nanoflake", "Nanoflake"): of_preset(Preset::Twitter);
        Nanoflake(tickid_nanoflake::NanoflakeId);
    /// sno.
    Sno("sno", "sno"): Prior {
        // The year of the first release.
        integers_since: Some(UnixTime::from_micros(1_546_300_800_000_000)),
        ..OURS
    };
        Sno(tickid_sno::SnoId);
    /// A Snowflake in the layout that the options give, unless that is Twitter's, because such IDs
    /// are Nanoflakes.
    Snowflake("snowflake", "Snowflake"): of_preset(Preset::Twitter);
        Snowflake(tickid_snowflake::SnowflakeId);
    /// kuid, local, global or global with a node of 64 bits.
    Kuid("kuid", "kuid"): OURS;
        KuidGlobal(tickid_kuid::GlobalId),
        KuidLocal(tickid_kuid::LocalId);
    /// A UUID, also one that holds an ID of a scheme.
    Uuid("uuid", "UUID"): OLD;
    /// A TypeID, a UUID behind a prefix.
    TypeId("typeid", "TypeID"): OLD;
    /// ULID: <https://github.com/ulid/spec>
    Ulid("ulid", "ULID"): Prior {
        integers_since: Some(OURS.since),
        // In a column of UUIDs, where one ULID in eight has the bits of a version by chance.
        behind: Some(Format::Uuid),
        ..OLD
    },
    Description {
        features: "26 digits of Crockford's base 32, 128 bits",
        coding: Coding::Digits(&texts::CROCKFORD),
        lens: 26..=26,
        // Programs write upper case, and other texts of this size rarely have it.
        marks: Some(Alphabets::NO_LOWER),
        fields: const { &Field::row([MILLIS, ("random", 80, RANDOM)]) },
        time: 0,
        millis: None,
        unit: 1_000,
        epoch: UnixTime::EPOCH,
        counted: None,
    };
    /// KSUID: <https://github.com/segmentio/ksuid>
    Ksuid("ksuid", "KSUID"): Prior { since: UnixTime::from_micros(KSUID_EPOCH + DAY), ..OURS },
    Description {
        features: "27 digits of base 62, 160 bits",
        coding: Coding::Base62,
        lens: 27..=27,
        marks: None,
        fields: const { &Field::row([
            ("timestamp", 32, "seconds since 2014-05-13T16:53:20Z"),
            ("random", 128, RANDOM),
        ]) },
        time: 0,
        millis: None,
        unit: SECOND,
        epoch: UnixTime::from_micros(KSUID_EPOCH),
        counted: None,
    };
    /// Xid: <https://github.com/rs/xid>
    Xid("xid", "Xid"): OURS, Description {
        features: "20 characters of 0-9a-v, 96 bits",
        coding: Coding::LowDigits(&texts::BASE_32_HEX),
        lens: 20..=20,
        marks: None,
        fields: const { &Field::row([
            SECONDS,
            ("machine", 24, "bits of a hash of the machine's name"),
            ("process", 16, "the number of the process"),
            ("counter", 24, FROM_RANDOM),
        ]) },
        time: 0,
        millis: None,
        unit: SECOND,
        epoch: UnixTime::EPOCH,
        counted: None,
    };
    /// MongoDB's ObjectId: <https://www.mongodb.com/docs/manual/reference/bson-types/#objectid>
    ObjectId("objectid", "ObjectId"): Prior { since: UnixTime::from_micros(1_230_768_000_000_000),
        ..OURS },
    Description {
        features: "24 hexadecimal digits",
        coding: Coding::Hexadecimal,
        lens: NO_DIGITS,
        marks: None,
        fields: const { &Field::row([
            SECONDS,
            ("random", 40, "random bits of the process"),
            ("counter", 24, FROM_RANDOM),
        ]) },
        time: 0,
        millis: None,
        unit: SECOND,
        epoch: UnixTime::EPOCH,
        counted: None,
    };
    /// The TID of Bluesky's protocol: <https://atproto.com/specs/tid>
    Tid("tid", "Bluesky TID"): Prior {
        // The first network of servers, of 2022.
        since: UnixTime::from_micros(1_640_995_200_000_000),
        ..OURS
    },
    Description {
        features: "13 characters of 2-7a-z, 64 bits",
        coding: Coding::Digits(&texts::BASE_32_SORTABLE),
        lens: 13..=13,
        marks: None,
        fields: const { &Field::row([
            ("unused", 1, "always 0"),
            ("timestamp", 53, "\u{b5}s since 1970"),
            ("clock_id", 10, "random bits of the generator"),
        ]) },
        time: 1,
        millis: None,
        unit: 1,
        epoch: UnixTime::EPOCH,
        counted: None,
    };
    /// An ID of TikTok or of another program of ByteDance's, such as Feishu. The first 32 bits are
    /// seconds: <https://dfir.pubpub.org/pub/9llea7yp>. The others have no public document, but in
    /// 110 public IDs the next ten are below 1,000, and a node and a counter follow.
    TikTok("tiktok", "TikTok ID"): Prior {
        // The first year of TikTok, of a program that came before it.
        since: UnixTime::from_micros(1_451_606_400_000_000),
        rarity: 3,
        // A second is 1,024 of their milliseconds here, so they seem to be of a year before.
        behind: Some(Format::UnixEpoch),
        ..OURS
    },
    Description {
        features: "a decimal integer of up to 64 bits",
        coding: Coding::Decimal,
        lens: NO_DIGITS,
        marks: None,
        fields: const { &Field::row([
            SECONDS,
            ("milliseconds", 10, "those of the second, as observed"),
            ("node", 10, "the generator, as observed"),
            ("counter", 12, "counts, as observed"),
        ]) },
        time: 0,
        millis: Some(1),
        unit: 1_000,
        epoch: UnixTime::EPOCH,
        counted: None,
    };
    /// The code of a post in Instagram's addresses, which is its ID in URL-safe Base64:
    /// "Sharding & IDs at Instagram",
    /// <https://instagram-engineering.com/sharding-ids-at-instagram-1cf5a71e5a5c>
    InstagramCode("instagram-code", "Instagram shortcode"): Prior {
        // Most texts of this size are videos of YouTube or tokens.
        rarity: 4,
        doubt: Some(Doubt::Unexplained),
        ..of_preset(Preset::Instagram)
    },
    Description {
        features: "10 or 11 characters of A-Za-z0-9-_",
        coding: Coding::Digits(&texts::BASE_64_URL),
        lens: 10..=11,
        marks: None,
        fields: Preset::Instagram.fields(),
        time: 0,
        millis: None,
        unit: 1_000,
        epoch: Preset::Instagram.layout().widths().epoch,
        counted: None,
    };
    /// CockroachDB's `unique_rowid()`:
    /// <https://www.cockroachlabs.com/docs/stable/functions-and-operators#id-generation-functions>,
    /// and `GenerateUniqueInt` in its source
    RowId("unique-rowid", "CockroachDB row ID"): Prior {
        // The year of the first release.
        since: UnixTime::from_micros(1_483_228_800_000_000),
        rarity: 7,
        ..OURS
    },
    Description {
        features: "a decimal integer of up to 63 bits",
        coding: Coding::Decimal,
        lens: NO_DIGITS,
        marks: None,
        fields: const { &Field::row([
            ("unused", 1, "always 0"),
            ("timestamp", 48, "units of 10 \u{b5}s since 2015"),
            ("node", 15, "the node of the cluster, or its SQL instance"),
        ]) },
        time: 1,
        millis: None,
        unit: 10,
        epoch: UnixTime::from_micros(1_420_070_400_000_000),
        counted: Some(2),
    };
    /// Nextcloud's ID, since its version 33: `lib/private/Snowflake` of
    /// <https://github.com/nextcloud/server>
    Nextcloud("nextcloud", "Nextcloud ID"): Prior {
        since: UnixTime::from_micros(NEXTCLOUD_EPOCH + FIRST_WEEKS),
        rarity: 4,
        is_modest: true,
        ..OURS
    },
    Description {
        features: "a decimal integer of up to 63 bits",
        coding: Coding::Decimal,
        lens: NO_DIGITS,
        marks: None,
        fields: const { &Field::row([
            ("unused", 1, "always 0"),
            ("timestamp", 31, "seconds since 2025-10-01"),
            ("milliseconds", 10, "those of the second"),
            ("server", 9, "the number of the server, or a hash of its name"),
            ("cli", 1, "1 for the command line"),
            ("sequence", 12, "counts the IDs of the millisecond"),
        ]) },
        time: 1,
        millis: Some(2),
        unit: 1_000,
        epoch: UnixTime::from_micros(NEXTCLOUD_EPOCH),
        counted: Some(5),
    };
    /// Twitter's (X's) Snowflake.
    Twitter of Preset: of_preset(Preset::Twitter);
    /// Discord's Snowflake.
    Discord of Preset: Prior { numbering: Some(0), ..of_preset(Preset::Discord) };
    /// Instagram's ID.
    Instagram of Preset:
        Prior { rarity: 2, has_random_sequences: true, ..of_preset(Preset::Instagram) };
    /// A Snowflake of Twitter's widths that counts from 1970, such as ClickHouse's and LinkedIn's.
    UnixEpoch of Preset: Prior { rarity: 4, numbering: Some(2), ..OURS };
    /// Mastodon's ID.
    Mastodon("mastodon", "Mastodon ID"): Prior {
        // The first version, of 2016.
        since: UnixTime::from_micros(1_451_606_400_000_000),
        rarity: 1,
        has_random_sequences: true,
        ..OURS
    };
    /// Sonyflake, with the start time of its first version.
    Sonyflake of Preset: Prior { rarity: 2, numbering: Some(6), ..of_preset(Preset::Sonyflake) };
    /// Sonyflake, with the start time of its second version.
    SonyflakeV2 of Preset:
        Prior { rarity: 2, numbering: Some(6), ..of_preset(Preset::SonyflakeV2) };
    /// The snowflake of pgEdge's extension for PostgreSQL.
    PgEdge of Preset: Prior {
        // Version 1.2, of 2024-03-30, since which the fields have this order.
        since: UnixTime::from_micros(1_711_756_800_000_000),
        rarity: 3,
        numbering: Some(0),
        ..OURS
    };
    /// The TSID of `tsid-creator` with 1,024 nodes. Only its text is detected, because its integers
    /// cannot be told from Discord's.
    Tsid of Preset: Prior { has_random_sequences: true, ..of_preset(Preset::Tsid) };
    /// A Snowflake of 53 bits, which JavaScript's numbers hold exactly.
    JsSafe of Preset: Prior {
        // Numbers of up to 14 digits are likelier something else, such as telephone numbers.
        since: UnixTime::from_micros(
            Preset::JsSafe.layout().widths().epoch.as_micros() + (10_i64.pow(14) >> 12) * 1_000,
        ),
        rarity: 3,
        numbering: Some(0),
        ..OURS
    };
    /// The UID of Baidu's uid-generator, whose time ended in November 2024. Its seconds are few, so
    /// that many numbers have a likely one.
    Baidu of Preset: Prior {
        rarity: 12,
        numbering: Some(0),
        doubt: Some(Doubt::Retired),
        ..of_preset(Preset::Baidu)
    };
    /// A time in seconds, milliseconds, microseconds or nanoseconds since 1970. It is not an ID,
    /// but many numbers that look like one are such times.
    UnixTime("unix-time", "Unix time"):
        Prior { since: UnixTime::from_micros(1_000_000_000_000_000), ..OURS };
}

#[allow(clippy::single_component_path_imports, reason = "it is a macro")]
pub(crate) use each_id;

/// The examples of the schemes' documents whose times are not likely ones.
pub(crate) const EXAMPLES: [(&[u8], Format); 2] =
    [(b"aaaaaaaa55aaaaaa", Format::Sno), (b"brpk4q72xwf2m63l", Format::Sno)];

#[allow(clippy::reversed_empty_ranges, reason = "an empty one is meant")]
const NO_DIGITS: core::ops::RangeInclusive<usize> = 1..=0;
const SECOND: u32 = 1_000_000;
/// The start of KSUID times in microseconds: 2014-05-13T16:53:20Z.
const KSUID_EPOCH: i64 = 1_400_000_000_000_000;
/// The start of Nextcloud's times in microseconds, 2025-10-01.
const NEXTCLOUD_EPOCH: i64 = 1_759_276_800_000_000;

/// A field's name, bits and meaning, in several rows.
type FieldRow = (&'static str, u32, &'static str);
const MILLIS: FieldRow = ("timestamp", 48, "ms since 1970");
const SECONDS: FieldRow = ("timestamp", 32, "seconds since 1970");
const RANDOM: &str = "random bits";
const FROM_RANDOM: &str = "counts on from a random start";

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

/// Reads a [key](Format::key), or an alias of a preset.
impl FromStr for Format {
    type Err = FormatError;

    fn from_str(key: &str) -> Result<Self, FormatError> {
        let key = Preset::named(key).map_or(key, |preset| preset.key());
        Self::ALL.iter().copied().find(|format| format.key() == key).ok_or(FormatError)
    }
}

/// The error for a text that is the key of no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format has this name")]
#[non_exhaustive]
pub struct FormatError;

#[cfg(test)]
mod tests {
    use tickid_convert::TextForm;

    use super::*;

    #[test]
    fn every_preset_has_a_row() {
        for preset in Preset::ALL {
            let format = Format::of_preset(*preset);
            assert_eq!((format.key(), format.title()), (preset.key(), preset.title()));
        }
    }

    #[test]
    fn every_scheme_has_a_row() {
        for kind in Kind::ALL {
            assert_eq!(Format::of_kind(*kind).key(), kind.name());
            let name = std::string::ToString::to_string(kind);
            assert!(TextForm::all(*kind).all(|form| form.title.starts_with(&*name)), "{kind}");
        }
    }
}
