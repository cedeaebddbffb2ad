//! The reason to start ticks at a random sequence: few IDs per tick spread over shards.

use core::time::Duration;
use std::collections::BTreeSet;

use tickid_core::example::Seconds;
use tickid_core::{Builder, Fixed, Lowest, ManualClock, RandomStart, Sequence, TickStart};

use tickid_testkit::example::{NODE, at};

const TICKS: usize = 10_000;

/// Returns one ID in each of many consecutive ticks.
fn one_per_tick(start: impl Sequence + 'static) -> Vec<u64> {
    ids_of(Builder::seeded(NODE, 0).sequence(start))
}

fn ids_of(builder: Builder<Seconds>) -> Vec<u64> {
    let clock = ManualClock::new(at(1_700_000_000));
    let mut local = builder.clock(&clock).build_local().unwrap();
    let generate = |_| {
        clock.advance(Duration::from_secs(1));
        local.try_generate().unwrap()
    };
    (0..TICKS).map(generate).collect()
}

/// Returns Pearson's statistic of how unevenly the IDs fall on the shards.
fn chi_squared(ids: &[u64], shards: u32) -> f64 {
    let mut counts = vec![0_u32; shards.try_into().unwrap()];
    for id in ids {
        counts[usize::try_from(id % u64::from(shards)).unwrap()] += 1;
    }
    let expected = f64::from(u32::try_from(ids.len()).unwrap()) / f64::from(shards);
    counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}

#[test]
fn random_starts_spread_over_shards() {
    for seed in 1..=3 {
        let ids = one_per_tick(RandomStart::new(seed));
        for shards in 2..=16 {
            let unevenness = chi_squared(&ids, shards);
            // Evenly distributed numbers exceed this once in 10,000 times at 15 degrees of
            // freedom, and less often at fewer.
            assert!(unevenness < 44.3, "{unevenness} over {shards} shards, seed {seed}");
        }
    }
}

#[test]
fn lowest_starts_leave_shards_empty() {
    let ids = one_per_tick(Lowest);
    assert!(ids.iter().all(|id| id % 2 == 0));
}

#[test]
fn generators_start_at_random_by_seeds_of_their_own() {
    let own = || Builder::of(Seconds, NODE);
    let any = || Builder::of_any(Seconds, "7/8".parse().unwrap());
    let builders = [own(), own(), any(), any()];
    let ids = builders.map(|builder| ids_of(builder.tick_start(TickStart::Random)));
    assert_eq!(BTreeSet::from(ids).len(), 4);
}

#[test]
fn the_later_rule_counts() {
    let ids = ids_of(Builder::seeded(NODE, 0).sequence(Fixed(9)).tick_start(TickStart::Lowest));
    assert!(ids.iter().all(|id| id & 0xff == 0));
    let ids = ids_of(Builder::seeded(NODE, 0).tick_start(TickStart::Random).sequence(Fixed(9)));
    assert!(ids.iter().all(|id| id & 0xff == 9));
}
