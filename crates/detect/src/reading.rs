//! A text as an ID of one format, and the order of such readings.

use core::fmt;

use tickid_convert::{AnyId, Form, Settings};
use tickid_core::UnixTime;
use tickid_snowflake::Preset;

use crate::alphabets::Alphabets;
use crate::confidence::{Confidence, Doubt};
use crate::evidence::{ABOUT_BITS, DECISIVE_BITS, SYSTEM_BITS, Scope, is_for_id, surprise};
use crate::false_positives;
use crate::formats::{EXAMPLES, Format};
use crate::identifier::{Identifier, version};

/// A text as an ID of one format, with the confidence that it is one.
///
/// # Examples
/// ```
/// use tickid_convert::{Form, Kind, Settings};
/// use tickid_core::UnixTime;
/// use tickid_detect::{Confidence, Format, detect};
/// use tickid_scru64::scru64;
///
/// let now = UnixTime::from_millis(1_750_000_000_000)?;
/// let found = detect(b"0u375nxqh5cq", &Settings::default(), Some(now));
/// let first = found.first().ok_or("nothing fits")?;
/// assert_eq!((first.format(), first.form()), (Format::Scru64, Form::canonical(Kind::Scru64)));
/// assert_eq!(first.confidence(), Confidence::Likely);
/// assert_eq!(first.reason(), "12 digits of Base36");
/// assert_eq!(first.unix_time(), Some(scru64!("0u375nxqh5cq").unix_time()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub(crate) identifier: Identifier,
    /// That of the identifier, which is asked for often.
    pub(crate) format: Format,
    pub(crate) form: Form,
    pub(crate) time: Option<UnixTime>,
    pub(crate) doubt: Option<Doubt>,
    pub(crate) is_certain: bool,
    /// The text has marks of the format beside the digits and the time.
    pub(crate) is_marked: bool,
    /// In bits, and 0 for the only one that is likely.
    pub(crate) surprise: u32,
    /// From now, in microseconds.
    pub(crate) distance: u64,
}

impl Reading {
    /// Returns the text as an ID of that format.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Settings};
    /// use tickid_detect::detect;
    /// use tickid_sno::sno;
    ///
    /// let found = detect(b"brpk4q72xwf2m63l", &Settings::default(), None);
    /// let mut ids = found.iter().filter_map(|one| one.identifier().scheme_id());
    /// assert!(ids.any(|id| id == AnyId::Sno(sno!("brpk4q72xwf2m63l"))));
    /// ```
    #[must_use]
    pub const fn identifier(&self) -> Identifier {
        self.identifier
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns the form in which the text is the ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Form, Settings};
    /// use tickid_detect::detect;
    ///
    /// let found = detect(br"\x018607e9c87fffff0001", &Settings::default(), None);
    /// assert!(found.iter().all(|one| one.form() == Form::Hex));
    /// assert!(!found.is_empty());
    /// ```
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Returns the name of the format for people, and of the form if the format has several, for
    /// example `Nanoflake in decimal`.
    #[must_use]
    pub fn name(&self) -> impl fmt::Display + use<> {
        self.identifier.name(self.form)
    }

    /// Returns the time at which the ID would have been made, if the format and the settings
    /// determine it.
    #[must_use]
    pub const fn unix_time(&self) -> Option<UnixTime> {
        self.time
    }

