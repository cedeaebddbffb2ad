use proptest::test_runner::{Config, RngSeed};

/// `count`, or `TICKID_SCALE` times as many: of work that finds more the more there is. Under an
/// interpreter it is a thousandth.
///
/// # Panics
/// If `TICKID_SCALE` is not a number.
#[must_use]
pub fn scaled(count: usize) -> usize {
    let scale = std::env::var("TICKID_SCALE");
    let scale = scale.map_or(1, |scale| scale.parse().unwrap());
    if cfg!(miri) { count / 1_000 + 1 } else { count.saturating_mul(scale) }
}

/// The same cases every time, `times` as many as proptest's default, unless `PROPTEST_RNG_SEED`
/// asks for others or `PROPTEST_CASES` for more. A failure prints its input, which then becomes a
/// test of its own.
#[must_use]
pub fn config(times: u32) -> Config {
    let default = Config::default();
    Config {
        cases: default.cases.saturating_mul(times),
        rng_seed: match default.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0x7469_636B),
            given => given,
        },
        // Time enough to get to the bottom of it.
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..default
    }
}
