use core::fmt;

use tickid_core::UnixTime;
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::{Sno, SnoId};
use uuid::Uuid;

use crate::any::AnyId;
use crate::detect::format::Format;
use crate::error::ConvertError;
use crate::foreign::{Discord, Instagram, Mastodon, PgEdge, Sonyflake, SonyflakeV2, Twitter};
use crate::format::Source;
use crate::options::Layouts;
use crate::parts::Parts;

/// The alphabet in which a kuid's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum KuidAlphabet {
    /// The one that sorts, which today's Erlang library writes.
    Sortable,
    /// URL-safe Base64, as documented.
    Url,
}

/// The text form in which a Nanoflake is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NanoflakeText {
    /// Base36, padded or not.
    Base36,
    /// Decimal.
    Decimal,
}

/// A text as an ID of one format.
///
/// As a [`Source`] it can be converted if its fields can be mapped; for other formats the
/// conversion returns an error.
///
/// # Examples
/// ```
/// use tickid_convert::{Kind, Layouts, Options, Reading, convert_any, detect};
///
/// let found = detect(b"brpk4q72xwf2m63l", &Layouts::default(), None);
/// let sno = found.iter().find(|one| matches!(one.reading(), Reading::Sno(_)));
/// let reading = sno.ok_or("no sno ID")?.reading();
/// assert_eq!(reading.id().map(|id| id.kind()), Some(Kind::Sno));
/// let global = convert_any(reading, Kind::KuidGlobal, &Options::default())?;
/// assert!(!global.loss.is_none()); // the metabyte, for one
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reading {
    /// Of SCRU64.
    Scru64(Scru64Id),
    /// Of Nanoflake.
    Nanoflake(NanoflakeId, NanoflakeText),
    /// Of kuid, local.
    KuidLocal(LocalId, KuidAlphabet),
    /// Of kuid, global.
    KuidGlobal(GlobalId, KuidAlphabet),
    /// Of kuid, global with a node of 64 bits.
    KuidWide(WideGlobalId, KuidAlphabet),
    /// Of sno.
    Sno(SnoId),
    /// Of any scheme, in a UUID made by [`carry`](crate::carry).
    Carried(AnyId),
    /// Of Twitter.
    Twitter(Twitter),
    /// Of Discord.
    Discord(Discord),
    /// Of Instagram.
    Instagram(Instagram),
    /// Of Mastodon.
    Mastodon(Mastodon),
    /// Of Sonyflake's first version.
    Sonyflake(Sonyflake),
    /// Of Sonyflake's second version.
    SonyflakeV2(SonyflakeV2),
    /// Of pgEdge.
    PgEdge(PgEdge),
    /// A UUID.
    Uuid(Uuid),
    /// A ULID, by its bytes.
    Ulid([u8; 16]),
    /// A KSUID, by its bytes.
    Ksuid([u8; 20]),
    /// A TypeID.
    TypeId {
        /// The UUID behind the prefix.
        uuid: Uuid,
        /// The length of the prefix, without the underscore after it.
        prefix_len: u8,
    },
    /// An Xid, by its bytes.
    Xid([u8; 12]),
    /// A MongoDB ObjectId, by its bytes.
    ObjectId([u8; 12]),
}

/// The start of KSUID times: 2014-05-13T16:53:20Z.
const KSUID_EPOCH: UnixTime = UnixTime::from_micros(1_400_000_000_000_000);