    /// Returns the confidence that the text is an ID of that format.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Settings;
    /// use tickid_core::UnixTime;
    /// use tickid_detect::{Confidence, detect};
    ///
    /// let now = UnixTime::from_millis(1_750_000_000_000)?;
    /// let first = |text: &str| {
    ///     let found = detect(text.as_bytes(), &Settings::default(), Some(now));
    ///     found.first().map(|one| one.confidence())
    /// };
    /// assert_eq!(first("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), Some(Confidence::Certain));
    /// assert_eq!(first("bppc0m3ju134"), Some(Confidence::Likely));
    /// assert_eq!(first("information"), Some(Confidence::Possible));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn confidence(&self) -> Confidence {
        match self.doubt {
            Some(_) => Confidence::Possible,
            None if self.is_certain => Confidence::Certain,
            None => Confidence::Likely,
        }
    }

    /// Returns the features of the text that match this format, for example "12 digits of Base36".
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.identifier.reason(self.form)
    }

    /// Returns the reason why the reading is no more than possible, or `None` if it is likely or
    /// certain.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Settings;
    /// use tickid_core::UnixTime;
    /// use tickid_detect::{Doubt, detect};
    ///
    /// let now = UnixTime::from_millis(1_750_000_000_000)?;
    /// let found = detect(b"activities12", &Settings::default(), Some(now));
    /// assert!(found.iter().any(|one| one.doubt() == Some(Doubt::Words)));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// Returns a number by which readings are sorted, which is lower for likelier ones.
    #[inline]
    fn key(&self) -> u128 {
        let rank = self.doubt.map_or(0, Doubt::rank);
        (u128::from(rank) << 32 | u128::from(self.surprise)) << 64 | u128::from(self.distance)
    }

    const fn is_likely(&self) -> bool {
        self.doubt.is_none()
    }

    /// Returns the version of a UUID that has neither hyphens nor a time, so that one in 64 texts of
    /// random bits looks like it.
    pub(crate) fn bare_version(&self) -> Option<usize> {
        let Identifier::Uuid(uuid) = self.identifier else { return None };
        let is_bare = !self.is_marked && matches!(self.form, Form::Own | Form::Hex | Form::Bytes);
        version(uuid).filter(|version| is_bare && matches!(version, 3..=5))
    }

    /// Returns the bits of the text if it has no meaning, and the doubt about an ID that explains
    /// it no better. This is for readings with no evidence but their digits. `number` is both of
    /// them for a decimal integer.
    fn chance(
        &self,
        text: &[u8],
        number: Option<(u32, Doubt)>,
        settings: &Settings,
    ) -> Option<(u32, Doubt)> {
        let is_number = matches!(self.form, Form::Int | Form::Bytes);
        match self.identifier {
            // An epoch that an option names is evidence by itself, and so is a layout.
            Identifier::Scheme(AnyId::Nanoflake(_)) if is_number || self.form.is_integer() => {
                number.filter(|_| settings.epoch == Settings::default().epoch)
            }
            id if id.is_decimal() => number,
            Identifier::Foreign(id) if self.form == Form::Own => {
                let bits = id.description()?.chance(text)?;
                Some((bits, Doubt::Unexplained))
            }
            Identifier::Foreign(_)
            | Identifier::Preset(..)
            | Identifier::Mastodon(_)
            | Identifier::Scheme(_)
            | Identifier::KuidWide(_)
            | Identifier::Carried(_)
            | Identifier::Uuid(_)
            | Identifier::TypeId { .. }
            | Identifier::UnixTime(..) => number.filter(|_| is_number),
        }
    }

    /// Reports whether a text with digits, which reads like words, is likelier an ID. Words are
    /// rarely the IDs of a recent time or of a small node and sequence.
    fn outweighs_words(&self, text: &[u8], settings: &Settings, now: Option<UnixTime>) -> bool {
        let Some(now) = now.filter(|_| text.iter().any(u8::is_ascii_digit)) else { return false };
        let surprise = surprise(&self.identifier, self.form, settings, now).bits();
        let letters = text.len().saturating_mul(BITS_PER_LETTER);
        surprise.saturating_add(DECISIVE_BITS) as usize <= letters
    }

    /// Reports whether a text that is written like a path is no likelier an ID. Any characters may
    /// stand anywhere in these IDs, and nearly any text is of a likely time.
    fn may_be_a_path(&self, text: &[u8]) -> bool {
        let is_nanoflake = matches!(self.identifier, Identifier::Scheme(AnyId::Nanoflake(_)));
        let is_sno = matches!(self.identifier, Identifier::Scheme(AnyId::Sno(_)));
        matches!(self.form, Form::Text(_))
            && (is_nanoflake || (is_sno && false_positives::are_steps(text)))
    }

    /// Reports whether random digits and letters explain a Nanoflake about as well. A
    /// third of all texts of 12 digits has a likely time as a Nanoflake, so the time says as little
    /// as in an integer. As a SCRU64 ID, only one in a thousand has.
    fn is_random_text(&self, text: &[u8], settings: &Settings, now: Option<UnixTime>) -> bool {
        if !matches!(self.identifier, Identifier::Scheme(AnyId::Nanoflake(_)))
            || self.form.is_integer()
        {
            return false;
        }
        let is_given = settings.epoch != Settings::default().epoch;
        let Some(now) = now.filter(|_| !is_given) else { return false };
        let surprise = surprise(&self.identifier, self.form, settings, now).bits();
        let chance = false_positives::without_meaning(text, Alphabets::of(text));
        !is_for_id(surprise, chance)
    }
}

