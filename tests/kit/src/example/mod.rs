//! Support for the tests of the core, which use the schemes of [`tickid_core::example`].

mod narrow;

use core::fmt::Debug;
use core::num::NonZeroU32;

use tickid_core::example::Node;
use tickid_core::{Policy, Scheme, Tick, Ticks, UnixTime, Variant, Window};

pub use self::narrow::Narrow;
use crate::subject::{Parts, Subject};

/// The node of every generator under test, unless a test needs another.
pub const NODE: Node = Node(0xA5);

/// An example scheme of the core: ticks are seconds since 1970, and IDs are integers with the
/// fields that [`parts`] returns.
pub trait ExampleScheme:
    Scheme<Node = Node, Variant: Variant<Self, Id = u64> + Debug + Send + Sync> + Default
{
}
impl<S> ExampleScheme for S where
    S: Scheme<Node = Node, Variant: Variant<S, Id = u64> + Debug + Send + Sync> + Default
{
}

/// An example scheme as a subject of the promises.
#[derive(Clone, Copy, Debug)]
pub struct Example<S>(pub S);

impl<S: ExampleScheme> Subject for Example<S> {
    type Scheme = S;
    type Variant = S::Variant;
    type Id = u64;

    fn settings(&self) -> S {
        self.0
    }

    fn node(&self) -> Node {
        NODE
    }

    fn start(&self) -> UnixTime {
        at(5_000)
    }

    fn blank(&self) -> u64 {
        0
    }

    fn parts(&self, id: u64) -> Parts {
        parts(id)
    }

    fn is_of(&self, id: u64, _: S::Variant) -> bool {
        id >> 8 & 0xff == u64::from(NODE.0)
    }
}

/// Returns the fields of an ID of an example scheme.
///
/// # Panics
/// Never, because eight bits fit a `u32`.
#[must_use]
pub fn parts(id: u64) -> Parts {
    Parts { tick: id >> 17, toggle: id >> 16 & 1 == 1, sequence: u32::try_from(id & 0xff).unwrap() }
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

/// Asserts that no ID occurs twice.
///
/// # Panics
/// If an ID does; the message has its fields.
pub fn assert_distinct(ids: impl IntoIterator<Item = u64>) {
    let mut ids: Vec<u64> = ids.into_iter().collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("issued twice: {:?}", parts(twice[0]));
    }
}
