//! A leased node that is released before a signal ends the process.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, OnceLock};
use std::thread;

use tickid_core::{Scheme, Variant};
use tickid_lease::LeasedGenerator;
use tickid_lease::session::ClockGap;

use super::source::IdSource;
use crate::failure::Failure;
use crate::message::say;

/// A leased generator, which a signal can shut down.
pub(super) struct Holding<S: Scheme>(Arc<Held<S>>);

struct Held<S: Scheme> {
    /// Empty until it is started.
    generator: OnceLock<LeasedGenerator<S>>,
    /// Set once a signal ends the process.
    is_ending: AtomicBool,
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
        #[cfg(target_os = "linux")]
        linux::watch(&holding.0);
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

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use nix::sys::signal::{SigSet, Signal, raise};

    use super::{Arc, Failure, Held, Ordering, Scheme, say, thread};

    /// Starts a thread that waits for the signals. If there can be none, they end the process as
    /// usual. Call it before other threads are started, which would receive the signals.
    pub(super) fn watch<S: Scheme + 'static>(held: &Arc<Held<S>>) {
        let all = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter();
        let signals: SigSet = all.filter(|signal| !is_ignored(*signal)).collect();
        if signals.thread_block().is_err() {
            return;
        }
        let held = Arc::clone(held);
        let thread = thread::Builder::new().name("tickid-signals".to_owned());
        if thread.spawn(move || release(&held, &signals)).is_err() {
            let _ = signals.thread_unblock();
        }
    }

    fn release<S: Scheme>(held: &Held<S>, signals: &SigSet) {
        let Ok(signal) = signals.wait() else { return };
        // The next one ends the process even if the store does not answer.
        let _ = signals.thread_unblock();
        held.is_ending.store(true, Ordering::Relaxed);
        if let Some(generator) = held.generator.get()
            && let Err(error) = generator.shut_down()
        {
            say(&Failure::GiveBack(error).to_string());
        }
        let _ = raise(signal);
    }

    /// Reports whether the signal was ignored before this process started, as by `nohup`. While it
    /// is blocked, it would arrive nevertheless.
    fn is_ignored(signal: Signal) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal as i32 - 1) & 1 == 1)
    }
}
