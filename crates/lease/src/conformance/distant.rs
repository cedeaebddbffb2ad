//! A store at the end of a line, whose time is scripted.

use core::future::poll_fn;
use core::task::{Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tickid_core::{Clock as _, ManualClock, UnixTime};

use crate::backend::{Answer, Backend, Change, Commit, MemoryBackend, Scope};
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::store::Store;

/// A store in memory behind a line. A request that is polled goes half of the way, and is woken at
/// once, so a test can let time pass for each half. It can also count requests and hold answers back.
#[derive(Clone, Debug)]
pub struct Distant {
    memory: MemoryBackend<Arc<ManualClock>>,
    clock: Arc<ManualClock>,
    /// The same moment by this machine's clock and by the scripted one.
    began: (Instant, UnixTime),
    line: Arc<Mutex<(Line, Vec<Waker>)>>,
}

/// The traffic of a [`Distant`] store, and what becomes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "tests change it")]
pub struct Line {
    /// The number of reads that have been sent.
    pub reads: u32,
    /// The number of commits that have been sent.
    pub commits: u32,
    /// Set while reads are not answered.
    pub holds_reads: bool,
    /// Set while commits are not answered.
    pub holds_commits: bool,
    /// Set if the answer to a commit that was refused does not have the data that differs from it.
    pub is_terse: bool,
}

impl Distant {
    /// Creates an empty store at a time, which only the [clock](Self::clock) moves.
    #[must_use]
    pub fn new(time: UnixTime) -> Self {
        let clock = Arc::new(ManualClock::new(time));
        let memory = MemoryBackend::new(Arc::clone(&clock));
        Self { memory, clock, began: (Instant::now(), time), line: Arc::default() }
    }

    /// Returns the clock of both ends.
    #[must_use]
    pub fn clock(&self) -> &Arc<ManualClock> {
        &self.clock
    }

    /// Returns a client that is not behind the line.
    #[must_use]
    pub fn near(&self) -> Store {
        Store::new(self.memory.clone())
    }

    /// Reads or changes the line. Answers that are not held back any more arrive.
    pub fn line<T>(&self, change: impl FnOnce(&mut Line) -> T) -> T {
        let mut guard = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut guard.0);
        guard.1.drain(..).for_each(Waker::wake);
        changed
    }

    /// Returns the numbers of reads and commits that `work` takes.
    pub fn trips(&self, work: impl FnOnce()) -> (u32, u32) {
        let before = self.line(|line| *line);
        work();
        let after = self.line(|line| *line);
        (after.reads - before.reads, after.commits - before.commits)
    }

    /// Travels half of a round trip, and waits while the answer is held back.
    async fn travel(&self, is_held: fn(&Line) -> bool) {
        let mut is_under_way = true;
        poll_fn(|context| {
            if core::mem::take(&mut is_under_way) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let mut guard = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            if is_held(&guard.0) {
                guard.1.push(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }
}

impl Backend for Distant {
    fn name(&self) -> &'static str {
        "distant"
    }

    fn starts_immediately(&self) -> bool {
        true
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn monotonic(&self) -> Instant {
        let (instant, began) = self.began;
        let now = self.clock.now().unwrap_or(began);
        instant + now.saturating_since(began)
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(async move {
            self.line(|line| line.reads += 1);
            self.travel(|_| false).await;
            let view = self.memory.read(realm, scope).await;
            self.travel(|line| line.holds_reads).await;
            view
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(async move {
            self.line(|line| line.commits += 1);
            self.travel(|_| false).await;
            let commit = self.memory.commit(realm, change).await?;
            self.travel(|line| line.holds_commits).await;
            Ok(match commit {
                Commit::Differs { .. } if self.line(|line| line.is_terse) => {
                    Commit::Differs { view: None }
                }
                commit @ (Commit::Written { .. } | Commit::Differs { .. }) => commit,
            })
        })
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        self.memory.realms()
    }
}
