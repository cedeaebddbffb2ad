//! From building a generator to closing it and restoring another.

use core::panic::{RefUnwindSafe, UnwindSafe};

use tickid_core::example::{Node, Seconds, Toggling};
use tickid_core::{
    Backfill, BuildError, Builder, Clock, DefaultClock, ErrorKind, Fixed, Generator, Handle,
    LocalGenerator, ManualClock, Policy, Scheme, SequenceBounds, Snapshot, StallReason, Tick,
    Variant, Variants, Window,
};

use tickid_testkit::example::{NODE, Narrow, at, many, parts, ratchet, tick, window};

fn builder<S: Scheme<Node = Node> + Default, C: Clock>(clock: C) -> Builder<S, C> {
    Builder::seeded(NODE, 0).clock(clock)
}

fn refused<S: Scheme<Node = Node>, C: Clock>(builder: Builder<S, C>) -> BuildError
where
    S::Variant: Variant<S>,
{
    builder.build_local().map(|_| ()).unwrap_err()
}

#[test]
fn tick_tock_needs_a_toggle() {
    let clock = ManualClock::new(at(1_000));
    let error = refused(builder::<Seconds, _>(&clock).policy(Policy::TickTock));
    assert_eq!(error, BuildError::NoToggle { scheme: "seconds" });
}

#[test]
fn nodeless_ids_need_a_scheme_that_has_them() {
    let clock = ManualClock::new(at(1_000));
    let error = refused(builder::<Seconds, _>(&clock).variants(Variants::WithoutNode));
    assert_eq!(error, BuildError::NoNodelessIds { scheme: "seconds" });
}

#[test]
fn pinned_options_are_not_changed() {
    let clock = ManualClock::new(at(1_000));
    let pinned = || builder::<Seconds, _>(&clock).pin();
    for (option, changed) in [
        ("window", pinned().window(window(900, 1_100))),
        ("variants", pinned().variants(Variants::WithNode)),
    ] {
        assert_eq!(refused(changed.pin()), BuildError::Pinned { option });
    }
    assert!(pinned().policy(ratchet(3)).build_local().is_ok());
}

#[test]
fn excessive_bounds_are_refused() {
    let clock = ManualClock::new(at(1_000));
    let bounds = SequenceBounds::new(10, 256);
    let BuildError::SequenceBound(error) = refused(builder::<Seconds, _>(&clock).bounds(bounds))
    else {
        panic!("another error");
    };
    assert_eq!((error.value(), error.min(), error.max()), (256, 0, 255));
}

#[test]
fn small_pools_are_refused() {
    let clock = ManualClock::new(at(1_000));
    let pool = |last| builder::<Toggling, _>(&clock).bounds(SequenceBounds::new(10, last));
    assert_eq!(refused(pool(12)), BuildError::Pool { lowest: 10, last: 12, pool: 3, min: 4 });
    assert!(pool(13).build_local().is_ok());
}

#[test]
fn reserved_window_is_refused() {
    let clock = ManualClock::new(at(1_000));
    for (floor, ceiling) in [(0, 1), (Narrow::MAX_TICK, Narrow::MAX_TICK + 1)] {
        let (first, last) = (Narrow::FIRST_TICK, Narrow::LAST_TICK);
        let refused = refused(builder(&clock).window(window::<Narrow>(floor, ceiling)));
        let error = BuildError::Window { floor, ceiling, first, last };
        assert_eq!(refused, error);
    }
}

#[test]
fn snapshot_must_be_in_window() {
    let clock = ManualClock::new(at(1_000));
    let error = refused(
        builder::<Seconds, _>(&clock)
            .window(window(900, 1_100))
            .restore(Snapshot::at(tick(1_100), 0)),
    );
    let BuildError::Restore(error) = error else {
        panic!("another error: {error}");
    };
    assert_eq!((error.value(), error.min(), error.max()), (1_100, 900, 1_099));
}

