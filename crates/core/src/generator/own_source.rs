//! The parts of a source that are the same for all generators of this crate.

/// Implements `Timed`, and the parts of `Source` that are the same for all generators of this
/// crate. `$this` is `self`, and `$rules` and `$timing` are expressions of it.
macro_rules! own_source {
    (rules $this:ident $rules:expr) => {
        #[inline]
        fn scheme(&$this) -> S {
            $rules.scheme
        }

        #[inline]
        fn check_variant(&$this, variant: impl crate::scheme::Variant<S>) -> Result<(), Error> {
            $rules.check_variant(variant)
        }

        #[cfg(feature = "std")]
        fn deadline(
            &self,
            within: Option<core::time::Duration>,
        ) -> crate::generator::source::Deadline {
            crate::generator::wait::deadline(self, within)
        }

        #[cfg(feature = "std")]
        fn until_ready(
            &mut self,
            error: Error,
            deadline: crate::generator::source::Deadline,
        ) -> Result<(), Error> {
            crate::generator::wait::until_ready(self, error, deadline)
        }

        #[cfg(feature = "std")]
        fn until_ready_async<F, Fut>(
            &mut self,
            error: Error,
            deadline: &mut crate::generator::source::Deadline,
            sleep: &F,
        ) -> impl Future<Output = Result<(), Error>>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            crate::generator::wait::until_ready_async(self, error, deadline, sleep)
        }
    };
    (timed $this:ident $rules:expr, $timing:expr) => {
        type Clock = C;

        fn rules(&$this) -> &crate::engine::Rules<S> {
            $rules
        }

        fn timing(&$this) -> &Timing<C> {
            &$timing
        }
    };
}
pub(crate) use own_source;
