//! Property tests generate every ID.

use proptest::arbitrary::{Arbitrary, any as strategy};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{TestError, TestRunner};
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};

#[test]
fn failures_shrink_to_the_lowest() {
    fn shrinks<T: Representations + Arbitrary + PartialOrd>() {
        for threshold in [T::MIN].into_iter().chain(any(2).take(20)) {
            let property = |id| {
                proptest::prop_assert!(id < threshold);
                Ok(())
            };
            // An ID as high as the threshold may need many attempts.
            let config = proptest::test_runner::Config {
                cases: 100_000,
                failure_persistence: None,
                ..Default::default()
            };
            let mut runner = TestRunner::new_with_rng(config, deterministic());
            match runner.run(&strategy::<T>(), property) {
                Err(TestError::Fail(_, lowest)) => assert!(lowest == threshold),
                other => panic!("{threshold}: {other:?}"),
            }
        }
    }
    for_each_id!(shrinks);
}

#[test]
fn ids_span_the_range() {
    fn come<T: Representations + Arbitrary>() {
        let mut runner = TestRunner::deterministic();
        let mut bits = [false; 256];
        for _ in 0..200 {
            let id = strategy::<T>().new_tree(&mut runner).unwrap().current();
            let bytes: T::Bytes = id.into();
            bits[usize::from(bytes.as_ref()[0])] = true;
        }
        let seen = bits.iter().filter(|seen| **seen).count();
        assert!(seen > 40, "{seen} first bytes of {}", T::NAME);
    }
    for_each_id!(come);
}

fn deterministic() -> proptest::test_runner::TestRng {
    let algorithm = proptest::test_runner::RngAlgorithm::default();
    proptest::test_runner::TestRng::deterministic_rng(algorithm)
}
