//! The fields of UUIDs and of Unix times.

use tickid_core::Field;

use crate::unix_unit::UnixUnit;

const VERSION: (&str, u32, &str) = ("version", 4, "the version of the UUID");
const VARIANT: (&str, u32, &str) = ("variant", 2, "2 is RFC 9562's");
const RANDOM: &str = "random bits";
const HASH: &str = "bits of a hash of a name";
const CUSTOM: &str = "bits with a meaning of the program's choice";
const MILLIS: (&str, u32, &str) = ("timestamp", 48, "ms since 1970");
const CLOCK_SEQ: (&str, u32, &str) =
    ("clock_seq", 14, "the clock sequence, which changes when the clock goes back");

const V1: [Field; 7] = with_address(Field::row([
    ("time_low", 32, "the low bits of a time in 100 ns since 1582-10-15"),
    ("time_mid", 16, "the middle bits of that time"),
    VERSION,
    ("time_high", 12, "the high bits of that time"),
    VARIANT,
    CLOCK_SEQ,
    ("node", 48, ADDRESS),
]));

const V6: [Field; 7] = with_address(Field::row([
    ("time_high", 32, "the high bits of a time in 100 ns since 1582-10-15"),
    ("time_mid", 16, "the middle bits of that time"),
    VERSION,
    ("time_low", 12, "the low bits of that time"),
    VARIANT,
    CLOCK_SEQ,
    ("node", 48, ADDRESS),
]));

const ADDRESS: &str = "the generator: a MAC address, or random";

/// Marks the last field as a MAC address, which is written in hexadecimal.
const fn with_address(fields: [Field; 7]) -> [Field; 7] {
    let [a, b, c, d, e, f, node] = fields;
    [a, b, c, d, e, f, node.hex()]
}

const V7: [Field; 5] = Field::row([
    MILLIS,
    VERSION,
    ("rand_a", 12, "random bits, or the fraction of the millisecond"),
    VARIANT,
    ("rand_b", 62, RANDOM),
]);

const V4: [Field; 5] = Field::row([
    ("random_a", 48, RANDOM),
    VERSION,
    ("random_b", 12, RANDOM),
    VARIANT,
    ("random_c", 62, RANDOM),
]);

const V3_AND_V5: [Field; 5] = Field::row([
    ("hash_high", 48, HASH),
    VERSION,
    ("hash_mid", 12, HASH),
    VARIANT,
    ("hash_low", 62, HASH),
]);

const V8: [Field; 5] = Field::row([
    ("custom_a", 48, CUSTOM),
    VERSION,
    ("custom_b", 12, CUSTOM),
    VARIANT,
    ("custom_c", 62, CUSTOM),
]);

const NO_VERSION: [Field; 1] = Field::row([("bits", 128, "all bits")]);

/// Returns the fields of UUIDs of a version.
pub(crate) const fn uuid(version: Option<usize>) -> &'static [Field] {
    match version {
        Some(1) => &V1,
        Some(3 | 5) => &V3_AND_V5,
        Some(4) => &V4,
        Some(6) => &V6,
        Some(7) => &V7,
        Some(8) => &V8,
        _ => &NO_VERSION,
    }
}

const UNIX_SECONDS: [Field; 1] = Field::row([("timestamp", 64, "seconds since 1970")]);
const UNIX_MILLIS: [Field; 1] = Field::row([("timestamp", 64, "ms since 1970")]);
const UNIX_MICROS: [Field; 1] = Field::row([("timestamp", 64, "µs since 1970")]);
const UNIX_NANOS: [Field; 1] = Field::row([("timestamp", 64, "ns since 1970")]);

/// Returns the fields of Unix times.
pub(crate) const fn unix_time(unit: UnixUnit) -> &'static [Field] {
    match unit {
        UnixUnit::Seconds => &UNIX_SECONDS,
        UnixUnit::Millis => &UNIX_MILLIS,
        UnixUnit::Micros => &UNIX_MICROS,
        UnixUnit::Nanos => &UNIX_NANOS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_whole_ids() {
        let uuids = [None, Some(1), Some(3), Some(4), Some(6), Some(7), Some(8)].map(uuid);
        let times = UnixUnit::ALL.map(|unit| (unix_time(unit), 64));
        for (fields, bits) in uuids.map(|fields| (fields, 128)).into_iter().chain(times) {
            let mut end = 0;
            for field in fields {
                assert_eq!(field.start(), end, "{fields:?}");
                end += field.bits();
            }
            assert_eq!(end, bits, "{fields:?}");
        }
    }

    #[test]
    fn uuids_have_the_fields_of_their_version() {
        for (version, first, last) in [
            (Some(1), "time_low", "node"),
            (Some(3), "hash_high", "hash_low"),
            (Some(4), "random_a", "random_c"),
            (Some(5), "hash_high", "hash_low"),
            (Some(6), "time_high", "node"),
            (Some(7), "timestamp", "rand_b"),
            (Some(8), "custom_a", "custom_c"),
            (Some(2), "bits", "bits"),
            (None, "bits", "bits"),
        ] {
            let names = |fields: &[Field]| Some((fields.first()?.name(), fields.last()?.name()));
            assert_eq!(names(uuid(version)), Some((first, last)), "{version:?}");
        }
    }
}
