//! The options of leased generators.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{
    BuildError, Builder, Clock, DEFAULT_MAX_WAIT, DefaultClock, Generator, Policy, ProcessClock,
    Scheme, Sequence, TickStart,
};

use crate::holder::name::this_holder;
use crate::realm::Realm;
use crate::store::Store;

/// The options of a [`LeasedGenerator`](crate::LeasedGenerator).
///
/// | option | default |
/// |---|---|
/// | [`holder`](Self::holder) | this host or pod, program and process ID |
/// | [`clock`](Self::clock) | the system's wall clock |
/// | [`policy`](Self::policy) | the [realm's](crate::RealmSpec::policy) |
/// | [`tick_start`](Self::tick_start), [`sequence`](Self::sequence) | the realm's ([`Terms::start`](crate::admin::Terms::start)) |
/// | [`adopt`](Self::adopt) | a store with other nodes or terms refuses the realm |
/// | [`start_within`](Self::start_within) | zero: the first error ends the start |
/// | [`max_wait`](Self::max_wait) | one minute ([`DEFAULT_MAX_WAIT`]) |
/// | [`answer_within`](Self::answer_within) | a quarter of the term, from 50 milliseconds to 5 seconds; four times that without a lease ([`LeaseSession::timeout`](crate::session::LeaseSession::timeout)) |
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_core::{Fixed, Policy};
/// use tickid_lease::{LeasedGenerator, Store};
///
/// let generator = LeasedGenerator::builder(Store::in_memory(), realm)
///     .holder("billing")
///     .policy(Policy::Wait)
///     .sequence(Fixed(1_000))
///     .start_within(Duration::from_secs(30))
///     .max_wait(Duration::from_secs(5))
///     .start()?;
/// assert_eq!(generator.generate()?.sequence(), 1_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct LeasedGeneratorBuilder<S, C = DefaultClock> {
    pub(super) realm: Realm<S>,
    pub(super) options: HolderOptions,
    pub(super) engine: EngineOptions<S>,
    /// Creates a clock for each lease.
    pub(super) clock: Box<dyn Fn() -> C + Send>,
}

/// The options that do not depend on the scheme.
#[derive(Debug)]
pub(super) struct HolderOptions {
    pub(super) store: Store,
    pub(super) holder: String,
    pub(super) start_within: Duration,
    pub(super) answer_within: Option<Duration>,
    pub(super) adopts: bool,
    /// The [`Claim::lead`](crate::session::Claim) of a policy in place of the realm's.
    pub(super) lead: u64,
}

/// The options of each lease's generator.
#[derive(Debug)]
pub(super) struct EngineOptions<S> {
    pub(super) max_wait: Duration,
    policy: Option<Policy<S>>,
    tick_start: Option<TickStart>,
    sequence: Option<Arc<dyn Sequence>>,
}

impl<S: Scheme> EngineOptions<S> {
    /// Builds a generator with these options from a builder of the realm.
    pub(super) fn build<C: Clock>(
        &self,
        builder: Builder<S, impl Sized>,
        clock: C,
    ) -> Result<Generator<S, C>, BuildError> {
        let mut builder = builder.max_wait(self.max_wait).clock(clock);
        if let Some(policy) = self.policy {
            builder = builder.policy(policy);
        }
        if let Some(start) = self.tick_start {
            builder = builder.tick_start(start);
        }
        if let Some(sequence) = &self.sequence {
            builder = builder.sequence(Arc::clone(sequence));
        }
        builder.build()
    }
}

impl HolderOptions {
    fn new(store: Store) -> Self {
        Self {
            store,
            holder: this_holder(),
            start_within: Duration::ZERO,
            answer_within: None,
            adopts: false,
            lead: 0,
        }
    }
}

impl<S: Scheme> LeasedGeneratorBuilder<S> {
    pub(super) fn new(store: Store, realm: Realm<S>) -> Self {
        Self {
            realm,
            options: HolderOptions::new(store),
            engine: EngineOptions {
                max_wait: DEFAULT_MAX_WAIT,
                policy: None,
                tick_start: None,
                sequence: None,
            },
            clock: Box::new(DefaultClock::default),
        }
    }
}

impl<S: Scheme, C> LeasedGeneratorBuilder<S, C> {
    /// Sets the holder's name, for people to read. For example, `tickid lease list` shows it beside
    /// the node. A name of more than 128 bytes
    /// ([`Claim::MAX_HOLDER_LEN`](crate::session::Claim::MAX_HOLDER_LEN)) is cut, and control
    /// characters are replaced.
    pub fn holder(mut self, holder: impl Into<String>) -> Self {
        self.options.holder = holder.into();
        self
    }

