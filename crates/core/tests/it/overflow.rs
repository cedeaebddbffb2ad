//! The observer of overflows: the reports it gets, their timing, and its harmlessness.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, OnceLock};

use tickid_core::example::Toggling;
use tickid_core::{
    Builder, ErrorKind, Generator, Overflow, Policy, SequenceBounds, StallReason, UnixTime,
};

use crate::clocks::RecordingClock;
use tickid_testkit::example::{NODE, assert_distinct, at, many, parts};

type Clock = Arc<RecordingClock>;
type SharedGenerator = Generator<Toggling, Clock>;

/// The reports that an observer got.
type Told = Arc<Mutex<Vec<Overflow>>>;

/// Returns a builder with four sequences to a tick, and a clock that is a quarter into tick
/// 1,000.
fn builder() -> (Clock, Builder<Toggling, Clock>) {
    let quarter = UnixTime::from_micros(1_000_250_000);
    let clock = Arc::new(RecordingClock::new(quarter));
    let builder = Builder::seeded(NODE, 0)
        .clock(Arc::clone(&clock))
        .policy(Policy::Wait)
        .bounds(SequenceBounds::new(0, 3));
    (clock, builder)
}

fn use_up(generator: &SharedGenerator) {
    assert_eq!(generator.try_block(many(4)).unwrap().count(), 4);
}

fn observed(builder: Builder<Toggling, Clock>) -> (Told, Arc<SharedGenerator>) {
    let told = Told::default();
    let writer = Arc::clone(&told);
    let generator =
        builder.on_overflow(move |overflow| writer.lock().unwrap().push(overflow)).build().unwrap();
    (told, Arc::new(generator))
}

fn facts(told: &Told) -> Vec<(UnixTime, u32, u64)> {
    let told = told.lock().unwrap();
    told.iter().map(|overflow| (overflow.time, overflow.waiting, overflow.ticks)).collect()
}

#[test]
fn observer_gets_time_and_callers() {
    let (_, builder) = builder();
    let (told, generator) = observed(builder);
    use_up(&generator);
    generator.generate().unwrap();
    let quarter = UnixTime::from_micros(1_000_250_000);
    assert_eq!(facts(&told), [(quarter, 1, 0)]);
}

#[test]
fn observed_before_the_sleep() {
    let (clock, builder) = builder();
    let sleeps = Arc::new(Mutex::new(None));
    let (writer, watched) = (Arc::clone(&sleeps), Arc::clone(&clock));
    let generator = builder
        .on_overflow(move |_| *writer.lock().unwrap() = Some(watched.sleeps().len()))
        .build()
        .unwrap();
    use_up(&generator);
    generator.generate().unwrap();
    assert_eq!(*sleeps.lock().unwrap(), Some(0));
}

#[test]
fn each_wait_is_observed_once() {
    let (_, builder) = builder();
    let (told, generator) = observed(builder);
    generator.fill(&mut [0; 12]).unwrap();
    let quarter = UnixTime::from_micros(1_000_250_000);
    assert_eq!(facts(&told), [(quarter, 1, 0), (at(1_001), 1, 0)]);
}

/// The first call reports the tick, and the next tick counts the calls that wait still.
#[test]
fn a_tick_is_reported_once() {
    let (clock, builder) = builder();
    let (told, generator) = observed(builder);
    use_up(&generator);
    let (hands, others) = (Arc::clone(&clock), Arc::clone(&generator));
    clock.during_sleep(move |sleeps| match sleeps {
        // While the first call waits, another one waits in the same tick.
        1 => drop(others.generate().unwrap()),
        // While both wait, the next tick is used up as well, and a third call waits.
        2 => {
            hands.hands.set(at(1_001));
            use_up(&others);
            others.generate().unwrap();
        }
        _ => {}
    });
    generator.generate().unwrap();
    let quarter = UnixTime::from_micros(1_000_250_000);
    assert_eq!(facts(&told), [(quarter, 1, 0), (at(1_001), 3, 1)]);
}

