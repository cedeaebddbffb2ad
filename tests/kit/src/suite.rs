//! Tests of every promise that a scheme's generators make, which a scheme invokes in one line.

use core::num::NonZeroU32;
use core::time::Duration;

use tickid_core::{
    BuildError, ErrorKind, Generator, Lowest, ManualClock, Policy, Scheme, SequenceBounds,
    StallReason, Ticks,
};

use crate::cases::scaled;
use crate::invariants::{Rule, hold};
use crate::reference::{Document, follow};
use crate::schedule::tick_length;
use crate::storm::{Storm, draw_unique};
use crate::subject::Subject;
use crate::threads::on_threads;

/// Defines a test for each promise of a scheme's generators, in a separate module.
///
/// The arguments are the type of the scheme's [`Document`], its [`Subject`]s, and the subject with
/// the most sequences, which tests that wait for a real clock use. Without the last, there are no
/// such tests.
#[macro_export]
macro_rules! suite {
    ($document:ty, [$($subject:expr),+]) => {
        $crate::tests! { [$($subject),+]:
            // Random schedules of one thread.
            promises_hold_by_default => $crate::suite::hold_by_default,
            promises_hold_under_ratchets => $crate::suite::hold_under_ratchets,
            promises_hold_when_waiting => $crate::suite::hold_when_waiting,
            promises_hold_under_tick_tock => $crate::suite::hold_under_tick_tock,
            shares_divide_a_tick => $crate::shares::divide_a_tick,
            bounds_hold_at_every_edge => $crate::bounds::hold_at_every_edge,
            agrees_with_the_document => $crate::suite::agree_with::<_, $document>,
            // Eight threads.
            ids_of_eight_threads_are_unique => $crate::suite::draw_unique_ids,
            storms_hold_by_default => $crate::suite::weather_by_default,
            storms_hold_under_ratchets => $crate::suite::weather_under_ratchets,
            storms_hold_when_waiting => $crate::suite::weather_when_waiting,
            storms_hold_under_tick_tock => $crate::suite::weather_under_tick_tock,
            refused_calls_leave_no_trace => $crate::suite::refuse_without_a_trace,
            generators_share_no_cache_line => $crate::suite::share_no_cache_line,
        }
    };
    ($document:ty, [$($subject:expr),+], $fastest:expr) => {
        $crate::suite!($document, [$($subject),+]);
        $crate::tests! { [$fastest]:
            // Every kind of generator over each clock, whichever is the default here.
            holds_over_the_system_clock => $crate::every_clock::hold_over_the_system_clock,
            holds_over_the_counter_clock => $crate::every_clock::hold_over_the_counter_clock,
            holds_over_the_manual_clock => $crate::every_clock::hold_over_the_manual_clock,
            ten_years_of_few_ids => $crate::soak::hold_for_ten_years,
            #[ignore = "minutes: cargo xtask verify soak"]
            ten_years_of_many_ids => $crate::soak::hold_for_ten_busy_years,
            #[ignore = "minutes: cargo xtask verify soak"]
            billion_ids_are_unique => $crate::soak::draw_a_billion,
        }
    };
}

