//! IDs made of a fuzzer's bytes.

#[doc(hidden)]
pub use arbitrary as __arbitrary;

/// Implements `Arbitrary` for an ID, with every possible value.
#[macro_export]
macro_rules! impl_arbitrary {
    ($id:ident) => {
        const _: () = {
            use $crate::external::Representations;
            use $crate::external::arbitrary::__arbitrary as arbitrary;

            #[cfg_attr(docsrs, doc(cfg(feature = "arbitrary_1")))]
            impl<'a> arbitrary::Arbitrary<'a> for $id {
                fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                    type Integer = <$id as Representations>::Integer;
                    let integers = Integer::from(<$id>::MIN)..=Integer::from(<$id>::MAX);
                    Self::try_from(u.int_in_range(integers)?)
                        .map_err(|_| arbitrary::Error::IncorrectFormat)
                }

                fn size_hint(_: usize) -> (usize, Option<usize>) {
                    (0, Some(size_of::<<$id as Representations>::Integer>()))
                }
            }
        };
    };
}
