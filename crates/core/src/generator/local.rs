use core::fmt;
use core::num::NonZeroU32;

use crate::block::Slot;
use crate::clock::{Clock, DefaultClock};
use crate::engine::{ExclusiveEngine, Snapshot, State};
#[cfg(feature = "std")]
use crate::error::BuildError;
use crate::error::{Error, RangeError};
use crate::generator::issuer::{Ids, Issuer};
#[cfg(feature = "std")]
use crate::generator::{Builder, FillError};
use crate::policy::Policy;
use crate::scheme::{Form, Scheme};
use crate::sequence::{Sequence, SequenceBounds};
use crate::window::Window;

/// The exclusive generator: for one owner, through `&mut self`, without atomics.
///
/// Its IDs strictly increase, and it skips no sequence. It has the methods of
/// [`Generator`](crate::Generator), and two of its own:
/// [`try_generate_with`](Self::try_generate_with) another policy and [`reset`](Self::reset).
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
/// Nobody draws from it through a shared reference:
///
/// ```compile_fail,E0596
/// use tickid_core::{Error, LocalGenerator, example};
///
/// fn draw(generator: &LocalGenerator<example::Seconds>) -> Result<(), Error> {
///     generator.try_generate().map(drop) // does not compile
/// }
/// ```
pub struct LocalGenerator<S: Scheme, C = DefaultClock, Q = <S as Scheme>::Sequence> {
    engine: ExclusiveEngine<S, Q>,
    issuer: Issuer<S, C>,
}

#[cfg(feature = "std")]
impl<S: Scheme + Default> LocalGenerator<S, DefaultClock, S::Sequence>
where
    DefaultClock: Clock,
{
    /// A generator for `node` with everything else as the scheme's document has it.
    ///
    /// # Errors
    /// [`BuildError::Seed`] when the operating system gives no random number.
    pub fn new(node: S::Node) -> Result<Self, BuildError> {
        Builder::new(node).build_local()
    }

    /// A generator for `node` with options.
    pub fn builder(node: S::Node) -> Builder<S> {
        Builder::new(node)
    }
}

impl<S: Scheme, C, Q> LocalGenerator<S, C, Q> {
    pub(crate) fn from_parts(issuer: Issuer<S, C>, engine: ExclusiveEngine<S, Q>) -> Self {
        Self { engine, issuer }
    }
}

impl<S: Scheme, C: Clock, Q: Sequence> LocalGenerator<S, C, Q> {
    /// The next slot of the engine's tick, if there is one and the time is still right.
    #[inline]
    fn next_slot(&mut self) -> Option<Slot<S>> {
        self.engine.draw_at(self.issuer.clock.glance().ok()?)
    }

    // Cold alone does not do: inlined into the only caller it counts as likely as the rest.
    #[cold]
    #[inline(never)]
    fn try_advance(&mut self) -> Result<Slot<S>, Error> {
        let block = self.issuer.try_block(&mut self.engine, NonZeroU32::MIN)?;
        Ok(self.issuer.first_slot(&block))
    }

    /// [`try_generate`](Self::try_generate) under another policy than the generator's own, for this
    /// call only.
    ///
    /// # Errors
    /// As `try_generate`, with [`ErrorKind::Rollback`](crate::ErrorKind::Rollback) also when tick-tock
    /// is asked of a scheme that has no toggle bit and the clock ran back.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{LocalGenerator, ManualClock, Policy, Ticks, UnixTime, example};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let mut generator =
    ///     LocalGenerator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build_local()?;
    /// let last = generator.try_generate()?;
    /// clock.set(UnixTime::from_millis(60_000)?); // 40 seconds back
    /// assert!(generator.try_generate().is_err()); // this scheme waits
    /// let an_hour = Policy::Ratchet { allowance: Ticks::new(3_600) };
    /// assert_eq!(generator.try_generate_with(an_hour)?, last + 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_generate_with(
        &mut self,
        policy: Policy<S>,
    ) -> Result<<S::Form as Form<S>>::Id, Error> {
        let policy = match policy {
            Policy::TickTock if !S::TOGGLE => Policy::Wait,
            policy => policy,
        };
        let block = self
            .issuer
            .issue_with(|readings| self.engine.issue_under(policy, readings, NonZeroU32::MIN))?;
        Ok(S::Form::default().id(&self.issuer.scheme, self.issuer.first_slot(&block)))
    }
}

/// Schemes whose document lets a generator start over after the clock ran far back, at the price of
/// uniqueness and order.
pub trait Resettable: Scheme {}

/// Why a generator can't be reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResetError {
    /// It has a window, which promises that no ID comes twice.
    #[error("a generator with a window cannot be reset")]
    Windowed,
    /// It was closed.
    #[error("the generator is closed")]
    Closed,
    /// The operating system gave no random number for the new seed.
    #[error("no random seed from the operating system")]
    Seed,
}

