//! Lines of one column, which decide together what one number cannot.

use tickid_convert::{Layouts, Parts, ToParts as _};
use tickid_core::{Clock, UnixTime};

use crate::confidence::Doubt;
use crate::detect::detect;
use crate::detector::{Detector, Inspections};
use crate::evidence::surprise;
use crate::false_positives::{self, KIND_BITS};
use crate::formats::Format;
use crate::identifier::Identifier;
use crate::reading::{Reading, Readings};

/// The formats that the integers of a column agree on.
///
/// One integer of 18 digits may be the ID of several systems, or a number without a meaning. Ten
/// from one column say more, because the evidence for each of them adds up. Besides, the times of
/// IDs lie close together, and mostly their nodes as well, while numbers without a meaning are
/// spread over all times of a format.
///
/// So the column agrees on a format if two things hold. The format explains all of them in at least
/// 8 bits less than numbers without a meaning would take, which makes it 256 times as probable, and
/// no other format explains them much better. Numbers without a meaning may be random or counted,
/// they may start with a date or with digits that all of them share, or they may be of a different
/// kind, such as Steam accounts.
///
/// A column may stay ambiguous. For example, Twitter's and Discord's Snowflakes have the same bits,
/// and if the bits below the time are random, they look the same in every format.
///
/// [`Detector::agreement`] computes an agreement, and [`Inspections::agree`] applies it to a line.
///
/// # Examples
/// ```
/// use tickid_detect::{Detector, Format};
///
/// let detector = Detector::default();
/// let id = |hour: u64| (1_169_000_000_000_000_000 + hour * 15_099_494_409_167).to_string();
/// let column: Vec<String> = (0..10).map(id).collect();
/// let mut agreement = detector.agreement(column.iter().map(String::as_bytes));
/// assert!(agreement.has(Format::Discord));
/// let mut found = detector.inspect(&column[0]);
/// found.agree(&mut agreement);
/// assert!(found.readings().likely().any(|one| one.format() == Format::Discord));
///
/// // The same number of random ones.
/// let column = ["571840923817465501", "918273645546372819", "340928571102938475"];
/// assert!(detector.agreement(column.map(str::as_bytes)).is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Each with the bits that the best one saves compared to it. `None` comes after all of them.
    formats: [Option<(Format, u32)>; MAX_CANDIDATES],
    lines: usize,
}

/// The largest number of formats that one integer can fit.
const MAX_CANDIDATES: usize = 16;

/// The fewest lines that decide.
const MIN_LINES: usize = 3;
/// The most lines that are used. The more there are, the fewer bits the times must save in each.
const MAX_LINES: usize = 10;

/// The bits that a format must save.
const DECISIVE_BITS: f64 = 8.0;
/// The cost of picking one format of many, at some time in its life.
const FORMAT_BITS: f64 = 8.0;
/// The cost of assuming that numbers share their first digits.
const SHARED_BITS: f64 = 8.0;
/// The number of digits of a day, as in 20240301.
const DAY_DIGITS: u32 = 8;
/// The cost of assuming that numbers start with a day, and of the first one among 50 years.
const DAY_BITS: f64 = 17.0;
const BITS_PER_DIGIT: f64 = core::f64::consts::LOG2_10;

