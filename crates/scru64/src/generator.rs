//! Names for core's generators with SCRU64.

use tickid_core::{DefaultClock, Snapshot};

use crate::id::Scru64Id;
use crate::node::NodeSpec;
use crate::scheme::Scru64;

/// The shared generator; see [`tickid_core::Generator`] for all its methods.
///
/// Build one for each node and process, and let every thread call it: two generators of one node
/// [issue the same IDs](tickid_core::Generator::builder).
///
/// Timestamps never go back (*ratchet*). While the clock is at most 10 seconds (39 ticks) behind,
/// the generator keeps issuing at the last timestamp, and when the counter overflows, it moves on
/// to the next one without a wait. Beyond that, `try_generate` reports how long to wait, and
/// `generate` waits.
///
/// The counter starts at a random value in every timestamp, so on average half of its values are
/// left. If you need a fixed share of them,
/// [`RandomStart::with_guard_bits`](tickid_core::RandomStart::with_guard_bits) keeps the upper bits
/// of the start at zero. For example, one guard bit leaves at least half.
///
/// # Examples
/// ```
/// use tickid_scru64::Generator;
///
/// let generator = Generator::new("0xb00/12".parse()?)?;
/// let ids = std::thread::scope(|scope| {
///     let threads = [(); 2].map(|()| scope.spawn(|| generator.generate()));
///     threads.map(|thread| thread.join().unwrap())
/// });
/// assert_ne!(ids[0]?, ids[1]?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Its nodes have sizes, so a number alone does not name one:
///
/// ```compile_fail,E0277
/// use tickid_scru64::Generator;
///
/// let generator = Generator::numbered(42)?; // pass "42/8".parse()? to `new`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// SCRU64, "Counter overflow handling" and "Clock rollback handling".
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Scru64, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all its methods. It works like
/// [`Generator`], but without atomics, so it suits a single owner and targets that have no 64-bit
/// atomics. It can also be [reset](tickid_core::LocalGenerator::reset).
///
/// Build one for each node and process, and keep it: two generators of one node [issue the same
/// IDs](tickid_core::LocalGenerator::builder).
///
/// # Examples
/// ```
/// use tickid_scru64::LocalGenerator;
///
/// let mut generator = LocalGenerator::new("42/8".parse()?)?;
/// assert!(generator.generate()? < generator.generate()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<Scru64, C>;

/// The options of a generator; see [`tickid_core::Builder`].
pub type Builder<C = DefaultClock> = tickid_core::Builder<Scru64, C>;

impl tickid_core::Resettable for Scru64 {}

/// The node and the ID issued last, which is all that a generator's successor needs. Save its text
/// when the program ends, and start the next one with it.
#[cfg(target_has_atomic = "64")]
impl<C> From<&Generator<C>> for NodeSpec {
    fn from(generator: &Generator<C>) -> Self {
        issued(generator.node(), &generator.state().snapshot)
    }
}

/// The node and the ID issued last, which is all that a generator's successor needs. Save its text
/// when the program ends, and start the next one with it.
impl<C> From<&LocalGenerator<C>> for NodeSpec {
    fn from(generator: &LocalGenerator<C>) -> Self {
        issued(generator.node(), &generator.state().snapshot)
    }
}

/// Returns the spec of a node after the last ID in `snapshot`.
fn issued(node: NodeSpec, snapshot: &Snapshot<Scru64>) -> NodeSpec {
    match (snapshot.tick, snapshot.next_sequence.checked_sub(1)) {
        (Some(tick), Some(counter)) => {
            let prev = Scru64Id::assemble(tick.get(), node.node_part() | counter);
            NodeSpec::with_node_prev(prev, node.node_id_size())
        }
        _ => node,
    }
}
