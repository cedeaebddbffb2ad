//! The generator that threads share. The lock-free word is in `engine`.

use core::num::NonZeroU32;

use crate::clock::{Clock, DefaultClock};
use crate::engine::{Block, Drawn, Engine as _, SharedEngine};
use crate::error::{Error, ObserveError};
use crate::generator::accessors::accessors;
use crate::generator::calls::calls;
use crate::generator::own_source::own_source;
#[cfg(feature = "std")]
use crate::generator::source::Timed;
use crate::generator::source::{Follow, Source, observe};
use crate::generator::timing::Timing;
use crate::generator::{Ids, View};
use crate::range::RangeError;
use crate::scheme::{Id, Observable, Scheme, Variant};
use crate::slot::Slot;
use crate::snapshot::Snapshot;

/// A generator that you can share between threads. It draws IDs through `&self`, without a lock.
///
/// Most programs want this one. Build it once, for a node that no other process uses, and let every
/// thread call it: pass it around as a reference or in an `Arc`, or keep it in a `static`, as in the
/// second example. Don't build a generator for each ID, since a second generator of the same node
/// [issues the same IDs](Self::builder) as the first.
///
/// All its IDs differ, and those that one thread gets strictly increase. Any number of threads may
/// hold a reference, and up to 1,024 of them may be inside a call at the same moment.
///
/// Note that it does not use up every sequence: when threads race for a new tick, some may be
/// dropped, and a call that fails may drop one too. That costs a little capacity, and more only
/// where ticks have few IDs and failed calls are repeated at once. But if you need all of it, or
/// the last nanosecond, there are two alternatives. A
/// [`LocalGenerator`](crate::LocalGenerator) has one owner, needs no atomics, and drops nothing. A
/// [`Handle`](crate::Handle) per thread is as fast, because it draws whole blocks from this
/// generator, but whatever is left of its block at the end of a tick is lost.
///
/// | method | if no ID can be issued | returns |
/// |---|---|---|
/// | [`try_generate`](Self::try_generate) | fails | one ID |
/// | [`generate`](Self::generate) | sleeps, up to [`max_wait`](crate::Builder::max_wait) | one ID |
/// | [`generate_async`](Self::generate_async) | awaits the executor's timer | one ID |
/// | [`try_fill`](Self::try_fill) | stops there | IDs from the front of a slice |
/// | [`fill`](Self::fill) | sleeps | a full slice |
/// | [`try_block`](Self::try_block) | fails | up to `n` IDs as an iterator |
/// | [`block`](Self::block) | sleeps | the same |
///
/// Where you cannot block, call `try_generate`: after the clock was set back, for instance,
/// `generate` sleeps for up to a minute by default. If the scheme has more than one
/// [`Variant`](crate::Variant) of IDs, as sno has with its metabyte, these methods issue the default
/// one, and [`with`](Self::with) returns a view that has the same methods for another.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, example};
///
/// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// let [a, b] = std::thread::scope(|scope| {
///     let threads = [(); 2].map(|()| scope.spawn(|| generator.try_generate()));
///     threads.map(|thread| thread.join().unwrap())
/// });
/// assert_ne!(a?, b?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A generator for the whole program, which is built when it is first used:
///
/// ```
/// use std::sync::LazyLock;
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{BuildError, Generator};
///
/// static GENERATOR: LazyLock<Result<Generator<Seconds>, BuildError>> =
///     LazyLock::new(|| Generator::new(Node(7)));
///
/// fn next() -> Result<u64, Box<dyn std::error::Error>> {
///     Ok(GENERATOR.as_ref()?.generate()?)
/// }
///
/// assert!(next()? < next()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is `Send` and `Sync`, whatever the scheme is:
///
/// ```
/// fn is_shared<T: Send + Sync>() {}
///
/// fn with<S: tickid_core::Scheme>() {
///     is_shared::<tickid_core::Generator<S>>();
/// }
/// ```
pub struct Generator<S: Scheme, C = DefaultClock> {
    engine: SharedEngine<S>,
    pub(super) timing: Timing<C>,
}