/// The bits of a word, whose letters are not equally frequent.
const BITS_PER_LETTER: usize = 5;

/// The largest number of formats that one text fits. For example, 16 digits from 2 to 9 are
/// integers of eighteen formats and a Unix time, four IDs in hexadecimal, a sno ID and a kuid in
/// either alphabet.
const MAX: usize = 26;

/// The places of all readings.
const ALL: u32 = (1 << MAX) - 1;

/// Returns the places of a set, whose bits they are.
fn places(mut set: u32) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        #[allow(clippy::cast_possible_truncation, reason = "up to 32")]
        let place = set.trailing_zeros() as u8;
        set &= set.checked_sub(1)?;
        Some(place)
    })
}

/// What a text may be if it is no ID.
#[derive(Clone, Copy)]
pub(crate) struct Chance {
    pub(crate) scope: Scope,
    /// The bits of surprise at the text if its hexadecimal digits are random, such as a hash.
    pub(crate) random: Option<u32>,
    /// The bits of surprise at the text if it is a decimal integer without a meaning, or a number
    /// of a different kind, and the doubt about IDs that explain it no better.
    pub(crate) number: Option<(u32, Doubt)>,
}

/// Every reading of a text, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings {
    /// The first are `Some`, in the order of discovery.
    found: [Option<Reading>; MAX],
    len: u8,
    /// A bit for the place of each that neither its time nor another field excludes, which are few.
    weighed: u32,
    /// The place of the likeliest, the only one that most callers need.
    first: Option<u8>,
}

impl Readings {
    // A constant would be copied, with all bytes of what is none.
    #[inline]
    pub(crate) fn none() -> Self {
        Self { found: [None; MAX], len: 0, weighed: 0, first: None }
    }

    /// Returns the number of readings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Reports whether the text fits no known format.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the likeliest reading, which may be no more than possible. [`likely`](Self::likely)
    /// leaves such readings out.
    #[must_use]
    pub fn first(&self) -> Option<&Reading> {
        self.found.get(usize::from(self.first?))?.as_ref()
    }

    /// Returns the readings, likeliest first.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Settings;
    /// use tickid_detect::detect;
    ///
    /// let found = detect(b"brpk4q72xwf2m63l", &Settings::default(), None);
    /// for one in found.iter() {
    ///     println!("{}: {}, {}", one.format(), one.confidence(), one.reason());
    /// }
    /// assert_eq!(found.iter().count(), found.len());
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Reading> {
        let mut last = None;
        core::iter::from_fn(move || {
            let place = if last.is_none() { self.first } else { self.likeliest(ALL, last) }?;
            let one = self.found.get(usize::from(place))?.as_ref()?;
            last = Some((one.key(), place));
            Some(one)
        })
    }

    /// Returns the readings that neither their time nor another field excludes, in the order of
    /// discovery.
    pub(crate) fn weighed(&self) -> impl Iterator<Item = &Reading> {
        places(self.weighed).filter_map(|place| self.found.get(usize::from(place))?.as_ref())
    }

    /// Changes these readings.
    pub(crate) fn change_weighed(&mut self, mut change: impl FnMut(&mut Reading)) {
        for place in places(self.weighed) {
            if let Some(Some(one)) = self.found.get_mut(usize::from(place)) {
                change(one);
            }
        }
    }

    /// Returns the place of the likeliest of some readings, after the one with this key and place.
    /// Of equal ones, the first is likelier.
    #[inline]
    fn likeliest(&self, among: u32, last: Option<(u128, u8)>) -> Option<u8> {
        let (mut least, mut likeliest) = (u128::MAX, None);
        for place in places(among) {
            let Some(Some(one)) = self.found.get(usize::from(place)) else { break };
            let key = one.key();
            if key < least && last.is_none_or(|last| (key, place) > last) {
                (least, likeliest) = (key, Some(place));
            }
        }
        likeliest
    }

