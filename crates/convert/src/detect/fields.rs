//! The bit fields of the formats.

use tickid_kuid::Drift;

use super::reading::Reading;
use crate::any::AnyId;
use crate::options::Layouts;

/// The number of fields of the format with the most.
const MAX: usize = 7;

/// The number of bytes of the largest ID.
const MAX_BYTES: usize = 20;

/// The bytes of an ID, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdBytes {
    bytes: [u8; MAX_BYTES],
    len: usize,
}

impl IdBytes {
    fn new(bytes: &[u8]) -> Self {
        let mut all = [0; MAX_BYTES];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Self { bytes: all, len: bytes.len().min(MAX_BYTES) }
    }
}

impl core::ops::Deref for IdBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// One of the fields that the bits of an ID consist of.
///
/// # Examples
/// ```
/// use tickid_convert::{Layouts, detect};
///
/// let layouts = Layouts::default();
/// let found = detect(b"brpk4q72xwf2m63l", &layouts, None);
/// let sno = found.iter().find(|one| one.format().key() == "sno").ok_or("no sno ID")?;
/// let fields: Vec<_> = sno.reading().fields(&layouts).collect();
/// assert_eq!(fields.iter().map(|field| field.bits()).sum::<u32>(), 80);
/// assert_eq!((fields[3].name(), fields[3].value()), ("partition", 39_434));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    name: &'static str,
    start: u32,
    bits: u32,
    value: u128,
}

impl BitField {
    /// Returns the name of the field.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of bits above the field.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// Returns the width of the field.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the number that the field's bits are.
    #[must_use]
    pub const fn value(&self) -> u128 {
        self.value
    }
}

type Widths = &'static [(&'static str, u32)];

const SNOWFLAKE: Widths =
    &[("unused", 1), ("timestamp", 41), ("datacenter", 5), ("worker", 5), ("sequence", 12)];
const DISCORD: Widths = &[("timestamp", 42), ("worker", 5), ("process", 5), ("increment", 12)];
const INSTAGRAM: Widths = &[("timestamp", 41), ("shard", 13), ("sequence", 10)];
const MASTODON: Widths = &[("timestamp", 48), ("sequence", 16)];
const SONYFLAKE: Widths = &[("unused", 1), ("timestamp", 39), ("sequence", 8), ("machine", 16)];
const PG_EDGE: Widths = &[("unused", 1), ("timestamp", 41), ("counter", 12), ("node", 10)];
const SCRU64: Widths = &[("timestamp", 40), ("node_ctr", 24)];
const KUID_LOCAL: Widths = &[("a", 20), ("b", 20), ("c", 10), ("sequence", 14)];
const SNO: Widths =
    &[("timestamp", 39), ("toggle", 1), ("meta", 8), ("partition", 16), ("sequence", 16)];
const ULID: Widths = &[("timestamp", 48), ("random", 80)];
const KSUID: Widths = &[("timestamp", 32), ("random", 128)];
const XID: Widths = &[("timestamp", 32), ("machine", 24), ("process", 16), ("counter", 24)];
const OBJECT_ID: Widths = &[("timestamp", 32), ("random", 40), ("counter", 24)];
const UUID_V1: Widths = &[
    ("time_low", 32),
    ("time_mid", 16),
    ("version", 4),
    ("time_high", 12),
    ("variant", 2),
    ("clock_seq", 14),
    ("node", 48),
];
const UUID_V6: Widths = &[
    ("time_high", 32),
    ("time_mid", 16),
    ("version", 4),
    ("time_low", 12),
    ("variant", 2),
    ("clock_seq", 14),
    ("node", 48),
];
const UUID_V7: Widths =
    &[("timestamp", 48), ("version", 4), ("rand_a", 12), ("variant", 2), ("rand_b", 62)];
const UUID_RANDOM: Widths =
    &[("random_a", 48), ("version", 4), ("random_b", 12), ("variant", 2), ("random_c", 62)];
const UUID_HASH: Widths =
    &[("hash_high", 48), ("version", 4), ("hash_mid", 12), ("variant", 2), ("hash_low", 62)];
