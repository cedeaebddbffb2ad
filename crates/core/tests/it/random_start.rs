//! The reason to start ticks at a random sequence: few IDs per tick spread over shards.

use core::time::Duration;

use tickid_core::example::Seconds;
use tickid_core::{Builder, Lowest, ManualClock, RandomStart, Sequence};

use tickid_testkit::example::{NODE, at};

const TICKS: usize = 10_000;

/// Returns one ID in each of many consecutive ticks.
fn one_per_tick(start: impl Sequence + 'static) -> Vec<u64> {
    let clock = ManualClock::new(at(1_700_000_000));
    let mut local =
        Builder::<Seconds>::seeded(NODE, 0).clock(&clock).sequence(start).build_local().unwrap();
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
