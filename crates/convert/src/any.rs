use core::fmt;
use core::ops::{Deref, RangeBounds, RangeInclusive};
use core::str::FromStr;

use tickid_core::{RangeError, Scheme, TickScale, UnixTime};
use tickid_text::ParseError;

use crate::convert::{Converted, convert, convert_exact, restore};
use crate::error::ConvertError;
use crate::options::{LayoutOption, Layouts, Options};
use crate::parts::{Bits, Parts, mask};
use crate::schemes::sealed::Assemble as _;
use crate::schemes::{Fields, SchemeId, SchemeVariant, SchemeVisitor, Settings, table};
use crate::to_parts::ToParts;

/// Declares the kinds and the IDs of the [`table`] of schemes.
macro_rules! declare {
    ($($variant:ident($Id:ty), $name:literal, $key:literal, $shown:literal;)+) => {
        /// Evaluates `$body` with `$id` as the ID of an [`AnyId`], whichever it is of.
        macro_rules! with_id {
            ($any:expr, $id:ident => $body:expr) => {
                match $any {
                    $($crate::any::AnyId::$variant($id) => $body,)+
                }
            };
        }

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

        /// An ID of a scheme that is known only at run time.
        ///
        /// It has no order, because an order by scheme would not be one by time. Sort by the UUIDs
        /// that [`carry::to_uuid_v7`](crate::carry::to_uuid_v7) makes instead.
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
        /// let id = AnyId::parse(Kind::Sno, b"brpk4q72xwf2m63l")?;
        /// assert_eq!(id, sno!("brpk4q72xwf2m63l").into());
        /// assert_eq!((id.kind(), &*id.text()), (Kind::Sno, "brpk4q72xwf2m63l"));
        /// assert_eq!(*id.bytes(), sno!("brpk4q72xwf2m63l").to_bytes());
        /// # Ok::<(), tickid_sno::ParseError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum AnyId {
            $(#[doc = $shown] $variant($Id),)+
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
                    $(Self::$variant(_) => Kind::$variant,)+
                }
            }
        }

        $(impl From<$Id> for AnyId {
            fn from(id: $Id) -> Self {
                Self::$variant(id)
            }
        })+
    };
}

table! { declare }
#[allow(clippy::single_component_path_imports, reason = "they are macros")]
pub(crate) use with_id;
#[allow(clippy::single_component_path_imports, reason = "they are macros")]
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

    /// Returns the options for the facts that are not in the bits of IDs. An option of several
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

/// The reason why a name, or a layout as text, is not a scheme's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// No scheme has this name.
    #[error("no scheme has this name")]
    Name,
    /// All IDs of the scheme carry a node.
    #[error("all IDs of this scheme carry a node")]
    Nodeless,
    /// The text is not a layout of the scheme.
    #[error("not a layout of this scheme")]
    Layout,
}

/// A scheme that is known only at run time, with its layout.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, AnyScheme, Kind};
///
/// // As the realm of a lease store records it.
/// let scheme = AnyScheme::from_realm("nanoflake", "epoch 1420070400000", true)?;
/// let id = AnyId::parse(Kind::Nanoflake, b"bppc0m3ju134")?;
/// assert_eq!(scheme.time(id).to_string(), "2026-08-25T14:24:45.448Z");
/// assert_eq!(scheme.fields()[5].value(&id.bytes()), 0); // the sequence
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnyScheme {
    kind: Kind,
    layouts: Layouts,
}

impl AnyScheme {
    /// Returns a scheme with its layout among `layouts`.
    #[must_use]
    pub const fn new(kind: Kind, layouts: &Layouts) -> Self {
        Self { kind, layouts: *layouts }
    }

    /// Returns the scheme of a realm: of its record in a lease store, which has the scheme's name
    /// and the layout as
    /// [`Scheme::write_layout`](tickid_core::Scheme::write_layout) writes it. `has_node` selects
    /// between kuid's two kinds.
    ///
    /// # Errors
    /// Returns a [`SchemeError`] for another name, for IDs without a node of a scheme that has
    /// none, and for a layout that is not the scheme's.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, SchemeError};
    ///
    /// let local = AnyScheme::from_realm("kuid", "drift 8", false)?;
    /// assert_eq!(local.kind(), Kind::KuidLocal);
    /// assert_eq!(AnyScheme::from_realm("kuid", "drift 4", true), Err(SchemeError::Layout));
    /// assert_eq!(AnyScheme::from_realm("sno", "", false), Err(SchemeError::Nodeless));
    /// # Ok::<(), SchemeError>(())
    /// ```
    pub fn from_realm(name: &str, layout: &str, has_node: bool) -> Result<Self, SchemeError> {
        let mut named = Kind::ALL.iter().filter(|kind| kind.name() == name).peekable();
        named.peek().ok_or(SchemeError::Name)?;
        let fits = |kind: &&Kind| kind.has_node() == has_node;
        let kind = *named.find(fits).ok_or(SchemeError::Nodeless)?;
        let layouts = with_type!(kind, Id => Id::read_layout(layout, Layouts::default()));
        Ok(Self { kind, layouts: layouts.ok_or(SchemeError::Layout)? })
    }