const UUID_CUSTOM: Widths =
    &[("custom_a", 48), ("version", 4), ("custom_b", 12), ("variant", 2), ("custom_c", 62)];
const UUID_PLAIN: Widths = &[("bits", 128)];

impl Reading {
    /// Returns the bytes of the ID. If a UUID holds the ID, they are the ID's own.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    /// use tickid_sno::sno;
    ///
    /// let found = detect(b"brpk4q72xwf2m63l", &Layouts::default(), None);
    /// let sno = found.iter().find(|one| one.format().key() == "sno").ok_or("no sno ID")?;
    /// assert_eq!(*sno.reading().bytes(), sno!("brpk4q72xwf2m63l").to_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> IdBytes {
        match *self {
            Self::KuidWide(id, _) => IdBytes::new(&id.to_bytes()),
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => IdBytes::new(uuid.as_bytes()),
            Self::Ulid(bytes) => IdBytes::new(&bytes),
            Self::Ksuid(bytes) => IdBytes::new(&bytes),
            Self::Xid(bytes) | Self::ObjectId(bytes) => IdBytes::new(&bytes),
            _ => match self.id() {
                Some(AnyId::KuidGlobal(id)) => IdBytes::new(&id.to_bytes()),
                Some(AnyId::Sno(id)) => IdBytes::new(&id.to_bytes()),
                _ => IdBytes::new(&self.integer().unwrap_or_default().to_be_bytes()),
            },
        }
    }

    /// Returns the ID as an integer, if it has up to 64 bits.
    pub(crate) fn integer(&self) -> Option<u64> {
        Some(match *self {
            Self::Scru64(id) | Self::Carried(AnyId::Scru64(id)) => id.get(),
            Self::Nanoflake(id, _) | Self::Carried(AnyId::Nanoflake(id)) => {
                id.get().cast_unsigned()
            }
            Self::KuidLocal(id, _) | Self::Carried(AnyId::KuidLocal(id)) => id.get(),
            Self::Twitter(id) => id.0,
            Self::Discord(id) => id.0,
            Self::Instagram(id) => id.0,
            Self::Mastodon(id) => id.0,
            Self::Sonyflake(id) => id.0,
            Self::SonyflakeV2(id) => id.0,
            Self::PgEdge(id) => id.0,
            _ => return None,
        })
    }

    /// Returns the bit fields, the highest first. Together they are all bits of the
    /// [bytes](Self::bytes).
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Layouts, detect};
    ///
    /// let layouts = Layouts::default();
    /// let found = detect(b"brpk4q72xwf2m63l", &layouts, None);
    /// let sno = found.iter().find(|one| one.format().key() == "sno").ok_or("no sno ID")?;
    /// let names: Vec<_> = sno.reading().fields(&layouts).map(|field| field.name()).collect();
    /// assert_eq!(names, ["timestamp", "toggle", "meta", "partition", "sequence"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fields(&self, layouts: &Layouts) -> impl Iterator<Item = BitField> + use<> {
        let bytes = self.bytes();
        let (widths, len) = self.widths(layouts);
        let mut start = 0;
        widths.into_iter().take(len).map(move |(name, bits)| {
            let field = BitField { name, start, bits, value: value(&bytes, start, bits) };
            start += bits;
            field
        })
    }

    fn widths(&self, layouts: &Layouts) -> ([(&'static str, u32); MAX], usize) {
        let fixed = match self {
            Self::Scru64(_) | Self::Carried(AnyId::Scru64(_)) => match layouts.node_size {
                None => SCRU64,
                Some(size) => {
                    let node = ("node_id", size.get().into());
                    let counter = ("counter", size.counter_bits());
                    return of(&[("timestamp", 40), node, counter]);
                }
            },
            Self::Nanoflake(..) | Self::Carried(AnyId::Nanoflake(_)) | Self::Twitter(_) => {
                SNOWFLAKE
            }
            Self::KuidLocal(..) | Self::Carried(AnyId::KuidLocal(_)) => KUID_LOCAL,
            Self::KuidGlobal(..) | Self::Carried(AnyId::KuidGlobal(_)) => {
                return global(layouts.drift, u32::BITS);
            }
            Self::KuidWide(..) => return global(layouts.drift, u64::BITS),
            Self::Sno(_) | Self::Carried(AnyId::Sno(_)) => SNO,
            Self::Discord(_) => DISCORD,
            Self::Instagram(_) => INSTAGRAM,
            Self::Mastodon(_) => MASTODON,
            Self::Sonyflake(_) | Self::SonyflakeV2(_) => SONYFLAKE,
            Self::PgEdge(_) => PG_EDGE,
            Self::Ulid(_) => ULID,
            Self::Ksuid(_) => KSUID,
            Self::Xid(_) => XID,
            Self::ObjectId(_) => OBJECT_ID,
            Self::Uuid(uuid) | Self::TypeId { uuid, .. } => match super::reading::version(*uuid) {
                Some(1) => UUID_V1,
                Some(3 | 5) => UUID_HASH,
                Some(4) => UUID_RANDOM,
                Some(6) => UUID_V6,
                Some(7) => UUID_V7,
                Some(8) => UUID_CUSTOM,
                _ => UUID_PLAIN,
            },
        };
        of(fixed)
    }
}

fn of(widths: &[(&'static str, u32)]) -> ([(&'static str, u32); MAX], usize) {
    debug_assert!(widths.len() <= MAX);
    let mut all = [("", 0); MAX];
    all.iter_mut().zip(widths).for_each(|(to, from)| *to = *from);
    (all, widths.len())
}

fn global(drift: Drift, node_bits: u32) -> ([(&'static str, u32); MAX], usize) {
    let low = u32::from(drift.get());
    of(&[
        ("a", 20),
        ("b_high", 20 - low),
        ("node", node_bits),
        ("b_low", low),
        ("c", 10),
        ("sequence", 14),
    ])
}

/// Returns up to 128 bits of `bytes`.
fn value(bytes: &[u8], start: u32, bits: u32) -> u128 {
    let end = start + bits;
    let mut value: u128 = 0;
    let first_byte = (start / 8) as usize;
    let places = (start / 8 * 8..end).step_by(8);
    for (place, byte) in places.zip(bytes.iter().skip(first_byte)) {
        let (first, last) = (place.max(start), (place + 8).min(end));
        if first < last {
            let kept = u32::from(*byte) >> (place + 8 - last) & ((1 << (last - first)) - 1);
            value = value << (last - first) | u128::from(kept);
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_at_any_bit() {
        let bytes = 0x0123_4567_89ab_cdef_u64.to_be_bytes();
        for start in 0..64 {
            for bits in 0..=64 - start {
                let whole = u128::from(u64::from_be_bytes(bytes));
                let expected = whole >> (64 - start - bits) & ((1 << bits) - 1);
                assert_eq!(value(&bytes, start, bits), expected, "{start} {bits}");
            }
        }
        assert_eq!(value(&[255; 20], 32, 128), u128::MAX);
    }

    #[test]
    fn widths_add_up_to_whole_ids() {
        for (widths, bits) in [
            (SNOWFLAKE, 64),
            (DISCORD, 64),
            (INSTAGRAM, 64),
            (MASTODON, 64),
            (SONYFLAKE, 64),
            (PG_EDGE, 64),
            (SCRU64, 64),
            (KUID_LOCAL, 64),
            (SNO, 80),
            (XID, 96),
            (OBJECT_ID, 96),
            (ULID, 128),
            (UUID_V1, 128),
            (UUID_V6, 128),
            (UUID_V7, 128),
            (UUID_RANDOM, 128),
            (UUID_HASH, 128),
            (UUID_CUSTOM, 128),
            (UUID_PLAIN, 128),
            (KSUID, 160),
        ] {
            assert_eq!(widths.iter().map(|(_, width)| width).sum::<u32>(), bits, "{widths:?}");
        }
    }
}
