//! The options of generators.

use core::time::Duration;

use crate::any_node::AnyNode;
use crate::clock::{Clock, DefaultClock};
use crate::engine::{Engine, ExclusiveEngine, Rules};
use crate::error::{BuildError, Detail, ErrorKind, StallReason};
#[cfg(feature = "std")]
use crate::generator::overflow::{Overflow, OverflowWatch};
use crate::generator::timing::{DEFAULT_MAX_WAIT, Timing};
use crate::generator::{Backfill, LocalGenerator};
use crate::policy::Policy;
use crate::random::random_seed;
use crate::range::RangeError;
use crate::scheme::Scheme;
use crate::sequence::{RandomStart, Sequence, SequenceBounds, StartRule, TickStart};
use crate::snapshot::Snapshot;
use crate::variant::Variants;
use crate::window::Window;
#[cfg(target_has_atomic = "64")]
use crate::{engine::SharedEngine, generator::Generator};

/// The options of a generator. By default, a generator does what its scheme's document says. Set
/// what you want otherwise, and finish with [`build`](Self::build),
/// [`build_local`](Self::build_local) or [`build_backfill`](Self::build_backfill). The setters
/// accept everything, in any order, and these last calls return an error if it does not fit
/// together.
///
/// Build one generator for each node and process, and keep it, since two generators of one node
/// [issue the same IDs](Generator::builder).
///
/// | option | default |
/// |---|---|
/// | [`settings`](Self::settings) | the scheme's default |
/// | [`clock`](Self::clock) | the system's wall clock, in this process only ([`DefaultClock`]) |
/// | [`policy`](Self::policy) | the policy in the scheme's document |
/// | [`window`](Self::window) | everything |
/// | [`variants`](Self::variants) | all |
/// | [`bounds`](Self::bounds) | all sequences |
/// | [`tick_start`](Self::tick_start), [`sequence`](Self::sequence) | the start in the scheme's document |
/// | [`restore`](Self::restore) | nothing issued before, unless the node names a previous ID |
/// | [`max_wait`](Self::max_wait) | [`DEFAULT_MAX_WAIT`], and no wait whose end is unknown |
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{Builder, Policy, RandomStart, Ticks, example};
///
/// let builder = Builder::<example::Seconds>::new(example::Node(7))
///     .policy(Policy::Ratchet { allowance: Ticks::new(2) })
///     .sequence(RandomStart::new(42))
///     .max_wait(Duration::from_secs(1));
/// let generator = builder.build()?;
/// assert_eq!(generator.generate()? >> 8 & 0xff, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Builder<S: Scheme, C = DefaultClock> {
    scheme: S,
    node: ChosenNode<S>,
    timing: Timing<C>,
    policy: Option<Policy<S>>,
    window: Window<S>,
    variants: Variants,
    pinned: Option<(S, Window<S>, Variants)>,
    bounds: Option<SequenceBounds>,
    start: Option<StartRule>,
    tick_start: TickStart,
    /// The seed of the scheme's random starts, unless the operating system is to provide it.
    seed: Option<u64>,
    snapshot: Option<Snapshot<S>>,
}

/// The node that a builder was given. It is split only when the generator is built, because the
/// settings may be set after the node.
#[derive(Debug)]
enum ChosenNode<S: Scheme> {
    Own(S::Node),
    Any(AnyNode),
}

impl<S: Scheme> ChosenNode<S> {
    /// Returns the node that IDs carry, and its sequences.
    fn split(&self, scheme: &S) -> Result<(S::Node, SequenceBounds), BuildError> {
        match *self {
            Self::Own(node) => {
                scheme.check_node(&node).map_err(|error| BuildError::Node(error.into()))?;
                Ok((node, scheme.sequence_bounds(&node)))
            }
            Self::Any(node) => scheme.split_node(node).map_err(BuildError::Node),
        }
    }