impl Agreement {
    /// Reports whether the column agrees on no format.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.formats[0].is_none()
    }

    /// Reports whether a format is one that the column agrees on. There may be several.
    #[must_use]
    pub fn has(&self, format: Format) -> bool {
        self.cost(format).is_some()
    }

    /// Returns the number of integers that were weighed, from three to ten, or 0 if the column had
    /// fewer.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the bits that the best format saves compared to this one.
    fn cost(&self, format: Format) -> Option<u32> {
        // The first are `Some`.
        let mut formats = self.formats.iter().map_while(|format| *format);
        formats.find(|(it, _)| *it == format).map(|(_, cost)| cost)
    }

    /// Returns the agreement of texts. Those that are not integers are skipped.
    fn of<'a>(texts: impl IntoIterator<Item = &'a [u8]>, layouts: &Layouts, now: UnixTime) -> Self {
        // The first lines.
        let mut numbers = [ColumnNumber::default(); MAX_LINES];
        let mut readings = [const { None }; MAX_LINES];
        let mut lines = 0;
        for text in texts {
            let (Some(number), Some(read)) = (numbers.get_mut(lines), readings.get_mut(lines))
            else {
                break;
            };
            if let Some(digits) = ColumnNumber::read(text) {
                *number = digits;
                *read = Some(detect(text, layouts, Some(now)));
                lines += 1;
            }
        }
        let numbers = numbers.get(..lines).unwrap_or_default();
        let [Some(first), others @ ..] = &readings else { return Self::default() };
        if lines < MIN_LINES {
            return Self::default();
        }
        // The bits saved by each format that fits all of them.
        let chance = bits_of_numbers(numbers);
        let mut saved = [None; MAX_CANDIDATES];
        let fitting = first.iter().filter(|one| is_candidate(one));
        for (place, one) in saved.iter_mut().zip(fitting) {
            let mut parts = ColumnParts::new(one, layouts, now);
            for other in others.iter().flatten() {
                let it = other.iter().find(|it| is_candidate(it) && it.format() == one.format());
                parts = parts.and_then(|parts| parts.with(it?, layouts, now));
            }
            let bits = parts.and_then(|parts| parts.bits(one.format(), lines as u64, now));
            *place = bits.map(|bits| (one.format(), chance - bits));
        }
        // Keep the best format, and those within a few bits of it.
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
    fn settle(&mut self, readings: &mut Readings) {
        if self.is_none() {
            return;
        }
        // The number itself may decide between them, for example by a small sequence.
        let (mut is_any, mut is_agreed, mut is_told) = (false, false, false);
        for one in readings.found().filter(|one| is_candidate(one)) {
            let agrees = self.has(one.format());
            is_any = true;
            is_agreed |= agrees;
            // Nearly all integers of 19 digits are a time of these years in nanoseconds as well, so
            // that one says nothing against IDs that the column agrees on.
            is_told |= agrees && one.doubt.is_none() && one.format() != Format::UnixTime;
        }
        // Lines of several systems do not decide for each other.
        if is_any && !is_agreed {
            *self = Self::default();
        }
        if !is_agreed {
            return;
        }
        let mut is_changed = false;
        for one in readings.found_mut().filter(|one| is_candidate(one)) {
            let doubt = one.format().prior().doubt;
            let (doubt, surprise) = match self.cost(one.format()) {
                Some(cost) if !is_told => (doubt, cost),
                Some(_) => continue,
                None => (one.doubt.or(Some(Doubt::Unexplained)), one.surprise),
            };
            is_changed |= (doubt, surprise) != (one.doubt, one.surprise);
            (one.doubt, one.surprise) = (doubt, surprise);
        }
        if is_changed {
            readings.settle();
        }
    }
}

impl<C: Clock> Detector<C> {
    /// Returns the formats that the integers of a column agree on. Of all its lines, the first ten
    /// integers are used, and at least three are needed. Lines without an integer of at least ten
    /// digits, such as a title or `NULL`, are skipped. If the clock fails, there is no agreement.
    pub fn agreement<'a>(&self, texts: impl IntoIterator<Item = &'a [u8]>) -> Agreement {
        let now = self.clock.now().ok();
        now.map_or_else(Agreement::default, |now| Agreement::of(texts, &self.layouts, now))
    }
}

