//! IDs of all schemes near the edges of all ticks.

#![allow(dead_code, reason = "each test takes what it needs")]

use core::fmt::Debug;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use tickid_convert::{Kind, SchemeId, Settings};
use tickid_core::{Scheme, Tick, UnixTime};
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId, Node};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{NodeIdSize, Scru64, Scru64Id};
use tickid_sno::{Partition, Sno, SnoId};

/// The fields that distinguish the IDs of one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickFields {
    pub(crate) node: u32,
    pub(crate) sequence: u32,
    pub(crate) toggle: bool,
    pub(crate) metabyte: u8,
}

/// A scheme's IDs, made by its own constructors.
pub(crate) trait TestId: SchemeId + Ord + Debug {
    /// By name in `width`.
    const NAME: &'static str;

    /// `fields` are cut to what fits.
    fn at(tick: Tick<Self::Scheme>, fields: TickFields, settings: &Settings) -> Self;
    fn tick(self, settings: &Settings) -> Option<Tick<Self::Scheme>>;
    fn sequence(self, settings: &Settings) -> u64;
    fn sequence_bits(settings: &Settings) -> u32;
    fn node_bits(settings: &Settings) -> u32;
    fn toggle(self) -> bool {
        false
    }
}

/// Evaluates `$each!` with the ID type of each kind but Snowflakes, whose layouts are varied in
/// `snowflakes.rs`.
macro_rules! for_each_test_id {
    ($each:ident $(, $more:tt)*) => {
        $each!($($more,)* Scru64Id);
        $each!($($more,)* NanoflakeId);
        $each!($($more,)* LocalId);
        $each!($($more,)* GlobalId);
        $each!($($more,)* SnoId);
    };
}
pub(crate) use for_each_test_id;

/// Everything that takes the list tests a new scheme once it is in the list.
#[test]
fn every_kind_is_tested() {
    let mut kinds = BTreeSet::from([Kind::Snowflake.key()]);
    macro_rules! add {
        ($Id:ident) => {
            kinds.insert($Id::KIND.key());
        };
    }
    for_each_test_id!(add);
    assert_eq!(kinds, Kind::ALL.iter().map(|kind| kind.key()).collect());
}

fn low(value: u32, bits: u32) -> u32 {
    u32::try_from(u64::from(value) & ((1 << bits) - 1)).unwrap()
}

impl TestId for Scru64Id {
    const NAME: &'static str = "scru64";

    fn at(tick: Tick<Scru64>, fields: TickFields, settings: &Settings) -> Self {
        let bits = Self::sequence_bits(settings);
        let node = low(fields.node, 24 - bits).checked_shl(bits).unwrap_or(0);
        let tick = tick.get().clamp(Scru64::FIRST_TICK, Scru64::LAST_TICK);
        Self::from_parts(tick, node | low(fields.sequence, bits)).unwrap()
    }

    fn tick(self, _: &Settings) -> Option<Tick<Scru64>> {
        Some(self.tick())
    }

    fn sequence(self, settings: &Settings) -> u64 {
        match settings.node_size {
            Some(size) => self.counter(size).into(),
            None => self.node_ctr().into(),
        }
    }

    fn sequence_bits(settings: &Settings) -> u32 {
        settings.node_size.map_or(24, |size| 24 - u32::from(size.get()))
    }

    fn node_bits(settings: &Settings) -> u32 {
        24 - Self::sequence_bits(settings)
    }
}

impl TestId for NanoflakeId {
    const NAME: &'static str = "nanoflake";

    fn at(tick: Tick<Nanoflake>, fields: TickFields, _: &Settings) -> Self {
        let generator = GeneratorId::new(low(fields.node, 10).try_into().unwrap()).unwrap();
        let sequence = low(fields.sequence, 12).try_into().unwrap();
        Self::from_parts(tick.get(), generator, sequence).unwrap()
    }

    fn tick(self, _: &Settings) -> Option<Tick<Nanoflake>> {
        Some(self.tick())
    }

    fn sequence(self, _: &Settings) -> u64 {
        self.sequence().into()
    }

    fn sequence_bits(_: &Settings) -> u32 {
        12
    }

    fn node_bits(_: &Settings) -> u32 {
        10
    }
}

impl TestId for LocalId {
    const NAME: &'static str = "kuid local";

    fn at(tick: Tick<Kuid>, fields: TickFields, _: &Settings) -> Self {
        let time = Kuid::default().time_of(tick);
        let id = Self::min_at(time).unwrap();
        Self::new(id.get() | u64::from(low(fields.sequence, 14)))
    }

    fn tick(self, _: &Settings) -> Option<Tick<Kuid>> {
        self.tick()
    }

    fn sequence(self, _: &Settings) -> u64 {
        self.sequence().into()
    }

    fn sequence_bits(_: &Settings) -> u32 {
        14
    }

    fn node_bits(_: &Settings) -> u32 {
        0
    }
}

impl TestId for GlobalId {
    const NAME: &'static str = "kuid global";

    fn at(tick: Tick<Kuid>, fields: TickFields, settings: &Settings) -> Self {
        let local = LocalId::at(tick, fields, settings);
        Self::from_local(local, Node::new(fields.node), settings.drift)
    }

    fn tick(self, settings: &Settings) -> Option<Tick<Kuid>> {
        self.tick(settings.drift)
    }

