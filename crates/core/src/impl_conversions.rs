//! Conversions of IDs and nodes for scheme crates, which need many similar ones.

use crate::range::RangeError;

/// Implements conversions of a type from and to other types, each through a function. The
/// directions are `from`, `try_from`, `into` and `try_into`, and errors are [`RangeError`]s.
///
/// # Examples
/// ```
/// use tickid_core::RangeError;
///
/// #[derive(Debug, PartialEq)]
/// struct Even(u32);
///
/// impl Even {
///     fn new(number: u32) -> Result<Self, RangeError> {
///         let error = || RangeError::new("even number", number.into(), 0, u32::MAX.into());
///         number.is_multiple_of(2).then_some(Self(number)).ok_or_else(error)
///     }
/// }
/// tickid_core::impl_conversions! { Even:
///     try_from u32 = Even::new;
///     into u32 = |even: Even| even.0;
/// }
///
/// assert_eq!(Even::try_from(4).map(u32::from), Ok(4));
/// assert!(Even::try_from(5).is_err());
/// ```
#[macro_export]
macro_rules! impl_conversions {
    ($type:ty: $($(#[$doc:meta])* $direction:ident $other:ty = $by:expr;)+) => {
        $($crate::impl_conversions!(@$direction $(#[$doc])* $type, $other, $by);)+
    };
    (@from $(#[$doc:meta])* $type:ty, $other:ty, $by:expr) => {
        $(#[$doc])*
        impl ::core::convert::From<$other> for $type {
            fn from(value: $other) -> Self {
                ($by)(value)
            }
        }
    };
    (@try_from $(#[$doc:meta])* $type:ty, $other:ty, $by:expr) => {
        $(#[$doc])*
        impl ::core::convert::TryFrom<$other> for $type {
            type Error = $crate::RangeError;

            fn try_from(value: $other) -> ::core::result::Result<Self, $crate::RangeError> {
                ($by)(value)
            }
        }
    };
    (@into $(#[$doc:meta])* $type:ty, $other:ty, $by:expr) => {
        $crate::impl_conversions!(@from $(#[$doc])* $other, $type, $by);
    };
    (@try_into $(#[$doc:meta])* $type:ty, $other:ty, $by:expr) => {
        $crate::impl_conversions!(@try_from $(#[$doc])* $other, $type, $by);
    };
}

/// Implements [`NodeId`](crate::NodeId) and [`NumberedNode`](crate::NumberedNode) for a tuple
/// struct of an integer that uses `$bits` bits.
#[macro_export]
macro_rules! impl_node_id {
    ($node:ty: $what:literal, $bits:expr) => {
        impl $crate::NodeId for $node {
            fn bits(&self) -> u32 {
                $bits
            }

            fn value(&self) -> u64 {
                self.0.into()
            }

            fn from_value(
                value: u64,
                bits: u32,
            ) -> ::core::result::Result<Self, $crate::RangeError> {
                let names = ($what, concat!($what, " bits"));
                $crate::external::node_number(names, $bits, value, bits).map(Self)
            }
        }

        impl $crate::NumberedNode for $node {
            const BITS: u32 = $bits;
        }
    };
}

/// Returns a node's number. Errors name it `what`, and its number of bits `what_bits`.
///
/// # Errors
/// Returns a [`RangeError`] for a number of bits other than `width`, and for a value of more bits.
///
/// # Examples
/// ```
/// use tickid_core::external::node_number;
///
/// let names = ("partition", "partition bits");
/// assert_eq!(node_number::<u16>(names, 16, 258, 16), Ok(258));
/// assert!(node_number::<u16>(names, 16, 7, 8).is_err()); // of another width
/// ```
#[doc(hidden)]
pub fn node_number<T: TryFrom<u64>>(
    (what, what_bits): (&'static str, &'static str),
    width: u32,
    value: u64,
    bits: u32,
) -> Result<T, RangeError> {
    if bits != width {
        return Err(RangeError::new(what_bits, bits.into(), width.into(), width.into()));
    }
    let max = u64::MAX >> (u64::BITS - width);
    let number = T::try_from(value).ok().filter(|_| value <= max);
    number.ok_or_else(|| RangeError::new(what, value.into(), 0, max.into()))
}
