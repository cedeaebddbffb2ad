//! One shared generator and eight threads of 100,000 IDs each, of both kinds and through every
//! method, under clocks that run, stand still, leap and repeat themselves. `TICKID_SCALE`
//! multiplies the numbers.

use std::collections::BTreeSet;

use tickid_kuid::tickid_core::{ManualClock, Scheme as _};
use tickid_kuid::{Builder, Kuid, Local, Policy};
use tickid_testkit::Subject as _;
use tickid_testkit::scaled;
use tickid_testkit::threads::on_threads;

use crate::support::{NODE, Subject};

/// Each failed call still draws from the word; its draw must not spill into the tick.
#[test]
fn refused_calls_change_nothing() {
    let clock = ManualClock::new(Subject.start());
    let builder = Builder::new(NODE).clock(&clock).policy(Policy::Wait);
    let generator = builder.build().unwrap();
    let ids = on_threads(|_| {
        let local = (0..scaled(100_000)).filter_map(|_| generator.with(Local).try_generate().ok());
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
