//! The generator with a leased node.

use core::fmt;
use core::future::poll_fn;
use core::num::NonZeroU32;
use core::time::Duration;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use tickid_core::source_parts::{
    Block, Deadline, Follow, Source, observe, wait_ready, wait_ready_async,
};
use tickid_core::{
    Clock, DefaultClock, Error as CoreError, Generator, Id, Ids, Observable, Scheme, Slot,
    UnixTime, Variant, View,
};

use crate::holder::active_lease::ActiveLease;
use crate::holder::boot;
use crate::holder::builder::{EngineOptions, LeasedGeneratorBuilder};
use crate::holder::engine::{Engines, SharedEngine};
use crate::holder::error::{GenerateError, LeaseError, LeasedObserveError};
use crate::holder::state::{HolderState, LeaseState};
use crate::holder::thread::LeaseThread;
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmSpec;
use crate::realm::{Realm, generator_builder};
use crate::store::Store;
use crate::store_error::StoreError;

/// A generator with a leased node. You use it like any other [`Generator`]. In the background, a
/// thread renews the lease before the window ends, by widening the window of the running generator.
///
/// Start one and share it among all threads of the process, for example in an `Arc`, since each
/// takes a node of the pool and has a thread of its own. A thread that draws a lot can have a handle,
/// from the generator in [`active_lease`](Self::active_lease).
///
/// The lease adds two comparisons to an ID: is this still the same process, and still the first
/// lease?
///
/// | event | reaction |
/// |---|---|
/// | the store is down | issues to the end of its window. Then [`try_generate`](Self::try_generate) fails, and [`generate`](Self::generate) waits for up to [`max_wait`](LeasedGeneratorBuilder::max_wait). It continues once the store is back |
/// | the lease is lost | stops at once, because the node may have a new holder, and acquires another lease, which [`generate`](Self::generate) waits for. The node may then be another one, and each ID takes a few nanoseconds more, to look up the present lease |
/// | the clock is set back by more than the policy allows | stalls until the clock has caught up. If that would take longer than a term, it exchanges its lease for one of a node whose window the clock has reached. If there is none, the errors say so |
/// | `fork` | issues nothing in the child ([`GenerateError::Forked`]), where dropping it is a no-op. The parent's generator continues, and the child has to start its own |
///
/// The IDs of one lease strictly increase. But if a lease is lost or exchanged, the next IDs can be
/// lower than those before, by as much as the clock was set back.
///
/// # Metrics
///
/// With the feature `metrics`, its [`state`](Self::state) is reported to the recorder of the crate
/// `metrics`, at least twice a second, with the label `realm`:
///
/// | name | kind | labels | value |
/// |---|---|---|---|
/// | `tickid_lease_window_seconds` | gauge | | [`window_left`](LeaseState::window_left) |
/// | `tickid_lease_renewed_timestamp_seconds` | gauge | | [`renewed_at`](LeaseState::renewed_at), since 1970 |
/// | `tickid_lease_request_seconds` | histogram | `request` (`acquire`, `renew`), `outcome` (`granted`, `failed`) | time that the store took |
/// | `tickid_lease_leases_total`, `…_renewals_total`, `…_losses_total`, `…_moves_total` | counter | | [`counters`](LeaseState::counters) |
/// | `tickid_lease_failures_total` | counter | `reason` | [`failures`](crate::session::Counters::failures), by their [`label`](crate::session::WaitReason::label) |
/// | `tickid_lease_stalls_total` | counter | `reason` | [`stalls`](crate::session::Counters::stalls), in the same way |
///
/// # Shutdown
///
/// When you drop it, it issues nothing more and releases the node, so another process can have the
/// node at once. [`shut_down`](Self::shut_down) does the same, but also tells you what the store
/// answered. If a process ends without either, as by [`std::process::exit`], its node stays taken
/// until the window ends. A folder is the exception: it notices.
///
/// # Examples
/// ```
/// use tickid_lease::{LeasedGenerator, Realm, Store};
/// use tickid_scru64::Scru64;
///
/// let realm = Realm::builder("orders", Scru64).pool("0-255/8").build()?;
/// let store = Store::in_memory();
/// let one = LeasedGenerator::start(store.clone(), realm.clone())?;
/// let other = LeasedGenerator::start(store, realm)?;
///
/// let cause = one.generate()?;
/// other.observe(cause)?; // it came with a message
/// assert!(other.try_generate()? > cause);
///
/// let state = one.state();
/// assert!(state.lease.is_some() && state.trouble.is_none() && !state.is_stopped);
/// one.shut_down()?; // the node is free again
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LeasedGenerator<S: Scheme, C = DefaultClock> {
    /// Tried before the present one is looked up, because most leases are never lost. In a
    /// generator that started without a lease it is over from the start.
    first: Arc<ActiveLease<S, C>>,
    present: Present<S, C>,
    thread: LeaseThread,
}

