//! The first five promises of the design, checked by random schedules of one thread. The clock
//! stands still, leaps either way, repeats itself and goes astray. The generator is widened, closed
//! and restored, either as the same kind of generator or as the other kind. Failures are shrunk.
//!
//! The cases are the same every time, unless `PROPTEST_RNG_SEED` selects others or `PROPTEST_CASES`
//! more.

use core::cell::RefCell;
use core::num::NonZeroU32;
use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use tickid_core::{
    BuildError, ClockError, ErrorKind, ManualClock, Policy, Scheme, Snapshot, Tick, Ticks,
    UnixTime, Window,
};

use crate::cases::config;
use crate::generators::{CallResult, build};
use crate::promises::{Seen, Witness, tick_at};
pub use crate::schedule::{
    Action, Outside, Rule, Schedule, Setup, StartChoice, Turn, tick_length, time_of,
};
use crate::schedule::{Turns, schedules, setups};
use crate::subject::{Parts, Subject};

/// A setup, whether the first generator is a shared one, and its schedule.
pub type Case<S> = (Setup<S>, bool, Schedule);

const CALLS: usize = 60;
const TIMES: u32 = 2;

/// Asserts that no schedule breaks a promise, and fails with the shortest one found that does.
///
/// # Panics
/// If a promise is broken, or if the schedules did not reach every case that they must.
pub fn hold<T: Subject>(subject: &T, rule: Rule) {
    let seen = search(subject, rule).unwrap_or_else(|error| {
        panic!(
            "{} under {rule:?}, with the seed {:?}: {error}",
            T::Scheme::NAME,
            config(TIMES).rng_seed
        )
    });
    if config(TIMES).cases >= 500 {
        assert_no_walk(&subject.settings(), rule, &seen);
    }
}

/// Asserts that the schedules had all events that make promises hard to keep.
fn assert_no_walk<S: Scheme>(scheme: &S, rule: Rule, seen: &Seen) {
    let policy = match rule {
        Rule::Default => scheme.default_policy(),
        Rule::Ratchet => Policy::Ratchet { allowance: Ticks::ZERO },
        Rule::Wait => Policy::Wait,
        Rule::TickTock => Policy::TickTock,
    };
    let is_ratchet = matches!(policy, Policy::Ratchet { .. });
    let always =
        [seen.clock_behind, seen.window_ended, seen.clock, seen.end_of_time, seen.sequence_start];
    assert!(always.iter().all(|&count| count > 0), "{rule:?}: {seen:?}");
    assert!(
        seen.reopened > 0 && seen.ids > u64::from(config(TIMES).cases) * 10,
        "{rule:?}: {seen:?}"
    );
    // A ratchet continues where the others are exhausted.
    assert_eq!(seen.tick_used_up > 0, !is_ratchet, "{rule:?}: {seen:?}");
    assert_eq!(seen.ahead > 0, is_ratchet, "{rule:?}: {seen:?}");
    assert_eq!(seen.flips > 0, policy == Policy::TickTock, "{rule:?}: {seen:?}");
}

/// Searches for a schedule that breaks a promise. If there is none, returns the events that
/// occurred.
fn search<T: Subject>(subject: &T, rule: Rule) -> Result<Seen, Box<TestError<Case<T::Scheme>>>> {
    let cases = (setups(subject, rule), any::<bool>(), schedules(&subject.settings(), 0..CALLS));
    let all = RefCell::new(Seen::default());
    TestRunner::new(config(TIMES)).run(&cases, |(setup, shared, schedule)| {
        let seen = run(subject, &setup, shared, &schedule).map_err(TestCaseError::fail)?;
        all.borrow_mut().add(&seen);
        Ok(())
    })?;
    Ok(all.into_inner())
}

/// Runs a schedule, starting with a shared or an exclusive generator and switching at each
/// restoration.
///
/// # Errors
/// The promise that was broken.
pub fn run<T: Subject>(
    subject: &T,
    setup: &Setup<T::Scheme>,
    mut shared: bool,
    schedule: &Schedule,
) -> Result<Seen, String> {
    let (scheme, forms) = (subject.settings(), subject.forms());
    let clock = ManualClock::new(setup.now);
    let mut turns = Turns::new(&clock, scheme, setup.now);
    let mut ceiling = setup.ceiling;
    let mut history = History::new(subject, setup);
    let refused = |error: BuildError| format!("not built: {error}");
    let mut generator =
        build(subject, setup, &clock, ceiling, Snapshot::EMPTY, shared).map_err(refused)?;
    for (turn, action, form) in schedule {
        let now = turns.turn(*turn);
        let form = forms[form % forms.len()];
        match *action {
            Action::Widen(by) => {
                ceiling = (ceiling + by).min(scheme.max_tick() + 1);
                generator.wider(ceiling).map_err(|error| format!("not widened: {error}"))?;
            }
            // No generator starts before its epoch.
            Action::Reopen if scheme.check_start(&ManualClock::new(now)).is_err() => {}
            Action::Reopen => {
                // A closed generator stays closed, and a second close returns the same.
                let snapshot = generator.end();
                history.close(&snapshot)?;
                for action in [Action::One, Action::Block(NonZeroU32::MAX), Action::Fill(3)] {
                    let after = generator.ask(action, form, subject.blank());
                    let kind = after.and_then(Result::err).map(|error| error.kind());
                    if !matches!(kind, Some(ErrorKind::Closed | ErrorKind::Clock(_))) {
                        return Err(format!("{kind:?} of a closed generator"));
                    }
                }
                if generator.end() != snapshot {
                    return Err("closed twice with another outcome".to_owned());
                }
                // The other kind of generator continues from the snapshot.
                shared = !shared;
                generator =
                    build(subject, setup, &clock, ceiling, snapshot, shared).map_err(refused)?;
            }
            action @ (Action::One | Action::Block(_) | Action::Fill(_)) => {
                if let Some(answer) = generator.ask(action, form, subject.blank()) {
                    history.call(tick_at(&scheme, now), now.as_micros(), ceiling, form, answer)?;
                }
            }
        }
    }
    Ok(history.seen)
}

