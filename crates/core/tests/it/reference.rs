//! Tests that generators follow the rules, call by call. The rules are the design's table of
//! policies, written as a state machine in plain ticks, without words, stamps and bits.

use tickid_core::example::Toggling;
use tickid_core::{ClockError, Error, ErrorKind, Snapshot, StallReason, Tick, UnixTime};
use tickid_testkit::example::{Example, ExampleScheme, NODE, Narrow};
use tickid_testkit::invariants::Rule;
use tickid_testkit::reference::{Document, Given, follow};

/// The reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Stalled(StallReason),
    EndOfTime,
    Clock,
    SequenceStart,
}

/// A refusal, with the tick that the clock has to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refused {
    reason: Reason,
    until: Option<u64>,
}

impl Refused {
    /// Reports whether `error` says so, at a clock that reads `micros`.
    fn is(self, error: &Error, micros: i64) -> bool {
        let reason = match error.kind() {
            ErrorKind::Stalled(reason) => Reason::Stalled(reason),
            ErrorKind::EndOfTime => Reason::EndOfTime,
            ErrorKind::Clock(ClockError::OutOfRange { time, .. })
                if time == UnixTime::from_micros(micros) =>
            {
                Reason::Clock
            }
            ErrorKind::SequenceStart { .. } => Reason::SequenceStart,
            ErrorKind::Clock(_) | ErrorKind::Closed | ErrorKind::Variant(_) => return false,
            _ => return false,
        };
        let rest = |tick| i128::from(tick) * 1_000_000 - i128::from(micros);
        let rest = self.until.and_then(|tick| u128::try_from(rest(tick)).ok());
        (reason, error.retry_after().map(|rest| rest.as_micros())) == (self.reason, rest)
    }
}

/// The state of a generator.
struct Reference {
    given: Given,
    /// The first and the last tick that may be issued.
    range: (u64, u64),
    /// The tick issued last.
    tick: Option<u64>,
    toggle: bool,
    /// The next sequence.
    next: u32,
    /// The number of flips.
    drifts: u32,
    /// For each toggle, one past the last tick when it was left.
    past: [u64; 2],
}

impl Reference {
    /// The state of a generator that has issued no ID.
    const fn new(given: Given, range: (u64, u64)) -> Self {
        Self { given, range, tick: None, toggle: false, next: 0, drifts: 0, past: [0; 2] }
    }

    /// Moves to the tick of the next ID. A refusal changes nothing. `now` is the clock's tick, if
    /// its reading is not before the epoch.
    fn step(&mut self, now: Option<u64>) -> Result<(), Refused> {
        let Some(now) = now.filter(|now| (self.range.0..=self.range.1).contains(now)) else {
            return self.refuse(Reason::Clock, None);
        };
        match self.tick {
            Some(tick) if now <= tick => self.go_on(tick, now),
            _ => self.enter(now, now, self.toggle),
        }
    }

    /// Continues when the clock is not past the tick issued last.
    fn go_on(&mut self, tick: u64, now: u64) -> Result<(), Refused> {
        let used_up = self.next > self.given.last;
        let other = self.past[usize::from(!self.toggle)];
        let resumes = if used_up { tick + 1 } else { tick };
        let allowance = self.given.allowance;
        match self.given.rule {
            Rule::Ratchet if tick - now > allowance => {
                self.refuse(Reason::Stalled(StallReason::ClockBehind), Some(tick - allowance))
            }
            Rule::Ratchet if used_up => self.enter(tick + 1, now, self.toggle),
            Rule::Wait | Rule::TickTock if tick == now && used_up => {
                self.refuse(Reason::Stalled(StallReason::TickUsedUp), Some(tick + 1))
            }
            Rule::Wait if tick != now => {
                self.refuse(Reason::Stalled(StallReason::ClockBehind), Some(resumes))
            }
            Rule::TickTock if tick != now && now >= other => self.enter(now, now, !self.toggle),
            Rule::TickTock if tick != now => {
                self.refuse(Reason::Stalled(StallReason::ClockBehind), Some(resumes.min(other)))
            }
            Rule::Default | Rule::Ratchet | Rule::Wait | Rule::TickTock => Ok(()),
        }
    }

