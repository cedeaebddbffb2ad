//! The conversion between times and a scheme's ticks, in both directions.

use core::time::Duration;

use crate::range::RangeError;
use crate::time::UnixTime;

/// The epoch and the length of a scheme's ticks, and the period in which ticks restart. These three
/// numbers are enough to convert between times and ticks, so code outside of Rust can do it, too.
/// For example, a database can compute the ticks of a day from them.
///
/// Ticks of equal length count from the epoch on. If they restart in each *period*, as kuid's do in
/// each second, the last tick of every period is cut short. A second of kuid has 976 ticks of 1,024
/// microseconds and one of 576.
///
/// If `micros` are the microseconds since the epoch, the tick is
/// `micros / period_micros * ticks_per_period + micros % period_micros / micros_per_tick`,
/// where all divisions round down.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{TickScale, UnixTime};
///
/// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
/// assert_eq!(scale.tick_at(UnixTime::from_micros(512_000)), Some(2));
/// assert_eq!(scale.ticks_to_cover(Duration::from_secs(10)), 40);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TickScale {
    epoch: UnixTime,
    period_micros: u64,
    micros_per_tick: u64,
}

impl TickScale {
    /// Creates a scale of ticks of equal length, the first of which starts at `epoch`. A length of
    /// 0 counts as 1 microsecond.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let millis = TickScale::every(UnixTime::EPOCH, 1_000);
    /// assert_eq!(millis.tick_at(UnixTime::from_micros(2_999)), Some(2));
    /// ```
    #[inline]
    #[must_use]
    pub const fn every(epoch: UnixTime, micros_per_tick: u64) -> Self {
        Self::anew_every(epoch, micros_per_tick, micros_per_tick)
    }

    /// Creates a scale of ticks of `micros_per_tick` microseconds, which restart every
    /// `period_micros` after `epoch`. A length of 0 counts as 1, and a period shorter than a tick
    /// as one tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// // kuid's ticks: 1,024 µs, but the last of each second is shorter.
    /// let scale = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
    /// assert_eq!(scale.ticks_per_period(), 977);
    /// assert_eq!(scale.time_of(977), UnixTime::from_micros(1_000_000));
    /// ```
    #[inline]
    #[must_use]
    pub const fn anew_every(epoch: UnixTime, period_micros: u64, micros_per_tick: u64) -> Self {
        let micros_per_tick = if micros_per_tick == 0 { 1 } else { micros_per_tick };
        let period_micros =
            if period_micros < micros_per_tick { micros_per_tick } else { period_micros };
        Self { epoch, period_micros, micros_per_tick }
    }

    /// Returns the start of tick 0.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// assert_eq!(TickScale::every(UnixTime::EPOCH, 1_000).epoch(), UnixTime::EPOCH);
    /// ```
    #[must_use]
    pub const fn epoch(&self) -> UnixTime {
        self.epoch
    }

    /// Returns the number of microseconds after which ticks restart. For ticks that never do, it is
    /// the length of a tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let equal = TickScale::every(UnixTime::EPOCH, 1_024);
    /// assert_eq!(equal.period_micros(), equal.micros_per_tick());
    /// let anew = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
    /// assert_eq!((anew.period_micros(), anew.micros_per_tick()), (1_000_000, 1_024));
    /// ```
    #[must_use]
    pub const fn period_micros(&self) -> u64 {
        self.period_micros
    }

    /// Returns the number of microseconds that a tick lasts, unless the end of a period cuts it
    /// short.
    #[must_use]
    pub const fn micros_per_tick(&self) -> u64 {
        self.micros_per_tick
    }

    /// Returns the number of ticks in a period.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
    /// assert_eq!(scale.ticks_per_period(), 977); // the last one of 576 microseconds
    /// ```
    #[inline]
    #[must_use]
    pub const fn ticks_per_period(&self) -> u64 {
        self.period_micros.div_ceil(self.micros_per_tick)
    }

