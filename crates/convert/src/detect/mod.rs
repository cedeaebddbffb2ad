//! Detection of the formats that a text may be in.

mod alphabets;
mod fields;
mod format;
mod literal;
mod named;
mod paste;
mod plausibility;
mod reading;

use tickid_core::UnixTime;
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use uuid::Uuid;

pub use self::fields::{BitField, IdBytes};
pub use self::format::{Form, Format, FormatError};
pub use self::paste::trimmed;
pub use self::plausibility::Plausibility;
pub use self::reading::{KuidAlphabet, NanoflakeText, Reading};

use self::alphabets::Alphabets;
use self::plausibility::{DECISIVE_BITS, Now, surprise};
use self::reading::version;
use crate::carry;
use crate::foreign::{Discord, Instagram, Mastodon, PgEdge, Sonyflake, SonyflakeV2, Twitter};
use crate::options::Layouts;

/// A possible reading of a text, with its plausibility.
///
/// The text fits the format; nothing more is certain. Most texts fit several formats.
///
/// # Examples
/// ```
/// use tickid_convert::{Form, Format, Layouts, Plausibility, detect};
/// use tickid_core::UnixTime;
/// use tickid_scru64::scru64;
///
/// let now = UnixTime::from_millis(1_750_000_000_000)?;
/// let found = detect(b"0u375nxqh5cq", &Layouts::default(), Some(now));
/// let first = found.iter().next().ok_or("nothing fits")?;
/// assert_eq!((first.format(), first.form()), (Format::Scru64, Form::Text));
/// assert_eq!(first.plausibility(), Plausibility::Likely);
/// assert_eq!(first.reason(), "12 digits of Base36");
/// assert_eq!(first.time(), Some(scru64!("0u375nxqh5cq").unix_time()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    reading: Reading,
    form: Form,
    time: Option<UnixTime>,
    plausibility: Plausibility,
    /// The text has marks of the format beside the digits and the time.
    is_marked: bool,
    /// In bits; 0 for the only one that is likely.
    surprise: u32,
    /// From now, in microseconds.
    distance: u64,
}

impl Candidate {
    /// Returns the text as an ID of that format.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Layouts, detect};
    /// use tickid_sno::sno;
    ///
    /// let found = detect(b"brpk4q72xwf2m63l", &Layouts::default(), None);
    /// let mut ids = found.iter().filter_map(|one| one.reading().id());
    /// assert!(ids.any(|id| id == AnyId::Sno(sno!("brpk4q72xwf2m63l"))));
    /// ```
    #[must_use]
    pub const fn reading(&self) -> Reading {
        self.reading
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.reading.format()
    }

    /// Returns the form in which the text holds the ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Form, Layouts, detect};
    ///
    /// let found = detect(br"\x018607e9c87fffff0001", &Layouts::default(), None);
    /// assert!(found.iter().all(|one| one.form() == Form::Hex));
    /// assert!(!found.is_empty());
    /// ```
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Returns the time at which it would have been made, if the format and the layouts determine
    /// it.
    #[must_use]
    pub const fn time(&self) -> Option<UnixTime> {
        self.time
    }

    /// Returns the plausibility of the reading.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, Plausibility, detect};
    /// use tickid_core::UnixTime;
    ///
    /// let read = |now| detect(b"0u375nxqh5cq", &Layouts::default(), now);
    /// let first = |now| read(now).iter().next().map(|one| one.plausibility());
    /// assert_eq!(first(None), Some(Plausibility::Unknown));
    /// let now = UnixTime::from_millis(1_750_000_000_000)?;
    /// assert_eq!(first(Some(now)), Some(Plausibility::Likely));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn plausibility(&self) -> Plausibility {
        self.plausibility
    }

    /// Returns the reason it fits: the features of the text that match this format.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self.form {
            Form::Text => self.reading.reason(),
            Form::Integer => "a decimal integer of its size",
            Form::Hex => "hexadecimal digits of its number of bytes",
            Form::Bytes => "a literal of its number of bytes",
        }
    }

    /// Returns a number that is the lower the likelier the candidate is, then the lower its place
    /// among the candidates, which is in the low 8 bits.
    #[inline]
    fn key(&self, place: u8) -> u128 {
        let rank = (self.plausibility as u128) << 32 | u128::from(self.surprise);
        (rank << 64 | u128::from(self.distance)) << 8 | u128::from(place)
    }

    const fn is_possible(&self) -> bool {
        matches!(self.plausibility, Plausibility::Likely | Plausibility::Unknown)
    }
}

