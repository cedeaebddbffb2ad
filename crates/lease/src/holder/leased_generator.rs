//! A generator whose lease is kept.

mod error;
mod state;
mod view;
mod worker;

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tickid_core::{
    Builder, Clock, DEFAULT_MAX_WAIT, DefaultClock, Generator, Id, ProcessClock, Scheme,
};

pub use self::error::{GenerateError, StartError, Trouble};
pub use self::state::{Counters, KeeperState};
pub use self::view::KeeperView;
use crate::error::StoreError;
use crate::keeper::state::Shared;
use crate::keeper::worker::{Make, Worker};
use crate::lease::{Lease, LeaseError};
use crate::realm::Realm;
use crate::store::Store;

/// A generator with a leased node, whose lease a thread renews in the background: ahead of need, by widening
/// the window of the running generator.
///
/// An ID costs what it costs without a lease and two comparisons: whether this is still the process that
/// has the lease, and whether it is still the first. When the lease can't be renewed, the generator
/// issues to the end of its window; then [`try_generate`](Self::try_generate) says why, and
/// [`generate`](Self::generate) waits. It goes on by itself when the store is back. A lease that was lost is
/// followed by a new one, with a new generator: the node may be another, and calls take a few nanoseconds
/// more, to look it up.
///
/// Dropping a keeper closes its generator and gives the node back;
/// [`shut_down`](Self::shut_down) does the same and tells what came of it.
///
/// The child of a `fork` has no thread that would renew anything: there, a keeper issues nothing
/// ([`GenerateError::Forked`]), and dropping it does nothing. The parent's goes on; the child starts one
/// of its own.
///
/// # Examples
/// ```
/// use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
/// use tickid_scru64::Scru64;
///
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let store = MemoryStore::in_memory();
/// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Scru64))?;
///
/// let first = keeper.generate()?;
/// assert!(keeper.try_generate()? > first);
/// keeper.shut_down()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Keeper<S: Scheme, C = DefaultClock> {
    /// Asked before any is looked up: most keepers never have another.
    first: Arc<Tenure<S, C>>,
    thread: Thread<S, C>,
}

/// The thread that keeps the lease, until it is stopped, which dropping it does.
struct Thread<S: Scheme, C> {
    shared: Arc<Shared<S, C>>,
    /// Until it is joined. It returns what came of giving the node back.
    handle: Option<JoinHandle<Result<(), StoreError>>>,
}

/// One lease and its generator. When the lease is lost, the generator is closed, and the next lease has
/// another.
///
/// # Examples
/// ```
/// use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
/// use tickid_scru64::{Scru64, Scru64Id};
///
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let store = MemoryStore::in_memory();
/// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Scru64))?;
///
/// let tenure = keeper.tenure().ok_or("no lease")?;
/// let mut ids = [Scru64Id::MIN; 1_000];
/// tenure.generator().fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// assert_eq!(tenure.lease().node().value(), u64::from(tenure.generator().node().node_id()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tenure<S: Scheme, C = DefaultClock> {
    generator: Generator<S, ProcessClock<C>>,
    lease: Lease,
    /// Whether somebody has found the generator closed.
    is_over: AtomicBool,
}

impl<S: Scheme, C> Tenure<S, C> {
    /// The generator.
    #[must_use]
    pub fn generator(&self) -> &Generator<S, ProcessClock<C>> {
        &self.generator
    }

    /// The lease as it was granted; its window may have been widened since.
    #[must_use]
    pub fn lease(&self) -> &Lease {
        &self.lease
    }
}

impl<S: Scheme, C: fmt::Debug> fmt::Debug for Tenure<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenure")
            .field("generator", &self.generator)
            .field("lease", &self.lease)
            .finish()
    }
}

/// How a keeper keeps its lease.
#[derive(Debug)]
#[must_use]
pub struct KeeperBuilder {
    store: Arc<dyn Store>,
    realm: Realm,
    holder: String,
    max_wait: Option<Duration>,
    answer_within: Duration,
}

impl KeeperBuilder {
    /// A keeper of a lease of this realm from this store.
    pub fn new(store: impl Store + 'static, realm: Realm) -> Self {
        let term = realm.terms().term;
        let answer_within = (term / 4).clamp(Duration::from_millis(50), Duration::from_secs(5));
        let program = std::env::current_exe().ok();
        let program = program.as_ref().and_then(|path| path.file_name()?.to_str());
        let holder = format!("{}:{}", program.unwrap_or("?"), std::process::id());
        Self { store: Arc::new(store), realm, holder, max_wait: None, answer_within }
    }