#[test]
fn restored_goes_on_with_next() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Seconds, _>(&clock).build().unwrap();
    assert_eq!(generator.try_block(many(3)).unwrap().len(), 3);
    let restored = builder(&clock).restore(generator.close()).build().unwrap();
    assert_eq!(parts(restored.try_generate().unwrap()).sequence, 3);
}

#[test]
fn restored_keeps_the_other_past() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Toggling, _>(&clock).build().unwrap();
    generator.try_generate().unwrap();
    clock.set(at(990));
    assert!(parts(generator.try_generate().unwrap()).toggle);
    let snapshot = generator.close();
    assert_eq!((snapshot.drifts, snapshot.other_past), (1, Some(tick(1_000))));
    assert_eq!(snapshot.highest_tick(), Some(tick(1_000)));
    let restored = builder(&clock).restore(snapshot).build().unwrap();
    // At 980 it cannot issue under the first toggle, which it left at 1,000.
    clock.set(at(980));
    let error = restored.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    clock.set(at(990));
    assert!(parts(restored.try_generate().unwrap()).toggle);
}

#[test]
fn restored_counts_flips_on() {
    for (drifts, next) in [(0, 1), (5, 6), (u32::MAX, 0)] {
        let clock = ManualClock::new(at(1_000));
        let snapshot = Snapshot::at(tick(1_000), 3).with_drifts(drifts, Some(tick(980)));
        let builder = || builder::<Toggling, _>(&clock).restore(snapshot);
        let (shared, mut local) = (builder().build().unwrap(), builder().build_local().unwrap());
        assert_eq!([shared.state(), local.state()].map(|state| state.snapshot), [snapshot; 2]);
        clock.set(at(990));
        shared.try_generate().unwrap();
        local.try_generate().unwrap();
        assert_eq!([shared.close(), local.close()].map(|snapshot| snapshot.drifts), [next; 2]);
    }
}

#[test]
fn reserved_first_ticks_are_not_restored() {
    let clock = ManualClock::new(at(1_000));
    let restore = |at| builder::<Narrow, _>(&clock).restore(Snapshot::at(tick(at), 3));
    assert!(restore(1).build().is_ok() && restore(1).build_local().is_ok());
    let error = refused(restore(0));
    let BuildError::Restore(error) = error else { panic!("{error}") };
    assert_eq!((error.value(), error.min()), (0, 1));
}

#[test]
fn restored_on_reserved_is_at_end() {
    for policy in [Policy::Wait, ratchet(1), ratchet(u64::MAX)] {
        let clock = ManualClock::new(at(Narrow::LAST_TICK));
        let generator = builder::<Narrow, _>(&clock)
            .policy(policy)
            .restore(Snapshot::at(Tick::MAX, 7))
            .build()
            .unwrap();
        let kind = generator.try_generate().unwrap_err().kind();
        assert_eq!(kind, ErrorKind::EndOfTime, "{policy}");
    }
}

#[test]
fn ratchet_skips_reserved_ticks() {
    let clock = ManualClock::new(at(Narrow::LAST_TICK));
    let mut generator = builder::<Narrow, _>(&clock).policy(ratchet(9)).build_local().unwrap();
    assert_eq!(generator.try_block(many(256)).unwrap().len(), 256);
    let kind = generator.try_generate().unwrap_err().kind();
    assert_eq!(kind, ErrorKind::EndOfTime);
}

#[test]
fn tick_tock_flips_on_reserved() {
    let clock = ManualClock::new(at(Narrow::LAST_TICK));
    let generator =
        builder::<Narrow, _>(&clock).restore(Snapshot::at(Tick::MAX, 7)).build().unwrap();
    let id = parts(generator.try_generate().unwrap());
    assert_eq!((id.tick, id.toggle), (Narrow::LAST_TICK, true));
}