impl Inspections<'_> {
    /// Applies the agreement of the column that this text is from. The agreed formats become likely
    /// and come first, unless the integer by itself already decides between them, and its other
    /// readings as an integer become no more than possible.
    ///
    /// Call it for the lines in turn. An integer that may be an ID, but in none of these formats,
    /// ends the agreement, because the column then has several formats.
    ///
    /// # Examples
    /// ```
    /// use tickid_detect::Detector;
    ///
    /// let detector = Detector::default();
    /// let id = |day: u64| (1_169_000_000_000_000_000 + day * 362_387_865_600_000).to_string();
    /// let column: Vec<String> = (0..10).map(id).collect();
    /// let mut agreement = detector.agreement(column.iter().map(String::as_bytes));
    /// for text in [&column[0], "NULL", "0u375nxqh5cq"] {
    ///     detector.inspect(text).agree(&mut agreement);
    ///     assert!(!agreement.is_none());
    /// }
    /// detector.inspect("1763353455").agree(&mut agreement); // a time
    /// assert!(agreement.is_none());
    /// ```
    pub fn agree(&mut self, agreement: &mut Agreement) {
        agreement.settle(&mut self.readings);
    }
}

/// An integer of the size of IDs.
#[derive(Clone, Copy, Default)]
struct ColumnNumber {
    value: u64,
    digits: u32,
    /// Its bits among the numbers of a different kind, such as Steam accounts, if it is one.
    other: Option<u32>,
}

impl ColumnNumber {
    fn read(text: &[u8]) -> Option<Self> {
        let is_decimal =
            text.len() >= 10 && text.iter().all(u8::is_ascii_digit) && text.first() != Some(&b'0');
        let value: u64 = str::from_utf8(text).ok().filter(|_| is_decimal)?.parse().ok()?;
        let (bits, doubt) = false_positives::number(text, value.into());
        let other = (doubt == Doubt::OtherNumber).then_some(bits - KIND_BITS);
        Some(Self { value, digits: u32::try_from(text.len()).ok()?, other })
    }

    /// Returns its bits if its digits are random.
    fn random(self) -> f64 {
        random(self.digits)
    }
}

fn random(digits: u32) -> f64 {
    f64::from(digits) * BITS_PER_DIGIT - log2(10) + log2(9)
}

/// Reports whether a column can be evidence for a reading. It must be an integer with a time when
/// such IDs were made.
fn is_candidate(one: &Reading) -> bool {
    let is_integer = match one.identifier {
        Identifier::Preset(..) | Identifier::Mastodon(_) | Identifier::UnixTime(..) => true,
        Identifier::Foreign(id) => id.is_decimal(),
        Identifier::Scheme(id) => one.form.is_integer() && id.kind().byte_len() == 8,
        Identifier::KuidWide(_)
        | Identifier::Carried(_)
        | Identifier::Uuid(_)
        | Identifier::TypeId { .. } => false,
    };
    is_integer && !matches!(one.doubt, Some(Doubt::Time | Doubt::NoClock | Doubt::NeverIssued))
}

/// The lowest and the highest value of a part of IDs.
#[derive(Clone, Copy)]
struct Extent {
    low: i64,
    high: i64,
    /// The width of the field.
    bits: u32,
}

impl Extent {
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

    /// Returns the bits of so many values of a field. These are all bits of each value or, if that
    /// takes less, the two ends of the span and the place of each value in between.
    fn field(self, lines: f64) -> f64 {
        let width = f64::from(self.bits);
        (lines * width).min(lines * self.each() + 2.0 * width)
    }
}

/// The parts of the IDs of a column.
#[derive(Clone, Copy)]
struct ColumnParts {
    /// In ticks.
    time: Extent,
    micros_per_tick: f64,
    /// The fields, if the format has a node and a sequence.
    fields: Option<[Extent; 2]>,
    /// The bits of each ID's fields by themselves, added up.
    own_fields: u32,
}

