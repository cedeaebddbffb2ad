//! The processor's time-stamp counter, held to the wall clock.

mod anchor;
mod clocks;
mod hardware;
#[cfg(test)]
#[cfg(not(any(tickid_loom, tickid_shuttle)))]
mod model;
#[cfg(all(test, tickid_loom))]
mod models;

use core::hint::spin_loop;

use self::anchor::{Anchor, ClockReadings, FRACTION_BITS, LIMITS, Line, Parameters};
use self::clocks::Clocks;
use self::hardware::{Hardware, counter_is_steady};
use crate::clock::{Clock, SystemClock};
use crate::error::ClockError;
use crate::fork::Process;
use crate::sync::{AtomicU64, Ordering, fence};
use crate::time::UnixTime;

/// A wall clock at half the price of [`SystemClock`]. It reads the processor's time-stamp counter,
/// which it compares with the system's clock every 2 milliseconds.
///
/// # Error
///
/// A reading differs from the system's clock, at some moment of the call, by no more than this
/// table says (`stays_within_its_bounds`, `the_clock_follows_steps_and_slews`):
///
/// | event | error | for |
/// |---|---|---|
/// | none | 20 µs | |
/// | the system's clock is slewed by *N* ppm | 20 µs + *N* ppm of 2 ms (500 ppm: 1 µs) | the slew |
/// | it is stepped, by more or less than a millisecond | the step | 10 ms |
/// | suspend | the time suspended | 10 ms |
/// | pause of a virtual machine | as much as its wall clock is off afterwards | 10 ms |
/// | the counter jumps ahead or restarts: migration to another machine | 2 ms | 10 ms |
/// | the counter is set back to where it was lately | 2 ms, or as far as it was set back | 10 ms |
/// | its speed changes by a factor *f* from ½ to 2 | \|1 − 1/*f*\| of 2 ms: at most 2 ms | 20 ms |
/// | a thread is held up while it reads | none: others read the system's clock meanwhile | |
///
/// Times count only while the machine runs. The errors of several events add up. They depend
/// neither on the number of threads nor on when the events happen, and the first two readings are
/// not an exception. For example, if the wall clock is stepped back by a second, readings may be a
/// second ahead for 10 ms, and are within 20 µs after that.
///
/// A pause, in which no thread reads the clock for longer than 2 ms, measures the counter's mean
/// speed. A single change of speed during a pause shows in that mean
/// (`changes_in_a_pause_are_bounded`), but several jumps and changes may cancel each other out. If
/// a change and one more such event lie less than 20 ms apart, not counting pauses, then pauses do
/// not count towards the 20 ms of the change either, which begin with the first reading.
///
/// One case cannot be detected. If the counter is set back while no thread reads the clock, and has
/// just returned to its earlier value when the next thread does, it looks as if no time had passed,
/// and that reading is off by as much as the counter was set back.
///
/// # Order
///
/// No thread reads a time before one that a different thread has already read, unless the system's
/// clock was set back, or the counter was set back to a recent value
/// (`runs_back_only_with_the_wall`). If the counter clock is ahead of the system's, it runs slower
/// until the lead is gone, because a step back would look like a rollback to generators.
///
/// # Speed
///
/// The counter's rate is measured against `CLOCK_MONOTONIC_RAW`, over a millisecond or more, and
/// used when two consecutive measurements agree. Until then, and again after anything that looks
/// like a jump, each call reads the system's clock. So does the first call after a pause of 2
/// milliseconds, which then measures the rate over the pause. The longer the pause was, the more
/// precise that is. One more measurement is needed only if the last one was too short to predict
/// the counter to 100 microseconds at the end of the pause. After a measurement over 2
/// milliseconds, that is a pause of about a second.
///
/// # Platforms
///
/// The clock is available on x86-64 Linux. It uses the counter only if the kernel itself keeps time
/// by it, because the kernel does that only if the counter runs steadily and alike on all
/// processors. Otherwise it reads the system's clock (`falls_back_to_the_system_clock`), so it is
/// safe to use on every machine. The kernel is asked once per process, because no file is read
/// while a caller waits. If it drops the counter later, the errors above still hold.
#[derive(Debug)]
pub struct CounterClock {
    /// Set if the counter can be trusted.
    is_steady: bool,
    shared: CounterState<Hardware>,
}