#[test]
fn a_ceiling_only_rises() {
    let clock = ManualClock::new(at(1_000));
    let builder = || builder::<Seconds, _>(&clock).window(window(900, 1_001));
    let shared = builder().build().unwrap();
    let mut local = builder().build_local().unwrap();
    for ceiling in [1_005, 1_002] {
        shared.widen(ceiling).unwrap();
        local.widen(ceiling).unwrap();
    }
    let windows = [shared.state().window, local.state().window];
    assert_eq!(windows, [window(900, 1_005); 2]);
    for (now, is_inside) in [(1_004, true), (1_005, false)] {
        clock.set(at(now));
        assert_eq!(shared.try_generate().is_ok(), is_inside, "{now}");
        assert_eq!(local.try_generate().is_ok(), is_inside, "{now}");
    }
}

#[test]
fn bad_ceiling_changes_nothing() {
    let clock = ManualClock::new(at(1_000));
    let start = window(900, 1_001);
    let shared = builder::<Seconds, _>(&clock).window(start).build().unwrap();
    let mut local = builder::<Seconds, _>(&clock).window(start).build_local().unwrap();
    for ceiling in [0, 900, Seconds::MAX_TICK + 2, u64::MAX] {
        for refused in [shared.widen(ceiling), local.widen(ceiling)] {
            let error = refused.unwrap_err();
            let range = (error.value(), error.min(), error.max());
            assert_eq!(range, (ceiling.into(), 901, i128::from(Seconds::MAX_TICK) + 1));
        }
    }
    assert_eq!((shared.state().window, local.state().window), (start, start));
}

#[test]
fn state_has_snapshot_and_window() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Toggling, _>(&clock).build().unwrap();
    assert_eq!(generator.state().snapshot, Snapshot::EMPTY);
    assert_eq!(generator.try_block(many(3)).unwrap().len(), 3);
    let state = generator.state();
    assert_eq!(state.snapshot, Snapshot::at(tick(1_000), 3));
    assert_eq!(state.window, Window::ALL);
    assert!(!state.is_closed);
    generator.close();
    assert!(generator.state().is_closed);
}

#[test]
fn getters_return_what_was_built() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Toggling, _>(&clock).policy(ratchet(3)).build().unwrap();
    assert_eq!(generator.node(), NODE);
    assert_eq!(generator.settings(), Toggling);
    assert_eq!(generator.policy(), ratchet(3));
}

#[test]
fn empty_slices_are_filled() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Seconds, _>(&clock).build().unwrap();
    generator.close();
    assert_eq!(generator.try_fill(&mut []).map(|ids| ids.len()), Ok(0));
    assert_eq!(generator.fill(&mut []), Ok(()));
}

#[test]
fn filling_stops_with_its_tick() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Seconds, _>(&clock).sequence(Fixed(250)).build().unwrap();
    let mut ids = [0; 10];
    let sequences = generator.try_fill(&mut ids).unwrap().into_slice().iter();
    assert!(sequences.map(|&id| parts(id).sequence).eq(250..=255));
    assert_eq!(ids[6..], [0; 4]);
}

#[test]
fn a_block_counts_down() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder::<Seconds, _>(&clock).build().unwrap();
    let mut block = generator.try_block(many(u32::MAX)).unwrap();
    assert_eq!(block.len(), 256);
    assert_eq!(block.next().map(|id| parts(id).sequence), Some(0));
    assert_eq!(block.len(), 255);
    assert_eq!(block.last().map(|id| parts(id).sequence), Some(255));
}

/// After a panic of its caller, an observer or a rule, a generator is in order.
#[test]
fn generators_are_unwind_safe() {
    fn is_safe<T: UnwindSafe + RefUnwindSafe>() {}
    is_safe::<Generator<Toggling>>();
    is_safe::<Handle<'static, Toggling, DefaultClock>>();
    is_safe::<LocalGenerator<Toggling>>();
    is_safe::<Backfill<Toggling>>();
}
