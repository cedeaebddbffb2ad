//! Reports of ticks that ran out of sequences.

use alloc::boxed::Box;
use core::cell::Cell;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::sync::atomic::{AtomicU64, Ordering};

use crate::fork::PerProcess;
use crate::time::UnixTime;

/// A report that all sequences of a tick are used up, and that calls wait. The first call that is
/// about to wait in such a tick makes it, so there is one report per tick. If reports come often,
/// the program needs more nodes, or a scheme with more sequences per second.
///
/// Under tick-tock, a tick to which the clock was set back has its sequences twice, once for each
/// toggle, and so up to two reports.
///
/// It corresponds to `SequenceOverflowNotification` in sno's document ("Sequence overflow").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Overflow {
    /// The clock reading.
    pub time: UnixTime,
    /// The number of calls on this generator that are waiting now, this one included.
    pub waiting: u32,
    /// The number of ticks for which some call has been waiting without a break. It is 0 if the
    /// wait has just begun.
    pub ticks: u64,
}

/// Counts the calls that wait and calls the observer.
#[derive(Default)]
pub(crate) struct OverflowWatch {
    observer: Option<Box<dyn Fn(Overflow) + Send + Sync>>,
    /// For each toggle, one past the last tick that was reported. Under tick-tock the clock may go
    /// back, but the ticks of one toggle ascend.
    reported: [AtomicU64; 2],
    /// Each process has its own, so calls that wait in the parent do not count in a child.
    spell: PerProcess<AtomicSpell>,
}

/// A time during which some call was always waiting. It is one word rather than a lock, because
/// some thread might hold the lock at the moment of a `fork`, and the child would never see it
/// released.
#[derive(Debug, Default)]
struct AtomicSpell(AtomicU64);

/// The number of bits that count calls. The others hold as much of the first tick as there is room
/// for.
const WAITING_BITS: u32 = 24;
const TICK_BITS: u32 = u64::BITS - WAITING_BITS;

impl AtomicSpell {
    /// Counts a call that starts to wait at `tick`. Returns how many calls wait, and for how many
    /// ticks some call has.
    fn enter(&self, tick: u64) -> (u32, u64) {
        let next = |spell: u64| match spell & ((1 << WAITING_BITS) - 1) {
            0 => (tick << WAITING_BITS) | 1,
            _ => spell + 1,
        };
        let mut spell = self.0.load(Ordering::Relaxed);
        // Relaxed: nothing else depends on it.
        while let Err(seen) =
            self.0.compare_exchange_weak(spell, next(spell), Ordering::Relaxed, Ordering::Relaxed)
        {
            spell = seen;
        }
        let spell = next(spell);
        let waiting = spell & ((1 << WAITING_BITS) - 1);
        let ticks = (tick << WAITING_BITS).wrapping_sub(spell - waiting) >> WAITING_BITS;
        // The clock may have been set back since.
        let ticks = if ticks < 1 << (TICK_BITS - 1) { ticks } else { 0 };
        (u32::try_from(waiting).unwrap_or(u32::MAX), ticks)
    }

    fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

std::thread_local! {
    /// Set while an observer runs on this thread, since it may generate IDs and so overflow itself.
    static OBSERVING: Cell<bool> = const { Cell::new(false) };
}

impl OverflowWatch {
    pub(crate) fn new(observer: impl Fn(Overflow) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..Self::default() }
    }

    /// Counts the caller as waiting until the returned value is dropped.
    pub(crate) fn enter(&self, time: UnixTime, tick: u64, toggle: bool) -> WaitingCall<'_> {
        let spell = self.spell.get_or_set(AtomicSpell::default);
        let (waiting, ticks) = spell.enter(tick);
        let event = Overflow { time, waiting, ticks };
        let waiting = WaitingCall(spell);
        if let Some(observer) = &self.observer
            && !OBSERVING.get()
            // Relaxed: whichever call comes first reports the tick, and nothing depends on it.
            && self.reported[usize::from(toggle)].fetch_max(tick + 1, Ordering::Relaxed) <= tick
        {
            OBSERVING.set(true);
            let _observing = Observing;
            observer(event);
        }
        waiting
    }

    /// Starts over, with a generator whose ticks no longer ascend.
    pub(crate) fn reset(&mut self) {
        self.reported = Default::default();
    }
}

// Whatever an observer does, the generator is in order when it is called.
impl UnwindSafe for OverflowWatch {}
impl RefUnwindSafe for OverflowWatch {}

impl fmt::Debug for OverflowWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowWatch").field("spell", &self.spell).finish_non_exhaustive()
    }
}

/// A waiting call, which is no longer counted once this is dropped, also when unwinding.
pub(crate) struct WaitingCall<'a>(&'a AtomicSpell);

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

struct Observing;

impl Drop for Observing {
    fn drop(&mut self) {
        OBSERVING.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_count_calls_and_ticks() {
        let spell = AtomicSpell::default();
        let last = (1 << 63) - 1;
        assert_eq!(
            [5, 7, 3, last].map(|tick| spell.enter(tick)).map(|(calls, _)| calls),
            [1, 2, 3, 4]
        );
        assert_eq!((spell.enter(8), spell.enter(4)), ((5, 3), (6, 0)));
        for _ in 0..6 {
            spell.leave();
        }
        assert_eq!((spell.enter(last), spell.enter(last)), ((1, 0), (2, 0)));
        // More ticks than this are taken for a clock that was set back.
        let (spell, most) = (AtomicSpell::default(), (1 << 39) - 1);
        assert_eq!([0, most, most + 1].map(|tick| spell.enter(tick)), [(1, 0), (2, most), (3, 0)]);
    }
}