/// The largest number of formats that one text fits: 16 digits from 2 to 9 are the integers of ten
/// formats, three IDs in hexadecimal, a sno ID and a kuid in either alphabet.
const MAX: usize = 16;

/// All that a text may be, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The first are `Some`, in the order in which they were found.
    found: [Option<Candidate>; MAX],
    len: u8,
    /// The place of the likeliest, the only one that most callers need.
    first: Option<u8>,
}

impl Candidates {
    /// Returns the number of candidates.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Reports whether the text fits no known format.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the candidates, likeliest first.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    ///
    /// let found = detect(b"brpk4q72xwf2m63l", &Layouts::default(), None);
    /// for one in found.iter() {
    ///     println!("{}: {}", one.format(), one.reason());
    /// }
    /// assert_eq!(found.iter().count(), found.len());
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        let mut last = None;
        core::iter::from_fn(move || {
            let place = match last {
                None => self.first,
                Some(last) => self.likeliest(|key| key > last),
            }?;
            let one = self.found.get(usize::from(place))?.as_ref()?;
            last = Some(one.key(place));
            Some(one)
        })
    }

    fn found(&self) -> impl Iterator<Item = &Candidate> {
        self.found.iter().take(self.len()).flatten()
    }

    /// Returns the place of the likeliest candidate with such a key.
    #[inline]
    fn likeliest(&self, is_asked_for: impl Fn(u128) -> bool) -> Option<u8> {
        let keys = (0..).zip(self.found()).map(|(place, one)| one.key(place));
        #[allow(clippy::cast_possible_truncation, reason = "the low 8 bits are the place")]
        keys.filter(|key| is_asked_for(*key)).min().map(|key| key as u8)
    }

    /// Returns the candidates that are likely, or that have no time to judge them by.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Format, Layouts, detect};
    /// use tickid_core::UnixTime;
    ///
    /// let now = UnixTime::from_millis(1_700_000_000_000)?;
    /// let found = detect(b"bppc0m3ju134", &Layouts::default(), Some(now));
    /// assert!(found.possible().map(|one| one.format()).eq([Format::Nanoflake]));
    /// assert_eq!(found.len(), 2); // as a SCRU64 ID it would be of the year 2715
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub fn possible(&self) -> impl Iterator<Item = &Candidate> {
        self.iter().take_while(|one| one.is_possible())
    }

    /// Reports whether the first candidate is more [plausible](Plausibility) than any other. Even
    /// then it is only the *most likely* reading of the text.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    /// use tickid_core::UnixTime;
    ///
    /// let now = UnixTime::from_millis(1_750_000_000_000)?;
    /// let read = |text: &str| detect(text.as_bytes(), &Layouts::default(), Some(now));
    /// assert!(read("0u375nxqh5cq").is_clear()); // SCRU64, and nothing else
    /// assert!(!read("113882101964472591").is_clear()); // Mastodon's, SCRU64's, ...
    /// assert!(read("no ID!").is_empty());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn is_clear(&self) -> bool {
        let Some(first) = self.iter().next() else { return false };
        let is_as_plausible = |other: &&Candidate| other.plausibility == first.plausibility;
        self.found().filter(is_as_plausible).count() == 1
    }

    /// Reports whether the first candidate is certain: its text has marks that others lack (the
    /// version in a UUID's groups of digits, a TypeID's prefix, version and time, the bits that
    /// only an ID in a UUID has, a ULID's alphabet and time), and nothing else is plausible.
    ///
    /// Plain integers never are certain, nor are texts of the four schemes: other programs use the
    /// same digits.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    /// use tickid_core::UnixTime;
    ///
    /// let now = UnixTime::from_millis(1_700_000_000_000)?;
    /// let read = |text: &str| detect(text.as_bytes(), &Layouts::default(), Some(now));
    /// assert!(read("017f22e2-79b0-7cc3-98c4-dc0c0c07398f").is_certain());
    /// assert!(!read("017f22e279b07cc398c4dc0c0c07398f").is_certain()); // some hash, perhaps
    /// assert!(!read("0u375nxqh5cq").is_certain());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn is_certain(&self) -> bool {
        let mut all = self.possible();
        let Some(first) = all.next().filter(|first| first.is_marked) else { return false };
        // A UUID that holds an ID is both.
        let is_carried = matches!(first.reading, Reading::Carried(_));
        all.all(|other| is_carried && matches!(other.reading, Reading::Uuid(_)))
    }

    /// Adds a candidate and returns its place.
    #[inline]
    fn push(&mut self, candidate: Candidate) -> Option<u8> {
        debug_assert!(usize::from(self.len) < MAX);
        let place = self.len;
        *self.found.get_mut(usize::from(place))? = Some(candidate);
        self.len += 1;
        Some(place)
    }

    fn likely_mut(&mut self) -> impl Iterator<Item = &mut Candidate> {
        let found = self.found.iter_mut().take(usize::from(self.len)).flatten();
        found.filter(|one| one.plausibility == Plausibility::Likely)
    }

    /// Makes the likely candidates unlikely that another explains much better.
    fn settle(&mut self, layouts: &Layouts, now: UnixTime) {
        let mut least = u32::MAX;
        for one in self.likely_mut() {
            one.surprise = surprise(&one.reading, layouts, now);
            least = least.min(one.surprise);
        }
        for one in self.likely_mut() {
            // A UUID stays one if it holds an ID.
            if one.surprise > least + DECISIVE_BITS && !matches!(one.reading, Reading::Uuid(_)) {
                one.plausibility = Plausibility::Unlikely;
            }
        }
    }
}

