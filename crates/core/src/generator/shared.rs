use core::fmt;
use core::num::NonZeroU32;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::block::{Block, Slot};
use crate::clock::{Clock, DefaultClock};
use crate::engine::{SharedEngine, Snapshot, Span, State, Word};
#[cfg(feature = "std")]
use crate::error::BuildError;
use crate::error::{Error, RangeError};
use crate::generator::Handle;
use crate::generator::issuer::{Ids, Issuer};
#[cfg(feature = "std")]
use crate::generator::{Builder, FillError};
use crate::policy::Policy;
use crate::scheme::{Form, Scheme};
use crate::sequence::{Sequence, SequenceBounds};

const ONE: NonZeroU32 = NonZeroU32::MIN;

/// The shared generator: any number of threads, up to 1,024 at the same time, draw IDs through
/// `&self` without a lock.
///
/// Its IDs are unique, and those of one thread strictly increase. Threads that race for a new tick
/// may drop sequences, and so does a call that is refused; no sequence is issued twice.
/// [`LocalGenerator`](crate::LocalGenerator), for one owner, is faster and drops none, a
/// [`Handle`] for each thread is as fast and drops the rest of its block with every tick.
///
/// | method | when it can't issue | gives |
/// |---|---|---|
/// | [`try_generate`](Self::try_generate) | says why | one ID |
/// | [`generate`](Self::generate) | sleeps, up to [`max_wait`](crate::Builder::max_wait) | one ID |
/// | [`try_fill`](Self::try_fill) | stops there | IDs from the front of a slice |
/// | [`fill`](Self::fill) | sleeps | a full slice |
/// | [`try_block`](Self::try_block) | says why | up to `n` IDs as an iterator |
/// | [`block`](Self::block) | sleeps | the same |
///
/// Each has a sister that ends in `_as` and takes a [`Form`]: what the caller chooses for each ID,
/// such as sno's metabyte. Without it that is the form's default.
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
/// It is shared between threads whatever the scheme:
///
/// ```
/// fn is_shared<T: Send + Sync>() {}
///
/// fn with<S: tickid_core::Scheme>() {
///     is_shared::<tickid_core::Generator<S>>();
/// }
/// ```
pub struct Generator<S: Scheme, C = DefaultClock, Q = <S as Scheme>::Sequence> {
    engine: SharedEngine<S, Q>,
    issuer: Issuer<S, C>,
}

#[cfg(feature = "std")]
impl<S: Scheme + Default> Generator<S, DefaultClock, S::Sequence>
where
    DefaultClock: Clock,
{
    /// A generator for `node` with everything else as the scheme's document has it.
    ///
    /// # Errors
    /// [`BuildError::Seed`] when the operating system gives no random number.
    pub fn new(node: S::Node) -> Result<Self, BuildError> {
        Builder::new(node).build()
    }

    /// A generator for `node` with options.
    pub fn builder(node: S::Node) -> Builder<S> {
        Builder::new(node)
    }
}

impl<S: Scheme, C, Q> Generator<S, C, Q> {
    pub(crate) fn from_parts(issuer: Issuer<S, C>, engine: SharedEngine<S, Q>) -> Self {
        Self { engine, issuer }
    }

    pub(crate) fn parts(&self) -> (&Issuer<S, C>, &SharedEngine<S, Q>) {
        (&self.issuer, &self.engine)
    }

    /// A share of this generator for one thread, which draws blocks instead of single IDs.
    pub fn handle(&self) -> Handle<'_, S, C, Q> {
        Handle::new(self)
    }
}

impl<S: Scheme, C: Clock, Q: Sequence> Generator<S, C, Q> {
    /// An ID, or at once the reason why not.
    ///
    /// # Errors
    /// [`Error`]; its [`retry_after`](Error::retry_after) tells when to try again.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{ErrorKind, Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
    /// let in_one_tick = (0..300).map(|_| generator.try_generate());
    /// assert_eq!(in_one_tick.filter(Result::is_ok).count(), 256); // all that this scheme has
    ///
    /// let error = generator.try_generate().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Exhausted);
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn try_generate(&self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.try_generate_as(S::Form::default())
    }

    /// [`try_generate`](Self::try_generate) in a form.
    ///
    /// # Errors
    /// As `try_generate`.
    #[inline]
    pub fn try_generate_as<F: Form<S>>(&self, form: F) -> Result<F::Id, Error> {
        let slot = match self.draw(ONE) {
            Ok((_, slot)) => slot,
            Err(drawn) => self.try_settle(drawn)?,
        };
        Ok(form.id(&self.issuer.scheme, slot))
    }