    /// Returns the tick that contains `time`, or `None` before the epoch.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.tick_at(UnixTime::from_micros(255_999)), Some(0));
    /// assert_eq!(scale.tick_at(UnixTime::from_micros(-1)), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn tick_at(&self, time: UnixTime) -> Option<u64> {
        let (micros, epoch) = (time.as_micros(), self.epoch.as_micros());
        if micros < epoch {
            return None;
        }
        // This fits, because there is at most one tick for each microsecond.
        Some(self.ticks_of(micros.abs_diff(epoch)))
    }

    /// Returns the start of `tick`, or [`UnixTime::MAX`] if the start would be after it.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.time_of(2).as_micros(), 512_000);
    /// ```
    #[inline]
    #[must_use]
    pub const fn time_of(&self, tick: u64) -> UnixTime {
        let per_period = self.ticks_per_period();
        let micros = (tick / per_period)
            .saturating_mul(self.period_micros)
            .saturating_add(tick % per_period * self.micros_per_tick);
        UnixTime::from_micros(self.epoch.as_micros().saturating_add_unsigned(micros))
    }

    /// Returns the number of the tick that contains `time`, which is negative before the epoch. It
    /// is `None` if the number does not fit, for example if ticks last 1 µs and `time` is more than
    /// 2^63 microseconds from the epoch.
    ///
    /// Before the epoch, periods and ticks continue as they do after it. An ID cannot have such a
    /// tick, but a conversion between two schemes may need one, because their epochs differ.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.signed_tick_at(UnixTime::from_micros(-1)), Some(-1));
    /// assert_eq!(scale.signed_time_of(-1), Some(UnixTime::from_micros(-256_000)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn signed_tick_at(&self, time: UnixTime) -> Option<i64> {
        match self.signed_tick_and_offset(time) {
            Some((tick, _)) => Some(tick),
            None => None,
        }
    }

    /// Returns [`signed_tick_at`](Self::signed_tick_at) and the microseconds that the tick has
    /// lasted at `time`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 1_000);
    /// assert_eq!(scale.signed_tick_and_offset(UnixTime::from_micros(2_500)), Some((2, 500)));
    /// assert_eq!(scale.signed_tick_and_offset(UnixTime::from_micros(-1)), Some((-1, 999)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn signed_tick_and_offset(&self, time: UnixTime) -> Option<(i64, u64)> {
        match time.as_micros().checked_sub(self.epoch.as_micros()) {
            Some(since) => {
                let (periods, rest) = div_floor(since, self.period_micros);
                // The result fits because it has at most one tick for each microsecond, but the
                // product might not.
                let tick = periods
                    .wrapping_mul(self.ticks_per_period().cast_signed())
                    .wrapping_add((rest / self.micros_per_tick).cast_signed());
                Some((tick, rest % self.micros_per_tick))
            }
            None => self.far_tick_and_offset(time),
        }
    }

    /// Does the same for a time more than 2^63 microseconds from the epoch.
    #[cold]
    const fn far_tick_and_offset(&self, time: UnixTime) -> Option<(i64, u64)> {
        let since = time.as_micros() as i128 - self.epoch.as_micros() as i128;
        let (period, len) = (self.period_micros as i128, self.micros_per_tick as i128);
        let (periods, rest) = (since.div_euclid(period), since.rem_euclid(period));
        let tick = periods * self.ticks_per_period() as i128 + rest / len;
        if tick < i64::MIN as i128 || tick > i64::MAX as i128 {
            return None;
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the tick was compared before, and the rest is shorter than one"
        )]
        Some((tick as i64, (rest % len) as u64))
    }

    /// Returns the start of the tick with this signed number, or `None` if no [`UnixTime`]
    /// represents it.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.signed_time_of(-1), Some(UnixTime::from_micros(-256_000)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn signed_time_of(&self, tick: i64) -> Option<UnixTime> {
        let (periods, rest) = div_floor(tick, self.ticks_per_period());
        // 2^63 periods of 2^64 microseconds just fit 128 bits.
        let micros = periods as i128 * self.period_micros as i128
            + (rest * self.micros_per_tick) as i128
            + self.epoch.as_micros() as i128;
        if micros < i64::MIN as i128 || micros > i64::MAX as i128 {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "compared before")]
        Some(UnixTime::from_micros(micros as i64))
    }

    /// Returns the number of the first tick that starts at `time` or later, or `None` if the number
    /// does not fit.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.first_signed_tick_from(UnixTime::from_micros(1)), Some(1));
    /// ```
    #[inline]
    #[must_use]
    pub const fn first_signed_tick_from(&self, time: UnixTime) -> Option<i64> {
        match self.signed_tick_and_offset(time) {
            Some((tick, 0)) => Some(tick),
            Some((tick, _)) => tick.checked_add(1),
            None => None,
        }
    }

    /// Returns the number of ticks that start at `start` or later, and before the tick that
    /// contains `time`. The result is 0 if there are none, or if a number of a tick does not
    /// [fit](Self::signed_tick_at).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let millis = TickScale::every(UnixTime::EPOCH, 1_000);
    /// let (start, time) = (UnixTime::from_micros(500), UnixTime::from_micros(3_500));
    /// assert_eq!(millis.ticks_started_between(start, time), 2); // at 1,000 and 2,000
    /// ```
    #[inline]
    #[must_use]
    pub const fn ticks_started_between(&self, start: UnixTime, time: UnixTime) -> u64 {
        match (self.first_signed_tick_from(start), self.signed_tick_at(time)) {
            (Some(first), Some(last)) if first < last => last.abs_diff(first),
            _ => 0,
        }
    }

    /// Returns the maximum number of ticks of `other` that start during one tick of this scale. For
    /// example, up to 256 ticks of a millisecond start during a SCRU64 tick of 256 ms.
    ///
    /// The bound holds for every tick. Some tick reaches it, unless the lengths and epochs of the
    /// two scales keep their ticks from ever meeting at the required offset.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let millis = TickScale::every(UnixTime::EPOCH, 1_000);
    /// // 1,024 µs each, and 576 µs for the last of every second.
    /// let cut = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
    /// assert_eq!(cut.most_ticks_of(&millis), 2);
    /// assert_eq!(millis.most_ticks_of(&cut), 1);
    ///
    /// // A tick that contains the end of a second also contains the shorter tick.
    /// let quarters = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(quarters.most_ticks_of(&cut), 251);
    /// ```
    #[inline]
    #[must_use]
    pub const fn most_ticks_of(&self, other: &Self) -> u64 {
        let (period, len) = (other.period_micros, other.micros_per_tick);
        let last = period % len;
        // A shorter last tick makes room for more ticks, unless periods end only where these ticks
        // do.
        let gained = if last == 0 || self.divides(other) { 0 } else { len - last };
        let (periods, rest) = (self.micros_per_tick / period, self.micros_per_tick % period);
        let partial = if rest == 0 { 0 } else { rest.saturating_add(gained).div_ceil(len) };
        // This fits, because there is at most one tick for each microsecond.
        periods * other.ticks_per_period() + partial
    }

    /// Reports whether a period of this scale starts wherever one of `other` does.
    #[inline]
    const fn divides(&self, other: &Self) -> bool {
        let apart = self.epoch.as_micros().abs_diff(other.epoch.as_micros());
        other.period_micros.is_multiple_of(self.period_micros)
            && apart.is_multiple_of(self.period_micros)
    }

    /// Returns the number of whole ticks that fit into `duration` from the start of a period,
    /// saturating at `u64::MAX`.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.whole_ticks_in(Duration::from_secs(10)), 39);
    /// ```
    #[must_use]
    pub const fn whole_ticks_in(&self, duration: Duration) -> u64 {
        let micros = duration.as_micros();
        let (periods, rest) =
            (micros / self.period_micros as u128, micros % self.period_micros as u128);
        let ticks = periods.saturating_mul(self.ticks_per_period() as u128)
            + rest / self.micros_per_tick as u128;
        saturated(ticks)
    }

    #[inline]
    const fn ticks_of(&self, micros: u64) -> u64 {
        let (periods, rest) = (micros / self.period_micros, micros % self.period_micros);
        periods * self.ticks_per_period() + rest / self.micros_per_tick
    }

    /// Returns the error of a time without a tick in a format whose last tick is `max_tick`.
    #[cold]
    pub(crate) const fn out_of_range(&self, time: UnixTime, max_tick: u64) -> RangeError {
        let (end, per_period) = (max_tick as i128 + 1, self.ticks_per_period() as i128);
        let min = self.epoch.as_micros() as i128;
        let max = min
            + end / per_period * self.period_micros as i128
            + end % per_period * self.micros_per_tick as i128
            - 1;
        RangeError::of_time(time.as_micros() as i128, min, max)
    }

    /// Returns the smallest number of ticks that is sure to last for `duration`, whichever tick of
    /// a period they start at. A term of a lease is converted with it, since a term that is cut
    /// short would end too early.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let scale = TickScale::every(UnixTime::EPOCH, 256_000);
    /// assert_eq!(scale.ticks_to_cover(Duration::from_secs(10)), 40);
    /// ```
    #[must_use]
    pub const fn ticks_to_cover(&self, duration: Duration) -> u64 {
        let micros = saturated(duration.as_nanos().div_ceil(1_000));
        let (periods, rest) = (micros / self.period_micros, micros % self.period_micros);
        let mut ticks = rest.div_ceil(self.micros_per_tick);
        // The rest may include a cut tick, which is shorter than the others but counts as one.
        if rest > 0 && !self.period_micros.is_multiple_of(self.micros_per_tick) {
            ticks += 1;
        }
        let per_period = self.ticks_per_period();
        periods.saturating_mul(per_period).saturating_add(if ticks < per_period {
            ticks
        } else {
            per_period
        })
    }
}

