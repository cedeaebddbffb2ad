//! The names that all scheme crates re-export, written once so that they cannot differ.

/// Re-exports from a scheme's crate what a program has to name besides the scheme's own types.
///
/// The rule is that a program that uses one scheme needs one crate. So these are the types in the
/// signatures of generators, builders, IDs and settings: what is passed to them, and the errors that
/// they return, with the kinds to match on. Generators, builders and the serde forms are not among
/// them, because each scheme documents its own. The traits to implement, clocks, and what only
/// leases or tests use stay in this crate, which every scheme re-exports as `tickid_core`.
#[doc(hidden)]
#[macro_export]
macro_rules! scheme_names {
    () => {
        #[cfg(feature = "std")]
        #[doc(no_inline)]
        pub use $crate::ProcessError;
        #[doc(no_inline)]
        pub use $crate::{
            AnyNode, BuildError, Error, ErrorKind, FillError, IntoUnixTime, ObserveError,
            ParseNodeError, Policy, RandomStart, RangeError, SequenceBounds, Snapshot, StallReason,
            Tick, TickStart, Ticks, UnixTime, Variants, Window,
        };
    };
}
