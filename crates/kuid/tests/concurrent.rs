//! One shared generator and eight threads of 100,000 IDs each, of both kinds and through every
//! method, under clocks that run, stand still, leap and repeat themselves. `TICKID_SCALE`
//! multiplies the numbers.

#![cfg(feature = "std")]

mod support;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tickid_kuid::tickid_core::{ManualClock, Scheme as _, SequenceBounds, Ticks};
    use tickid_kuid::{Builder, Generator, Kuid, Local, Policy};
    use tickid_testkit::Subject as _;
    use tickid_testkit::scaled;
    use tickid_testkit::storm::{Aftermath, Storm, draw_unique};
    use tickid_testkit::threads::on_threads;

    use crate::support::{NODE, Subject};

    #[test]
    fn threads_are_unique_and_ordered() {
        let clock = ManualClock::new(Subject.start());
        let generator = Builder::new(NODE).clock(&clock).build().unwrap();
        draw_unique(&Subject, &generator);
    }

    #[test]
    fn promises_hold_by_default() {
        invariants_hold_whatever_the_clock_does(Kuid::default().default_policy());
    }

    #[test]
    fn promises_hold_under_ratchet() {
        invariants_hold_whatever_the_clock_does(Policy::Ratchet { allowance: Ticks::new(3) });
    }

    #[test]
    fn promises_hold_under_wait() {
        invariants_hold_whatever_the_clock_does(Policy::Wait);
    }

    fn invariants_hold_whatever_the_clock_does(policy: Policy<Kuid>) -> Aftermath<Kuid> {
        let bounds = SequenceBounds::new(1_000, 2_999);
        Storm { subject: &Subject, policy, bounds, calls: 1_200, ids: 100_000 }.weather()
    }

    /// The ceiling follows the clock at some distance, so that either of them can cause the stall.
    #[test]
    fn ids_stay_in_widening_windows() {
        let after = invariants_hold_whatever_the_clock_does(Kuid::default().default_policy());
        assert!(after.seen.window > 100 && after.seen.rollback > 100, "{:?}", after.seen);
        assert!(after.window.ceiling() > after.start + 1_000, "{}", after.window);
    }

    /// Each failed call still draws from the word; its draw must not spill into the tick.
    #[test]
    fn refused_calls_change_nothing() {
        let clock = ManualClock::new(Subject.start());
        let builder = Builder::new(NODE).clock(&clock).policy(Policy::Wait);
        let generator = builder.build().unwrap();
        let ids = on_threads(|_| {
            let local =
                (0..scaled(100_000)).filter_map(|_| generator.with(Local).try_generate().ok());
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
    fn generators_share_no_cache_line() {
        assert_eq!(align_of::<Generator>() % 128, 0);
    }
}
