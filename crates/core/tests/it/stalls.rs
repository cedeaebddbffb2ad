//! Eight threads hammer on a generator that cannot issue. Every call fails, and the state stays the
//! same.
//!
//! Most tests use [`Narrow`]: its word has so little room that a few thousand adds would reach the
//! next tick if they were not taken back.

use core::num::NonZeroU32;
use std::thread;

use tickid_core::example::Toggling;
use tickid_core::{
    Builder, ErrorKind, Fixed, Generator, ManualClock, Policy, StallReason, Tick, UnixTime,
};

use tickid_testkit::scaled;

use tickid_testkit::example::{ExampleScheme, NODE, Narrow, at, many, parts, ratchet, window};

const THREADS: usize = 8;
const NOW: u64 = 1_000;
/// The first sequence of every tick.
const START: u32 = 7;

type SharedGenerator<'a, S> = Generator<S, &'a ManualClock>;

fn builder<S: ExampleScheme>(clock: &ManualClock, policy: Policy<S>) -> Builder<S, &ManualClock> {
    Builder::seeded(NODE, 0).clock(clock).policy(policy).sequence(Fixed(START))
}

/// Returns a generator that has used up the present tick.
fn used_up<S: ExampleScheme>(clock: &ManualClock, policy: Policy<S>) -> SharedGenerator<'_, S> {
    let generator = builder(clock, policy).build().unwrap();
    let mut ids = vec![0; 256 - usize::try_from(START).unwrap()];
    generator.fill(&mut ids).unwrap();
    assert!(ids.iter().all(|&id| parts(id).tick == NOW));
    generator
}

/// Makes many calls for `want` sequences. Every call fails with `kind` and leaves the
/// tick, the toggle and the closed flag unchanged.
fn hammer<S: ExampleScheme>(generator: &SharedGenerator<'_, S>, want: NonZeroU32, kind: ErrorKind) {
    let before = generator.state();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..scaled(12_500) {
                    let error = generator.try_block(want).map(|_| ()).unwrap_err();
                    assert_eq!(error.kind(), kind);
                }
            });
        }
    });
    let after = generator.state();
    assert_eq!(after.snapshot.tick, before.snapshot.tick);
    assert_eq!(after.snapshot.drifts, before.snapshot.drifts);
    assert_eq!(after.is_closed, before.is_closed);
}

/// Asserts that the next tick is like any other.
fn assert_goes_on_at<S: ExampleScheme>(generator: &SharedGenerator<'_, S>, tick: u64) {
    let first = parts(generator.try_generate().unwrap());
    assert_eq!((first.tick, first.sequence), (tick, START));
    let rest = (1..256 - START).map(|_| parts(generator.try_generate().unwrap()));
    assert!(rest.map(|id| id.sequence).eq(START + 1..256));
}

/// Hammers on a used-up tick while the clock stands still.
fn an_hour_in_one_tick<S: ExampleScheme>(policy: Policy<S>, want: NonZeroU32) {
    let clock = ManualClock::new(at(NOW));
    let generator = used_up(&clock, policy);
    hammer(&generator, want, ErrorKind::Stalled(StallReason::TickUsedUp));
    assert_eq!(generator.state().snapshot.next_sequence, 256);
    clock.set(at(NOW + 1));
    assert_goes_on_at(&generator, NOW + 1);
}

#[test]
fn hour_in_one_tick_wait() {
    an_hour_in_one_tick::<Narrow>(Policy::Wait, NonZeroU32::MIN);
}

#[test]
fn hour_in_one_tick_tick_tock() {
    an_hour_in_one_tick::<Narrow>(Policy::TickTock, NonZeroU32::MIN);
}

#[test]
fn largest_blocks_wait() {
    an_hour_in_one_tick::<Toggling>(Policy::Wait, NonZeroU32::MAX);
}

#[test]
fn largest_blocks_tick_tock() {
    an_hour_in_one_tick::<Toggling>(Policy::TickTock, NonZeroU32::MAX);
}

