//! `generate/saturated`: threads that demand more IDs than the format has, on the default clock.
//! Measures how close they come to its cap, and their share of one core.

use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tickid_benches::figures::{Figures, Request};
use tickid_benches::subject::{Subject, builder};
use tickid_core::Generator;
use tickid_nanoflake::Nanoflake;
use tickid_sno::Sno;

fn main() {
    let request = Request::from_args();
    let figures = Figures("generate/saturated");
    for threads in [1, 2] {
        saturate::<Nanoflake>(&request, figures, threads);
        saturate::<Sno>(&request, figures, threads);
    }
}

fn saturate<S: Subject>(request: &Request, figures: Figures, threads: u32) {
    let name = format!("{}/{threads}-threads", S::NAME);
    if !request.wants(&format!("generate/saturated/{name}")) {
        return;
    }
    let time = match (request.is_bench, request.is_quick) {
        (false, _) => S::TICK * 4,
        (true, true) => Duration::from_secs(1),
        (true, false) => Duration::from_secs(4),
    };
    let ticks = u32::try_from(time.as_nanos() / S::TICK.as_nanos()).expect("few ticks");

    let generator = builder::<S>().build().expect("valid options");
    // This moves to the start of a tick: use this one up and wait for the next.
    while generator.try_generate().is_ok() {}
    generator.generate().expect("a clock");
    let start = Instant::now();
    let busy = processor_time();
    // This is a little less than that many ticks, so that a tick that has just started does not
    // count.
    let end = start + S::TICK * ticks - S::TICK / 4;
    let count: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| draw(&generator, end))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    let (passed, busy) = (start.elapsed(), processor_time() - busy);

    let share = count as f64 / (S::CAP as f64 * f64::from(ticks));
    figures.print(&name, "of the cap", "%", 100.0 * share);
    figures.print(&name, "IDs", "million/s", count as f64 / passed.as_secs_f64() / 1e6);
    figures.print(&name, "of one core", "%", 100.0 * busy.as_secs_f64() / passed.as_secs_f64());
}

/// Draws until `end` and returns the number of IDs.
fn draw<S: Subject>(generator: &Generator<S>, end: Instant) -> u64 {
    /// The calls between two readings of the time, which would otherwise be most of the work.
    const CALLS: u64 = 64;
    let mut count = 0;
    while Instant::now() < end {
        for _ in 0..CALLS {
            std::hint::black_box(generator.generate().expect("a clock"));
        }
        count += CALLS;
    }
    count
}

/// Returns the processor time of all threads of this process.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().expect("a time since the start")
}