#[test]
fn observer_counts_calls_ticks() {
    let (clock, builder) = builder();
    let (told, generator) = observed(builder);
    use_up(&generator);
    // While one call waits, the clock leaps three ticks ahead. They are used up as well, so
    // another call has to wait.
    let (hands, another) = (Arc::clone(&clock), Arc::clone(&generator));
    clock.during_sleep(move |sleeps| {
        if sleeps == 1 {
            hands.hands.set(at(1_003));
            use_up(&another);
            another.generate().unwrap();
        }
    });
    generator.generate().unwrap();
    let quarter = UnixTime::from_micros(1_000_250_000);
    assert_eq!(facts(&told), [(quarter, 1, 0), (at(1_003), 2, 3)]);
}

#[test]
fn exhausted_rollback_is_observed() {
    let (clock, builder) = builder();
    let (told, generator) = observed(builder);
    use_up(&generator);
    clock.hands.set(at(999));
    generator.generate().unwrap();
    assert_eq!(facts(&told), [(at(1_000), 1, 0)]);
}

/// Under tick-tock, a tick has its sequences once more after a rollback, and a report for them.
#[test]
fn used_up_ticks_are_observed_after_each_rollback() {
    let (clock, builder) = builder();
    let (told, generator) = observed(builder.policy(Policy::TickTock));
    let mut expected = vec![];
    for first in [1_000, 500, 1_103, 1_150] {
        clock.hands.set(at(first));
        // All of 100 ticks, and one ID that waits for the tick after them.
        generator.fill(&mut [0; 401]).unwrap();
        expected.extend((first..first + 100).map(at));
    }
    let times: Vec<_> = facts(&told).into_iter().map(|(time, ..)| time).collect();
    assert_eq!(times, expected);
    assert_eq!(generator.state().snapshot.drifts, 2);
}

#[test]
fn rollbacks_are_not_observed() {
    let (clock, builder) = builder();
    let (told, generator) = observed(builder);
    generator.try_generate().unwrap();
    clock.hands.set(at(999));
    generator.generate().unwrap();
    assert_eq!(facts(&told), []);
}

#[test]
fn other_calls_are_not_observed() {
    let (_, builder) = builder();
    let (told, generator) = observed(builder.max_wait(Duration::from_millis(1)));
    use_up(&generator);
    generator.try_generate().unwrap_err();
    let error = generator.generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
    assert_eq!(facts(&told), []);
}

#[test]
fn observers_may_generate() {
    let (_, builder) = builder();
    let generator: Arc<OnceLock<SharedGenerator>> = Arc::default();
    let ids = Arc::new(Mutex::new(Vec::new()));
    let (own, writer) = (Arc::clone(&generator), Arc::clone(&ids));
    let observed = builder.on_overflow(move |_| {
        // Its own calls wait for two ticks and leave nothing of them. The second one waits in a
        // tick that nobody has reported.
        for _ in 0..2 {
            let block = own.get().unwrap().block(many(4)).unwrap();
            writer.lock().unwrap().push(block.collect::<Vec<_>>());
        }
    });
    let generator = generator.get_or_init(|| observed.build().unwrap());
    use_up(generator);
    let id = generator.generate().unwrap();
    let ids = ids.lock().unwrap();
    assert_eq!(ids.len(), 2, "only the outer call is reported");
    assert_eq!(parts(id).tick, 1_003);
    assert_distinct(ids.iter().flatten().copied().chain([id]));
}

#[test]
fn observer_panics_keep_the_count() {
    let (clock, builder) = builder();
    let told = Told::default();
    let writer = Arc::clone(&told);
    let generator = builder
        .on_overflow(move |overflow| {
            writer.lock().unwrap().push(overflow);
            let is_first = writer.lock().unwrap().len() == 1;
            assert!(!is_first, "the observer's own");
        })
        .build()
        .unwrap();
    use_up(&generator);
    assert!(catch_unwind(AssertUnwindSafe(|| generator.generate())).is_err());
    clock.hands.set(at(1_001));
    use_up(&generator);
    generator.generate().unwrap();
    let waiting: Vec<_> = facts(&told).into_iter().map(|(_, waiting, _)| waiting).collect();
    assert_eq!(waiting, [1, 1]);
}
