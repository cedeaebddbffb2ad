use core::future::poll_fn;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Poll, Waker};
use core::time::Duration;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwapOption;
use tickid_core::{ErrorKind, Process, Scheme};

use crate::keeper::{GenerateError, StartError, Tenure, Trouble};
use crate::lease::Lease;
use crate::wait::TimedOut;

/// How a keeper stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeeperState {
    /// The present lease with its present ceiling, if there is one.
    pub lease: Option<Lease>,
    /// What kept the last request to the store from success; `None` when it succeeded.
    pub trouble: Option<Arc<Trouble>>,
    /// By how many microseconds the generator's clock was ahead of the store's when they were last
    /// compared, give or take a round trip; negative when it was behind.
    pub clock_ahead_micros: Option<i64>,
    /// What happened so far.
    pub counters: Counters,
    /// Whether it was shut down, or is that of the parent process: then nothing else is known.
    pub is_stopped: bool,
}

/// What happened to a keeper so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Leases granted.
    pub leases: u64,
    /// Renewals.
    pub renewals: u64,
    /// Requests to the store that failed, lost leases included.
    pub failures: u64,
    /// Leases lost.
    pub losses: u64,
    /// Calls that got no ID for want of a lease or because the window had ended.
    pub stalls: u64,
}

/// What a keeper waits for when it starts.
type First<S, C> = Result<Arc<Tenure<S, C>>, StartError>;

/// What the keeper and its thread share.
pub(crate) struct Shared<S: Scheme, C> {
    /// Where the thread is. In a child of a `fork` there is none, and the desk may be locked for ever.
    home: Process,
    pub(crate) tenure: ArcSwapOption<Tenure<S, C>>,
    /// Of all that it ever had.
    first: OnceLock<Arc<Tenure<S, C>>>,
    /// The longest wait for a lease.
    max_wait: Duration,
    desk: Mutex<Desk>,
    /// Something on the desk changed.
    changed: Condvar,
    stalls: AtomicU64,
}

/// What changes rarely.
#[derive(Debug, Default)]
struct Desk {
    lease: Option<Lease>,
    trouble: Option<Arc<Trouble>>,
    clock_ahead_micros: Option<i64>,
    counters: Counters,
    is_stopped: bool,
    /// Whether the thread has nothing more to do.
    is_finished: bool,
    /// Tasks that wait for something on the desk.
    waiting: Vec<Waker>,
}

impl<S: Scheme, C> Shared<S, C> {
    pub(crate) fn new(max_wait: Duration) -> Self {
        Self {
            home: Process::this(),
            tenure: ArcSwapOption::empty(),
            first: OnceLock::new(),
            max_wait,
            desk: Mutex::default(),
            changed: Condvar::new(),
            stalls: AtomicU64::new(0),
        }
    }

