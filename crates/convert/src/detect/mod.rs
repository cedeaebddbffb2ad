//! Detection of the formats that a text may be in.

mod named;
mod plausibility;
mod reading;

use tickid_core::UnixTime;
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_text::decimal;
use uuid::Uuid;

pub use self::plausibility::Plausibility;
pub use self::reading::{KuidAlphabet, NanoflakeText, Reading};

use crate::carry;
use crate::foreign::{Discord, Instagram, Mastodon, Twitter};
use crate::options::Layouts;

/// A possible reading of a text, with the plausibility of the time that it implies.
///
/// The text fits the format; nothing more is certain. Most texts fit several formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    reading: Reading,
    time: Option<UnixTime>,
    plausibility: Plausibility,
    /// From now, in microseconds.
    distance: u64,
}

impl Candidate {
    /// Returns the text as an ID of that format.
    #[must_use]
    pub const fn reading(&self) -> Reading {
        self.reading
    }

    /// Returns the time at which it would have been made, if the format and the layouts determine
    /// it.
    #[must_use]
    pub const fn time(&self) -> Option<UnixTime> {
        self.time
    }

    /// Returns the plausibility of that time.
    #[must_use]
    pub const fn plausibility(&self) -> Plausibility {
        self.plausibility
    }

    /// Returns the reason it fits: the features of the text that match this format.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reading.reason()
    }
}

/// The largest number of formats that one text fits: 16 digits from 2 to 9 are a sno ID, a kuid in
/// either alphabet, a Nanoflake by number, and IDs of four other systems.
const MAX: usize = 8;

/// All that a text may be, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The first are `Some`.
    found: [Option<Candidate>; MAX],
    len: usize,
}

impl Candidates {
    /// Returns the number of candidates.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Reports whether the text fits no known format.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the candidates, likeliest first.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.found.iter().flatten()
    }

    /// Reports whether the time of the first candidate is more [plausible](Plausibility) than the
    /// time of any other. Even then it is only the *most likely* reading of the text.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    /// use tickid_core::UnixTime;
    ///
    /// let now = UnixTime::from_millis(1_700_000_000_000)?;
    /// let read = |text: &str| detect(text.as_bytes(), &Layouts::default(), Some(now));
    /// assert!(read("0u375nxqh5cq").is_clear()); // SCRU64; as a Nanoflake of another time
    /// assert!(!read("175928847299117063").is_clear()); // Twitter's, Discord's, ...
    /// assert!(read("no ID!").is_empty());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub fn is_clear(&self) -> bool {
        let mut plausibilities = self.iter().map(Candidate::plausibility);
        let first = plausibilities.next();
        first.is_some_and(|first| plausibilities.all(|other| first < other))
    }

    /// Puts it where it belongs, behind those that are as likely.
    #[inline]
    fn add(&mut self, candidate: Candidate) {
        let key = |candidate: &Candidate| (candidate.plausibility, candidate.distance);
        // Those up to and with the first free place, from the last on.
        let places = self.found.get_mut(..=self.len).unwrap_or_default();
        let mut places = places.iter_mut().rev();
        let Some(mut free) = places.next() else { return };
        self.len += 1;
        for place in places {
            match place {
                Some(other) if key(other) > key(&candidate) => *free = Some(*other),
                _ => break,
            }
            free = place;
        }
        *free = Some(candidate);
    }
}

impl IntoIterator for Candidates {
    type Item = Candidate;
    type IntoIter = core::iter::Flatten<core::array::IntoIter<Option<Candidate>, MAX>>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter().flatten()
    }
}

/// Returns every possible reading of `text`, likeliest first.
///
/// It covers the four schemes in all of their texts, UUIDs, ULIDs, KSUIDs, and the decimal integers
/// of Twitter, Discord, Instagram and Mastodon. Times are judged relative to `now`
/// ([`Plausibility`]); without it all are equally likely. `layouts` hold the facts that are not in
/// the texts.
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
#[must_use]
pub fn detect(text: &[u8], layouts: &Layouts, now: Option<UnixTime>) -> Candidates {
    // Built in the caller's memory instead of being copied there: they are larger than all the rest
    // of the work.
    let mut candidates = Candidates { found: [None; MAX], len: 0 };
    let mut search = Search { layouts, now, candidates: &mut candidates };
    search.schemes(text);
    search.decimals(text);
    search.uuids(text);
    search.named(text);
    candidates
}

