//! The ID or the time that a text spells in one format.

use core::fmt;

use tickid_convert::foreign::Mastodon;
use tickid_convert::{
    AnyId, AnyScheme, Bits, ConvertError, Fields, Form, IdBytes, Kind, Parts, SettingList,
    Settings, TextForm, ToParts, Uuid,
};
use tickid_core::UnixTime;
use tickid_kuid::wide::WideGlobalId;
use tickid_snowflake::{Preset, SnowflakeId};
use tickid_text::form::Facts;

use crate::formats::{Coding, Description, Format};
use crate::unix_unit::UnixUnit;
use crate::{fields, literal};

/// An ID of any format.
///
/// It implements [`ToParts`], so it can be converted to a scheme if its fields can be mapped. For
/// other formats, such as UUIDs, the conversion returns an error.
///
/// # Examples
/// ```
/// use tickid_convert::{Kind, Options, Settings, convert_any};
/// use tickid_detect::{Format, detect};
///
/// let found = detect(b"brpk4q72xwf2m63l", &Settings::default(), None);
/// let sno = found.iter().find(|one| one.format() == Format::Sno).ok_or("no sno ID")?;
/// assert_eq!(sno.identifier().scheme_id().map(|id| id.kind()), Some(Kind::Sno));
/// let global = convert_any(sno.identifier(), Kind::KuidGlobal, &Options::default())?;
/// assert!(!global.loss.is_none()); // the metabyte, for one
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Identifier {
    /// An ID of a scheme.
    Scheme(AnyId),
    /// A global kuid with a node of 64 bits. Its texts have the forms of [`Kind::KuidGlobal`].
    KuidWide(WideGlobalId),
    /// An ID of a scheme in a UUID that [`carry`](tickid_convert::carry) has made.
    Carried(AnyId),
    /// A Snowflake in a known layout.
    Preset(Preset, SnowflakeId),
    /// An ID of Mastodon.
    Mastodon(Mastodon),
    /// A UUID.
    Uuid(Uuid),
    /// An ID of a format that is only read, such as a ULID.
    Foreign(Foreign),
    /// A TypeID.
    TypeId {
        /// The UUID behind the prefix.
        uuid: Uuid,
        /// The length of the prefix, without the underscore after it.
        prefix_len: u8,
    },
    /// A Unix time, which is not an ID but looks like one.
    UnixTime(UnixUnit, u64),
}

/// The bytes of an ID in a format that is only read, such as ULID or KSUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Foreign {
    format: Format,
    /// The first are those of the ID.
    bytes: [u8; 20],
    len: u8,
}

impl Foreign {
    pub(crate) fn new(format: Format, bytes: &[u8]) -> Self {
        let mut all = [0; 20];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Self { format, bytes: all, len: u8::try_from(bytes.len()).unwrap_or(20).min(20) }
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(self) -> Format {
        self.format
    }

    /// Returns the bytes, the highest first.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Returns the description of the format. Every format that is only read has one.
    #[inline]
    pub(crate) const fn description(&self) -> Option<&'static Description> {
        self.format.description()
    }

    const fn coding(&self) -> Option<&'static Coding> {
        match self.description() {
            Some(Description { coding, .. }) => Some(coding),
            None => None,
        }
    }

    pub(crate) const fn is_decimal(&self) -> bool {
        matches!(self.coding(), Some(Coding::Decimal))
    }

    pub(crate) const fn is_hexadecimal(&self) -> bool {
        matches!(self.coding(), Some(Coding::Hexadecimal))
    }
}

/// The presets with the widths of Nanoflakes whose epoch is one by name.
pub(crate) const NANOFLAKES: [Preset; 3] = [Preset::Twitter, Preset::Discord, Preset::UnixEpoch];