impl<S, C> LeasedGeneratorBuilder<S, C>
where
    S: Scheme,
    C: Clock + Send + Sync + 'static,
{
    /// Acquires the first lease, and waits for it. By default, any error fails the start, even that
    /// the store does not answer just now. If you would rather retry for a while, set
    /// [`start_within`](Self::start_within).
    ///
    /// # Errors
    /// Returns a [`LeaseError`]. No lease is kept then.
    pub fn start(self) -> Result<LeasedGenerator<S, C>, LeaseError> {
        // On an error, dropping the thread releases a lease that came too late.
        let (present, thread) = self.spawn()?;
        thread.shared.wait_for_first()?;
        LeasedGenerator::started(present, thread)
    }

    /// Does the same as [`start`](Self::start) without blocking the thread, as a task on any
    /// executor.
    ///
    /// # Errors
    /// Returns a [`LeaseError`]. No lease is kept then.
    pub async fn start_async(self) -> Result<LeasedGenerator<S, C>, LeaseError> {
        let (present, thread) = self.spawn()?;
        poll_fn(|context| thread.shared.poll_first(context)).await?;
        LeasedGenerator::started(present, thread)
    }

    /// Returns at once, and acquires the lease in the background, so that your service can start
    /// while its store is down. No error ends the attempts. Calls that may wait for an ID wait for
    /// the lease as well, and [`first_lease`](LeasedGenerator::first_lease) tells you how the start
    /// went.
    ///
    /// Each ID takes a few nanoseconds more than after [`start`](Self::start), to look up the lease.
    ///
    /// # Errors
    /// Returns a [`LeaseError`] if no generator of the realm can be built, or no thread started.
    pub fn start_pending(self) -> Result<LeasedGenerator<S, C>, LeaseError> {
        let first = Arc::new(ActiveLease::over(&self)?);
        let (present, thread) = self.spawn()?;
        Ok(LeasedGenerator { first, present, thread })
    }

    fn spawn(self) -> Result<(Present<S, C>, LeaseThread), LeaseError> {
        let Self { realm: Realm { scheme, spec }, options, engine, clock: new_clock } = self;
        let (present, max_wait) = (Present::default(), engine.max_wait);
        let shown = Arc::clone(&present);
        let engines = Leases { scheme, engine, clock: new_clock(), new_clock, present: shown };
        let thread = LeaseThread::start(options, spec, Box::new(engines), max_wait)?;
        Ok((present, thread))
    }
}

/// The lease that was acquired last, if any, which may be over.
type Present<S, C> = Arc<ArcSwapOption<ActiveLease<S, C>>>;

/// The engines of a leased generator, for its thread.
struct Leases<S: Scheme, C> {
    scheme: S,
    engine: EngineOptions<S>,
    /// Creates a clock for each lease.
    new_clock: Box<dyn Fn() -> C + Send>,
    /// A clock for no lease.
    clock: C,
    present: Present<S, C>,
}

impl<S, C> Engines for Leases<S, C>
where
    S: Scheme,
    C: Clock + Send + Sync + 'static,
{
    fn now(&self) -> Option<UnixTime> {
        self.clock.now().ok()
    }

    fn start(&self, realm: &RealmSpec, lease: &Lease) -> Result<SharedEngine, LeaseError> {
        let builder = generator_builder(self.scheme, realm, lease)?;
        let generator = self.engine.build(builder, (self.new_clock)())?;
        let active = Arc::new(ActiveLease::new(generator, *lease));
        self.present.store(Some(Arc::clone(&active)));
        Ok(active)
    }
}

impl<S: Scheme> LeasedGenerator<S> {
    /// Acquires a lease of `realm` from `store`, with the default
    /// [options](LeasedGeneratorBuilder).
    ///
    /// # Errors
    /// Returns a [`LeaseError`]. No lease is kept then.
    pub fn start(store: Store, realm: Realm<S>) -> Result<Self, LeaseError> {
        Self::builder(store, realm).start()
    }