impl IntoIterator for Candidates {
    type Item = Candidate;
    type IntoIter = core::iter::Flatten<core::array::IntoIter<Option<Candidate>, MAX>>;

    fn into_iter(self) -> Self::IntoIter {
        let mut sorted = self.iter().copied();
        core::array::from_fn(|_| sorted.next()).into_iter().flatten()
    }
}

/// The longest text that is read: longer than any ID and any literal of one.
const MAX_TEXT: usize = 160;

/// Returns every possible reading of `text`, likeliest first.
///
/// It covers every [`Format`], and of the four schemes also integers, hexadecimal digits and
/// literals of bytes ([`Form`]). `layouts` hold the facts that are not in the texts.
///
/// Times are judged relative to `now` ([`Plausibility`]); without it all readings are equally
/// likely. Of several readings with plausible times, the one comes first that explains the bits
/// best: the one that, of all its format's IDs up to now, expects this ID most. A sequence of 0 is
/// more to be expected than one of 2,741, and so is a node 1 where nodes are counted from 0. This
/// separates most integers, but not all: one that several formats explain about as well is *likely*
/// as each of them.
///
/// It does not allocate.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Layouts, Plausibility, Reading, detect};
/// use tickid_core::UnixTime;
///
/// let now = UnixTime::from_millis(1_700_000_000_000)?;
/// let found = detect(b"bppc0m3ju134", &Layouts::default(), Some(now));
/// let all: Vec<String> = found.iter().map(|one| one.reading().to_string()).collect();
/// assert_eq!(all, ["Nanoflake in Base36", "SCRU64"]);
/// // As a SCRU64 ID it would be of the year 2715, which nothing forbids.
/// let scru64 = found.iter().last().map(|one| (one.plausibility(), one.reason()));
/// assert_eq!(scru64, Some((Plausibility::Unlikely, "12 digits of Base36")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Inline, so that the candidates are made in the caller's memory: to copy them takes a third as
// long as to find them.
#[inline]
#[must_use]
pub fn detect(text: &[u8], layouts: &Layouts, now: Option<UnixTime>) -> Candidates {
    let mut candidates = Candidates { found: [None; MAX], len: 0, first: None };
    find(text, layouts, now, &mut candidates);
    candidates
}

