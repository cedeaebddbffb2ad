//! Lines of one column, which decide together what one number cannot.

use tickid_convert::{Bits, Settings, ToParts as _};
use tickid_core::{Clock, UnixTime};
use tickid_snowflake::Preset;

use crate::confidence::Doubt;
use crate::detect::detect;
use crate::detector::{Detector, Inspections};
use crate::evidence::{small, surprise};
use crate::false_positives::{self, KIND_BITS};
use crate::formats::{Description, Format, value};
use crate::identifier::Identifier;
use crate::reading::{Reading, Readings};
use crate::wide_column::{MAX_LINES, MIN_LINES, Verdict, WideTexts};

/// The formats that the integers of a column agree on, or its UUIDs without hyphens.
///
/// One integer of 18 digits may be the ID of several systems, or a number without a meaning. Ten
/// from one column say more, because the evidence for each of them adds up. Besides, the times of
/// IDs lie close together, and mostly their nodes as well, while numbers without a meaning are
/// spread over all times of a format.
///
/// So the column agrees on a format if two things hold. The format explains all of them in at least
/// 8 bits less than numbers without a meaning would take, which makes it 256 times as probable, and
/// no other format explains them much better. A format that most of the integers are likely of by
/// themselves is agreed on as well, behind those. IDs of one burst differ in their sequence only,
/// and so do counted numbers, so these agree on what the first of them is likely of. Numbers without a meaning may be random or counted,
/// they may start with a date or with digits that all of them share, or they may be of a different
/// kind, such as Steam accounts.
///
/// A column may stay ambiguous. For example, Twitter's and Discord's Snowflakes have the same bits,
/// and if the bits below the time are random, they look the same in every format.
///
/// Texts of 128 bits without hyphens, in hexadecimal or as literals of bytes, are UUIDs if three or
/// more of the first ten are of the same version 3, 4 or 5, and no others are among them. If they
/// are mixed, none of these is a UUID: one in 64 hashes has the bits of a version by chance. If most
/// texts of 128 bits may be ULIDs, with hyphens or without, they are, unless all of these have the
/// version of a UUID. Three or more UUIDs with hyphens and a version are no ULIDs.
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
    /// The best one, if it is modest and the column decides for it. By itself, no line does.
    decided: Option<Format>,
    /// The number of integers.
    lines: usize,
    wide: Verdict,
}

/// The largest number of formats that one integer can fit.
const MAX_CANDIDATES: usize = 17;

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
/// The cost from which on a format explains a column much worse than the best one.
const MAX_COST: u32 = 8;
const BITS_PER_DIGIT: f64 = core::f64::consts::LOG2_10;

