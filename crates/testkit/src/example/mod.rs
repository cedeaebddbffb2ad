//! Support for the tests of the core, which use the schemes of [`tickid_core::example`].
//!
//! | module | contents |
//! |---|---|
//! | [`narrow`] | a scheme with the least room for errors of the engine |
//! | [`reference`](mod@reference) | the rules of a generator in plain ticks |
//! | [`schedule`] | random setups and schedules of these schemes |

pub mod narrow;
pub mod reference;
pub mod schedule;

use core::fmt::Debug;
use core::num::NonZeroU32;

use tickid_core::example::Node;
use tickid_core::{
    Clock, Error, Generator, LocalGenerator, Policy, RandomStart, RangeError, Scheme,
    SequenceBounds, SequenceStart, Snapshot, Tick, Ticks, UnixTime, Variant, Window,
};

/// The node of every generator under test, unless it matters.
pub const NODE: Node = Node(0xA5);

/// An example scheme: ticks are seconds since 1970, IDs are integers that [`parts`] takes apart.
pub trait Example: Scheme<Node = Node, Variant: Variant<Self, Id = u64>> + Default {}
impl<S: Scheme<Node = Node, Variant: Variant<S, Id = u64>> + Default> Example for S {}

/// An ID of an example scheme, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Seconds since 1970.
    pub tick: u64,
    /// The toggle bit.
    pub toggle: bool,
    /// The node.
    pub node: u64,
    /// The sequence within the tick.
    pub sequence: u32,
}

/// Takes an ID of an example scheme apart.
///
/// # Panics
/// Never: eight bits are a `u32`.
#[must_use]
pub fn parts(id: u64) -> Parts {
    Parts {
        tick: id >> 17,
        toggle: id >> 16 & 1 == 1,
        node: id >> 8 & 0xff,
        sequence: u32::try_from(id & 0xff).unwrap(),
    }
}

/// Returns the start of a tick of an example scheme.
///
/// # Panics
/// For a tick beyond the range of `UnixTime`.
#[must_use]
pub fn at(tick: u64) -> UnixTime {
    UnixTime::from_micros(i64::try_from(tick * 1_000_000).unwrap())
}

/// Returns the tick of an example scheme that contains `time`.
///
/// # Panics
/// For a time before 1970.
#[must_use]
pub fn tick_at(time: UnixTime) -> u64 {
    u64::try_from(time.as_micros()).unwrap() / 1_000_000
}

/// Returns a tick of a scheme.
///
/// # Panics
/// For a number beyond the scheme's last tick.
#[must_use]
pub fn tick<S: Scheme>(tick: u64) -> Tick<S> {
    Tick::new(tick).unwrap()
}

/// Returns the window `[floor, ceiling)`.
///
/// # Panics
/// Unless they are ticks of the scheme in that order.
#[must_use]
pub fn window<S: Scheme>(floor: u64, ceiling: u64) -> Window<S> {
    Window::new(tick(floor), ceiling).unwrap()
}

/// Returns a ratchet with an allowance in ticks.
#[must_use]
pub fn ratchet<S>(allowance: u64) -> Policy<S> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

/// Returns `n` as a count.
///
/// # Panics
/// For 0.
#[must_use]
pub fn many(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// The start rule of a generator, chosen at run time.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// The lowest sequence of the bounds.
    Lowest,
    /// This sequence, which may lie outside of the bounds.
    Fixed(u32),
    /// A random sequence.
    Random(RandomStart),
}

impl Start {
    /// Returns the rule of the engine under test.
    #[must_use]
    pub fn rule(self) -> SequenceStart {
        match self {
            Self::Lowest => SequenceStart::LOWEST,
            Self::Fixed(start) => SequenceStart::fixed(start),
            Self::Random(random) => random.into(),
        }
    }

    /// Returns the first sequence of `tick`, as the reference computes it.
    #[must_use]
    pub fn start(self, tick: u64, bounds: SequenceBounds) -> u32 {
        match self {
            Self::Lowest => bounds.lowest(),
            Self::Fixed(start) => start,
            Self::Random(random) => random.start(tick, bounds),
        }
    }
}

/// A shared or an exclusive generator, for tests of promises that both make.
pub trait Generate<S: Scheme>: Debug {
    /// Generates one ID.
    ///
    /// # Errors
    /// The generator's.
    fn try_one(&mut self) -> Result<u64, Error>;
    /// Generates up to `n` IDs of one block.
    ///
    /// # Errors
    /// The generator's.
    fn try_several(&mut self, n: NonZeroU32) -> Result<Vec<u64>, Error>;
    /// Generates up to `n` IDs, in as many blocks as it takes.
    ///
    /// # Errors
    /// The generator's.
    fn try_many(&mut self, n: usize) -> Result<Vec<u64>, Error>;
    /// Raises the ceiling.
    ///
    /// # Errors
    /// The generator's.
    fn wider(&mut self, ceiling: u64) -> Result<(), RangeError>;
    /// Closes the generator.
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

/// Asserts that no ID is there twice.
///
/// # Panics
/// Names an ID that is.
pub fn assert_distinct(ids: impl IntoIterator<Item = u64>) {
    let mut ids: Vec<u64> = ids.into_iter().collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("issued twice: {:?}", parts(twice[0]));
    }
}

/// Asserts that each ID is above the one before it.
///
/// # Panics
/// Names the first that is not.
pub fn assert_increasing<'a>(ids: impl IntoIterator<Item = &'a u64>) {
    let mut last = None;
    for &id in ids {
        assert!(last < Some(id), "{:?} came after {:?}", parts(id), last.map(parts));
        last = Some(id);
    }
}

/// Asserts the order under tick-tock: the IDs of one toggle increase.
///
/// # Panics
/// Names the first ID that does not.
pub fn assert_increasing_per_toggle(ids: &[u64]) {
    for toggle in [false, true] {
        assert_increasing(ids.iter().filter(|&&id| parts(id).toggle == toggle));
    }
}

/// Returns `n`, or a thousandth of it under an interpreter.
#[must_use]
pub const fn times(n: usize) -> usize {
    if cfg!(miri) { n / 1_000 + 1 } else { n }
}
