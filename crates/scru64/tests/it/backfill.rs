//! IDs for times that have passed.

use std::collections::HashSet;

use tickid_scru64::tickid_core::{
    Backfill, BackfillError, Builder, Lowest, ManualClock, Scheme as _, Tick,
};
use tickid_scru64::{NodeSpec, Scru64, Scru64Id, UnixTime, Window};

/// A backfill that may start with the first timestamp, which is reserved.
fn backfill(seed: u64) -> Backfill<Scru64> {
    let node: NodeSpec = "42/8".parse().unwrap();
    let clock = ManualClock::new(UnixTime::from_millis(1_700_000_000_000).unwrap());
    let window = Window::new(Tick::MIN, 6_000_000_000).unwrap();
    let builder = Builder::seeded_of(Scru64, node, seed).window(window).clock(clock);
    builder.build_backfill().unwrap()
}

#[test]
fn counters_start_at_random() {
    let mut backfill = backfill(7);
    let size = "42/8".parse::<NodeSpec>().unwrap().node_id_size();
    let counters = (1..100).map(|tick| {
        let id = backfill.generate(UnixTime::from_millis(tick * 256).unwrap()).unwrap();
        assert_eq!((id.timestamp(), id.node_id(size)), (tick.unsigned_abs(), 42));
        id.counter(size)
    });
    assert_eq!(counters.collect::<HashSet<u32>>().len(), 99);
}

#[test]
fn reserved_timestamps_get_no_id() {
    let mut backfill = backfill(7);
    let error = backfill.generate(UnixTime::EPOCH).unwrap_err();
    assert!(matches!(error, BackfillError::Window { .. }), "{error}");
    let id: Scru64Id = backfill.generate(UnixTime::from_millis(256).unwrap()).unwrap();
    assert!(!id.is_reserved() && id.timestamp() == 1);

    // The last timestamp is reserved, too, and no ID of the one before spills into it.
    let last = Scru64::MAX_TICK;
    let builder = Builder::seeded_of(Scru64, "42/8".parse::<NodeSpec>().unwrap(), 7)
        .window(Window::new(Tick::MIN, last + 1).unwrap())
        .sequence(Lowest)
        .clock(ManualClock::new(Scru64.scale().time_of(last + 1)));
    let mut backfill = builder.build_backfill().unwrap().spill(1);
    let [reserved, usable] = [last, last - 1].map(|tick| Scru64.scale().time_of(tick));
    let error = backfill.generate(reserved).unwrap_err();
    assert!(matches!(error, BackfillError::Window { until, .. } if until == reserved), "{error}");
    for _ in 0..65_536 {
        assert_eq!(backfill.generate(usable).unwrap().timestamp(), last - 1);
    }
    let error = backfill.generate(usable).unwrap_err();
    assert!(matches!(error, BackfillError::UsedUp { spill: 0, .. }), "{error}");
}