/// Defines tests that call a function for each subject.
#[doc(hidden)]
#[macro_export]
macro_rules! tests {
    ($subjects:tt: $($(#[$attribute:meta])* $test:ident => $promise:expr,)+) => {$(
        #[test]
        $(#[$attribute])*
        fn $test() {
            for subject in &$subjects {
                $promise(subject);
            }
        }
    )+};
}

/// Holds the default policy to its promises.
pub fn hold_by_default<T: Subject>(subject: &T) {
    hold(subject, Rule::Default);
}

/// Holds ratchets of any allowance to their promises.
pub fn hold_under_ratchets<T: Subject>(subject: &T) {
    hold(subject, Rule::Ratchet);
}

/// Holds the policy _wait_ to its promises.
pub fn hold_when_waiting<T: Subject>(subject: &T) {
    hold(subject, Rule::Wait);
}

/// Holds tick-tock to its promises, or expects it to be refused if the scheme has no toggle.
///
/// # Panics
/// If a promise is broken.
pub fn hold_under_tick_tock<T: Subject>(subject: &T) {
    if T::Scheme::TOGGLE {
        hold(subject, Rule::TickTock);
    } else {
        let clock = ManualClock::new(subject.start());
        let builder = subject.builder(0);
        let refused = builder.clock(&clock).policy(Policy::TickTock).build().err();
        assert_eq!(refused, Some(BuildError::NoToggle { scheme: T::Scheme::NAME }));
    }
}

/// Compares the default policy with the document.
pub fn agree_with<T: Subject<Id: PartialEq>, D: Document<T>>(subject: &T) {
    follow::<T, D>(subject, Rule::Default);
}

/// Draws IDs on eight threads, and some of them wait.
///
/// # Panics
/// If a promise is broken.
pub fn draw_unique_ids<T: Subject>(subject: &T) {
    let clock = ManualClock::new(subject.start());
    let builder = subject.builder(0x5EED);
    // Each sleeping thread moves the clock, and so uses up the time of the others.
    let generator = builder.clock(&clock).max_wait(Duration::MAX).build().unwrap();
    let drawn = draw_unique(subject, &generator);
    assert_eq!(drawn.iter().map(Vec::len).sum::<usize>(), scaled(800_000));
}

/// Exposes the default policy to eight threads and a wild clock.
pub fn weather_by_default<T: Subject>(subject: &T) {
    weather(subject, subject.settings().default_policy());
}

/// Exposes ratchets to eight threads and a wild clock.
pub fn weather_under_ratchets<T: Subject>(subject: &T) {
    for allowance in [0, 7, 250] {
        weather(subject, Policy::Ratchet { allowance: Ticks::new(allowance) });
    }
}

/// Exposes the policy _wait_ to eight threads and a wild clock.
pub fn weather_when_waiting<T: Subject>(subject: &T) {
    weather(subject, Policy::Wait);
}

/// Exposes tick-tock to eight threads and a wild clock, if the scheme has a toggle.
pub fn weather_under_tick_tock<T: Subject>(subject: &T) {
    if T::Scheme::TOGGLE {
        weather(subject, Policy::TickTock);
    }
}

/// Draws from the scheme's last hundred sequences, so that ticks are used up and threads overshoot
/// where only the guard is left.
fn weather<T: Subject>(subject: &T, policy: Policy<T::Scheme>) {
    let last = subject.sequences().last();
    let bounds = SequenceBounds::new(last - 99, last);
    let after = Storm { subject, policy, bounds, calls: 1_200, ids: 100_000 }.weather();
    let drifts = after.snapshot.drifts;
    assert_eq!(drifts as usize > scaled(10), policy == Policy::TickTock, "{drifts} flips");
    let ceiling = after.window.ceiling();
    assert!(ceiling > after.start + scaled(1_000) as u64, "the window ends at {ceiling}");
}

/// Makes calls on eight threads that all fail, 1,000 ticks back and then in a used-up tick. Each
/// adds to the generator's word before it finds that out, but no tick and no later ID may change.
///
/// # Panics
/// If a call succeeds, fails for another reason or leaves a trace.
pub fn refuse_without_a_trace<T: Subject>(subject: &T) {
    let (layout, form) = (subject.settings(), subject.forms()[0]);
    let clock = ManualClock::new(subject.start());
    let builder = subject.builder(0).clock(&clock).policy(Policy::Wait);
    let generator = builder.sequence(Lowest).build().unwrap();
    generator.with(form).try_generate().unwrap();
    let before = generator.state().snapshot;
    let tick = Duration::from_micros(tick_length(&layout).unsigned_abs());
    let hammer = |now, reason| {
        clock.set(now);
        on_threads(|mut dice| {
            for _ in 0..scaled(10_000) {
                let want = NonZeroU32::new(dice.count(10_000)).unwrap();
                let error = generator.with(form).try_block(want).err();
                assert_eq!(error.map(|error| error.kind()), Some(reason));
            }
        });
    };
    hammer(
        subject.start().checked_sub(1_000 * tick).unwrap(),
        ErrorKind::Stalled(StallReason::ClockBehind),
    );
    clock.set(subject.start());
    while generator.with(form).try_block(NonZeroU32::MAX).is_ok() {}
    hammer(subject.start(), ErrorKind::Stalled(StallReason::TickUsedUp));
    let after = generator.state().snapshot;
    assert_eq!((after.tick, after.drifts), (before.tick, before.drifts));

    clock.set(subject.start());
    clock.advance(tick);
    let next = subject.parts(generator.with(form).try_generate().unwrap());
    let lowest = subject.sequences().lowest();
    let expected = (before.tick.unwrap().get() + 1, false, lowest);
    assert_eq!((next.tick, next.toggle, next.sequence), expected);
}

/// Checks that the generators of an array are in different pairs of cache lines, which processors
/// fetch together.
///
/// # Panics
/// If some of them share a pair.
pub fn share_no_cache_line<T: Subject>(_: &T) {
    assert_eq!(align_of::<Generator<T::Scheme>>() % 128, 0);
}