    /// Enters `tick`, or the floor if a ratchet reaches that far.
    fn enter(&mut self, tick: u64, now: u64, toggle: bool) -> Result<(), Refused> {
        // No other policy has an allowance.
        let reach = now.saturating_add(self.given.allowance);
        if reach < self.given.floor {
            return self.refuse(
                Reason::Stalled(StallReason::ClockBehind),
                Some(self.given.floor - (reach - now)),
            );
        }
        let tick = tick.max(self.given.floor);
        if tick > self.range.1 {
            return self.refuse(Reason::EndOfTime, None);
        }
        if tick >= self.given.ceiling {
            return self.refuse(Reason::Stalled(StallReason::WindowEnded), None);
        }
        let Some(start) = self.given.enter(tick) else {
            return self.refuse(Reason::SequenceStart, None);
        };
        if toggle != self.toggle {
            self.past[usize::from(self.toggle)] = self.tick.map_or(0, |tick| tick + 1);
            self.drifts += 1;
        }
        (self.tick, self.toggle, self.next) = (Some(tick), toggle, start);
        Ok(())
    }

    fn refuse(&self, reason: Reason, until: Option<u64>) -> Result<(), Refused> {
        Err(match until {
            Some(tick) if tick > self.range.1 => Refused { reason: Reason::EndOfTime, until: None },
            until => Refused { reason, until },
        })
    }
}

impl<S: ExampleScheme> Document<Example<S>> for Reference {
    fn new(given: Given) -> Self {
        Self::new(given, (S::FIRST_TICK, S::LAST_TICK))
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, form: S::Variant) -> Option<u64> {
        self.step(tick_of(micros)).ok()?;
        Document::<Example<S>>::more(self, form)
    }

    fn more(&mut self, _: S::Variant) -> Option<u64> {
        let sequence = Some(self.next).filter(|&next| next <= self.given.last)?;
        self.next += 1;
        let time = self.tick? << 1 | u64::from(self.toggle);
        Some(time << 16 | u64::from(NODE.0) << 8 | u64::from(sequence))
    }

    fn check_refusal(&mut self, micros: i64, error: &Error) -> Result<(), String> {
        match self.step(tick_of(micros)) {
            Err(refused) if refused.is(error, micros) => Ok(()),
            rules => Err(format!("{error}, where the rules say {rules:?}")),
        }
    }

    fn check_snapshot(&self, snapshot: &Snapshot<S>) -> Result<(), String> {
        let past = self.past[usize::from(!self.toggle)];
        let is_same = snapshot.tick.map(Tick::get) == self.tick
            && (self.tick.is_none() || snapshot.next_sequence == self.next)
            && snapshot.drifts == self.drifts
            && snapshot.other_past.map(Tick::get) == past.checked_sub(1);
        if is_same { Ok(()) } else { Err(format!("{snapshot:?}, where tick is {:?}", self.tick)) }
    }
}

/// Returns the tick of the example schemes, which are seconds.
fn tick_of(micros: i64) -> Option<u64> {
    u64::try_from(micros.div_euclid(1_000_000)).ok()
}

fn agree<S: ExampleScheme>(scheme: S, rules: &[Rule]) {
    for &rule in rules {
        follow::<_, Reference>(&Example(scheme), rule);
    }
}

#[test]
fn agrees_with_two_toggles() {
    agree(Toggling, &[Rule::Ratchet, Rule::Wait, Rule::TickTock]);
}

#[test]
fn agrees_beside_reserved_ticks() {
    agree(Narrow, &[Rule::Ratchet, Rule::Wait, Rule::TickTock]);
}
