//! The rules of a generator once more, in plain ticks: what the engine is held against.
//!
//! Written from the table of policies in the design, not from the engine. It has no words, no
//! stamps and no bits; `None` is a generator that has issued nothing yet.

use super::Start;
use tickid_core::SequenceBounds;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Ratchet(u64),
    Wait,
    TickTock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    Rollback,
    Exhausted,
    Window,
    EndOfTime,
    Clock,
    SequenceStart,
}

/// Why not, and the tick at which the clock has to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) reason: Reason,
    pub(crate) until: Option<u64>,
}

/// `len` sequences from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) tick: u64,
    pub(crate) toggle: bool,
    pub(crate) first: u32,
    pub(crate) len: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) rule: Rule,
    pub(crate) start: Start,
    pub(crate) bounds: SequenceBounds,
    pub(crate) floor: u64,
    pub(crate) ceiling: u64,
    /// The first and the last tick that may be issued.
    pub(crate) first: u64,
    pub(crate) end: u64,
    /// The tick issued last.
    pub(crate) tick: Option<u64>,
    pub(crate) toggle: bool,
    pub(crate) next: u32,
    pub(crate) drifts: u32,
    /// For each toggle, one past the last tick in which it was left.
    pub(crate) past: [u64; 2],
}

impl Reference {
    /// Up to `want` sequences when the clock reads `micros`.
    pub(crate) fn ask(&mut self, micros: i64, want: u32) -> Result<Run, Refused> {
        let now = micros.div_euclid(1_000_000);
        let now = match u64::try_from(now) {
            Ok(now) if self.first <= now && now <= self.end => now,
            _ => return self.refuse(Reason::Clock, None),
        };
        match self.tick {
            Some(tick) if now <= tick => self.go_on(tick, now)?,
            _ => self.enter(now, now, self.toggle)?,
        }
        let first = self.next;
        let len = want.min(self.bounds.last() - first + 1);
        self.next += len;
        Ok(Run { tick: self.tick.unwrap(), toggle: self.toggle, first, len })
    }

    /// The clock is not past the tick issued last.
    fn go_on(&mut self, tick: u64, now: u64) -> Result<(), Refused> {
        let used_up = self.next > self.bounds.last();
        let other = self.past[usize::from(!self.toggle)];
        let resumes = if used_up { tick + 1 } else { tick };
        match self.rule {
            Rule::Ratchet(allowance) if tick - now > allowance => {
                self.refuse(Reason::Rollback, Some(tick - allowance))
            }
            Rule::Ratchet(_) if used_up => self.enter(tick + 1, now, self.toggle),
            Rule::Wait | Rule::TickTock if tick == now && used_up => {
                self.refuse(Reason::Exhausted, Some(tick + 1))
            }
            Rule::Wait if tick != now => self.refuse(Reason::Rollback, Some(resumes)),
            Rule::TickTock if tick != now && now >= other => self.enter(now, now, !self.toggle),
            Rule::TickTock if tick != now => {
                self.refuse(Reason::Rollback, Some(resumes.min(other)))
            }
            _ => Ok(()),
        }
    }

    /// Begins `tick`, or the floor's if a ratchet reaches that far.
    fn enter(&mut self, tick: u64, now: u64, toggle: bool) -> Result<(), Refused> {
        let reach = match self.rule {
            Rule::Ratchet(allowance) => now.saturating_add(allowance),
            Rule::Wait | Rule::TickTock => now,
        };
        if reach < self.floor {
            return self.refuse(Reason::Window, Some(self.floor - (reach - now)));
        }
        let tick = tick.max(self.floor);
        if tick > self.end {
            return self.refuse(Reason::EndOfTime, None);
        }
        if tick >= self.ceiling {
            return self.refuse(Reason::Window, None);
        }
        let start = self.start.start(tick, self.bounds);
        if start < self.bounds.lowest() || start > self.bounds.last() {
            return self.refuse(Reason::SequenceStart, None);
        }
        if toggle != self.toggle {
            self.past[usize::from(self.toggle)] = self.tick.map_or(0, |tick| tick + 1);
            self.drifts += 1;
        }
        self.tick = Some(tick);
        self.toggle = toggle;
        self.next = start;
        Ok(())
    }

    fn refuse<T>(&self, reason: Reason, until: Option<u64>) -> Result<T, Refused> {
        Err(match until {
            Some(tick) if tick > self.end => Refused { reason: Reason::EndOfTime, until: None },
            until => Refused { reason, until },
        })
    }
}