impl Agreement {
    /// Reports whether the column agrees on no format.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.formats[0].is_none() && self.wide.format().is_none()
    }

    /// Reports whether a format is one that the column agrees on. There may be several.
    #[must_use]
    pub fn has(&self, format: Format) -> bool {
        self.cost(format).is_some() || self.wide.format() == Some(format)
    }

    /// Returns the number of integers that were weighed, from three to ten, or that of the texts of
    /// 128 bits that are alike. It is 0 if the column had fewer.
    #[must_use]
    pub const fn lines(&self) -> usize {
        if self.formats[0].is_none() && self.wide.lines() > 0 {
            self.wide.lines()
        } else {
            self.lines
        }
    }

    /// Returns the bits that the best format saves compared to this one.
    fn cost(&self, format: Format) -> Option<u32> {
        // The first are `Some`.
        let mut formats = self.formats.iter().map_while(|format| *format);
        formats.find(|(it, _)| *it == format).map(|(_, cost)| cost)
    }

    /// Returns the agreement of texts. Those that are neither integers nor 16 bytes are skipped.
    fn of<'a>(
        texts: impl IntoIterator<Item = &'a [u8]>,
        settings: &Settings,
        now: UnixTime,
    ) -> Self {
        // The first lines.
        let mut numbers = [ColumnNumber::default(); MAX_LINES];
        let mut readings = [const { None }; MAX_LINES];
        let mut lines = 0;
        let mut wide = WideTexts::default();
        for text in texts {
            let (Some(number), Some(read)) = (numbers.get_mut(lines), readings.get_mut(lines))
            else {
                break;
            };
            if let Some(digits) = ColumnNumber::read(text) {
                *number = digits;
                *read = Some(detect(text, settings, Some(now)));
                lines += 1;
            } else {
                wide.add(text, settings, now);
            }
        }
        let none = Self { wide: wide.verdict(), ..Self::default() };
        let numbers = numbers.get(..lines).unwrap_or_default();
        let [Some(first), others @ ..] = &readings else { return none };
        if lines < MIN_LINES {
            return none;
        }
        // The bits saved by each format that fits all of them.
        let chance = bits_of_numbers(numbers);
        let are_distinct = numbers
            .iter()
            .enumerate()
            .all(|(place, one)| numbers.iter().take(place).all(|other| other.value != one.value));
        let mut saved = [None; MAX_CANDIDATES];
        let fitting = first.iter().filter(|one| is_candidate(one));
        for (place, one) in saved.iter_mut().zip(fitting) {
            let mut parts = ColumnParts::new(one, settings, now);
            for other in others.iter().flatten() {
                let it = other.iter().find(|it| is_candidate(it) && it.format() == one.format());
                parts = parts.and_then(|parts| parts.with(it?, settings, now));
            }
            let bits = parts.and_then(|parts| parts.bits(one.format(), lines as u64, now));
            *place = parts.zip(bits).map(|(parts, bits)| {
                // The fields of a modest one speak for it only if they are constant.
                let is_mute = one.format().prior().is_modest && !parts.is_constant();
                (one.format(), parts, if is_mute { 0.0 } else { chance - bits })
            });
        }
        // Keep the best format, those within a few bits of it, and those that most lines have by
        // themselves.
        let best = saved.iter().flatten().map(|(.., bits)| *bits).fold(0.0, f64::max);
        let mut agreement = Self { lines, ..none };
        let is_agreed = |(_, parts, bits): &(Format, ColumnParts, f64)| {
            let is_best = *bits >= DECISIVE_BITS && *bits + DECISIVE_BITS > best;
            let is_told = best >= DECISIVE_BITS && 2 * parts.likely > lines;
            is_best || is_told || (are_distinct && parts.are_burst())
        };
        let agreed = saved.iter().flatten().filter_map(|one| {
            // A format whose IDs look like more frequent ones is named beside these, and never
            // explains them better.
            let front = saved.iter().flatten().find(|(it, ..)| Some(*it) == one.0.prior().behind);
            match front.filter(|front| is_agreed(front)) {
                Some((.., bits)) => Some((one.0, &one.1, *bits)),
                None => is_agreed(one).then_some((one.0, &one.1, one.2)),
            }
        });
        for (place, (format, parts, bits)) in agreement.formats.iter_mut().zip(agreed) {
            // A burst takes about as many bits as counted numbers.
            let bits = if best < DECISIVE_BITS { best } else { bits };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 on")]
            let cost = (best - bits) as u32;
            *place = Some((format, cost));
            if format.prior().is_modest && parts.is_constant() && bits >= best {
                agreement.decided = Some(format);
            }
        }
        agreement
    }

    /// Leaves out the formats that are named beside a more frequent one, if a line does not fit them.
    fn leave_out(&mut self, readings: &Readings) {
        let fits = |(format, _): &(Format, u32)| {
            let is_it = |one: &Reading| is_candidate(one) && one.format() == *format;
            format.prior().behind.is_none() || readings.weighed().any(is_it)
        };
        let mut kept = [None; MAX_CANDIDATES];
        let formats = self.formats.iter().map_while(|format| *format).filter(fits);
        kept.iter_mut().zip(formats).for_each(|(to, format)| *to = Some(format));
        self.formats = kept;
    }

    /// Returns the format that is named beside a more frequent one, of which the line is likely, and
    /// the bits that put it behind.
    fn behind(&self, readings: &Readings) -> Option<(Format, u32)> {
        let mut formats = self.formats.iter().map_while(|format| *format);
        formats.find_map(|(format, _)| {
            let front = format.prior().behind?;
            let mut likely = readings.weighed().filter(|one| one.doubt.is_none());
            let front = likely.find(|one| is_candidate(one) && one.format() == front)?;
            Some((format, front.surprise.saturating_add(1)))
        })
    }

    /// Makes the readings that are agreed on likely, and the others of integers no more than
    /// possible.
    fn settle(&mut self, readings: &mut Readings) {
        self.wide.settle(readings);
        if self.formats[0].is_none() {
            return;
        }
        // The number itself may decide between them, for example by a small sequence.
        let (mut is_any, mut is_agreed, mut is_told) = (false, false, false);
        for one in readings.weighed().filter(|one| is_candidate(one)) {
            let cost = self.cost(one.format());
            is_any = true;
            is_agreed |= cost.is_some();
            // Nearly all integers of 19 digits are a time of these years in nanoseconds as well, so
            // that one says nothing against IDs that the column agrees on.
            is_told |= cost.is_some_and(|cost| cost < MAX_COST)
                && one.doubt.is_none()
                && one.format() != Format::UnixTime;
        }
        // Lines of several systems do not decide for each other.
        if is_any && !is_agreed {
            *self = Self { wide: self.wide, ..Self::default() };
        }
        if !is_agreed {
            return;
        }
        self.leave_out(readings);
        let behind = self.behind(readings).filter(|_| is_told);
        let mut is_changed = false;
        readings.change_weighed(|one| {
            if !is_candidate(one) {
                return;
            }
            let doubt = one.format().prior().doubt;
            let (doubt, surprise) = match self.cost(one.format()) {
                // Behind those that explain the column much better, and as likely as by itself.
                Some(cost @ MAX_COST..) => (one.doubt, one.surprise.saturating_add(cost)),
                Some(cost) if !is_told => (doubt, cost),
                Some(_) if self.decided == Some(one.format()) => (doubt, 0),
                Some(_) if behind.is_some_and(|(format, _)| format == one.format()) => {
                    (doubt, behind.map_or(0, |(_, surprise)| surprise))
                }
                Some(_) => return,
                None => (one.doubt.or(Some(Doubt::Unexplained)), one.surprise),
            };
            is_changed |= (doubt, surprise) != (one.doubt, one.surprise);
            (one.doubt, one.surprise) = (doubt, surprise);
        });
        if is_changed {
            readings.settle();
        }
    }
}

