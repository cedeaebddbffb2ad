//! Our own schemes, as wide as they go.

use std::fmt::Debug;
use std::time::Duration;

use tickid_core::{Builder, Generator, LocalGenerator, ManualClock, Scheme, Variant};
use tickid_kuid::{GlobalId, Kuid, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Partition, Sno, SnoId};

/// A scheme to measure.
pub trait Subject: Scheme + Default + Debug {
    /// Enough to move any clock on by a tick.
    const TICK: Duration;
    /// How many IDs a tick has.
    const CAP: u64;
    /// How far apart bursts of 1,024 IDs begin on the wall clock: twice what the cap allows.
    const PACE: Duration;
    /// Nodes to lease; the same sizes as [`node`](Self::node).
    const POOL: &str;

    /// A node that leaves the sequence as many bits as the scheme permits.
    fn node() -> Self::Node;

    /// The end of an ID, with its sequence: what is ready last.
    fn last_bits(id: &<Self::Variant as Variant<Self>>::Id) -> u64;

    /// How many IDs each of `threads` may draw before it moves a manual clock on, so that half of each
    /// tick's IDs remain.
    #[must_use]
    fn batch(threads: u32) -> u64 {
        (Self::CAP / (2 * u64::from(threads))).min(2_048)
    }
}

impl Subject for Scru64 {
    const TICK: Duration = Duration::from_millis(256);
    /// At least; half of the time the random start leaves more than four million.
    const CAP: u64 = 1 << 20;
    const PACE: Duration = Duration::from_micros(125);
    const POOL: &str = "0-1/1";

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

    fn node() -> Node {
        Node::from_u32(1)
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

    fn node() -> Partition {
        Partition::new(1)
    }

    #[inline]
    fn last_bits(id: &SnoId) -> u64 {
        let [.., a, b] = id.to_bytes();
        u16::from_be_bytes([a, b]).into()
    }
}

/// The options of every generator here; a fixed seed, so that all runs do the same work.
pub fn builder<S: Subject>() -> Builder<S> {
    Builder::seeded(S::node(), 42)
}

/// A shared generator on a manual clock.
pub fn shared<S: Subject>(clock: &ManualClock) -> Generator<S, &ManualClock> {
    builder::<S>().clock(clock).build().expect("valid options")
}

/// An exclusive generator on a manual clock.
pub fn exclusive<S: Subject>(clock: &ManualClock) -> LocalGenerator<S, &ManualClock> {
    builder::<S>().clock(clock).build_local().expect("valid options")
}
