//! The search for the formats that a text may have.

use tickid_convert::foreign::Mastodon;
use tickid_convert::{AnyId, Form, Kind, SchemeId, Settings, TextForm, Uuid, carry};
use tickid_core::UnixTime;
use tickid_kuid::wide::WideGlobalId;
use tickid_snowflake::{Preset, SnowflakeId};

use crate::alphabets::Alphabets;
use crate::confidence::Doubt;
use crate::evidence::{Now, Scope, doubt_of_time};
use crate::formats::{CROCKFORD, Coding, READ_ONLY, each_id, type_id};
use crate::identifier::{Foreign, Identifier, NANOFLAKES, version};
use crate::reading::{Chance, Reading, Readings};
use crate::unix_unit::UnixUnit;
use crate::{erlang, false_positives, literal};

/// The longest text that is read, which is longer than any ID and any literal of one.
pub(crate) const MAX_TEXT: usize = 160;

/// Returns every possible reading of `text`, likeliest first.
///
/// It covers every [`Format`](crate::Format), but of TSIDs only the text, because their integers
/// cannot be told from Discord's. IDs of our schemes are also read as integers, hexadecimal digits and literals of
/// bytes ([`Form`]). `settings` hold what is not in a text, for example the epoch.
///
/// Times are judged relative to `now` ([`Confidence`](crate::Confidence)). Without it, a reading
/// with a time is at most possible, unless the text has marks of its format, such as the groups of
/// a UUID.
///
/// Of several readings with plausible times, the best explanation of the bits comes first, which is
/// the format that is the most likely to have issued just this ID among all its IDs up to now. For
/// example, a sequence of 0 is more probable than one of 2,741, and so is a node 1 where nodes are
/// counted from 0. This separates most integers, but not all. If several formats explain one about
/// equally well, it is *likely* as each of them.
///
/// It does not allocate. To take the ID of a reading apart, use
/// [`Inspection::of`](crate::Inspection::of).
///
/// # Examples
/// ```
/// use tickid_convert::Settings;
/// use tickid_core::UnixTime;
/// use tickid_detect::{Confidence, Doubt, detect};
///
/// let now = UnixTime::from_millis(1_700_000_000_000)?;
/// let found = detect(b"bppc0m3ju134", &Settings::default(), Some(now));
/// let all: Vec<String> = found.iter().map(|one| one.name().to_string()).collect();
/// assert_eq!(all, ["Nanoflake in Base36", "SCRU64"]);
/// // As a SCRU64 ID it would be of the year 2715, which nothing forbids.
/// let scru64 = found.iter().last().map(|one| (one.confidence(), one.doubt()));
/// assert_eq!(scru64, Some((Confidence::Possible, Some(Doubt::Time))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Inline, so that the readings are made in the caller's memory: to copy them takes a third as long
// as to find them.
#[inline]
#[must_use]
pub fn detect(text: &[u8], settings: &Settings, now: Option<UnixTime>) -> Readings {
    detect_in(Scope::Whole, text, settings, now)
}

/// Does the same as [`detect`] for a text that is all that was given or a part of it.
#[inline]
pub(crate) fn detect_in(
    scope: Scope,
    text: &[u8],
    settings: &Settings,
    now: Option<UnixTime>,
) -> Readings {
    let mut readings = Readings::none();
    find(scope, text, settings, now, &mut readings);
    readings
}

fn find(
    scope: Scope,
    text: &[u8],
    settings: &Settings,
    now: Option<UnixTime>,
    readings: &mut Readings,
) {
    if text.len() > MAX_TEXT {
        return;
    }
    let now = now.map(Now::new);
    let mut search = Search {
        scope,
        settings,
        now,
        readings,
        likely: 0,
        is_weighed: false,
        random: None,
        number: None,
    };
    let alphabets = Alphabets::of(text);
    search.schemes(text, alphabets);
    search.integers(text, alphabets);
    search.uuids(text);
    search.named(text, alphabets);
    search.tuples(text);
    search.literals(text, alphabets);
    search.rank(text, alphabets);
}