    /// Does the same as [`start`](Self::start) without blocking the thread, as a task on any
    /// executor.
    ///
    /// # Errors
    /// Returns a [`LeaseError`]. No lease is kept then.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{LeaseError, LeasedGenerator, Realm, Store};
    /// use tickid_sno::Sno;
    ///
    /// async fn start(realm: Realm<Sno>) -> Result<LeasedGenerator<Sno>, LeaseError> {
    ///     LeasedGenerator::start_async(Store::in_memory(), realm).await
    /// }
    #[doc = include_str!("../example.rs.txt")]
    /// # let timeout = core::time::Duration::from_secs(5);
    /// # let start = async { Ok(start(realm).await) };
    /// # let generator = tickid_lease::session::block_on(start, timeout)??;
    /// # generator.generate()?;
    /// # tickid_lease::session::block_on(generator.shut_down_async(), timeout)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn start_async(store: Store, realm: Realm<S>) -> Result<Self, LeaseError> {
        Self::builder(store, realm).start_async().await
    }

    /// Starts to acquire a lease of `realm` from `store` in the background, and returns without
    /// one, as [`LeasedGeneratorBuilder::start_pending`] does.
    ///
    /// # Errors
    /// Returns a [`LeaseError`] if no generator of the realm can be built, or no thread started.
    pub fn start_pending(store: Store, realm: Realm<S>) -> Result<Self, LeaseError> {
        Self::builder(store, realm).start_pending()
    }

    /// Returns a builder of a generator with a lease of `realm` from `store`.
    pub fn builder(store: Store, realm: Realm<S>) -> LeasedGeneratorBuilder<S> {
        LeasedGeneratorBuilder::new(store, realm)
    }
}

impl<S: Scheme, C: Clock> LeasedGenerator<S, C> {
    tickid_core::__calls! {
        self, (&self), self, S::Variant::default(),
        id Id<S>, ids Ids<S, S::Variant>, error GenerateError,
        named "a [`GenerateError`]", max_wait "LeasedGeneratorBuilder::max_wait",
        filled "If the lease is exchanged in between, IDs can be lower than those before them, by as much as the clock was set back.",
        setup "let clock = std::sync::Arc::new(clock); let store = tickid_lease::Store::new(tickid_lease::backend::MemoryBackend::new(clock.clone())); let realm = tickid_lease::Realm::builder(\"orders\", example::Seconds).pool(\"1/8\").build()?; let generator = tickid_lease::LeasedGenerator::builder(store, realm).clock(clock.clone()).start()?;"
    }

    tickid_core::__ready_calls! {
        self, (&self), self, error GenerateError,
        setup "let clock = std::sync::Arc::new(clock); let store = tickid_lease::Store::new(tickid_lease::backend::MemoryBackend::new(clock.clone())); let realm = tickid_lease::Realm::builder(\"orders\", example::Seconds).pool(\"1/8\").build()?; let generator = tickid_lease::LeasedGenerator::builder(store, realm).clock(clock.clone()).start()?;"
    }

    /// Reports whether an ID could be issued now, without drawing one. It does not contact the
    /// store.
    ///
    /// # Errors
    /// Returns the errors of [`try_generate`](Self::try_generate).
    pub fn check_ready(&self) -> Result<(), GenerateError> {
        self.shared().check_ready()
    }

    /// Waits for the first lease and returns it, or the first error that ends the start, as
    /// [`start_within`](LeasedGeneratorBuilder::start_within) defines it. The attempts go on after
    /// an error, so the lease may still be acquired.
    ///
    /// # Errors
    /// Returns a [`LeaseError`].
    pub fn first_lease(&self) -> Result<Lease, LeaseError> {
        self.shared().wait_for_first()
    }

    /// Does the same as [`first_lease`](Self::first_lease) without blocking the thread, as a task
    /// on any executor.
    ///
    /// # Errors
    /// Returns a [`LeaseError`].
    pub async fn first_lease_async(&self) -> Result<Lease, LeaseError> {
        poll_fn(|context| self.shared().poll_first(context)).await
    }