    /// Draws `want` sequences: the span of their tick, if it is known, has all of them and the time is
    /// right, and the first of them; otherwise what was drawn, to be settled.
    #[inline]
    pub(crate) fn draw(&self, want: NonZeroU32) -> Result<(Span, Slot<S>), Word<S>> {
        // The clock first: after the add there is nothing left that has to be waited for. A tick that
        // was left since then is not the one that is drawn from.
        let known = self.issuer.clock.glance().ok().and_then(|time| self.engine.known(time));
        let drawn = self.engine.draw(want);
        let Some(known) = known else { return Err(drawn) };
        match self.engine.sequence_in(known, drawn, want) {
            Some(sequence) => Ok((known.span, Slot::of(known.span.stem, sequence))),
            None => Err(drawn),
        }
    }

    // Cold alone does not do: inlined into the only caller it counts as likely as the rest.
    #[cold]
    #[inline(never)]
    fn try_settle(&self, drawn: Word<S>) -> Result<Slot<S>, Error> {
        Ok(self.issuer.first_slot(&self.try_settle_block(drawn, ONE)?))
    }

    /// A block that begins with what was drawn for it, or another one.
    pub(crate) fn try_settle_block(
        &self,
        drawn: Word<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Error> {
        self.issuer.issue_with(|clock| self.engine.settle(drawn, clock, want))
    }

    /// Writes IDs to the front of `out` until it is full or the generator can't go on, and returns
    /// those written.
    ///
    /// # Errors
    /// [`Error`] when there is room for an ID and not one could be written.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
    /// let mut ids = [0; 300];
    /// let written = generator.try_fill(&mut ids)?;
    /// assert_eq!(written.len(), 256); // the tick has no more
    /// assert!(written.is_sorted());
    /// assert!(generator.try_fill(&mut ids).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_fill<'a>(
        &self,
        out: &'a mut [<S::Form as Form<S>>::Id],
    ) -> Result<&'a mut [<S::Form as Form<S>>::Id], Error> {
        self.try_fill_as(S::Form::default(), out)
    }

    /// [`try_fill`](Self::try_fill) in a form.
    ///
    /// # Errors
    /// As `try_fill`.
    pub fn try_fill_as<'a, F: Form<S>>(
        &self,
        form: F,
        out: &'a mut [F::Id],
    ) -> Result<&'a mut [F::Id], Error> {
        let written = self.issuer.try_fill(&mut &self.engine, form, out)?;
        Ok(&mut out[..written])
    }

    /// Up to `n` IDs of one tick, at least one.
    ///
    /// # Errors
    /// As [`try_generate`](Self::try_generate).
    ///
    /// # Examples
    /// ```
    /// use core::num::NonZeroU32;
    /// use tickid_core::{Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
    /// let n = NonZeroU32::new(200).ok_or("zero")?;
    /// let (one, other) = (generator.try_block(n)?, generator.try_block(n)?);
    /// assert_eq!((one.len(), other.len()), (200, 56)); // of 256 in the tick
    /// assert!(one.chain(other).is_sorted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_block(&self, n: NonZeroU32) -> Result<Ids<S, S::Form>, Error> {
        self.try_block_as(S::Form::default(), n)
    }

    /// [`try_block`](Self::try_block) in a form.
    ///
    /// # Errors
    /// As `try_block`.
    pub fn try_block_as<F: Form<S>>(&self, form: F, n: NonZeroU32) -> Result<Ids<S, F>, Error> {
        let block = self.issuer.try_block(&mut &self.engine, n)?;
        Ok(self.issuer.ids(form, &block))
    }

    /// Lets the generator issue in the ticks up to, but not including, `ceiling`. A ceiling at or
    /// below the present one changes nothing, nor does one after the generator was closed.
    ///
    /// # Errors
    /// [`RangeError`] for a ceiling at or below the window's floor or more than one past the last
    /// tick of the format.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{ErrorKind, Generator, ManualClock, Tick, UnixTime, Window, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(110_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1))
    ///     .window(Window::new(Tick::new(100)?, 110)?)
    ///     .clock(&clock)
    ///     .build()?;
    /// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Window);
    /// generator.widen(120)?; // the lease was renewed
    /// assert!(generator.try_generate().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn widen(&self, ceiling: u64) -> Result<(), RangeError> {
        self.engine.widen(ceiling)
    }

    /// Ends the generator: every later call fails with [`ErrorKind::Closed`](crate::ErrorKind::Closed).
    /// What it returns lets a [successor](crate::Builder::restore) go on without issuing an ID twice. Closing
    /// again returns the same.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{ErrorKind, Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
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

    /// A look at the generator while it runs; it may be out of date when it is read.
    #[must_use]
    pub fn state(&self) -> State<S> {
        self.engine.state()
    }

    /// The node of every ID.
    #[must_use]
    pub fn node(&self) -> S::Node {
        self.issuer.node
    }

    /// What the bits of its IDs don't say.
    #[must_use]
    pub fn layout(&self) -> S {
        self.issuer.scheme
    }

    /// Where its time comes from.
    #[must_use]
    pub fn clock(&self) -> &C {
        &self.issuer.clock
    }

    /// The sequences it uses in each tick.
    #[must_use]
    pub fn bounds(&self) -> SequenceBounds {
        self.engine.rules().bounds
    }

    /// What it does when the clock runs behind.
    #[must_use]
    pub fn policy(&self) -> Policy<S> {
        self.engine.rules().policy
    }
}