    /// Calls a function that is generic over the schemes, such as one that starts a generator, with
    /// the scheme and its layout.
    pub fn visit<T: SchemeVisitor>(&self, visitor: T) -> T::Output {
        with_type!(self.kind, Id => Id::visit(&self.layouts, visitor))
    }

    /// Returns the scheme, and for kuid the kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the layouts of all schemes, this one's among them.
    #[must_use]
    pub const fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Returns the number of bits of a node: `None` if IDs have none, or if the layout does not
    /// determine it.
    #[must_use]
    pub fn node_bits(&self) -> Option<u32> {
        with_type!(self.kind, Id => Id::shape(&self.layouts)).node_bits
    }

    /// Returns the scale of the ticks.
    #[must_use]
    pub fn scale(&self) -> TickScale {
        with_type!(self.kind, Id => Id::shape(&self.layouts)).scale
    }

    /// Returns the number of bits of an ID's sequence.
    #[must_use]
    pub fn sequence_bits(&self) -> u32 {
        with_type!(self.kind, Id => Id::shape(&self.layouts)).sequence_bits
    }

    /// Returns the default nodes of a realm, as the highest node and its bits: all nodes up to
    /// 65,535. Nodes that may have any size have 8 bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Layouts};
    ///
    /// let nodes = |kind| AnyScheme::new(kind, &Layouts::default()).usual_nodes();
    /// assert_eq!(nodes(Kind::Nanoflake), Some((1_023, 10)));
    /// assert_eq!(nodes(Kind::KuidGlobal), Some((65_535, 32)));
    /// assert_eq!(nodes(Kind::KuidLocal), None);
    /// ```
    #[must_use]
    pub fn usual_nodes(&self) -> Option<(u64, u32)> {
        if !self.kind.has_node() {
            return None;
        }
        let bits = Self::new(self.kind, &Layouts { node_size: None, ..self.layouts }).node_bits();
        let bits = bits.unwrap_or(u8::BITS);
        Some((mask(bits.min(u16::BITS)), bits))
    }

    /// Returns the start of the tick of an ID.
    #[must_use]
    pub fn time(&self, id: AnyId) -> UnixTime {
        id.time(&self.layouts)
    }

    /// Returns the fields that the bits of IDs consist of, the highest first.
    #[must_use]
    pub fn fields(&self) -> Fields {
        with_type!(self.kind, Id => <Id as SchemeId>::fields(&self.layouts))
    }

    /// Returns the facts that are not in the bits of IDs.
    #[must_use]
    pub fn settings(&self) -> Settings {
        with_type!(self.kind, Id => Id::settings(&self.layouts))
    }

    /// Returns the lowest ID that shows `time` or a later one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the start of the last.
    pub fn min_at(&self, time: UnixTime) -> Result<AnyId, RangeError> {
        with_type!(self.kind, Id => <Id as SchemeId>::min_at(time, &self.layouts).map(AnyId::from))
    }

    /// Returns the highest ID that shows `time` or an earlier one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the last.
    pub fn max_at(&self, time: UnixTime) -> Result<AnyId, RangeError> {
        with_type!(self.kind, Id => <Id as SchemeId>::max_at(time, &self.layouts).map(AnyId::from))
    }

    /// Returns the lowest and the highest ID that show a time within `times`, or `None` if no ID
    /// does. Times outside the format are accepted.
    ///
    /// Every ID lies in exactly one of consecutive half-open ranges, except global kuids, which
    /// sort by node before the end of their time: their range contains some of other times.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Layouts};
    /// use tickid_core::UnixTime;
    ///
    /// let sno = AnyScheme::new(Kind::Sno, &Layouts::default());
    /// let [since, until] = [1_700_000_000_000, 1_700_000_000_004].map(UnixTime::from_millis);
    /// let [first, last] = sno.range(since?..until?).ok_or("one tick of 4 ms")?;
    /// assert_eq!(first.to_u128() >> 41, last.to_u128() >> 41);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range(&self, times: impl RangeBounds<UnixTime>) -> Option<[AnyId; 2]> {
        let times = (times.start_bound().cloned(), times.end_bound().cloned());
        with_type!(self.kind, Id => {
            let (first, last) = <Id as SchemeId>::range(times, &self.layouts)?.into_inner();
            Some([first.into(), last.into()])
        })
    }

    /// Returns the ID with this node and sequence in the tick that contains `time`.
    ///
    /// Nothing makes it unique; it is for examples and tests.
    ///
    /// # Errors
    /// Returns a [`ConvertError`] if the scheme has no such tick, node or sequence.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Layouts};
    /// use tickid_core::UnixTime;
    ///
    /// let sno = AnyScheme::new(Kind::Sno, &Layouts::default());
    /// let id = sno.id_at(UnixTime::from_millis(1_700_000_000_000)?, 258, 7)?;
    /// let values: Vec<u128> = sno.fields().iter().map(|field| field.value(&id.bytes())).collect();
    /// assert_eq!(values, [109_424_000_000, 0, 0, 258, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn id_at(&self, time: UnixTime, node: u64, sequence: u64) -> Result<AnyId, ConvertError> {
        let shape = with_type!(self.kind, Id => Id::shape(&self.layouts));
        let time = self.max_at(time).map_err(ConvertError::Time)?.time(&self.layouts);
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
        let options = Options { target: self.layouts, ..Options::default() };
        with_type!(self.kind, Id => convert_exact::<Id>(parts, &options).map(AnyId::from))
    }
}

