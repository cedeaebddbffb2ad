use core::fmt;

use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;

use crate::convert::{Converted, convert, restore};
use crate::error::ConvertError;
use crate::format::Source;
use crate::options::{Layouts, Options};
use crate::parts::Parts;

/// Evaluates `$body` with `$id` as the ID of an [`AnyId`], whichever it is of.
macro_rules! with_id {
    ($any:expr, $id:ident => $body:expr) => {
        match $any {
            $crate::any::AnyId::Scru64($id) => $body,
            $crate::any::AnyId::Nanoflake($id) => $body,
            $crate::any::AnyId::KuidLocal($id) => $body,
            $crate::any::AnyId::KuidGlobal($id) => $body,
            $crate::any::AnyId::Sno($id) => $body,
        }
    };
}
pub(crate) use with_id;

/// Evaluates `$body` with `$Id` as the ID type of a [`Kind`].
macro_rules! with_type {
    ($kind:expr, $Id:ident => $body:expr) => {
        $crate::any::with_type!(@ $kind, $Id, $body,
            Scru64: tickid_scru64::Scru64Id, Nanoflake: tickid_nanoflake::NanoflakeId,
            KuidLocal: tickid_kuid::LocalId, KuidGlobal: tickid_kuid::GlobalId,
            Sno: tickid_sno::SnoId)
    };
    (@ $kind:expr, $Id:ident, $body:expr, $($variant:ident: $type:ty),+) => {
        match $kind {
            $($crate::any::Kind::$variant => {
                type $Id = $type;
                $body
            })+
        }
    };
}
pub(crate) use with_type;

/// A scheme; kuid's two kinds of IDs are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// SCRU64.
    Scru64,
    /// Nanoflake, Snowflake.
    Nanoflake,
    /// kuid, local.
    KuidLocal,
    /// kuid, global.
    KuidGlobal,
    /// sno.
    Sno,
}

impl Kind {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::Scru64, Self::Nanoflake, Self::KuidLocal, Self::KuidGlobal, Self::Sno];

    /// Returns the name of the scheme, lower case.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_convert::Kind::Sno.name(), "sno");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scru64 => "scru64",
            Self::Nanoflake => "nanoflake",
            Self::KuidLocal | Self::KuidGlobal => "kuid",
            Self::Sno => "sno",
        }
    }

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
}

/// As in `kuid local`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Scru64 => "SCRU64",
            Self::Nanoflake => "Nanoflake",
            Self::KuidLocal => "kuid local",
            Self::KuidGlobal => "kuid global",
            Self::Sno => "sno",
        })
    }
}

/// An ID of a scheme that is known only at run time.
///
/// It has no order, because an order by scheme would not be one by time. Sort by the UUIDs that
/// [`carry::to_uuid_v7`](crate::carry::to_uuid_v7) makes instead.
///
/// ```compile_fail,E0277
/// fn sorted<T: Ord>(_: &[T]) {}
/// sorted::<tickid_convert::AnyId>(&[]);
/// ```
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Kind};
/// use tickid_sno::sno;
///
/// let id = AnyId::from(sno!("brpk4q72xwf2m63l"));
/// assert_eq!((id.kind(), id.kind().byte_len()), (Kind::Sno, 10));
/// assert_eq!(id.to_string(), "brpk4q72xwf2m63l");
/// assert_eq!(id.to_u128().to_be_bytes()[6..], sno!("brpk4q72xwf2m63l").to_bytes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnyId {
    /// Of SCRU64.
    Scru64(Scru64Id),
    /// Of Nanoflake.
    Nanoflake(NanoflakeId),
    /// Of kuid, local.
    KuidLocal(LocalId),
    /// Of kuid, global.
    KuidGlobal(GlobalId),
    /// Of sno.
    Sno(SnoId),
}

