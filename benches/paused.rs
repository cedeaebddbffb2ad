//! `generate/paused`: a few IDs after a pause, as most programs draw them, by the default clock and
//! by the system's, in turn. A busy loop shows only how fast a clock is once it has settled.
//!
//! The thread sleeps in the pauses. That leaves the caches cold and the processor slow for both
//! clocks, so a single ID takes far longer than in a loop, and the ratio of the two matters.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use tickid_benches::figures::{Figures, Request};
use tickid_benches::subject::builder;
use tickid_core::{Clock, Generator, SystemClock};
use tickid_scru64::Scru64;

/// The numbers of IDs after each pause. SCRU64 has enough for all of them in one tick.
const IDS: [u64; 4] = [1, 20, 500, 5_000];

fn main() {
    let request = Request::from_args();
    let figures = Figures("generate/paused");
    // About ten seconds for all numbers of IDs after pauses of one length.
    let time = match (request.is_bench, request.is_quick) {
        (false, _) => Duration::ZERO,
        (true, true) => Duration::from_secs(3),
        (true, false) => Duration::from_secs(10),
    };
    for millis in [10, 105, 300] {
        let pause = Duration::from_millis(millis);
        let pauses = time.as_millis() / pause.as_millis() / 2 / IDS.len() as u128;
        for ids in IDS {
            let name = format!("{millis}-ms/{ids}-ids");
            if request.wants(&format!("generate/paused/{name}")) {
                measure(figures, &name, pause, pauses.max(2), ids);
            }
        }
    }
}

fn measure(figures: Figures, name: &str, pause: Duration, pauses: u128, ids: u64) {
    let default = builder::<Scru64>().build().expect("valid options");
    let system = builder::<Scru64>().clock(SystemClock).build().expect("valid options");
    let (mut by_default, mut by_system) = (Vec::new(), Vec::new());
    for _ in 0..pauses {
        by_default.push(after(pause, &default, ids));
        by_system.push(after(pause, &system, ids));
    }
    let [default, system] = [by_default, by_system].map(median);
    figures.print(name, "default", "ns", default);
    figures.print(name, "system", "ns", system);
    figures.print(name, "ratio", "of the system's", default / system);
}

/// Returns the nanoseconds that each of `ids` IDs takes after a pause.
fn after(pause: Duration, generator: &Generator<Scru64, impl Clock>, ids: u64) -> f64 {
    thread::sleep(pause);
    let start = Instant::now();
    for _ in 0..ids {
        black_box(black_box(generator).generate().expect("a clock"));
    }
    start.elapsed().as_nanos() as f64 / ids as f64
}

/// Returns the median, which a thread that is suspended during a few bursts does not change.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
