//! The conversion between times and a scheme's ticks.

use core::time::Duration;

use crate::range::RangeError;
use crate::time::UnixTime;

/// The epoch and the length of a scheme's ticks: the conversion between times and ticks in three
/// numbers, which also code outside of Rust can do (a database, for example).
///
/// Ticks of equal length count from the epoch on. Where they start anew in each *period* (kuid's do in
/// each second), the last tick of every period is cut short.
///
/// With `micros` the microseconds since the epoch, the tick is
/// `micros / period_micros * ticks_per_period + micros % period_micros / micros_per_tick`, all
/// divisions rounding down.
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
    /// Ticks of `micros_per_tick` microseconds (at least one) each, the first of which begins at
    /// `epoch`.
    #[inline]
    #[must_use]
    pub const fn every(epoch: UnixTime, micros_per_tick: u64) -> Self {
        Self::anew_every(epoch, micros_per_tick, micros_per_tick)
    }

    /// Ticks of `micros_per_tick` microseconds (at least one), which start anew every `period_micros`
    /// (no fewer) after `epoch`.
    #[inline]
    #[must_use]
    pub const fn anew_every(epoch: UnixTime, period_micros: u64, micros_per_tick: u64) -> Self {
        let micros_per_tick = if micros_per_tick == 0 { 1 } else { micros_per_tick };
        let period_micros =
            if period_micros < micros_per_tick { micros_per_tick } else { period_micros };
        Self { epoch, period_micros, micros_per_tick }
    }

    /// Returns the time at which tick 0 begins.
    #[must_use]
    pub const fn epoch(&self) -> UnixTime {
        self.epoch
    }

    /// Returns the number of microseconds after which ticks start anew.
    #[must_use]
    pub const fn period_micros(&self) -> u64 {
        self.period_micros
    }

    /// Returns the number of microseconds that a tick lasts unless it is cut short.
    #[must_use]
    pub const fn micros_per_tick(&self) -> u64 {
        self.micros_per_tick
    }

    /// Returns the number of ticks in a period.
    #[inline]
    #[must_use]
    pub const fn ticks_per_period(&self) -> u64 {
        self.period_micros.div_ceil(self.micros_per_tick)
    }

    /// Returns the tick that contains `time`, or `None` before the epoch.
    #[inline]
    #[must_use]
    pub const fn tick_at(&self, time: UnixTime) -> Option<u64> {
        let (micros, epoch) = (time.as_micros(), self.epoch.as_micros());
        if micros < epoch {
            return None;
        }
        // At most one tick for each microsecond: it fits.
        Some(self.ticks_of(micros.abs_diff(epoch)))
    }

    /// Returns the time at which `tick` begins, [`UnixTime::MAX`] at the latest.
    #[inline]
    #[must_use]
    pub const fn time_of(&self, tick: u64) -> UnixTime {
        let per_period = self.ticks_per_period();
        let micros = (tick / per_period)
            .saturating_mul(self.period_micros)
            .saturating_add(tick % per_period * self.micros_per_tick);
        UnixTime::from_micros(self.epoch.as_micros().saturating_add_unsigned(micros))
    }

    /// Returns the number of whole ticks that fit into `duration` from the start of a period,
    /// `u64::MAX` at the most.
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

    /// Returns the error of a time for which a format whose last tick is `max_tick` has no tick.
    #[cold]
    pub(crate) const fn out_of_range(&self, time: UnixTime, max_tick: u64) -> RangeError {
        let (end, per_period) = (max_tick as i128 + 1, self.ticks_per_period() as i128);
        let min = self.epoch.as_micros() as i128;
        let max = min
            + end / per_period * self.period_micros as i128
            + end % per_period * self.micros_per_tick as i128
            - 1;
        RangeError::new("time in microseconds", time.as_micros() as i128, min, max)
    }

    /// Returns the fewest ticks that are sure to last for `duration`, at whichever tick of a period
    /// they begin.
    #[must_use]
    pub const fn ticks_to_cover(&self, duration: Duration) -> u64 {
        let micros = saturated(duration.as_nanos().div_ceil(1_000));
        let (periods, rest) = (micros / self.period_micros, micros % self.period_micros);
        let mut ticks = rest.div_ceil(self.micros_per_tick);
        // The rest may reach over a cut tick, which lasts for less than it counts.
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
    fn ticks_start_anew_in_every_period() {
        let ticks = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5];
        for (micros, tick) in (-5..).zip(ticks) {
            assert_eq!(at(micros), Some(tick), "{micros} µs");
        }
        assert_eq!(at(-6), None);
    }

    #[test]
    fn a_tick_begins_where_it_is_first_read() {
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
    fn whole_ticks_in_a_duration_are_counted_from_a_period() {
        for (micros, ticks) in [(0, 0), (2, 0), (3, 1), (8, 2), (9, 3), (10, 4), (12, 4), (13, 5)] {
            assert_eq!(CUT.whole_ticks_in(Duration::from_micros(micros)), ticks, "{micros} µs");
        }
        assert_eq!(CUT.whole_ticks_in(Duration::from_nanos(3_999)), 1);
        assert_eq!(CUT.whole_ticks_in(Duration::MAX), u64::MAX);
    }

    #[test]
    fn out_of_range_names_the_last_microsecond() {
        let error = CUT.out_of_range(UnixTime::from_micros(-6), 5);
        // Six ticks: a whole period of four, and two of 3 µs.
        assert_eq!((error.value(), error.min(), error.max()), (-6, -5, -5 + 16 - 1));
    }

    #[test]
    fn ticks_that_cover_a_duration_do_wherever_they_begin() {
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
}