    /// Checks that a caller's bounds lie inside the share, since a different generator may have the
    /// rest. For a scheme's own node, [`Scheme::check_bounds`] does that.
    fn check_inside(
        &self,
        bounds: SequenceBounds,
        share: SequenceBounds,
    ) -> Result<(), BuildError> {
        match *self {
            Self::Any(node) if !share.contains(bounds) => {
                Err(BuildError::Share { bounds, node, share })
            }
            Self::Any(_) | Self::Own(_) => Ok(()),
        }
    }
}

impl<S: Scheme> Builder<S> {
    /// Returns a builder of a generator for `node`, with given settings. Use it for schemes whose
    /// layout has no default, such as Snowflakes. For others, [`new`](Self::new) is shorter. The
    /// seed of random starts comes from the operating system.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Builder::of(Seconds, Node(7)).build()?;
    /// assert_eq!((generator.settings(), generator.node()), (Seconds, Node(7)));
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn of(scheme: S, node: S::Node) -> Self {
        Self { seed: None, ..Self::seeded_of(scheme, node, 0) }
    }

    /// Returns a builder of a generator for a node of any size. A node with more bits than the
    /// layout's field for it names a share of a node's sequences, by the rule of
    /// [`Scheme::split_node`]. Whether the layout has room for the node is checked by
    /// [`build`](Self::build), since the settings may be set later.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let quarter = Builder::of_any(Seconds, "23/10".parse()?).build()?;
    /// assert_eq!(quarter.node(), Node(5));
    /// assert_eq!((quarter.bounds().lowest(), quarter.bounds().last()), (192, 255));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn of_any(scheme: S, node: AnyNode) -> Self {
        Self { seed: None, ..Self::seeded_of_any(scheme, node, 0) }
    }

    /// Does the same as [`of`](Self::of), but takes the seed of random starts from the caller, as
    /// [`seeded`](Self::seeded) does.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Builder::seeded_of(Seconds, Node(7), 42).build_local()?;
    /// assert_eq!(generator.node(), Node(7));
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    pub fn seeded_of(scheme: S, node: S::Node, seed: u64) -> Self {
        Self::for_node(scheme, ChosenNode::Own(node), seed)
    }

    /// Does the same as [`of_any`](Self::of_any), but takes the seed of random starts from the
    /// caller, as [`seeded`](Self::seeded) does.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Builder::seeded_of_any(Seconds, "23/10".parse()?, 42).build_local()?;
    /// assert_eq!((generator.node(), generator.bounds().pool()), (Node(5), 64));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn seeded_of_any(scheme: S, node: AnyNode, seed: u64) -> Self {
        Self::for_node(scheme, ChosenNode::Any(node), seed)
    }

    fn for_node(scheme: S, node: ChosenNode<S>, seed: u64) -> Self {
        Self {
            scheme,
            node,
            timing: Timing::default(),
            policy: None,
            window: Window::ALL,
            variants: Variants::All,
            pinned: None,
            bounds: None,
            start: None,
            tick_start: if S::RANDOM_START { TickStart::Random } else { TickStart::Lowest },
            seed: Some(seed),
            snapshot: None,
        }
    }
}

impl<S: Scheme + Default> Builder<S> {
    /// Returns a builder of a generator for `node`. If the generator starts ticks at random, the
    /// seed comes from the operating system.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Builder::<Seconds>::new(Node(7)).build()?;
    /// assert_eq!(generator.node(), Node(7));
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn new(node: S::Node) -> Self {
        Self::of(S::default(), node)
    }

    /// Returns a builder of a generator for `node` whose random starts, if it has any, come from
    /// `seed`, which may be any number. This makes tests repeatable, and it works without an
    /// operating system. Give each generator a different seed in production. If two have the same,
    /// they draw the same starts.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Builder;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Builder::<Seconds>::seeded(Node(7), 42).build_local()?;
    /// assert_eq!(generator.node(), Node(7));
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    pub fn seeded(node: S::Node, seed: u64) -> Self {
        Self::seeded_of(S::default(), node, seed)
    }
}

