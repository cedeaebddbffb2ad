//! The processor's time-stamp counter, held to the wall clock.
//!
//! `unsafe` is allowed here for the two instructions that read the counter.
#![allow(unsafe_code, reason = "reading the time-stamp counter has no safe function")]

use core::arch::x86_64::{_mm_lfence, _rdtsc};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::string::String;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::clock::{Clock, SystemClock};
use crate::error::ClockError;
use crate::time::UnixTime;

/// Times are in 1/256 microseconds since 1970 here.
const FRACTION_BITS: u32 = 8;
const MICROSECOND: u64 = 1 << FRACTION_BITS;
const MILLISECOND: u64 = 1_000 * MICROSECOND;
/// Rates are in times per counter tick, in units of 2^-32.
const RATE_BITS: u32 = 32;

/// How long an anchor is good for.
const PERIOD: u64 = 10 * MILLISECOND;
/// From which difference on the system's clock was stepped, not slewed.
const STEP: u64 = MILLISECOND;
/// How far apart two readings must be for the counter's rate to be known from them.
const CALIBRATION: u64 = MILLISECOND;
/// How far apart the two clocks' readings for one anchor may be.
const SKEW: u64 = MICROSECOND / 4;
/// By which part of itself the rate is lowered at most, to let the system's clock catch up.
const MAX_SLOWING: u64 = 1_000;

/// A wall clock at half the price of [`SystemClock`]: the processor's time-stamp counter, held to the
/// system's clock every 10 milliseconds.
///
/// - **Error**: within 50 microseconds of the system's clock, unless that is stepped
///   (`stays_within_its_error_of_the_system_clock`). A step, a suspend or a move to another machine shows at the
///   next comparison, thus within 10 milliseconds of running time (`an_anchor_is_good_for_ten_milliseconds`,
///   `steps_either_way_are_followed_at_once`, `a_counter_that_starts_anew_is_followed_at_once`). One thread
///   compares; while it is held up in doing so, the others go on by the comparison before.
/// - **Order**: it does not go back unless the system's clock was stepped
///   (`no_thread_sees_less_than_another_has_seen`). What it is ahead by, it loses by running slower
///   (`being_ahead_is_lost_by_running_slower_without_going_back`).
/// - **Where**: on x86-64 Linux, when the kernel itself keeps time by the counter (so that it runs
///   steadily and alike on all processors). Elsewhere, and in its first millisecond, it reads the
///   system's clock (`without_a_steady_counter_it_is_the_system_clock`).
#[derive(Debug)]
pub struct CounterClock {
    /// Whether the counter can be trusted.
    is_steady: bool,
    /// How many anchors were made; the lowest bit says which of the two is in force.
    version: AtomicU64,
    anchors: [SharedAnchor; 2],
    /// Whether some thread is making the next anchor. The others go on with the last one.
    is_anchoring: AtomicBool,
}

/// A moment by both clocks, and how the counter runs from there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Anchor {
    counter: u64,
    /// What this clock says at `counter`: the system's time, or a little more.
    time: u64,
    /// What the system's clock said.
    exact: u64,
    /// Zero until it is known.
    rate: u64,
    /// By how much the counter may be ahead of `counter` before the next anchor is due.
    lifetime: u64,
}

impl Anchor {
    /// This clock's time when the counter shows `counter`; the anchor's own for a reading before it.
    fn extrapolate(&self, counter: u64) -> u64 {
        let elapsed = counter.saturating_sub(self.counter);
        self.time.saturating_add(proportion(elapsed, self.rate, 1 << RATE_BITS))
    }

