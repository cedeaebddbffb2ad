use proptest::test_runner::{Config, RngSeed};

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
