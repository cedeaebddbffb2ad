use core::fmt;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::clock::{Clock, DefaultClock};
use crate::engine::{ExclusiveEngine, Rules, Snapshot};
use crate::error::{BuildError, RangeError};
use crate::generator::LocalGenerator;
use crate::generator::issuer::Issuer;
#[cfg(feature = "std")]
use crate::generator::overflow::{Overflow, OverflowWatch};
use crate::policy::Policy;
use crate::scheme::{Forms, Scheme};
use crate::sequence::{Sequence, SequenceBounds};
use crate::window::Window;
#[cfg(target_has_atomic = "64")]
use crate::{engine::SharedEngine, generator::Generator};

/// Everything a generator can be told before it starts.
///
/// | option | unless it is given |
/// |---|---|
/// | [`layout`](Self::layout) | the scheme's default |
/// | [`clock`](Self::clock) | the system's wall clock |
/// | [`policy`](Self::policy) | what the scheme's document says |
/// | [`window`](Self::window) | everything |
/// | [`forms`](Self::forms) | all |
/// | [`bounds`](Self::bounds) | all sequences |
/// | [`sequence`](Self::sequence) | where the scheme's document starts a tick |
/// | [`restore`](Self::restore) | nothing has been issued before, unless the node says so |
/// | [`max_wait`](Self::max_wait) | waits for as long as it takes |
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
#[must_use]
pub struct Builder<S: Scheme, C = DefaultClock, Q = <S as Scheme>::Sequence> {
    scheme: S,
    node: S::Node,
    clock: C,
    policy: Option<Policy<S>>,
    window: Window<S>,
    forms: Forms,
    pinned: Option<(S, Window<S>, Forms)>,
    bounds: Option<SequenceBounds>,
    /// An error when the default sequence got no seed.
    sequence: Result<Q, BuildError>,
    snapshot: Option<Snapshot<S>>,
    #[cfg(feature = "std")]
    max_wait: Option<Duration>,
    #[cfg(feature = "std")]
    observer: Option<alloc::boxed::Box<dyn Fn(Overflow) + Send + Sync>>,
}

impl<S: Scheme + Default> Builder<S> {
    /// A generator for `node`; the seed of random starts comes from the operating system.
    #[cfg(feature = "std")]
    pub fn new(node: S::Node) -> Self {
        let seed = if S::NEEDS_SEED { random_seed() } else { Ok(0) };
        let sequence = seed.map(|seed| S::default().default_sequence(seed));
        Self { sequence, ..Self::seeded(node, 0) }
    }

    /// A generator for `node` whose random starts, if the scheme has them, come from `seed`. The seed
    /// must be another one for each generator, unless both do the same work on purpose.
    pub fn seeded(node: S::Node, seed: u64) -> Self {
        let scheme = S::default();
        Self {
            scheme,
            node,
            clock: DefaultClock::default(),
            policy: None,
            window: Window::ALL,
            forms: Forms::All,
            pinned: None,
            bounds: None,
            sequence: Ok(scheme.default_sequence(seed)),
            snapshot: None,
            #[cfg(feature = "std")]
            max_wait: None,
            #[cfg(feature = "std")]
            observer: None,
        }
    }
}

/// 64 bits from the operating system.
#[cfg(feature = "std")]
pub(crate) fn random_seed() -> Result<u64, BuildError> {
    use rand::TryRng as _;

    rand::rngs::SysRng.try_next_u64().map_err(|_| BuildError::Seed)
}

impl<S: Scheme, C, Q> Builder<S, C, Q> {
    /// What the bits of an ID don't say: Nanoflake's epoch, kuid's drift.
    pub fn layout(self, layout: S) -> Self {
        Self { scheme: layout, ..self }
    }

    /// Where the time comes from.
    pub fn clock<D>(self, clock: D) -> Builder<S, D, Q> {
        self.with(|_| clock, |sequence| sequence)
    }

    /// Where the sequence of a new tick starts.
    pub fn sequence<R: Sequence>(self, sequence: R) -> Builder<S, C, R> {
        self.with(|clock| clock, |_| Ok(sequence))
    }

    /// The same builder with another type of clock or sequence.
    fn with<D, R>(
        self,
        clock: impl FnOnce(C) -> D,
        sequence: impl FnOnce(Result<Q, BuildError>) -> Result<R, BuildError>,
    ) -> Builder<S, D, R> {
        Builder {
            scheme: self.scheme,
            node: self.node,
            clock: clock(self.clock),
            policy: self.policy,
            window: self.window,
            forms: self.forms,
            pinned: self.pinned,
            bounds: self.bounds,
            sequence: sequence(self.sequence),
            snapshot: self.snapshot,
            #[cfg(feature = "std")]
            max_wait: self.max_wait,
            #[cfg(feature = "std")]
            observer: self.observer,
        }
    }

    /// What to do when the clock runs behind and when a tick is used up.
    pub fn policy(self, policy: Policy<S>) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// The ticks in which to issue.
    pub fn window(self, window: Window<S>) -> Self {
        Self { window, ..self }
    }

    /// The forms of IDs to issue. Asked for another one, the generator fails with
    /// [`ErrorKind::Form`](crate::ErrorKind::Form).
    pub fn forms(self, forms: Forms) -> Self {
        Self { forms, ..self }
    }

