//! The exclusive generator does what the rules say, call by call.

#[cfg(test)]
use tickid_testkit::example as support;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    use tickid_core::example::{Seconds, Toggling};
    use tickid_core::{
        ClockError, Error, ErrorKind, LocalGenerator, ManualClock, Snapshot, UnixTime,
    };

    use crate::support::narrow::Narrow;
    use crate::support::reference::{Reason, Reference, Refused, Run};
    use crate::support::schedule::{Action, Schedule, Setup, config, schedules, setups};
    use crate::support::{Example, NODE, Parts, many, parts, tick, window};

    type Local<'a, S> = LocalGenerator<S, &'a ManualClock>;

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn agrees_with_the_rules(setup in setups::<Seconds>(), calls in schedules(0..80)) {
            compare::<Seconds>(&setup, &calls);
        }

        #[test]
        fn agrees_with_the_rules_of_two_toggles(
            setup in setups::<Toggling>(),
            calls in schedules(0..80),
        ) {
            compare::<Toggling>(&setup, &calls);
        }

        #[test]
        fn agrees_with_the_rules_where_ticks_are_reserved(
            setup in setups::<Narrow>(),
            calls in schedules(0..80),
        ) {
            compare::<Narrow>(&setup, &calls);
        }

        #[test]
        fn skips_no_sequence(setup in setups::<Toggling>(), calls in schedules(0..80)) {
            follow_sequences::<Toggling>(&setup, &calls);
        }
    }

    #[test]
    fn the_schedules_reach_every_reason_and_many_flips() {
        let cases = (setups::<Narrow>(), schedules(0..80));
        let mut runner = TestRunner::new(config());
        let (mut reasons, mut drifts, mut issued) = (HashSet::new(), 0, 0);
        for _ in 0..500 {
            let (setup, calls) = cases.new_tree(&mut runner).unwrap().current();
            let clock = ManualClock::new(setup.now);
            let mut turns = setup.turns(&clock);
            let mut reference = setup.reference::<Narrow>();
            for (turn, _) in calls {
                match reference.ask(turns.turn(turn).as_micros(), 3) {
                    Ok(_) => issued += 1,
                    Err(refused) => {
                        reasons.insert(refused.reason);
                    }
                }
            }
            drifts += reference.drifts;
        }
        assert_eq!(reasons.len(), 6, "{reasons:?}");
        assert!(drifts > 100, "{drifts} flips");
        assert!(issued > 1_000, "{issued} blocks");
    }

    /// Runs the generator and the reference side by side.
    fn compare<S: Example>(setup: &Setup, calls: &Schedule) {
        let clock = ManualClock::new(setup.now);
        let mut turns = setup.turns(&clock);
        let mut reference = setup.reference::<S>();
        let mut local: Local<'_, S> =
            setup.builder(&clock, setup.window(), Snapshot::EMPTY).build_local().unwrap();
        for (turn, action) in calls {
            let now = turns.turn(*turn).as_micros();
            let (got, rules) = match *action {
                Action::One => {
                    (local.try_generate().map(|id| vec![id]), reference.ask(now, 1).map(ids))
                }
                Action::Block(n) => (
                    local.try_block(n).map(Iterator::collect),
                    reference.ask(now, n.get()).map(ids),
                ),
                Action::Fill(n) => {
                    let mut out = vec![0; n];
                    let filled = local.try_fill(&mut out).map(|ids| ids.to_vec());
                    (filled, fill(&mut reference, now, n))
                }
                Action::Widen(by) => {
                    let ceiling = (reference.ceiling + by).min(S::MAX_TICK + 1);
                    local.widen(ceiling).unwrap();
                    reference.ceiling = ceiling;
                    continue;
                }
                Action::Reopen => {
                    let snapshot = local.close();
                    assert_snapshot(&snapshot, &reference);
                    let window = window(reference.floor, reference.ceiling);
                    local = setup.builder(&clock, window, snapshot).build_local().unwrap();
                    continue;
                }
            };
            match (got, rules) {
                (Ok(got), Ok(rules)) => assert_eq!(got, rules),
                (Err(got), Err(rules)) => assert_refusal(got, rules, now),
                (got, rules) => panic!("{got:?}, where the rules say {rules:?}"),
            }
        }
    }

    fn ids(run: Run) -> Vec<u64> {
        let time = run.tick << 1 | u64::from(run.toggle);
        (run.first..run.first + run.len)
            .map(|sequence| time << 16 | u64::from(NODE.0) << 8 | u64::from(sequence))
            .collect()
    }

    fn fill(reference: &mut Reference, now: i64, n: usize) -> Result<Vec<u64>, Refused> {
        let mut filled = Vec::new();
        while filled.len() < n {
            match reference.ask(now, u32::try_from(n - filled.len()).unwrap()) {
                Ok(run) => filled.extend(ids(run)),
                Err(refused) if filled.is_empty() => return Err(refused),
                Err(_) => break,
            }
        }
        Ok(filled)
    }

    fn assert_refusal(error: Error, rules: Refused, now: i64) {
        let reason = match error.kind() {
            ErrorKind::Rollback => Reason::Rollback,
            ErrorKind::Exhausted => Reason::Exhausted,
            ErrorKind::Window => Reason::Window,
            ErrorKind::EndOfTime => Reason::EndOfTime,
            ErrorKind::Clock(ClockError::OutOfRange { time, .. }) => {
                assert_eq!(time, UnixTime::from_micros(now));
                Reason::Clock
            }
            ErrorKind::SequenceStart { .. } => Reason::SequenceStart,
            other => panic!("{other:?}, where the rules say {rules:?}"),
        };
        assert_eq!(reason, rules.reason);
        let micros = error.retry_after().map(|rest| now + i64::try_from(rest.as_micros()).unwrap());
        let until = rules.until.map(|tick| i64::try_from(tick * 1_000_000).unwrap());
        assert_eq!(micros, until, "goes on at");
    }

    fn assert_snapshot<S: Example>(snapshot: &Snapshot<S>, reference: &Reference) {
        assert_eq!(snapshot.tick, reference.tick.map(tick));
        if reference.tick.is_some() {
            assert_eq!(snapshot.next_sequence, reference.next);
        }
        assert_eq!(snapshot.drifts, reference.drifts);
        let past = reference.past[usize::from(!reference.toggle)];
        assert_eq!(snapshot.other_past, past.checked_sub(1).map(tick));
    }

    /// Every ID is the next sequence of its tick, or the first of another tick or toggle.
    fn follow_sequences<S: Example>(setup: &Setup, calls: &Schedule) {
        let clock = ManualClock::new(setup.now);
        let mut turns = setup.turns(&clock);
        let mut local: Local<'_, S> =
            setup.builder(&clock, setup.window(), Snapshot::EMPTY).build_local().unwrap();
        let mut last: Option<Parts> = None;
        for (turn, action) in calls {
            turns.turn(*turn);
            let n = match *action {
                Action::One | Action::Widen(_) | Action::Reopen => many(1),
                Action::Block(n) => n,
                Action::Fill(n) => many(u32::try_from(n).unwrap() + 1),
            };
            for id in local.try_block(n).into_iter().flatten() {
                let next = parts(id);
                match last {
                    Some(last) if (last.tick, last.toggle) == (next.tick, next.toggle) => {
                        assert_eq!(next.sequence, last.sequence + 1, "{next:?}");
                    }
                    _ => {
                        let start = setup.start.start(next.tick, setup.bounds);
                        assert_eq!(next.sequence, start, "{next:?}");
                    }
                }
                last = Some(next);
            }
        }
    }
}
