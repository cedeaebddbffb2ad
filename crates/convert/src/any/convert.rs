//! Conversions between schemes that are known only at run time.

use super::{AnyId, Kind, with_type};
use crate::convert::{Converted, candidate, convert};
use crate::error::ConvertError;
use crate::options::Options;
use crate::schemes::sealed::Assemble as _;
use crate::to_parts::ToParts;

/// Converts an ID to a scheme that is known only at run time, as [`convert`] does.
///
/// # Errors
/// As [`convert`].
///
/// # Examples
/// ```
/// use tickid_convert::{Kind, Nodes, Options, convert_any};
/// use tickid_scru64::scru64;
///
/// let options = Options { nodes: Nodes::Set(7), ..Options::default() };
/// let converted = convert_any(scru64!("0u375nxqh5cq"), Kind::KuidGlobal, &options)?;
/// assert_eq!(converted.id.kind(), Kind::KuidGlobal);
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
pub fn convert_any(
    id: impl ToParts,
    kind: Kind,
    options: &Options<'_>,
) -> Result<Converted<AnyId>, ConvertError> {
    with_type!(kind, Id => convert::<Id>(id, options).map(Converted::into_any))
}

/// Restores an ID as [`restore`](crate::restore) does, where both schemes are known only at run
/// time.
///
/// # Errors
/// As [`restore`](crate::restore).
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Kind, Options, convert_any, restore_any};
/// use tickid_nanoflake::NanoflakeId;
///
/// let id = AnyId::Nanoflake(NanoflakeId::new(1_541_815_603_606_036_480)?);
/// let converted = convert_any(id, Kind::Sno, &Options::default())?;
/// assert_eq!(restore_any(converted.id, Kind::Nanoflake, &Options::default()), Ok(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore_any(
    converted: AnyId,
    kind: Kind,
    options: &Options<'_>,
) -> Result<AnyId, ConvertError> {
    // Each step is compiled once for each scheme, rather than for each pair of them.
    let parts = converted.parts(&options.target)?;
    let shape = with_type!(converted.kind(), Id => Id::shape(&options.target));
    let id = with_type!(kind, Id => candidate::<Id>(&parts, &shape, options).map(AnyId::from))?;
    match convert_any(id, converted.kind(), options) {
        Ok(again) if again.id == converted => Ok(id),
        _ => Err(ConvertError::NeverConverted),
    }
}

impl<T: Into<AnyId>> Converted<T> {
    /// Returns the same result, for an ID whose type is known only at run time.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Kind, Nodes, Options, convert};
    /// use tickid_scru64::scru64;
    /// use tickid_sno::SnoId;
    ///
    /// let options = Options { nodes: Nodes::Set(7), ..Options::default() };
    /// let converted = convert::<SnoId>(scru64!("0u375nxqh5cq"), &options)?;
    /// assert_eq!(converted.into_any().id.kind(), Kind::Sno);
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    #[must_use]
    pub fn into_any(self) -> Converted<AnyId> {
        Converted { id: self.id.into(), loss: self.loss }
    }
}
