//! `generate/side-by-side`: two threads draw from one generator for a fraction of a millisecond,
//! then from a bare counter, and so on in turn. Reports the ratio of the times.
//!
//! It complements `generate/contended`, which measures the interplay of two cores as much as the
//! generator. The core that has the word's cache line adds a few times before the other gets it,
//! and the number of times depends on every single cycle between two calls, on the place of the
//! word, and on other work on the machine. Here each drawn value is therefore used for 0 to 10
//! cycles, the counter's like the generator's, and each turn has a new generator and a new counter,
//! in other places.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ferroid::generator::AtomicSnowflakeGenerator;
use tickid_benches::figures::{Figures, Request};
use tickid_benches::peers::{ManualMillis, WideSnowflake};
use tickid_benches::subject::{self, Subject};
use tickid_benches::timing::{contended, in_ticks};
use tickid_benches::{Alone, START};
use tickid_core::ManualClock;
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

const GROUP: &str = "generate/side-by-side";
const OF_A_BARE_ADD: &str = "× fetch-add";
/// The number of variants: a drawn value is [used](used) 0 to 5 times before the next call, at two
/// cycles each.
const USES: usize = 6;

/// Functions that return the nanoseconds of an ID, one for each number of uses.
type Times = [fn(u64) -> f64; USES];

fn main() {
    let request = Request::from_args();
    let (turns, calls) = match (request.is_bench, request.is_quick) {
        (false, _) => (1, 1_000),
        (true, true) => (10, 50_000),
        (true, false) => (300, 50_000),
    };
    let subjects = [
        ("scru64/shared", ours::<Scru64>()),
        ("nanoflake/shared", ours::<Nanoflake>()),
        ("kuid/shared", ours::<Kuid>()),
        ("sno/shared", ours::<Sno>()),
        ("ferroid/atomic", ferroid()),
    ];
    let wanted = subjects.into_iter().filter(|(name, _)| request.wants(&format!("{GROUP}/{name}")));
    let mut wanted: Vec<_> =
        wanted.map(|(name, times)| (name, times, [const { Vec::new() }; USES])).collect();
    // They run in turn, so that other work on the machine for a second or two affects all of them.
    let bare = bare();
    for _ in 0..turns {
        for (_, times, ratios) in &mut wanted {
            for ((time, bare), ratios) in times.iter().zip(&bare).zip(ratios) {
                ratios.push(time(calls) / bare(calls));
            }
        }
    }
    let figures = Figures(GROUP);
    for (name, _, ratios) in wanted {
        let medians = ratios.map(|mut ratios| {
            ratios.sort_by(f64::total_cmp);
            ratios[turns / 2]
        });
        figures.print(name, "mean", OF_A_BARE_ADD, medians.iter().sum::<f64>() / USES as f64);
        for (uses, median) in medians.into_iter().enumerate() {
            figures.print(name, &format!("{} cycles", 2 * uses), OF_A_BARE_ADD, median);
        }
    }
}

/// Computes steps of two cycles each, one after the other, which cannot start before `drawn` is
/// available.
#[inline]
fn used<const N: usize>(mut drawn: u64) -> u64 {
    for _ in 0..N {
        drawn ^= drawn >> 7;
    }
    drawn
}

macro_rules! for_all_uses {
    ($function:ident $(::<$subject:ident>)?) => {
        [
            $function::<$($subject,)? 0>,
            $function::<$($subject,)? 1>,
            $function::<$($subject,)? 2>,
            $function::<$($subject,)? 3>,
            $function::<$($subject,)? 4>,
            $function::<$($subject,)? 5>,
        ]
    };
}

fn bare() -> Times {
    fn time<const N: usize>(calls: u64) -> f64 {
        let word = Alone(AtomicU64::new(0));
        let one = || used::<N>(word.0.fetch_add(1, Ordering::Relaxed));
        of_two(calls, || in_ticks(calls, calls, one, || ()))
    }
    for_all_uses!(time)
}

fn ours<S: Subject>() -> Times {
    fn time<S: Subject, const N: usize>(calls: u64) -> f64 {
        let clock = Alone(ManualClock::new(START));
        let generator = Alone(subject::shared::<S>(&clock.0));
        let one = || {
            let id = generator.0.generate().expect("a clock");
            used::<N>(S::last_bits(&id))
        };
        let next_tick = || clock.0.advance(S::TICK);
        of_two(calls, || in_ticks(calls, S::batch(2), one, next_tick))
    }
    for_all_uses!(time::<S>)
}

fn ferroid() -> Times {
    fn time<const N: usize>(calls: u64) -> f64 {
        let clock = Alone(ManualMillis::default());
        let generator = Alone(AtomicSnowflakeGenerator::<WideSnowflake, _>::new(0, &clock.0));
        let again = |_| std::hint::spin_loop();
        let one = || used::<N>(generator.0.next_id(again).to_raw());
        of_two(calls, || in_ticks(calls, 2_048, one, || clock.0.advance()))
    }
    for_all_uses!(time)
}

/// Returns the nanoseconds per ID while two threads do `work`, which takes `calls` IDs, at the same
/// time.
fn of_two(calls: u64, work: impl Fn() -> Duration + Sync) -> f64 {
    contended(2, calls, |_, _| _ = work()).as_nanos() as f64 / calls as f64
}