accessors!(Generator, SharedEngine, build);

impl<S: Scheme, C> Generator<S, C> {
    pub(crate) fn engine(&self) -> &SharedEngine<S> {
        &self.engine
    }

    pub(crate) fn timing(&self) -> &Timing<C> {
        &self.timing
    }

    /// Returns a view of the generator that issues IDs of `variant`. It is no more than a reference
    /// and the variant, so create one wherever you need it.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Generator;
    /// use tickid_core::example::{Node, Plain, Seconds};
    ///
    /// let generator = Generator::<Seconds>::new(Node(7))?;
    /// let plain = generator.with(Plain); // the only variant of this scheme
    /// assert!(plain.generate()? < generator.generate()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<V: Variant<S>>(&self, variant: V) -> View<&Self, V> {
        View::new(self, variant)
    }
}

impl<S: Scheme, C: Clock> Generator<S, C> {
    calls! {
        self, (&self), self, S::Variant::default(), id Id<S>, ids Ids<S, S::Variant>,
        error crate::error::Error, named "an [`Error`](crate::Error)",
        max_wait "crate::Builder::max_wait", filled "",
        setup "let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;"
    }

    #[cfg(feature = "std")]
    crate::generator::calls::ready_calls! {
        self, (&self), self, error crate::error::Error,
        setup "let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;"
    }
}

impl<S: Scheme, C: Clock> Generator<S, C> {
    /// Observes an ID that was generated elsewhere, such as the one in a message you have just
    /// received. Every call that starts after this has returned, on any thread, view or handle,
    /// then gives an ID greater than `id`.
    ///
    /// Why would you want that? The clocks of two machines always differ a little, so an invoice can
    /// get a smaller ID than the order it belongs to, and whoever reads in the order of IDs meets
    /// the effect before its cause. That cannot happen between services that observe the IDs they
    /// receive. The page `docs/causality.md` says how far this goes, and what it costs.
    ///
    /// The generator moves on as if it had just issued the greatest of its own IDs that is not
    /// above `id`. If it is past that one already, nothing changes. The call never waits. Its effect
    /// is part of a [snapshot](Self::close), but it lives in memory, so after a crash you should
    /// observe the last ID in your own storage once more.
    ///
    /// # Errors
    /// Returns an [`ObserveError`], and changes nothing, if the generator is closed, if its clock
    /// cannot be read, if its policy is tick-tock, or if it would have to enter a tick that is
    ///
    /// - ahead of the clock by more than half of the policy's allowance, or
    /// - outside of its window or after the last of the scheme.
    ///
    /// These limits mean that a stranger's ID cannot stall you: if the generator can issue an ID
    /// now, it still can after it has accepted `id`, at the same reading of its clock. That is a
    /// promise for one ID only, which may be the last of its tick. Under
    /// [`Policy::Wait`](crate::Policy::Wait), which has no allowance, it also means that an ID which
    /// would leave no sequence of the present tick is refused until that tick is over, and so is an
    /// ID from a higher [share](crate::Scheme::split_node) of the same node.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{Generator, ManualClock, Policy, Ticks, UnixTime};
    ///
    /// let ahead = ManualClock::new(UnixTime::from_millis(102_000)?);
    /// let peer = Generator::<Seconds>::builder(Node(1)).clock(ahead).build()?;
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<Seconds>::builder(Node(2))
    ///     .policy(Policy::Ratchet { allowance: Ticks::new(10) })
    ///     .clock(clock)
    ///     .build()?;
    ///
    /// let cause = peer.try_generate()?;
    /// generator.observe(cause)?; // of a clock two seconds ahead
    /// assert!(generator.try_generate()? > cause);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Only IDs of an [`Observable`] variant can be observed.
    pub fn observe(&self, id: Id<S>) -> Result<(), ObserveError>
    where
        S::Variant: Observable<S>,
    {
        observe::<_, S::Variant>(self, id)
    }

