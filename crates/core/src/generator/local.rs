//! The generator with a single owner.

use core::num::NonZeroU32;

use crate::clock::{Clock, DefaultClock};
use crate::engine::{Block, Engine as _, ExclusiveEngine};
use crate::error::{Error, ObserveError};
use crate::generator::accessors::accessors;
use crate::generator::calls::calls;
use crate::generator::own_source::own_source;
#[cfg(feature = "std")]
use crate::generator::source::Timed;
use crate::generator::source::{Follow, Source, observe};
use crate::generator::timing::Timing;
use crate::generator::{Ids, View};
use crate::policy::Policy;
use crate::range::RangeError;
use crate::scheme::{Id, Observable, Scheme, Variant};
use crate::slot::Slot;
use crate::snapshot::Snapshot;
use crate::window::Window;

/// A generator with a single owner, which takes `&mut self` and uses no atomics.
///
/// It is faster than a [`Generator`](crate::Generator), and targets without 64-bit atomics have it
/// too. Its IDs strictly increase, and it skips no sequence, so a test can predict them. If threads
/// would have to share it behind a lock, use a `Generator` instead.
///
/// Build one for each node and process, and pass it by `&mut` to whatever needs IDs. One in a
/// `thread_local!` is built by every thread, so each thread needs a node of its own there, because
/// generators of the same node [issue the same IDs](Self::builder).
///
/// It has the methods of `Generator`, except `handle` and `check_ready`, and two that need
/// exclusive access. [`try_generate_under`](Self::try_generate_under) takes a policy for a single
/// call, and [`reset`](Self::reset) starts over.
///
/// # Examples
/// ```
/// use tickid_core::{Error, LocalGenerator, example};
///
/// fn draw(generator: &mut LocalGenerator<example::Seconds>) -> Result<(), Error> {
///     generator.try_generate().map(drop)
/// }
///
/// let mut generator = LocalGenerator::<example::Seconds>::new(example::Node(1))?;
/// draw(&mut generator)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A shared reference is not enough to draw from it:
///
/// ```compile_fail,E0596
/// use tickid_core::{Error, LocalGenerator, example};
///
/// fn draw(generator: &LocalGenerator<example::Seconds>) -> Result<(), Error> {
///     generator.try_generate().map(drop) // does not compile
/// }
/// ```
pub struct LocalGenerator<S: Scheme, C = DefaultClock> {
    engine: ExclusiveEngine<S>,
    timing: Timing<C>,
}

accessors!(LocalGenerator, ExclusiveEngine, build_local);

impl<S: Scheme, C> LocalGenerator<S, C> {
    /// Returns a view of the generator that issues IDs of `variant`. It borrows the generator, so
    /// create one where you need it instead of keeping it.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::LocalGenerator;
    /// use tickid_core::example::{Node, Plain, Seconds};
    ///
    /// let mut generator = LocalGenerator::<Seconds>::new(Node(7))?;
    /// let first = generator.with(Plain).generate()?;
    /// assert!(generator.with(Plain).generate()? > first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<V: Variant<S>>(&mut self, variant: V) -> View<&mut Self, V> {
        View::new(self, variant)
    }
}

impl<S: Scheme, C: Clock> LocalGenerator<S, C> {
    calls! {
        self, (&mut self), self, S::Variant::default(), id Id<S>, ids Ids<S, S::Variant>,
        error crate::error::Error, named "an [`Error`](crate::Error)",
        max_wait "crate::Builder::max_wait", filled "",
        setup "let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build_local()?;"
    }

    #[cfg(feature = "std")]
    crate::generator::calls::ready_calls! {
        self, (&mut self), self, error crate::error::Error,
        setup "let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build_local()?;"
    }

    /// Observes an ID that comes from elsewhere, as
    /// [`Generator::observe`](crate::Generator::observe) does. Later IDs are greater, until the
    /// generator is [reset](Self::reset) or issues [under tick-tock](Self::try_generate_under).
    ///
    /// # Errors
    /// Returns an [`ObserveError`] as the shared generator does, and changes nothing.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::LocalGenerator;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let mut peer = LocalGenerator::<Seconds>::new(Node(1))?;
    /// let mut generator = LocalGenerator::<Seconds>::new(Node(2))?;
    /// let cause = peer.generate()?;
    /// generator.observe(cause)?;
    /// assert!(generator.generate()? > cause);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(&mut self, id: Id<S>) -> Result<(), ObserveError>
    where
        S::Variant: Observable<S>,
    {
        observe::<_, S::Variant>(self, id)
    }

