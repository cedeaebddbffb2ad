//! An ID taken apart, which the command, the server and the page print.

use core::fmt;

use tickid_convert::{
    AnyId, Bits, Fields, Form, IdBytes, IdText, Kind, Setting, SettingList, SettingValue, Settings,
    TextForm, ToParts as _, Uuid, carry,
};
use tickid_core::{Field, UnixTime};
use tickid_kuid::GlobalId;
use tickid_kuid::wide::WideGlobalId;

use crate::confidence::{Confidence, Doubt};
use crate::erlang::Tuple;
use crate::formats::{Description, Format};
use crate::identifier::Identifier;
use crate::reading::Reading;

/// An ID taken apart: all that there is to show about it, whatever its format.
///
/// The command's card and `--json`, the ID server, the inspector page and the npm package only print
/// inspections, so none of them has code for any format, and neither needs yours.
///
/// Serialized, an inspection is a map. You can rely on the members `scheme` (the format's
/// [key](Format::key)), `text`, `hex`, `unix_ms`, `time`, [`node`](Self::node),
/// [`sequence`](Self::sequence) and `confidence`. A member is null if the format has no such value,
/// and `confidence` is null if you named the format yourself. `time` is also null outside the years 0
/// to 9999, since RFC 3339 cannot write it. IDs of up to 64 bits also have `int`, as text, because
/// JavaScript would round the number. IDs in a UUID have `carried_in`, and detected ones `reason`
/// and perhaps `doubt`.
///
/// Besides these, each format has its own [`members`](Self::members), such as `partition` for sno. If
/// one of them is called `node` or `sequence`, it is the one of that name in the list above.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Settings};
/// use tickid_detect::Inspection;
/// use tickid_sno::sno;
///
/// let id = AnyId::from(sno!("brpk4q72xwf2m63l"));
/// let inspection = Inspection::new(id.into(), "", &Settings::default());
/// assert_eq!(inspection.name().to_string(), "sno");
/// assert_eq!(inspection.unix_time().map(|time| time.as_millis()), Some(1_936_047_814_976));
/// let partition = inspection.member("partition").ok_or("no partition")?;
/// assert_eq!(partition.value.to_string(), "39434");
/// assert_eq!(partition.meaning, "distinguishes generators");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Inspection<'a> {
    identifier: Identifier,
    text: CanonicalText<'a>,
    bytes: IdBytes,
    time: Option<UnixTime>,
    settings: Settings,
    form: Form,
    judgement: Option<Judgement>,
}

#[derive(Clone, Copy, Debug)]
struct Judgement {
    confidence: Confidence,
    reason: &'static str,
    doubt: Option<Doubt>,
}

/// The canonical text.
#[derive(Clone, Copy, Debug)]
enum CanonicalText<'a> {
    Id(IdText),
    Decimal(tickid_text::Text<20>),
    Uuid([u8; uuid::fmt::Hyphenated::LENGTH]),
    Hex(IdHex),
    Foreign([u8; Description::MAX_LEN], usize),
    Given(&'a str),
}

impl CanonicalText<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Id(text) => text,
            Self::Decimal(text) => text,
            Self::Uuid(text) => str::from_utf8(text).unwrap_or_default(),
            Self::Hex(hex) => hex.as_str(),
            Self::Foreign(text, len) => {
                text.get(..*len).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default()
            }
            Self::Given(text) => text,
        }
    }
}

/// One of the forms of an ID as text.
enum FormText<'a> {
    Text(CanonicalText<'a>),
    Number(u128),
    Uuid(Uuid),
    Tuple(Tuple),
}

impl fmt::Display for FormText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.pad(text.as_str()),
            Self::Number(number) => number.fmt(f),
            Self::Uuid(uuid) => uuid.fmt(f),
            Self::Tuple(tuple) => tuple.fmt(f),
        }
    }
}

/// Up to 20 bytes as hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdHex {
    digits: [u8; 40],
    len: usize,
}

/// The digits of each byte.
static PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::indexing_slicing, reason = "in a constant")]
        {
            pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        }
        byte += 1;
    }
    pairs
};

