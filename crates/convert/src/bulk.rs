//! Conversions of many IDs, and their losses added up.

use crate::convert::{Converted, convert};
use crate::error::ConvertError;
use crate::loss::Loss;
use crate::options::Options;
use crate::schemes::SchemeId;
use crate::to_parts::ToParts;

/// Converts IDs lazily, without allocating. Each item has its own result, so an ID that cannot be
/// converted does not end the iteration.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert_all};
/// use tickid_nanoflake::NanoflakeId;
/// use tickid_sno::SnoId;
///
/// let ids = [175_928_847_299_117_063, 1_541_815_603_606_036_480].map(NanoflakeId::new);
/// let options = Options::default();
/// let converted = convert_all::<SnoId, _>(ids.into_iter().flatten(), &options);
/// let times: Result<Vec<i64>, _> =
///     converted.map(|one| one.map(|one| one.id.unix_time().as_millis())).collect();
/// assert_eq!(times?, [1_330_779_680_452, 1_656_432_460_104]);
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
pub fn convert_all<T: SchemeId, I>(
    ids: I,
    options: &Options<'_>,
) -> impl Iterator<Item = Result<Converted<T>, ConvertError>>
where
    I: IntoIterator<Item: ToParts>,
{
    ids.into_iter().map(|id| convert(id, options))
}

/// Converts a slice into a different one of the same length, without allocating, and returns how
/// often something was lost.
///
/// # Errors
/// Returns a [`ConvertSliceError`] at the first ID that cannot be converted. The IDs before it have
/// been converted.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert_slice};
/// use tickid_nanoflake::{GeneratorId, NanoflakeId};
/// use tickid_sno::SnoId;
///
/// let generator = GeneratorId::new(5)?;
/// let ids = [2, 3].map(|ms| NanoflakeId::from_parts(400_000_000_000 + ms, generator, 0));
/// let ids = [ids[0]?, ids[1]?];
/// let mut converted = [SnoId::MIN; 2];
/// let losses = convert_slice(&ids, &mut converted, &Options::default())?;
/// assert!(converted.is_sorted());
/// assert_eq!(losses.time, 1); // one was not on a whole tick of 4 ms
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert_slice<S: ToParts, T: SchemeId>(
    ids: &[S],
    converted: &mut [T],
    options: &Options<'_>,
) -> Result<Losses, ConvertSliceError> {
    if ids.len() != converted.len() {
        return Err(ConvertSliceError::Length { ids: ids.len(), room: converted.len() });
    }
    let mut losses = Losses::default();
    for (index, (id, room)) in ids.iter().zip(converted).enumerate() {
        let Converted { id, loss } =
            convert(*id, options).map_err(|reason| ConvertSliceError::Id { index, reason })?;
        *room = id;
        losses.add(&loss);
    }
    Ok(losses)
}

/// How many IDs lost something, by what they lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Losses {
    /// The number of IDs whose time was coarsened.
    pub time: usize,
    /// The number of IDs whose node was narrowed, replaced or left out.
    pub node: usize,
    /// The number of IDs whose sequence was narrowed.
    pub sequence: usize,
    /// The number of IDs with a metabyte that was dropped.
    pub metabyte: usize,
    /// The number of IDs with a tick-tock bit that was dropped.
    pub toggle: usize,
}

impl Losses {
    /// Reports whether nothing was lost.
    ///
    /// # Examples
    /// ```
    /// assert!(tickid_convert::Losses::default().is_none());
    /// ```
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    #[inline]
    fn add(&mut self, loss: &Loss) {
        self.time += usize::from(loss.time.is_some());
        self.node += usize::from(loss.node.is_some());
        self.sequence += usize::from(loss.sequence.is_some());
        self.metabyte += usize::from(loss.metabyte.is_some());
        self.toggle += usize::from(loss.toggle);
    }
}

/// The reason why a slice was not converted to its end.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertSliceError {
    /// The slices are not of the same length, so nothing was converted.
    #[error("{ids} IDs do not fill {room} places")]
    Length {
        /// The number of IDs.
        ids: usize,
        /// The number of places for them.
        room: usize,
    },
    /// An ID can't be converted.
    #[error("ID {index}: {reason}")]
    Id {
        /// Its place in the slice, counted from 0.
        index: usize,
        /// The reason it cannot be converted.
        reason: ConvertError,
    },
}

tickid_core::debug_error! {
    enum ConvertSliceError { Length { ids, room }, Id { index, reason } }
}