    /// Returns the readings that are certain or likely. There may be several. For example, the
    /// number 113882101964472591 is likely both as Mastodon's and as SCRU64's.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Settings;
    /// use tickid_core::UnixTime;
    /// use tickid_detect::{Format, detect};
    ///
    /// let now = UnixTime::from_millis(1_700_000_000_000)?;
    /// let found = detect(b"bppc0m3ju134", &Settings::default(), Some(now));
    /// assert!(found.likely().map(|one| one.format()).eq([Format::Nanoflake]));
    /// assert_eq!(found.len(), 2); // as a SCRU64 ID it would be of the year 2715
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub fn likely(&self) -> impl Iterator<Item = &Reading> {
        self.iter().take_while(|one| one.is_likely())
    }

    /// Reports whether exactly one reading is certain or likely. If this is false, a program that
    /// must not guess has to ask which format is meant.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Settings;
    /// use tickid_core::UnixTime;
    /// use tickid_detect::detect;
    ///
    /// let now = UnixTime::from_millis(1_750_000_000_000)?;
    /// let read = |text: &str| detect(text.as_bytes(), &Settings::default(), Some(now));
    /// assert!(read("0u375nxqh5cq").is_clear()); // SCRU64, and nothing else
    /// assert!(!read("113882101964472591").is_clear()); // Mastodon's, SCRU64's, ...
    /// assert!(!read("information").is_clear());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.weighed().filter(|one| one.is_likely()).count() == 1
    }

    /// Adds a reading and returns its place.
    #[inline]
    pub(crate) fn push(&mut self, reading: Reading) -> Option<u8> {
        debug_assert!(usize::from(self.len) < MAX);
        let place = self.len;
        *self.found.get_mut(usize::from(place))? = Some(reading);
        let is_weighed = reading.doubt.is_none_or(Doubt::is_weighed);
        self.weighed |= u32::from(is_weighed) << place;
        self.len += 1;
        Some(place)
    }

    fn change_likely(&mut self, mut change: impl FnMut(&mut Reading)) {
        self.change_weighed(|one| {
            if one.is_likely() {
                change(one);
            }
        });
    }

    /// Makes the reading of a document's example likely.
    #[cold]
    pub(crate) fn read_example(&mut self, text: &[u8]) {
        for (example, format) in EXAMPLES {
            for (place, one) in (0..).zip(self.found.iter_mut().flatten()) {
                let is_text = matches!(one.form, Form::Text(_) | Form::Own);
                if text == example && one.format() == format && is_text {
                    one.doubt = None;
                    self.weighed |= 1 << place;
                }
            }
        }
    }

    /// Doubts the likely readings of a text that is common for other reasons.
    #[inline]
    pub(crate) fn doubt_ordinary(
        &mut self,
        text: &[u8],
        scope: Scope,
        alphabets: Alphabets,
        settings: &Settings,
        now: Option<UnixTime>,
    ) {
        let is_path = scope == Scope::Part && false_positives::is_path(text);
        let is_tsid = |one: &Reading| matches!(one.identifier, Identifier::Preset(Preset::Tsid, _));
        let has_tsid = self.weighed().any(|one| one.is_likely() && is_tsid(one));
        self.change_likely(|one| {
            let doubt = doubt_of_text(one, text, alphabets).filter(|doubt| {
                *doubt != Doubt::Words || !one.outweighs_words(text, settings, now)
            });
            // In upper case only a TSID is padded to 13 digits.
            let is_other = has_tsid && !is_tsid(one);
            one.doubt = doubt.or_else(|| {
                let is_unexplained = is_other
                    || (is_path && one.may_be_a_path(text))
                    || one.is_random_text(text, settings, now);
                is_unexplained.then_some(Doubt::Unexplained)
            });
        });
    }

    /// Doubts the likely readings whose bits something else explains better. A different reading
    /// must do so much better, but digits without a meaning only about as well.
    pub(crate) fn doubt_unexplained(
        &mut self,
        text: &[u8],
        settings: &Settings,
        now: UnixTime,
        Chance { scope, random, number }: Chance,
    ) {
        // Measure all of them before any is doubted, because a reading that is doubted for another
        // reason still explains the text.
        let (mut least, mut least_retired, mut time) = (u32::MAX, u32::MAX, None);
        let mut behind = None;
        self.change_likely(|one| {
            one.surprise = surprise(&one.identifier, one.form, settings, now).bits();
            let prior = one.format().prior();
            if !prior.is_modest {
                least = least.min(one.surprise);
            }
            behind = prior.behind.map(|front| (one.format, front)).or(behind);
            if prior.doubt == Some(Doubt::Retired) {
                least_retired = least_retired.min(one.surprise);
            }
            if matches!(one.identifier, Identifier::UnixTime(..)) {
                time = Some(one.surprise);
            }
        });
        self.change_likely(|one| {
            // A UUID in groups stays one, whatever it holds.
            if one.is_marked {
                return;
            }
            let is_worse = one.surprise >= least.saturating_add(DECISIVE_BITS)
                // A format that is out of use is never shown beside another, so it must be worse.
                || one.surprise > least_retired;
            let is_random = match one.bare_version() {
                // More of those that people paste are random UUIDs than one in 64 of their hashes.
                // Behind `0x` or `\x`, hexadecimal digits are rarer as a hash.
                Some(version) if scope == Scope::Whole && one.form != Form::Hex => version != 4,
                Some(_) | None => {
                    let own = if one.identifier.is_decimal() { SYSTEM_BITS } else { 0 };
                    let bits = one.surprise.saturating_add(DECISIVE_BITS + own);
                    random.is_some_and(|random| bits > random)
                }
            };
            // A number that is likely a time has a meaning, so an ID that explains it about as well
            // is shown beside the time.
            let is_as_good =
                time.is_some_and(|time| one.surprise <= time.saturating_add(ABOUT_BITS));
            // The number comes first, because it is the most informative reason.
            one.doubt = match one.chance(text, number, settings) {
                Some((chance, doubt))
                    if !(is_for_id(one.surprise, chance)
                        || (is_as_good && doubt == Doubt::Number)) =>
                {
                    Some(doubt)
                }
                _ if is_worse && time == Some(least) => Some(Doubt::UnixTime),
                _ if is_worse || is_random => Some(Doubt::Unexplained),
                _ => one.format().prior().doubt,
            };
        });
        // One whose IDs look like more frequent ones comes behind these.
        if let Some((format, front)) = behind {
            // What has no version is a UUID for want of a better name.
            let is_nameless = |one: &Reading| matches!(one.identifier, Identifier::Uuid(uuid) if version(uuid).is_none());
            let is_front =
                |one: &&Reading| one.is_likely() && one.format == front && !is_nameless(one);
            let front = self.weighed().find(is_front).map(|one| one.surprise);
            self.change_likely(|one| {
                if let Some(front) = front.filter(|_| one.format == format) {
                    one.surprise = one.surprise.max(front.saturating_add(1));
                }
            });
        }
        // A format that is modest comes behind systems that are as likely.
        let (mut after_likely, mut after_others) = (0, 0);
        let found = self.found.iter().map_while(Option::as_ref);
        for one in found.filter(|one| is_system(one.format())) {
            let after = if one.is_likely() { &mut after_likely } else { &mut after_others };
            *after = one.surprise.saturating_add(1).max(*after);
        }
        let found = self.found.iter_mut().map_while(Option::as_mut);
        for one in found.filter(|one| one.format().prior().is_modest) {
            let after = if one.is_likely() { after_likely } else { after_others };
            one.surprise = one.surprise.max(after);
        }
    }

    /// Makes the first reading certain if its text has marks and nothing else is likely.
    pub(crate) fn settle(&mut self) {
        self.first = self.likeliest(if self.weighed == 0 { ALL } else { self.weighed }, None);
        let is_likely = |one: &&Reading| one.is_likely();
        let Some(first) = self.first().filter(is_likely).filter(|one| one.is_marked) else {
            return;
        };
        // A UUID that holds an ID is both.
        let is_carried = matches!(first.identifier, Identifier::Carried(_));
        let is_rival = |one: &&Reading| {
            !(is_carried && matches!(one.identifier, Identifier::Uuid(_) | Identifier::Carried(_)))
        };
        let rivals = self.weighed().filter(is_likely).filter(is_rival).count();
        if rivals > usize::from(!is_carried) {
            return;
        }
        self.change_likely(|one| one.is_certain = true);
    }
}