impl<S: Resettable, C: Clock, Q: Sequence> LocalGenerator<S, C, Q> {
    /// Forgets what was issued: the next ID is of the clock's own tick, however far that is behind the
    /// last, and starts from a new random seed. **The IDs after it may be smaller than, or even the same
    /// as, those before.**
    ///
    /// # Errors
    /// [`ResetError`]: a generator with a window, a closed one, no seed.
    ///
    /// # Spec
    /// SCRU64, "Clock rollback handling": reset the generator on a significant rollback.
    #[cfg(feature = "std")]
    pub fn reset(&mut self) -> Result<(), ResetError> {
        let seed = super::builder::random_seed().map_err(|_| ResetError::Seed)?;
        self.reset_seeded(seed)
    }

    /// [`reset`](Self::reset) with a given seed.
    ///
    /// # Errors
    /// As `reset`.
    pub fn reset_seeded(&mut self, seed: u64) -> Result<(), ResetError> {
        let state = self.engine.state();
        if state.is_closed {
            Err(ResetError::Closed)
        } else if state.window == Window::ALL {
            self.engine.reset(seed);
            Ok(())
        } else {
            Err(ResetError::Windowed)
        }
    }
}

impl<S: Scheme, C: Clock, Q: Sequence> LocalGenerator<S, C, Q> {
    /// An ID, or at once the reason why not.
    ///
    /// # Errors
    /// [`Error`]; its [`retry_after`](Error::retry_after) tells when to try again.
    #[inline]
    pub fn try_generate(&mut self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.try_generate_as(S::Form::default())
    }

    /// [`try_generate`](Self::try_generate) in a form.
    ///
    /// # Errors
    /// As `try_generate`.
    #[inline]
    pub fn try_generate_as<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Error> {
        let slot = match self.next_slot() {
            Some(slot) => slot,
            None => self.try_advance()?,
        };
        Ok(form.id(&self.issuer.scheme, slot))
    }

    /// Writes IDs to the front of `out` until it is full or the generator can't go on, and returns
    /// those written.
    ///
    /// # Errors
    /// [`Error`] when there is room for an ID and not one could be written.
    pub fn try_fill<'a>(
        &mut self,
        out: &'a mut [<S::Form as Form<S>>::Id],
    ) -> Result<&'a mut [<S::Form as Form<S>>::Id], Error> {
        self.try_fill_as(S::Form::default(), out)
    }

    /// [`try_fill`](Self::try_fill) in a form.
    ///
    /// # Errors
    /// As `try_fill`.
    pub fn try_fill_as<'a, F: Form<S>>(
        &mut self,
        form: F,
        out: &'a mut [F::Id],
    ) -> Result<&'a mut [F::Id], Error> {
        let written = self.issuer.try_fill(&mut self.engine, form, out)?;
        Ok(&mut out[..written])
    }

    /// Up to `n` IDs of one tick, at least one.
    ///
    /// # Errors
    /// As [`try_generate`](Self::try_generate).
    pub fn try_block(&mut self, n: NonZeroU32) -> Result<Ids<S, S::Form>, Error> {
        self.try_block_as(S::Form::default(), n)
    }

    /// [`try_block`](Self::try_block) in a form.
    ///
    /// # Errors
    /// As `try_block`.
    pub fn try_block_as<F: Form<S>>(&mut self, form: F, n: NonZeroU32) -> Result<Ids<S, F>, Error> {
        let block = self.issuer.try_block(&mut self.engine, n)?;
        Ok(self.issuer.ids(form, &block))
    }

    /// Lets the generator issue in the ticks up to, but not including, `ceiling`. A ceiling at or
    /// below the present one changes nothing.
    ///
    /// # Errors
    /// [`RangeError`] for a ceiling at or below the window's floor or more than one past the last
    /// tick of the format.
    pub fn widen(&mut self, ceiling: u64) -> Result<(), RangeError> {
        self.engine.widen(ceiling)
    }

    /// Ends the generator: every later call fails with [`ErrorKind::Closed`](crate::ErrorKind::Closed).
    /// What it returns lets a [successor](crate::Builder::restore) go on without issuing an ID twice. Closing
    /// again returns the same.
    pub fn close(&mut self) -> Snapshot<S> {
        self.engine.close()
    }

    /// A look at the generator while it runs.
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
impl<S: Scheme, C: Clock, Q: Sequence> LocalGenerator<S, C, Q> {
    /// An ID, as soon as there is one.
    ///
    /// # Errors
    /// [`Error`] when waiting does not help or would take longer than
    /// [`max_wait`](crate::Builder::max_wait).
    #[inline]
    pub fn generate(&mut self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.generate_as(S::Form::default())
    }