/// Rejects a snapshot so far ahead of the clock that the first call would wait longer than
/// `max_wait`.
fn check_resumed<S: Scheme>(
    engine: &impl Engine<S>,
    timing: &Timing<impl Clock>,
    snapshot: &Snapshot<S>,
) -> Result<(), BuildError> {
    let Some(last) = snapshot.highest_tick() else { return Ok(()) };
    // If the clock cannot be read, the first call fails without waiting, and the clock may have
    // recovered by then.
    let Err(error) = engine.check_ready(&timing.clock) else { return Ok(()) };
    let max_wait = timing.max_wait.unwrap_or(DEFAULT_MAX_WAIT);
    match (error.kind, error.detail, error.now, error.retry_after()) {
        // A clock before the window says nothing about the snapshot.
        (ErrorKind::Stalled(StallReason::ClockBehind), Detail::None, Some(now), Some(wait))
            if wait > max_wait =>
        {
            let last = engine.rules().scheme.time_of(last);
            Err(BuildError::Ahead { last, now, wait, max_wait })
        }
        _ => Ok(()),
    }
}

impl<S: Scheme, C> Builder<S, C> {
    /// Sets the scheme's settings, which are what you need to know about an ID and cannot see in its
    /// bits, such as Nanoflake's epoch or kuid's drift. Whoever reads the IDs needs the same
    /// settings. Note that nothing tells a reader who has the wrong ones: with the wrong epoch, all
    /// times are wrong, and there is no error.
    pub fn settings(self, settings: S) -> Self {
        Self { scheme: settings, ..self }
    }