impl AnyId {
    /// Returns the scheme of the ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Kind};
    /// use tickid_sno::SnoId;
    ///
    /// assert_eq!(AnyId::from(SnoId::ZERO).kind(), Kind::Sno);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Scru64(_) => Kind::Scru64,
            Self::Nanoflake(_) => Kind::Nanoflake,
            Self::KuidLocal(_) => Kind::KuidLocal,
            Self::KuidGlobal(_) => Kind::KuidGlobal,
            Self::Sno(_) => Kind::Sno,
        }
    }

    /// Returns the bytes as a big-endian integer with the scheme's number of
    /// [bytes](Kind::byte_len).
    ///
    /// [`carry`](crate::carry) has one that includes the scheme.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::AnyId;
    /// use tickid_sno::SnoId;
    ///
    /// let id = SnoId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    /// assert_eq!(AnyId::from(id).to_u128(), 258);
    /// ```
    #[must_use]
    pub fn to_u128(self) -> u128 {
        match self {
            Self::Scru64(id) => id.get().into(),
            Self::Nanoflake(id) => id.get().cast_unsigned().into(),
            Self::KuidLocal(id) => id.get().into(),
            Self::KuidGlobal(id) => id.into(),
            Self::Sno(id) => id.into(),
        }
    }
}

/// Converts an ID, as [`convert`], to a scheme that is known only at run time.
///
/// # Errors
/// As [`convert`].
///
/// # Examples
/// ```
/// use tickid_convert::{Kind, Nodes, Options, convert_any};
/// use tickid_scru64::scru64;
///
/// let options = Options { nodes: Nodes::Set(7), ..Options::default() };
/// let converted = convert_any(scru64!("0u375nxqh5cq"), Kind::KuidGlobal, &options)?;
/// assert_eq!(converted.id.kind(), Kind::KuidGlobal);
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
pub fn convert_any(
    id: impl Source,
    kind: Kind,
    options: &Options<'_>,
) -> Result<Converted<AnyId>, ConvertError> {
    with_type!(kind, Id => convert::<Id>(id, options).map(Converted::into_any))
}

/// Restores an ID, as [`restore`], if both schemes are known only at run time.
///
/// # Errors
/// As [`restore`].
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Kind, Options, convert_any, restore_any};
/// use tickid_nanoflake::NanoflakeId;
///
/// let id = AnyId::Nanoflake(NanoflakeId::new(1_541_815_603_606_036_480)?);
/// let converted = convert_any(id, Kind::Sno, &Options::default())?;
/// assert_eq!(restore_any(converted.id, Kind::Nanoflake, &Options::default()), Ok(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore_any(
    converted: AnyId,
    kind: Kind,
    options: &Options<'_>,
) -> Result<AnyId, ConvertError> {
    with_id!(converted, id => {
        with_type!(kind, Id => restore::<Id, _>(id, options).map(AnyId::from))
    })
}

impl<T: Into<AnyId>> Converted<T> {
    /// Does the same for an ID with a type known only at run time.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Kind, Nodes, Options, convert};
    /// use tickid_scru64::scru64;
    /// use tickid_sno::SnoId;
    ///
    /// let options = Options { nodes: Nodes::Set(7), ..Options::default() };
    /// let converted = convert::<SnoId>(scru64!("0u375nxqh5cq"), &options)?;
    /// assert_eq!(converted.into_any().id.kind(), Kind::Sno);
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    #[must_use]
    pub fn into_any(self) -> Converted<AnyId> {
        Converted { id: self.id.into(), loss: self.loss }
    }
}

impl Source for AnyId {
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        with_id!(self, id => id.parts(layouts))
    }
}

/// The scheme's canonical text.
impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_id!(self, id => id.fmt(f))
    }
}

macro_rules! from_ids {
    ($($variant:ident($id:ty)),*) => {$(
        impl From<$id> for AnyId {
            fn from(id: $id) -> Self {
                Self::$variant(id)
            }
        }
    )*};
}
from_ids!(
    Scru64(Scru64Id),
    Nanoflake(NanoflakeId),
    KuidLocal(LocalId),
    KuidGlobal(GlobalId),
    Sno(SnoId)
);
