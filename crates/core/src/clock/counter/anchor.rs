//! The arithmetic of the counter clock, which turns readings of three clocks into the line that
//! converts the counter until the next reading. The functions are pure, and `model` checks them
//! against simulated histories.

/// Times in this module are in 1/256 microseconds since 1970.
pub(super) const FRACTION_BITS: u32 = 8;
pub(super) const MICROSECOND: u64 = 1 << FRACTION_BITS;
pub(super) const MILLISECOND: u64 = 1_000 * MICROSECOND;
/// Rates are in times per counter tick, in units of 2^-32.
pub(super) const RATE_BITS: u32 = 32;

/// The clock's parameters. Tests plant faults by changing them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    /// The bound of extrapolation, which is the length of a line, as measured by the counter.
    pub(super) period: u64,
    /// The smallest difference between two clocks that counts as a jump, which voids earlier
    /// measurements.
    pub(super) step: u64,
    /// The shortest interval over which the counter's rate is measured.
    pub(super) shortest: u64,
    /// The largest part of an interval that the uncertainty of its ends may be.
    pub(super) precision: u64,
    /// The time after which a rate that cannot be measured again is no longer used, since the
    /// counter's speed may have changed.
    pub(super) stale: u64,
    /// The part of a rate that two consecutive measurements may differ by.
    pub(super) agreement: u64,
    /// The time that they may differ by over the interval of the second, which matters after a
    /// pause. If the counter's speed changed by a hundredth or more and the difference is smaller
    /// than this, it changed less than 10 milliseconds ago.
    pub(super) tolerance: u64,
    /// The largest uncertainty of a reading that a line may start from.
    pub(super) uncertainty: u64,
}

pub(super) const LIMITS: Parameters = Parameters {
    period: 2 * MILLISECOND,
    step: MILLISECOND / 2,
    shortest: MILLISECOND,
    precision: 2_048,
    stale: 12 * MILLISECOND,
    agreement: 1_024,
    tolerance: 100 * MICROSECOND,
    uncertainty: 10 * MICROSECOND,
};

/// The fastest slew backwards is less than one part in this many, since Linux slews by a tenth at
/// most.
const MOST_SLEWED: u64 = 4;

/// Clocks that have not jumped differ by less than one part in this many of the time passed, beside
/// [`Parameters::step`]. Unless it is told to slew faster, Linux corrects the wall clock by 500
/// parts in a million at most.
const MOST_DRIFTED: u64 = 1_024;

/// A reading of all clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClockReadings {
    /// The counter, which is read before the wall clock so that a line from here is not behind.
    pub(super) counter: u64,
    /// The wall clock.
    pub(super) wall: u64,
    /// A clock that is neither stepped nor slewed, read before the others.
    pub(super) raw: u64,
    /// The time that passed on the raw clock until the others were read.
    pub(super) uncertainty: u64,
}

/// The time as a function of the counter. All threads read the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// The counter at the start of the line.
    pub(super) counter: u64,
    /// The time there.
    pub(super) time: u64,
    pub(super) rate: u64,
    /// The distance from `counter` to the end of the line. If it is zero, there is no line, and
    /// `time` is the earliest that may be read.
    pub(super) lifetime: u64,
}

impl Line {
    /// Returns the absence of a line, during which nothing below `floor` may be read.
    fn none(floor: u64) -> Self {
        Self { time: floor, ..Self::default() }
    }

    /// Returns the time at `counter`, within the line.
    #[inline]
    pub(super) fn at(&self, counter: u64) -> Option<u64> {
        // A counter from before the line wraps around to more than any lifetime.
        let elapsed = counter.wrapping_sub(self.counter);
        // `elapsed * rate` is less than a period << RATE_BITS: 51 bits.
        (elapsed < self.lifetime).then(|| self.time + ((elapsed * self.rate) >> RATE_BITS))
    }

    /// Returns an upper bound of the times on this line.
    pub(super) fn end(&self) -> u64 {
        self.time.saturating_add(proportion(self.lifetime, self.rate, 1 << RATE_BITS))
    }
}

/// The state after a reading, which is the line that starts there, and the measurements of the
/// counter's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) line: Line,
    /// The wall clock at the reading, or zero before the first one.
    wall: u64,
    raw: u64,
    uncertainty: u64,
    /// The start of the rate measurement that is under way.
    base: Base,
    /// The last measurement of the rate, or zero if there is none.
    measured: u64,
    /// The part of `measured` that it may be off by, in units of 2^-32.
    doubt: u64,
    /// The rate if the last two measurements agreed on it, or else zero.
    rate: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Base {
    counter: u64,
    raw: u64,
    uncertainty: u64,
}

impl Base {
    fn of(reading: &ClockReadings) -> Self {
        let ClockReadings { counter, raw, uncertainty, .. } = *reading;
        Self { counter, raw, uncertainty }
    }
}

impl Anchor {
    /// Reports whether, without a line, a new reading is due when the wall clock shows `wall`.
    pub(super) fn is_due(&self, wall: u64, limits: &Parameters) -> bool {
        self.line.lifetime != 0 || wall.abs_diff(self.wall) >= limits.shortest
    }

    /// Reports whether the wall clock, which shows `wall` after the raw clock has shown `raw`, was
    /// set back since this anchor. If so, it is either behind the anchor, or has run slower than
    /// any slew explains.
    pub(super) fn is_set_back(&self, raw: u64, wall: u64) -> bool {
        // At least this much of it passed between the two readings of the wall clock.
        let passed = raw.saturating_sub(self.raw).saturating_sub(self.uncertainty);
        wall.checked_sub(self.wall).is_none_or(|run| run < passed - passed / MOST_SLEWED)
    }