    /// Returns a view of the generator that issues IDs of `variant`.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use tickid_lease::{LeasedGenerator, Store};
    /// use tickid_sno::{Meta, Sno};
    ///
    /// let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
    /// assert_eq!(generator.with(Meta(24)).generate()?.meta(), 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<V: Variant<S>>(&self, variant: V) -> View<&Self, V> {
        View::new(self, variant)
    }

    /// Observes an ID that was generated elsewhere, such as the one in a message you have just
    /// received. Later IDs are greater, as after [`Generator::observe`].
    ///
    /// This outlasts the lease: the node's next window starts above the ID, so the node's next
    /// holder issues greater IDs, too. But if this generator exchanges its lease for one of another
    /// node, the order of its IDs ends, and with it the effect of all that it has observed.
    ///
    /// # Errors
    /// Returns a [`LeasedObserveError`], and changes nothing, if the generator refuses the ID or
    /// there is no lease.
    pub fn observe(&self, id: Id<S>) -> Result<(), LeasedObserveError>
    where
        S::Variant: Observable<S>,
    {
        observe::<_, S::Variant>(self, id)
    }

    /// Returns the generator whose first lease was acquired.
    fn started(present: Present<S, C>, thread: LeaseThread) -> Result<Self, LeaseError> {
        let first = present.load_full().ok_or_else(|| thread.shared.no_first())?;
        Ok(Self { first, present, thread })
    }

    fn shared(&self) -> &HolderState {
        &self.thread.shared
    }

    /// Draws from the first generator, or from the one that has replaced it.
    fn draw<T>(
        &self,
        draw: impl Fn(&Generator<S, C>) -> Result<T, tickid_core::Error>,
    ) -> Result<T, GenerateError> {
        if !self.first.is_over() {
            match draw(self.first.generator()) {
                Ok(drawn) => return Ok(drawn),
                Err(error) => self.shared().leave_if_closed(&*self.first, error)?,
            }
        }
        self.draw_from_present(draw)
    }

    fn draw_from_present<T>(
        &self,
        draw: impl Fn(&Generator<S, C>) -> Result<T, tickid_core::Error>,
    ) -> Result<T, GenerateError> {
        loop {
            let present = self.present.load();
            let Some(active) = present.as_ref().filter(|active| !active.is_over()) else {
                return Err(self.shared().no_lease());
            };
            match draw(active.generator()) {
                Ok(drawn) => return Ok(drawn),
                Err(error) => self.shared().leave_if_closed(&**active, error)?,
            }
        }
    }

    /// Returns the present lease and its generator, or `None` without a lease. You need it for what
    /// only a [`Generator`] has, such as handles. When that generator is
    /// [closed](tickid_core::ErrorKind::Closed), the lease was lost or exchanged, so call this again
    /// for the next one.
    #[must_use]
    pub fn active_lease(&self) -> Option<Arc<ActiveLease<S, C>>> {
        self.present.load_full().filter(|active| !active.is_over())
    }

    /// Returns the present state, for readiness checks and monitoring, without contacting the store.
    /// A good rule for readiness is that [`window_left`](LeaseState::window_left) is at least a
    /// quarter of its lease's term.
    #[must_use]
    pub fn state(&self) -> LeaseState {
        self.shared().state()
    }

    /// Closes the generator, releases the node, and waits for the store's answer, for as long as two
    /// requests may take. It is a no-op after the first call, and in the child of a `fork`.
    ///
    /// # Errors
    /// Returns the store's error if the node was not released. The node then becomes free when its
    /// window ends.
    pub fn shut_down(&self) -> Result<(), StoreError> {
        self.thread.stop()
    }

    /// Does the same as [`shut_down`](Self::shut_down) as a task, on any executor. Dropping the
    /// generator blocks the thread, so call this first in an async program.
    ///
    /// # Errors
    /// Returns the store's error if the node was not released. The node then becomes free when its
    /// window ends.
    pub async fn shut_down_async(&self) -> Result<(), StoreError> {
        if self.shared().is_ours() {
            self.shared().stop();
            poll_fn(|context| self.shared().poll_end(context)).await;
        }
        self.thread.stop()
    }
}

/// One slot of the present generator.
fn one_of<S: Scheme, C: Clock>(mut generator: &Generator<S, C>) -> Result<Slot<S>, CoreError> {
    match generator.fast_slot() {
        Ok(slot) => Ok(slot),
        Err(missed) => generator.slow_slot(missed),
    }
}

