//! An ID of any scheme, as a value.

use super::kind::Kind;

/// Declares the IDs of the [`table`] of schemes.
macro_rules! declare {
    ($($variant:ident($Id:ty), $name:literal, $key:literal, $shown:literal;)+) => {
        /// Evaluates `$body` with `$id` as the ID in an [`AnyId`], of whatever scheme it is.
        macro_rules! with_id {
            ($any:expr, $id:ident => $body:expr) => {
                match $any {
                    $($crate::schemes::any_id::AnyId::$variant($id) => $body,)+
                }
            };
        }

        /// An ID of a scheme that is known only at run time.
        ///
        /// It has no order, because an order by scheme would not be one by time. To sort IDs of
        /// several schemes, sort the UUIDs that [`carry::to_uuid_v7`](crate::carry::to_uuid_v7)
        /// makes of them.
        ///
        /// ```compile_fail,E0277
        /// fn sorted<T: Ord>(_: &[T]) {}
        /// sorted::<tickid_convert::AnyId>(&[]);
        /// ```
        ///
        /// # Examples
        /// ```
        /// use tickid_convert::{AnyId, Kind};
        /// use tickid_sno::sno;
        ///
        /// let id = AnyId::parse(Kind::Sno, b"brpk4q72xwf2m63l")?;
        /// assert_eq!(id, sno!("brpk4q72xwf2m63l").into());
        /// assert_eq!((id.kind(), &*id.text()), (Kind::Sno, "brpk4q72xwf2m63l"));
        /// assert_eq!(*id.bytes(), sno!("brpk4q72xwf2m63l").to_bytes());
        /// # Ok::<(), tickid_sno::ParseError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum AnyId {
            $(#[doc = $shown] $variant($Id),)+
        }

        impl AnyId {
            /// Returns the scheme of the ID.
            ///
            /// # Examples
            /// ```
            /// use tickid_convert::{AnyId, Kind};
            /// use tickid_sno::SnoId;
            ///
            /// assert_eq!(AnyId::from(SnoId::ZERO).kind(), Kind::Sno);
            /// ```
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$variant(_) => Kind::$variant,)+
                }
            }
        }

        $(impl From<$Id> for AnyId {
            fn from(id: $Id) -> Self {
                Self::$variant(id)
            }
        })+
    };
}

table! { declare }
#[allow(clippy::single_component_path_imports, reason = "it is a macro")]
pub(crate) use with_id;