impl<C: Clock> Detector<C> {
    /// Returns the formats that the integers of a column agree on, or its texts of 128 bits. Of all
    /// its lines, the first ten of each are used, and at least three are needed. Lines without an
    /// integer of at least ten digits or 16 bytes, such as a title or `NULL`, are skipped. If the
    /// clock fails, there is no agreement.
    pub fn agreement<'a>(&self, texts: impl IntoIterator<Item = &'a [u8]>) -> Agreement {
        let now = self.clock.now().ok();
        now.map_or_else(Agreement::default, |now| Agreement::of(texts, &self.settings, now))
    }
}

impl Inspections<'_> {
    /// Applies the agreement of the column that this text is from. The agreed formats become likely
    /// and come first, unless the integer by itself already decides between them, and its other
    /// readings as an integer become no more than possible.
    ///
    /// Call it for the lines in turn. An integer that may be an ID, but in none of these formats,
    /// ends the agreement, because the column then has several formats, and so does a text of 128
    /// bits that is no UUID of the column's version, or no ULID.
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
        // A text.
        Identifier::Preset(Preset::Tsid, _) => false,
        id if id.is_outdated() => false,
        Identifier::Preset(..) | Identifier::Mastodon(_) | Identifier::UnixTime(..) => true,
        Identifier::Foreign(id) => id.is_decimal(),
        Identifier::Scheme(id) => one.form.is_integer() && id.kind().byte_len() == 8,
        Identifier::KuidWide(_)
        | Identifier::Carried(_)
        | Identifier::Uuid(_)
        | Identifier::TypeId { .. } => false,
    };
    is_integer && one.doubt.is_none_or(|doubt| doubt.is_weighed() && doubt != Doubt::NoClock)
}

/// The lowest and the highest value of a part of IDs.
#[derive(Clone, Copy)]
struct Extent {
    low: i64,
    high: i64,
    /// The width of the field.
    bits: u32,
    /// Set if its values count from 0, so that low ones are likelier.
    is_counted: bool,
    /// Set if these are sequences of which each is the one before and 1, as within a tick.
    is_run: bool,
}

impl Extent {
    const NONE: Self = Self::new(0, 0);

