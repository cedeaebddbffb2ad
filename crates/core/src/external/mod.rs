//! The traits of other libraries that IDs implement, for scheme crates. There is a file for each
//! feature.
//!
//! A scheme describes each of its IDs in a table ([`impl_external`](crate::impl_external)), from
//! which the implementations are generated here, so they are alike for all IDs. The libraries are
//! re-exported, hidden, because the macros expand in the scheme's crate, which does not depend on
//! them. What only these macros and the other crates of the project call is hidden as well.

mod as_text;
#[cfg(feature = "alloc")]
mod columns;
mod representations;
mod without;

pub use self::as_text::AsText;
#[cfg(feature = "alloc")]
pub use self::columns::Column;
pub use self::representations::{Representations, SortedText, from_slice};
pub use crate::impl_conversions::node_number;
pub use crate::random::random_bytes;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __alloc {
    pub use alloc::string;
}

#[cfg(feature = "arbitrary_1")]
pub mod arbitrary;
#[cfg(feature = "chrono_0_4")]
mod chrono;
#[cfg(feature = "diesel_2")]
pub mod diesel;
#[cfg(feature = "jiff_1")]
mod jiff;
#[cfg(feature = "mysql_common_0_37")]
pub mod mysql_common;
#[cfg(feature = "postgres_types_0_2")]
pub mod postgres_types;
#[cfg(feature = "proptest_1")]
pub mod proptest;
#[cfg(feature = "rusqlite")]
pub mod rusqlite;
#[cfg(feature = "schemars_1")]
pub mod schemars;
#[cfg(feature = "sea_orm_2")]
pub mod sea_orm;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "sqlx_0_9")]
pub mod sqlx;
#[cfg(feature = "utoipa_6")]
pub mod utoipa;
#[cfg(feature = "uuid_1")]
pub mod uuid;

#[cfg(test)]
#[cfg(any(feature = "chrono_0_4", feature = "jiff_1"))]
mod tests {
    use crate::range::RangeError;
    use crate::time::UnixTime;

    /// Asserts that times of a library, from `ends[0]` to `ends[1]`, are rounded down to
    /// microseconds and come back, and that errors name the time and the range. `at` makes a time
    /// of nanoseconds since 1970, and `nanos` returns its nanoseconds.
    pub(super) fn assert_converts<T>(at: fn(i64) -> T, nanos: fn(&T) -> i128, ends: [T; 2])
    where
        T: TryFrom<UnixTime, Error = RangeError>,
        UnixTime: TryFrom<T, Error = RangeError>,
    {
        let back = |micros| T::try_from(UnixTime::from_micros(micros)).map(|time| nanos(&time));
        for (of, micros) in
            [(0, 0), (1_999, 1), (-1, -1), (-1_000, -1), (-1_001, -2), (-1_000_000_001, -1_000_001)]
        {
            assert_eq!(UnixTime::try_from(at(of)), Ok(UnixTime::from_micros(micros)), "{of} ns");
            assert_eq!(back(micros), Ok(i128::from(micros) * 1_000));
        }
        let [min, max] = ends.map(|end| {
            let floor = nanos(&end).div_euclid(1_000);
            let micros = UnixTime::try_from(end).unwrap().as_micros();
            assert_eq!(i128::from(micros), floor);
            micros
        });
        for micros in [min, max] {
            assert_eq!(back(micros), Ok(i128::from(micros) * 1_000));
        }
        for micros in [min - 1, max + 1] {
            let error = RangeError::of_time(micros.into(), min.into(), max.into());
            assert_eq!(back(micros), Err(error));
        }
    }
}