    /// [`generate`](Self::generate) in a form.
    ///
    /// # Errors
    /// As `generate`.
    #[inline]
    pub fn generate_as<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Error> {
        let slot = match self.next_slot() {
            Some(slot) => slot,
            None => self.advance()?,
        };
        Ok(form.id(&self.issuer.scheme, slot))
    }

    #[cold]
    #[inline(never)]
    fn advance(&mut self) -> Result<Slot<S>, Error> {
        let block = self.issuer.block(&mut self.engine, NonZeroU32::MIN)?;
        Ok(self.issuer.first_slot(&block))
    }

    /// Fills all of `out`.
    ///
    /// # Errors
    /// [`FillError`], which says how many were written from the front before the generator failed as
    /// [`generate`](Self::generate) does. [`max_wait`](crate::Builder::max_wait) counts for each pause anew.
    pub fn fill(&mut self, out: &mut [<S::Form as Form<S>>::Id]) -> Result<(), FillError> {
        self.fill_as(S::Form::default(), out)
    }

    /// [`fill`](Self::fill) in a form.
    ///
    /// # Errors
    /// As `fill`.
    pub fn fill_as<F: Form<S>>(&mut self, form: F, out: &mut [F::Id]) -> Result<(), FillError> {
        self.issuer.fill(&mut self.engine, form, out)
    }

    /// Up to `n` IDs of one tick, at least one, as soon as there are any.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn block(&mut self, n: NonZeroU32) -> Result<Ids<S, S::Form>, Error> {
        self.block_as(S::Form::default(), n)
    }

    /// [`block`](Self::block) in a form.
    ///
    /// # Errors
    /// As `block`.
    pub fn block_as<F: Form<S>>(&mut self, form: F, n: NonZeroU32) -> Result<Ids<S, F>, Error> {
        let block = self.issuer.block(&mut self.engine, n)?;
        Ok(self.issuer.ids(form, &block))
    }
}

impl<S: Scheme, C: fmt::Debug, Q: Sequence> fmt::Debug for LocalGenerator<S, C, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("LocalGenerator");
        self.issuer.debug(&mut f);
        f.field("policy", &self.engine.rules().policy)
            .field("state", &self.engine.state())
            .finish_non_exhaustive()
    }
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

    type Local<'a> = LocalGenerator<Seconds, &'a ManualClock, RandomStart>;

    fn at(tick: i64) -> UnixTime {
        UnixTime::from_micros(tick * 1_000_000)
    }

    fn builder(clock: &ManualClock) -> Builder<Seconds, &ManualClock, RandomStart> {
        Builder::seeded(Node(1), 0).clock(clock).sequence(RandomStart::new(1))
    }

    fn generate_and_turn_back(local: &mut Local<'_>, clock: &ManualClock) {
        local.try_generate().unwrap();
        clock.set(at(500));
        assert!(local.try_generate().is_err());
    }

    #[test]
    fn a_reset_goes_on_at_the_clock_however_far_back() {
        let clock = ManualClock::new(at(1_000));
        let mut local = builder(&clock).build_local().unwrap();
        generate_and_turn_back(&mut local, &clock);
        local.reset_seeded(2).unwrap();
        let block = local.try_generate().unwrap();
        assert_eq!(block >> 17, 500);
    }

    #[cfg(feature = "std")]
    #[test]
    fn a_reset_takes_a_seed_from_the_system() {
        let clock = ManualClock::new(at(1_000));
        let starts = |_| {
            let mut local = builder(&clock).build_local().unwrap();
            local.reset().unwrap();
            local.try_generate().unwrap()
        };
        let [first, rest @ ..] = core::array::from_fn::<_, 32, _>(starts);
        // The same 32 times over by chance: once in 2^248 times.
        assert!(rest.iter().any(|&id| id != first));
    }

    #[test]
    fn a_generator_with_a_window_is_not_reset() {
        let clock = ManualClock::new(at(1_000));
        let window = Window::new(Tick::new(1).unwrap(), 2_000).unwrap();
        let mut local = builder(&clock).window(window).build_local().unwrap();
        generate_and_turn_back(&mut local, &clock);
        assert_eq!(local.reset_seeded(2), Err(ResetError::Windowed));
        assert!(local.try_generate().is_err(), "nothing changed");
    }

    #[test]
    fn a_closed_generator_is_not_reset() {
        let clock = ManualClock::new(at(1_000));
        let mut local = builder(&clock).build_local().unwrap();
        local.close();
        assert_eq!(local.reset_seeded(2), Err(ResetError::Closed));
    }
}