impl IdHex {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut digits = [0; 40];
        let (pairs, _) = digits.as_chunks_mut();
        for (pair, byte) in pairs.iter_mut().zip(bytes) {
            *pair = PAIRS.get(usize::from(*byte)).copied().unwrap_or_default();
        }
        Self { digits, len: 2 * bytes.len().min(20) }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.digits.get(..self.len).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default()
    }
}

/// A named value of an ID, which is one of its fields or a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The name in lower case, with underscores, for example `clock_seq`.
    pub name: &'static str,
    /// The value.
    pub value: MemberValue,
    /// The meaning, as a phrase for people, for example "distinguishes generators".
    pub meaning: &'static str,
}

/// The value of a [`Member`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemberValue {
    /// A number that JavaScript holds exactly.
    Number(i64),
    /// A number, and how many of its low bytes are shown in hexadecimal. Fields of more than 53
    /// bits are shown this way, because JavaScript would round them.
    Hex(u128, usize),
    /// A word.
    Word(&'static str),
}

impl MemberValue {
    /// The widest field that is a number of JavaScript's.
    const EXACT_BITS: u32 = 53;

    fn of_field(field: &Field, value: u128) -> Self {
        let is_number = field.bits() <= Self::EXACT_BITS && !field.is_hex();
        match i64::try_from(value) {
            Ok(number) if is_number => Self::Number(number),
            _ => Self::Hex(value, field.bits().div_ceil(8) as usize),
        }
    }
}

/// Writes numbers in decimal and bytes in hexadecimal.
impl fmt::Display for MemberValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Number(number) => number.fmt(f),
            Self::Hex(number, len) => write!(f, "{number:0width$x}", width = 2 * len),
            Self::Word(word) => f.pad(word),
        }
    }
}

impl<'a> Inspection<'a> {
    /// Inspects a reading of `text`. Pass the text and the settings that it was
    /// [detected](crate::detect()) with.
    #[must_use]
    pub fn of(reading: &Reading, text: &'a str, settings: &Settings) -> Self {
        let (confidence, reason) = (reading.confidence(), reading.reason());
        let judgement = Judgement { confidence, reason, doubt: reading.doubt() };
        Self::judged(reading.identifier(), text, settings, reading.form(), Some(judgement))
    }

    /// Inspects an ID of a known format. Pass the text that was read, because some formats are shown
    /// as they were written, for example ULIDs in lower case. If you have none, pass an empty one,
    /// and the text is made from the ID. That cannot work for TypeIDs, whose prefix is only in the
    /// text.
    #[must_use]
    pub fn new(identifier: Identifier, text: &'a str, settings: &Settings) -> Self {
        Self::judged(identifier, text, settings, identifier.canonical_form(), None)
    }