    /// Who holds the lease, for people to read. The name of this program and its process number unless
    /// said otherwise.
    pub fn holder(self, holder: impl Into<String>) -> Self {
        Self { holder: holder.into(), ..self }
    }

    /// Sets the longest wait of [`generate`](Keeper::generate): for a lease, while there is none, and
    /// with each lease for its generator. The default is [`DEFAULT_MAX_WAIT`], one minute, or the
    /// `max_wait` of the builder that is passed to [`start`](Self::start) for the generator.
    ///
    /// A window that has ended is waited for within this bound, since the next renewal widens it.
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait: Some(max_wait), ..self }
    }

    /// How long to wait for each answer of the store before asking again. A quarter of the term, from
    /// 50 milliseconds to 5 seconds, unless said otherwise.
    pub fn answer_within(self, answer_within: Duration) -> Self {
        Self { answer_within, ..self }
    }

    /// Asks for the first lease, and waits for it or for the first error. `make` says how to build a
    /// generator for a lease: for this one, and for those that follow should it be lost.
    ///
    /// # Errors
    /// [`StartError`]. Nothing is kept then.
    pub fn start<S, C>(
        self,
        make: impl Fn(&Lease) -> Result<Builder<S, ProcessClock<C>>, LeaseError> + Send + 'static,
    ) -> Result<Keeper<S, C>, StartError>
    where
        S: Scheme,
        C: Clock + fmt::Debug + Send + Sync + 'static,
    {
        // The worker asks once within that time.
        let most = self.answer_within.saturating_add(Duration::from_secs(1));
        // Dropping the thread on an error gives back what came too late.
        let thread = self.spawn(Box::new(make))?;
        let first = thread.shared.wait_for_first(most)?;
        Ok(Keeper { first, thread })
    }

    /// [`start`](Self::start) for asynchronous code: the task waits, on any executor.
    ///
    /// # Errors
    /// As `start`.
    pub async fn start_async<S, C>(
        self,
        make: impl Fn(&Lease) -> Result<Builder<S, ProcessClock<C>>, LeaseError> + Send + 'static,
    ) -> Result<Keeper<S, C>, StartError>
    where
        S: Scheme,
        C: Clock + fmt::Debug + Send + Sync + 'static,
    {
        let thread = self.spawn(Box::new(make))?;
        let first = thread.shared.wait_for_first_async().await?;
        Ok(Keeper { first, thread })
    }

    fn spawn<S, C>(self, make: Make<S, C>) -> Result<Thread<S, C>, StartError>
    where
        S: Scheme,
        C: Clock + fmt::Debug + Send + Sync + 'static,
    {
        let shared = Arc::new(Shared::new(self.max_wait.unwrap_or(DEFAULT_MAX_WAIT)));
        let worker = Worker::new(self, Arc::clone(&shared), make);
        let thread = thread::Builder::new().name("tickid-lease".to_owned());
        let handle = thread.spawn(move || worker.run()).map_err(StartError::Thread)?;
        Ok(Thread { shared, handle: Some(handle) })
    }
}