    /// Reports whether an ID could be issued now, without drawing one, for example in a health
    /// check. Don't ask before you draw: another thread may take the last ID of the tick between the
    /// two calls, so just call [`try_generate`](Self::try_generate).
    ///
    /// # Errors
    /// Returns the errors of [`try_generate`](Self::try_generate).
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let builder = Generator::<example::Seconds>::builder(example::Node(1));
    /// let generator = builder.clock(&clock).build()?;
    /// generator.try_generate()?;
    /// clock.set(UnixTime::from_millis(97_000)?);
    /// let error = generator.check_ready().unwrap_err();
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_ready(&self) -> Result<(), Error> {
        (&self.engine).check_ready(&self.timing.clock)
    }
}

impl<S: Scheme, C> Generator<S, C> {
    /// Widens the window, so that the generator may issue in all ticks below `ceiling`. A lease does
    /// this when it is renewed. A window never shrinks, so a ceiling at or below the present one
    /// changes nothing, and neither does widening a generator that is closed.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the ceiling is at or below the window's floor, or more than one
    /// past the last tick of the format.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{ErrorKind, StallReason, Generator, ManualClock, Tick, UnixTime, Window, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(110_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1))
    ///     .window(Window::new(Tick::new(100)?, 110)?)
    ///     .clock(&clock)
    ///     .build()?;
    /// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Stalled(StallReason::WindowEnded));
    /// generator.widen(120)?; // the lease was renewed
    /// assert!(generator.try_generate().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn widen(&self, ceiling: u64) -> Result<(), RangeError> {
        self.engine.widen(ceiling)
    }

    /// Closes the generator, so that every later call fails with
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed).
    ///
    /// Give the snapshot to a [successor](crate::Builder::restore), and it continues where this one
    /// stopped, even in the same tick. You can also get a snapshot from [`state`](Self::state), but
    /// that one is out of date as soon as another thread draws an ID. This one is final. If you close
    /// the generator again, you get the same snapshot.
    ///
    /// A successor without the snapshot, as in the next process, may issue the same IDs until its
    /// clock is past the last one. [`close_and_wait`](Self::close_and_wait) waits for that.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{ErrorKind, StallReason, Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let builder = Generator::<example::Seconds>::builder(example::Node(1));
    /// let generator = builder.clock(&clock).build()?;
    /// let last = generator.try_generate()?;
    /// let snapshot = generator.close();
    /// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    /// assert_eq!(snapshot.highest_tick().map(|tick| tick.get()), Some(100));
    ///
    /// // In the same tick of the same clock, and no ID comes twice.
    /// let successor = Generator::<example::Seconds>::builder(example::Node(1))
    ///     .restore(snapshot)
    ///     .clock(&clock)
    ///     .build()?;
    /// assert_eq!(successor.try_generate()?, last + 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> Snapshot<S> {
        self.engine.close()
    }
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> Generator<S, C> {
    crate::generator::calls::closing_calls! { self, (&self), self, "Generator", "build" }
}

impl<S: Scheme, C: Clock> Source for &Generator<S, C> {
    type Scheme = S;
    type Error = Error;
    type Missed = Drawn<S>;

    own_source!(rules self self.engine.rules());

    fn check_ready(&self) -> Result<(), Error> {
        (&self.engine).check_ready(&self.timing.clock)
    }

    #[inline]
    fn fast_slot(&mut self) -> Result<Slot<S>, Drawn<S>> {
        self.engine.try_draw(&self.timing.clock, NonZeroU32::MIN).map(|block| block.first)
    }

    fn slow_slot(&mut self, drawn: Drawn<S>) -> Result<Slot<S>, Error> {
        self.engine.settle(drawn, &self.timing.clock).map(|block| block.first)
    }

    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<S>, Error> {
        (&self.engine).try_block(&self.timing.clock, want)
    }
}

