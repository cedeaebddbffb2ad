//! The state that a leased generator shares with the thread that renews its lease.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tickid_core::{ErrorKind, Process, StallReason, UnixTime};

use crate::holder::clock_gap::ClockGap;
use crate::holder::counters::Counters;
use crate::holder::engine::{Engine, SharedEngine};
use crate::holder::error::{GenerateError, LeaseError, Stall};
use crate::holder::wait_reason::WaitReason;
use crate::holder::waiting::Wait;
use crate::model::lease::Lease;
use crate::model::refusal::Refusal;
use crate::store_error::StoreError;

/// The state of a [`LeasedGenerator`](crate::LeasedGenerator), at one moment.
///
/// Judge readiness by [`window_left`](Self::window_left) and not by [`trouble`](Self::trouble). One
/// failed renewal is trouble, but it is repeated long before the window ends.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LeaseState {
    /// The present lease with its present ceiling, if there is one.
    pub lease: Option<Lease>,
    /// The time until the window ends, by the generator's clock. It is zero if the generator cannot
    /// issue, because its window has ended or its clock is behind.
    pub window_left: Duration,
    /// The store's clock when the lease was acquired or last renewed.
    pub renewed_at: Option<UnixTime>,
    /// The time that the store took for its last grant or renewal.
    pub latency: Option<Duration>,
    /// The lead of the generator's clock over the store's in microseconds, when they were last
    /// compared, give or take a round trip. It is negative if the generator's was behind.
    pub clock_ahead_micros: Option<i64>,
    /// The same lead as a sentence, if it is more than the realm's skew. A generator whose clock is
    /// behind may issue IDs of the past, and one whose clock is ahead runs into the end of its
    /// window.
    pub clock_gap: Option<ClockGap>,
    /// The reason that the last request to the store failed, or that a generator whose clock is far
    /// behind found no other node. It is `None` if all is well.
    pub trouble: Option<LeaseError>,
    /// The reason that the generator cannot issue now, if waiting helps.
    pub wait: Option<Wait>,
    /// The number of events so far.
    pub counters: Counters,
    /// Set after a shutdown, and in the child of a `fork`, where nothing else is known.
    pub is_stopped: bool,
}

/// The step that fails without the thread.
const THREAD: &str = "keep the lease's thread";

/// The data that a leased generator and its thread share.
pub(crate) struct HolderState {
    /// The process with the thread. A child of a `fork` has no such thread, and the desk may be
    /// locked forever.
    home: Process,
    /// The longest wait of a call.
    pub(crate) max_wait: Duration,
    /// The longest time until the thread has a first lease, or an error that ends the start.
    max_start: Duration,
    desk: Mutex<Desk>,
    /// Notified of changes of the desk.
    changed: Condvar,
    /// By [`WaitReason::index`].
    stalls: [AtomicU64; WaitReason::ALL.len()],
}

/// The data that changes rarely.
struct Desk {
    /// The engine of the present lease, from its start until the lease is lost or a call finds it
    /// closed.
    engine: Option<SharedEngine>,
    /// The first lease of all.
    first: Option<Lease>,
    lease: Option<Lease>,
    /// When the last lease ended, if there is none now.
    without_lease_since: Instant,
    /// The time of the first failure since the last answer.
    failing_since: Option<Instant>,
    /// The time when a realm starts that starts later.
    realm_starts: Option<Instant>,
    renewed_at: Option<UnixTime>,
    latency: Option<Duration>,
    clock_ahead_micros: Option<i64>,
    clock_gap: Option<ClockGap>,
    /// The reason that the last request to acquire or renew the lease failed.
    trouble: Option<LeaseError>,
    /// The trouble ends the start, unless there was a lease already.
    ends_start: bool,
    /// The reason that a generator whose clock is far behind has no other node.
    stuck: Option<LeaseError>,
    counters: Counters,
    is_stopped: bool,
    /// Set once the thread has nothing more to do.
    is_finished: bool,
    /// Tasks that wait for a change.
    waiting: Vec<Waker>,
}