    /// Generates an ID without blocking, under a policy for this call only. For example, a
    /// generator that waits may accept a larger rollback for one urgent ID, which is then still
    /// greater than the last.
    ///
    /// # Errors
    /// Returns the errors of `try_generate`, and
    /// [`StallReason::ClockBehind`](crate::StallReason::ClockBehind) also if the policy is
    /// tick-tock, the scheme has no toggle bit and the clock went back, because there is nothing to
    /// flip then.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{LocalGenerator, ManualClock, Policy, Ticks, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let builder = LocalGenerator::<example::Seconds>::builder(example::Node(1));
    /// let mut generator = builder.clock(&clock).build_local()?;
    /// let last = generator.try_generate()?;
    /// clock.set(UnixTime::from_millis(60_000)?); // 40 seconds back
    /// assert!(generator.try_generate().is_err()); // this scheme waits
    /// let an_hour = Policy::Ratchet { allowance: Ticks::new(3_600) };
    /// assert_eq!(generator.try_generate_under(an_hour)?, last + 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_generate_under(&mut self, policy: Policy<S>) -> Result<Id<S>, Error> {
        let policy = if policy.toggles() && !S::TOGGLE { Policy::Wait } else { policy };
        let block = self.engine.try_block_under(policy, &self.timing.clock, NonZeroU32::MIN)?;
        Ok(S::Variant::default().id(&self.engine.rules().scheme, block.first))
    }
}

/// Schemes whose document allows a generator to start over after a large clock rollback, at the
/// price of uniqueness and order. Among tickid's schemes it is SCRU64.
pub trait Resettable: Scheme {}

/// The reason why a generator was not [reset](LocalGenerator::reset).
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResetError {
    /// The generator has a window, which promises that no ID is issued twice.
    #[error("a generator with a window cannot be reset")]
    Windowed,
    /// The generator was closed.
    #[error("the generator is closed")]
    Closed,
    /// The operating system provided no random number for the new seed.
    #[error("no random seed from the operating system")]
    Seed,
}

crate::debug_error! {
    enum ResetError { Windowed, Closed, Seed }
}

impl<S: Resettable, C> LocalGenerator<S, C> {
    /// Forgets the IDs issued so far. The next ID has the clock's tick, however far that is behind
    /// the last one, and its sequence comes from a new random seed. SCRU64's document allows this
    /// after a large clock rollback, because the alternative is to wait for as long as the clock
    /// went back. **Later IDs may be smaller than, or even the same as, earlier ones.**
    ///
    /// # Errors
    /// Returns a [`ResetError`] if the generator has a window or is closed, or if the operating
    /// system provides no seed.
    ///
    /// # Spec
    /// SCRU64, "Clock rollback handling": reset the generator on a significant rollback.
    #[cfg(feature = "std")]
    pub fn reset(&mut self) -> Result<(), ResetError> {
        let seed = crate::random::random_seed().map_err(|_| ResetError::Seed)?;
        self.reset_seeded(seed)
    }

    /// Resets the generator like [`reset`](Self::reset), but with a given seed, so that a test is
    /// repeatable.
    ///
    /// # Errors
    /// Returns the errors of `reset`.
    pub fn reset_seeded(&mut self, seed: u64) -> Result<(), ResetError> {
        let state = self.engine.state();
        if state.is_closed {
            Err(ResetError::Closed)
        } else if state.window == Window::ALL {
            self.engine.reset(seed);
            #[cfg(feature = "std")]
            self.timing.overflow.reset();
            Ok(())
        } else {
            Err(ResetError::Windowed)
        }
    }
}

impl<S: Scheme, C> LocalGenerator<S, C> {
    /// Widens the window, so that the generator can issue in the ticks below `ceiling`. A ceiling
    /// at or below the present one changes nothing, because a window never shrinks.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the ceiling is at or below the window's floor, or more than one
    /// past the last tick of the format.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{LocalGenerator, ManualClock, Tick, UnixTime, Window};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(200_000)?);
    /// let builder = LocalGenerator::<Seconds>::builder(Node(7)).clock(&clock);
    /// let mut generator = builder.window(Window::new(Tick::new(100)?, 200)?).build_local()?;
    /// assert!(generator.try_generate().is_err());
    /// generator.widen(300)?;
    /// assert!(generator.try_generate().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn widen(&mut self, ceiling: u64) -> Result<(), RangeError> {
        self.engine.widen(ceiling)
    }

    /// Closes the generator, so that every later call fails with
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed).
    ///
    /// The snapshot lets a [successor](crate::Builder::restore) continue without issuing an ID
    /// twice, even in the same tick. Closing again returns the same snapshot.
    ///
    /// A successor without the snapshot, as in the next process, may issue the same IDs until its
    /// clock is past the last one. [`close_and_wait`](Self::close_and_wait) waits for that.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{ErrorKind, LocalGenerator};
    ///
    /// let mut generator = LocalGenerator::<Seconds>::new(Node(7))?;
    /// generator.generate()?;
    /// assert!(generator.close().highest_tick().is_some());
    /// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&mut self) -> Snapshot<S> {
        self.engine.close()
    }
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> LocalGenerator<S, C> {
    crate::generator::calls::closing_calls! {
        self, (&mut self), self, "LocalGenerator", "build_local"
    }
}

