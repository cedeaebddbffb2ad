//! A leased node that is released before a signal ends the process.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, OnceLock};
use std::thread;

use tickid_core::{Scheme, Variant};
use tickid_lease::LeasedGenerator;
use tickid_lease::session::ClockGap;

use super::signals;
use super::source::IdSource;
use crate::failure::Failure;
use crate::message::say;
use crate::output;

/// A leased generator, which a signal can shut down.
pub(super) struct Holding<S: Scheme>(Arc<Held<S>>);

struct Held<S: Scheme> {
    /// Empty until it is started.
    generator: OnceLock<LeasedGenerator<S>>,
    /// Set once a signal ends the process.
    is_ending: AtomicBool,
}

impl<S: Scheme> Held<S> {
    /// Releases the node, and removes the unfinished file, because a signal ends the process.
    fn release(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        output::discard();
        if let Some(generator) = self.generator.get()
            && let Err(error) = generator.shut_down()
        {
            say(&Failure::GiveBack(error).to_string());
        }
    }
}

impl<S: Scheme> Holding<S> {
    /// Starts a generator. On Linux, SIGHUP, SIGINT and SIGTERM release its node before they end
    /// the process; elsewhere it is free when its window ends.
    pub(super) fn start(
        start: impl FnOnce() -> Result<LeasedGenerator<S>, Failure>,
    ) -> Result<Self, Failure>
    where
        S: 'static,
    {
        let held = Held { generator: OnceLock::new(), is_ending: AtomicBool::new(false) };
        let holding = Self(Arc::new(held));
        let held = Arc::clone(&holding.0);
        signals::before_the_end(move || held.release());
        let generator = start()?;
        holding.0.generator.get_or_init(|| generator);
        Ok(holding)
    }

    /// Waits for the first lease, or for the error that ends the start.
    pub(super) fn first_lease(&self) -> Result<(), Failure> {
        self.call(|generator| Ok(generator.first_lease()?)).map(drop)
    }

    /// Returns the difference of the clocks, if it is more than the realm's skew.
    pub(super) fn clock_gap(&self) -> Option<ClockGap> {
        self.0.generator.get()?.state().clock_gap
    }

    /// Calls the generator. If a signal ends the process, waits for that.
    fn call<T>(
        &self,
        call: impl FnOnce(&LeasedGenerator<S>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let result = self.0.generator.get().map(call).transpose();
        // Relaxed: shutting the generator down synchronizes.
        while self.0.is_ending.load(Ordering::Relaxed) {
            thread::park();
        }
        result
    }
}

impl<S: Scheme> IdSource<S> for Holding<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        let len = self.call(|generator| Ok(generator.with(variant).try_fill(out)?.len()))?;
        Ok(len.unwrap_or(0))
    }

    fn wait_ready(&mut self, within: Duration) -> Result<(), Failure> {
        self.call(|generator| Ok(generator.wait_ready(within)?)).map(drop)
    }

    fn finish(self) -> Result<(), Failure> {
        self.call(|generator| generator.shut_down().map_err(Failure::GiveBack)).map(drop)
    }
}

impl<S: Scheme> Drop for Holding<S> {
    /// Releases the node, unless that was done: the thread that waits for signals keeps the
    /// generator.
    fn drop(&mut self) {
        let released = self.call(|generator| generator.shut_down().map_err(Failure::GiveBack));
        if let Err(failure) = released {
            say(&failure.to_string());
        }
    }
}
