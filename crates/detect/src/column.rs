//! Lines of one column, which decide together what one number cannot.

use tickid_convert::{Layouts, Parts, ToParts as _};
use tickid_core::{Clock, UnixTime};

use crate::confidence::Doubt;
use crate::detect::detect;
use crate::detector::{Detector, Inspections};
use crate::formats::{Encoding, Format};
use crate::identifier::Identifier;
use crate::reading::{Reading, Readings};

/// The formats that the integers of a column agree on.
///
/// One integer of 18 digits may be the ID of several systems, or a number without a meaning. Ten
/// from one column tell more: as IDs their times lie together, and mostly their nodes as well,
/// while numbers without a meaning are spread over all times of a format. So a format is agreed on
/// if it explains all of them in at least 8 bits less than numbers do that are random or counted,
/// also behind digits that all of them share or behind a date, and no other format explains them
/// much better.
///
/// A column may stay ambiguous: Twitter's and Discord's Snowflakes have the same bits, and if the
/// bits below the time are random, they look the same in every format.
///
/// # Examples
/// ```
/// use tickid_detect::{Detector, Format};
///
/// let detector = Detector::default();
/// let column: Vec<String> =
///     (0..10_u64).map(|hour| (1_169_000_000_000_000_000 + hour * 15_099_494_409_167).to_string()).collect();
/// let agreement = detector.agreement(column.iter().map(String::as_bytes));
/// assert!(agreement.has(Format::Discord));
/// let found = detector.inspect(&column[0]).agreeing(&agreement);
/// assert!(found.readings().likely().any(|one| one.format() == Format::Discord));
///
/// // The same number of random ones.
/// let column = ["571840923817465501", "918273645546372819", "340928571102938475"];
/// assert!(detector.agreement(column.map(str::as_bytes)).is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Each with the bits that the best one saves compared to it. The first are `Some`.
    formats: [Option<(Format, u32)>; MAX_CANDIDATES],
    lines: usize,
}

/// The most formats that an integer is a candidate of.
const MAX_CANDIDATES: usize = 16;

/// The fewest lines that decide.
const MIN_LINES: usize = 3;
/// The most lines that are used. The more there are, the fewer bits the times must save in each.
const MAX_LINES: usize = 10;

/// The bits that a format must save.
const DECISIVE_BITS: f64 = 8.0;
/// The bits that it costs that a format is one of many, at some time in its life.
const FORMAT_BITS: f64 = 8.0;
/// The bits that it costs that numbers share their first digits.
const SHARED_BITS: f64 = 8.0;
/// The bits of a day as eight digits, and those of one in the 50 years of such days.
const DAY_DIGITS: u32 = 8;
const DAY_BITS: f64 = 17.0;
const BITS_PER_DIGIT: f64 = core::f64::consts::LOG2_10;

impl Agreement {
    /// Reports whether the column agrees on no format.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.formats[0].is_none()
    }

    /// Reports whether a format is one that the column agrees on.
    #[must_use]
    pub fn has(&self, format: Format) -> bool {
        self.cost(format).is_some()
    }

    /// Reports whether a text is an integer that may be an ID, but of none of these formats, so
    /// that it is not of this column, or the column has several.
    ///
    /// # Examples
    /// ```
    /// use tickid_detect::Detector;
    ///
    /// let detector = Detector::default();
    /// let id = |day: u64| (1_169_000_000_000_000_000 + day * 362_387_865_600_000).to_string();
    /// let column: Vec<String> = (0..10).map(id).collect();
    /// let agreement = detector.agreement(column.iter().map(String::as_bytes));
    /// let is_other = |text| agreement.is_contradicted_by(detector.inspect(text).readings());
    /// assert!(is_other("1763353455")); // a time
    /// assert!(!is_other(&column[0]) && !is_other("NULL") && !is_other("0u375nxqh5cq"));
    /// ```
    #[must_use]
    pub fn is_contradicted_by(&self, readings: &Readings) -> bool {
        let is_any = !self.is_none() && readings.iter().any(is_candidate);
        is_any && !readings.iter().any(|one| is_candidate(one) && self.has(one.format()))
    }

    /// Returns the number of lines that agree.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the bits that the best format saves compared to this one.
    fn cost(&self, format: Format) -> Option<u32> {
        let mut formats = self.formats.iter().flatten();
        formats.find(|(it, _)| *it == format).map(|(_, cost)| *cost)
    }

    /// Returns the agreement of texts, of which all but integers are passed over.
    fn of<'a>(texts: impl IntoIterator<Item = &'a [u8]>, layouts: &Layouts, now: UnixTime) -> Self {
        // The first lines.
        let mut numbers = [(0, 0); MAX_LINES];
        let mut readings = [const { None }; MAX_LINES];
        let mut lines = 0;
        for text in texts {
            let (Some(number), Some(read)) = (numbers.get_mut(lines), readings.get_mut(lines))
            else {
                break;
            };
            if let Some(digits) = digits(text) {
                *number = (digits, u32::try_from(text.len()).unwrap_or(u32::MAX));
                *read = Some(detect(text, layouts, Some(now)));
                lines += 1;
            }
        }
        let numbers = numbers.get(..lines).unwrap_or_default();
        let [Some(first), others @ ..] = &readings else { return Self::default() };
        if lines < MIN_LINES {
            return Self::default();
        }
        // What each format saves that fits them all.
        let chance = bits_of_numbers(numbers);
        let mut saved = [None; MAX_CANDIDATES];
        let fitting = first.iter().filter(|one| is_candidate(one));
        for (place, one) in saved.iter_mut().zip(fitting) {
            let mut spans = Spans::new(one, layouts);
            for other in others.iter().flatten() {
                let it = other.iter().find(|it| is_candidate(it) && is_same(it, one));
                spans = spans.and_then(|spans| spans.with(it?, layouts));
            }
            let bits = spans.and_then(|spans| spans.bits(one.format(), lines as u64, now));
            *place = bits.map(|bits| (one.format(), chance - bits));
        }
        // Those that are as good as the best one, up to some bits.
        let best = saved.iter().flatten().map(|(_, bits)| *bits).fold(0.0, f64::max);
        let mut agreement = Self { lines, ..Self::default() };
        let agreed = saved
            .iter()
            .flatten()
            .filter(|(_, bits)| *bits >= DECISIVE_BITS && *bits + DECISIVE_BITS > best);
        for (place, (format, bits)) in agreement.formats.iter_mut().zip(agreed) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8")]
            let cost = (best - bits) as u32;
            *place = Some((*format, cost));
        }
        agreement
    }

    /// Makes the readings that are agreed on likely, and the others of integers no more than
    /// possible.
    fn settle(&self, readings: &mut Readings) {
        let agreed = |one: &&Reading| is_candidate(one) && self.has(one.format());
        if self.is_none() || !readings.iter().any(|one| agreed(&one)) {
            return;
        }
        // The number itself may tell which one of them it is, as by a small sequence.
        let is_told = readings.likely().any(|one| agreed(&one));
        for one in readings.found_mut().filter(|one| is_candidate(one)) {
            match self.cost(one.format()) {
                Some(cost) if !is_told => (one.doubt, one.surprise) = (None, cost),
                Some(_) => {}
                None => one.doubt = one.doubt.or(Some(Doubt::Unexplained)),
            }
        }
        readings.settle();
    }
}