    /// Whether this is still the process that started it.
    pub(crate) fn is_ours(&self) -> bool {
        self.home.is_this()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Desk)) {
        let mut desk = self.desk();
        change(&mut desk);
        let waiting = core::mem::take(&mut desk.waiting);
        drop(desk);
        self.changed.notify_all();
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Looks at the desk whenever it changes, until `look` finds something or `most` has passed.
    fn wait<T>(&self, most: Duration, look: impl Fn(&Desk) -> Option<T>) -> Option<T> {
        let start = Instant::now();
        let mut desk = self.desk();
        loop {
            if let Some(seen) = look(&desk) {
                return Some(seen);
            }
            let left = most.saturating_sub(start.elapsed());
            if left.is_zero() {
                return None;
            }
            let waited = self.changed.wait_timeout(desk, left);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Does the same as a task, until `look` finds something. Only for what the worker's own
    /// timeouts bound: its first answer and its end, which it reports even if it panics.
    async fn wait_async<T>(&self, look: impl Fn(&Desk) -> Option<T>) -> T {
        poll_fn(|context| {
            let mut desk = self.desk();
            if let Some(seen) = look(&desk) {
                return Poll::Ready(seen);
            }
            desk.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    pub(crate) fn state(&self) -> KeeperState {
        if !self.is_ours() {
            let (lease, trouble, clock_ahead_micros) = (None, None, None);
            let counters = Counters::default();
            return KeeperState { lease, trouble, clock_ahead_micros, counters, is_stopped: true };
        }
        let desk = self.desk();
        KeeperState {
            lease: desk.lease.clone(),
            trouble: desk.trouble.clone(),
            clock_ahead_micros: desk.clock_ahead_micros,
            counters: Counters { stalls: self.stalls.load(Ordering::Relaxed), ..desk.counters },
            is_stopped: desk.is_stopped,
        }
    }

    // The keeper's side.

    /// Waits for the first lease, or for the first thing that keeps it away.
    pub(crate) fn wait_for_first(&self, most: Duration) -> First<S, C> {
        self.wait(most, |desk| self.first(desk)).unwrap_or_else(|| Err(TimedOut(most).into()))
    }

    /// The same as a task. It takes no longer than the thread waits for its first answer.
    pub(crate) async fn wait_for_first_async(&self) -> First<S, C> {
        self.wait_async(|desk| self.first(desk)).await
    }

    fn first(&self, desk: &Desk) -> Option<First<S, C>> {
        match (self.first.get(), &desk.trouble) {
            (Some(first), _) => Some(Ok(Arc::clone(first))),
            (None, Some(trouble)) => Some(Err(StartError::Trouble(Arc::clone(trouble)))),
            (None, None) if desk.is_finished => {
                Some(Err(StartError::Thread(io::Error::other("it panicked"))))
            }
            (None, None) => None,
        }
    }

    /// Waits as a task until the thread has nothing more to do.
    pub(crate) async fn wait_for_end_async(&self) {
        self.wait_async(|desk| desk.is_finished.then_some(())).await;
    }

    /// Waits for a lease until `max_wait` after `since`.
    pub(crate) fn wait_for_lease(&self, since: Instant) -> Result<(), GenerateError> {
        if !self.is_ours() {
            return Err(GenerateError::Forked);
        }
        let left = self.max_wait.saturating_sub(since.elapsed());
        if left.is_zero() {
            return Err(self.no_lease());
        }
        self.wait(left, |desk| (desk.lease.is_some() || desk.is_stopped).then_some(()));
        if self.tenure.load().is_some() { Ok(()) } else { Err(self.no_lease()) }
    }

    /// Returns an error once a call has waited `max_wait` for a lease.
    pub(crate) fn check_wait(&self, waited: Duration) -> Result<(), GenerateError> {
        if !self.is_ours() {
            return Err(GenerateError::Forked);
        }
        let may_wait = !self.is_stopped() && waited < self.max_wait;
        if may_wait { Ok(()) } else { Err(self.no_lease()) }
    }

    #[cold]
    pub(crate) fn no_lease(&self) -> GenerateError {
        if !self.is_ours() {
            return GenerateError::Forked;
        }
        let desk = self.desk();
        if desk.is_stopped {
            return GenerateError::Stopped;
        }
        self.stalls.fetch_add(1, Ordering::Relaxed);
        GenerateError::NoLease { trouble: desk.trouble.clone() }
    }

    /// After an error of the generator of `tenure`. If it is closed, nobody shall ask it again; any other
    /// error is the caller's.
    #[cold]
    pub(crate) fn leave_if_closed(
        &self,
        tenure: &Arc<Tenure<S, C>>,
        error: tickid_core::Error,
    ) -> Result<(), GenerateError> {
        if error.kind() != ErrorKind::Closed {
            return Err(self.explain(error));
        }
        tenure.is_over.store(true, Ordering::Relaxed);
        self.change(|desk| {
            let before = self.tenure.compare_and_swap(tenure, None);
            // Unless another has taken its place already.
            if before.as_ref().is_some_and(|before| Arc::ptr_eq(before, tenure)) {
                desk.lease = None;
            }
        });
        Ok(())
    }

    fn explain(&self, error: tickid_core::Error) -> GenerateError {
        if !self.is_ours() {
            return GenerateError::Forked;
        }
        let desk = self.desk();
        let is_windows = error.kind() == ErrorKind::Window;
        if is_windows {
            self.stalls.fetch_add(1, Ordering::Relaxed);
        }
        GenerateError::Stalled {
            error,
            trouble: desk.trouble.clone().filter(|_| is_windows),
            clock_ahead_micros: desk.clock_ahead_micros,
        }
    }

    pub(crate) fn stop(&self) {
        self.change(|desk| desk.is_stopped = true);
    }

    // The worker's side.

    pub(crate) fn finish(&self) {
        self.change(|desk| desk.is_finished = true);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.desk().is_stopped
    }

    /// Waits for so long, or until it is stopped.
    pub(crate) fn rest(&self, time: Duration) {
        self.wait(time, |desk| desk.is_stopped.then_some(()));
    }

    pub(crate) fn granted(&self, tenure: Arc<Tenure<S, C>>, clock_ahead_micros: Option<i64>) {
        let lease = tenure.lease.clone();
        self.first.get_or_init(|| Arc::clone(&tenure));
        self.tenure.store(Some(tenure));
        self.change(|desk| {
            desk.lease = Some(lease);
            desk.trouble = None;
            desk.clock_ahead_micros = clock_ahead_micros;
            desk.counters.leases += 1;
        });
    }

    pub(crate) fn renewed(&self, lease: Lease, clock_ahead_micros: Option<i64>) {
        self.change(|desk| {
            desk.lease = Some(lease);
            desk.trouble = None;
            desk.clock_ahead_micros = clock_ahead_micros;
            desk.counters.renewals += 1;
        });
    }

    pub(crate) fn failed(&self, trouble: Trouble) {
        self.change(|desk| {
            desk.trouble = Some(Arc::new(trouble));
            desk.counters.failures += 1;
        });
    }

    pub(crate) fn lost(&self, trouble: Option<Trouble>) {
        self.tenure.store(None);
        self.change(|desk| {
            desk.lease = None;
            desk.counters.losses += 1;
            desk.counters.failures += u64::from(trouble.is_some());
            desk.trouble = trouble.map(Arc::new).or(desk.trouble.take());
        });
    }
}