    /// Sets the clock. In a test, use a [`ManualClock`](crate::ManualClock), which moves only when
    /// you tell it to.
    ///
    /// The default clock also protects you from forks: it fails in the child of a `fork`, where the
    /// generator would otherwise repeat its parent's IDs. No other clock notices a fork, so if your
    /// program forks, wrap yours in a `ProcessClock`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{Clock, LocalGenerator, ManualClock, UnixTime};
    ///
    /// let clock = ManualClock::new(UnixTime::EPOCH);
    /// let builder = LocalGenerator::<Seconds>::builder(Node(7)).clock(&clock);
    /// assert_eq!(builder.build_local()?.clock().now(), Ok(UnixTime::EPOCH));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clock<D>(self, clock: D) -> Builder<S, D> {
        Builder {
            scheme: self.scheme,
            node: self.node,
            timing: self.timing.with_clock(clock),
            policy: self.policy,
            window: self.window,
            variants: self.variants,
            pinned: self.pinned,
            bounds: self.bounds,
            start: self.start,
            tick_start: self.tick_start,
            seed: self.seed,
            snapshot: self.snapshot,
        }
    }

    /// Sets where ticks start, by name. This and [`sequence`](Self::sequence) set the same thing, so
    /// the later call counts.
    ///
    /// Choose random starts if you shard by `id % n`. A service that issues few IDs per tick would
    /// otherwise give most of them the lowest sequence, and these all land on the same shards.
    ///
    /// A random start costs the sequences below it. Schemes whose document has random starts say by
    /// their [guard bits](Scheme::guard_bits) how much of a tick remains. In all others, at least
    /// half of it does, so that a generator that waits for its ticks keeps most of its rate. The
    /// seed is the builder's.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Builder, ManualClock, TickStart, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let builder = Builder::seeded_of(example::Seconds, example::Node(1), 42);
    /// let mut generator = builder.tick_start(TickStart::Random).clock(&clock).build_local()?;
    /// let mut remainders = [0; 8];
    /// for _ in 0..100 {
    ///     remainders[usize::try_from(generator.generate()? % 8)?] += 1;
    ///     clock.advance(core::time::Duration::from_secs(1)); // an ID a second
    /// }
    /// assert!(remainders.iter().all(|count| *count > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tick_start(self, tick_start: TickStart) -> Self {
        Self { tick_start, start: None, ..self }
    }

    /// Sets the rule for the first sequence of each tick, which is [`Lowest`](crate::Lowest),
    /// [`Fixed`](crate::Fixed), [`RandomStart`] or a [`Sequence`] of your own. Without the feature
    /// `alloc` there is nowhere to store your own rule, so it has to be a `&'static` reference.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{LocalGenerator, RandomStart};
    ///
    /// let builder = LocalGenerator::<Seconds>::builder(Node(7));
    /// let mut generator = builder.sequence(RandomStart::new(42)).build_local()?;
    /// generator.generate()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sequence<R: Sequence + 'static>(self, rule: R) -> Self
    where
        StartRule: From<R>,
    {
        Self { start: Some(rule.into()), ..self }
    }

    /// Sets the reaction to a clock rollback and to an exhausted tick. [`Policy`] says how to
    /// choose. By default it is the one in the scheme's document, for example [`Policy::Ratchet`]
    /// with 10 seconds for SCRU64 and [`Policy::Wait`] for Nanoflake.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{LocalGenerator, Policy, Ticks};
    ///
    /// let policy = Policy::Ratchet { allowance: Ticks::new(10) };
    /// let generator = LocalGenerator::<Seconds>::builder(Node(7)).policy(policy).build_local()?;
    /// assert_eq!(generator.policy(), policy);
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    pub fn policy(self, policy: Policy<S>) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Sets the ticks that the generator may issue in: from the window's first one up to its end,
    /// which is excluded. Two generators may have the same node if their windows are disjoint. No
    /// clock can then make them issue the same ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{ErrorKind, StallReason, LocalGenerator, Tick, Window};
    ///
    /// let past = Window::new(Tick::new(100)?, 200)?; // a hundred seconds of 1970
    /// let mut generator = LocalGenerator::<Seconds>::builder(Node(7)).window(past).build_local()?;
    /// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Stalled(StallReason::WindowEnded));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn window(self, window: Window<S>) -> Self {
        Self { window, ..self }
    }

    /// Sets the variants of IDs to issue. A call for any other variant fails with
    /// [`ErrorKind::Variant`](crate::ErrorKind::Variant). Of tickid's schemes it matters only for
    /// kuid, because in the others every ID carries the node.
    pub fn variants(self, variants: Variants) -> Self {
        Self { variants, ..self }
    }

    /// Fixes the settings, the window and the variants. If one of them is changed afterwards,
    /// building the generator fails with [`BuildError::Pinned`]. Leases pin the builders that they
    /// hand out, because their guarantee rests on all three. Pinning again changes nothing.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Builder, BuildError, Tick, Window, example};
    ///
    /// let builder = Builder::<example::Seconds>::new(example::Node(7)).pin();
    /// let error = builder.window(Window::new(Tick::new(1)?, 5)?).build().unwrap_err();
    /// assert_eq!(error, BuildError::Pinned { option: "window" });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pin(self) -> Self {
        let pinned = self.pinned.or(Some((self.scheme, self.window, self.variants)));
        Self { pinned, ..self }
    }

    /// Sets the sequences to use in each tick, from 0 to the scheme's highest and with both bounds
    /// included, so that several generators can have the same node at the same time. If the node is
    /// itself a share of a node's sequences ([`of_any`](Self::of_any)), the bounds have to lie
    /// inside of it, because the other sequences may belong to a different generator. Building
    /// fails with [`BuildError::Share`] if they do not.
    ///
    /// To divide a node, a share is usually simpler. It is written like a node (`23/10`, for
    /// example), and a [lease][leased] can grant it.
    ///
    /// [leased]: https://docs.rs/tickid-lease
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{LocalGenerator, SequenceBounds, example};
    ///
    /// // Two processes with one node: one has the lower half of the sequences, one the upper.
    /// let of = |lowest, last| {
    ///     LocalGenerator::<example::Seconds>::builder(example::Node(1))
    ///         .bounds(SequenceBounds::new(lowest, last))
    ///         .build_local()
    /// };
    /// assert!((0..=127).contains(&(of(0, 127)?.generate()? & 0xff)));
    /// assert!((128..=255).contains(&(of(128, 255)?.generate()? & 0xff)));
    /// assert_eq!(
    ///     of(0, 256).unwrap_err().to_string(),
    ///     "sequence bound 256 is outside of 0..=255",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(self, bounds: SequenceBounds) -> Self {
        Self { bounds: Some(bounds), ..self }
    }

    /// Resumes from the snapshot that closing a generator returned. Its tick has to lie in the
    /// window, and its sequence within the bounds. If not, building fails with
    /// [`BuildError::Restore`].
    ///
    /// A snapshot whose last tick is ahead of the clock is handled like a clock rollback. If the
    /// policy tolerates the difference, the generator continues without a wait. If it does not, the
    /// first call waits, provided that [`max_wait`](Self::max_wait) is long enough. If the wait
    /// would be longer, building fails with [`BuildError::Ahead`], so that a program notices at its
    /// start and not at its first ID. The same applies to a node that names its previous ID, as
    /// SCRU64's can.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{BuildError, LocalGenerator, ManualClock, Snapshot, Tick, UnixTime};
    /// use tickid_core::example;
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let resume = |tick| {
    ///     let builder = LocalGenerator::<example::Seconds>::builder(example::Node(1));
    ///     builder.restore(Snapshot::at(tick, 7)).clock(&clock).build_local()
    /// };
    /// resume(Tick::new(160)?)?.generate()?; // a minute ahead: waited out
    /// assert_eq!(clock.slept(), Duration::from_secs(60));
    ///
    /// let error = resume(Tick::new(222)?).unwrap_err();
    /// let BuildError::Ahead { wait, .. } = error else { return Err(error.into()) };
    /// assert_eq!(wait, Duration::from_secs(62));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(self, snapshot: Snapshot<S>) -> Self {
        Self { snapshot: Some(snapshot), ..self }
    }

    /// Sets the longest wait of one call, measured by the clock's monotonic time. A call whose
    /// stall is known to last longer fails immediately, because waiting for only part of it would
    /// be in vain. For the same reason, building fails if a [snapshot](Self::restore) is further
    /// ahead of the clock. Every duration is valid. The default is one minute
    /// ([`DEFAULT_MAX_WAIT`]).
    ///
    /// A stall past the end of the window is different, because it lasts until the window is
    /// [widened](crate::Generator::widen), which no clock predicts. The generator waits for that
    /// only if this option is set. Otherwise the call fails immediately, and the error has no
    /// [`retry_after`](crate::Error::retry_after).
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{ErrorKind, StallReason, LocalGenerator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1))
    ///     .max_wait(Duration::from_secs(5))
    ///     .clock(&clock)
    ///     .build_local()?;
    /// generator.generate()?;
    /// clock.set(UnixTime::from_millis(97_000)?); // three seconds back: waited out
    /// generator.generate()?;
    /// clock.set(UnixTime::from_millis(90_000)?); // ten
    /// let error = generator.generate().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(10)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_wait(mut self, max_wait: Duration) -> Self {
        self.timing.max_wait = Some(max_wait);
        self
    }

    /// Sets an observer of ticks that run out of sequences, for example to count them in a metric.
    /// It is called once for each such tick, by the first call that is about to wait in it, and its
    /// report counts all calls that wait.
    ///
    /// Under a ratchet it is never called, since a ratchet continues in the next tick instead of
    /// waiting. If that has brought the generator too far ahead of the clock, it does wait, but
    /// then the reason is [`StallReason::ClockBehind`](crate::StallReason::ClockBehind).
    ///
    /// The observer runs on the thread of that call before it sleeps, outside of any lock, so a
    /// slow observer delays only this one call. It may itself generate IDs, but overflows of these
    /// calls are not reported, since the observer would otherwise call itself.
    ///
    /// # Examples
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use std::sync::Arc;
    /// use tickid_core::{LocalGenerator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let overflows = Arc::new(AtomicU32::new(0));
    /// let seen = Arc::clone(&overflows);
    /// let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1))
    ///     .on_overflow(move |_| {
    ///         seen.fetch_add(1, Ordering::Relaxed);
    ///     })
    ///     .clock(&clock)
    ///     .build_local()?;
    /// for _ in 0..1_000 {
    ///     generator.generate()?;
    /// }
    /// assert_eq!(overflows.load(Ordering::Relaxed), 3); // 256 IDs in each second
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn on_overflow(mut self, observer: impl Fn(Overflow) + Send + Sync + 'static) -> Self {
        self.timing.overflow = OverflowWatch::new(observer);
        self
    }
}

