//! A scheme with its settings, known at run time.

use core::fmt;
use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{RangeError, Scheme as _, TickScale, UnixTime};

use super::{AnyId, Kind, with_type};
use crate::convert::convert_exact;
use crate::error::ConvertError;
use crate::options::{Options, Settings};
use crate::parts::{Bits, Parts, mask};
use crate::schemes::sealed::Assemble as _;
use crate::schemes::{Fields, SchemeId, SchemeVisitor, SettingList};

/// The reason why a name, or a layout as text, is not a scheme's.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// No scheme has this name. Names are in lower case, for example `nanoflake`.
    #[error("no scheme has this name")]
    Name,
    /// All IDs of the scheme carry a node, but IDs without one were asked for.
    #[error("all IDs of this scheme carry a node")]
    Nodeless,
    /// The text is not that of the scheme's settings.
    #[error("not the settings of this scheme")]
    Settings,
}

tickid_core::debug_error! {
    enum SchemeError { Name, Nodeless, Settings }
}

/// A scheme that is known only at run time, with its settings.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, AnyScheme, Kind};
///
/// // As the realm of a lease store records it.
/// let scheme = AnyScheme::from_realm("nanoflake", "epoch 1420070400000", true)?;
/// let id = AnyId::parse(Kind::Nanoflake, b"bppc0m3ju134")?;
/// assert_eq!(scheme.unix_time(id).to_string(), "2026-08-25T14:24:45.448Z");
/// assert_eq!(scheme.fields()[5].value(&id.bytes()), 0); // the sequence
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyScheme {
    kind: Kind,
    settings: Settings,
}

impl AnyScheme {
    /// Returns a scheme with its own among `settings`.
    #[must_use]
    pub const fn new(kind: Kind, settings: &Settings) -> Self {
        Self { kind, settings: *settings }
    }

    /// Returns the scheme of a realm from its record in a lease store. The record has the scheme's
    /// name, and the settings as [`Scheme::write_settings`](tickid_core::Scheme::write_settings)
    /// writes them. `has_node` selects between kuid's two kinds, because both have the same name.
    ///
    /// # Errors
    /// Returns a [`SchemeError`] for an unknown name, for `has_node` = `false` with a scheme whose
    /// IDs all have a node, and for settings that are not the scheme's.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, SchemeError};
    ///
    /// let local = AnyScheme::from_realm("kuid", "drift 8", false)?;
    /// assert_eq!(local.kind(), Kind::KuidLocal);
    /// assert_eq!(AnyScheme::from_realm("kuid", "drift 4", true), Err(SchemeError::Settings));
    /// assert_eq!(AnyScheme::from_realm("sno", "", false), Err(SchemeError::Nodeless));
    /// # Ok::<(), SchemeError>(())
    /// ```
    pub fn from_realm(name: &str, settings: &str, has_node: bool) -> Result<Self, SchemeError> {
        let mut named = Kind::ALL.iter().filter(|kind| kind.name() == name).peekable();
        named.peek().ok_or(SchemeError::Name)?;
        let fits = |kind: &&Kind| kind.has_node() == has_node;
        let kind = *named.find(fits).ok_or(SchemeError::Nodeless)?;
        let settings = with_type!(kind, Id => Id::read_settings(settings, Settings::default()));
        Ok(Self { kind, settings: settings.ok_or(SchemeError::Settings)? })
    }

    /// Calls a function that is generic over the schemes, for example one that starts a generator,
    /// with the scheme and its settings. The visitor is a trait and not a closure, because closures
    /// cannot be generic.
    pub fn visit<T: SchemeVisitor>(&self, visitor: T) -> T::Output {
        with_type!(self.kind, Id => {
            visitor.visit(Id::scheme(&self.settings), <Id as SchemeId>::Variant::default())
        })
    }

