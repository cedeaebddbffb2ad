//! The description of a scheme. Everything that is known about it at run time comes from here.

use core::fmt::{self, Debug, Display};
use core::ops::{Bound, Deref, RangeInclusive};

use tickid_core::{Field, RangeError, Scheme, UnixTime, Variant};
use tickid_text::ParseError;
use tickid_text::form::FormOf;

use crate::any::{AnyId, Kind};
use crate::inline_vec::InlineVec;
use crate::options::{SettingOption, Settings};
use crate::to_parts::ToParts;

/// The ID type of a scheme, and the description that [`AnyId`] and [`AnyScheme`](crate::AnyScheme)
/// are made of.
///
/// Use it as a bound in code that is generic over the schemes. It is sealed, so only the ID types
/// of the schemes implement it.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, SchemeId, Settings};
///
/// fn describe<I: SchemeId>(id: I) -> String {
///     let time = id.unix_time(&Settings::default());
///     format!("{} of {time}, {} bytes", &*id.text(), id.bytes().as_ref().len())
/// }
/// let id = tickid_scru64::scru64!("0u375nxqh5cq");
/// assert_eq!(describe(id), "0u375nxqh5cq of 2023-03-12T09:34:19.136Z, 8 bytes");
/// ```
pub trait SchemeId:
    ToParts + Into<AnyId> + Eq + Debug + Display + Send + Sync + 'static + sealed::Assemble
{
    /// The scheme, and for kuid the kind.
    const KIND: Kind;
    /// The highest number that is an ID. All numbers from 0 to this one are.
    const MAX_NUMBER: u128;
    /// Set if IDs carry a node.
    const HAS_NODE: bool = true;
    /// Any ID, to fill an array with.
    const BLANK: Self;
    /// The text forms, the canonical one first.
    const FORMS: &'static [FormOf<Self>];
    /// The reason why a range of times also holds IDs of other times, or `None` if it does not.
    const RANGE_NOTE: Option<&'static str> = None;
    /// The options for the values that the bits do not say.
    const SETTING_OPTIONS: &'static [SettingOption] = &[];

    /// The scheme that generators of these IDs have.
    type Scheme: Scheme;
    /// The variant that makes such an ID of a generator's slot.
    type Variant: SchemeVariant<Self::Scheme, Id = Self>;

    /// The canonical text on the stack.
    type Text: Deref<Target = str>;
    /// The array of the bytes.
    type Bytes: AsRef<[u8]>;

    /// Returns the scheme with its settings.
    fn scheme(settings: &Settings) -> Self::Scheme;

    /// Reads the canonical text.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID.
    fn parse(text: &[u8]) -> Result<Self, ParseError>;

    /// Returns the ID whose bytes are this big-endian integer.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`MAX_NUMBER`](Self::MAX_NUMBER).
    fn from_number(number: u128) -> Result<Self, RangeError>;

    /// Returns the canonical text.
    fn text(self) -> Self::Text;

    /// Returns the bytes, the highest first.
    fn bytes(self) -> Self::Bytes;

    /// Returns the bytes as a big-endian integer.
    fn number(self) -> u128;

    /// Returns the start of the ID's tick. Even a kuid whose fields are not a valid time has one,
    /// although it has no [`parts`](ToParts::parts).
    fn unix_time(self, settings: &Settings) -> UnixTime;

    /// Returns the fields that the bits consist of, the highest first.
    fn fields(settings: &Settings) -> Fields;

    /// Returns the values that the bits do not say.
    fn setting_list(settings: &Settings) -> SettingList {
        let _ = settings;
        SettingList::default()
    }

    /// Returns the lowest ID that shows `time` or a later one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the start of the last.
    fn min_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError>;

    /// Returns the highest ID that shows `time` or an earlier one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first tick or after the last.
    fn max_at(time: UnixTime, settings: &Settings) -> Result<Self, RangeError>;

    /// Returns the range of the IDs that show a time within `times`, or `None` if no ID does.
    fn range(
        times: (Bound<UnixTime>, Bound<UnixTime>),
        settings: &Settings,
    ) -> Option<RangeInclusive<Self>>;
}

/// The caller's choice for each ID, for code that is generic over the schemes.
pub trait SchemeVariant<S: Scheme>:
    Variant<S, Id: SchemeId> + Copy + Default + fmt::Debug + Send + Sync + 'static
{
    /// Set if a metabyte can be chosen.
    const HAS_METABYTE: bool = false;
    /// The variant with the least ID of each slot, if generators can
    /// [observe](tickid_core::Observable) the IDs.
    const LEAST: Option<Self>;

    /// Returns the variant with a metabyte, or the default one if the scheme has no metabyte.
    #[must_use]
    fn with_metabyte(metabyte: u8) -> Self {
        let _ = metabyte;
        Self::default()
    }
}

/// A function that is generic over the schemes, for [`AnyScheme::visit`](crate::AnyScheme::visit).
///
/// # Examples
/// ```
/// use tickid_convert::{AnyScheme, SchemeVariant, SchemeVisitor};
/// use tickid_core::Scheme;
///
/// /// The name of a scheme and the highest sequence of a tick.
/// struct Name;
///
/// impl SchemeVisitor for Name {
///     type Output = (&'static str, u32);
///
///     fn visit<S: Scheme, V: SchemeVariant<S>>(self, _: S, _: V) -> Self::Output {
///         (S::NAME, S::MAX_SEQUENCE)
///     }
/// }
///
/// let sno = AnyScheme::from_realm("sno", "", true)?;
/// assert_eq!(sno.visit(Name), ("sno", 65_535));
/// # Ok::<(), tickid_convert::SchemeError>(())
/// ```
pub trait SchemeVisitor {
    /// The type of the result.
    type Output;