impl IntoIterator for Readings {
    type Item = Reading;
    type IntoIter = core::iter::Flatten<core::array::IntoIter<Option<Reading>, MAX>>;

    fn into_iter(self) -> Self::IntoIter {
        let mut sorted = self.iter().copied();
        core::array::from_fn(|_| sorted.next()).into_iter().flatten()
    }
}

/// Reports whether a format is one of the large systems, whose IDs are met most.
const fn is_system(format: Format) -> bool {
    matches!(format, Format::Nanoflake | Format::Twitter | Format::Discord | Format::UnixEpoch)
}

/// Returns the reason to doubt a reading because the text is common for other reasons.
#[inline]
fn doubt_of_text(reading: &Reading, text: &[u8], alphabets: Alphabets) -> Option<Doubt> {
    let is_decimal = alphabets.are(Alphabets::DECIMAL);
    match (&reading.identifier, reading.form) {
        (Identifier::Preset(Preset::Tsid, _), _) => {
            alphabets.are(Alphabets::HEX).then_some(Doubt::HexDigits)
        }
        (Identifier::Preset(..) | Identifier::Mastodon(_), _) | (_, Form::Int) => {
            false_positives::is_date(text).then_some(Doubt::Date)
        }
        (Identifier::Foreign(id), _) if id.is_decimal() => {
            false_positives::is_date(text).then_some(Doubt::Date)
        }
        (Identifier::Scheme(_), form) if form.is_integer() => {
            false_positives::is_date(text).then_some(Doubt::Date)
        }
        (Identifier::UnixTime(..), _) => None,
        // As hexadecimal digits too, unless something around them says that they are.
        (_, Form::Text(_) | Form::Own | Form::Hex) if is_decimal => Some(Doubt::Digits),
        (_, Form::Hex | Form::Bytes | Form::Tuple) => None,
        (Identifier::Uuid(_) | Identifier::Carried(_) | Identifier::TypeId { .. }, _) => None,
        (Identifier::Foreign(id), _) if id.is_hexadecimal() => None,
        _ if alphabets.are(Alphabets::HEX) => Some(Doubt::HexDigits),
        // Present Nanoflakes start with any character, IDs of other formats with one of a few.
        (Identifier::Scheme(AnyId::Nanoflake(_)), _) if false_positives::is_wordlike(text) => {
            Some(Doubt::Words)
        }
        (Identifier::Scheme(_) | Identifier::KuidWide(_) | Identifier::Foreign(_), _) => {
            let is_word = alphabets.are_of_one_case() && text.iter().all(u8::is_ascii_alphabetic);
            let has_unit = reading.identifier.is_base_62() && false_positives::has_unit(text);
            (is_word || has_unit || false_positives::is_word(text)).then_some(Doubt::Words)
        }
    }
}

#[cfg(test)]
mod tests {
    use tickid_convert::Uuid;
    use tickid_convert::foreign::Mastodon;
    use tickid_scru64::Scru64Id;

    use super::*;

    /// No text has marks of a format and is likely of another, so these are made up.
    #[test]
    fn nothing_beside_a_rival_is_certain() {
        let carried = (Identifier::Carried(Scru64Id::MAX.into()), true);
        let uuid = (Identifier::Uuid(Uuid::nil()), true);
        let other = (Identifier::Mastodon(Mastodon(1)), false);
        for (all, is_certain) in [
            (&[uuid][..], true),
            (&[uuid, other], false),
            (&[carried, uuid], true),
            (&[carried, uuid, other], false),
            (&[other], false),
        ] {
            let mut readings = Readings::none();
            for (identifier, is_marked) in all.iter().copied() {
                readings.push(Reading {
                    identifier,
                    format: identifier.format(),
                    form: Form::Own,
                    time: None,
                    doubt: None,
                    is_certain: false,
                    is_marked,
                    surprise: 0,
                    distance: 0,
                });
            }
            readings.settle();
            assert!(readings.iter().all(|one| one.is_certain == is_certain), "{all:?}");
        }
    }
}