    const fn new(value: i64, bits: u32) -> Self {
        Self { low: value, high: value, bits, is_counted: false, is_run: false }
    }

    fn of(bits: Bits, is_counted: bool) -> Self {
        let value = i64::try_from(bits.value()).unwrap_or(i64::MAX);
        Self { is_counted, ..Self::new(value, bits.bits()) }
    }

    fn with(self, other: Self) -> Self {
        let is_run = self.is_run && self.high.checked_add(1) == Some(other.low);
        Self { low: self.low.min(other.low), high: self.high.max(other.high), is_run, ..self }
    }

    const fn is_same(&self) -> bool {
        self.low == self.high
    }

    /// Returns the bits of one of its values.
    fn each(self) -> f64 {
        log2(self.high.abs_diff(self.low).saturating_add(1))
    }

    /// Returns the bits of so many values of a field. These are all bits of each value or, if that
    /// takes less, the lowest value with the length of the span and the place of each value in it,
    /// unless they are consecutive, or the bits that all share, with their number, and the others of
    /// each.
    fn field(self, lines: f64) -> f64 {
        let width = f64::from(self.bits);
        let span = self.high.abs_diff(self.low);
        let low = if self.is_counted {
            f64::from(small(self.low.unsigned_abs(), self.bits))
        } else {
            width
        };
        let each = if self.is_run { 0.0 } else { self.each() };
        let placed = low + f64::from(small(span, self.bits)) + lines * each;
        let others = u64::BITS - (self.high ^ self.low).leading_zeros();
        let shared = width + log2(self.bits.into()) + (lines - 1.0) * f64::from(others);
        (lines * width).min(placed).min(shared)
    }
}

/// The parts of the IDs of a column.
#[derive(Clone, Copy)]
struct ColumnParts {
    /// In ticks.
    time: Extent,
    micros_per_tick: f64,
    /// The fields beside the time and the sequence, for example the node.
    others: [Extent; MAX_OTHERS],
    sequence: Extent,
    /// The bits of each ID's fields by themselves, added up.
    own_fields: u32,
    /// The number of IDs that are likely by themselves.
    likely: usize,
    /// Set if one with the sequence 0 is.
    is_start_likely: bool,
}

/// The most fields that a format has beside the time and the sequence.
const MAX_OTHERS: usize = 2;

impl ColumnParts {
    fn new(one: &Reading, settings: &Settings, now: UnixTime) -> Option<Self> {
        #[allow(clippy::cast_possible_truncation, reason = "ticks of all times fit")]
        let ticks = |unit: f64| Some((float(one.time?.as_micros().unsigned_abs()) / unit) as i64);
        let (micros_per_tick, ticks, others, sequence) = match one.identifier {
            Identifier::UnixTime(unit, number) => {
                let unit = 1_000_000.0 / float(unit.per_second());
                (unit, i64::try_from(number).ok()?, [Extent::NONE; MAX_OTHERS], Extent::NONE)
            }
            Identifier::Foreign(id) => {
                let description = id.description()?;
                let unit = f64::from(description.unit);
                let (others, sequence) = of_fields(description, id.bytes());
                (unit, ticks(unit)?, others, sequence)
            }
            Identifier::Scheme(_)
            | Identifier::KuidWide(_)
            | Identifier::Carried(_)
            | Identifier::Preset(..)
            | Identifier::Mastodon(_)
            | Identifier::Uuid(_)
            | Identifier::TypeId { .. } => {
                let (parts, prior) = (one.identifier.parts(settings).ok()?, one.format().prior());
                let unit = float(parts.scale().micros_per_tick());
                let sequence = Extent::of(parts.sequence(), !prior.has_random_sequences);
                let sequence = Extent { is_run: true, ..sequence };
                let node = parts.node();
                let node =
                    node.map_or(Extent::NONE, |it| Extent::of(it, prior.numbering.is_some()));
                (unit, ticks(unit)?, [node, Extent::NONE], sequence)
            }
        };
        let own = surprise(&one.identifier, one.form, settings, now);
        let is_likely = one.doubt.is_none();
        Some(Self {
            time: Extent::new(ticks, 0),
            micros_per_tick,
            others,
            sequence,
            own_fields: own.fields,
            likely: is_likely.into(),
            is_start_likely: is_likely && sequence.is_counted && sequence.low == 0,
        })
    }