    /// Sets the time within which [`start`](Self::start) repeats a failed request whose cause can
    /// be expected to [pass](crate::session::WaitReason::passes). For example, the store does not
    /// answer, or no node is free. Retries back off exponentially with full jitter, so that many
    /// holders can start at the same time. The default is zero, with which the first error ends the
    /// start.
    pub fn start_within(mut self, start_within: Duration) -> Self {
        self.options.start_within = start_within;
        self
    }

    /// Sets the longest wait of [`generate`](crate::LeasedGenerator::generate) for a lease or for
    /// its window, by default one minute. [`try_generate`](crate::LeasedGenerator::try_generate)
    /// never waits.
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.engine.max_wait = max_wait;
        self
    }

    /// Sets the timeout of requests to the store. It should be well below half a term, so that a
    /// renewal can be retried before the window ends. By default, it [follows the
    /// term](crate::session::LeaseSession::timeout).
    pub fn answer_within(mut self, answer_within: Duration) -> Self {
        self.options.answer_within = Some(answer_within);
        self
    }

    /// Sets the reaction to a clock rollback or a used-up tick, in place of the realm's. IDs stay
    /// inside the window under every policy.
    pub fn policy(mut self, policy: Policy<S>) -> Self {
        self.engine.policy = Some(policy);
        // An overflow takes a ratchet one tick beyond its allowance.
        self.options.lead = policy.allowance().map_or(0, |it| it.get().saturating_add(1));
        self
    }

    /// Adopts the nodes and the terms that the store has where those of the realm differ, as
    /// [`Store::adopt`] does. Without this, such a realm is refused. It is for programs whose user
    /// did not choose nodes and terms, and these may change while the generator has no lease.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::Start;
    /// use tickid_lease::{LeasedGenerator, Realm, Store};
    /// use tickid_lease::session::block_on;
    /// use tickid_sno::Sno;
    ///
    /// let store = Store::in_memory();
    /// let chosen = Realm::builder("orders", Sno).pool("2000/16").build()?;
    /// block_on(store.create(chosen.spec(), Start::Immediately), Duration::from_secs(5))?;
    /// let builder = || LeasedGenerator::builder(store.clone(), realm.clone());
    /// assert!(builder().start().is_err());
    /// assert_eq!(builder().adopt().start()?.generate()?.partition().get(), 2000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn adopt(mut self) -> Self {
        self.options.adopts = true;
        self
    }

    /// Sets where ticks start, in place of the realm's, as
    /// [`Builder::tick_start`](tickid_core::Builder::tick_start) does.
    pub fn tick_start(mut self, start: TickStart) -> Self {
        self.engine.tick_start = Some(start);
        self
    }

    /// Sets the rule for the first sequence of each tick, as
    /// [`Builder::sequence`](tickid_core::Builder::sequence) does.
    pub fn sequence(mut self, rule: impl Sequence + 'static) -> Self {
        self.engine.sequence = Some(Arc::new(rule));
        self
    }

    /// Sets the clock. Each lease has a clone of it, which must read the same time, as clones of an
    /// `Arc` do. The clone is wrapped in a [`ProcessClock`], because the lease belongs to this
    /// process and no child of a `fork` may issue under it.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use std::sync::Arc;
    /// use tickid_core::{ManualClock, UnixTime};
    /// use tickid_lease::backend::MemoryBackend;
    /// use tickid_lease::{LeasedGenerator, Store};
    ///
    /// // The clock of a test, which the store has to share.
    /// let time = UnixTime::from_millis(1_700_000_000_000)?;
    /// let clock = Arc::new(ManualClock::new(time));
    /// let store = Store::new(MemoryBackend::new(Arc::clone(&clock)));
    /// let generator = LeasedGenerator::builder(store, realm).clock(clock).start()?;
    /// assert_eq!(generator.generate()?.unix_time(), time);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clock<D>(self, clock: D) -> LeasedGeneratorBuilder<S, ProcessClock<D>>
    where
        D: Clone + Send + 'static,
    {
        let clock = Box::new(move || ProcessClock::new(clock.clone()));
        let Self { realm, options, engine, .. } = self;
        LeasedGeneratorBuilder { realm, options, engine, clock }
    }
}

impl<S: Scheme, C> fmt::Debug for LeasedGeneratorBuilder<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { realm, options, engine, .. } = self;
        f.debug_struct("LeasedGeneratorBuilder")
            .field("realm", realm)
            .field("options", options)
            .field("engine", engine)
            .finish_non_exhaustive()
    }
}