/// The longest canonical text.
const MAX_TEXT: usize = 20;

/// The text of an ID on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdText {
    text: [u8; MAX_TEXT],
    len: usize,
}

impl IdText {
    fn new(text: &str) -> Self {
        let mut all = [0; MAX_TEXT];
        all.iter_mut().zip(text.as_bytes()).for_each(|(to, from)| *to = *from);
        Self { text: all, len: text.len().min(MAX_TEXT) }
    }
}

impl Deref for IdText {
    type Target = str;

    fn deref(&self) -> &str {
        self.text.get(..self.len).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default()
    }
}

/// The largest number of bytes of an ID, a KSUID's.
const MAX_BYTES: usize = 20;

/// The bytes of an ID on the stack, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdBytes {
    bytes: [u8; MAX_BYTES],
    len: usize,
}

impl IdBytes {
    /// Returns the first twenty of these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() <= MAX_BYTES);
        let mut all = [0; MAX_BYTES];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Self { bytes: all, len: bytes.len().min(MAX_BYTES) }
    }
}

impl Deref for IdBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// Lower-case hexadecimal digits.
impl fmt::Display for IdBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl AnyId {
    /// Reads the canonical text of a scheme's ID.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID of the scheme.
    pub fn parse(kind: Kind, text: &[u8]) -> Result<Self, ParseError> {
        with_type!(kind, Id => Id::parse(text).map(Self::from))
    }

    /// Reads the scheme's second text, URL-safe Base64, which only kuid has.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID of the scheme.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Kind};
    ///
    /// let id = AnyId::parse_url(Kind::KuidGlobal, b"AGA5igPrJzJ7aYAB").ok_or("no such text")??;
    /// assert_eq!(id.url_text().as_deref(), Some("AGA5igPrJzJ7aYAB"));
    /// assert_eq!(AnyId::parse_url(Kind::Sno, b"brpk4q72xwf2m63l"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_url(kind: Kind, text: &[u8]) -> Option<Result<Self, ParseError>> {
        with_type!(kind, Id => Some(<Id as SchemeId>::parse_url(text)?.map(Self::from)))
    }

    /// Returns the ID whose bytes are this big-endian integer.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`Kind::max_number`].
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Kind};
    ///
    /// let id = AnyId::from_u128(Kind::Scru64, 110_009_624_767_914_842)?;
    /// assert_eq!(id.to_string(), "0u375nxqh5cq");
    /// let error = AnyId::from_u128(Kind::Sno, 1 << 80).unwrap_err();
    /// assert!(error.to_string().starts_with("sno ID 1208925819614629174706176 is outside of"));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub fn from_u128(kind: Kind, number: u128) -> Result<Self, RangeError> {
        with_type!(kind, Id => Id::from_number(number).map(Self::from))
    }

    /// Returns the ID with these bytes, the highest first.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for another number of bytes than [`Kind::byte_len`], and for bytes
    /// above [`Kind::max_number`].
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self, RangeError> {
        let len = kind.byte_len();
        if bytes.len() != len {
            let (found, len) = (i128::try_from(bytes.len()).unwrap_or(i128::MAX), len as i128);
            return Err(RangeError::new("number of bytes", found, len, len));
        }
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        Self::from_u128(kind, number)
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn text(self) -> IdText {
        with_id!(self, id => IdText::new(&SchemeId::text(id)))
    }

    /// Returns the scheme's second text, URL-safe Base64, which only kuid has.
    #[must_use]
    pub fn url_text(self) -> Option<IdText> {
        with_id!(self, id => id.url_text().map(|text| IdText::new(&text)))
    }

    /// Returns the bytes, the highest first.
    #[must_use]
    pub fn bytes(self) -> IdBytes {
        with_id!(self, id => IdBytes::new(SchemeId::bytes(id).as_ref()))
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
        with_id!(self, id => id.number())
    }

    /// Returns the start of the ID's tick. A kuid whose fields are not a valid time has one, too,
    /// and no [`parts`](ToParts::parts).
    #[must_use]
    pub fn time(self, layouts: &Layouts) -> UnixTime {
        with_id!(self, id => SchemeId::time(id, layouts))
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
    id: impl ToParts,
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

impl ToParts for AnyId {
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