    fn with(self, one: &Reading, settings: &Settings, now: UnixTime) -> Option<Self> {
        let other = Self::new(one, settings, now)?;
        let mut others = self.others;
        others.iter_mut().zip(other.others).for_each(|(one, other)| *one = one.with(other));
        Some(Self {
            time: self.time.with(other.time),
            others,
            sequence: self.sequence.with(other.sequence),
            own_fields: self.own_fields.saturating_add(other.own_fields),
            likely: self.likely + other.likely,
            is_start_likely: self.is_start_likely || other.is_start_likely,
            ..self
        })
    }

    /// Reports whether the IDs differ in their sequence only, and the first one is likely by itself.
    /// Counted numbers do as well, but few of them start where a sequence does.
    fn are_burst(&self) -> bool {
        self.is_start_likely && self.time.is_same() && self.is_constant()
    }

    /// Reports whether all IDs have the same fields beside the time and the sequence.
    fn is_constant(&self) -> bool {
        self.others.iter().all(Extent::is_same)
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
        let fields = self.others.iter().chain([&self.sequence]);
        let fields = fields.map(|extent| extent.field(lines)).sum::<f64>().min(own);
        Some(FORMAT_BITS + rarity + together + fields)
    }
}

/// Returns the fields of an ID of a format that is only read, apart from its time, and its
/// sequence.
fn of_fields(description: &Description, id: &[u8]) -> ([Extent; MAX_OTHERS], Extent) {
    let (mut others, mut sequence) = ([Extent::NONE; MAX_OTHERS], Extent::NONE);
    let mut rest = others.iter_mut();
    for (place, field) in description.others() {
        let value = value(field, id).and_then(|value| i64::try_from(value).ok());
        let (is_counted, is_run) = (description.counted == Some(place), field.name() == "sequence");
        let new = Extent::new(value.unwrap_or(i64::MAX), field.bits());
        let extent = Extent { is_counted, is_run, ..new };
        if is_run {
            sequence = extent;
        } else if let Some(other) = rest.next() {
            *other = extent;
        }
    }
    (others, sequence)
}

/// Returns the bits that explain numbers without a meaning. The best explanation counts. It may be
/// random digits, numbers of one other kind, a count from some number, or random digits after a
/// prefix or a day that all of them share.
fn bits_of_numbers(numbers: &[ColumnNumber]) -> f64 {
    let lines = float(numbers.len() as u64);
    let Some(&ColumnNumber { value, digits, .. }) = numbers.first() else { return 0.0 };
    let mut least: f64 = numbers.iter().map(|number| number.random()).sum();
    // The numbers are all of one kind, or this hypothesis falls away.
    let others: Option<u32> = numbers.iter().map(|number| number.other).sum();
    least = others.map_or(least, |others| least.min(f64::from(KIND_BITS + others)));
    // The numbers are counted up in this order.
    let mut pairs = numbers.iter().zip(numbers.iter().skip(1));
    if pairs.all(|(one, next)| one.value.checked_add(1) == Some(next.value)) {
        least = least.min(random(digits));
    }
    // They are counted in any order, so all lie between the lowest and the highest.
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
        for (low, high, is_counted, expected) in [
            // The lowest, the length of the span, and the place of each.
            (3, 3, true, 6.0 + 2.0),
            (3, 3, false, 10.0 + 2.0),
            (3, 6, false, 10.0 + 6.0 + 10.0 * 2.0),
            // The bits that all share, and their number.
            (768, 895, false, 10.0 + 3.32 + 9.0 * 7.0),
            (0, 1_023, true, 10.0 * 10.0),
        ] {
            let one = |value| Extent { is_counted, ..Extent::new(value, 10) };
            let bits = one(low).with(one(high)).field(10.0);
            assert!((bits - expected).abs() < 0.1, "{low} to {high}: {bits}");
        }
        // Each number is the next.
        let one = |value| Extent { is_counted: true, is_run: true, ..Extent::new(value, 10) };
        let bits = (1..10).map(one).fold(one(0), Extent::with).field(10.0);
        assert!((bits - (2.0 + 7.0)).abs() < 0.1, "{bits}");
    }
}
