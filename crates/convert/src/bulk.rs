//! Conversions of many IDs.

use crate::convert::{Converted, convert};
use crate::error::ConvertError;
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