/// The IDs that a generator and its successors issued, and the promises to check them against.
struct History<'a, T: Subject> {
    subject: &'a T,
    setup: &'a Setup<T::Scheme>,
    witness: Witness<'a, T>,
    issued: HashSet<u128>,
    last: Option<Parts>,
    highest: Option<u64>,
    seen: Seen,
}

impl<'a, T: Subject> History<'a, T> {
    fn new(subject: &'a T, setup: &'a Setup<T::Scheme>) -> Self {
        Self {
            subject,
            setup,
            witness: Witness::new(subject, setup.policy, setup.bounds),
            issued: HashSet::new(),
            last: None,
            highest: None,
            seen: Seen::default(),
        }
    }

    /// `now` is the clock's tick, if there is one.
    fn call(
        &mut self,
        now: Option<u64>,
        micros: i64,
        ceiling: u64,
        form: T::Variant,
        answer: CallResult<T>,
    ) -> Result<(), String> {
        let is_in_window = |now| self.setup.floor <= now && now < ceiling;
        let goes_on = now > self.highest && now.is_some_and(is_in_window);
        match answer {
            Ok(ids) => {
                let now = now.ok_or("IDs of a time that none can be of")?;
                if ids.is_empty() {
                    return Err("neither an ID nor an error".to_owned());
                }
                ids.into_iter().try_for_each(|id| self.issue(id, now, ceiling, form))
            }
            Err(error) => {
                self.seen.refusal(&error)?;
                let named = if let ErrorKind::Clock(ClockError::OutOfRange { time, first, last }) =
                    error.kind()
                {
                    Some([time, first, last].map(UnixTime::as_micros))
                } else {
                    None
                };
                let scheme = self.subject.settings();
                let [first, last] =
                    [T::Scheme::FIRST_TICK, scheme.last_tick()].map(|tick| time_of(&scheme, tick));
                if named != now.is_none().then_some([micros, first, last]) {
                    return Err(format!("{error}, when the clock showed {micros} µs"));
                }
                // Beyond all issued and allowed ticks, only a start rule of the user can refuse.
                if goes_on && !matches!(error.kind(), ErrorKind::SequenceStart { .. }) {
                    return Err(format!("refused without need: {error}"));
                }
                Ok(())
            }
        }
    }

    fn issue(&mut self, id: T::Id, now: u64, ceiling: u64, form: T::Variant) -> Result<(), String> {
        let parts = self.subject.parts(id);
        if !self.issued.insert(parts.key()) {
            return Err(format!("issued twice: {id:?}"));
        }
        let window = Tick::new(self.setup.floor).and_then(|floor| Window::new(floor, ceiling));
        let window = window.map_err(|error| error.to_string())?;
        self.seen.ahead += self.witness.check(&[id], form, &[now], window)?;
        // The toggle flips only to go back.
        if let Some(last) = self.last.filter(|last| last.toggle != parts.toggle) {
            self.seen.flips += 1;
            if parts.tick >= last.tick {
                return Err(format!("{parts:?} toggled after {last:?}"));
            }
        }
        self.seen.ids += 1;
        self.last = Some(parts);
        self.highest = self.highest.max(Some(parts.tick));
        Ok(())
    }

    /// Checks that a closed generator's snapshot covers at least the IDs that it issued.
    fn close(&mut self, snapshot: &Snapshot<T::Scheme>) -> Result<(), String> {
        self.seen.reopened += 1;
        let is_told = match self.last {
            None => true,
            Some(last) => {
                let tick = snapshot.tick.map(Tick::get);
                let highest = snapshot.highest_tick().map(Tick::get);
                // Sequences that were drawn without effect are skipped but never returned.
                let goes_on = tick > Some(last.tick)
                    || tick == Some(last.tick) && snapshot.next_sequence > last.sequence;
                highest >= self.highest && (goes_on || self.setup.policy == Policy::TickTock)
            }
        };
        if is_told { Ok(()) } else { Err(format!("{snapshot:?} after {:?}", self.last)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broken::Broken;

    /// The shortest schedule that shows the fault has one ID or two.
    #[test]
    fn faults_are_found_and_shrunk() {
        for (broken, messages) in [
            // The ID that it repeats may also lie outside of the bounds.
            (Broken::Repeats, ["issued twice", "is outside of"]),
            (Broken::Drifts, ["when the clock showed"; 2]),
            (Broken::Falls, ["came after"; 2]),
            (Broken::IsForeign, ["not what was asked for"; 2]),
            (Broken::LeavesItsBounds, ["is outside of"; 2]),
        ] {
            let error = search(&broken, Rule::Wait).unwrap_err();
            let TestError::Fail(reason, (_, _, schedule)) = *error else {
                panic!("{error}");
            };
            assert!(messages.iter().any(|message| reason.message().contains(message)), "{reason}");
            assert!((1..=2).contains(&schedule.len()), "{schedule:?}");
        }
    }

    #[test]
    #[should_panic(expected = "toggling under TickTock, with the seed Fixed")]
    fn failures_name_the_seed() {
        hold(&Broken::Repeats, Rule::TickTock);
    }
}
