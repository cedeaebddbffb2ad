//! A leased node that is released before a signal ends the process.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, OnceLock};
use std::thread;

use tickid_convert::{AnyIds, AnyLeasedGenerator};
use tickid_lease::session::ClockGap;

use super::signals;
use crate::failure::Failure;
use crate::message::say;
use crate::output;

/// A leased generator, which a signal can shut down.
pub(super) struct Holding {
    generator: Arc<AnyLeasedGenerator>,
    held: Arc<SignalTarget>,
}

/// The generator, for the thread that waits for signals.
#[derive(Default)]
struct SignalTarget {
    /// Empty until it is started.
    generator: OnceLock<Arc<AnyLeasedGenerator>>,
    /// Set once a signal ends the process.
    is_ending: AtomicBool,
}

impl SignalTarget {
    /// Releases the node, and removes the unfinished file, because a signal ends the process.
    fn release(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        output::discard();
        if let Some(generator) = self.generator.get() {
            shut_down(generator);
        }
    }
}

/// Releases the node, and says so if that fails.
fn shut_down(generator: &AnyLeasedGenerator) {
    if let Err(error) = generator.shut_down() {
        say(&Failure::GiveBack(error).to_string());
    }
}

impl Holding {
    /// Starts a generator. On Linux, SIGHUP, SIGINT and SIGTERM release its node before they end
    /// the process; elsewhere it is free when its window ends.
    pub(super) fn start(
        start: impl FnOnce() -> Result<AnyLeasedGenerator, Failure>,
    ) -> Result<Self, Failure> {
        let held = Arc::new(SignalTarget::default());
        let of_signals = Arc::clone(&held);
        signals::before_the_end(move || of_signals.release());
        let generator = Arc::new(start()?);
        let generator = Arc::clone(held.generator.get_or_init(|| generator));
        Ok(Self { generator, held })
    }

    /// Waits for the first lease, or for the error that ends the start.
    pub(super) fn first_lease(&self) -> Result<(), Failure> {
        self.call(|generator| Ok(generator.first_lease()?)).map(drop)
    }

    /// Waits for a lease and for an ID, for at most `within`.
    pub(super) fn wait_ready(&self, within: Duration) -> Result<(), Failure> {
        self.call(|generator| Ok(generator.wait_ready(within)?))
    }

    /// Draws up to `n` IDs, waiting for them for at most `within`.
    pub(super) fn block_within(
        &self,
        metabyte: u8,
        n: NonZeroU32,
        within: Duration,
    ) -> Result<AnyIds, Failure> {
        self.call(|generator| Ok(generator.block_within(metabyte, n, within)?))
    }

    /// Returns the difference of the clocks, if it is more than the realm's skew.
    pub(super) fn clock_gap(&self) -> Option<ClockGap> {
        self.generator.state().clock_gap
    }

    /// Calls the generator.
    fn call<T>(
        &self,
        call: impl FnOnce(&AnyLeasedGenerator) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let result = call(&self.generator);
        self.stay_if_ending();
        result
    }

    /// If a signal has arrived, leaves it to the thread that waits for signals to end the process.
    fn stay_if_ending(&self) {
        // Relaxed: shutting the generator down synchronizes.
        while self.held.is_ending.load(Ordering::Relaxed) {
            thread::park();
        }
    }
}

impl Drop for Holding {
    /// Releases the node. The thread that waits for signals keeps the generator.
    fn drop(&mut self) {
        shut_down(&self.generator);
        self.stay_if_ending();
    }
}