/// Returns the quotient rounded down, and the remainder, of a division by a positive number.
#[inline]
const fn div_floor(value: i64, by: u64) -> (i64, u64) {
    let magnitude = value.unsigned_abs();
    if value >= 0 {
        ((magnitude / by).cast_signed(), magnitude % by)
    } else {
        let before = magnitude - 1;
        (-1 - (before / by).cast_signed(), by - 1 - before % by)
    }
}

/// Returns `value`, or `u64::MAX` if it does not fit.
const fn saturated(value: u128) -> u64 {
    #[allow(clippy::cast_possible_truncation, reason = "compared before")]
    if value > u64::MAX as u128 { u64::MAX } else { value as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: UnixTime = UnixTime::from_micros(-5);
    /// Ticks of 3, 3, 3 and 1 microseconds.
    const CUT: TickScale = TickScale::anew_every(EPOCH, 10, 3);

    fn at(micros: i64) -> Option<u64> {
        CUT.tick_at(UnixTime::from_micros(micros))
    }

    #[test]
    fn ticks_restart_each_period() {
        let ticks = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5];
        for (micros, tick) in (-5..).zip(ticks) {
            assert_eq!(at(micros), Some(tick), "{micros} µs");
        }
        assert_eq!(at(-6), None);
    }

    #[test]
    fn ticks_start_where_first_read() {
        for tick in 0..50 {
            let begin = CUT.time_of(tick).as_micros();
            assert_eq!((at(begin), at(begin - 1)), (Some(tick), tick.checked_sub(1)));
        }
    }

    #[test]
    fn the_ends_of_time_saturate() {
        assert_eq!(CUT.time_of(u64::MAX), UnixTime::MAX);
        let micros = TickScale::every(UnixTime::MIN, 1);
        assert_eq!(micros.tick_at(UnixTime::MAX), Some(u64::MAX));
        assert_eq!(micros.ticks_to_cover(Duration::MAX), u64::MAX);
        assert_eq!(TickScale::every(EPOCH, 0), TickScale::every(EPOCH, 1));
    }

    #[test]
    fn durations_count_whole_ticks() {
        for (micros, ticks) in [(0, 0), (2, 0), (3, 1), (8, 2), (9, 3), (10, 4), (12, 4), (13, 5)] {
            assert_eq!(CUT.whole_ticks_in(Duration::from_micros(micros)), ticks, "{micros} µs");
        }
        assert_eq!(CUT.whole_ticks_in(Duration::from_nanos(3_999)), 1);
        assert_eq!(CUT.whole_ticks_in(Duration::MAX), u64::MAX);
    }

    #[test]
    fn errors_name_last_microsecond() {
        let error = CUT.out_of_range(UnixTime::from_micros(-6), 5);
        // Six ticks: a whole period of four, and two of 3 µs.
        assert_eq!((error.value(), error.min(), error.max()), (-6, -5, -5 + 16 - 1));
    }

    #[test]
    fn ticks_cover_durations_anywhere() {
        // The count is one more where the cut tick may be among them, except for whole periods.
        for (micros, ticks) in [(0, 0), (1, 2), (3, 2), (4, 3), (9, 4), (10, 4), (11, 6), (20, 8)] {
            assert_eq!(CUT.ticks_to_cover(Duration::from_micros(micros)), ticks, "{micros} µs");
        }
        for micros in 0..60 {
            let count = CUT.ticks_to_cover(Duration::from_micros(micros));
            for begin in 0..12 {
                let lasts = CUT.time_of(begin + count).saturating_since(CUT.time_of(begin));
                assert!(lasts >= Duration::from_micros(micros), "{micros} µs from tick {begin}");
            }
        }
        let regular = TickScale::every(EPOCH, 4);
        for (nanos, ticks) in [(0, 0), (1, 1), (4_000, 1), (4_001, 2), (8_000, 2)] {
            assert_eq!(regular.ticks_to_cover(Duration::from_nanos(nanos)), ticks);
        }
    }

    const SCRU64: TickScale = TickScale::every(UnixTime::EPOCH, 256_000);
    const MILLIS: TickScale = TickScale::every(UnixTime::from_micros(1_288_834_974_657_000), 1_000);
    const SNO: TickScale = TickScale::every(UnixTime::from_micros(1_262_304_000_000_000), 4_000);
    const KUID: TickScale = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
    /// The scales of the schemes, and some with periods that are not in step with any of them.
    const ALL: [TickScale; 7] =
        [SCRU64, MILLIS, SNO, KUID, CUT, TickScale::anew_every(EPOCH, 250_000, 640), MICROS];
    const MICROS: TickScale = TickScale::every(UnixTime::from_micros(7), 1);
    const FROM: i64 = 1_700_000_000_000_000;

    fn time(micros: i64) -> UnixTime {
        UnixTime::from_micros(micros)
    }

    /// Returns the start of the `nth` of the ticks that start at `time` or later.
    fn nth_from(scale: TickScale, time: UnixTime, nth: u64) -> Option<UnixTime> {
        let first = scale.first_signed_tick_from(time)?;
        scale.signed_time_of(first.checked_add(i64::try_from(nth).ok()?)?)
    }

    /// Returns the number of ticks of `other` that start during one tick, counted one by one.
    fn counted(scale: TickScale, other: TickScale, tick: i64) -> u64 {
        let end = scale.signed_time_of(tick + 1).unwrap();
        let mut next = other.first_signed_tick_from(scale.signed_time_of(tick).unwrap()).unwrap();
        let mut count = 0;
        while other.signed_time_of(next).unwrap() < end {
            (count, next) = (count + 1, next + 1);
        }
        count
    }

    /// The pattern of any two schemes repeats after 32 seconds, the shortest time that both 256 ms
    /// and a second divide.
    #[test]
    fn longest_tick_is_exact() {
        for scale in [SCRU64, MILLIS, SNO, KUID] {
            for other in [SCRU64, MILLIS, SNO, KUID] {
                let first = scale.signed_tick_at(time(FROM)).unwrap();
                let last = scale.signed_tick_at(time(FROM + 32_000_000)).unwrap();
                let most = (first..=last).map(|tick| counted(scale, other, tick)).max();
                assert_eq!(Some(scale.most_ticks_of(&other)), most, "{scale:?} of {other:?}");
            }
        }
    }

    /// Small scales at every offset: in step, out of step, longer than a period, cut and regular.
    #[test]
    fn longest_ticks_hold_anywhere() {
        let scales = || (1..=13_u64).flat_map(|period| (1..=period).map(move |len| (period, len)));
        for (period, len) in scales() {
            let scale = TickScale::anew_every(UnixTime::EPOCH, period, len);
            for (other_period, other_len) in scales() {
                let mut reached = false;
                for epoch in -2..other_period.min(3).cast_signed() {
                    let other = TickScale::anew_every(time(epoch), other_period, other_len);
                    let repeats = i64::try_from(scale.ticks_per_period() * other_period).unwrap();
                    let most = (-1..=repeats).map(|tick| counted(scale, other, tick)).max();
                    let bound = scale.most_ticks_of(&other);
                    assert!(most.unwrap() <= bound, "{scale:?} of {other:?}");
                    reached |= most.unwrap() == bound;
                }
                assert!(reached, "{scale:?} of {other_period}/{other_len}");
            }
        }
    }

    #[test]
    fn ticks_are_counted_from_any_time() {
        for scale in ALL {
            for start in (FROM..FROM + 1_300_000).step_by(997).chain(-30..30) {
                for nth in [0, 1, 2, 255, 977, 1_000] {
                    let begin = nth_from(scale, time(start), nth).unwrap();
                    assert_eq!(scale.ticks_started_between(time(start), begin), nth, "{scale:?}");
                    assert_eq!(scale.ticks_started_between(begin, time(start)), 0);
                    let tick = scale.signed_tick_at(begin).unwrap();
                    assert_eq!(scale.signed_time_of(tick), Some(begin));
                    assert_eq!(scale.signed_tick_and_offset(begin), Some((tick, 0)));
                    let (tick_at_start, offset) =
                        scale.signed_tick_and_offset(time(start)).unwrap();
                    let micros = start.strict_sub_unsigned(offset);
                    assert_eq!(scale.signed_time_of(tick_at_start), Some(time(micros)));
                    // The tick before ends there.
                    let before = begin.as_micros() - 1;
                    assert_eq!(scale.signed_tick_at(time(before)), Some(tick - 1));
                }
                let first = nth_from(scale, time(start), 0).unwrap();
                assert!(first >= time(start));
                let tick = scale.signed_tick_at(first).unwrap();
                assert!(scale.signed_time_of(tick - 1).unwrap() < time(start), "{scale:?}");
            }
        }
    }

    #[test]
    fn signed_and_unsigned_agree() {
        for scale in ALL {
            let epoch = scale.epoch().as_micros();
            for since in (0..3_000_000).step_by(61).chain([999_423, 999_424, 999_999, 1_000_000]) {
                let time = time(epoch + since);
                let tick = scale.tick_at(time).unwrap();
                assert_eq!(scale.signed_tick_at(time), i64::try_from(tick).ok());
                assert_eq!(scale.signed_time_of(tick.cast_signed()), Some(scale.time_of(tick)));
            }
            assert_eq!(scale.signed_tick_at(time(epoch - 1)), Some(-1));
        }
    }

    #[test]
    fn the_first_and_the_last_time_have_ticks() {
        for (limit, beyond) in [(i64::MIN, -1), (i64::MAX, 1)] {
            let of = |epoch| TickScale::every(time(epoch), 1).signed_time_of(limit);
            assert_eq!((of(0), of(beyond)), (Some(time(limit)), None), "{limit}");
        }
    }

    /// Far from the epoch, the numbers of ticks longer than a microsecond still fit.
    #[test]
    fn far_times_have_ticks() {
        let whole = i128::from(u64::MAX);
        let mut state = 1_u64;
        for (period, len) in [(1, 1), (2, 1), (2, 2), (10, 3), (1_000_000, 1_024), (1 << 62, 7)] {
            for epoch in [i64::MIN, i64::MIN + 5, -(1 << 62), 0, 1 << 62, i64::MAX] {
                let scale = TickScale::anew_every(time(epoch), period, len);
                for round in 0..200 {
                    // Random times, and those around the distance of 2^63 and the ends.
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let micros = match round % 4 {
                        0 => state.cast_signed(),
                        1 => epoch.wrapping_add(i64::MIN).wrapping_add(i64::from(round) / 4 - 25),
                        2 => i64::MIN + i64::from(round) / 4,
                        _ => i64::MAX - i64::from(round) / 4,
                    };
                    let since = i128::from(micros) - i128::from(epoch);
                    let (periods, rest) =
                        (since.div_euclid(period.into()), since.rem_euclid(period.into()));
                    let tick =
                        periods * i128::from(scale.ticks_per_period()) + rest / i128::from(len);
                    let offset = rest % i128::from(len);
                    let expected = i64::try_from(tick).ok();
                    assert!(since.abs() <= whole);
                    assert_eq!(scale.signed_tick_at(time(micros)), expected, "{scale:?} {micros}");
                    let found = scale.signed_tick_and_offset(time(micros));
                    let offset_found = found.map(|(_, offset)| i128::from(offset));
                    assert_eq!(offset_found, expected.map(|_| offset), "{scale:?} {micros}");
                    let first = i64::try_from(tick + i128::from(offset > 0)).ok();
                    let first = expected.and(first);
                    assert_eq!(scale.first_signed_tick_from(time(micros)), first, "{scale:?}");
                    let unsigned = u64::try_from(tick).ok();
                    assert_eq!(scale.tick_at(time(micros)), unsigned, "{scale:?} {micros}");
                    let start = unsigned.map(|tick| i128::from(scale.time_of(tick).as_micros()));
                    let known = unsigned.map(|_| i128::from(micros) - offset);
                    assert_eq!(start, known, "{scale:?} {micros}");
                }
            }
        }
    }

    #[test]
    fn signed_ends_do_not_panic() {
        let huge = [1, 2, i64::MAX.cast_unsigned(), 1 << 63, u64::MAX - 1, u64::MAX];
        let scales = huge.into_iter().flat_map(|period| {
            huge.map(|len| {
                [UnixTime::MIN, EPOCH, UnixTime::MAX]
                    .map(|epoch| TickScale::anew_every(epoch, period, len))
            })
        });
        let scales: std::vec::Vec<TickScale> = scales.flatten().chain(ALL).collect();
        for scale in &scales {
            for time in [UnixTime::MIN, UnixTime::EPOCH, UnixTime::MAX] {
                if let Some(tick) = scale.signed_tick_at(time) {
                    let start = scale.signed_time_of(tick);
                    assert!(start.is_none_or(|start| start <= time), "{scale:?} at {time}");
                }
                if let Some(tick) = scale.first_signed_tick_from(time) {
                    let start = scale.signed_time_of(tick);
                    assert!(start.is_none_or(|start| start >= time), "{scale:?} from {time}");
                }
                assert_eq!(scale.ticks_started_between(UnixTime::MAX, time), 0);
            }
            for other in &scales {
                assert!(scale.most_ticks_of(other) > 0, "{scale:?} of {other:?}");
            }
        }
        for scale in [SCRU64, MILLIS, SNO, KUID] {
            assert_eq!(scale.signed_time_of(i64::MIN), None);
            assert_eq!(scale.signed_time_of(i64::MAX), None);
        }
    }
}
