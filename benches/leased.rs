//! `generate/leased`: the cost that a lease adds to an ID. A leased generator, the generator inside
//! it, and one without a lease run in turn, on one thread and on a clock that costs one load.
//!
//! The clock stands still for a turn, and in the end it is at most a few seconds ahead, within the
//! first window of the lease.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use tickid_benches::figures::{Figures, Request};
use tickid_benches::subject::{Subject, builder, leased};
use tickid_core::{Clock, ManualClock, SystemClock};
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

const GROUP: &str = "generate/leased";
const TURNS: usize = 60;

fn main() {
    let request = Request::from_args();
    let turns = if request.is_bench { TURNS } else { 2 };
    let figures = Figures(GROUP);
    measure::<Scru64>(&request, figures, turns);
    measure::<Nanoflake>(&request, figures, turns);
    measure::<Kuid>(&request, figures, turns);
    measure::<Sno>(&request, figures, turns);
}

fn measure<S: Subject>(request: &Request, figures: Figures, turns: usize) {
    if !request.wants(&format!("{GROUP}/{}", S::NAME)) {
        return;
    }
    let clock = Arc::new(ManualClock::new(SystemClock.now().expect("a clock")));
    let leased = leased::<S>(&clock);
    let active = leased.active_lease().expect("a lease");
    let inner = active.generator();
    let free = builder::<S>().clock(Arc::clone(&clock)).build().expect("valid options");

    let mut times = [const { Vec::new() }; 3];
    for _ in 0..turns {
        clock.advance(S::TICK);
        times[0].push(of_a_tick::<S, _>(|| free.try_generate().expect(ROOM)));
        times[1].push(of_a_tick::<S, _>(|| inner.try_generate().expect(ROOM)));
        times[2].push(of_a_tick::<S, _>(|| leased.try_generate().expect(ROOM)));
    }
    let [free, inner, leased] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[turns / 2]
    });
    for (of, time) in [("without", free), ("generator", inner), ("leased", leased)] {
        let name = format!("{}/{of}", S::NAME);
        figures.print(&name, "median", "ns", time);
        figures.print(&name, "more", "ns", time - free);
    }
}

const ROOM: &str = "a tick that is new";

/// Returns the nanoseconds per ID, for a quarter of a tick's IDs. It is not more because a leased
/// generator and the one inside it draw from the same tick.
fn of_a_tick<S: Subject, T>(mut one: impl FnMut() -> T) -> f64 {
    let calls = S::CAP / 4;
    let start = Instant::now();
    for _ in 0..calls {
        black_box(one());
    }
    start.elapsed().as_nanos() as f64 / calls as f64
}