/// A lease that the store granted or renewed.
pub(crate) struct Granted {
    pub(crate) lease: Lease,
    pub(crate) clock_ahead_micros: Option<i64>,
    pub(crate) clock_gap: Option<ClockGap>,
    pub(crate) latency: Duration,
}

impl HolderState {
    pub(crate) fn new(max_wait: Duration, max_start: Duration) -> Self {
        Self {
            home: Process::this(),
            max_wait,
            max_start,
            desk: Mutex::new(Desk::new()),
            changed: Condvar::new(),
            stalls: [const { AtomicU64::new(0) }; WaitReason::ALL.len()],
        }
    }

    /// Reports whether this is still the process of the thread.
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

    /// Looks at the desk whenever it changes, until `look` returns a value or `most` has passed.
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

    /// Looks at the desk, and again whenever it changes, until `look` returns a value. This is only
    /// for events that the thread's own timeouts bound, which are its first answer and its end. It
    /// reports its end even if it panics.
    fn poll<T>(&self, context: &Context<'_>, look: impl Fn(&Desk) -> Option<T>) -> Poll<T> {
        let mut desk = self.desk();
        if let Some(seen) = look(&desk) {
            return Poll::Ready(seen);
        }
        desk.waiting.push(context.waker().clone());
        Poll::Pending
    }

    /// Returns the present engine. A caller uses it without the desk's lock, since it reads the
    /// user's clock.
    fn engine(&self) -> Option<SharedEngine> {
        if self.is_ours() { self.desk().engine.clone() } else { None }
    }

    pub(crate) fn state(&self) -> LeaseState {
        let engine = self.engine();
        let window_left = engine.as_ref().map_or(Duration::ZERO, |engine| engine.window_left());
        let error = match engine {
            Some(engine) => engine.check_ready().err().map(|error| self.explain(error)),
            None => Some(self.no_lease()),
        };
        let wait = error.and_then(|error| error.wait());
        LeaseState { window_left, wait, ..self.desk_state() }
    }

    /// Returns the state without the parts that need the clock.
    pub(crate) fn desk_state(&self) -> LeaseState {
        // In the child of a fork: the parent's lease is not this process's, and its lock may be
        // held by a thread that does not exist here.
        if !self.is_ours() {
            return LeaseState { is_stopped: true, ..LeaseState::default() };
        }
        let desk = self.desk();
        let mut counters = desk.counters;
        // These are counted without the lock, by threads that wait for an ID.
        for (reason, count) in WaitReason::ALL.into_iter().zip(&self.stalls) {
            counters.stalls.add(reason, count.load(Ordering::Relaxed));
        }
        LeaseState {
            lease: desk.lease,
            window_left: Duration::ZERO,
            renewed_at: desk.renewed_at,
            latency: desk.latency,
            clock_ahead_micros: desk.clock_ahead_micros,
            clock_gap: desk.clock_gap,
            trouble: desk.trouble.clone().or_else(|| desk.stuck.clone()),
            wait: None,
            counters,
            is_stopped: desk.is_stopped,
        }
    }

    // Called by the generator.

    /// Waits for the first lease, or for the error that ends the start.
    pub(crate) fn wait_for_first(&self) -> Result<Lease, LeaseError> {
        self.check_ours()?;
        let first = self.wait(self.max_start, Desk::first);
        first.unwrap_or_else(|| Err(StoreError::timed_out(self.max_start).into()))
    }