impl Identifier {
    /// Returns the ID of a format that has these bytes, the highest first, unless the format has no
    /// such ID. TypeIDs and Unix times have no bytes of their own.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Settings, Uuid};
    /// use tickid_detect::{Format, Identifier, Inspection};
    ///
    /// // A ULID from a column of UUIDs.
    /// let uuid = Uuid::parse_str("01563df3-6481-d676-4c61-efb99302bd5b")?;
    /// let id = Identifier::from_bytes(Format::Ulid, uuid.as_bytes()).ok_or("not 16 bytes")?;
    /// let ulid = Inspection::new(id, "", &Settings::default());
    /// assert_eq!(ulid.text(), "01ARYZ6S41TSV4RRFFQ69G5FAV");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Option<Self> {
        if let Some(description) = format.description() {
            return description.accepts(bytes).then(|| Self::Foreign(Foreign::new(format, bytes)));
        }
        if let Some(preset) = Preset::named(format.key()) {
            let id = SnowflakeId::new(u64::from_be_bytes(bytes.try_into().ok()?));
            return (id <= preset.layout().max_id()).then_some(Self::Preset(preset, id));
        }
        let kinds = Kind::ALL.iter().filter(|kind| Format::of_kind(**kind) == format);
        if let Some(id) = kinds.filter_map(|kind| AnyId::from_bytes(*kind, bytes).ok()).next() {
            return Some(Self::Scheme(id));
        }
        if format == Format::Mastodon {
            return Some(Self::Mastodon(Mastodon(u64::from_be_bytes(bytes.try_into().ok()?))));
        }
        let bytes = bytes.try_into().ok()?;
        if format == Format::Kuid {
            return Some(Self::KuidWide(WideGlobalId::from_bytes(bytes)));
        }
        (format == Format::Uuid).then(|| Self::Uuid(Uuid::from_bytes(bytes)))
    }

    /// Reads a text as an ID of a format that is not written in its own text: as the integer, and as
    /// the bytes in hexadecimal or in a literal. [`detect`](crate::detect()) leaves some of these
    /// out, because other texts look the same, for example a hash and a KSUID in hexadecimal.
    ///
    /// Digits without a letter may be both. The integer comes first.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Form, Settings};
    /// use tickid_detect::{Format, Identifier};
    ///
    /// let settings = Settings::default();
    /// let mut read = Identifier::in_other_forms(Format::Discord, b"0x0271065ac1020007", &settings);
    /// let (id, form) = read.next().ok_or("no form of Discord's")?;
    /// assert_eq!((id.integer(), form), (Some(175_928_847_299_117_063), Form::Hex));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn in_other_forms(
        format: Format,
        text: &[u8],
        settings: &Settings,
    ) -> impl Iterator<Item = (Self, Form)> + use<> {
        let max = settings.snowflake.max_id();
        let integer = literal::integer(text).and_then(|number| {
            let bytes = number.to_be_bytes();
            let splits = [8, 6, 4, 0].into_iter().filter_map(|len| bytes.split_at_checked(len));
            // The time comes first, so smaller numbers are of the first seconds of an epoch at most.
            let mut fitting = splits.filter(|(above, id)| {
                let (first, _) = id.split_first_chunk::<4>().unwrap_or((&[0; 4], id));
                *first != [0; 4] && above.iter().all(|byte| *byte == 0)
            });
            let id = fitting.find_map(|(_, bytes)| Self::from_bytes(format, bytes))?;
            Some((id, Form::Int))
        });
        let literal = literal::read(text)
            .and_then(|literal| Some((Self::from_bytes(format, literal.bytes())?, literal.form)));
        let fits = move |(id, _): &(Self, Form)| match id {
            // The layout may have fewer bits.
            Self::Scheme(AnyId::Snowflake(id)) => *id <= max,
            // Without hyphens, nothing else tells one.
            Self::Uuid(uuid) => version(*uuid).is_some(),
            Self::Scheme(_)
            | Self::KuidWide(_)
            | Self::Carried(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Foreign(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => true,
        };
        [integer, literal].into_iter().flatten().filter(fits)
    }

    /// Returns the ID, if it belongs to one of the schemes. For a UUID that holds such an ID, this
    /// is the ID in it.
    #[must_use]
    pub const fn scheme_id(&self) -> Option<AnyId> {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => Some(id),
            Self::KuidWide(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::Foreign(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => None,
        }
    }

    /// Returns the format.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[must_use]
    pub const fn format(&self) -> Format {
        match self {
            Self::Scheme(id) => Format::of_kind(id.kind()),
            Self::KuidWide(_) => Format::Kuid,
            Self::Preset(preset, _) => Format::of_preset(*preset),
            Self::Mastodon(_) => Format::Mastodon,
            Self::Carried(_) | Self::Uuid(_) => Format::Uuid,
            Self::Foreign(id) => id.format,
            Self::TypeId { .. } => Format::TypeId,
            Self::UnixTime(..) => Format::UnixTime,
        }
    }

    /// Returns the format that is shown. For an ID in a UUID, this is the ID's own format, where
    /// [`format`](Self::format) returns [`Format::Uuid`].
    #[must_use]
    pub const fn shown_format(&self) -> Format {
        match self {
            Self::Carried(id) => Format::of_kind(id.kind()),
            Self::Scheme(_)
            | Self::KuidWide(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::Foreign(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => self.format(),
        }
    }

    /// Returns the format of a preset that has the same IDs, if this is a Nanoflake and its form is
    /// one that the preset's IDs have. For example, Nanoflakes with Twitter's epoch, which is the default, are
    /// Twitter's Snowflakes.
    #[must_use]
    pub fn also(&self, form: Form, settings: &Settings) -> Option<Format> {
        let is_of_both = form.is_integer() || matches!(form, Form::Hex | Form::Bytes);
        let is_nanoflake = matches!(self, Self::Scheme(AnyId::Nanoflake(_))) && is_of_both;
        let epoch = settings.epoch.unix_time();
        let mut presets = NANOFLAKES.into_iter();
        let has_epoch = |preset: &Preset| preset.layout().widths().epoch == epoch;
        let preset = presets.find(|preset| is_nanoflake && has_epoch(preset))?;
        Some(Format::of_preset(preset))
    }

    /// Returns the name of the format for people, and of the form if the format has several, for
    /// example `Nanoflake in decimal`.
    #[must_use]
    pub fn name(&self, form: Form) -> impl fmt::Display + use<> {
        Name(*self, form)
    }

    /// Returns the form of the text that [`Inspection::new`](crate::Inspection::new) makes.
    #[must_use]
    pub const fn canonical_form(&self) -> Form {
        match self {
            Self::Scheme(id) => Form::canonical(id.kind()),
            Self::KuidWide(_) => Form::canonical(Kind::KuidGlobal),
            Self::Carried(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::Foreign(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => Form::Own,
        }
    }

    /// Returns the features that the format requires of a text in this form.
    pub(crate) const fn reason(&self, form: Form) -> &'static str {
        match form {
            Form::Text(form) => self.facts(form).features,
            Form::Own => self.own_name_and_reason().1,
            Form::Int => "a decimal integer of its size",
            Form::Hex => "hexadecimal digits of its number of bytes",
            Form::Bytes => "a literal of its number of bytes",
            Form::Tuple => "a tuple of Erlang's uid",
        }
    }

    /// Returns the facts about a text of a scheme's ID.
    const fn facts(&self, form: TextForm) -> &'static Facts {
        let row = form.row() as usize;
        if matches!(self, Self::KuidWide(_)) && row < WideGlobalId::FORMS.len() {
            return &WideGlobalId::FORMS[row].form;
        }
        form.facts()
    }

    /// Returns the name of the format and the features of its texts, for formats that are no
    /// scheme.
    const fn own_name_and_reason(&self) -> (&'static str, &'static str) {
        let (up_to_63_bits, up_to_64_bits) =
            ("a decimal integer of up to 63 bits", "a decimal integer of up to 64 bits");
        match self {
            Self::Scheme(_) | Self::KuidWide(_) => (self.format().title(), ""),
            Self::Carried(_) => ("UUID", "a UUID with the marks of a carried ID"),
            // Its integers are not detected.
            Self::Preset(Preset::Tsid, _) => {
                (Preset::Tsid.title(), "13 upper-case digits of Crockford's base 32")
            }
            Self::Preset(preset, _) if preset.layout().widths().is_unsigned => {
                (preset.title(), up_to_64_bits)
            }
            Self::Preset(preset, _) => (preset.title(), up_to_63_bits),
            Self::Mastodon(_) => (Format::Mastodon.title(), up_to_64_bits),
            Self::Uuid(uuid) if uuid.is_nil() => ("nil UUID", "only zeros"),
            Self::Uuid(uuid) if uuid.is_max() => ("max UUID", "only ones"),
            Self::Uuid(_) => ("UUID", "32 hexadecimal digits, as UUIDs are written"),
            Self::Foreign(id) => match id.description() {
                Some(Description { features, .. }) => (id.format.title(), features),
                None => (id.format.title(), ""),
            },
            Self::TypeId { prefix_len: 0, .. } => {
                ("TypeID without a prefix", "26 lower-case digits of Crockford's base 32")
            }
            Self::TypeId { .. } => ("TypeID", "a prefix and 26 digits of Crockford's base 32"),
            Self::UnixTime(unit, _) => (unit.name(), "a decimal integer of its size"),
        }
    }

    /// Returns the time when the ID was made, if it and the settings determine it. A UUID of
    /// version 4, for example, has none.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[must_use]
    pub fn unix_time(&self, settings: &Settings) -> Option<UnixTime> {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => Some(id.unix_time(settings)),
            Self::KuidWide(id) => Some(id.unix_time(settings.drift)),
            Self::Preset(preset, id) => Some(preset.layout().unix_time(id)),
            Self::Mastodon(id) => Some(id.unix_time()),
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => uuid_time(uuid),
            Self::Foreign(id) => id.description()?.unix_time(id.bytes()),
            Self::UnixTime(unit, number) => Some(unit.time(number)),
        }
    }

    /// Reports whether no generator issues such an ID, because it holds an invalid or a reserved
    /// time, or a node that generators refuse.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn is_never_issued(&self, settings: &Settings) -> bool {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => id.parts(settings).is_err(),
            Self::KuidWide(id) => id.tick(settings.drift).is_none(),
            Self::Foreign(id) => id.description().is_some_and(|it| it.is_never_issued(id.bytes())),
            Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => false,
        }
    }

    /// Reports whether such IDs are written in decimal, which is the only text of most.
    pub(crate) fn is_decimal(&self) -> bool {
        match self {
            Self::Preset(..) | Self::Mastodon(_) => true,
            Self::Foreign(id) => id.is_decimal(),
            Self::Scheme(_)
            | Self::KuidWide(_)
            | Self::Carried(_)
            | Self::Uuid(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => false,
        }
    }

    /// Reports whether the text is digits of base 62.
    pub(crate) const fn is_base_62(&self) -> bool {
        match self {
            Self::Foreign(id) => matches!(id.coding(), Some(Coding::Base62)),
            Self::Scheme(_)
            | Self::KuidWide(_)
            | Self::Carried(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => false,
        }
    }

    /// Reports whether this is an ID with a text of its own that was written like a UUID.
    pub(crate) fn is_in_uuid(&self, form: Form) -> bool {
        match self {
            Self::Foreign(id) => form != Form::Own && id.bytes().len() == size_of::<Uuid>(),
            Self::Scheme(_)
            | Self::KuidWide(_)
            | Self::Carried(_)
            | Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => false,
        }
    }

    /// Reports whether only versions of the generator that are out of use make such IDs. pgEdge's
    /// extension has the nodes 1 to 1023, but before its version 1.2 their bits were the counter's.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn is_outdated(&self) -> bool {
        matches!(self, Self::Preset(Preset::PgEdge, id) if id.get() >> 12 & 0x3ff == 0)
    }

    /// Returns the bytes of the ID. If a UUID holds the ID, they are the ID's own.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::AnyId;
    /// use tickid_detect::Identifier;
    /// use tickid_sno::sno;
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(*Identifier::from(AnyId::Sno(id)).bytes(), id.to_bytes());
    /// ```
    #[must_use]
    pub fn bytes(&self) -> IdBytes {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => id.bytes(),
            Self::KuidWide(id) => IdBytes::new(&id.to_bytes()),
            Self::Preset(_, id) => IdBytes::new(&id.to_be_bytes()),
            Self::Mastodon(id) => IdBytes::new(&id.0.to_be_bytes()),
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => IdBytes::new(uuid.as_bytes()),
            Self::Foreign(id) => IdBytes::new(id.bytes()),
            Self::UnixTime(_, number) => IdBytes::new(&number.to_be_bytes()),
        }
    }

    /// Returns the fields that the bits of the [bytes](Self::bytes) consist of, the highest first.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Settings};
    /// use tickid_detect::Identifier;
    /// use tickid_sno::sno;
    ///
    /// let id = Identifier::from(AnyId::Sno(sno!("brpk4q72xwf2m63l")));
    /// let fields = id.fields(&Settings::default());
    /// assert_eq!((fields[3].name(), fields[3].value(&id.bytes())), ("partition", 39_434));
    /// ```
    #[must_use]
    pub fn fields(&self, settings: &Settings) -> Fields {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => AnyScheme::new(id.kind(), settings).fields(),
            Self::KuidWide(_) => Fields::new(&WideGlobalId::fields(settings.drift)),
            Self::Preset(preset, _) => Fields::new(preset.fields()),
            Self::Mastodon(_) => Fields::new(&Mastodon::FIELDS),
            Self::Foreign(id) => Fields::new(id.description().map_or(&[], |it| it.fields)),
            Self::UnixTime(unit, _) => Fields::new(fields::unix_time(unit)),
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => {
                Fields::new(fields::uuid(version(uuid)))
            }
        }
    }

    /// Returns the facts that are not in the bits, such as the epoch, which come from the settings.
    #[must_use]
    pub fn setting_list(&self, settings: &Settings) -> SettingList {
        match *self {
            Self::Scheme(id) | Self::Carried(id) => {
                AnyScheme::new(id.kind(), settings).setting_list()
            }
            Self::KuidWide(_) => AnyScheme::new(Kind::KuidGlobal, settings).setting_list(),
            Self::Preset(..)
            | Self::Mastodon(_)
            | Self::Uuid(_)
            | Self::Foreign(_)
            | Self::TypeId { .. }
            | Self::UnixTime(..) => SettingList::default(),
        }
    }

    /// Returns the ID as an unsigned integer, if it has up to 64 bits.
    #[must_use]
    pub fn integer(&self) -> Option<u64> {
        match *self {
            Self::Preset(_, id) => Some(id.get()),
            Self::Mastodon(id) => Some(id.0),
            Self::UnixTime(_, number) => Some(number),
            Self::Foreign(id) => Some(u64::from_be_bytes(id.bytes().try_into().ok()?)),
            Self::Scheme(id) | Self::Carried(id) if id.kind().byte_len() <= 8 => {
                u64::try_from(id.to_u128()).ok()
            }
            Self::Scheme(_)
            | Self::Carried(_)
            | Self::KuidWide(_)
            | Self::Uuid(_)
            | Self::TypeId { .. } => None,
        }
    }

    /// Returns the node, if the format has one and the settings determine it.
    #[must_use]
    pub fn node(&self, settings: &Settings) -> Option<Bits> {
        self.parts(settings).ok()?.node()
    }
}

