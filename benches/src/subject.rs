//! tickid's schemes, with the widest sequences that they permit.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use tickid_core::{
    Builder, Fixed, Generator, LocalGenerator, ManualClock, ProcessClock, Scheme, Variant,
};
use tickid_kuid::{GlobalId, Kuid, Node};
use tickid_lease::backend::MemoryBackend;
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Partition, Sno, SnoId};
use tickid_snowflake::{Order, Snowflake, SnowflakeId, Widths};

/// A scheme to measure.
pub trait Subject: Scheme + Debug {
    /// The name in the results.
    const LABEL: &str = Self::NAME;
    /// A duration that is long enough to advance any clock by a tick.
    const TICK: Duration;
    /// The number of IDs of a tick.
    const CAP: u64;
    /// The time between the starts of bursts of 1,024 IDs on the wall clock, which is twice as long
    /// as the cap requires.
    const PACE: Duration;
    /// The node pool for a lease; its nodes have the size of [`node`](Self::node).
    const POOL: &str;

    /// Returns the layout to measure.
    fn layout() -> Self;

    /// Returns a node that leaves the sequence as many bits as the scheme permits.
    fn node() -> Self::Node;

    /// Returns the end of an ID, with its sequence, which is the part that is ready last.
    fn last_bits(id: &<Self::Variant as Variant<Self>>::Id) -> u64;

    /// Returns the number of IDs that each of `threads` may draw before it advances a manual clock,
    /// such that half of each tick's IDs remain.
    #[must_use]
    fn batch(threads: u32) -> u64 {
        (Self::CAP / (2 * u64::from(threads))).min(2_048)
    }
}

impl Subject for Scru64 {
    const TICK: Duration = Duration::from_millis(256);
    /// The minimum number of IDs. Half of the time, the random start leaves more than four million.
    const CAP: u64 = 1 << 20;
    const PACE: Duration = Duration::from_micros(125);
    const POOL: &str = "0-1/1";

    fn layout() -> Self {
        Self
    }

    fn node() -> Self::Node {
        "1/1".parse().expect("a node spec")
    }

    #[inline]
    fn last_bits(id: &Scru64Id) -> u64 {
        id.get()
    }
}

impl Subject for Nanoflake {
    const TICK: Duration = Duration::from_millis(1);
    const CAP: u64 = 4_096;
    const PACE: Duration = Duration::from_micros(500);
    const POOL: &str = "0-1023/10";

    fn layout() -> Self {
        Self::default()
    }

    fn node() -> GeneratorId {
        GeneratorId::new(1).expect("below 1,024")
    }

    #[inline]
    fn last_bits(id: &NanoflakeId) -> u64 {
        id.get().cast_unsigned()
    }
}

impl Subject for Kuid {
    const TICK: Duration = Duration::from_micros(1_024);
    const CAP: u64 = 16_384;
    const PACE: Duration = Duration::from_micros(125);
    const POOL: &str = "0-1023/32";

    fn layout() -> Self {
        Self::default()
    }

    fn node() -> Node {
        Node::new(1)
    }

    #[inline]
    fn last_bits(id: &GlobalId) -> u64 {
        let [.., a, b] = id.to_bytes();
        u16::from_be_bytes([a, b]).into()
    }
}

impl Subject for Sno {
    const TICK: Duration = Duration::from_millis(4);
    const CAP: u64 = 65_536;
    const PACE: Duration = Duration::from_micros(125);
    const POOL: &str = "0-1023/16";

    fn layout() -> Self {
        Self
    }

    fn node() -> Partition {
        Partition::new(1)
    }

    #[inline]
    fn last_bits(id: &SnoId) -> u64 {
        let [.., a, b] = id.to_bytes();
        u16::from_be_bytes([a, b]).into()
    }
}

/// Twitter's widths, in either order of node and sequence.
impl<O: Order> Subject for Snowflake<O> {
    const LABEL: &str =
        if O::IS_NODE_LOWEST { "snowflake-sequence-above-node" } else { "snowflake" };
    const TICK: Duration = Duration::from_millis(1);
    const CAP: u64 = 4_096;
    const PACE: Duration = Duration::from_micros(500);
    const POOL: &str = "0-1023/10";

    fn layout() -> Self {
        let (unit, epoch) = (Duration::from_millis(1), tickid_core::UnixTime::EPOCH);
        let widths = Widths { unit, epoch, time: 41, node: 10, sequence: 12, is_unsigned: false };
        Self::new(widths).expect("a legal layout")
    }

    fn node() -> Self::Node {
        tickid_snowflake::Node::new(1, 10).expect("below 1,024")
    }

    #[inline]
    fn last_bits(id: &SnowflakeId) -> u64 {
        id.get()
    }
}

/// Returns the options of every generator here. A fixed seed makes all runs do the same work.
pub fn builder<S: Subject>() -> Builder<S> {
    Builder::seeded_of(S::layout(), S::node(), 42)
}

/// Returns a shared generator on a manual clock.
pub fn shared<S: Subject>(clock: &ManualClock) -> Generator<S, &ManualClock> {
    builder::<S>().clock(clock).build().expect("valid options")
}

/// Returns an exclusive generator on a manual clock.
pub fn exclusive<S: Subject>(clock: &ManualClock) -> LocalGenerator<S, &ManualClock> {
    builder::<S>().clock(clock).build_local().expect("valid options")
}

/// Returns a leased generator on a manual clock, which its store shares. The clock can advance by
/// 10 seconds before a renewal is needed.
pub fn leased<S: Subject>(
    clock: &Arc<ManualClock>,
) -> LeasedGenerator<S, ProcessClock<Arc<ManualClock>>> {
    let store = Store::new(MemoryBackend::new(Arc::clone(clock)));
    let realm = Realm::builder("bench", S::layout()).pool(S::POOL).build();
    let realm = realm.expect("a pool of this scheme");
    let builder = LeasedGenerator::builder(store, realm).clock(Arc::clone(clock));
    builder.sequence(Fixed(0)).start().expect("a node")
}