    /// The anchor after this one, made when the counter showed `counter` and the system's clock `exact`.
    fn next(&self, counter: u64, exact: u64) -> Self {
        let fresh = Self { counter, time: exact, exact, ..*self };
        let (Some(elapsed), Some(run)) =
            (counter.checked_sub(self.counter), exact.checked_sub(self.exact))
        else {
            // The system's clock was stepped back, or the counter started anew.
            return fresh;
        };
        if self.exact == 0 {
            return fresh;
        }
        if self.rate == 0 {
            // So far everybody has read the system's clock itself, perhaps a little later than here.
            let time = exact.saturating_add(SKEW);
            let known = Self { time, ..fresh.with_rate(run, elapsed) };
            return if run < CALIBRATION { *self } else { known };
        }
        let expected = self.extrapolate(counter);
        if expected.abs_diff(exact) >= STEP {
            return fresh;
        }
        let fresh = if run < CALIBRATION { fresh } else { fresh.with_rate(run, elapsed) };
        let Some(ahead) = expected.checked_sub(exact) else {
            return fresh;
        };
        // Never back: from where this clock is, a little slower, until the other has caught up.
        let slowing = (fresh.rate / MAX_SLOWING).min(proportion(fresh.rate, ahead, PERIOD));
        Self { time: expected, rate: fresh.rate - slowing, ..fresh }
    }

    fn with_rate(self, run: u64, elapsed: u64) -> Self {
        let rate = proportion(run, 1 << RATE_BITS, elapsed.max(1));
        let lifetime = proportion(PERIOD, 1 << RATE_BITS, rate.max(1));
        Self { rate, lifetime, ..self }
    }
}

/// `value * numerator / denominator`, or as much as fits.
fn proportion(value: u64, numerator: u64, denominator: u64) -> u64 {
    let exact = u128::from(value) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// An [`Anchor`] that one thread may write while others find out that they must not use it.
#[derive(Debug, Default)]
struct SharedAnchor {
    counter: AtomicU64,
    time: AtomicU64,
    exact: AtomicU64,
    rate: AtomicU64,
    lifetime: AtomicU64,
}

impl SharedAnchor {
    #[inline]
    fn load(&self) -> Anchor {
        Anchor {
            counter: self.counter.load(Ordering::Relaxed),
            time: self.time.load(Ordering::Relaxed),
            exact: self.exact.load(Ordering::Relaxed),
            rate: self.rate.load(Ordering::Relaxed),
            lifetime: self.lifetime.load(Ordering::Relaxed),
        }
    }

    fn store(&self, anchor: Anchor) {
        self.counter.store(anchor.counter, Ordering::Relaxed);
        self.time.store(anchor.time, Ordering::Relaxed);
        self.exact.store(anchor.exact, Ordering::Relaxed);
        self.rate.store(anchor.rate, Ordering::Relaxed);
        self.lifetime.store(anchor.lifetime, Ordering::Relaxed);
    }
}

impl CounterClock {
    /// A clock that has yet to learn how fast the counter runs.
    #[must_use]
    pub fn new() -> Self {
        Self::with_counter(counter_is_steady())
    }

    fn with_counter(is_steady: bool) -> Self {
        Self {
            is_steady,
            version: AtomicU64::new(0),
            anchors: [SharedAnchor::default(), SharedAnchor::default()],
            is_anchoring: AtomicBool::new(false),
        }
    }

    /// The anchor in force, or `None` when it was replaced meanwhile.
    #[inline]
    fn anchor(&self) -> Option<Anchor> {
        // Acquire pairs with the release in `publish`: the anchor of this version is complete.
        let version = self.version.load(Ordering::Acquire);
        let anchor = self.anchors[(version & 1) as usize].load();
        // Orders the loads above before the one below: had one of them read what a later `publish`
        // wrote, this one would see that the version has moved on.
        fence(Ordering::Acquire);
        (self.version.load(Ordering::Relaxed) == version).then_some(anchor)
    }

    /// Puts the anchor after the present one in force. Only for the thread that is anchoring.
    fn publish(&self, anchor: Anchor) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        // Release: whoever reads a field written below sees that the version before is over. (A
        // reader of this slot is two versions behind, and its version check fails.)
        fence(Ordering::Release);
        self.anchors[(version & 1) as usize].store(anchor);
        self.version.store(version, Ordering::Release);
    }

    /// The time by the anchor in force, while it is good.
    #[inline]
    fn extrapolated(&self, counter: u64) -> Option<UnixTime> {
        let anchor = self.anchor()?;
        let elapsed = counter.wrapping_sub(anchor.counter);
        // A reading from before the anchor wraps around to more than any lifetime. That of an
        // unknown rate is zero.
        if elapsed >= anchor.lifetime {
            return None;
        }
        // A lifetime is PERIOD, and `elapsed * rate` less than PERIOD << RATE_BITS: 54 bits.
        Some(unix_time(anchor.time + ((elapsed * anchor.rate) >> RATE_BITS)))
    }

    /// The time from a new anchor, or from the present one while another thread makes a new one.
    #[cold]
    fn anchored(&self) -> Result<UnixTime, ClockError> {
        // Acquire and release: the anchors of one holder happen before those of the next.
        let holder = !self.is_anchoring.swap(true, Ordering::Acquire);
        let time = if holder { self.make_anchor() } else { self.overdue() };
        if holder {
            self.is_anchoring.store(false, Ordering::Release);
        }
        time
    }

    fn make_anchor(&self) -> Result<UnixTime, ClockError> {
        let Some((counter, exact)) = read_both() else {
            return SystemClock.now();
        };
        let last = self.anchors[(self.version.load(Ordering::Relaxed) & 1) as usize].load();
        if counter.wrapping_sub(last.counter) < last.lifetime {
            // Somebody was faster.
            return Ok(unix_time(last.extrapolate(counter)));
        }
        let next = last.next(counter, exact);
        if next != last {
            self.publish(next);
        }
        Ok(unix_time(if next.rate == 0 { exact } else { next.extrapolate(counter) }))
    }

    /// The time while another thread is anchoring: by the last anchor, however old it is.
    fn overdue(&self) -> Result<UnixTime, ClockError> {
        match self.anchor() {
            Some(anchor) if anchor.rate != 0 => Ok(unix_time(anchor.extrapolate(counter()))),
            _ => SystemClock.now(),
        }
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
        match self.extrapolated(counter()) {
            Some(time) => Ok(time),
            None => self.anchored(),
        }
    }

    #[inline]
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        if !self.is_steady {
            return SystemClock.now();
        }
        // SAFETY: every x86-64 processor has the instruction; it touches no memory.
        let counter = unsafe { _rdtsc() };
        match self.extrapolated(counter) {
            Some(time) => Ok(time),
            None => self.anchored(),
        }
    }
}

