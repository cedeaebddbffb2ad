use tickid_core::DefaultClock;

use crate::node::NodeSpec;
use crate::scheme::Scru64;

/// The shared generator; see [`tickid_core::Generator`] for all it can do.
///
/// Timestamps never go back (*ratchet*): while the clock is at most 10 seconds (39 ticks) behind, IDs
/// go on at the last timestamp; when the counter runs over, they go on in the next one. Beyond that
/// `try_generate` says how long to wait, and `generate` waits.
///
/// The counter of every timestamp starts at random; [`RandomStart::with_guard_bits`](tickid_core::RandomStart::with_guard_bits) keeps a part of
/// it free.
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
/// # Spec
/// SCRU64, "Counter overflow handling" and "Clock rollback handling".
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Scru64, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all it can do. It does what
/// [`Generator`] does, without atomics, and can be [reset](tickid_core::LocalGenerator::reset).
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

/// What a generator's successor needs to know: its node and the ID it issued last.
#[cfg(target_has_atomic = "64")]
impl<C> From<&Generator<C>> for NodeSpec {
    fn from(generator: &Generator<C>) -> Self {
        generator.node().issued(&generator.state().snapshot)
    }
}

/// What a generator's successor needs to know: its node and the ID it issued last.
impl<C> From<&LocalGenerator<C>> for NodeSpec {
    fn from(generator: &LocalGenerator<C>) -> Self {
        generator.node().issued(&generator.state().snapshot)
    }
}
