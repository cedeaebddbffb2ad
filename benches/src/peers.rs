//! The other libraries, set up as their users would, but without stalls where ours have none.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use ferroid::define_snowflake_id;
use ferroid::time::TimeSource;
use scru64_official::generator::GlobalGenerator;

use crate::START_MILLIS;

define_snowflake_id!(
    /// ferroid's layouts have at most 16 bits of sequence, which a loop uses up within a
    /// millisecond. This layout has four million sequences.
    WideSnowflake, u64,
    reserved: 1,
    timestamp: 41,
    machine_id: 0,
    sequence: 22
);

define_snowflake_id!(
    /// Twitter's widths, to compare with the same of ours. Loops draw half of a tick's sequences.
    TwitterSnowflake, u64,
    reserved: 1,
    timestamp: 41,
    machine_id: 10,
    sequence: 12
);

define_snowflake_id!(
    /// The layout of ferroid's own benchmarks, which is all sequence and no time.
    TimelessSnowflake, u64,
    reserved: 1,
    timestamp: 0,
    machine_id: 0,
    sequence: 63
);

/// A clock of milliseconds that only calls advance: the counterpart of [`tickid_core::ManualClock`]
/// for ferroid. Reading it is one relaxed load, as with ferroid's own clock.
#[derive(Debug)]
pub struct ManualMillis(AtomicU64);

impl Default for ManualMillis {
    fn default() -> Self {
        Self(AtomicU64::new(START_MILLIS))
    }
}

impl ManualMillis {
    /// Advances the clock by a millisecond.
    pub fn advance(&self) {
        self.advance_by(1);
    }

    /// Advances the clock by `millis` milliseconds.
    pub fn advance_by(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }

    /// Returns the reading of the clock.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl TimeSource<u64> for &ManualMillis {
    fn current_millis(&self) -> u64 {
        self.get()
    }
}

/// A clock that stands still, as in ferroid's own benchmarks.
#[derive(Clone, Copy, Debug)]
pub struct StandingStill;

impl TimeSource<u64> for StandingStill {
    fn current_millis(&self) -> u64 {
        0
    }
}

/// Returns an official generator with a node of one bit, like ours.
#[must_use]
pub fn scru64_node() -> scru64_official::generator::NodeSpec {
    "1/1".parse().expect("a node spec")
}

/// Creates an exclusive generator, for one thread.
#[must_use]
pub fn scru64_own() -> scru64_official::Scru64Generator {
    scru64_official::Scru64Generator::new(scru64_node())
}

/// Sets up the process-wide generator (a mutex) with its node.
#[must_use]
pub fn scru64_global() -> GlobalGenerator {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| {
        let fresh = GlobalGenerator.initialize(scru64_node());
        assert!(fresh.is_ok(), "the node was already set");
    });
    GlobalGenerator
}
