//! How long ticks are, and where they begin.

use core::num::NonZeroU32;

use tickid_core::UnixTime;

/// How fine the time of an ID is: which ticks its scheme has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resolution {
    /// Ticks of this many microseconds, one after the other from some epoch on.
    Micros(NonZeroU32),
    /// kuid's: steps of 1,024 µs *within each second*, so that the last of a second lasts 576 µs.
    KuidSteps,
}

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_STEP: i64 = 1_024;
const STEPS_PER_SECOND: i64 = 977;

impl Resolution {
    /// One millisecond.
    pub const MILLISECOND: Self = Self::Micros(MILLISECOND);

    /// The length of a tick in microseconds; of the longest where they differ.
    #[must_use]
    pub const fn as_micros(self) -> u32 {
        match self {
            Self::Micros(micros) => micros.get(),
            Self::KuidSteps => 1_024,
        }
    }

    /// How many ticks begin in `start..time`, where `time` is when one begins.
    ///
    /// Whatever the epoch: they begin at `time` less a multiple of their length.
    #[inline]
    pub(crate) const fn ticks_from(self, start: UnixTime, time: UnixTime) -> u64 {
        let (start, time) = (start.as_micros(), time.as_micros());
        debug_assert!(start <= time);
        match self {
            Self::Micros(len) => start.abs_diff(time) / len.get() as u64,
            Self::KuidSteps => {
                // Negative for a time that is within the step of `start`, which no kuid has.
                let ticks = step_at(time) - first_step_from(start);
                if ticks > 0 { ticks.unsigned_abs() } else { 0 }
            }
        }
    }
}

/// In microseconds.
pub(crate) const MILLISECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();