impl<S: Scheme, C: Clock> Follow for &Generator<S, C> {
    type Refusal = ObserveError;

    fn follow(self, is_after: impl Fn(&S, Slot<S>) -> bool) -> Result<(), ObserveError> {
        self.engine.observe(&self.timing.clock, is_after)
    }
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> Timed for &Generator<S, C> {
    own_source!(timed self self.engine.rules(), self.timing);
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use core::pin::pin;
    use core::sync::atomic::{AtomicU32, Ordering};
    use core::task::{Context, Poll, Waker};
    use core::time::Duration;

    use super::*;
    use crate::clock::ManualClock;
    use crate::error::{ClockError, ErrorKind};
    use crate::example::{Node, Seconds};
    use crate::generator::Builder;
    use crate::time::UnixTime;

    /// A clock that stands still, and counts how often it is read.
    struct Counted {
        time: ManualClock,
        looks: AtomicU32,
    }

    impl Clock for Counted {
        fn now(&self) -> Result<UnixTime, ClockError> {
            self.looks.fetch_add(1, Ordering::Relaxed);
            self.time.now()
        }
    }

    #[test]
    fn known_tick_takes_one_reading() {
        let clock = Counted { time: ManualClock::new(UnixTime::EPOCH), looks: AtomicU32::new(0) };
        let generator = Builder::<Seconds>::seeded(Node(1), 0).clock(&clock).build().unwrap();
        for tick in [5, 6] {
            clock.time.set(UnixTime::from_micros(tick * 1_000_000));
            generator.try_generate().unwrap();
            let before = clock.looks.load(Ordering::Relaxed);
            for _ in 0..100 {
                generator.try_generate().unwrap();
            }
            assert_eq!(clock.looks.load(Ordering::Relaxed) - before, 100);
        }
    }

    #[test]
    fn observed_tick_takes_one_reading() {
        let clock = Counted { time: ManualClock::new(UnixTime::EPOCH), looks: AtomicU32::new(0) };
        clock.time.set(UnixTime::from_micros(100_000_000));
        let generator = Builder::<Seconds>::seeded(Node(1), 0).clock(&clock).build().unwrap();
        generator.observe(100 << 17 | 1 << 8 | 5).unwrap(); // of this node
        let before = clock.looks.load(Ordering::Relaxed);
        for sequence in 6..106 {
            assert_eq!(generator.try_generate(), Ok(100 << 17 | 1 << 8 | sequence));
        }
        assert_eq!(clock.looks.load(Ordering::Relaxed) - before, 100);
    }

    /// Runs a future that waits only for futures that it polls itself.
    fn run<F: Future>(future: F) -> F::Output {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("waits for somebody else"),
        }
    }

    #[test]
    fn async_waits_use_callers_sleep() {
        let clock = ManualClock::new(UnixTime::from_micros(5_300_000));
        let generator = Builder::<Seconds>::seeded(Node(1), 0).clock(&clock).build().unwrap();
        let in_the_tick = (0..256).map(|_| generator.try_generate()).filter(Result::is_ok).count();
        assert_eq!(in_the_tick, 256);

        let sleep = async |pause| {
            // A pause of 0 would not move the clock, so the wait would never end.
            let range = Duration::from_micros(1)..=Duration::from_millis(50);
            assert!(range.contains(&pause), "{pause:?}");
            clock.advance(pause);
        };
        let id = run(generator.generate_async(sleep)).unwrap();
        assert_eq!(id >> 17, 6);
        assert_eq!(clock.now(), Ok(UnixTime::from_micros(6_000_000)));
        assert_eq!(clock.slept(), Duration::ZERO);
    }

    #[test]
    fn async_waits_end_with_errors() {
        let generator = Builder::<Seconds>::new(Node(1)).build().unwrap();
        generator.close();
        let never = async |_| panic!("nothing to wait for");
        let error = run(generator.generate_async(never)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed);
    }
}