/// Methods that wait. They sleep, at most 50 milliseconds at a time, and look at the clock again;
/// they spin for no more than the last 60 microseconds. They wait for one minute or
/// [`max_wait`](crate::Builder::max_wait), and not at all for a window that has passed unless that
/// option is set. A generator that is closed, or whose clock is out of the scheme's range, is an error
/// at once.
#[cfg(feature = "std")]
impl<S: Scheme, C: Clock, Q: Sequence> Generator<S, C, Q> {
    /// An ID, as soon as there is one.
    ///
    /// # Errors
    /// [`Error`] when waiting does not help or would take longer than
    /// [`max_wait`](crate::Builder::max_wait).
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
    /// let ids: Vec<_> = (0..300).map(|_| generator.generate()).collect::<Result<_, _>>()?;
    /// assert!(ids.is_sorted());
    /// assert_eq!(clock.slept(), Duration::from_secs(1)); // after 256 of them, until the next tick
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn generate(&self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.generate_as(S::Form::default())
    }

    /// [`generate`](Self::generate) in a form.
    ///
    /// # Errors
    /// As `generate`.
    #[inline]
    pub fn generate_as<F: Form<S>>(&self, form: F) -> Result<F::Id, Error> {
        let slot = match self.draw(ONE) {
            Ok((_, slot)) => slot,
            Err(drawn) => self.settle(drawn)?,
        };
        Ok(form.id(&self.issuer.scheme, slot))
    }

    #[cold]
    #[inline(never)]
    fn settle(&self, drawn: Word<S>) -> Result<Slot<S>, Error> {
        Ok(self.issuer.first_slot(&self.settle_block(drawn, ONE)?))
    }

    /// [`try_settle_block`](Self::try_settle_block), but waits out what passes.
    pub(crate) fn settle_block(&self, drawn: Word<S>, want: NonZeroU32) -> Result<Block<S>, Error> {
        self.try_settle_block(drawn, want)
            .or_else(|error| self.issuer.wait_for_block(&mut &self.engine, want, error))
    }