impl<S: Scheme, C: Clock> Builder<S, C> {
    /// Builds the shared generator, from which up to 1,024 threads can draw at the same time
    /// through `&self`.
    ///
    /// More threads may share it, as long as no more than these are in the middle of a call for a
    /// large block at the same moment. For single IDs, hundreds of thousands fit. If there are too
    /// many, the generator may close: calls fail with [`Closed`](crate::ErrorKind::Closed), and no
    /// ID is issued twice.
    ///
    /// # Errors
    /// Returns a [`BuildError`], which names the option that does not fit, or how far a snapshot or
    /// the previous ID of the node lies ahead of the clock.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Generator;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Generator::<Seconds>::builder(Node(7)).build()?;
    /// let (a, b) = (generator.generate()?, generator.generate()?);
    /// assert!(a < b);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(target_has_atomic = "64")]
    pub fn build(self) -> Result<Generator<S, C>, BuildError> {
        let window = self.window;
        let (timing, rules, snapshot) = self.parts()?;
        let engine = SharedEngine::new(rules, window, &snapshot).map_err(BuildError::Restore)?;
        check_resumed(&&engine, &timing, &snapshot)?;
        Ok(Generator::from_parts(timing, engine))
    }

    /// Builds the exclusive generator, which takes `&mut self`, uses no atomics and skips no
    /// sequence. Choose it if a single thread or task issues the IDs, or if the target has no
    /// 64-bit atomics.
    ///
    /// # Errors
    /// Returns a [`BuildError`], which names the option that does not fit, or how far a snapshot or
    /// the previous ID of the node lies ahead of the clock.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::LocalGenerator;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let mut generator = LocalGenerator::<Seconds>::builder(Node(7)).build_local()?;
    /// let (a, b) = (generator.generate()?, generator.generate()?);
    /// assert!(a < b);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_local(self) -> Result<LocalGenerator<S, C>, BuildError> {
        let window = self.window;
        let (timing, rules, snapshot) = self.parts()?;
        let engine = ExclusiveEngine::new(rules, window, &snapshot).map_err(BuildError::Restore)?;
        check_resumed(&engine, &timing, &snapshot)?;
        Ok(LocalGenerator::from_parts(timing, engine))
    }

    /// Builds a generator for times that have passed, for example to give IDs to the existing rows
    /// of a table. It continues from the [snapshot](Self::restore), if there is one. Since the
    /// times are given with each call, it has no policy and no clock. The builder's clock only has
    /// to show that the window is over.
    ///
    /// # Errors
    /// Returns [`BuildError::NotPast`] if the window does not end before the present, as is the
    /// case if none was set, and otherwise the errors of [`build_local`](Self::build_local).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{BuildError, Builder, ManualClock, Tick, UnixTime, Window, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(200_500)?); // in second 200
    /// let until = |ceiling| {
    ///     let builder = Builder::of(example::Seconds, example::Node(5)).clock(&clock);
    ///     builder.window(Window::new(Tick::MIN, ceiling).unwrap()).build_backfill()
    /// };
    /// assert!(until(200)?.generate(UnixTime::from_millis(199_999)?).is_ok());
    /// assert_eq!(until(201).unwrap_err(), BuildError::NotPast { ceiling: 201, present: 200 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_backfill(self) -> Result<Backfill<S>, BuildError> {
        let window = self.window;
        let (timing, rules, snapshot) = self.parts()?;
        // Before the epoch, no tick is over.
        let present = rules.scheme.scale().tick_at(timing.clock.now()?).unwrap_or(0);
        if window.ceiling() > present {
            return Err(BuildError::NotPast { ceiling: window.ceiling(), present });
        }
        Backfill::new(rules, window).resume(snapshot).map_err(BuildError::Restore)
    }

    #[allow(clippy::type_complexity, reason = "a private triple, taken apart at once")]
    fn parts(self) -> Result<(Timing<C>, Rules<S>, Snapshot<S>), BuildError> {
        // What a lease granted stays as it was granted, or two holders could issue the same ID.
        if let Some((scheme, window, variants)) = self.pinned {
            let changed = [
                ("settings", scheme != self.scheme),
                ("window", window != self.window),
                ("variants", variants != self.variants),
            ];
            if let Some((option, _)) = changed.into_iter().find(|(_, is_changed)| *is_changed) {
                return Err(BuildError::Pinned { option });
            }
        }
        // From here on, each option is checked against the scheme and against those before it: the
        // node comes first, because it decides which sequences there are.
        if self.variants == Variants::WithoutNode && !S::HAS_NODELESS_IDS {
            return Err(BuildError::NoNodelessIds { scheme: S::NAME });
        }
        let (node, share) = self.node.split(&self.scheme)?;
        let policy = self.policy.unwrap_or_else(|| self.scheme.default_policy());
        if policy.toggles() && !S::TOGGLE {
            return Err(BuildError::NoToggle { scheme: S::NAME });
        }
        let bounds = match self.bounds {
            Some(bounds) => {
                self.node.check_inside(bounds, share)?;
                self.scheme.check_bounds(&node, bounds)?
            }
            None => share,
        };
        // The engine's word has room for the type's limits, whatever the value's own are.
        if bounds.last() > S::MAX_SEQUENCE {
            let (last, max) = (bounds.last().into(), S::MAX_SEQUENCE.into());
            let error = RangeError::new("sequence bound", last, 0, max);
            return Err(BuildError::SequenceBound(error));
        }
        // A window without any tick of the scheme would stall for ever.
        let (floor, ceiling) = (self.window.floor(), self.window.ceiling());
        let (first, last) = (S::FIRST_TICK, self.scheme.last_tick());
        if floor.get() > last || ceiling <= first {
            return Err(BuildError::Window { floor: floor.get(), ceiling, first, last });
        }
        Rules::window(&self.scheme, floor, ceiling).map_err(BuildError::Ceiling)?;
        self.scheme.check_start(&self.timing.clock)?;
        // Last, because it may ask the operating system for a seed, which can fail on its own.
        let start = match (self.start, self.tick_start) {
            (Some(start), _) => start,
            (None, TickStart::Random) => {
                let seed = self.seed.map_or_else(random_seed, Ok)?;
                // Without a guard bit, a generator that waits for ticks would lose half its rate.
                let guard_bits = if S::RANDOM_START { self.scheme.guard_bits(&node) } else { 1 };
                StartRule::Random(RandomStart::new(seed).with_guard_bits(guard_bits))
            }
            (None, TickStart::Lowest) => StartRule::Lowest,
        };
        let snapshot = self.snapshot.unwrap_or_else(|| self.scheme.resume(&node));
        let rules = Rules {
            scheme: self.scheme,
            node,
            policy,
            bounds,
            start,
            variants: self.variants,
            floor: Rules::floor_of(&self.window),
        };
        Ok((self.timing, rules, snapshot))
    }
}
