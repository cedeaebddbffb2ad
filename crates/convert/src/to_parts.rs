//! The values that a conversion takes.

use crate::error::ConvertError;
use crate::options::Settings;
use crate::parts::Parts;

/// A value that can be converted. IDs and their [`Parts`] implement it.
///
/// Implement it for a format of your own to convert from it.
pub trait ToParts: Copy {
    /// Returns the parts of the ID.
    ///
    /// Under the same settings, all IDs of a type must have times on the same ticks and sequences
    /// of the same width, because their order is not kept otherwise.
    ///
    /// # Errors
    /// Returns a [`ConvertError`] for an ID whose fields are not a valid time or that is not of
    /// this format.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Settings, ToParts};
    /// use tickid_sno::sno;
    ///
    /// let parts = sno!("brpk4q72xwf2m63l").parts(&Settings::default())?;
    /// assert_eq!(parts.node().map(|node| (node.value(), node.bits())), Some((39_434, 16)));
    /// assert_eq!(parts.unix_time(), sno!("brpk4q72xwf2m63l").unix_time());
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError>;
}

impl ToParts for Parts {
    #[inline]
    fn parts(self, _: &Settings) -> Result<Parts, ConvertError> {
        Ok(self)
    }
}
