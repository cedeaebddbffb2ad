//! `slow-path`: the time of a call that needs a new tick, while another thread constantly adds to
//! the generator's word. (If the call started over whenever the other thread was faster, it would
//! take milliseconds.)
//!
//! Each thread has its own time on one clock: the measured thread advances by a tick before every
//! call, and the other follows when that call is over. It is therefore always the measured thread
//! that has to exchange the word, and the other never does so before it. All policies are ratchets
//! because any other policy would stall the other thread meanwhile.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::Instant;

use tickid_benches::figures::{Figures, Request};
use tickid_benches::subject::{Subject, builder};
use tickid_benches::{Alone, START};
use tickid_core::{Clock, ClockError, Policy, Ticks, UnixTime};
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

thread_local! {
    /// This thread's lead over the others, in microseconds.
    static AHEAD: Cell<i64> = const { Cell::new(0) };
}

struct OwnTime(AtomicI64);

impl Clock for OwnTime {
    fn now(&self) -> Result<UnixTime, ClockError> {
        Ok(UnixTime::from_micros(self.0.load(Ordering::Acquire) + AHEAD.get()))
    }
}

fn main() {
    let request = Request::from_args();
    let figures = Figures("slow-path");
    let calls = match (request.is_bench, request.is_quick) {
        (false, _) => 100,
        (true, true) => 100_000,
        (true, false) => 1_000_000,
    };
    measure::<Scru64>(&request, figures, calls);
    measure::<Nanoflake>(&request, figures, calls);
    measure::<Kuid>(&request, figures, calls);
    measure::<Sno>(&request, figures, calls);
    timer(&request, figures, calls);
}

fn measure<S: Subject>(request: &Request, figures: Figures, calls: usize) {
    if !request.wants(&format!("slow-path/{}", S::NAME)) {
        return;
    }
    let clock = Alone(OwnTime(AtomicI64::new(START.as_micros())));
    let clock = &clock.0;
    let policy = Policy::Ratchet { allowance: Ticks::new(1_000) };
    let generator = builder::<S>().policy(policy).clock(clock).build();
    let generator = Alone(generator.expect("valid options"));
    let tick = i64::try_from(S::TICK.as_micros()).expect("a short tick");

    let is_over = AtomicBool::new(false);
    let barrier = Barrier::new(2);
    let (times, new_ticks, adds) = thread::scope(|scope| {
        let other = scope.spawn(|| {
            barrier.wait();
            let mut adds = 0_u64;
            while !is_over.load(Ordering::Relaxed) {
                // If the measured thread is suspended for long, this one is soon too far ahead, so
                // errors are ignored.
                let _ = black_box(generator.0.try_generate());
                adds += 1;
            }
            adds
        });
        barrier.wait();
        let mut new_ticks = 0;
        let times = (0..calls).map(|_| {
            AHEAD.set(tick);
            let start = Instant::now();
            let id = generator.0.try_generate();
            let time = start.elapsed();
            black_box(id.expect("a tick without IDs"));
            // If the other thread had ratcheted ahead, this call had nothing to do.
            let now = clock.now().map(|now| generator.0.settings().tick_at(now).ok());
            let is_new = generator.0.state().snapshot.tick == now.ok().flatten();
            new_ticks += u32::from(is_new);
            AHEAD.set(0);
            clock.0.fetch_add(tick, Ordering::AcqRel);
            time.as_nanos() as f64
        });
        let times = times.collect();
        is_over.store(true, Ordering::Relaxed);
        (times, new_ticks, other.join().expect("no panic"))
    });
    percentiles(figures, S::NAME, times);
    // Without new ticks, another path was measured.
    figures.print(S::NAME, "new ticks", "%", 100.0 * f64::from(new_ticks) / calls as f64);
    // Without calls of the other thread, nothing contended for the word.
    figures.print(S::NAME, "others", "calls per call", adds as f64 / calls as f64);
}

/// Measures the part of these times that the measurement itself takes.
fn timer(request: &Request, figures: Figures, calls: usize) {
    if request.wants("slow-path/timer") {
        let times = (0..calls).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
        percentiles(figures, "timer", times);
    }
}

fn percentiles(figures: Figures, name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    for (quantity, per_mille) in [("p50", 500), ("p99", 990), ("p99.9", 999), ("max", 1_000)] {
        let index = (times.len() * per_mille / 1_000).min(times.len() - 1);
        figures.print(name, quantity, "ns", times[index]);
    }
}