    /// Receives the scheme, and the variant of its IDs.
    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, variant: V) -> Self::Output;
}

/// The fields that the bits of an ID consist of, on the stack.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyScheme, Kind, Settings};
///
/// let fields = AnyScheme::new(Kind::Sno, &Settings::default()).fields();
/// let names: Vec<_> = fields.iter().map(|field| field.name()).collect();
/// assert_eq!(names, ["timestamp", "toggle", "meta", "partition", "sequence"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields(InlineVec<Field, { Self::MAX }>);

impl Fields {
    /// The largest number of fields.
    pub const MAX: usize = 8;

    /// Returns the first [`MAX`](Self::MAX) of these fields.
    #[must_use]
    pub fn new(fields: &[Field]) -> Self {
        Self(InlineVec::new(fields, Field::new("", 0, 0, "")))
    }
}

impl Deref for Fields {
    type Target = [Field];

    fn deref(&self) -> &[Field] {
        &self.0
    }
}

/// A fact that is not in the bits of an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The name, in lower case, with underscores.
    pub name: &'static str,
    /// The value.
    pub value: SettingValue,
    /// The meaning, as a phrase to print beside the value.
    pub meaning: &'static str,
}

/// The value of a [`Setting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "whoever prints settings has to print each value")]
pub enum SettingValue {
    /// A number.
    Number(i64),
    /// A word.
    Word(&'static str),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => Display::fmt(number, f),
            Self::Word(word) => f.pad(word),
        }
    }
}

/// The values that the bits of an ID do not say, each with its name, as they are printed. For
/// example Nanoflake's epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingList([Option<Setting>; 2]);

impl SettingList {
    pub(crate) const fn one(
        name: &'static str,
        value: SettingValue,
        meaning: &'static str,
    ) -> Self {
        Self([Some(Setting { name, value, meaning }), None])
    }

    pub(crate) const fn and(
        self,
        name: &'static str,
        value: SettingValue,
        meaning: &'static str,
    ) -> Self {
        Self([self.0[0], Some(Setting { name, value, meaning })])
    }

    /// Returns the values, each with its name and meaning.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.0.iter().flatten()
    }
}

impl IntoIterator for SettingList {
    type Item = Setting;
    type IntoIter = core::iter::Flatten<core::array::IntoIter<Option<Setting>, 2>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flatten()
    }
}

pub(crate) mod sealed {
    use tickid_core::{RangeError, TickScale, UnixTime};

    use crate::carry::CarryError;
    use crate::error::ConvertError;
    use crate::options::Settings;
    use crate::parts::Parts;
    use crate::to_parts::ToParts;

    /// The capacities of an ID type.
    #[allow(unnameable_types, reason = "sealed: no other type can be a scheme's ID")]
    #[derive(Clone, Copy, Debug)]
    pub struct Shape {
        pub(crate) scale: TickScale,
        /// `None` where IDs have no node.
        pub(crate) node_bits: Option<u32>,
        pub(crate) sequence_bits: u32,
        /// `true` if there are a tick-tock bit and a metabyte.
        pub(crate) is_sno: bool,
    }

    impl Shape {
        /// Returns a shape with a node, without a tick-tock bit.
        pub(crate) const fn new(scale: TickScale, node_bits: u32, sequence_bits: u32) -> Self {
            Self { scale, node_bits: Some(node_bits), sequence_bits, is_sno: false }
        }
    }

    #[allow(unnameable_types, reason = "sealed: no other type can be a scheme's ID")]
    pub trait Assemble: Copy + PartialEq + ToParts {
        fn shape(settings: &Settings) -> Shape;

        /// Returns the ID of parts that fit the shape, in the tick with this number, which contains
        /// `time`.
        ///
        /// # Errors
        /// Returns [`ConvertError::Time`] for a tick that the scheme does not have.
        fn of(
            tick: i64,
            time: UnixTime,
            parts: &Parts,
            settings: &Settings,
        ) -> Result<Self, ConvertError>;

        /// Reads the settings that [`Scheme::write_settings`](tickid_core::Scheme::write_settings)
        /// wrote. The result is `None` for a text that it does not write.
        fn read_settings(text: &str, settings: Settings) -> Option<Settings> {
            text.is_empty().then_some(settings)
        }

        /// Returns the parts of the ID that a generator is to continue after.
        ///
        /// # Errors
        /// Returns a [`ConvertError`] if the fields are not a valid time.
        fn parts_of_last(self, settings: &Settings) -> Result<Parts, ConvertError> {
            self.parts(settings)
        }

        /// Returns the start of the ID's tick, for a UUID of version 7.
        ///
        /// # Errors
        /// Returns a [`RangeError`] if the ID's fields are not a valid time.
        fn time_to_carry(self, settings: &Settings) -> Result<UnixTime, RangeError>;

        /// Returns the 64 bits beside the milliseconds in a UUID of version 7.
        fn rest_to_carry(self, settings: &Settings) -> u64;

        /// Returns the ID in a UUID of version 7.
        ///
        /// # Errors
        /// Returns a [`CarryError`] if the UUID does not hold an ID of these settings.
        fn from_v7(
            millis: i64,
            rest: u64,
            drift: u8,
            settings: &Settings,
        ) -> Result<Self, CarryError>;
    }
}