impl<C: Clock> Detector<C> {
    /// Returns the formats that the integers of a column agree on. Of all its lines, the first ten
    /// integers are used, and at least three are needed.
    pub fn agreement<'a>(&self, texts: impl IntoIterator<Item = &'a [u8]>) -> Agreement {
        let now = self.clock.now().ok();
        now.map_or_else(Agreement::default, |now| Agreement::of(texts, &self.layouts, now))
    }
}

impl Inspections<'_> {
    /// Returns the inspections of a text in a column with this agreement: the formats that the
    /// column agrees on are likely, and come first.
    #[must_use]
    pub fn agreeing(mut self, agreement: &Agreement) -> Self {
        agreement.settle(&mut self.readings);
        self
    }
}

/// Returns the number of an integer of the size of IDs.
fn digits(text: &[u8]) -> Option<u64> {
    let is_decimal =
        text.len() >= 10 && text.iter().all(u8::is_ascii_digit) && text.first() != Some(&b'0');
    str::from_utf8(text).ok().filter(|_| is_decimal)?.parse().ok()
}

/// Reports whether a reading is one that a column can speak for: an integer, of a time at which
/// such IDs were made.
fn is_candidate(one: &Reading) -> bool {
    use crate::notation::Notation;

    let is_integer = match one.identifier {
        Identifier::Preset(..) | Identifier::Mastodon(_) | Identifier::UnixTime(..) => true,
        Identifier::Scheme(id, notation) => {
            notation == Notation::Decimal
                || one.encoding == Encoding::Integer && id.kind().byte_len() == 8
        }
        _ => false,
    };
    is_integer && !matches!(one.doubt, Some(Doubt::Time | Doubt::NoClock | Doubt::NeverIssued))
}

/// Reports whether two readings are of one format; Unix times have a unit as well.
fn is_same(one: &Reading, other: &Reading) -> bool {
    one.format() == other.format()
        && match (one.identifier, other.identifier) {
            (Identifier::UnixTime(unit, _), Identifier::UnixTime(other, _)) => unit == other,
            _ => true,
        }
}

/// The lowest and the highest value of a part of IDs.
#[derive(Clone, Copy)]
struct Span {
    low: i64,
    high: i64,
    /// The width of the field.
    bits: u32,
}

impl Span {
    fn new(value: i64, bits: u32) -> Self {
        Self { low: value, high: value, bits }
    }

    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }

    /// Returns the bits of one of its values.
    fn each(self) -> f64 {
        log2(self.high.abs_diff(self.low).saturating_add(1))
    }

    /// Returns the bits of so many values of a field: by all of its bits, or by the ends of those
    /// that are used.
    fn field(self, lines: f64) -> f64 {
        let width = f64::from(self.bits);
        (lines * width).min(lines * self.each() + 2.0 * width)
    }
}