    fn sequence(self, _: &Settings) -> u64 {
        self.sequence().into()
    }

    fn sequence_bits(_: &Settings) -> u32 {
        14
    }

    fn node_bits(_: &Settings) -> u32 {
        32
    }
}

impl TestId for SnoId {
    const NAME: &'static str = "sno";

    fn at(tick: Tick<Sno>, fields: TickFields, _: &Settings) -> Self {
        let partition = Partition::new(low(fields.node, 16).try_into().unwrap());
        let sequence = low(fields.sequence, 16).try_into().unwrap();
        let id = Self::from_parts(tick.get(), fields.toggle, partition, sequence).unwrap();
        id.with_meta(fields.metabyte)
    }

    fn tick(self, _: &Settings) -> Option<Tick<Sno>> {
        Some(self.tick())
    }

    fn sequence(self, _: &Settings) -> u64 {
        self.sequence().into()
    }

    fn sequence_bits(_: &Settings) -> u32 {
        16
    }

    fn node_bits(_: &Settings) -> u32 {
        16
    }

    fn toggle(self) -> bool {
        self.toggle()
    }
}

/// The tick during which a time is, or the first or the last where it is before or after all.
pub(crate) fn nearest<S: Scheme>(scheme: S, time: UnixTime) -> Tick<S> {
    let clamped = time.clamp(scheme.time_of(Tick::MIN), scheme.time_of(Tick::MAX));
    scheme.tick_at(clamped).unwrap()
}

/// Times at the edges of ticks of all schemes, of seconds and mega-seconds, of epochs and limits,
/// and a little before and after them.
pub(crate) fn times() -> impl Strategy<Value = UnixTime> {
    const YEAR: i64 = 31_556_952_000_000;
    let landmarks = select(vec![
        0,
        1_262_304_000_000_000,  // sno's epoch
        3_461_327_255_552_000,  // the end of sno
        1_288_834_974_657_000,  // Twitter's epoch
        3_487_858_230_209_000,  // and its end
        1_420_070_400_000_000,  // Discord's epoch
        72_301_961_338_880_000, // SCRU64's last timestamp
        999_999_999_424,        // the last step of a mega-second
        1_700_000_000_000_000,
        1_048_575_999_999_999_424, // kuid's last step
    ]);
    // Of these most are in range for all schemes.
    let today = (40 * YEAR..70 * YEAR).boxed();
    let any = prop_oneof![today.clone(), today.clone(), today, -YEAR..2_300 * YEAR];
    let edge = (any, select(vec![1_000_i64, 1_024, 4_000, 256_000, 1_000_000, 1_000_000_000_000]))
        .prop_map(|(micros, edge)| micros - micros.rem_euclid(edge));
    let step = (40 * YEAR..70 * YEAR, prop_oneof![0..977_i64, 970..977_i64])
        .prop_map(|(micros, step)| micros - micros.rem_euclid(1_000_000) + step * 1_024);
    let base = prop_oneof![1 => landmarks, 4 => edge, 4 => step];
    (base, near()).prop_map(|(micros, near)| UnixTime::from_micros(micros.saturating_add(near)))
}

/// A little before or after.
pub(crate) fn near() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => -2_i64..=2,
        2 => -1_100_i64..=1_100,
        2 => select(vec![-4_000_i64, -1_024, -1_000, -576, 576, 1_000, 1_024, 4_000]),
        1 => -300_000_i64..=300_000,
    ]
}

/// Sequences at the ends of all widths.
pub(crate) fn sequences() -> impl Strategy<Value = u32> {
    let ends = (0..24_u32, 0..3_u32).prop_map(|(bits, off)| (1 << bits) - off.min(1 << bits));
    prop_oneof![2 => ends, 1 => any::<u32>(), 1 => 0..40_u32]
}

pub(crate) fn fields() -> impl Strategy<Value = TickFields> {
    let node = prop_oneof![any::<u32>(), 0..300_u32, Just(u32::MAX)];
    let metabyte = prop_oneof![2 => Just(0), 1 => any::<u8>()];
    (node, sequences(), any::<bool>(), metabyte).prop_map(|(node, sequence, toggle, metabyte)| {
        TickFields { node, sequence, toggle, metabyte }
    })
}

pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let epochs = [Epoch::TWITTER, Epoch::DISCORD, Epoch::UNIX];
    let epoch = prop_oneof![
        3 => select(epochs.to_vec()),
        1 => (-1_000_000_000_000_i64..1_900_000_000_000)
            .prop_map(|millis| Epoch::from_unix_millis(millis).unwrap()),
    ];
    let node_size =
        proptest::option::of((1..=23_u8).prop_map(|bits| NodeIdSize::new(bits).unwrap()));
    let drift = (5..=10_u8).prop_map(|bits| Drift::new(bits).unwrap());
    (epoch, node_size, drift).prop_map(|(epoch, node_size, drift)| Settings {
        epoch,
        node_size,
        drift,
        ..Settings::default()
    })
}

/// Bits for the ticks of the source that start in one of the target.
pub(crate) fn tick_bits(from: &str, to: &str) -> u32 {
    match (from, to) {
        ("nanoflake" | "kuid local" | "kuid global", "scru64") => 8,
        ("sno", "scru64") => 6,
        ("nanoflake" | "kuid local" | "kuid global", "sno") => 2,
        ("nanoflake", "kuid local" | "kuid global") => 1,
        _ => 0,
    }
}