impl<S: Scheme, C: Clock> Source for &mut LocalGenerator<S, C> {
    type Scheme = S;
    type Error = Error;
    type Missed = ();

    own_source!(rules self self.engine.rules());

    fn check_ready(&self) -> Result<(), Error> {
        self.engine.check_ready(&self.timing.clock)
    }

    #[inline]
    fn fast_slot(&mut self) -> Result<Slot<S>, ()> {
        self.engine.try_draw(&self.timing.clock).ok_or(())
    }

    fn slow_slot(&mut self, (): ()) -> Result<Slot<S>, Error> {
        self.try_block(NonZeroU32::MIN).map(|block| block.first)
    }

    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<S>, Error> {
        self.engine.try_block(&self.timing.clock, want)
    }
}

impl<S: Scheme, C: Clock> Follow for &mut LocalGenerator<S, C> {
    type Refusal = ObserveError;

    fn follow(self, is_after: impl Fn(&S, Slot<S>) -> bool) -> Result<(), ObserveError> {
        self.engine.observe(&self.timing.clock, is_after)
    }
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> Timed for &mut LocalGenerator<S, C> {
    own_source!(timed self self.engine.rules(), self.timing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::example::{Node, Seconds};
    use crate::generator::Builder;
    use crate::sequence::RandomStart;
    use crate::tick::Tick;
    use crate::time::UnixTime;

    impl Resettable for Seconds {}

    type Local<'a> = LocalGenerator<Seconds, &'a ManualClock>;

    fn at(tick: i64) -> UnixTime {
        UnixTime::from_micros(tick * 1_000_000)
    }

    fn builder(clock: &ManualClock) -> Builder<Seconds, &ManualClock> {
        Builder::seeded(Node(1), 0).clock(clock).sequence(RandomStart::new(1))
    }

    fn generate_and_turn_back(local: &mut Local<'_>, clock: &ManualClock) {
        local.try_generate().unwrap();
        clock.set(at(500));
        assert!(local.try_generate().is_err());
    }

    #[test]
    fn reset_follows_the_clock_back() {
        let clock = ManualClock::new(at(1_000));
        let mut local = builder(&clock).build_local().unwrap();
        generate_and_turn_back(&mut local, &clock);
        local.reset_seeded(2).unwrap();
        let block = local.try_generate().unwrap();
        assert_eq!(block >> 17, 500);
    }

    #[cfg(feature = "std")]
    #[test]
    fn reset_takes_a_system_seed() {
        let clock = ManualClock::new(at(1_000));
        let starts = |_| {
            let mut local = builder(&clock).build_local().unwrap();
            local.reset().unwrap();
            local.try_generate().unwrap()
        };
        let [first, rest @ ..] = core::array::from_fn::<_, 32, _>(starts);
        // By chance, all 32 are the same once in 2^248 times.
        assert!(rest.iter().any(|&id| id != first));
    }

    #[cfg(feature = "std")]
    #[test]
    fn used_up_ticks_are_reported_after_a_reset() {
        use core::sync::atomic::{AtomicU32, Ordering};

        let (clock, told) = (ManualClock::new(at(1_000)), alloc::sync::Arc::new(AtomicU32::new(0)));
        let counted = alloc::sync::Arc::clone(&told);
        let builder = Builder::<Seconds>::seeded(Node(1), 0).clock(&clock);
        let builder = builder.on_overflow(move |_| _ = counted.fetch_add(1, Ordering::Relaxed));
        let mut local = builder.build_local().unwrap();
        for tick in [1_000, 500] {
            clock.set(at(tick));
            local.reset_seeded(2).unwrap();
            local.fill(&mut [0; 257]).unwrap();
        }
        assert_eq!(told.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn windowed_is_not_reset() {
        let clock = ManualClock::new(at(1_000));
        let window = Window::new(Tick::new(1).unwrap(), 2_000).unwrap();
        let mut local = builder(&clock).window(window).build_local().unwrap();
        generate_and_turn_back(&mut local, &clock);
        assert_eq!(local.reset_seeded(2), Err(ResetError::Windowed));
        assert!(local.try_generate().is_err(), "nothing changed");
    }

    #[test]
    fn closed_is_not_reset() {
        let clock = ManualClock::new(at(1_000));
        let mut local = builder(&clock).build_local().unwrap();
        local.close();
        assert_eq!(local.reset_seeded(2), Err(ResetError::Closed));
    }
}