impl ColumnParts {
    fn new(one: &Reading, layouts: &Layouts, now: UnixTime) -> Option<Self> {
        #[allow(clippy::cast_possible_truncation, reason = "ticks of all times fit")]
        let ticks = |unit: f64| Some((float(one.time?.as_micros().unsigned_abs()) / unit) as i64);
        let (micros_per_tick, ticks, fields) = match one.identifier {
            Identifier::UnixTime(unit, number) => {
                let unit = 1_000_000.0 / float(unit.per_second());
                (unit, i64::try_from(number).ok()?, None)
            }
            Identifier::Foreign(id) => {
                let unit = f64::from(id.description()?.unit);
                (unit, ticks(unit)?, None)
            }
            _ => {
                let parts = one.identifier.parts(layouts).ok()?;
                let unit = float(parts.scale().micros_per_tick());
                (unit, ticks(unit)?, Some([of_node(&parts), of_sequence(&parts)]))
            }
        };
        let own = surprise(&one.identifier, one.form, layouts, now);
        Some(Self { time: Extent::new(ticks, 0), micros_per_tick, fields, own_fields: own.fields })
    }

    fn with(self, one: &Reading, layouts: &Layouts, now: UnixTime) -> Option<Self> {
        let other = Self::new(one, layouts, now)?;
        let fields = self.fields.zip(other.fields);
        Some(Self {
            time: self.time.with(other.time),
            fields: fields.map(|([a, b], [c, d])| [a.with(c), b.with(d)]),
            own_fields: self.own_fields.saturating_add(other.own_fields),
            ..self
        })
    }

    /// Returns the bits that it takes to explain so many lines as IDs of the format. For the times,
    /// these are their place in the format's life and the place of each among them. For the fields,
    /// they are the ends of the values in use, or what each ID's fields take by themselves if that
    /// is less.
    fn bits(self, format: Format, lines: u64, now: UnixTime) -> Option<f64> {
        let prior = format.prior();
        let micros = now.as_micros().checked_sub(prior.since.as_micros())?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^63")]
        let life = log2((float(u64::try_from(micros).ok()?) / self.micros_per_tick) as u64);
        let lines = float(lines);
        let each = self.time.each();
        let together = (life - each).max(0.0) + lines * each;
        let rarity = f64::from(prior.rarity);
        // The format is as rare for all lines as for one.
        let own = f64::from(self.own_fields) - lines * rarity;
        let fields = self
            .fields
            .map_or(own, |spans| spans.iter().map(|span| span.field(lines)).sum::<f64>().min(own));
        Some(FORMAT_BITS + rarity + together + fields)
    }
}

fn of_node(parts: &Parts) -> Extent {
    parts.node().map_or(Extent::new(0, 0), |node| {
        Extent::new(i64::try_from(node.value()).unwrap_or(i64::MAX), node.bits())
    })
}

fn of_sequence(parts: &Parts) -> Extent {
    let sequence = parts.sequence();
    Extent::new(i64::try_from(sequence.value()).unwrap_or(i64::MAX), sequence.bits())
}

