//! One type for each kind of IDs, for example its generator, in an enum that is matched once in a
//! call.

use core::fmt;

use tickid_core::{Ids, Scheme};

use super::AnyId;
use crate::schemes::{SchemeId, SchemeVariant, table};

/// A type that exists for every scheme.
pub(super) trait Family {
    type Of<S: Scheme>;
}

/// The scheme of an ID type.
pub(super) type SchemeOf<I> = <I as SchemeId>::Scheme;
/// The variant that makes such IDs.
pub(super) type VariantOf<I> = <I as SchemeId>::Variant;

/// Returns the variant with a metabyte, or the default one if the scheme has none.
pub(super) fn variant_of<I: SchemeId>(metabyte: u8) -> VariantOf<I> {
    <VariantOf<I> as SchemeVariant<SchemeOf<I>>>::with_metabyte(metabyte)
}

/// Declares what exists for each row of the [`table`] of schemes.
macro_rules! declare {
    ($($variant:ident($Row:ty), $name:literal, $key:literal, $shown:literal;)+) => {
        /// The type of a family for the scheme of a kind of IDs.
        pub(super) enum Each<F: Family> {
            $($variant(F::Of<SchemeOf<$Row>>),)+
        }

        impl<F: Family> fmt::Debug for Each<F>
        where
            $(F::Of<SchemeOf<$Row>>: fmt::Debug,)+
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(held) => held.fmt(f),)+
                }
            }
        }

        /// Evaluates `$body` with `$held` as what an [`Each`] holds, for IDs of the type `$Id`.
        macro_rules! with_each {
            ($each:expr, $Id:ident, $held:ident => $body:expr) => {
                match $each {
                    $($crate::any::each::Each::$variant($held) => {
                        #[allow(dead_code, reason = "not every call needs the type")]
                        type $Id = $Row;
                        $body
                    })+
                }
            };
        }

        /// Does the same, and holds the result for the same kind in a new [`Each`].
        macro_rules! map_each {
            ($each:expr, $Id:ident, $held:ident => $body:expr) => {
                match $each {
                    $($crate::any::each::Each::$variant($held) => {
                        #[allow(dead_code, reason = "not every call needs the type")]
                        type $Id = $Row;
                        $crate::any::each::Each::$variant($body)
                    })+
                }
            };
        }

        /// Evaluates `$body` for the ID type `$Id` of a kind, and holds the result.
        macro_rules! each_of {
            ($kind:expr, $Id:ident => $body:expr) => {
                match $kind {
                    $($crate::schemes::kind::Kind::$variant => {
                        type $Id = $Row;
                        $crate::any::each::Each::$variant($body)
                    })+
                }
            };
        }

        /// Draws a block by an expression, for the kind of an [`Each`].
        macro_rules! ids_of {
            ($each:expr, $Id:ident, $held:ident => $body:expr) => {
                match $each {
                    $($crate::any::each::Each::$variant($held) => {
                        type $Id = $Row;
                        $body.map(|ids| {
                            $crate::any::each::AnyIds($crate::any::each::EachIds::$variant(ids))
                        })
                    })+
                }
            };
        }

        /// A block of each kind of IDs.
        #[derive(Debug)]
        pub(super) enum EachIds {
            $($variant(Ids<SchemeOf<$Row>, VariantOf<$Row>>),)+
        }

        impl AnyIds {
            /// Calls a function that is generic over the ID types with all of the IDs, so that the
            /// scheme is looked up once and not for each of them.
            pub fn visit<T: IdsVisitor>(self, visitor: T) -> T::Output {
                match self.0 {
                    $(EachIds::$variant(ids) => visitor.visit(ids),)+
                }
            }
        }

        impl Iterator for AnyIds {
            type Item = AnyId;

            fn next(&mut self) -> Option<AnyId> {
                match &mut self.0 {
                    $(EachIds::$variant(ids) => ids.next().map(AnyId::from),)+
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                match &self.0 {
                    $(EachIds::$variant(ids) => ids.size_hint(),)+
                }
            }
        }
    };
}

table! { declare }
#[allow(clippy::single_component_path_imports, reason = "they are macros")]
pub(super) use {each_of, ids_of, map_each, with_each};

/// The IDs of one block, in increasing order. They are what [`Ids`] are for a scheme that is known
/// at compile time.
///
/// IDs that are dropped unused are lost, because the generator never issues them again.
///
/// # Examples
/// ```
/// use core::num::NonZeroU32;
/// use tickid_convert::{AnyScheme, IdsVisitor, Kind, SchemeId, Settings};
///
/// /// Writes texts, a line each.
/// struct Lines<'a>(&'a mut String);
///
/// impl IdsVisitor for Lines<'_> {
///     type Output = ();
///
///     fn visit<I: SchemeId>(self, ids: impl ExactSizeIterator<Item = I>) {
///         for id in ids {
///             self.0.push_str(&id.text());
///             self.0.push('\n');
///         }
///     }
/// }
///
/// let scheme = AnyScheme::new(Kind::Sno, &Settings::default());
/// let mut generator = scheme.seeded_builder("258/16".parse()?, 0).build_local()?;
/// let mut lines = String::new();
/// # let clock = tickid_core::ManualClock::new(tickid_core::UnixTime::from_millis(1_700_000_000_000)?);
/// # let mut generator = scheme.seeded_builder("258/16".parse()?, 0).clock(clock).build_local()?;
/// let ids = generator.try_block(NonZeroU32::new(3).ok_or("zero")?)?;
/// ids.visit(Lines(&mut lines));
/// assert_eq!(lines.lines().count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "the IDs have been drawn and are lost unless they are used"]
pub struct AnyIds(pub(super) EachIds);

impl ExactSizeIterator for AnyIds {}

/// A function that is generic over the ID types, for [`AnyIds::visit`].
pub trait IdsVisitor {
    /// The type of the result.
    type Output;

    /// Receives the IDs of a block, in increasing order.
    fn visit<I: SchemeId>(self, ids: impl ExactSizeIterator<Item = I>) -> Self::Output;
}
