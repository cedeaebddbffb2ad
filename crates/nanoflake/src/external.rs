//! The traits of other libraries that IDs implement: a line or a block for each feature.

use tickid_core::external::Representations;

use crate::id::NanoflakeId;

impl Representations for NanoflakeId {
    type Integer = i64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "Nanoflake";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // Padded or not. That the highest ID of 13 digits is `1y2p0ij32e8e7` is more than a short
    // pattern says.
    const TEXT_PATTERN: &'static str = "^(0|[1-9A-Za-z][0-9A-Za-z]{0,12}|0[0-9A-Za-z]{12})$";
    const MIN_TEXT_LEN: usize = 1;
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

#[cfg(feature = "arbitrary")]
tickid_core::impl_arbitrary!(NanoflakeId);

#[cfg(feature = "diesel")]
tickid_core::impl_diesel!(NanoflakeId as i64: BigInt);

#[cfg(feature = "postgres-types")]
tickid_core::impl_postgres_types!(NanoflakeId as i64);

#[cfg(feature = "proptest")]
tickid_core::impl_proptest!(NanoflakeId);

#[cfg(feature = "rusqlite")]
tickid_core::impl_rusqlite!(NanoflakeId as i64);

#[cfg(feature = "schemars")]
tickid_core::impl_schemars!(NanoflakeId);

#[cfg(feature = "serde")]
tickid_core::impl_serde!(NanoflakeId as i64);

#[cfg(feature = "sqlx")]
tickid_core::impl_sqlx!(NanoflakeId as i64);