/// Hammers on a ratchet one past its allowance while the clock stands still.
fn an_hour_past_the_allowance<S: ExampleScheme>(want: NonZeroU32) {
    let clock = ManualClock::new(at(NOW));
    let generator = used_up::<S>(&clock, ratchet(2));
    let ticks = || generator.try_block(many(256)).map(|mut ids| parts(ids.next().unwrap()).tick);
    let mut highest = NOW;
    while let Ok(tick) = ticks() {
        highest = tick;
    }
    assert_eq!(highest, NOW + 3);
    let before = generator.state().snapshot;
    hammer(&generator, want, ErrorKind::Stalled(StallReason::ClockBehind));
    // Refused calls give back what they drew unless another one has drawn since.
    let after = generator.state().snapshot;
    assert_eq!((after.tick, after.other_past), (before.tick, before.other_past));
    assert!((before.next_sequence..=256).contains(&after.next_sequence), "{after:?}");
    // If the clock advances by a tick, so may the ratchet.
    clock.set(at(NOW + 1));
    let mut next = (0..=256).map(|_| parts(generator.try_generate().unwrap()));
    let next = next.find(|next| next.tick > highest).unwrap();
    assert_eq!((next.tick, next.sequence), (NOW + 4, START));
    clock.set(at(NOW + 5));
    assert_goes_on_at(&generator, NOW + 5);
}

#[test]
fn hour_past_the_allowance() {
    an_hour_past_the_allowance::<Narrow>(NonZeroU32::MIN);
}

#[test]
fn largest_blocks_past_allowance() {
    an_hour_past_the_allowance::<Toggling>(NonZeroU32::MAX);
}

#[test]
fn hour_behind_the_last_tick() {
    let clock = ManualClock::new(at(NOW));
    let generator = builder::<Narrow>(&clock, Policy::Wait).build().unwrap();
    generator.try_generate().unwrap();
    clock.set(at(NOW - 1));
    hammer(&generator, NonZeroU32::MIN, ErrorKind::Stalled(StallReason::ClockBehind));
    clock.set(at(NOW + 1));
    assert_goes_on_at(&generator, NOW + 1);
}

#[test]
fn hour_before_the_window() {
    let clock = ManualClock::new(at(NOW));
    let generator =
        builder::<Narrow>(&clock, Policy::Wait).window(window(NOW + 1, NOW + 9)).build().unwrap();
    hammer(&generator, NonZeroU32::MIN, ErrorKind::Stalled(StallReason::ClockBehind));
    assert_eq!(generator.state().snapshot.tick, None);
    clock.set(at(NOW + 1));
    assert_goes_on_at(&generator, NOW + 1);
}

#[test]
fn hour_after_the_window() {
    let clock = ManualClock::new(at(NOW));
    let generator =
        builder::<Narrow>(&clock, Policy::Wait).window(window(0, NOW + 1)).build().unwrap();
    generator.try_generate().unwrap();
    clock.set(at(NOW + 1));
    hammer(&generator, NonZeroU32::MIN, ErrorKind::Stalled(StallReason::WindowEnded));
    generator.widen(NOW + 2).unwrap();
    assert_goes_on_at(&generator, NOW + 1);
}

#[test]
fn hour_after_closing() {
    let clock = ManualClock::new(at(NOW));
    let generator = builder::<Narrow>(&clock, Policy::Wait).build().unwrap();
    generator.try_generate().unwrap();
    let snapshot = generator.close();
    hammer(&generator, NonZeroU32::MIN, ErrorKind::Closed);
    assert_eq!(generator.close(), snapshot);
}

#[test]
fn hour_at_the_end_of_time() {
    let clock = ManualClock::new(at(Tick::<Toggling>::MAX.get()));
    let generator = builder::<Toggling>(&clock, Policy::Wait).build().unwrap();
    assert!(generator.try_block(NonZeroU32::MAX).unwrap().len() > 0);
    hammer(&generator, NonZeroU32::MAX, ErrorKind::EndOfTime);
    assert_eq!(generator.state().snapshot.tick, Some(Tick::MAX));
}

#[test]
fn hour_with_clock_out_of_range() {
    let clock = ManualClock::new(at(NOW));
    let generator = builder::<Narrow>(&clock, Policy::Wait).build().unwrap();
    generator.try_generate().unwrap();
    clock.set(UnixTime::MIN);
    let kind = generator.try_generate().unwrap_err().kind();
    assert!(matches!(kind, ErrorKind::Clock(_)));
    hammer(&generator, NonZeroU32::MIN, kind);
    clock.set(at(NOW + 1));
    assert_goes_on_at(&generator, NOW + 1);
}
