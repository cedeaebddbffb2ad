//! How a scheme's ticks lie on the line of time, as plain numbers.

use core::time::Duration;

use crate::time::UnixTime;

/// When a scheme's ticks begin and how long they are: its conversion from time to ticks in three
/// numbers, for those who can't call [`Scheme::tick_at`](crate::Scheme::tick_at) (a database, say).
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
    #[must_use]
    pub const fn every(epoch: UnixTime, micros_per_tick: u64) -> Self {
        Self::anew_every(epoch, micros_per_tick, micros_per_tick)
    }

    /// Ticks of `micros_per_tick` microseconds (at least one), which start anew every `period_micros`
    /// (no fewer) after `epoch`.
    #[must_use]
    pub const fn anew_every(epoch: UnixTime, period_micros: u64, micros_per_tick: u64) -> Self {
        let micros_per_tick = if micros_per_tick == 0 { 1 } else { micros_per_tick };
        let period_micros =
            if period_micros < micros_per_tick { micros_per_tick } else { period_micros };
        Self { epoch, period_micros, micros_per_tick }
    }

    /// When tick 0 begins.
    #[must_use]
    pub const fn epoch(&self) -> UnixTime {
        self.epoch
    }

    /// After how many microseconds ticks start anew.
    #[must_use]
    pub const fn period_micros(&self) -> u64 {
        self.period_micros
    }

    /// How many microseconds a tick lasts that is not cut short.
    #[must_use]
    pub const fn micros_per_tick(&self) -> u64 {
        self.micros_per_tick
    }

    /// How many ticks a period has.
    #[must_use]
    pub const fn ticks_per_period(&self) -> u64 {
        self.period_micros.div_ceil(self.micros_per_tick)
    }

    /// The tick during which `time` is; `None` before the epoch.
    #[must_use]
    pub const fn tick_at(&self, time: UnixTime) -> Option<u64> {
        let (micros, epoch) = (time.as_micros(), self.epoch.as_micros());
        if micros < epoch {
            return None;
        }
        let micros = micros.abs_diff(epoch);
        let periods = micros / self.period_micros;
        // At most one tick for each microsecond: it fits.
        Some(periods * self.ticks_per_period() + micros % self.period_micros / self.micros_per_tick)
    }

    /// When `tick` begins, [`UnixTime::MAX`] at the latest.
    #[must_use]
    pub const fn time_of(&self, tick: u64) -> UnixTime {
        let per_period = self.ticks_per_period();
        let micros = (tick / per_period)
            .saturating_mul(self.period_micros)
            .saturating_add(tick % per_period * self.micros_per_tick);
        UnixTime::from_micros(self.epoch.as_micros().saturating_add_unsigned(micros))
    }

    /// The fewest ticks that are sure to last for `duration`, wherever in a period they begin at the
    /// start of a tick.
    #[must_use]
    pub const fn ticks_to_cover(&self, duration: Duration) -> u64 {
        let nanos = duration.as_nanos();
        let micros = nanos.div_ceil(1_000);
        let micros = if micros > u64::MAX as u128 {
            u64::MAX
        } else {
            #[allow(clippy::cast_possible_truncation, reason = "compared on the line above")]
            {
                micros as u64
            }
        };
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
