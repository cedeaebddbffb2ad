//! What several test files share.

#![allow(dead_code, reason = "each test file uses its own part of it")]

pub(crate) mod clocks;
pub(crate) mod narrow;
pub(crate) mod reference;
pub(crate) mod schedule;

use core::fmt::Debug;
use core::num::NonZeroU32;

use tickid_core::example::Node;
use tickid_core::{
    Clock, Error, Generator, LocalGenerator, Policy, RandomStart, RangeError, Scheme,
    SequenceBounds, SequenceStart, Snapshot, Tick, Ticks, UnixTime, Variant, Window,
};

/// The node of every generator under test, unless it matters.
pub(crate) const NODE: Node = Node(0xA5);

/// The example schemes: ticks are seconds since 1970, IDs are integers that [`Parts`] takes apart.
pub(crate) trait Example:
    Scheme<Node = Node, Variant: Variant<Self, Id = u64>> + Default
{
}
impl<S: Scheme<Node = Node, Variant: Variant<S, Id = u64>> + Default> Example for S {}

/// An ID of an example scheme, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) tick: u64,
    pub(crate) toggle: bool,
    pub(crate) node: u64,
    pub(crate) sequence: u32,
}

pub(crate) fn parts(id: u64) -> Parts {
    Parts {
        tick: id >> 17,
        toggle: id >> 16 & 1 == 1,
        node: id >> 8 & 0xff,
        sequence: u32::try_from(id & 0xff).unwrap(),
    }
}

/// When `tick` of an example scheme begins.
pub(crate) fn at(tick: u64) -> UnixTime {
    UnixTime::from_micros(i64::try_from(tick * 1_000_000).unwrap())
}

/// The tick of an example scheme during which `time` is.
pub(crate) fn tick_at(time: UnixTime) -> u64 {
    u64::try_from(time.as_micros()).unwrap() / 1_000_000
}

pub(crate) fn tick<S: Scheme>(tick: u64) -> Tick<S> {
    Tick::new(tick).unwrap()
}

pub(crate) fn window<S: Scheme>(floor: u64, ceiling: u64) -> Window<S> {
    Window::new(tick(floor), ceiling).unwrap()
}

pub(crate) fn ratchet<S>(allowance: u64) -> Policy<S> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

pub(crate) fn many(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// Where ticks start, chosen at run time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    Lowest,
    Fixed(u32),
    Random(RandomStart),
}

impl Start {
    /// The rule of the engine under test.
    pub(crate) fn rule(self) -> SequenceStart {
        match self {
            Self::Lowest => SequenceStart::LOWEST,
            Self::Fixed(start) => SequenceStart::fixed(start),
            Self::Random(random) => random.into(),
        }
    }

    /// The reference's own view of it.
    pub(crate) fn start(self, tick: u64, bounds: SequenceBounds) -> u32 {
        match self {
            Self::Lowest => bounds.lowest(),
            Self::Fixed(start) => start,
            Self::Random(random) => random.start(tick, bounds),
        }
    }
}

/// Shared and exclusive generators, for tests of what both promise.
pub(crate) trait Generate<S: Scheme>: Debug {
    fn try_one(&mut self) -> Result<u64, Error>;
    fn try_several(&mut self, n: NonZeroU32) -> Result<Vec<u64>, Error>;
    /// Up to `n` IDs, in as many blocks as it takes.
    fn try_many(&mut self, n: usize) -> Result<Vec<u64>, Error>;
    fn wider(&mut self, ceiling: u64) -> Result<(), RangeError>;
    fn end(&mut self) -> Snapshot<S>;
}

macro_rules! generate {
    ($($generator:ident),*) => {$(
        impl<S: Example, C: Clock + Debug> Generate<S> for $generator<S, C> {
            fn try_one(&mut self) -> Result<u64, Error> {
                self.try_generate()
            }

            fn try_several(&mut self, n: NonZeroU32) -> Result<Vec<u64>, Error> {
                Ok(self.try_block(n)?.collect())
            }

            fn try_many(&mut self, n: usize) -> Result<Vec<u64>, Error> {
                let mut ids = vec![0; n];
                Ok(self.try_fill(&mut ids)?.to_vec())
            }

            fn wider(&mut self, ceiling: u64) -> Result<(), RangeError> {
                self.widen(ceiling)
            }

            fn end(&mut self) -> Snapshot<S> {
                self.close()
            }
        }
    )*};
}
generate!(Generator, LocalGenerator);

/// Numbers that look random and are the same every time (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD129_0D3B_4A5C_9F51))
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }
}

/// Fails naming the first ID that is there twice.
pub(crate) fn assert_distinct(ids: impl IntoIterator<Item = u64>) {
    let mut ids: Vec<u64> = ids.into_iter().collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("issued twice: {:?}", parts(twice[0]));
    }
}

/// Fails naming the first ID that is not above the one before it.
pub(crate) fn assert_increasing<'a>(ids: impl IntoIterator<Item = &'a u64>) {
    let mut last = None;
    for &id in ids {
        assert!(last < Some(id), "{:?} came after {:?}", parts(id), last.map(parts));
        last = Some(id);
    }
}

/// What tick-tock promises of order: the IDs of one toggle increase.
pub(crate) fn assert_increasing_per_toggle(ids: &[u64]) {
    for toggle in [false, true] {
        assert_increasing(ids.iter().filter(|&&id| parts(id).toggle == toggle));
    }
}

/// As often as `n`, less under an interpreter.
pub(crate) const fn times(n: usize) -> usize {
    if cfg!(miri) { n / 1_000 + 1 } else { n }
}
