//! IDs from the whole range of each type.

use tickid_core::external::Representations;
use tickid_testkit::Dice;

/// Returns IDs from the whole range, the same ones for the same seed.
pub fn any<T: Representations>(seed: u64) -> impl Iterator<Item = T> {
    let mut dice = Dice::new(seed);
    core::iter::from_fn(move || {
        let mut bytes = T::Bytes::default();
        for byte in bytes.as_mut() {
            *byte = u8::try_from(dice.below(256)).unwrap();
        }
        Some(T::try_from(bytes).ok())
    })
    // Not all bytes are IDs of SCRU64 and Nanoflake.
    .flatten()
}

/// Calls a generic function once for each type of ID.
#[macro_export]
macro_rules! for_each_id {
    ($check:ident) => {
        $check::<tickid_scru64::Scru64Id>();
        $check::<tickid_nanoflake::NanoflakeId>();
        $check::<tickid_kuid::LocalId>();
        $check::<tickid_kuid::GlobalId>();
        $check::<tickid_kuid::wide::WideGlobalId>();
        $check::<tickid_sno::SnoId>();
        $check::<tickid_snowflake::SnowflakeId>();
    };
}