/// The number of the step during which a time is.
#[inline]
const fn step_at(micros: i64) -> i64 {
    let (seconds, rest) =
        (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    seconds * STEPS_PER_SECOND + rest / MICROS_PER_STEP
}

/// The number of the first step that begins at a time or after it.
#[inline]
const fn first_step_from(micros: i64) -> i64 {
    let (seconds, rest) =
        (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    // After the last step of a second this is the first of the next.
    seconds * STEPS_PER_SECOND + (rest + MICROS_PER_STEP - 1) / MICROS_PER_STEP
}

/// Ticks that are fixed in time: a resolution and an epoch, from which ticks are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub(crate) resolution: Resolution,
    /// When tick 0 begins, in microseconds since 1970. kuid's steps are numbered from 1970.
    epoch: i64,
}

impl Ticks {
    /// kuid's.
    pub(crate) const KUID: Self = Self { resolution: Resolution::KuidSteps, epoch: 0 };

    /// Ticks of `len` microseconds from `epoch` on.
    pub(crate) const fn every(len: NonZeroU32, epoch: UnixTime) -> Self {
        Self { resolution: Resolution::Micros(len), epoch: epoch.as_micros() }
    }

    /// The number of the tick during which `time` is, negative before the epoch. `None` where 64 bits
    /// can't tell, which is far beyond what any scheme can.
    #[inline]
    pub(crate) const fn at(self, time: UnixTime) -> Option<i64> {
        match self.resolution {
            Resolution::Micros(len) => match time.as_micros().checked_sub(self.epoch) {
                Some(since) => Some(since.div_euclid(len.get() as i64)),
                None => None,
            },
            Resolution::KuidSteps => Some(step_at(time.as_micros())),
        }
    }

    /// The number of the first tick that begins at `time` or after it.
    const fn first_from(self, time: UnixTime) -> Option<i64> {
        match self.resolution {
            Resolution::Micros(_) => match self.at(time) {
                Some(tick) => match self.start_of(tick) {
                    Some(start) if start.as_micros() == time.as_micros() => Some(tick),
                    _ => tick.checked_add(1),
                },
                None => None,
            },
            Resolution::KuidSteps => Some(first_step_from(time.as_micros())),
        }
    }

    /// When a tick begins; `None` beyond what [`UnixTime`] can name.
    #[inline]
    pub(crate) const fn start_of(self, tick: i64) -> Option<UnixTime> {
        let micros = match self.resolution {
            Resolution::Micros(len) => match tick.checked_mul(len.get() as i64) {
                Some(since) => since.checked_add(self.epoch),
                None => None,
            },
            Resolution::KuidSteps => {
                let (seconds, step) =
                    (tick.div_euclid(STEPS_PER_SECOND), tick.rem_euclid(STEPS_PER_SECOND));
                match seconds.checked_mul(MICROS_PER_SECOND) {
                    Some(micros) => micros.checked_add(step * MICROS_PER_STEP),
                    None => None,
                }
            }
        };
        match micros {
            Some(micros) => Some(UnixTime::from_micros(micros)),
            None => None,
        }
    }

    /// When the `nth` of the ticks begins that begin at `time` or after it, counted from 0.
    pub(crate) fn nth_from(self, time: UnixTime, nth: u64) -> Option<UnixTime> {
        let tick = self.first_from(time)?.checked_add(i64::try_from(nth).ok()?)?;
        self.start_of(tick)
    }

    /// How many ticks of another resolution begin during one of these, at most: what is exactly reached
    /// by some tick, not just a bound.
    #[inline]
    pub(crate) const fn most_of(self, other: Resolution) -> u64 {
        let len = self.resolution.as_micros() as u64;
        match (other, self.resolution) {
            (Resolution::KuidSteps, Resolution::KuidSteps) => 1,
            (Resolution::KuidSteps, Resolution::Micros(_)) if self.splits_seconds() => {
                len.div_ceil(MICROS_PER_STEP.cast_unsigned())
            }
            // A tick with the end of a second in it has the shorter step there. Of x microseconds
            // before that end and y from it on, (x + 448) / 1024 steps begin before it, rounded down,
            // and y / 1024 from it on, rounded up.
            (Resolution::KuidSteps, Resolution::Micros(_)) => (len + 448).div_ceil(1_024),
            // Wherever they begin; kuid's longest steps included.
            (Resolution::Micros(other), _) => len.div_ceil(other.get() as u64),
        }
    }

    /// Whether every second begins with a tick.
    const fn splits_seconds(self) -> bool {
        let len = self.resolution.as_micros() as i64;
        MICROS_PER_SECOND % len == 0 && self.epoch % len == 0
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::{Scheme, Tick};
    use tickid_kuid::Kuid;

    use super::*;

    const SCRU64: Ticks = Ticks::every(NonZeroU32::new(256_000).unwrap(), UnixTime::EPOCH);
    const MILLIS: Ticks = Ticks::every(MILLISECOND, UnixTime::from_micros(1_288_834_974_657_000));
    const SNO: Ticks =
        Ticks::every(NonZeroU32::new(4_000).unwrap(), UnixTime::from_micros(1_262_304_000_000_000));
    const ALL: [Ticks; 4] = [SCRU64, MILLIS, SNO, Ticks::KUID];

    fn at(micros: i64) -> UnixTime {
        UnixTime::from_micros(micros)
    }

    /// How many of `other`'s ticks begin during the one that begins at `start`, counted one by one.
    fn counted(ticks: Ticks, other: Ticks, tick: i64) -> u64 {
        let (start, end) = (ticks.start_of(tick).unwrap(), ticks.start_of(tick + 1).unwrap());
        let mut count = 0;
        while other.nth_from(start, count).unwrap() < end {
            count += 1;
        }
        count
    }

    /// The pattern of any two repeats after 32 seconds, the least that both 256 ms and a second divide.
    #[test]
    fn the_most_is_what_some_tick_has_and_no_tick_has_more() {
        const FROM: i64 = 1_700_000_000_000_000;
        for ticks in ALL {
            for other in ALL {
                let first = ticks.at(at(FROM)).unwrap();
                let last = ticks.at(at(FROM + 32_000_000)).unwrap();
                let most = (first..=last).map(|tick| counted(ticks, other, tick)).max().unwrap();
                assert_eq!(ticks.most_of(other.resolution), most, "{ticks:?} of {other:?}");
            }
        }
    }

    #[test]
    fn ticks_are_counted_from_a_time_whatever_the_epoch() {
        const FROM: i64 = 1_700_000_000_000_000;
        for ticks in ALL {
            for start in (FROM..FROM + 1_300_000).step_by(997) {
                for nth in [0, 1, 2, 255, 977, 1_000] {
                    let time = ticks.nth_from(at(start), nth).unwrap();
                    assert_eq!(ticks.resolution.ticks_from(at(start), time), nth, "{ticks:?}");
                    assert_eq!(ticks.start_of(ticks.at(time).unwrap()), Some(time));
                }
                let first = ticks.nth_from(at(start), 0).unwrap();
                assert!(first >= at(start));
                let before = ticks.start_of(ticks.at(first).unwrap() - 1).unwrap();
                assert!(before < at(start), "{ticks:?} has one before");
            }
        }
    }

    #[test]
    fn steps_are_kuids() {
        for micros in (0..3_000_000).step_by(61).chain([999_423, 999_424, 999_999, 1_000_000]) {
            let tick = Kuid::default().tick_at(at(micros)).unwrap();
            assert_eq!(Ticks::KUID.at(at(micros)), i64::try_from(tick.get()).ok());
            let start = Kuid::default().time_of(tick);
            assert_eq!(Ticks::KUID.start_of(tick.get().cast_signed()), Some(start));
        }
        let last = Ticks::KUID.start_of(Tick::<Kuid>::MAX.get().cast_signed());
        assert_eq!(last, Some(Kuid::default().time_of(Tick::MAX)));
    }

    #[test]
    fn the_ends_of_time_are_no_panic() {
        for ticks in ALL {
            for time in [UnixTime::MIN, UnixTime::MAX] {
                let tick = ticks.at(time);
                assert!(
                    tick.and_then(|tick| ticks.start_of(tick)).is_none_or(|start| start <= time)
                );
                assert_eq!(ticks.start_of(time.as_micros()), None);
                assert!(ticks.nth_from(time, u64::MAX).is_none());
            }
        }
    }
}