impl CounterClock {
    /// Creates a clock that has not measured the counter's rate yet, so its first readings cost as
    /// much as the system's clock.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Clock, CounterClock, UnixTime};
    ///
    /// let clock = CounterClock::new();
    /// assert!(clock.now()? > UnixTime::EPOCH);
    /// # Ok::<(), tickid_core::ClockError>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_counter(counter_is_steady())
    }

    fn with_counter(is_steady: bool) -> Self {
        Self { is_steady, shared: CounterState::new(Hardware, LIMITS) }
    }
}

impl Default for CounterClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for CounterClock {
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        if !self.is_steady {
            return SystemClock.now();
        }
        match self.shared.at(Hardware.counter()) {
            Some(time) => Ok(unix_time(time)),
            None => self.measure(),
        }
    }

    #[inline]
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        if !self.is_steady {
            return SystemClock.now();
        }
        match self.shared.at(Hardware.early_counter()) {
            Some(time) => Ok(unix_time(time)),
            None => self.measure(),
        }
    }
}

impl CounterClock {
    #[cold]
    fn measure(&self) -> Result<UnixTime, ClockError> {
        self.shared.measure().map_or_else(|| SystemClock.now(), |time| Ok(unix_time(time)))
    }
}

#[inline]
fn unix_time(time: u64) -> UnixTime {
    UnixTime::from_micros((time >> FRACTION_BITS).cast_signed())
}

/// The line that all threads read by, and the anchor that one of them computes the next line from.
///
/// The order of all readings rests on four facts:
///
/// 1. A line starts at or above the end of the one before, and at or above the wall clock.
/// 2. While a thread makes a line, no other thread returns a reading. It waits for a moment, and
///    then cancels the line that is being made. (A reading is returned only if the version is the
///    same before and after.)
/// 3. A reading of the wall clock therefore comes before the reading that starts the next line, or
///    it comes after the end of the last line and is not below that end.
/// 4. Once a thread has found that the wall clock was set back since the anchor, the end of the
///    line no longer counts.
#[derive(Debug)]
struct CounterState<S> {
    source: S,
    limits: Parameters,
    /// The version of the line in force; see [`Version`].
    version: AtomicU64,
    /// Two lines that are in force alternately, and two for [`Version::PREPARED`] and
    /// [`Version::CANCELLED`], which stay empty.
    lines: [SharedLine; 4],
    anchors: [SharedAnchor; 2],
    /// The process of the thread that is making an anchor, or [`NOBODY`]. The number of a different
    /// process was left behind by a `fork`.
    holder: AtomicU64,
    /// The version of the last anchor since which the wall clock was found to be set back.
    set_back: AtomicU64,
}

const NOBODY: u64 = u64::MAX;

/// The number of times that a thread checks whether the line of a different thread is finished
/// before it cancels it. This takes a few microseconds, several times as long as making a line.
const LOOKS: u32 = 100;

/// A state of a [`CounterState`], which never returns to an earlier one. It consists of a number,
/// the place of the anchor, and in the lowest two bits the place of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version(u64);

impl Version {
    /// A thread is making the next line, and the last one is over.
    const PREPARED: u64 = 2;
    /// Making the next line took too long. The last line is over, so threads read the wall clock.
    const CANCELLED: u64 = 3;

    const FIRST: Self = Self(Self::CANCELLED);

    fn has_line(self) -> bool {
        self.0 & 2 == 0
    }

    /// Returns the place of the anchor that was made last.
    fn anchor(self) -> usize {
        ((self.0 >> 2) & 1) as usize
    }

    fn is_prepared(self) -> bool {
        self.0 & 3 == Self::PREPARED
    }

    /// Returns the next version, with the same anchor but no line.
    fn without_line(self, kind: u64) -> Self {
        Self(((self.0 & !3) + 8) | kind)
    }

    /// Returns the next version, with the other anchor and its line.
    fn with_next_anchor(self) -> Self {
        let place = 1 - self.anchor() as u64;
        Self(((self.0 & !7) + 8) | (place << 2) | place)
    }
}

/// A [`Line`] that one thread may write while others find out that they must not use it.
#[derive(Debug, Default)]
#[repr(align(32))]
struct SharedLine {
    counter: AtomicU64,
    time: AtomicU64,
    rate: AtomicU64,
    lifetime: AtomicU64,
}

impl SharedLine {
    #[inline]
    fn load(&self) -> Line {
        Line {
            counter: self.counter.load(Ordering::Relaxed),
            time: self.time.load(Ordering::Relaxed),
            rate: self.rate.load(Ordering::Relaxed),
            lifetime: self.lifetime.load(Ordering::Relaxed),
        }
    }