    /// Does the same for a task. It takes no longer than the thread tries to start.
    pub(crate) fn poll_first(&self, context: &Context<'_>) -> Poll<Result<Lease, LeaseError>> {
        match self.check_ours() {
            Ok(()) => self.poll(context, Desk::first),
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn check_ours(&self) -> Result<(), LeaseError> {
        let forked = || io::Error::other("it is the parent process's");
        if self.is_ours() { Ok(()) } else { Err(LeaseError::system(THREAD, forked())) }
    }

    /// Returns the error of a start without a first lease, though the state has one.
    pub(crate) fn no_first(&self) -> LeaseError {
        LeaseError::system(THREAD, io::Error::other("it has no generator"))
    }

    /// Waits for a task until the thread has nothing more to do.
    pub(crate) fn poll_end(&self, context: &Context<'_>) -> Poll<()> {
        self.poll(context, |desk| desk.is_finished.then_some(()))
    }

    /// Waits until the thread has nothing more to do.
    pub(crate) fn wait_for_end(&self) {
        self.wait(self.max_start, |desk| desk.is_finished.then_some(()));
    }

    /// Waits for a lease, for at most `left`.
    pub(crate) fn wait_for_lease(&self, left: Duration) -> Result<(), GenerateError> {
        self.check_wait(left)?;
        let start = Instant::now();
        let over = self.wait(left, |desk| {
            let left = left.saturating_sub(start.elapsed());
            if desk.engine.is_some() {
                return Some(Ok(()));
            }
            let error = desk.no_lease();
            let helps = error.wait().is_some_and(|wait| wait.helps(left));
            (!helps).then_some(Err(error))
        });
        over.unwrap_or_else(|| Err(self.no_lease()))
    }

    /// Returns an error if a call that may wait for `left` should not wait for a lease.
    pub(crate) fn check_wait(&self, left: Duration) -> Result<(), GenerateError> {
        let error = self.no_lease();
        let helps = error.wait().is_some_and(|wait| wait.helps(left));
        if helps { Ok(()) } else { Err(error) }
    }

    #[cold]
    pub(crate) fn no_lease(&self) -> GenerateError {
        if !self.is_ours() {
            return GenerateError::Forked;
        }
        self.desk().no_lease()
    }

    /// Reports whether the present engine can issue now.
    pub(crate) fn check_ready(&self) -> Result<(), GenerateError> {
        loop {
            let Some(engine) = self.engine() else { return Err(self.no_lease()) };
            match engine.check_ready() {
                Ok(()) => return Ok(()),
                Err(error) => self.leave_if_closed(&*engine, error)?,
            }
        }
    }

    /// Handles an error of an engine. A closed one is abandoned, and any other error is the
    /// caller's.
    #[cold]
    pub(crate) fn leave_if_closed(
        &self,
        engine: &dyn Engine,
        error: tickid_core::Error,
    ) -> Result<(), GenerateError> {
        if error.kind() != ErrorKind::Closed {
            return Err(self.explain(error));
        }
        self.leave(engine);
        Ok(())
    }

    /// Abandons a closed engine.
    #[cold]
    pub(crate) fn leave(&self, engine: &dyn Engine) {
        self.change(|desk| {
            // Under the lock: a call that finds the lease over then finds the desk without it.
            engine.set_over();
            // Unless another has taken its place already.
            let is_same = |present: &SharedEngine| ptr::addr_eq(&raw const **present, engine);
            if desk.engine.as_ref().is_some_and(is_same) {
                desk.end_lease();
            }
        });
    }

    pub(crate) fn explain(&self, error: tickid_core::Error) -> GenerateError {
        if !self.is_ours() {
            return GenerateError::Forked;
        }
        let desk = self.desk();
        let (cause, since) = match WaitReason::of_stall(&error) {
            Some(WaitReason::Stalled(StallReason::WindowEnded)) => {
                (desk.trouble.clone(), desk.failing_since)
            }
            Some(WaitReason::Stalled(StallReason::ClockBehind)) => (desk.stuck.clone(), None),
            _ => (None, None),
        };
        let (since, clock_ahead_micros) =
            (since.unwrap_or_else(Instant::now), desk.clock_ahead_micros);
        GenerateError::Stalled(Box::new(Stall { error, cause, clock_ahead_micros, since }))
    }

    /// Counts a call that could not issue immediately.
    #[cold]
    pub(crate) fn count(&self, error: GenerateError) -> GenerateError {
        if let Some(wait) = error.wait() {
            self.stalls[wait.reason.index()].fetch_add(1, Ordering::Relaxed);
        }
        error
    }

    pub(crate) fn stop(&self) {
        self.change(|desk| desk.is_stopped = true);
    }

    // Called by the thread.

    pub(crate) fn finish(&self) {
        self.change(|desk| desk.is_finished = true);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.desk().is_stopped
    }

    /// Waits for a time, or until it is stopped.
    pub(crate) fn rest(&self, time: Duration) {
        self.wait(time, |desk| desk.is_stopped.then_some(()));
    }

    /// Notes a new lease, under which its engine issues.
    pub(crate) fn acquired(&self, engine: SharedEngine, granted: &Granted, is_move: bool) {
        self.change(|desk| {
            // A call may have found it closed already.
            desk.engine = Some(engine).filter(|engine| !engine.is_over());
            desk.first.get_or_insert(granted.lease);
            desk.note(granted);
            desk.stuck = None;
            desk.counters.leases += 1;
            desk.counters.moves += u64::from(is_move);
        });
    }

    pub(crate) fn renewed(&self, granted: &Granted) {
        self.change(|desk| {
            desk.note(granted);
            desk.counters.renewals += 1;
        });
    }

    /// Notes a failed request, which was to move to a different node, or to acquire or renew the
    /// lease.
    pub(crate) fn failed(&self, error: LeaseError, is_move: bool, ends_start: bool) {
        let reason = error.reason();
        let now = Instant::now();
        // The store's clock and ours may differ, so the wait is what the store's clock lacks to the
        // start.
        let realm_starts = match error.store().and_then(StoreError::refusal) {
            Some(Refusal::NotYet { from, now: asked, .. }) => {
                now.checked_add(from.saturating_since(*asked))
            }
            _ => None,
        };
        self.change(|desk| {
            desk.ends_start |= ends_start;
            // The lease at hand goes on meanwhile, so this is not the trouble that callers are told
            // first.
            if is_move {
                desk.stuck = Some(error);
            } else {
                desk.realm_starts = realm_starts;
                desk.failing_since.get_or_insert(now);
                desk.trouble = Some(error);
            }
            desk.counters.failures.add(reason, 1);
        });
    }

    /// Notes that the clock is not far behind any more.
    pub(crate) fn unstuck(&self) {
        self.change(|desk| desk.stuck = None);
    }

    pub(crate) fn lost(&self, error: Option<LeaseError>) {
        self.change(|desk| {
            if let Some(engine) = &desk.engine {
                engine.set_over();
            }
            desk.end_lease();
            desk.stuck = None;
            desk.counters.losses += 1;
            desk.trouble = error.or(desk.trouble.take());
        });
    }
}

impl Desk {
    fn new() -> Self {
        Self {
            engine: None,
            first: None,
            lease: None,
            without_lease_since: Instant::now(),
            failing_since: None,
            realm_starts: None,
            renewed_at: None,
            latency: None,
            clock_ahead_micros: None,
            clock_gap: None,
            trouble: None,
            ends_start: false,
            stuck: None,
            counters: Counters::default(),
            is_stopped: false,
            is_finished: false,
            waiting: Vec::new(),
        }
    }

    /// Returns the first lease or the error that ends the start, once there is either.
    fn first(&self) -> Option<Result<Lease, LeaseError>> {
        match (self.first, &self.trouble) {
            (Some(first), _) => Some(Ok(first)),
            (None, Some(trouble)) if self.ends_start => Some(Err(trouble.clone())),
            _ if self.is_finished => {
                let ended = match self.is_stopped {
                    true => "the generator was shut down",
                    false => "it panicked",
                };
                Some(Err(LeaseError::system(THREAD, io::Error::other(ended))))
            }
            _ => None,
        }
    }

    fn end_lease(&mut self) {
        self.engine = None;
        if self.lease.take().is_some() {
            self.without_lease_since = Instant::now();
        }
    }

    /// Returns the error of a call without a lease.
    fn no_lease(&self) -> GenerateError {
        if self.is_stopped {
            return GenerateError::Stopped;
        }
        let cause = self.trouble.clone().map(Box::new);
        let until = self.realm_starts.filter(|&start| start > Instant::now());
        GenerateError::NoLease { cause, since: self.without_lease_since, until }
    }

    fn note(&mut self, granted: &Granted) {
        self.lease = Some(granted.lease);
        self.renewed_at = Some(granted.lease.granted_at);
        self.latency = Some(granted.latency);
        self.clock_ahead_micros = granted.clock_ahead_micros;
        self.clock_gap = granted.clock_gap;
        (self.trouble, self.failing_since, self.realm_starts) = (None, None, None);
    }
}
