//! The rules of a generator in plain ticks, as a model to compare the engine with.
//!
//! Written from the table of policies in the design, not from the engine. It has no words, no
//! stamps and no bits; `None` is a generator that has issued nothing yet.

use crate::example::Start;
use tickid_core::SequenceBounds;

/// A policy in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A ratchet with its allowance in ticks.
    Ratchet(u64),
    /// Wait.
    Wait,
    /// Tick-tock.
    TickTock,
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The clock went back.
    Rollback,
    /// The sequences of the tick are used up.
    Exhausted,
    /// The tick lies outside of the window.
    Window,
    /// The scheme has no further tick.
    EndOfTime,
    /// No ID can have the time of the clock.
    Clock,
    /// The start rule returned a sequence outside of the bounds.
    SequenceStart,
}

/// A refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its reason.
    pub reason: Reason,
    /// The tick that the clock has to reach.
    pub until: Option<u64>,
}

/// `len` sequences from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The tick.
    pub tick: u64,
    /// The toggle bit.
    pub toggle: bool,
    /// The first sequence.
    pub first: u32,
    /// The number of sequences.
    pub len: u32,
}

/// The state of a generator.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The policy.
    pub rule: Rule,
    /// The start rule.
    pub start: Start,
    /// The sequences.
    pub bounds: SequenceBounds,
    /// The first tick of the window.
    pub floor: u64,
    /// One past the last tick of the window.
    pub ceiling: u64,
    /// The first tick that may be issued.
    pub first: u64,
    /// The last tick that may be issued.
    pub end: u64,
    /// The tick issued last.
    pub tick: Option<u64>,
    /// The toggle bit.
    pub toggle: bool,
    /// The next sequence.
    pub next: u32,
    /// The number of flips.
    pub drifts: u32,
    /// For each toggle, one past the last tick in which it was left.
    pub past: [u64; 2],
}

impl Reference {
    /// Draws up to `want` sequences when the clock reads `micros`.
    ///
    /// # Errors
    /// Returns the refusal, and leaves the state as it was.
    ///
    /// # Panics
    /// Never: a tick is entered before it is drawn from.
    pub fn ask(&mut self, micros: i64, want: u32) -> Result<Run, Refused> {
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