/// Returns the version of a UUID, if RFC 9562 has it.
pub(crate) fn version(uuid: Uuid) -> Option<usize> {
    let version = uuid.get_version_num();
    let is_rfc = uuid.get_variant() == uuid::Variant::RFC4122 && (1..=8).contains(&version);
    is_rfc.then_some(version)
}

/// Returns the time in a UUID, if its version has one.
fn uuid_time(uuid: Uuid) -> Option<UnixTime> {
    /// From 1582-10-15, where the calendar of versions 1 and 6 starts, to 1970.
    const GREGORIAN_MICROS: i64 = 12_219_292_800_000_000;
    let version = version(uuid)?;
    let timestamp = uuid.get_timestamp()?;
    if matches!(version, 1 | 6) {
        // `Timestamp::to_unix` counts unsigned seconds, in which times before 1970 wrap around.
        let (ticks, _) = timestamp.to_gregorian();
        let micros = i64::try_from(ticks / 10).ok()?;
        return Some(UnixTime::from_micros(micros - GREGORIAN_MICROS));
    }
    let (seconds, nanos) = timestamp.to_unix();
    let micros = i64::try_from(seconds).ok()?.checked_mul(1_000_000)?;
    Some(UnixTime::from_micros(micros.checked_add((nanos / 1_000).into())?))
}