impl<'a, S: Scheme, C: Clock> Source for &'a LeasedGenerator<S, C> {
    type Scheme = S;
    type Error = GenerateError;
    /// `None` once the first lease is over.
    type Missed = Option<<&'a Generator<S, C> as Source>::Missed>;

    #[inline]
    fn scheme(&self) -> S {
        self.first.generator().settings()
    }

    #[inline]
    fn check_variant(&self, variant: impl Variant<S>) -> Result<(), GenerateError> {
        let checked = self.first.generator().check_variant(variant);
        checked.map_err(|error| self.shared().explain(error))
    }

    #[inline]
    fn fast_slot(&mut self) -> Result<Slot<S>, Self::Missed> {
        if self.first.is_over() {
            return Err(None);
        }
        let mut generator = self.first.generator();
        generator.fast_slot().map_err(Some)
    }

    fn slow_slot(&mut self, missed: Self::Missed) -> Result<Slot<S>, GenerateError> {
        if let Some(missed) = missed {
            let mut generator = self.first.generator();
            match generator.slow_slot(missed) {
                Ok(slot) => return Ok(slot),
                Err(error) => self.shared().leave_if_closed(&*self.first, error)?,
            }
        }
        self.draw_from_present(one_of)
    }

    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<S>, GenerateError> {
        self.draw(|mut generator| Source::try_block(&mut generator, want))
    }

    fn note(&mut self, error: GenerateError) -> GenerateError {
        self.shared().count(error)
    }

    fn check_ready(&self) -> Result<(), GenerateError> {
        self.shared().check_ready()
    }

    fn deadline(&self, within: Option<Duration>) -> Deadline {
        Deadline::after(boot::now(), within.unwrap_or(self.shared().max_wait))
    }

    fn until_ready(
        &mut self,
        error: GenerateError,
        deadline: Deadline,
    ) -> Result<(), GenerateError> {
        if error.wait().is_none() {
            return Err(error);
        }
        loop {
            let left = deadline.left(boot::now());
            let Some(active) = self.active_lease() else {
                self.shared().wait_for_lease(left)?;
                continue;
            };
            match wait_ready(active.generator(), left) {
                Ok(()) => return Ok(()),
                Err(error) => self.shared().leave_if_closed(&*active, error)?,
            }
        }
    }

    async fn until_ready_async<F, Fut>(
        &mut self,
        error: GenerateError,
        deadline: &mut Deadline,
        sleep: &F,
    ) -> Result<(), GenerateError>
    where
        F: Fn(Duration) -> Fut,
        Fut: Future<Output = ()>,
    {
        const PAUSE: Duration = Duration::from_millis(20);
        // Waiting cannot help: the generator was shut down, for example.
        if error.wait().is_none() {
            return Err(error);
        }
        loop {
            let left = deadline.left(boot::now());
            // There is no lease to wait with, and nothing tells a task when there is one: look
            // again soon.
            let Some(active) = self.active_lease() else {
                self.shared().check_wait(left)?;
                let pause = PAUSE.min(left);
                sleep(pause).await;
                deadline.awaited(pause);
                continue;
            };
            match wait_ready_async(active.generator(), left, sleep).await {
                Ok(()) => return Ok(()),
                // The generator's lease was lost while this waited. Another one may be there by
                // now.
                Err(error) => self.shared().leave_if_closed(&*active, error)?,
            }
        }
    }
}

impl<S: Scheme, C: Clock> Follow for &LeasedGenerator<S, C> {
    type Refusal = LeasedObserveError;

    fn follow(self, is_after: impl Fn(&S, Slot<S>) -> bool) -> Result<(), LeasedObserveError> {
        if !self.shared().is_ours() {
            return Err(GenerateError::Forked.into());
        }
        loop {
            let present = self.present.load();
            let Some(active) = present.as_ref().filter(|active| !active.is_over()) else {
                return Err(self.shared().no_lease().into());
            };
            match active.generator().follow(&is_after) {
                Err(tickid_core::ObserveError::Closed) => self.shared().leave(&**active),
                result => return Ok(result?),
            }
        }
    }
}

impl<S: Scheme, C> fmt::Debug for LeasedGenerator<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.thread.shared.desk_state();
        f.debug_struct("LeasedGenerator").field("state", &state).finish_non_exhaustive()
    }
}