struct Search<'a> {
    layouts: &'a Layouts,
    now: Option<UnixTime>,
    candidates: &'a mut Candidates,
}

impl Search<'_> {
    #[inline]
    fn add(&mut self, reading: Reading) {
        let time = reading.time(self.layouts);
        let plausibility = Plausibility::of(&reading, self.layouts, time, self.now);
        let micros = |time: UnixTime| time.as_micros();
        let distance = match (time, self.now) {
            (Some(time), Some(now)) => micros(time).abs_diff(micros(now)),
            _ => 0,
        };
        self.candidates.add(Candidate { reading, time, plausibility, distance });
    }

    /// Adds the readings that the parsers of the schemes accept.
    fn schemes(&mut self, text: &[u8]) {
        if let Ok(id) = Scru64Id::parse_bytes(text) {
            self.add(Reading::Scru64(id));
        }
        if let Ok(id) = SnoId::parse_bytes(text) {
            self.add(Reading::Sno(id));
        }
        self.kuids(text);
        if let Ok(id) = NanoflakeId::parse_bytes(text) {
            self.add(Reading::Nanoflake(id, NanoflakeText::Base36));
        }
    }

    fn kuids(&mut self, text: &[u8]) {
        use KuidAlphabet::{Sortable, Url};
        // Parsers report the reason a text is invalid, which costs time, so lengths are compared
        // first.
        macro_rules! in_both {
            ($id:ident, $reading:ident) => {
                for (id, alphabet) in
                    [($id::parse_bytes(text), Sortable), ($id::parse_url(text), Url)]
                {
                    id.into_iter().for_each(|id| self.add(Reading::$reading(id, alphabet)));
                }
            };
        }
        match text.len() {
            LocalId::TEXT_LEN => in_both!(LocalId, KuidLocal),
            GlobalId::TEXT_LEN => in_both!(GlobalId, KuidGlobal),
            WideGlobalId::TEXT_LEN => in_both!(WideGlobalId, KuidWide),
            _ => {}
        }
    }

    /// Adds the readings as decimal integers, which do not identify their system.
    fn decimals(&mut self, text: &[u8]) {
        if !text.first().is_some_and(u8::is_ascii_digit) {
            return;
        }
        let Ok(number) = decimal::decode(text, u64::MAX) else {
            return;
        };
        if let Ok(id) = NanoflakeId::try_from(number) {
            self.add(Reading::Nanoflake(id, NanoflakeText::Decimal));
            if self.layouts.epoch != Epoch::TWITTER {
                self.add(Reading::Twitter(Twitter(number)));
            }
        }
        if self.layouts.epoch != Epoch::DISCORD || number >> 63 == 1 {
            self.add(Reading::Discord(Discord(number)));
        }
        self.add(Reading::Instagram(Instagram(number)));
        self.add(Reading::Mastodon(Mastodon(number)));
    }

    fn uuids(&mut self, text: &[u8]) {
        // From 32 hexadecimal digits to a URN.
        if !(32..=45).contains(&text.len()) {
            return;
        }
        if let Ok(uuid) = Uuid::try_parse_ascii(text) {
            if let Ok(id) = carry::from_uuid(uuid, self.layouts) {
                self.add(Reading::Carried(id));
            }
            self.add(Reading::Uuid(uuid));
        }
    }

    fn named(&mut self, text: &[u8]) {
        if let Some(time) = named::ulid_time(text) {
            self.add(Reading::Ulid { time });
        }
        if let Some(time) = named::ksuid_time(text) {
            self.add(Reading::Ksuid { time });
        }
    }
}