impl From<AnyId> for Identifier {
    fn from(id: AnyId) -> Self {
        Self::Scheme(id)
    }
}

/// # Errors
/// Returns [`ConvertError::NoFields`] for UUIDs, TypeIDs, Unix times and [`Foreign`] IDs, because
/// apart from their time they consist of random bits, or of fields that cannot be mapped.
impl ToParts for Identifier {
    #[inline]
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        match self {
            Self::Scheme(id) | Self::Carried(id) => id.parts(settings),
            Self::KuidWide(id) => id.parts(settings),
            Self::Preset(preset, id) => {
                id.parts(&Settings { snowflake: preset.layout(), ..*settings })
            }
            Self::Mastodon(id) => id.parts(settings),
            Self::Uuid(_) | Self::Foreign(_) | Self::TypeId { .. } | Self::UnixTime(..) => {
                Err(ConvertError::NoFields { format: self.format().title() })
            }
        }
    }
}

/// The name of an ID's format, and of its form if there are several.
struct Name(Identifier, Form);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(id, form) = *self;
        // IDs that are not written as one of their texts are called by the canonical one.
        let form = match form {
            Form::Text(_) => form,
            Form::Own | Form::Int | Form::Hex | Form::Bytes | Form::Tuple => id.canonical_form(),
        };
        match (id, form) {
            (_, Form::Text(form)) => f.pad(id.facts(form).title),
            (Identifier::Carried(id), _) => write!(f, "{} in a UUID", id.kind()),
            (Identifier::Uuid(uuid), _) => match version(uuid) {
                Some(version) => write!(f, "UUID of version {version}"),
                None => f.pad(id.own_name_and_reason().0),
            },
            _ => f.pad(id.own_name_and_reason().0),
        }
    }
}
