//! One shared generator and eight threads of a million IDs each, of both kinds and through every
//! method, under clocks that run, stand still, leap and repeat themselves.

#![cfg(feature = "std")]

mod support;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tickid_kuid::tickid_core::{ManualClock, Scheme as _, SequenceBounds, Ticks};
    use tickid_kuid::{Builder, Generator, Kuid, Local, Policy};
    use tickid_testkit::Subject as _;
    use tickid_testkit::storm::{Aftermath, Storm, millions};
    use tickid_testkit::threads::on_threads;

    use crate::support::{NODE, Subject};

    #[test]
    fn ids_of_all_threads_are_distinct_and_each_threads_increase() {
        let clock = ManualClock::new(Subject.start());
        let generator = Builder::new(NODE).clock(&clock).build().unwrap();
        millions(&Subject, &generator);
    }

    #[test]
    fn invariants_hold_by_default_whatever_the_clock_does() {
        invariants_hold_whatever_the_clock_does(Kuid::default().default_policy());
    }

    #[test]
    fn invariants_hold_under_ratchet_whatever_the_clock_does() {
        invariants_hold_whatever_the_clock_does(Policy::Ratchet { allowance: Ticks::new(3) });
    }

    #[test]
    fn invariants_hold_under_wait_whatever_the_clock_does() {
        invariants_hold_whatever_the_clock_does(Policy::Wait);
    }

    fn invariants_hold_whatever_the_clock_does(policy: Policy<Kuid>) -> Aftermath<Kuid> {
        let bounds = SequenceBounds::new(1_000, 2_999);
        Storm { subject: &Subject, policy, bounds, calls: 12_000, ids: 1_000_000 }.weather()
    }

    /// The ceiling follows the clock at some distance, so that either of them can cause the stall.
    #[test]
    fn no_id_lies_outside_of_a_window_that_is_widened_meanwhile() {
        let after = invariants_hold_whatever_the_clock_does(Kuid::default().default_policy());
        assert!(after.seen.window > 100 && after.seen.rollback > 100, "{:?}", after.seen);
        assert!(after.window.ceiling() > after.start + 1_000, "{}", after.window);
    }

    /// Each failed call still draws from the word; its draw must not spill into the tick.
    #[test]
    fn asking_in_vain_does_not_bring_the_next_tick_nearer() {
        let clock = ManualClock::new(Subject.start());
        let builder = Builder::new(NODE).clock(&clock).policy(Policy::Wait);
        let generator = builder.build().unwrap();
        let ids = on_threads(|_| {
            let local = (0..1_000_000).filter_map(|_| generator.with(Local).try_generate().ok());
            local.collect::<Vec<_>>()
        })
        .concat();
        assert_eq!(ids.len(), 16_384);
        let sequences = ids.iter().map(|id| id.sequence());
        assert_eq!(sequences.collect::<BTreeSet<_>>().len(), 16_384);
        assert!(ids.iter().all(|id| id.tick().unwrap().get() == tick_at_start()));
        assert_eq!(generator.state().snapshot.tick.unwrap().get(), tick_at_start());
    }

    fn tick_at_start() -> u64 {
        Kuid::default().tick_at(Subject.start()).unwrap().get()
    }

    /// Processors fetch cache lines in pairs. The type's alignment keeps the slots of an array in
    /// different pairs.
    #[test]
    fn generators_in_an_array_share_no_cache_lines() {
        assert_eq!(align_of::<Generator>() % 128, 0);
    }
}