struct Search<'a> {
    scope: Scope,
    settings: &'a Settings,
    now: Option<Now>,
    readings: &'a mut Readings,
    /// The number of readings that were likely when they were found.
    likely: usize,
    /// Set if some reading is weighed against a text without a meaning.
    is_weighed: bool,
    /// As in [`Chance`], and so is the next one.
    random: Option<u32>,
    number: Option<(u32, Doubt)>,
}

impl Search<'_> {
    /// Settles the confidence of the readings, and puts the likeliest first.
    fn rank(&mut self, text: &[u8], alphabets: Alphabets) {
        if self.likely == 0 {
            self.readings.read_example(text);
        } else {
            let now = self.now.map(|now| now.time());
            self.readings.doubt_ordinary(text, self.scope, alphabets, self.settings, now);
            let is_contested = self.likely > 1 || self.is_weighed || self.random.is_some();
            if let Some(now) = now.filter(|_| is_contested) {
                let chance = Chance { scope: self.scope, random: self.random, number: self.number };
                self.readings.doubt_unexplained(text, self.settings, now, chance);
            }
        }
        self.readings.settle();
    }

    #[inline]
    fn add(&mut self, identifier: Identifier, form: Form) {
        self.judge(identifier, form, false);
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn add_here(&mut self, identifier: Identifier, form: Form) {
        self.judge_here(identifier, form, false);
    }

    fn has_likely_time(&self, id: &Identifier, form: Form) -> bool {
        let time = id.unix_time(self.settings);
        doubt_of_time(id, form, self.settings, time, self.now).is_none()
    }

    fn judge(&mut self, identifier: Identifier, form: Form, is_marked: bool) {
        self.judge_here(identifier, form, is_marked);
    }

    /// Judges a reading in the code of the caller, where its format is a constant, because half of
    /// the time of a text that is one of the schemes' goes into this.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn judge_here(&mut self, identifier: Identifier, form: Form, is_marked: bool) {
        let time = identifier.unix_time(self.settings);
        let mut doubt = doubt_of_time(&identifier, form, self.settings, time, self.now);
        if is_marked && matches!(doubt, Some(Doubt::Time | Doubt::NoClock)) {
            // A wrong clock, and still what it is.
            doubt = None;
        }
        let distance = match (time, self.now) {
            (Some(time), Some(now)) => time.as_micros().abs_diff(now.time().as_micros()),
            _ => 0,
        };
        // The ID that a UUID holds comes before the UUID.
        let surprise = u32::from(matches!(identifier, Identifier::Uuid(_)));
        let format = identifier.format();
        self.readings.push(Reading {
            identifier,
            format,
            form,
            time,
            doubt,
            is_certain: false,
            is_marked,
            surprise,
            distance,
        });
        self.likely += usize::from(doubt.is_none());
    }

    /// Adds the readings that the parsers of the schemes accept.
    ///
    /// Parsers report the reason a text is invalid, which costs time. So lengths and alphabets are
    /// compared first.
    fn schemes(&mut self, text: &[u8], alphabets: Alphabets) {
        macro_rules! read {
            ($Id:ty) => {
                let first = const { Alphabets::of_forms(<$Id as SchemeId>::KIND) };
                for (row, form) in <$Id>::FORMS.iter().zip(TextForm::all(<$Id as SchemeId>::KIND)) {
                    // Those whose texts are integers come with the other integers.
                    if !row.form.is_integer
                        && alphabets.fit(first + form.row(), &row.form, text.len())
                        && let Ok(id) = (row.parse)(text)
                    {
                        self.add_here(Identifier::Scheme(id.into()), Form::Text(form));
                    }
                }
            };
        }
        each_id!(read);
        // The wide form of a global kuid is no kind of its own.
        for (row, form) in WideGlobalId::FORMS.iter().zip(TextForm::all(Kind::KuidGlobal)) {
            let first = const { Alphabets::of_forms(Kind::KuidGlobal) };
            if alphabets.fit(first + form.row(), &row.form, text.len())
                && let Ok(id) = (row.parse)(text)
            {
                self.add_here(Identifier::KuidWide(id), Form::Text(form));
            }
        }
    }

    /// Reports whether an integer is read as an ID of a kind. It is read as a Snowflake only if a
    /// layout was given that has its bits.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn seeks(&self, kind: Kind, number: u128) -> bool {
        let layout = self.settings.snowflake;
        kind != Kind::Snowflake
            || (layout != Settings::default().snowflake && number <= layout.max_id().get().into())
    }

    /// Adds the readings as integers of schemes, which are those whose texts are decimal, or the
    /// others.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn numbers(&mut self, number: u128, are_texts: bool) {
        macro_rules! read {
            ($Id:ty) => {
                let integer = const { TextForm::integer(<$Id as SchemeId>::KIND) };
                if integer.is_some() == are_texts
                    && self.seeks(<$Id as SchemeId>::KIND, number)
                    && let Ok(id) = <$Id as SchemeId>::from_number(number)
                    && (number > u64::MAX.into()) == (size_of::<$Id>() > 8)
                {
                    let form = integer.map_or(Form::Int, Form::Text);
                    self.add_here(Identifier::Scheme(id.into()), form);
                }
            };
        }
        each_id!(read);
    }

    /// Adds the readings as decimal integers, which do not identify their format.
    fn integers(&mut self, text: &[u8], alphabets: Alphabets) {
        if !alphabets.are_decimal() && !text.starts_with(b"-") {
            return;
        }
        let Some(number) = literal::integer(text) else {
            return;
        };
        // Nearly every number fits some format, so that all of them are weighed.
        self.is_weighed = true;
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        self.number = Some(false_positives::number(digits, number));
        let Ok(number) = u64::try_from(number) else {
            self.large_integers(number);
            return;
        };
        let is_negative = text.starts_with(b"-");
        self.unix_times(number, text.len());
        self.numbers(number.into(), true);
        let signed = if is_negative { Form::Int } else { Form::Own };
        self.systems(number, signed);
        self.numbers(number.into(), false);
    }

    /// Adds the readings as IDs of other systems, which are integers of 64 bits.
    fn systems(&mut self, number: u64, form: Form) {
        let id = SnowflakeId::new(number);
        // TSIDs have Discord's bits, with an epoch five years later, and nothing else to tell them.
        // Those of 53 bits are for numbers of JavaScript's. In hexadecimal, addresses look like them.
        let is_decimal = matches!(form, Form::Own | Form::Int);
        let is_sought = |it: &Preset| {
            *it != Preset::Tsid
                && (is_decimal || *it != Preset::JsSafe)
                && id <= it.layout().max_id()
        };
        for preset in Preset::ALL.iter().copied().filter(is_sought) {
            // The Nanoflakes of the settings' epoch are read already.
            let is_nanoflake = preset.layout().widths().epoch == self.settings.epoch.unix_time()
                && NANOFLAKES.contains(&preset)
                && number >> 63 == 0;
            if !is_nanoflake {
                self.add_here(Identifier::Preset(preset, id), form);
            }
        }
        self.add_here(Identifier::Mastodon(Mastodon(number)), form);
        self.coded(|it| matches!(it, Coding::Decimal), &number.to_be_bytes(), form);
    }

    /// Adds the reading as a Unix time of our age, which the number of digits gives away.
    #[inline]
    fn unix_times(&mut self, number: u64, digits: usize) {
        for unit in UnixUnit::ALL {
            let id = Identifier::UnixTime(unit, number);
            let time = id.unix_time(self.settings);
            // Seconds have 10 digits from 2001 to 2286, milliseconds 13, and so on.
            if number / unit.per_second() >= 1_000_000_000
                && digits == 10 + unit.per_second().ilog10() as usize
                && doubt_of_time(&id, Form::Own, self.settings, time, self.now) != Some(Doubt::Time)
            {
                self.add(id, Form::Own);
            }
        }
    }

    /// Adds the readings of integers of more than 64 bits.
    fn large_integers(&mut self, number: u128) {
        self.numbers(number, false);
        if number >> 96 != 0 {
            let bytes = number.to_be_bytes();
            self.add(Identifier::KuidWide(WideGlobalId::from_bytes(bytes)), Form::Int);
            self.uuid(Uuid::from_bytes(bytes), Form::Int, false);
        }
    }

    fn uuids(&mut self, text: &[u8]) {
        // From 32 hexadecimal digits to a URN.
        if (32..=45).contains(&text.len())
            && let Ok(uuid) = Uuid::try_parse_ascii(text)
        {
            self.uuid(uuid, Form::Own, text.len() > uuid::fmt::Simple::LENGTH);
        }
    }

    /// Adds a UUID, and the ID in it. Groups of digits are a mark.
    fn uuid(&mut self, uuid: Uuid, form: Form, is_grouped: bool) {
        if let Ok(id) = carry::from_uuid(uuid, self.settings) {
            self.judge(Identifier::Carried(id), form, true);
        } else if is_grouped || self.scope == Scope::Whole {
            self.in_uuid(uuid, form);
        }
        let is_valid = version(uuid).is_some() || uuid.is_nil() || uuid.is_max();
        if is_grouped || is_valid {
            self.judge(Identifier::Uuid(uuid), form, is_grouped && is_valid);
        }
    }

    /// Adds the IDs that columns of UUIDs hold although they are none, such as ULIDs. One with the
    /// version 7 has the same time as the UUID.
    fn in_uuid(&mut self, uuid: Uuid, form: Form) {
        let form = match form {
            Form::Own | Form::Hex => Form::Hex,
            Form::Bytes => Form::Bytes,
            Form::Text(_) | Form::Int | Form::Tuple => return,
        };
        if version(uuid) == Some(7) {
            return;
        }
        for (format, description) in READ_ONLY {
            if description.accepts(uuid.as_bytes()) {
                let id = Foreign::new(*format, uuid.as_bytes());
                // Or each UUID would be one of some time.
                if self.has_likely_time(&Identifier::Foreign(id), form) {
                    self.foreign(id, form, Alphabets::NONE);
                }
            }
        }
    }

    fn named(&mut self, text: &[u8], alphabets: Alphabets) {
        for (format, description) in READ_ONLY {
            if description.lens.contains(&text.len())
                && let Some(bytes) = description.read(text)
            {
                self.foreign(Foreign::new(*format, &bytes), Form::Own, alphabets);
            }
        }
        // A TSID, whose text programs write in upper case.
        if text.len() == SnowflakeId::CROCKFORD_LEN
            && alphabets.are(Alphabets::NO_LOWER)
            && !alphabets.are_decimal()
            && let Some(number) = CROCKFORD.number(text)
            && let Ok(number) = u64::try_from(number)
        {
            self.add(Identifier::Preset(Preset::Tsid, SnowflakeId::new(number)), Form::Own);
        }
        if let Some((prefix_len, id)) = type_id(text) {
            let uuid = Uuid::from_u128(id);
            // Of another version only behind a prefix.
            if prefix_len > 0 || version(uuid) == Some(7) {
                let reading = Identifier::TypeId { uuid, prefix_len };
                // Any suffix can have the six bits of version 7 by chance.
                let is_marked = prefix_len > 0
                    && version(uuid) == Some(7)
                    && self.has_likely_time(&reading, Form::Own);
                self.judge(reading, Form::Own, is_marked);
            }
        }
    }

    /// Adds an ID of a format that is only read.
    fn foreign(&mut self, id: Foreign, form: Form, alphabets: Alphabets) {
        self.is_weighed = true;
        let reading = Identifier::Foreign(id);
        let marks = id.description().and_then(|it| it.marks);
        let has_marks = marks.is_some_and(|marks| alphabets.are(marks));
        self.judge(reading, form, has_marks && self.has_likely_time(&reading, form));
    }

    /// Adds the IDs of formats that are only read, and whose texts are coded so.
    fn coded(&mut self, is_so: fn(&Coding) -> bool, bytes: &[u8], form: Form) {
        for (format, description) in READ_ONLY {
            if is_so(&description.coding) && description.accepts(bytes) {
                self.foreign(Foreign::new(*format, bytes), form, Alphabets::NONE);
            }
        }
    }

    /// Adds the kuid that Erlang prints as a tuple, which nothing else looks like.
    fn tuples(&mut self, text: &[u8]) {
        if text.trim_ascii_start().first() == Some(&b'{')
            && let Some(id) = erlang::read(text, self.settings)
        {
            self.judge(Identifier::from(id), Form::Tuple, true);
        }
    }

    /// Adds the readings as hexadecimal digits and as literals of bytes.
    fn literals(&mut self, text: &[u8], alphabets: Alphabets) {
        // Most texts are not hexadecimal, so this is decided before any digit is read.
        let is_other = alphabets.are(Alphabets::BASE36)
            && !alphabets.are(Alphabets::HEX)
            && !matches!(text, [b'0', b'x' | b'X', ..]);
        let Some(literal) = (if is_other { None } else { literal::read(text) }) else {
            return;
        };
        // Digits alone are often a hash, which is random.
        let form = literal.form;
        let digits = 2 * literal.bytes().len();
        let is_digits = form == Form::Hex && text.len() == digits;
        // Hexadecimal digits may also be a hash.
        if form == Form::Hex && self.random.is_none() {
            self.random =
                u32::try_from(4 * digits).ok().map(|bits| bits + rarity_of_hash(text, digits));
        }
        // Bytes are an ID of each format that has as many.
        let number = literal.bytes().iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        // Any eight numbers below 256 are a literal, so it says as little as the integer does. Nor do
        // hexadecimal digits say more about IDs that are written in decimal.
        self.is_weighed |= form == Form::Bytes;
        self.number.get_or_insert((false_positives::of_number(number), Doubt::Number));
        macro_rules! read {
            ($Id:ty) => {
                if literal.bytes().len() == size_of::<$Id>()
                    && self.seeks(<$Id as SchemeId>::KIND, number)
                    && let Ok(id) = <$Id as SchemeId>::from_number(number)
                {
                    self.add(Identifier::from(AnyId::from(id)), form);
                }
            };
        }
        each_id!(read);
        // The spans of traces have as many digits, and without a letter they are decimal.
        let is_system = !is_digits || (self.scope == Scope::Whole && !alphabets.are_decimal());
        if let Some(bytes) = literal.array().filter(|_| is_system) {
            self.systems(u64::from_be_bytes(bytes), form);
        }
        let own = if is_digits { Form::Own } else { form };
        self.coded(|it| matches!(it, Coding::Hexadecimal), literal.bytes(), own);
        if let Some(bytes) = literal.array() {
            let id = WideGlobalId::from_bytes(bytes);
            self.add(Identifier::KuidWide(id), form);
            // Plain digits are a UUID's own text.
            if !is_digits {
                self.uuid(Uuid::from_bytes(bytes), form, false);
            }
        }
    }
}

/// Returns the additional bits of surprise at a hash with this number of digits and this text
/// around them.
const fn rarity_of_hash(text: &[u8], digits: usize) -> u32 {
    match text {
        [b'0', b'x' | b'X', ..] => 4,
        // A value of a database, which has hashes as well, but more often IDs.
        _ if text.len() != digits => 10,
        // No common hash has 96 or 80 bits.
        _ if digits == 24 || digits == 20 => 10,
        _ => 0,
    }
}