    // Inline, so that an inspection is made in the memory of the caller and not copied there.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn judged(
        identifier: Identifier,
        text: &'a str,
        settings: &Settings,
        form: Form,
        judgement: Option<Judgement>,
    ) -> Self {
        let bytes = identifier.bytes();
        Self {
            text: text_in(form, &identifier, &bytes, text),
            bytes,
            time: identifier.unix_time(settings),
            settings: *settings,
            form,
            judgement,
            identifier,
        }
    }

    /// Returns this inspection for a text that held the ID in the given form, which is also the
    /// form of the [`text`](Self::text) if it is one. [`new`](Self::new) assumes the canonical
    /// text. The result is `None` for a text of another scheme.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Form, Kind, Settings};
    /// use tickid_detect::Inspection;
    ///
    /// let id = AnyId::from_u128(Kind::Nanoflake, 36)?;
    /// let inspection = Inspection::new(id.into(), "", &Settings::default());
    /// let decimal = Form::named(Kind::Nanoflake, "decimal").ok_or("no such form")?;
    /// let decimal = inspection.in_form(decimal).ok_or("a form of another scheme")?;
    /// assert_eq!((inspection.text(), decimal.text()), ("10", "36"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_form(self, form: Form) -> Option<Self> {
        // Mostly so, and the text is there already.
        if form == self.form {
            return Some(self);
        }
        let text = match (self.identifier, form) {
            (Identifier::Scheme(id), Form::Text(form)) => CanonicalText::Id(id.text_in(form)?),
            (Identifier::KuidWide(id), Form::Text(form)) => CanonicalText::Id(wide_text(id, form)?),
            (_, Form::Text(_)) => return None,
            (Identifier::Foreign(_), Form::Int | Form::Hex | Form::Bytes) => {
                text_in(form, &self.identifier, &self.bytes, "")
            }
            (_, Form::Own | Form::Int | Form::Hex | Form::Bytes | Form::Tuple) => self.text,
        };
        Some(Self { form, text, ..self })
    }

    /// Returns the ID.
    #[must_use]
    pub const fn identifier(&self) -> Identifier {
        self.identifier
    }

    /// Returns the format. For an ID in a UUID, this is the ID's own format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.identifier.shown_format()
    }

    /// Returns the name of the format for people, for example `Nanoflake in decimal, or Twitter
    /// Snowflake`. It has the kind of text if the format has several, the preset that has the same
    /// IDs, and the form if that is not a text of the format.
    #[must_use]
    pub fn name(&self) -> impl fmt::Display {
        Name(self.identifier, self.identifier.also(self.form, &self.settings), self.form)
    }

    /// Returns the form in which the text that was read is the ID.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Reports whether a UUID holds the ID.
    #[must_use]
    pub const fn is_carried(&self) -> bool {
        matches!(self.identifier, Identifier::Carried(_))
    }

    /// Returns the canonical text, or the text that was read if the format has no other.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the forms of the ID as text, each with a name for people. The first is
    /// [`text`](Self::text). After it come the scheme's own texts, the integer of up to 128 bits,
    /// the bytes in hexadecimal, a kuid's tuple in Erlang, and a UUID that holds the ID or is it.
    /// Several forms may be the same text.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Kind, Settings};
    /// use tickid_detect::Inspection;
    ///
    /// let id = AnyId::from_u128(Kind::Nanoflake, 36)?;
    /// let inspection = Inspection::new(id.into(), "", &Settings::default());
    /// let integer = inspection.forms().find(|(name, _)| *name == "int").ok_or("none")?;
    /// assert_eq!((inspection.text(), integer.1.to_string()), ("10", "36".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forms(&self) -> impl Iterator<Item = (&'static str, impl fmt::Display + use<'a>)> {
        let id = self.identifier.scheme_id();
        let own = |text| FormText::Text(CanonicalText::Id(text));
        let number = self.bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        let uuid = match self.identifier {
            Identifier::Foreign(id) => id.bytes().try_into().ok().map(Uuid::from_bytes),
            Identifier::TypeId { uuid, .. } => Some(uuid),
            // A UUID has its own text.
            Identifier::Uuid(_)
            | Identifier::Scheme(_)
            | Identifier::KuidWide(_)
            | Identifier::Preset(..)
            | Identifier::Mastodon(_)
            | Identifier::Carried(_)
            | Identifier::UnixTime(..) => None,
        };
        // The forms that are integers are the same text as the integer below.
        let others = id.into_iter().flat_map(move |id| {
            let forms = TextForm::all(id.kind()).skip(1).filter(|form| !form.is_integer);
            forms.map(move |form| (form.facts().name, id.text_in(form).map(own)))
        });
        let first = [
            ("text", Some(FormText::Text(self.text))),
            ("canonical", id.map(AnyId::text).map(own)),
        ];
        let rest = [
            (Form::Int.name(), (self.bytes.len() <= 16).then_some(FormText::Number(number))),
            (Form::Hex.name(), Some(FormText::Text(CanonicalText::Hex(IdHex::new(&self.bytes))))),
            (
                "Erlang tuple",
                id.and_then(|id| Tuple::of(id, self.settings.drift)).map(FormText::Tuple),
            ),
            ("in a UUID", id.map(carry::to_uuid).map(FormText::Uuid)),
            ("as a UUID", uuid.map(FormText::Uuid)),
        ];
        first.into_iter().chain(others).chain(rest).filter_map(|(name, text)| Some((name, text?)))
    }

    /// Returns the bytes, the highest first.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Calls a function with the bytes in hexadecimal, so that the digits need no allocation.
    pub fn with_hex<T>(&self, call: impl FnOnce(&str) -> T) -> T {
        call(IdHex::new(&self.bytes).as_str())
    }

    /// Returns the ID as an unsigned integer, if it has up to 64 bits.
    #[must_use]
    pub fn integer(&self) -> Option<u64> {
        self.identifier.integer()
    }

    /// Returns the start of the ID's tick, if the format has a time. For example, it is a whole
    /// second for a KSUID.
    #[must_use]
    pub const fn unix_time(&self) -> Option<UnixTime> {
        self.time
    }

    /// Returns the time in RFC 3339 with milliseconds, for example `2023-03-12T09:34:19.136Z`. It
    /// is `None` for years before 0 and after 9999, which RFC 3339 cannot write.
    #[must_use]
    pub fn date_time(&self) -> Option<impl fmt::Display + use<>> {
        self.time.and_then(date_time)
    }

    /// Returns the node, if the format has one and the settings determine it. A SCRU64 ID, for
    /// example, has one only if the settings have its node size.
    #[must_use]
    pub fn node(&self) -> Option<Bits> {
        self.identifier.node(&self.settings)
    }

    /// Returns the sequence, if the format has one and the settings determine it.
    ///
    /// # Examples
    /// ```
    /// let found = tickid_detect::inspect("175928847299117063");
    /// let discord = found.iter().find(|one| one.format() == tickid_detect::Format::Discord);
    /// let discord = discord.ok_or("not Discord's")?;
    /// // Its own names are increment, worker and process.
    /// assert_eq!(discord.sequence().map(|sequence| sequence.value()), Some(7));
    /// assert_eq!(discord.node().map(|node| node.value()), Some(32));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn sequence(&self) -> Option<Bits> {
        self.node_and_sequence().1
    }

    pub(crate) fn node_and_sequence(&self) -> (Option<Bits>, Option<Bits>) {
        let Ok(parts) = self.identifier.parts(&self.settings) else { return (None, None) };
        // Without the size of its node, the node's bits cannot be told from the sequence's.
        let id = self.identifier.scheme_id();
        let is_unknown = parts.node().is_none() && id.is_some_and(|id| id.kind().has_node());
        (parts.node(), (!is_unknown).then(|| parts.sequence()))
    }

    /// Returns the fields that the bits consist of, the highest first.
    #[must_use]
    pub fn fields(&self) -> Fields {
        self.identifier.fields(&self.settings)
    }

    /// Returns the facts that are not in the bits, such as the epoch, which come from the settings.
    pub fn setting_list(&self) -> SettingList {
        self.identifier.setting_list(&self.settings)
    }

    /// Returns the [`setting_list`](Self::setting_list) and then the values of the fields, without
    /// unused bits.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        let fields = self.fields();
        let of_fields = (0..fields.len()).filter_map(move |at| self.of_field(fields.get(at)?));
        self.of_settings().chain(of_fields)
    }

    /// Returns the [member](Self::members) with this name. The values of the others are not read.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Member> {
        self.of_settings().find(|member| member.name == name).or_else(|| {
            let fields = self.fields();
            let field = fields.iter().find(|field| field.name() == name)?;
            self.of_field(field)
        })
    }

    pub(crate) fn of_settings(&self) -> impl Iterator<Item = Member> {
        self.setting_list().into_iter().map(|setting| of_setting(&setting))
    }

    /// Returns the value of a field, unless its bits are unused.
    pub(crate) fn of_field(&self, field: &Field) -> Option<Member> {
        (field.name() != "unused").then(|| Member {
            name: field.name(),
            value: MemberValue::of_field(field, field.value(&self.bytes)),
            meaning: field.meaning(),
        })
    }

    /// Returns the confidence, if the ID was detected.
    #[must_use]
    pub fn confidence(&self) -> Option<Confidence> {
        self.judgement.map(|judgement| judgement.confidence)
    }

    /// Returns the features of the text that match the format, if the ID was detected. An example
    /// is "12 digits of Base36".
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.judgement.map(|judgement| judgement.reason)
    }

    /// Returns the reason why the reading is no more than possible, if it was detected and is not
    /// likely.
    #[must_use]
    pub fn doubt(&self) -> Option<Doubt> {
        self.judgement?.doubt
    }
}

