//! What every generator promises, held against random schedules of one thread: unique, ordered,
//! bounded drift, windowed, and on the move when the clock is; also when it is widened, closed and
//! restored meanwhile, as the same kind of generator or the other.

#[cfg(test)]
use tickid_testkit::example as support;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use tickid_core::example::{Seconds, Toggling};
    use tickid_core::{Error, ErrorKind, ManualClock, Snapshot, UnixTime};

    use crate::support::reference::Rule;
    use crate::support::schedule::{Action, Schedule, Setup, config, schedules, setups};
    use crate::support::{
        Example, Generate, NODE, assert_increasing, assert_increasing_per_toggle, parts, tick_at,
        window,
    };

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn ids_are_unique(history in histories::<Toggling>()) {
            let mut seen = HashSet::new();
            for issued in history.issued() {
                prop_assert!(seen.insert(issued.id), "issued twice: {:?}", parts(issued.id));
            }
        }

        #[test]
        fn ids_increase(history in histories::<Seconds>()) {
            assert_increasing(&history.ids());
        }

        #[test]
        fn ids_increase_under_each_toggle(history in histories::<Toggling>()) {
            assert_increasing_per_toggle(&history.ids());
            if history.setup.rule != Rule::TickTock {
                assert_increasing(&history.ids());
            }
        }

        #[test]
        fn drift_is_bounded_by_the_policy(history in histories::<Toggling>()) {
            let most = match history.setup.rule {
                Rule::Ratchet(allowance) => allowance.saturating_add(1),
                Rule::Wait | Rule::TickTock => 0,
            };
            for issued in history.issued() {
                let (tick, now) = (parts(issued.id).tick, tick_at(issued.now));
                prop_assert!(now <= tick && tick - now <= most, "{tick} when it was {now}");
            }
        }

        #[test]
        fn ids_lie_in_the_window_as_wide_as_it_was(history in histories::<Toggling>()) {
            for issued in history.issued() {
                let tick = parts(issued.id).tick;
                prop_assert!(history.setup.floor <= tick && tick < issued.ceiling);
            }
        }

        #[test]
        fn ids_are_of_the_node_and_the_bounds(history in histories::<Toggling>()) {
            let bounds = history.setup.bounds;
            for issued in history.issued() {
                let id = parts(issued.id);
                prop_assert_eq!(id.node, u64::from(NODE.0));
                prop_assert!(bounds.check(id.sequence).is_ok());
            }
        }

        #[test]
        fn a_clock_past_all_ids_and_inside_the_window_gives_an_id(
            history in histories::<Toggling>(),
        ) {
            let mut highest = None;
            for call in &history.calls {
                let now = u64::try_from(call.now.as_micros()).ok().map(|micros| micros / 1_000_000);
                let is_new = now > highest && now.is_some_and(|now| {
                    now >= history.setup.floor && now < call.ceiling
                });
                let is_excused = matches!(
                    call.result.as_ref().map_err(Error::kind),
                    Err(ErrorKind::SequenceStart { .. })
                );
                prop_assert!(!is_new || is_excused || call.result.is_ok(), "{call:?}");
                let ids = call.result.iter().flatten();
                highest = highest.max(ids.map(|&id| parts(id).tick).max());
            }
        }

        #[test]
        fn a_closed_generator_issues_nothing(
            setup in setups::<Toggling>(),
            shared: bool,
            calls in schedules(0..20),
            after in schedules(1..20),
        ) {
            let clock = ManualClock::new(setup.now);
            let mut turns = setup.turns(&clock);
            let ceiling = setup.ceiling;
            let mut generator =
                build::<Toggling>(&setup, &clock, ceiling, Snapshot::EMPTY, shared);
            for (turn, _) in calls {
                turns.turn(turn);
                let _ = generator.try_one();
            }
            let snapshot = generator.end();
            for (turn, action) in after {
                turns.turn(turn);
                let result = ask(generator.as_mut(), action);
                prop_assert!(result.is_none_or(|result| result.is_err()));
            }
            prop_assert_eq!(generator.end(), snapshot);
        }
    }

    /// All that was asked of a generator and of its successors, and what came of it.
    #[derive(Clone, Debug)]
    struct History {
        setup: Setup,
        calls: Vec<Call>,
    }

    #[derive(Clone, Debug)]
    struct Call {
        now: UnixTime,
        ceiling: u64,
        result: Result<Vec<u64>, Error>,
    }

    struct Issued {
        id: u64,
        now: UnixTime,
        ceiling: u64,
    }

    impl History {
        fn issued(&self) -> impl Iterator<Item = Issued> {
            self.calls.iter().flat_map(|call| {
                let ids = call.result.iter().flatten();
                ids.map(|&id| Issued { id, now: call.now, ceiling: call.ceiling })
            })
        }

        fn ids(&self) -> Vec<u64> {
            self.issued().map(|issued| issued.id).collect()
        }
    }

    fn histories<S: Example>() -> impl Strategy<Value = History> {
        (setups::<S>(), any::<bool>(), schedules(0..60))
            .prop_map(|(setup, shared, calls)| run::<S>(setup, shared, &calls))
    }

    /// Starts with a shared or an exclusive generator and changes over at each restoration.
    fn run<S: Example>(setup: Setup, mut shared: bool, schedule: &Schedule) -> History {
        let clock = ManualClock::new(setup.now);
        let mut turns = setup.turns(&clock);
        let mut ceiling = setup.ceiling;
        let mut calls = Vec::new();
        let mut generator = build::<S>(&setup, &clock, ceiling, Snapshot::EMPTY, shared);
        for (turn, action) in schedule {
            let now = turns.turn(*turn);
            match *action {
                Action::Widen(by) => {
                    ceiling = (ceiling + by).min(S::MAX_TICK + 1);
                    generator.wider(ceiling).unwrap();
                }
                Action::Reopen => {
                    shared = !shared;
                    generator = build::<S>(&setup, &clock, ceiling, generator.end(), shared);
                }
                action => calls.extend(ask(generator.as_mut(), action).map(|result| Call {
                    now,
                    ceiling,
                    result,
                })),
            }
        }
        History { setup, calls }
    }

    fn build<'a, S: Example>(
        setup: &Setup,
        clock: &'a ManualClock,
        ceiling: u64,
        snapshot: Snapshot<S>,
        shared: bool,
    ) -> Box<dyn Generate<S> + 'a> {
        let builder = setup.builder(clock, window(setup.floor, ceiling), snapshot);
        if shared {
            Box::new(builder.build().unwrap())
        } else {
            Box::new(builder.build_local().unwrap())
        }
    }

    /// `None` when the action asks for no ID.
    fn ask<S: Example>(
        generator: &mut (impl Generate<S> + ?Sized),
        action: Action,
    ) -> Option<Result<Vec<u64>, Error>> {
        match action {
            Action::One => Some(generator.try_one().map(|id| vec![id])),
            Action::Block(n) => Some(generator.try_several(n)),
            Action::Fill(0) | Action::Widen(_) | Action::Reopen => None,
            Action::Fill(n) => Some(generator.try_many(n)),
        }
    }
}
