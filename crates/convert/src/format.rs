//! The traits of formats that can be converted from, and to.

use crate::error::ConvertError;
use crate::options::Layouts;
use crate::parts::Parts;

/// A value that can be converted: an ID, or its [`Parts`].
///
/// Implement it for a format of your own to convert from it.
pub trait Source: Copy {
    /// Returns the parts of the ID.
    ///
    /// Under the same layouts, all IDs of a type must have times on the same ticks and sequences of
    /// the same width, or their order is not kept.
    ///
    /// # Errors
    /// Returns a [`ConvertError`] for an ID whose fields are not a valid time or that is not of
    /// this format.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, Source};
    /// use tickid_sno::sno;
    ///
    /// let parts = sno!("brpk4q72xwf2m63l").parts(&Layouts::default())?;
    /// assert_eq!(parts.node().map(|node| (node.value(), node.bits())), Some((39_434, 16)));
    /// assert_eq!(parts.time(), sno!("brpk4q72xwf2m63l").unix_time());
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError>;
}

impl Source for Parts {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(self)
    }
}

/// A type that can be converted to: the IDs of the four schemes.
pub trait Target: Source + sealed::Format {}

impl<T: Source + sealed::Format> Target for T {}

pub(crate) mod sealed {
    use tickid_core::{TickScale, UnixTime};

    use crate::error::ConvertError;
    use crate::options::Layouts;
    use crate::parts::Parts;

    /// The capacities of a format.
    #[allow(unnameable_types, reason = "sealed: no other format can be a target")]
    #[derive(Clone, Copy, Debug)]
    pub struct Shape {
        pub(crate) scale: TickScale,
        /// `None` where IDs have no node.
        pub(crate) node_bits: Option<u32>,
        pub(crate) sequence_bits: u32,
        /// `true` if there are a tick-tock bit and a metabyte.
        pub(crate) is_sno: bool,
    }

    #[allow(unnameable_types, reason = "sealed: no other format can be a target")]
    pub trait Format: Copy + PartialEq {
        fn shape(layouts: &Layouts) -> Shape;

        /// Returns the ID of parts that fit the shape, in the tick with this number, during which
        /// `time` is.
        ///
        /// # Errors
        /// Returns [`ConvertError::Time`] for a tick that the format does not have.
        fn of(
            tick: i64,
            time: UnixTime,
            parts: &Parts,
            layouts: &Layouts,
        ) -> Result<Self, ConvertError>;
    }
}