/// Returns the text of a wide kuid in a form of global ones.
fn wide_text(id: WideGlobalId, form: TextForm) -> Option<IdText> {
    const { assert!(WideGlobalId::FORMS.len() == GlobalId::FORMS.len()) };
    let row = WideGlobalId::FORMS
        .get(usize::from(form.row()))
        .filter(|_| form.kind() == Kind::KuidGlobal);
    row.map(|row| (row.write)(id))
}

/// Returns the text of an ID that was read in a form. That is the canonical one if the form is not a
/// text.
fn text_in<'a>(
    written: Form,
    identifier: &Identifier,
    bytes: &[u8],
    given: &'a str,
) -> CanonicalText<'a> {
    let form = match written {
        Form::Text(form) => Some(form),
        Form::Own | Form::Int | Form::Hex | Form::Bytes | Form::Tuple => None,
    };
    let is_other = given.is_empty() || !matches!(written, Form::Own);
    match *identifier {
        // A reading has a form of its scheme.
        Identifier::Scheme(id) => {
            let text = form.map_or_else(|| Some(id.text()), |form| id.text_in(form));
            text.map_or(CanonicalText::Given(given), CanonicalText::Id)
        }
        Identifier::KuidWide(id) => {
            let text = form.map_or_else(|| Some(id.encode().widen()), |form| wide_text(id, form));
            text.map_or(CanonicalText::Given(given), CanonicalText::Id)
        }
        Identifier::Carried(id) => CanonicalText::Id(id.text()),
        Identifier::Preset(_, id) => CanonicalText::Decimal(id.encode()),
        Identifier::Mastodon(id) => CanonicalText::Decimal(tickid_text::decimal::encode(id.0)),
        Identifier::UnixTime(_, number) => {
            CanonicalText::Decimal(tickid_text::decimal::encode(number))
        }
        Identifier::Uuid(uuid) => {
            let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
            uuid.hyphenated().encode_lower(&mut text);
            CanonicalText::Uuid(text)
        }
        Identifier::Foreign(id) if id.is_hexadecimal() => CanonicalText::Hex(IdHex::new(bytes)),
        // Without a text that was given, or with one that is not the format's own.
        Identifier::Foreign(id) if is_other && id.is_decimal() => CanonicalText::Decimal(
            tickid_text::decimal::encode(identifier.integer().unwrap_or_default()),
        ),
        Identifier::Foreign(id) if is_other => {
            let (text, len) = id.description().map_or_else(Default::default, |it| it.write(bytes));
            CanonicalText::Foreign(text, len)
        }
        // With the prefix or the case that the text had.
        Identifier::Foreign(_) | Identifier::TypeId { .. } => CanonicalText::Given(given),
    }
}

pub(crate) fn of_setting(setting: &Setting) -> Member {
    let value = match setting.value {
        SettingValue::Number(number) => MemberValue::Number(number),
        SettingValue::Word(word) => MemberValue::Word(word),
    };
    Member { name: setting.name, value, meaning: setting.meaning }
}

struct Name(Identifier, Option<Format>, Form);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.name(self.2).fmt(f)?;
        if let Some(also) = self.1 {
            write!(f, ", or {}", also.title())?;
        }
        match self.2 {
            Form::Text(_) | Form::Own => Ok(()),
            form @ (Form::Int | Form::Hex | Form::Bytes | Form::Tuple) => write!(f, ", {form}"),
        }
    }
}

/// A time in RFC 3339 with milliseconds.
struct DateTime(UnixTime);

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

pub(crate) fn date_time(time: UnixTime) -> Option<impl fmt::Display> {
    /// The years 0 to 9999.
    const FIRST: i64 = -62_167_219_200_000;
    const LAST: i64 = 253_402_300_799_999;
    (FIRST..=LAST).contains(&time.as_millis()).then_some(DateTime(time))
}
