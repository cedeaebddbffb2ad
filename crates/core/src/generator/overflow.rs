//! Telling the user that a tick's sequences were not enough.

use alloc::boxed::Box;
use core::cell::Cell;
use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::time::UnixTime;

/// A call is about to wait because all sequences of the tick are used up.
///
/// Spec: sno, "Sequence overflow" (`SequenceOverflowNotification`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Overflow {
    /// What the clock read.
    pub time: UnixTime,
    /// How many calls on this generator are waiting now, this one included.
    pub waiting: u32,
    /// For how many ticks some call has been waiting without a break; 0 at the start.
    pub ticks: u64,
}

/// Counts those who wait and tells the observer.
pub(crate) struct OverflowWatch {
    observer: Option<Box<dyn Fn(Overflow) + Send + Sync>>,
    /// Only those about to wait take this lock, and nobody holds it while the observer runs.
    spell: Mutex<Spell>,
}

/// A time during which there was always somebody waiting.
#[derive(Debug, Default)]
struct Spell {
    waiting: u32,
    first_tick: u64,
}

std::thread_local! {
    /// Set while an observer runs on this thread, which may generate and so overflow itself.
    static OBSERVING: Cell<bool> = const { Cell::new(false) };
}

impl OverflowWatch {
    pub(crate) fn new(observer: Option<Box<dyn Fn(Overflow) + Send + Sync>>) -> Self {
        Self { observer, spell: Mutex::default() }
    }

    fn spell(&self) -> MutexGuard<'_, Spell> {
        self.spell.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the caller among those who wait, until the value returned is dropped.
    pub(crate) fn enter(&self, time: UnixTime, tick: u64) -> Waiting<'_> {
        let event = {
            let mut spell = self.spell();
            if spell.waiting == 0 {
                spell.first_tick = tick;
            }
            spell.waiting += 1;
            let ticks = tick.saturating_sub(spell.first_tick);
            Overflow { time, waiting: spell.waiting, ticks }
        };
        let waiting = Waiting(self);
        if let Some(observer) = &self.observer
            && !OBSERVING.replace(true)
        {
            let _observing = Observing;
            observer(event);
        }
        waiting
    }
}

impl fmt::Debug for OverflowWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverflowWatch").field("spell", &self.spell).finish_non_exhaustive()
    }
}

/// One call that waits; also when it unwinds.
pub(crate) struct Waiting<'a>(&'a OverflowWatch);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.spell().waiting -= 1;
    }
}

struct Observing;

impl Drop for Observing {
    fn drop(&mut self) {
        OBSERVING.set(false);
    }
}