#[inline]
fn unix_time(time: u64) -> UnixTime {
    UnixTime::from_micros((time >> FRACTION_BITS).cast_signed())
}

/// The counter, read after everything that comes before in the program.
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has both instructions; neither touches memory.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}

/// The counter and the system's clock at the same moment, as nearly as three tries give; `None` for a
/// time that does not fit.
fn read_both() -> Option<(u64, u64)> {
    let try_once = || {
        let before = counter();
        let exact = exact_time()?;
        let width = counter().wrapping_sub(before);
        Some((width, before.wrapping_add(width / 2), exact))
    };
    // A thread that is interrupted between the two readings gets a wide one.
    let tries = [try_once()?, try_once()?, try_once()?];
    let (_, counter, exact) = tries.into_iter().min_by_key(|&(width, ..)| width)?;
    Some((counter, exact))
}

/// The system's clock.
fn exact_time() -> Option<u64> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let whole = since_1970.as_secs().checked_mul(1_000 * MILLISECOND)?;
    let time = whole + u64::from(since_1970.subsec_nanos()) * MICROSECOND / 1_000;
    // Far enough from the end that no anchor runs past it.
    (time < u64::MAX / 2).then_some(time)
}

/// Whether the kernel keeps time by the counter, having found it invariant and the same on all
/// processors. Miri has none.
fn counter_is_steady() -> bool {
    static IS_STEADY: OnceLock<bool> = OnceLock::new();
    *IS_STEADY.get_or_init(|| {
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let is_tsc = |name: String| name.trim_end() == "tsc";
        !cfg!(miri) && std::fs::read_to_string(source).is_ok_and(is_tsc)
    })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::thread;
    use std::time::Instant;

    use super::*;

    /// A counter of 3 GHz, so that a time is 11.72 counter ticks.
    const fn counter_at(time: u64) -> u64 {
        (1 << 40) | (time * 3_000 / MICROSECOND)
    }

    const START: u64 = 1 << 58;

    /// An anchor that has learnt the rate of the counter.
    fn anchor() -> Anchor {
        let first = Anchor::default().next(counter_at(0), START);
        let second = first.next(counter_at(2 * MILLISECOND), START + 2 * MILLISECOND);
        assert_ne!(second.rate, 0);
        second
    }

    const AFTER: u64 = 12 * MILLISECOND;

    #[test]
    fn the_rate_is_unknown_until_a_millisecond_has_passed() {
        let first = Anchor::default().next(counter_at(0), START);
        assert_eq!((first.rate, first.lifetime, first.exact), (0, 0, START));
        let early = first.next(counter_at(MILLISECOND - 1), START + MILLISECOND - 1);
        assert_eq!(early, first);
        let known = first.next(counter_at(MILLISECOND), START + MILLISECOND);
        assert_eq!(known.rate, (MICROSECOND << RATE_BITS) / 3_000);
    }

    #[test]
    fn an_anchor_is_good_for_ten_milliseconds() {
        let lifetime = counter_at(anchor().lifetime) - counter_at(0);
        assert!(anchor().lifetime.abs_diff(30_000_000) < 30, "{}", anchor().lifetime);
        assert!(lifetime > 0);
    }

    #[test]
    fn extrapolation_follows_the_counter() {
        let time = anchor().extrapolate(counter_at(AFTER));
        assert!(time.abs_diff(START + AFTER) <= 2 * SKEW);
        // A reading from before the anchor is not far in the future.
        assert_eq!(anchor().extrapolate(counter_at(0)), anchor().time);
    }

    #[test]
    fn being_behind_is_made_up_for_at_once() {
        let exact = START + AFTER + 30 * MICROSECOND;
        let next = anchor().next(counter_at(AFTER), exact);
        assert_eq!((next.time, next.exact), (exact, exact));
    }

    #[test]
    fn being_ahead_is_lost_by_running_slower_without_going_back() {
        let exact = START + AFTER - 5 * MICROSECOND;
        let next = anchor().next(counter_at(AFTER), exact);
        assert_eq!(next.time, anchor().extrapolate(counter_at(AFTER)));
        assert_eq!(next.exact, exact);
        assert!(next.rate < anchor().rate);
        // After another ten milliseconds by the counter the system's clock has caught up.
        let later = counter_at(AFTER + 10 * MILLISECOND);
        assert!(next.extrapolate(later).abs_diff(exact + 10 * MILLISECOND) < 6 * MICROSECOND);
    }

    #[test]
    fn steps_either_way_are_followed_at_once() {
        for exact in [START - 1_000 * MILLISECOND, START + 5 * MILLISECOND, START + (1 << 50)] {
            let next = anchor().next(counter_at(AFTER), exact);
            assert_eq!((next.time, next.exact), (exact, exact));
            assert_eq!(next.rate, anchor().rate);
        }
    }

    #[test]
    fn a_counter_that_starts_anew_is_followed_at_once() {
        let next = anchor().next(17, START + AFTER);
        assert_eq!((next.counter, next.time), (17, START + AFTER));
    }

    #[test]
    fn stays_within_its_error_of_the_system_clock() {
        let error = Duration::from_micros(50);
        let clock = CounterClock::new();
        let start = Instant::now();
        for reading in 1_u32.. {
            if start.elapsed() > Duration::from_secs(3) {
                break;
            }
            if reading.is_multiple_of(5_000) {
                // Past the end of an anchor, so that the next reading starts from a new one.
                thread::sleep(Duration::from_millis(15));
            }
            // The system's clock before and after: an interruption only widens what is allowed.
            let before = SystemClock.now().unwrap().checked_sub(error).unwrap();
            let now = clock.now().unwrap();
            let after = SystemClock.now().unwrap().checked_add(error).unwrap();
            assert!(before <= now && now <= after, "{before} {now} {after}");
        }
    }

    #[test]
    fn no_thread_sees_less_than_another_has_seen() {
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
    fn without_a_steady_counter_it_is_the_system_clock() {
        let clock = CounterClock::with_counter(false);
        let before = SystemClock.now().unwrap();
        let now = clock.now().unwrap();
        assert!(before <= now && now <= SystemClock.now().unwrap());
        assert_eq!(clock.version.load(Ordering::Relaxed), 0);
    }
}