    fn store(&self, line: &Line) {
        self.counter.store(line.counter, Ordering::Relaxed);
        self.time.store(line.time, Ordering::Relaxed);
        self.rate.store(line.rate, Ordering::Relaxed);
        self.lifetime.store(line.lifetime, Ordering::Relaxed);
    }
}

/// The part of an [`Anchor`] that is not its line, and the version that brought it into force.
#[derive(Debug, Default)]
struct SharedAnchor {
    words: [AtomicU64; Anchor::WORDS],
    version: AtomicU64,
}

impl<S: Clocks> CounterState<S> {
    fn new(source: S, limits: Parameters) -> Self {
        Self {
            source,
            limits,
            version: AtomicU64::new(Version::FIRST.0),
            lines: Default::default(),
            anchors: Default::default(),
            holder: AtomicU64::new(NOBODY),
            set_back: AtomicU64::new(0),
        }
    }

    /// Returns the time by the line in force, if that line is valid at `counter`.
    #[inline]
    fn at(&self, counter: u64) -> Option<u64> {
        // Acquire pairs with the release in `anchor`: the line of this version is complete.
        let version = self.version.load(Ordering::Acquire);
        let line = self.lines[(version & 3) as usize].load();
        // Orders the loads above before the one below. If one of them had read a value written by a
        // later `anchor`, this one would see that the version has changed.
        fence(Ordering::Acquire);
        if self.version.load(Ordering::Relaxed) != version {
            return None;
        }
        line.at(counter)
    }

    /// Returns the time when the line in force is not valid, either from a new line or from the
    /// wall clock. Returns `None` if the wall clock shows a time that does not fit.
    ///
    /// A thread starts over only when some other thread has made progress.
    fn measure(&self) -> Option<u64> {
        loop {
            // Another thread may be replacing the line just now. Its facts are not to be trusted
            // until that is done.
            let version = self.load_version();
            if version.is_prepared() {
                self.wait_or_cancel(version);
                continue;
            }
            // All readings lie between two loads of the version, so if it is still the same, they
            // belong together, as under a sequence lock.
            let counter = self.source.counter();
            let (anchor, number) = self.load_anchor(version);
            let raw = self.source.raw();
            let wall = self.source.wall();
            // Acquire: as in `at`. Here it also means that no line was started before the wall
            // clock was read.
            fence(Ordering::Acquire);
            if self.load_version() != version {
                continue;
            }
            if version.has_line()
                && let Some(time) = anchor.line.at(counter)
            {
                // Another thread was faster.
                return Some(time);
            }
            // A new line takes a while to measure, so one thread does it, and only when it is due.
            let is_due = wall.is_some_and(|wall| anchor.is_due(wall, &self.limits));
            if is_due && self.take() {
                let time = self.anchor(version);
                self.holder.store(NOBODY, Ordering::Release);
                match time {
                    Some(time) => return Some(time),
                    None => continue,
                }
            }
            // Meanwhile the others go by the wall clock, but not below what the old line has shown,
            // unless the wall clock really was set back. Once one thread has seen that, all must.
            if wall.is_none_or(|wall| anchor.is_set_back(raw, wall)) {
                self.set_back.fetch_max(number, Ordering::Relaxed);
            }
            let was_set_back = self.set_back.load(Ordering::Relaxed) == number;
            return wall.map(|wall| if was_set_back { wall } else { anchor.floored(wall) });
        }
    }

