//! Fuzzers generate every ID.

use arbitrary::{Arbitrary, Unstructured};
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};

#[test]
fn ids_use_their_own_bytes() {
    fn comes<T: Representations + for<'a> Arbitrary<'a> + PartialEq>() {
        for id in [T::MIN, T::MAX].into_iter().chain(any(1).take(500)) {
            let bytes: T::Bytes = id.into();
            let mut input = Unstructured::new(bytes.as_ref());
            assert_eq!(T::arbitrary(&mut input).unwrap(), id);
            assert!(input.is_empty(), "{} bytes left", input.len());
        }
    }
    for_each_id!(comes);
}

#[test]
fn short_input_is_enough() {
    fn makes<T: Representations + for<'a> Arbitrary<'a> + PartialEq>() {
        assert_eq!(T::arbitrary(&mut Unstructured::new(&[])).unwrap(), T::MIN);
    }
    for_each_id!(makes);
}