impl<S: Scheme, C: Clock + fmt::Debug> Keeper<S, C> {
    /// Returns a view of the keeper that issues IDs of `variant`.
    pub fn with<V>(&self, variant: V) -> KeeperView<'_, S, C, V> {
        KeeperView { keeper: self, variant }
    }

    /// Generates an ID without blocking.
    ///
    /// # Errors
    /// Returns a [`GenerateError`], which names what is wrong with the lease if that is the reason.
    #[inline]
    pub fn try_generate(&self) -> Result<Id<S>, GenerateError> {
        self.with(S::Variant::default()).try_generate()
    }

    /// Generates an ID, sleeping until one can be issued.
    ///
    /// # Errors
    /// Returns a [`GenerateError`] if waiting does not help or would take longer than
    /// [`max_wait`](KeeperBuilder::max_wait).
    #[inline]
    pub fn generate(&self) -> Result<Id<S>, GenerateError> {
        self.with(S::Variant::default()).generate()
    }

    /// Does what [`generate`](Self::generate) does without blocking the thread: it awaits `sleep`, which
    /// wraps the executor's timer, for at most 50 milliseconds at a time.
    ///
    /// The future is `Send` if the future that `sleep` returns is. A task that is spawned, such as
    /// a request handler, shares the keeper in an `Arc`.
    ///
    /// # Errors
    /// As `generate`.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
    /// use tickid_scru64::Scru64;
    /// # mod tokio {
    /// #     pub fn spawn(_: impl Future<Output = ()> + Send + 'static) {}
    /// #     pub mod time { pub async fn sleep(_: core::time::Duration) {} }
    /// # }
    ///
    /// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
    /// let store = MemoryStore::in_memory();
    /// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Scru64))?;
    ///
    /// let keeper = Arc::new(keeper);
    /// tokio::spawn(async move {
    ///     let id = keeper.generate_async(tokio::time::sleep).await;
    ///     // ...
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn generate_async<F, Fut>(&self, sleep: F) -> Result<Id<S>, GenerateError>
    where
        F: Fn(Duration) -> Fut,
        Fut: Future<Output = ()>,
    {
        self.with(S::Variant::default()).generate_async(sleep).await
    }

    /// Calls the first generator, or the one that has replaced it.
    #[inline]
    fn call<T>(
        &self,
        call: impl Fn(&Generator<S, ProcessClock<C>>) -> Result<T, tickid_core::Error>,
    ) -> Result<T, GenerateError> {
        // Relaxed: a thread that does not see it yet finds the generator closed.
        if !self.first.is_over.load(Ordering::Relaxed) {
            match call(&self.first.generator) {
                Ok(issued) => return Ok(issued),
                Err(error) => self.thread.shared.leave_if_closed(&self.first, error)?,
            }
        }
        self.call_present(call)
    }

    // Never inlined, so that it stays out of the usual path.
    #[inline(never)]
    fn call_present<T>(
        &self,
        call: impl Fn(&Generator<S, ProcessClock<C>>) -> Result<T, tickid_core::Error>,
    ) -> Result<T, GenerateError> {
        loop {
            let tenure = self.thread.shared.tenure.load();
            let Some(tenure) = &*tenure else { return Err(self.thread.shared.no_lease()) };
            match call(&tenure.generator) {
                Ok(issued) => return Ok(issued),
                Err(error) => self.thread.shared.leave_if_closed(tenure, error)?,
            }
        }
    }

    /// The present lease and its generator, for what a keeper does not offer itself: blocks, slices, handles.
    /// `None` while there is none. After the lease is lost the generator says that it is
    /// [closed](tickid_core::ErrorKind::Closed); ask for the next then.
    #[must_use]
    pub fn tenure(&self) -> Option<Arc<Tenure<S, C>>> {
        self.thread.shared.tenure.load_full()
    }

    /// How things stand.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
    /// use tickid_scru64::Scru64;
    ///
    /// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
    /// let store = MemoryStore::in_memory();
    /// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Scru64))?;
    ///
    /// let state = keeper.state();
    /// assert!(state.lease.is_some() && state.trouble.is_none() && !state.is_stopped);
    /// assert_eq!((state.counters.leases, state.counters.losses), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn state(&self) -> KeeperState {
        self.thread.shared.state()
    }

    /// Closes the generator, gives the node back, and waits until that is done: for no longer than
    /// two answers of the store may take.
    ///
    /// # Errors
    /// [`StoreError`] when the node could not be given back. It is free when its window ends. In a child of a
    /// `fork` nothing is done, without an error.
    pub fn shut_down(mut self) -> Result<(), StoreError> {
        self.thread.stop()
    }

    /// [`shut_down`](Self::shut_down) for asynchronous code: the task waits, on any executor. (Dropping a
    /// keeper has the thread wait.)
    ///
    /// # Errors
    /// As `shut_down`.
    pub async fn shut_down_async(mut self) -> Result<(), StoreError> {
        if self.thread.shared.is_ours() {
            self.thread.shared.stop();
            self.thread.shared.wait_for_end_async().await;
        }
        self.thread.stop()
    }
}

impl<S: Scheme, C> Thread<S, C> {
    fn stop(&mut self) -> Result<(), StoreError> {
        if !self.shared.is_ours() {
            // The node is the parent's, and so is the thread: there is none here to wait for.
            core::mem::forget(self.handle.take());
            return Ok(());
        }
        self.shared.stop();
        let result = self.handle.take().map(JoinHandle::join);
        // Nothing in the thread panics; if something does all the same, it has been printed.
        result.and_then(Result::ok).unwrap_or(Ok(()))
    }
}

impl<S: Scheme, C> Drop for Thread<S, C> {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            tracing::warn!(%error, "the node was not given back");
        }
    }
}

impl<S: Scheme, C> fmt::Debug for Keeper<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").field("state", &self.thread.shared.state()).finish_non_exhaustive()
    }
}