impl Reading {
    /// Returns the ID, if it belongs to one of the schemes.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Layouts, Reading, detect};
    /// use tickid_sno::sno;
    ///
    /// let sno = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(Reading::Sno(sno).id(), Some(AnyId::Sno(sno)));
    /// assert_eq!(Reading::Xid([0; 12]).id(), None); // not of one of the schemes
    /// ```
    #[must_use]
    pub const fn id(&self) -> Option<AnyId> {
        match *self {
            Self::Scru64(id) => Some(AnyId::Scru64(id)),
            Self::Nanoflake(id, _) => Some(AnyId::Nanoflake(id)),
            Self::KuidLocal(id, _) => Some(AnyId::KuidLocal(id)),
            Self::KuidGlobal(id, _) => Some(AnyId::KuidGlobal(id)),
            Self::Sno(id) => Some(AnyId::Sno(id)),
            Self::Carried(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> Format {
        match self {
            Self::Scru64(_) => Format::Scru64,
            Self::Nanoflake(..) => Format::Nanoflake,
            Self::KuidLocal(..) | Self::KuidGlobal(..) | Self::KuidWide(..) => Format::Kuid,
            Self::Sno(_) => Format::Sno,
            Self::Carried(_) | Self::Uuid(_) => Format::Uuid,
            Self::Twitter(_) => Format::Twitter,
            Self::Discord(_) => Format::Discord,
            Self::Instagram(_) => Format::Instagram,
            Self::Mastodon(_) => Format::Mastodon,
            Self::Sonyflake(_) => Format::Sonyflake,
            Self::SonyflakeV2(_) => Format::SonyflakeV2,
            Self::PgEdge(_) => Format::PgEdge,
            Self::Ulid(_) => Format::Ulid,
            Self::Ksuid(_) => Format::Ksuid,
            Self::TypeId { .. } => Format::TypeId,
            Self::Xid(_) => Format::Xid,
            Self::ObjectId(_) => Format::ObjectId,
        }
    }

    /// Returns the features that the format requires of its own text.
    pub(crate) const fn reason(&self) -> &'static str {
        self.name_and_reason().1
    }

    const fn name_and_reason(&self) -> (&'static str, &'static str) {
        use KuidAlphabet::{Sortable, Url};
        use NanoflakeText::{Base36, Decimal};

        let (up_to_63_bits, up_to_64_bits) =
            ("a decimal integer of up to 63 bits", "a decimal integer of up to 64 bits");
        match self {
            Self::Scru64(_) => ("SCRU64", "12 digits of Base36"),
            Self::Nanoflake(_, Base36) => ("Nanoflake in Base36", "up to 13 digits of Base36"),
            Self::Nanoflake(_, Decimal) => ("Nanoflake in decimal", up_to_63_bits),
            Self::KuidLocal(_, Sortable) => ("kuid local", "11 characters of .0-9A-Z_a-z"),
            Self::KuidLocal(_, Url) => {
                ("kuid local in URL-safe Base64", "11 characters of A-Za-z0-9-_")
            }
            Self::KuidGlobal(_, Sortable) => ("kuid global", "16 characters of .0-9A-Z_a-z"),
            Self::KuidGlobal(_, Url) => {
                ("kuid global in URL-safe Base64", "16 characters of A-Za-z0-9-_")
            }
            Self::KuidWide(_, Sortable) => {
                ("kuid global of 128 bits", "22 characters of .0-9A-Z_a-z")
            }
            Self::KuidWide(_, Url) => {
                ("kuid global of 128 bits in URL-safe Base64", "22 characters of A-Za-z0-9-_")
            }
            Self::Sno(_) => ("sno", "16 characters of 2-9a-x"),
            Self::Carried(_) => ("UUID", "a UUID with the marks of a carried ID"),
            Self::Twitter(_) => ("Twitter Snowflake", up_to_63_bits),
            Self::Discord(_) => ("Discord Snowflake", up_to_64_bits),
            Self::Instagram(_) => ("Instagram ID", up_to_64_bits),
            Self::Mastodon(_) => ("Mastodon ID", up_to_64_bits),
            Self::Sonyflake(_) => ("Sonyflake", up_to_63_bits),
            Self::SonyflakeV2(_) => ("Sonyflake 2", up_to_63_bits),
            Self::PgEdge(_) => ("pgEdge snowflake", up_to_63_bits),
            Self::Uuid(uuid) if uuid.is_nil() => ("nil UUID", "only zeros"),
            Self::Uuid(uuid) if uuid.is_max() => ("max UUID", "only ones"),
            Self::Uuid(_) => ("UUID", "32 hexadecimal digits, as UUIDs are written"),
            Self::Ulid(_) => ("ULID", "26 digits of Crockford's base 32, 128 bits"),
            Self::Ksuid(_) => ("KSUID", "27 digits of base 62, 160 bits"),
            Self::TypeId { prefix_len: 0, .. } => {
                ("TypeID without a prefix", "26 lower-case digits of Crockford's base 32")
            }
            Self::TypeId { .. } => ("TypeID", "a prefix and 26 digits of Crockford's base 32"),
            Self::Xid(_) => ("Xid", "20 characters of 0-9a-v, 96 bits"),
            Self::ObjectId(_) => ("ObjectId", "24 hexadecimal digits"),
        }
    }

    /// Returns the time at which the ID was made, if it and the layouts determine it.
    #[inline(always)]
    pub(crate) fn time(&self, layouts: &Layouts) -> Option<UnixTime> {
        match *self {
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => uuid_time(uuid),
            Self::Ulid([a, b, c, d, e, f, ..]) => {
                let millis = i64::from_be_bytes([0, 0, a, b, c, d, e, f]);
                UnixTime::from_millis(millis).ok()
            }
            Self::Ksuid([a, b, c, d, ..]) => Some(seconds(KSUID_EPOCH, [a, b, c, d])),
            Self::Xid([a, b, c, d, ..]) | Self::ObjectId([a, b, c, d, ..]) => {
                Some(seconds(UnixTime::EPOCH, [a, b, c, d]))
            }
            Self::KuidLocal(id, _) => Some(id.unix_time()),
            Self::KuidGlobal(id, _) => Some(id.unix_time(layouts.drift)),
            Self::KuidWide(id, _) => Some(id.unix_time(layouts.drift)),
            Self::Scru64(id) => Some(id.unix_time()),
            Self::Nanoflake(id, _) => time_of(id, layouts),
            Self::Sno(id) => time_of(id, layouts),
            Self::Carried(id) => time_of(id, layouts),
            Self::Twitter(id) => time_of(id, layouts),
            Self::Discord(id) => time_of(id, layouts),
            Self::Instagram(id) => time_of(id, layouts),
            Self::Mastodon(id) => time_of(id, layouts),
            Self::Sonyflake(id) => time_of(id, layouts),
            Self::SonyflakeV2(id) => time_of(id, layouts),
            Self::PgEdge(id) => time_of(id, layouts),
        }
    }

    /// Returns the start of the times that the format can represent.
    #[inline(always)]
    pub(crate) fn epoch(&self, layouts: &Layouts) -> UnixTime {
        match self {
            Self::Nanoflake(..) => layouts.epoch.unix_time(),
            Self::Sno(_) => Sno::EPOCH,
            Self::Twitter(_) => Epoch::TWITTER.unix_time(),
            Self::Discord(_) => Epoch::DISCORD.unix_time(),
            Self::Instagram(_) => Instagram::EPOCH.unix_time(),
            Self::Sonyflake(_) => Sonyflake::EPOCH.unix_time(),
            Self::SonyflakeV2(_) => SonyflakeV2::EPOCH.unix_time(),
            Self::PgEdge(_) => PgEdge::EPOCH.unix_time(),
            Self::Ksuid(_) => KSUID_EPOCH,
            _ => UnixTime::EPOCH,
        }
    }

    /// Returns the time since which such IDs are made.
    pub(crate) fn in_use_since(&self, layouts: &Layouts) -> UnixTime {
        /// 2010-01-01 and 2016-01-01.
        const OURS: UnixTime = UnixTime::from_micros(1_262_304_000_000_000);
        const MASTODON: UnixTime = UnixTime::from_micros(1_451_606_400_000_000);
        match self {
            Self::Mastodon(_) => MASTODON,
            _ => self.epoch(layouts).max(OURS),
        }
    }

    /// Reports whether no generator issues such an ID, because it holds an invalid or a reserved
    /// time.
    #[inline(always)]
    pub(crate) fn is_never_issued(&self, layouts: &Layouts) -> bool {
        match *self {
            Self::Scru64(id) => id.is_reserved(),
            Self::KuidLocal(id, _) => id.tick().is_none(),
            Self::KuidGlobal(id, _) => id.tick(layouts.drift).is_none(),
            Self::KuidWide(id, _) => id.tick(layouts.drift).is_none(),
            Self::Carried(id) => id.parts(layouts).is_err(),
            _ => false,
        }
    }
}

#[inline(always)]
fn time_of(id: impl Source, layouts: &Layouts) -> Option<UnixTime> {
    id.parts(layouts).ok().map(|parts| parts.time())
}

/// Returns the time of big-endian seconds after `epoch`.
const fn seconds(epoch: UnixTime, bytes: [u8; 4]) -> UnixTime {
    let micros = u32::from_be_bytes(bytes) as i64 * 1_000_000;
    UnixTime::from_micros(epoch.as_micros() + micros)
}

/// Returns the version of a UUID, if RFC 9562 has it.
pub(crate) fn version(uuid: Uuid) -> Option<usize> {
    let version = uuid.get_version_num();
    let is_rfc = uuid.get_variant() == uuid::Variant::RFC4122 && (1..=8).contains(&version);
    is_rfc.then_some(version)
}

fn uuid_time(uuid: Uuid) -> Option<UnixTime> {
    version(uuid)?;
    let (seconds, nanos) = uuid.get_timestamp()?.to_unix();
    let micros = i64::try_from(seconds).ok()?.checked_mul(1_000_000)?;
    Some(UnixTime::from_micros(micros.checked_add((nanos / 1_000).into())?))
}

/// An ID as its own text is read: in Base36 a Nanoflake, in the sortable alphabet a kuid.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Reading};
/// use tickid_sno::sno;
///
/// let id = sno!("brpk4q72xwf2m63l");
/// assert_eq!(Reading::from(AnyId::Sno(id)), Reading::Sno(id));
/// ```
impl From<AnyId> for Reading {
    fn from(id: AnyId) -> Self {
        match id {
            AnyId::Scru64(id) => Self::Scru64(id),
            AnyId::Nanoflake(id) => Self::Nanoflake(id, NanoflakeText::Base36),
            AnyId::KuidLocal(id) => Self::KuidLocal(id, KuidAlphabet::Sortable),
            AnyId::KuidGlobal(id) => Self::KuidGlobal(id, KuidAlphabet::Sortable),
            AnyId::Sno(id) => Self::Sno(id),
        }
    }
}

/// # Errors
/// Returns [`ConvertError::NoFields`] for UUIDs, ULIDs, KSUIDs, TypeIDs, Xids and ObjectIds: apart
/// from their time they consist of random bits, or of fields of their own.
impl Source for Reading {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        match self {
            Self::Scru64(id) => id.parts(layouts),
            Self::Nanoflake(id, _) => id.parts(layouts),
            Self::KuidLocal(id, _) => id.parts(layouts),
            Self::KuidGlobal(id, _) => id.parts(layouts),
            Self::KuidWide(id, _) => id.parts(layouts),
            Self::Sno(id) => id.parts(layouts),
            Self::Carried(id) => id.parts(layouts),
            Self::Twitter(id) => id.parts(layouts),
            Self::Discord(id) => id.parts(layouts),
            Self::Instagram(id) => id.parts(layouts),
            Self::Mastodon(id) => id.parts(layouts),
            Self::Sonyflake(id) => id.parts(layouts),
            Self::SonyflakeV2(id) => id.parts(layouts),
            Self::PgEdge(id) => id.parts(layouts),
            Self::Uuid(_)
            | Self::Ulid(_)
            | Self::Ksuid(_)
            | Self::TypeId { .. }
            | Self::Xid(_)
            | Self::ObjectId(_) => Err(ConvertError::NoFields { kind: self.format().name() }),
        }
    }
}

/// The name of the format, and of the text where there are several.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried(id) => write!(f, "{} in a UUID", id.kind()),
            Self::Uuid(uuid) => match version(*uuid) {
                Some(version) => write!(f, "UUID of version {version}"),
                None => f.pad(self.name_and_reason().0),
            },
            _ => f.pad(self.name_and_reason().0),
        }
    }
}