/// The spans of the parts of IDs.
#[derive(Clone, Copy)]
struct Spans {
    /// In ticks.
    time: Span,
    micros_per_tick: f64,
    node: Span,
    sequence: Span,
}

impl Spans {
    fn new(one: &Reading, layouts: &Layouts) -> Option<Self> {
        let time = one.time?.as_micros();
        if let Identifier::UnixTime(unit, number) = one.identifier {
            return Some(Self {
                time: Span::new(i64::try_from(number).ok()?, 0),
                micros_per_tick: 1_000_000.0 / float(unit.per_second()),
                node: Span::new(0, 0),
                sequence: Span::new(0, 0),
            });
        }
        let parts = one.identifier.parts(layouts).ok()?;
        let micros_per_tick = parts.scale().micros_per_tick();
        Some(Self {
            time: Span::new(time / i64::try_from(micros_per_tick).ok()?, 0),
            micros_per_tick: float(micros_per_tick),
            node: of_node(&parts),
            sequence: Span::new(
                i64::try_from(parts.sequence().value()).ok()?,
                parts.sequence().bits(),
            ),
        })
    }

    fn with(self, one: &Reading, layouts: &Layouts) -> Option<Self> {
        let other = Self::new(one, layouts)?;
        Some(Self {
            time: self.time.with(other.time),
            node: self.node.with(other.node),
            sequence: self.sequence.with(other.sequence),
            ..self
        })
    }

    /// Returns the bits that it takes to explain so many lines as IDs of the format: where in the
    /// format's life their times lie, and for each its time among them and its fields.
    fn bits(self, format: Format, lines: u64, now: UnixTime) -> Option<f64> {
        let prior = format.prior();
        let micros = now.as_micros().checked_sub(prior.since.as_micros())?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^63")]
        let life = log2((float(u64::try_from(micros).ok()?) / self.micros_per_tick) as u64);
        let lines = float(lines);
        let each = self.time.each();
        let place = (life - each).max(0.0);
        let fields = self.node.field(lines) + self.sequence.field(lines);
        Some(FORMAT_BITS + f64::from(prior.rarity) + place + lines * each + fields)
    }
}

fn of_node(parts: &Parts) -> Span {
    parts.node().map_or(Span::new(0, 0), |node| {
        Span::new(i64::try_from(node.value()).unwrap_or(i64::MAX), node.bits())
    })
}

/// Returns the bits that it takes to explain numbers, each with how many digits it has, that have
/// no meaning: as random digits, or counted from some number, or as random ones behind some that
/// all of them share, or behind a day.
fn bits_of_numbers(numbers: &[(u64, u32)]) -> f64 {
    let lines = float(numbers.len() as u64);
    let random = |digits: u32| f64::from(digits) * BITS_PER_DIGIT - log2(10) + log2(9);
    let mut least: f64 = numbers.iter().map(|(_, digits)| random(*digits)).sum();
    let Some((first, digits)) = numbers.first().copied() else { return 0.0 };
    // Counted from one of them.
    let (low, high) = numbers
        .iter()
        .fold((first, first), |(low, high), (number, _)| (low.min(*number), high.max(*number)));
    least = least.min(random(digits) + lines * log2((high - low).saturating_add(1)));
    if numbers.iter().any(|(_, other)| *other != digits) {
        return least;
    }
    for shared in 1..digits {
        let rest = digits - shared;
        let head = |number: u64| number / 10_u64.pow(rest);
        if numbers.iter().any(|(number, _)| head(*number) != head(first)) {
            break;
        }
        least = least.min(SHARED_BITS + random(shared) + lines * f64::from(rest) * BITS_PER_DIGIT);
    }
    if let Some(rest) = digits.checked_sub(DAY_DIGITS) {
        let days = numbers.iter().map(|(number, _)| day(number / 10_u64.pow(rest)));
        let days = days.map(|day| day.map(|day| Span::new(day, 0)));
        let span = days.reduce(|one, other| Some(one?.with(other?))).flatten();
        if let Some(span) = span {
            let each = span.each() + f64::from(rest) * BITS_PER_DIGIT;
            least = least.min(DAY_BITS + lines * each);
        }
    }
    least
}

/// Returns the number of a day that is written as eight digits, of 1990 to 2039.
fn day(digits: u64) -> Option<i64> {
    let (year, month, day) = (digits / 10_000, digits / 100 % 100, digits % 100);
    let is_day =
        (1_990..=2_039).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    // Months of 31 days are as good as any.
    is_day.then_some(i64::try_from((year * 12 + month) * 31 + day).ok()?)
}

/// Returns a number, the low bits of which do not matter.
#[allow(clippy::cast_precision_loss, reason = "less than the error of logarithms here")]
const fn float(number: u64) -> f64 {
    number as f64
}

/// Returns the binary logarithm of a number, of 0 as of 1, with an error of less than 0.01.
fn log2(number: u64) -> f64 {
    let whole = number.max(1).ilog2();
    // From 0 to 1, as its logarithm, which is above it by about a third of the distance to both.
    let rest = float(number.max(1)) / float(1 << whole) - 1.0;
    f64::from(whole) + rest + 0.3437 * rest * (1.0 - rest)
}
