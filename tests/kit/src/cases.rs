//! The number of cases of a test, by the environment.

use proptest::test_runner::{Config, RngSeed};

/// Returns `count`, or `TICKID_SCALE` times as many, for work that finds more the more there is of
/// it. Under Miri it is a thousandth.
///
/// # Panics
/// If `TICKID_SCALE` is not a number.
#[must_use]
pub fn scaled(count: usize) -> usize {
    let scale = std::env::var("TICKID_SCALE");
    let scale = scale.map_or(1, |scale| scale.parse().unwrap());
    if cfg!(miri) { count / 1_000 + 1 } else { count.saturating_mul(scale) }
}

/// Returns a configuration for the same cases every time, `times` as many as proptest's default,
/// unless `PROPTEST_RNG_SEED` selects others or `PROPTEST_CASES` more. A failure prints its input,
/// which should then become a separate test.
#[must_use]
pub fn config(times: u32) -> Config {
    let default = Config::default();
    Config {
        cases: default.cases.saturating_mul(times),
        rng_seed: match default.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0x7469_636B),
            given => given,
        },
        // Enough to shrink a failure all the way.
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..default
    }
}