    /// Fixes the layout, the window and the forms: if one of them is changed afterwards, building the
    /// generator fails with [`BuildError::Pinned`]. Leases do this, as their guarantee rests on all
    /// three.
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
        Self { pinned: Some((self.scheme, self.window, self.forms)), ..self }
    }

    /// The sequences to use in each tick, so that several generators can share a node.
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

    /// Goes on where the generator that was closed with this snapshot left off.
    pub fn restore(self, snapshot: Snapshot<S>) -> Self {
        Self { snapshot: Some(snapshot), ..self }
    }

    /// For how long one call may wait, by the [monotonic clock](Clock::monotonic). A stall that is
    /// known to last longer is an error at once.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{ErrorKind, LocalGenerator, ManualClock, UnixTime, example};
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
    /// assert_eq!(error.kind(), ErrorKind::Rollback);
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(10)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait: Some(max_wait), ..self }
    }

    /// Is told whenever a call is about to wait because a tick's sequences are used up. (A ratchet goes
    /// on in the next tick instead; where that has brought it too far ahead of the clock, it waits for the
    /// clock, which is [`ErrorKind::Rollback`](crate::ErrorKind::Rollback) and not told of here.)
    ///
    /// It runs on the thread of that call, before it sleeps, outside of any lock, and may itself
    /// generate (what it overflows then, it is not told of).
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
    pub fn on_overflow(self, observer: impl Fn(Overflow) + Send + Sync + 'static) -> Self {
        Self { observer: Some(alloc::boxed::Box::new(observer)), ..self }
    }
}

impl<S: Scheme, C: Clock, Q: Sequence> Builder<S, C, Q> {
    /// The shared generator: `&self`, for any number of threads up to 1,024 at the same time.
    ///
    /// # Errors
    /// [`BuildError`], which names the option that does not fit.
    #[cfg(target_has_atomic = "64")]
    pub fn build(self) -> Result<Generator<S, C, Q>, BuildError> {
        let window = self.window;
        let (issuer, rules, snapshot) = self.parts()?;
        let engine = SharedEngine::new(rules, window, &snapshot).map_err(BuildError::Restore)?;
        Ok(Generator::from_parts(issuer, engine))
    }

    /// The exclusive generator: `&mut self`, no atomics, skips no sequence.
    ///
    /// # Errors
    /// [`BuildError`], which names the option that does not fit.
    pub fn build_local(self) -> Result<LocalGenerator<S, C, Q>, BuildError> {
        let window = self.window;
        let (issuer, rules, snapshot) = self.parts()?;
        let engine = ExclusiveEngine::new(rules, window, &snapshot).map_err(BuildError::Restore)?;
        Ok(LocalGenerator::from_parts(issuer, engine))
    }

    #[allow(clippy::type_complexity, reason = "a private triple, taken apart at once")]
    fn parts(self) -> Result<(Issuer<S, C>, Rules<S, Q>, Snapshot<S>), BuildError> {
        if let Some((scheme, window, forms)) = self.pinned {
            let changed = [
                ("layout", scheme != self.scheme),
                ("window", window != self.window),
                ("forms", forms != self.forms),
            ];
            if let Some((option, _)) = changed.into_iter().find(|(_, is_changed)| *is_changed) {
                return Err(BuildError::Pinned { option });
            }
        }
        if self.forms == Forms::WithoutNode && !S::HAS_NODELESS_IDS {
            return Err(BuildError::NoNodelessIds { scheme: S::NAME });
        }
        let policy = self.policy.unwrap_or_else(|| self.scheme.default_policy());
        if policy == Policy::TickTock && !S::TOGGLE {
            return Err(BuildError::NoToggle { scheme: S::NAME });
        }
        let bounds = match self.bounds {
            Some(bounds) => self.scheme.check_bounds(&self.node, bounds)?,
            None => self.scheme.sequence_bounds(&self.node),
        };
        if bounds.last() > S::MAX_SEQUENCE {
            let (last, max) = (bounds.last().into(), S::MAX_SEQUENCE.into());
            let error = RangeError::new("sequence bound", last, 0, max);
            return Err(BuildError::SequenceBound(error));
        }
        if self.window.floor().get() > S::LAST_TICK || self.window.ceiling() <= S::FIRST_TICK {
            return Err(BuildError::Window {
                floor: self.window.floor().get(),
                ceiling: self.window.ceiling(),
                first: S::FIRST_TICK,
                last: S::LAST_TICK,
            });
        }
        if S::CHECKS_START {
            self.scheme.check_start(self.clock.now()?)?;
        }
        let rules = Rules::new(policy, bounds, self.sequence?, &self.window);
        let snapshot = self.snapshot.unwrap_or_else(|| self.scheme.resume(&self.node));
        let issuer = Issuer {
            scheme: self.scheme,
            node: self.node,
            clock: self.clock,
            forms: self.forms,
            #[cfg(feature = "std")]
            max_wait: self.max_wait,
            #[cfg(feature = "std")]
            overflow: OverflowWatch::new(self.observer),
        };
        Ok((issuer, rules, snapshot))
    }
}

impl<S: Scheme, C: fmt::Debug, Q: fmt::Debug> fmt::Debug for Builder<S, C, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("scheme", &self.scheme)
            .field("node", &self.node)
            .field("clock", &self.clock)
            .field("policy", &self.policy)
            .field("window", &self.window)
            .field("forms", &self.forms)
            .field("bounds", &self.bounds)
            .field("sequence", &self.sequence)
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}
