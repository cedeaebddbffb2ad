//! IDs for property tests.

#[doc(hidden)]
pub use proptest as __proptest;

/// Implements `Arbitrary` for an ID, with every possible value, shrinking towards the lowest.
#[macro_export]
macro_rules! impl_proptest {
    ($id:ident) => {
        const _: () = {
            use $crate::external::Representations;
            use $crate::external::proptest::__proptest as proptest;

            type Integer = <$id as Representations>::Integer;

            #[cfg_attr(docsrs, doc(cfg(feature = "proptest_1")))]
            impl proptest::arbitrary::Arbitrary for $id {
                type Parameters = ();
                type Strategy = proptest::strategy::FilterMap<
                    ::core::ops::RangeInclusive<Integer>,
                    fn(Integer) -> Option<Self>,
                >;

                fn arbitrary_with((): ()) -> Self::Strategy {
                    let integers = Integer::from(<$id>::MIN)..=Integer::from(<$id>::MAX);
                    // All of them are IDs.
                    proptest::strategy::Strategy::prop_filter_map(
                        integers,
                        <$id as Representations>::NAME,
                        |integer| Self::try_from(integer).ok(),
                    )
                }
            }
        };
    };
}