    /// Makes this thread the only one in the process that makes an anchor. Returns `false` if one
    /// is being made already.
    fn take(&self) -> bool {
        let this = Process::this().number();
        let holder = self.holder.load(Ordering::Relaxed);
        // Acquire: one holder's anchors happen before the next holder's.
        let take = || {
            self.holder.compare_exchange(holder, this, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        holder != this && take()
    }

    /// Makes the anchor after the one of `version`, and returns the time there, or `None` if a
    /// thread came in between. Only the thread that [took](Self::take) this on may call it.
    fn anchor(&self, version: Version) -> Option<u64> {
        let prepared = version.without_line(Version::PREPARED);
        if !self.replace(version, prepared) {
            return None;
        }
        // Release: a thread that reads a value written below also sees that the previous version is
        // over. (The line written belongs to the previous version, not to this one; the version
        // check of its readers fails.)
        fence(Ordering::Release);
        let Some(reading) = self.read() else {
            self.replace(prepared, prepared.without_line(Version::CANCELLED));
            return None;
        };
        let (last, number) = self.load_anchor(prepared);
        let was_set_back = self.set_back.load(Ordering::Relaxed) == number;
        let next = last.next(&reading, was_set_back, &self.limits);
        let version = prepared.with_next_anchor();
        self.store_anchor(version, next);
        self.replace(prepared, version).then(|| next.line.time.max(reading.wall))
    }

    /// Reads all clocks at the same moment, as closely as possible in three tries.
    fn read(&self) -> Option<ClockReadings> {
        let try_once = || {
            let raw = self.source.raw();
            let counter = self.source.counter();
            let wall = self.source.wall()?;
            let uncertainty = self.source.raw().saturating_sub(raw);
            Some(ClockReadings { counter, wall, raw, uncertainty })
        };
        // If the thread is interrupted in between, the reading is uncertain.
        let is_certain = |reading: &ClockReadings| reading.uncertainty <= self.limits.uncertainty;
        let first = try_once()?;
        if is_certain(&first) {
            return Some(first);
        }
        let second = try_once()?;
        if is_certain(&second) { Some(second) } else { try_once() }
    }

    /// Waits for the line that a thread is making, but only for a moment, since that thread may be
    /// held up, or may have been left behind in the parent process by a `fork`.
    fn wait_or_cancel(&self, prepared: Version) {
        for _ in 0..LOOKS {
            if self.load_version() != prepared {
                return;
            }
            spin_loop();
        }
        // The exchange fails if the line is finished, or if another thread has cancelled it.
        self.replace(prepared, prepared.without_line(Version::CANCELLED));
    }

    fn load_version(&self) -> Version {
        Version(self.version.load(Ordering::Acquire))
    }

    fn replace(&self, version: Version, next: Version) -> bool {
        let exchanged =
            self.version.compare_exchange(version.0, next.0, Ordering::AcqRel, Ordering::Relaxed);
        exchanged.is_ok()
    }

    /// Returns the anchor of `version`, and the version that brought it into force. The anchor is
    /// whole only if the version is still the same afterwards.
    fn load_anchor(&self, version: Version) -> (Anchor, u64) {
        let place = version.anchor();
        let shared = &self.anchors[place];
        let words = shared.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        let number = shared.version.load(Ordering::Relaxed);
        (Anchor::from_words(self.lines[place].load(), words), number)
    }

    fn store_anchor(&self, version: Version, anchor: Anchor) {
        let place = version.anchor();
        self.lines[place].store(&anchor.line);
        let shared = &self.anchors[place];
        for (word, value) in shared.words.iter().zip(anchor.to_words()) {
            word.store(value, Ordering::Relaxed);
        }
        shared.version.store(version.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::thread;

    use super::*;

    /// The simulated histories hold the bounds. This one shows that the processor's counter is read
    /// as they assume: if it is not, all readings are off. Some of them may be whenever the machine
    /// is paused or its clock is set.
    #[test]
    #[cfg_attr(miri, ignore = "an interpreter is too slow for real clocks")]
    fn most_readings_are_within_the_error() {
        const LINES: u32 = 200;
        const READINGS: u32 = 100;
        let error = Duration::from_micros(20);
        let clock = CounterClock::new();
        let mut within = 0;
        for _ in 0..LINES {
            // Sleep past the end of a line, so that the next reading starts a new one.
            thread::sleep(Duration::from_millis(3));
            for _ in 0..READINGS {
                // The system's clock is read before and after, so an interruption only widens the
                // bounds.
                let before = SystemClock.now().unwrap().checked_sub(error).unwrap();
                let now = clock.now().unwrap();
                let after = SystemClock.now().unwrap().checked_add(error).unwrap();
                within += u32::from(before <= now && now <= after);
            }
        }
        assert!(within > LINES * READINGS / 2, "{within} of {}", LINES * READINGS);
    }

    #[test]
    #[cfg_attr(miri, ignore = "an interpreter is too slow for real clocks")]
    fn threads_never_read_backwards() {
        let clock = CounterClock::new();
        let highest = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200_000 {
                        let seen = highest.load(Ordering::SeqCst);
                        let now = clock.now().unwrap().as_micros().cast_unsigned();
                        assert!(now >= seen, "{now} after {seen}");
                        highest.fetch_max(now, Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn falls_back_to_the_system_clock() {
        let clock = CounterClock::with_counter(false);
        let before = SystemClock.now().unwrap();
        let now = clock.now().unwrap();
        assert!(before <= now && now <= SystemClock.now().unwrap());
        assert_eq!(clock.shared.load_version(), Version::FIRST);
    }
}