/// Returns the bits that explain numbers without a meaning. The best explanation counts. It may be
/// random digits, numbers of one other kind, a count from some number, or random digits after a
/// prefix or a day that all of them share.
fn bits_of_numbers(numbers: &[ColumnNumber]) -> f64 {
    let lines = float(numbers.len() as u64);
    let Some(&ColumnNumber { value, digits, .. }) = numbers.first() else { return 0.0 };
    let mut least: f64 = numbers.iter().map(|number| number.random()).sum();
    // All of one kind, or none.
    let others: Option<u32> = numbers.iter().map(|number| number.other).sum();
    least = others.map_or(least, |others| least.min(f64::from(KIND_BITS + others)));
    // Counted from one of them.
    let (low, high) = numbers.iter().fold((value, value), |(low, high), number| {
        (low.min(number.value), high.max(number.value))
    });
    least = least.min(random(digits) + lines * log2((high - low).saturating_add(1)));
    if numbers.iter().any(|number| number.digits != digits) {
        return least;
    }
    // Behind digits that all of them share.
    for shared in 1..digits {
        let rest = digits - shared;
        let head = |number: u64| number / 10_u64.pow(rest);
        if numbers.iter().any(|number| head(number.value) != head(value)) {
            break;
        }
        least = least.min(SHARED_BITS + random(shared) + lines * f64::from(rest) * BITS_PER_DIGIT);
    }
    // Behind days.
    if let Some(rest) = digits.checked_sub(DAY_DIGITS) {
        let days = numbers.iter().map(|number| day(number.value / 10_u64.pow(rest)));
        let days = days.map(|day| day.map(|day| Extent::new(day, 0)));
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
    // Every month may have 31 days here, because only the distance of days matters.
    is_day.then_some(i64::try_from((year * 12 + month) * 31 + day).ok()?)
}

/// Converts a number whose low bits do not matter.
#[allow(clippy::cast_precision_loss, reason = "less than the error of logarithms here")]
const fn float(number: u64) -> f64 {
    number as f64
}

/// Returns the binary logarithm of a number, with an error of less than 0.01, and 0 for 0.
fn log2(number: u64) -> f64 {
    let whole = number.max(1).ilog2();
    // A line from one power of two to the next lies below the logarithm, most in the middle, so
    // a parabola corrects it.
    let rest = float(number.max(1)) / float(1 << whole) - 1.0;
    f64::from(whole) + rest + 0.3437 * rest * (1.0 - rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1990_to_2039() {
        for (from, to, distance) in [
            (20_240_131, 20_240_201, 1),
            (20_231_231, 20_240_101, 1),
            (20_240_115, 20_240_215, 31),
            (19_900_101, 20_391_231, 50 * 12 * 31 - 1),
        ] {
            let days = day(from).zip(day(to)).map(|(from, to)| to - from);
            assert_eq!(days, Some(distance), "{from} to {to}");
        }
        for other in [19_891_231, 20_400_101, 20_240_001, 20_241_301, 20_240_100, 20_240_132] {
            assert_eq!(day(other), None, "{other}");
        }
    }

    /// The bits are computed by hand: 3.32 for a digit, and 0.15 less for a first one.
    #[test]
    fn numbers_without_a_meaning_take_the_least_bits() {
        for (kind, column, expected) in [
            (
                "random",
                ["571840923817465501", "918273645546372819", "340928571102938475"],
                3.0 * 59.64,
            ),
            // A Steam account has 32 bits.
            (
                "of one kind",
                ["76561197960265801", "76561198960265802", "76561200960265803"],
                3.0 + 3.0 * 32.0,
            ),
            (
                "counted",
                ["571840923817465501", "571840923817465507", "571840923817465508"],
                59.64 + 3.0 * 3.0,
            ),
            (
                "ten digits shared",
                ["571840923899999999", "571840923817465507", "571840923800000001"],
                8.0 + 33.07 + 3.0 * 8.0 * 3.322,
            ),
            (
                "after one of four days",
                ["2024013147381902", "2024020381746550", "2024020109182736"],
                17.0 + 3.0 * (2.0 + 8.0 * 3.322),
            ),
        ] {
            let numbers = column.map(|text| ColumnNumber::read(text.as_bytes()).unwrap());
            let bits = bits_of_numbers(&numbers);
            assert!((bits - expected).abs() < 0.1, "{kind}: {bits}, and not {expected}");
        }
    }

    #[test]
    fn fields_take_all_bits_or_their_ends() {
        for (low, high, expected) in
            [(3, 3, 2.0 * 10.0), (3, 6, 10.0 * 2.0 + 2.0 * 10.0), (0, 1_023, 10.0 * 10.0)]
        {
            let bits = Extent { low, high, bits: 10 }.field(10.0);
            assert!((bits - expected).abs() < 0.1, "{low} to {high}: {bits}");
        }
    }
}