    /// Writes the settings as
    /// [`Scheme::write_settings`](tickid_core::Scheme::write_settings) does, which realms record.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    ///
    /// let mut text = String::new();
    /// AnyScheme::new(Kind::KuidGlobal, &Settings::default()).write_settings(&mut text)?;
    /// assert_eq!(text, "drift 8");
    /// # Ok::<(), core::fmt::Error>(())
    /// ```
    pub fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        with_type!(self.kind, Id => Id::scheme(&self.settings).write_settings(out))
    }

    /// Returns the scheme, and for kuid the kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the settings of all schemes, including this one's.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of bits of a node, or `None` if IDs have no node, or if the settings do
    /// not determine the number.
    #[must_use]
    pub fn node_bits(&self) -> Option<u32> {
        with_type!(self.kind, Id => Id::shape(&self.settings)).node_bits
    }

    /// Returns the scale of the ticks.
    #[must_use]
    pub fn scale(&self) -> TickScale {
        with_type!(self.kind, Id => Id::shape(&self.settings)).scale
    }

    /// Returns the number of bits of an ID's sequence.
    #[must_use]
    pub fn sequence_bits(&self) -> u32 {
        with_type!(self.kind, Id => Id::shape(&self.settings)).sequence_bits
    }

    /// Reports whether IDs have a tick-tock bit.
    pub(super) fn has_toggle(&self) -> bool {
        with_type!(self.kind, Id => Id::shape(&self.settings)).is_sno
    }

    /// Returns the default nodes of a realm, as the highest node and its bits. They are all nodes
    /// up to 65,535, for example 0 to 1,023 for Nanoflake. Nodes that may have any size have 8
    /// bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    ///
    /// let nodes = |kind| AnyScheme::new(kind, &Settings::default()).usual_nodes();
    /// assert_eq!(nodes(Kind::Nanoflake), Some((1_023, 10)));
    /// assert_eq!(nodes(Kind::KuidGlobal), Some((65_535, 32)));
    /// assert_eq!(nodes(Kind::KuidLocal), None);
    /// ```
    #[must_use]
    pub fn usual_nodes(&self) -> Option<(u64, u32)> {
        if !self.kind.has_node() {
            return None;
        }
        let bits = Self::new(self.kind, &Settings { node_size: None, ..self.settings }).node_bits();
        let bits = bits.unwrap_or(u8::BITS);
        Some((mask(bits.min(u16::BITS)), bits))
    }

    /// Returns the start of the tick of an ID.
    #[must_use]
    pub fn unix_time(&self, id: AnyId) -> UnixTime {
        id.unix_time(&self.settings)
    }

    /// Returns the fields that the bits of IDs consist of, the highest first.
    #[must_use]
    pub fn fields(&self) -> Fields {
        with_type!(self.kind, Id => <Id as SchemeId>::fields(&self.settings))
    }

    /// Returns the values that the bits of IDs do not say, for example Nanoflake's epoch.
    #[must_use]
    pub fn setting_list(&self) -> SettingList {
        with_type!(self.kind, Id => Id::setting_list(&self.settings))
    }

    /// Returns the lowest ID that shows `time` or a later one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the start of the last.
    pub fn min_at(&self, time: UnixTime) -> Result<AnyId, RangeError> {
        with_type!(self.kind, Id => <Id as SchemeId>::min_at(time, &self.settings).map(AnyId::from))
    }

    /// Returns the highest ID that shows `time` or an earlier one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the last.
    pub fn max_at(&self, time: UnixTime) -> Result<AnyId, RangeError> {
        with_type!(self.kind, Id => <Id as SchemeId>::max_at(time, &self.settings).map(AnyId::from))
    }

    /// Returns the lowest and the highest ID that show a time within `times`, or `None` if no ID
    /// does. Times outside the format are accepted.
    ///
    /// If you scan day by day with half-open ranges, every ID lies in exactly one of them. Global
    /// kuids are an exception, because they sort by node before the end of their time. Their range
    /// contains some IDs of other times, as [`Kind::range_note`] says.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    /// use tickid_core::UnixTime;
    ///
    /// let sno = AnyScheme::new(Kind::Sno, &Settings::default());
    /// let [since, until] = [1_700_000_000_000, 1_700_000_000_004].map(UnixTime::from_millis);
    /// let ids = sno.range(since?..until?).ok_or("one tick of 4 ms")?;
    /// assert_eq!(ids.start().to_u128() >> 41, ids.end().to_u128() >> 41);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range(&self, times: impl RangeBounds<UnixTime>) -> Option<RangeInclusive<AnyId>> {
        let times = (times.start_bound().cloned(), times.end_bound().cloned());
        with_type!(self.kind, Id => {
            let (first, last) = <Id as SchemeId>::range(times, &self.settings)?.into_inner();
            Some(first.into()..=last.into())
        })
    }

    /// Returns the ID with this node and sequence in the tick that contains `time`.
    ///
    /// Nothing makes it unique, so use it for examples and tests only.
    ///
    /// # Errors
    /// Returns a [`ConvertError`] if the scheme has no such tick, node or sequence.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    /// use tickid_core::UnixTime;
    ///
    /// let sno = AnyScheme::new(Kind::Sno, &Settings::default());
    /// let id = sno.id_at(UnixTime::from_millis(1_700_000_000_000)?, 258, 7)?;
    /// let values: Vec<u128> = sno.fields().iter().map(|field| field.value(&id.bytes())).collect();
    /// assert_eq!(values, [109_424_000_000, 0, 0, 258, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn id_at(&self, time: UnixTime, node: u64, sequence: u64) -> Result<AnyId, ConvertError> {
        let shape = with_type!(self.kind, Id => Id::shape(&self.settings));
        let time = self.max_at(time).map_err(ConvertError::Time)?.unix_time(&self.settings);
        let sequence = Bits::of("sequence", sequence, shape.sequence_bits);
        let mut parts = Parts::held(time, shape.scale, sequence.map_err(ConvertError::Sequence)?);
        match shape.node_bits {
            Some(bits) => {
                let node = Bits::of("node", node, bits);
                parts = parts.with_node(node.map_err(ConvertError::Node)?);
            }
            None if node != 0 => return Err(ConvertError::NodeTooWide { node, bits: 0 }),
            None => {}
        }
        let options = Options { target: self.settings, ..Options::default() };
        with_type!(self.kind, Id => convert_exact::<Id>(parts, &options).map(AnyId::from))
    }
}