fn find(text: &[u8], layouts: &Layouts, now: Option<UnixTime>, candidates: &mut Candidates) {
    if text.is_empty() || text.len() > MAX_TEXT {
        return;
    }
    let mut search = Search { layouts, now: now.map(Now::new), candidates, likely: 0 };
    let alphabets = Alphabets::of(text);
    search.schemes(text, alphabets);
    search.integers(text, alphabets);
    search.uuids(text);
    search.named(text, alphabets);
    search.literals(text, alphabets);
    search.rank();
}

struct Search<'a> {
    layouts: &'a Layouts,
    now: Option<Now>,
    candidates: &'a mut Candidates,
    /// The number of likely candidates, as which all with a likely time count at first.
    likely: usize,
}

impl Search<'_> {
    /// Puts the likeliest candidate first.
    fn rank(&mut self) {
        if self.likely == 1 {
            return; // It was put there when it was found.
        }
        if let Some(now) = self.now.filter(|_| self.likely > 1) {
            self.candidates.settle(self.layouts, now.time());
        }
        self.candidates.first = self.candidates.likeliest(|_| true);
    }

    #[inline]
    fn add(&mut self, reading: Reading, form: Form) {
        self.judge(reading, form, false);
    }

    #[inline(always)]
    fn add_here(&mut self, reading: Reading, form: Form) {
        self.judge_here(reading, form, false);
    }

    fn is_likely(&self, reading: &Reading) -> bool {
        let time = reading.time(self.layouts);
        Plausibility::of(reading, self.layouts, time, self.now) == Plausibility::Likely
    }

    fn judge(&mut self, reading: Reading, form: Form, is_marked: bool) {
        self.judge_here(reading, form, is_marked);
    }

    /// Judges a reading in the code of the caller, where its format is a constant: half of the time
    /// of a text that is one of the schemes' goes into this.
    #[inline(always)]
    fn judge_here(&mut self, reading: Reading, form: Form, is_marked: bool) {
        let time = reading.time(self.layouts);
        let mut plausibility = Plausibility::of(&reading, self.layouts, time, self.now);
        if is_marked && plausibility == Plausibility::Unlikely {
            // A wrong clock, and still what it is.
            plausibility = Plausibility::Unknown;
        }
        let distance = match (time, self.now) {
            (Some(time), Some(now)) => time.as_micros().abs_diff(now.time().as_micros()),
            _ => 0,
        };
        // The ID that a UUID holds comes before the UUID.
        let surprise = u32::from(matches!(reading, Reading::Uuid(_)));
        let candidate =
            Candidate { reading, form, time, plausibility, is_marked, surprise, distance };
        let place = self.candidates.push(candidate);
        if plausibility == Plausibility::Likely {
            self.likely += 1;
            self.candidates.first = place;
        }
    }

    /// Adds the readings that the parsers of the schemes accept.
    ///
    /// Parsers report the reason a text is invalid, which costs time. So lengths and alphabets are
    /// compared first.
    fn schemes(&mut self, text: &[u8], alphabets: Alphabets) {
        use KuidAlphabet::{Sortable, Url};
        macro_rules! in_both {
            ($id:ident, $reading:ident) => {{
                if alphabets.are(Alphabets::KUID_SORTABLE)
                    && let Ok(id) = $id::parse_bytes(text)
                {
                    self.add_here(Reading::$reading(id, Sortable), Form::Text);
                }
                if alphabets.are(Alphabets::KUID_URL)
                    && let Ok(id) = $id::parse_url(text)
                {
                    self.add_here(Reading::$reading(id, Url), Form::Text);
                }
            }};
        }
        let is_base36 = alphabets.are(Alphabets::BASE36);
        match text.len() {
            Scru64Id::TEXT_LEN if is_base36 => {
                if let Ok(id) = Scru64Id::parse_bytes(text) {
                    self.add_here(Reading::Scru64(id), Form::Text);
                }
            }
            SnoId::TEXT_LEN => {
                if alphabets.are(Alphabets::SNO)
                    && let Ok(id) = SnoId::parse_bytes(text)
                {
                    self.add_here(Reading::Sno(id), Form::Text);
                }
                in_both!(GlobalId, KuidGlobal);
            }
            LocalId::TEXT_LEN => in_both!(LocalId, KuidLocal),
            WideGlobalId::TEXT_LEN => in_both!(WideGlobalId, KuidWide),
            _ => {}
        }
        if text.len() <= NanoflakeId::TEXT_LEN
            && is_base36
            && let Ok(id) = NanoflakeId::parse_bytes(text)
        {
            self.add_here(Reading::Nanoflake(id, NanoflakeText::Base36), Form::Text);
        }
    }

    /// Adds the readings as decimal integers, which do not identify their system.
    fn integers(&mut self, text: &[u8], alphabets: Alphabets) {
        if !alphabets.are(Alphabets::DECIMAL) && !text.starts_with(b"-") {
            return;
        }
        let Some(number) = literal::integer(text) else {
            return;
        };
        let Ok(number) = u64::try_from(number) else {
            self.large_integers(number);
            return;
        };
        let is_negative = text.starts_with(b"-");
        if let Ok(id) = NanoflakeId::try_from(number) {
            self.add_here(Reading::Nanoflake(id, NanoflakeText::Decimal), Form::Text);
            if self.layouts.epoch != Epoch::TWITTER {
                self.add_here(Reading::Twitter(Twitter(number)), Form::Text);
            }
            self.add_here(Reading::Sonyflake(Sonyflake(number)), Form::Text);
            self.add_here(Reading::SonyflakeV2(SonyflakeV2(number)), Form::Text);
            self.add_here(Reading::PgEdge(PgEdge(number)), Form::Text);
        }
        if let Ok(id) = Scru64Id::new(number) {
            self.add_here(Reading::Scru64(id), Form::Integer);
        }
        let signed = if is_negative { Form::Integer } else { Form::Text };
        if self.layouts.epoch != Epoch::DISCORD || number >> 63 == 1 {
            self.add_here(Reading::Discord(Discord(number)), signed);
        }
        self.add_here(Reading::Instagram(Instagram(number)), signed);
        self.add_here(Reading::Mastodon(Mastodon(number)), signed);
        self.add_here(
            Reading::KuidLocal(LocalId::new(number), KuidAlphabet::Sortable),
            Form::Integer,
        );
    }

    /// Adds the readings of integers of more than 64 bits.
    fn large_integers(&mut self, number: u128) {
        let bytes = number.to_be_bytes();
        if let [0, 0, 0, 0, 0, 0, id @ ..] = bytes {
            self.add(Reading::Sno(SnoId::from_bytes(id)), Form::Integer);
        }
        if let [0, 0, 0, 0, id @ ..] = bytes {
            self.add(
                Reading::KuidGlobal(GlobalId::from_bytes(id), KuidAlphabet::Sortable),
                Form::Integer,
            );
        } else {
            self.add(
                Reading::KuidWide(WideGlobalId::from_bytes(bytes), KuidAlphabet::Sortable),
                Form::Integer,
            );
            self.uuid(Uuid::from_bytes(bytes), Form::Integer, false);
        }
    }

    fn uuids(&mut self, text: &[u8]) {
        // From 32 hexadecimal digits to a URN.
        if (32..=45).contains(&text.len())
            && let Ok(uuid) = Uuid::try_parse_ascii(text)
        {
            let is_grouped = text.len() > uuid::fmt::Simple::LENGTH;
            self.uuid(uuid, Form::Text, is_grouped);
        }
    }

    /// Adds a UUID, and the ID in it; groups of digits are a mark.
    fn uuid(&mut self, uuid: Uuid, form: Form, is_grouped: bool) {
        if let Ok(id) = carry::from_uuid(uuid, self.layouts) {
            self.judge(Reading::Carried(id), form, true);
        }
        let is_valid = version(uuid).is_some() || uuid.is_nil() || uuid.is_max();
        if is_grouped || is_valid {
            self.judge(Reading::Uuid(uuid), form, is_grouped && is_valid);
        }
    }

    fn named(&mut self, text: &[u8], alphabets: Alphabets) {
        if alphabets.are(Alphabets::CROCKFORD)
            && let Some(id) = named::ulid(text)
        {
            let is_upper = !text.iter().any(u8::is_ascii_lowercase);
            let reading = Reading::Ulid(id.to_be_bytes());
            self.judge(reading, Form::Text, is_upper && self.is_likely(&reading));
        }
        if let Some((prefix_len, id)) = named::type_id(text) {
            let uuid = Uuid::from_u128(id);
            // Of another version only behind a prefix.
            if prefix_len > 0 || version(uuid) == Some(7) {
                let reading = Reading::TypeId { uuid, prefix_len };
                // Any suffix can have the six bits of version 7 by chance.
                let is_marked =
                    prefix_len > 0 && version(uuid) == Some(7) && self.is_likely(&reading);
                self.judge(reading, Form::Text, is_marked);
            }
        }
        if alphabets.are(Alphabets::BASE36)
            && let Some(id) = named::ksuid(text)
        {
            self.add(Reading::Ksuid(id), Form::Text);
        }
        if alphabets.are(Alphabets::XID)
            && let Some(id) = named::xid(text)
        {
            self.add(Reading::Xid(id), Form::Text);
        }
    }

    /// Adds the readings as hexadecimal digits and as literals of bytes.
    fn literals(&mut self, text: &[u8], alphabets: Alphabets) {
        let is_other = alphabets.are(Alphabets::BASE36)
            && !alphabets.are(Alphabets::HEX)
            && !matches!(text, [b'0', b'x' | b'X', ..]);
        let Some(literal) = (if is_other { None } else { literal::read(text) }) else {
            return;
        };
        let form = literal.form;
        let is_digits = form == Form::Hex && text.len() == 2 * literal.bytes().len();
        if let Some(bytes) = literal.array::<8>() {
            if let Ok(id) = Scru64Id::from_be_bytes(bytes) {
                self.add(Reading::Scru64(id), form);
            }
            if let Ok(id) = NanoflakeId::from_be_bytes(bytes) {
                self.add(Reading::Nanoflake(id, NanoflakeText::Base36), form);
            }
            let id = LocalId::from_be_bytes(bytes);
            self.add(Reading::KuidLocal(id, KuidAlphabet::Sortable), form);
        } else if let Some(bytes) = literal.array() {
            self.add(Reading::Sno(SnoId::from_bytes(bytes)), form);
        } else if let Some(bytes) = literal.array() {
            let id = GlobalId::from_bytes(bytes);
            self.add(Reading::KuidGlobal(id, KuidAlphabet::Sortable), form);
            self.add(Reading::ObjectId(bytes), if is_digits { Form::Text } else { form });
        } else if let Some(bytes) = literal.array() {
            let id = WideGlobalId::from_bytes(bytes);
            self.add(Reading::KuidWide(id, KuidAlphabet::Sortable), form);
            // Plain digits are a UUID's own text.
            if !is_digits {
                self.uuid(Uuid::from_bytes(bytes), form, false);
            }
        }
    }
}