    /// Does what [`generate`](Self::generate) does without blocking the thread: it awaits `sleep`, which
    /// wraps the executor's timer, for at most 50 milliseconds at a time.
    ///
    /// The future is `Send` if the generator is shared between threads and `sleep` returns a future that
    /// is. A task that is spawned owns the generator, in an `Arc` for example.
    ///
    /// # Errors
    /// As `generate`.
    ///
    /// # Examples
    /// ```
    /// # async fn example() -> Result<(), Box<dyn core::error::Error>> {
    /// use tickid_core::{Generator, example};
    /// # mod tokio { pub mod time { pub async fn sleep(_: core::time::Duration) {} } }
    ///
    /// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
    /// let id = generator.generate_async(tokio::time::sleep).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn generate_async<Sleep: Future<Output = ()>>(
        &self,
        sleep: impl Fn(Duration) -> Sleep,
    ) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.generate_async_as(S::Form::default(), sleep).await
    }

    /// [`generate_async`](Self::generate_async) in a form.
    ///
    /// # Errors
    /// As `generate`.
    pub async fn generate_async_as<F: Form<S>, Sleep: Future<Output = ()>>(
        &self,
        form: F,
        sleep: impl Fn(Duration) -> Sleep,
    ) -> Result<F::Id, Error> {
        let block = self.issuer.block_async(&mut &self.engine, ONE, sleep).await?;
        Ok(form.id(&self.issuer.scheme, self.issuer.first_slot(&block)))
    }

    /// Fills all of `out`.
    ///
    /// # Errors
    /// [`FillError`], which says how many were written from the front before the generator failed as
    /// [`generate`](Self::generate) does. [`max_wait`](crate::Builder::max_wait) counts for each pause anew.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Generator, ManualClock, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?;
    /// let mut ids = [0; 1_000];
    /// generator.fill(&mut ids)?; // 256 for each second
    /// assert!(ids.is_sorted());
    /// assert_eq!(ids[999] >> 17, 103);
    ///
    /// generator.close();
    /// let error = generator.fill(&mut ids).unwrap_err();
    /// assert_eq!(error.written, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(&self, out: &mut [<S::Form as Form<S>>::Id]) -> Result<(), FillError> {
        self.fill_as(S::Form::default(), out)
    }

    /// [`fill`](Self::fill) in a form.
    ///
    /// # Errors
    /// As `fill`.
    pub fn fill_as<F: Form<S>>(&self, form: F, out: &mut [F::Id]) -> Result<(), FillError> {
        self.issuer.fill(&mut &self.engine, form, out)
    }

    /// Up to `n` IDs of one tick, at least one, as soon as there are any.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn block(&self, n: NonZeroU32) -> Result<Ids<S, S::Form>, Error> {
        self.block_as(S::Form::default(), n)
    }

    /// [`block`](Self::block) in a form.
    ///
    /// # Errors
    /// As `block`.
    pub fn block_as<F: Form<S>>(&self, form: F, n: NonZeroU32) -> Result<Ids<S, F>, Error> {
        let block = self.issuer.block(&mut &self.engine, n)?;
        Ok(self.issuer.ids(form, &block))
    }
}

impl<S: Scheme, C: fmt::Debug, Q: Sequence> fmt::Debug for Generator<S, C, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Generator");
        self.issuer.debug(&mut f);
        f.field("policy", &self.engine.rules().policy)
            .field("state", &self.engine.state())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use core::pin::pin;
    use core::sync::atomic::{AtomicU32, Ordering};
    use core::task::{Context, Poll, Waker};

    use super::*;
    use crate::clock::ManualClock;
    use crate::error::{ClockError, ErrorKind};
    use crate::example::{Node, Seconds};
    use crate::time::UnixTime;

    /// Stands still, and counts how often it is looked at.
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
    fn an_id_of_a_known_tick_takes_one_look_at_the_clock() {
        let clock = Counted { time: ManualClock::new(UnixTime::EPOCH), looks: AtomicU32::new(0) };
        let generator = Builder::<Seconds, _, _>::seeded(Node(1), 0).clock(&clock).build().unwrap();
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

    /// Runs a future that never waits for anything but what it polls itself.
    fn run<F: Future>(future: F) -> F::Output {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("waits for somebody else"),
        }
    }

    #[test]
    fn asynchronous_waiting_leaves_the_sleeping_to_the_caller() {
        let clock = ManualClock::new(UnixTime::from_micros(5_300_000));
        let generator = Builder::<Seconds, _, _>::seeded(Node(1), 0).clock(&clock).build().unwrap();
        let in_the_tick = (0..256).map(|_| generator.try_generate()).filter(Result::is_ok).count();
        assert_eq!(in_the_tick, 256);

        let sleep = async |pause| {
            assert!(pause <= Duration::from_millis(50), "{pause:?}");
            clock.advance(pause);
        };
        let id = run(generator.generate_async(sleep)).unwrap();
        assert_eq!(id >> 17, 6);
        assert_eq!(clock.now(), Ok(UnixTime::from_micros(6_000_000)));
        assert_eq!(clock.slept(), Duration::ZERO);
    }

    #[test]
    fn asynchronous_waiting_ends_with_an_error_where_waiting_does_not_help() {
        let generator = Builder::<Seconds>::new(Node(1)).build().unwrap();
        generator.close();
        let never = async |_| panic!("nothing to wait for");
        let error = run(generator.generate_async(never)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed);
    }
}