    /// Returns the anchor that follows from `reading`. `was_set_back` is set if some thread found
    /// that the wall clock was set back.
    pub(super) fn next(
        &self,
        reading: &ClockReadings,
        was_set_back: bool,
        limits: &Parameters,
    ) -> Self {
        let is_back = was_set_back || self.is_set_back(reading.raw, reading.wall);
        // This clock runs back only if the wall clock does.
        let floor = if is_back { 0 } else { self.line.end() };
        if is_back || self.has_jumped(reading, limits) {
            return Self::begin(reading, floor);
        }
        let ClockReadings { wall, raw, uncertainty, .. } = *reading;
        let next = Self { wall, raw, uncertainty, ..*self };
        if reading.uncertainty > limits.uncertainty {
            return Self { line: Line::none(floor), ..next };
        }
        if self.base.uncertainty > limits.uncertainty {
            return Self::begin(reading, floor);
        }
        let next = next.measure(reading, limits);
        Self { line: next.line_from(reading, floor, limits), ..next }
    }

    /// Returns the first anchor, or one that ignores everything before.
    fn begin(reading: &ClockReadings, floor: u64) -> Self {
        let ClockReadings { wall, raw, uncertainty, .. } = *reading;
        let (line, base) = (Line::none(floor), Base::of(reading));
        Self { line, wall, raw, uncertainty, base, ..Self::default() }
    }

    /// Reports whether the wall clock was stepped, a clock ran back, or this cannot be determined.
    /// (A counter that jumped ahead shows in the next measurement of its rate.)
    fn has_jumped(&self, reading: &ClockReadings, limits: &Parameters) -> bool {
        let runs = (
            reading.wall.checked_sub(self.wall),
            reading.raw.checked_sub(self.raw),
            reading.counter.checked_sub(self.base.counter),
        );
        let (Some(wall), Some(raw), Some(_)) = runs else { return true };
        // Clocks drift, so a long pause would otherwise look like a step, although nothing measures
        // the counter's rate better.
        let drift = raw / MOST_DRIFTED;
        self.wall == 0 || wall.abs_diff(raw) >= limits.step.saturating_add(drift)
    }

    /// Measures the rate from the base to here, if that is far enough to be precise.
    fn measure(self, reading: &ClockReadings, limits: &Parameters) -> Self {
        let run = reading.raw.saturating_sub(self.base.raw);
        let elapsed = reading.counter.saturating_sub(self.base.counter);
        let uncertainty = self.base.uncertainty.saturating_add(reading.uncertainty);
        if run < limits.shortest || uncertainty > run / limits.precision {
            let rate = if run < limits.stale { self.rate } else { 0 };
            return Self { rate, ..self };
        }
        let measured = proportion(run, 1 << RATE_BITS, elapsed.max(1));
        // The interval may be a pause of any length, at whose end the counter ran at another speed
        // than on average. A difference that is small in proportion is not enough then: it must
        // also be shorter than a recent change of speed would leave, and so must the error of the
        // last measurement, which might hide it.
        let off = proportion(elapsed, self.measured, 1 << RATE_BITS).abs_diff(run);
        let hidden = proportion(run, self.doubt, 1 << RATE_BITS);
        let agrees = self.measured != 0
            && off <= run / limits.agreement
            && off.saturating_add(hidden) <= limits.tolerance;
        let rate = if agrees { measured } else { 0 };
        let rounding = (1 << RATE_BITS) / measured.max(1);
        let doubt = proportion(uncertainty, 1 << RATE_BITS, run) + rounding + 1;
        Self { base: Base::of(reading), measured, doubt, rate, ..self }
    }

    /// Returns the line that starts at `reading`, at `floor` or above.
    fn line_from(&self, reading: &ClockReadings, floor: u64, limits: &Parameters) -> Line {
        let ahead = floor.saturating_sub(reading.wall);
        if self.rate == 0 || ahead >= limits.step {
            return Line::none(floor);
        }
        // The clock never goes back. It runs slower from where it is until the wall clock has
        // caught up.
        let slowing = proportion(self.rate, ahead, limits.period).min(self.rate);
        Line {
            counter: reading.counter,
            time: reading.wall.max(floor),
            rate: self.rate - slowing,
            lifetime: proportion(limits.period, 1 << RATE_BITS, self.rate),
        }
    }

    /// Returns the time for a thread that reads the wall clock itself because no line is valid.
    pub(super) fn floored(&self, wall: u64) -> u64 {
        wall.max(self.line.end())
    }
}

/// Returns `value * numerator / denominator`, saturating.
pub(super) fn proportion(value: u64, numerator: u64, denominator: u64) -> u64 {
    let exact = u128::from(value) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(exact).unwrap_or(u64::MAX)
}

impl Anchor {
    /// The number of words that hold the shared anchor without its line.
    pub(super) const WORDS: usize = 9;

    pub(super) fn to_words(self) -> [u64; Self::WORDS] {
        let Self { wall, raw, uncertainty, base, measured, doubt, rate, .. } = self;
        [wall, raw, uncertainty, base.counter, base.raw, base.uncertainty, measured, doubt, rate]
    }

    pub(super) fn from_words(line: Line, words: [u64; Self::WORDS]) -> Self {
        let [wall, raw, uncertainty, counter, base_raw, base_uncertainty, measured, doubt, rate] =
            words;
        let base = Base { counter, raw: base_raw, uncertainty: base_uncertainty };
        Self { line, wall, raw, uncertainty, base, measured, doubt, rate }
    }
}
