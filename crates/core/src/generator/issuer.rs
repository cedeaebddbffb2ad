//! What shared and exclusive generators do alike.

use core::fmt;
use core::iter::FusedIterator;
use core::num::NonZeroU32;
use core::ops::Range;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::block::{Block, Slot, Stem};
use crate::clock::Clock;
use crate::engine::{Issue, Refusal, Span, StallReason, TickSource};
use crate::error::{ClockError, Error, ErrorKind};
#[cfg(feature = "std")]
use crate::generator::overflow::{OverflowWatch, Waiting};
use crate::policy::Policy;
use crate::scheme::{Form, Forms, Scheme};
use crate::tick::Tick;
use crate::time::UnixTime;

/// How long a waiting generator sleeps before it looks at its clock again: a step of the clock or a
/// wider window may have shortened the wait.
#[cfg(feature = "std")]
const MAX_SLEEP: Duration = Duration::from_millis(50);

/// Everything of a generator but its engine.
pub(crate) struct Issuer<S: Scheme, C> {
    pub(crate) scheme: S,
    pub(crate) node: S::Node,
    pub(crate) clock: C,
    pub(crate) forms: Forms,
    #[cfg(feature = "std")]
    pub(crate) max_wait: Option<Duration>,
    #[cfg(feature = "std")]
    pub(crate) overflow: OverflowWatch,
}

impl<S: Scheme, C: Clock> Issuer<S, C> {
    #[inline]
    fn tick(&self, time: UnixTime) -> Result<Tick<S>, ClockError> {
        match self.scheme.tick_at(time) {
            Ok(tick) if (S::FIRST_TICK..=S::LAST_TICK).contains(&tick.get()) => Ok(tick),
            _ => Err(self.out_of_range(time)),
        }
    }

    #[cold]
    fn out_of_range(&self, time: UnixTime) -> ClockError {
        let first = self.scheme.time_of(Tick::held(S::FIRST_TICK));
        let last = self.scheme.time_of(Tick::held(S::LAST_TICK));
        ClockError::OutOfRange { time, first, last }
    }

    /// Checks that IDs of this form may be issued. Compiles to nothing for schemes all of whose IDs
    /// carry the node.
    #[inline]
    pub(crate) fn check_form(&self, form: impl Form<S>) -> Result<(), Error> {
        if S::HAS_NODELESS_IDS && !self.forms.contains(form.has_node()) {
            return Err(self.wrong_form());
        }
        Ok(())
    }

    #[cold]
    fn wrong_form(&self) -> Error {
        Error { scheme: S::NAME, kind: ErrorKind::Form(self.forms), now: None, until: None }
    }

    /// Lets `issue` ask for the tick as often as it likes, and dresses its refusal up as an error.
    #[inline]
    pub(crate) fn issue_with<T>(
        &self,
        issue: impl FnOnce(&mut Readings<'_, S, C>) -> Result<T, Refusal<S>>,
    ) -> Result<T, Error> {
        let mut readings = Readings { issuer: self, last: None };
        match issue(&mut readings) {
            Ok(issued) => Ok(issued),
            Err(refusal) => Err(self.error(refusal, readings.last)),
        }
    }

    #[cold]
    fn error(&self, refusal: Refusal<S>, now: Option<UnixTime>) -> Error {
        let (kind, until) = match refusal {
            Refusal::Clock(error) => (ErrorKind::Clock(error), None),
            Refusal::SequenceStart(start, bounds) => {
                let (lowest, last) = (bounds.lowest(), bounds.last());
                (ErrorKind::SequenceStart { start, lowest, last }, None)
            }
            Refusal::Stall(stall) => {
                let kind = match stall.reason {
                    StallReason::Rollback => ErrorKind::Rollback,
                    StallReason::Exhausted => ErrorKind::Exhausted,
                    StallReason::Window => ErrorKind::Window,
                    StallReason::Closed => ErrorKind::Closed,
                    StallReason::EndOfTime => ErrorKind::EndOfTime,
                };
                (kind, stall.until.map(|tick| self.scheme.time_of(tick)))
            }
        };
        Error { scheme: S::NAME, kind, now, until }
    }

    #[inline]
    pub(crate) fn try_block(
        &self,
        engine: &mut impl Issue<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Error> {
        self.issue_with(|readings| engine.issue(readings, want))
    }

    pub(crate) fn first_slot(&self, block: &Block<S>) -> Slot<S> {
        Slot::of(self.stem(block), block.first)
    }

    fn stem(&self, block: &Block<S>) -> Stem {
        self.scheme.stem(&self.node, block.tick, block.toggle)
    }

    pub(crate) fn span(&self, block: &Block<S>, policy: Policy<S>) -> Span {
        Span::of(&self.scheme, &self.node, block, policy)
    }

    /// Writes the IDs of `block` to the front of `out`, which has the room, and returns how many.
    fn write<F: Form<S>>(&self, form: F, block: &Block<S>, out: &mut [F::Id]) -> usize {
        let len = block.len.get() as usize;
        form.fill(&self.scheme, self.first_slot(block), &mut out[..len]);
        len
    }

    /// Writes IDs from the front of `out` for as long as the engine issues; returns how many.
    pub(crate) fn try_fill<F: Form<S>>(
        &self,
        engine: &mut impl Issue<S>,
        form: F,
        out: &mut [F::Id],
    ) -> Result<usize, Error> {
        let mut written = 0;
        while let Some(want) = want(out.len() - written) {
            match self.try_block(engine, want) {
                Ok(block) => written += self.write(form, &block, &mut out[written..]),
                Err(error) if written == 0 => return Err(error),
                // It stands at the start of the next call, if it is still true then.
                Err(_) => break,
            }
        }
        Ok(written)
    }

    pub(crate) fn ids<F: Form<S>>(&self, form: F, block: &Block<S>) -> Ids<S, F> {
        Ids { scheme: self.scheme, form, stem: self.stem(block), sequences: block.sequences() }
    }
}

/// The clock of a generator, as one call reads it.
pub(crate) struct Readings<'a, S: Scheme, C> {
    issuer: &'a Issuer<S, C>,
    last: Option<UnixTime>,
}

impl<S: Scheme, C: Clock> Readings<'_, S, C> {
    #[inline]
    fn tick(&mut self, time: Result<UnixTime, ClockError>) -> Result<Tick<S>, ClockError> {
        let time = time?;
        self.last = Some(time);
        self.issuer.tick(time)
    }
}

impl<S: Scheme, C: Clock> TickSource<S> for Readings<'_, S, C> {
    #[inline]
    fn now(&mut self) -> Result<Tick<S>, ClockError> {
        self.tick(self.issuer.clock.now())
    }

    #[inline]
    fn glance(&mut self) -> Result<Tick<S>, ClockError> {
        self.tick(self.issuer.clock.glance())
    }

    fn span(&self, block: &Block<S>, policy: Policy<S>) -> Span {
        self.issuer.span(block, policy)
    }
}

/// As many of `len` as one call can ask for; `None` for none.
fn want(len: usize) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(len).unwrap_or(u32::MAX))
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> Issuer<S, C> {
    /// Like [`try_block`](Self::try_block), but waits out what passes.
    #[inline]
    pub(crate) fn block(
        &self,
        engine: &mut impl Issue<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Error> {
        match self.try_block(engine, want) {
            Ok(block) => Ok(block),
            Err(error) => self.wait_for_block(engine, want, error),
        }
    }

    /// Fills all of `out`.
    pub(crate) fn fill<F: Form<S>>(
        &self,
        engine: &mut impl Issue<S>,
        form: F,
        out: &mut [F::Id],
    ) -> Result<(), FillError> {
        let mut written = 0;
        while let Some(want) = want(out.len() - written) {
            let block = self.block(engine, want).map_err(|source| FillError { written, source })?;
            written += self.write(form, &block, &mut out[written..]);
        }
        Ok(())
    }

    /// A block, as soon as there is one after `error`.
    #[cold]
    pub(crate) fn wait_for_block(
        &self,
        engine: &mut impl Issue<S>,
        want: NonZeroU32,
        mut error: Error,
    ) -> Result<Block<S>, Error> {
        let start = self.clock.monotonic();
        loop {
            self.wait(engine, error, start)?;
            match self.try_block(engine, want) {
                Ok(block) => return Ok(block),
                Err(again) => error = again,
            }
        }
    }

    /// Watches the clock until the engine would issue, drawing nothing meanwhile.
    fn wait(&self, engine: &impl Issue<S>, mut error: Error, start: Duration) -> Result<(), Error> {
        let mut waiting = None;
        loop {
            let pause = self.pause(&error, start)?;
            if self.count(&error, &mut waiting) {
                self.clock.sleep(pause);
            }
            match self.look(engine) {
                Ok(()) => return Ok(()),
                Err(again) => error = again,
            }
        }
    }

    /// Like [`block`](Self::block), but sleeps by `sleep` instead of by the clock.
    pub(crate) async fn block_async(
        &self,
        engine: &mut impl Issue<S>,
        want: NonZeroU32,
        sleep: impl AsyncFn(Duration),
    ) -> Result<Block<S>, Error> {
        let mut start = None;
        loop {
            let mut error = match self.try_block(engine, want) {
                Ok(block) => return Ok(block),
                Err(error) => error,
            };
            let start = *start.get_or_insert_with(|| self.clock.monotonic());
            let mut waiting = None;
            loop {
                let pause = self.pause(&error, start)?;
                if self.count(&error, &mut waiting) {
                    sleep(pause).await;
                }
                match self.look(engine) {
                    Ok(()) => break,
                    Err(again) => error = again,
                }
            }
        }
    }

    /// Counts the caller among those who wait from where the tick turns out to be used up. `false` when
    /// it just did: the observer may have taken its time, and the clock deserves another look.
    fn count<'a>(&'a self, error: &Error, waiting: &mut Option<Waiting<'a>>) -> bool {
        if let (ErrorKind::Exhausted, Some(now), None) = (error.kind, error.now, &waiting)
            && let Ok(tick) = self.scheme.tick_at(now)
        {
            *waiting = Some(self.overflow.enter(now, tick.get()));
            return false;
        }
        true
    }

    /// Whether the engine would issue now.
    fn look(&self, engine: &impl Issue<S>) -> Result<(), Error> {
        let now = self.clock.now();
        let refusal = match now.and_then(|now| self.tick(now)) {
            Ok(tick) => match engine.ready(tick) {
                Ok(()) => return Ok(()),
                Err(stall) => Refusal::Stall(stall),
            },
            Err(error) => Refusal::Clock(error),
        };
        Err(self.error(refusal, now.ok()))
    }

    /// How long to sleep on `error`, or the error itself where waiting does not help or where
    /// `max_wait`, counted from `start`, would not be enough.
    fn pause(&self, error: &Error, start: Duration) -> Result<Duration, Error> {
        match error.kind {
            ErrorKind::Rollback | ErrorKind::Exhausted | ErrorKind::Window => {}
            _ => return Err(*error),
        }
        let rest = error.retry_after();
        let left = match self.max_wait {
            None => Duration::MAX,
            Some(max_wait) => max_wait.saturating_sub(self.clock.monotonic().saturating_sub(start)),
        };
        // What does not depend on the clock may change at any time, so that is waited for to the end.
        if left.is_zero() || rest.is_some_and(|rest| rest > left) {
            return Err(*error);
        }
        Ok(rest.unwrap_or(MAX_SLEEP).min(MAX_SLEEP).min(left))
    }
}

impl<S: Scheme, C: fmt::Debug> Issuer<S, C> {
    /// The fields a generator shows of itself when it is debugged.
    pub(crate) fn debug(&self, f: &mut fmt::DebugStruct<'_, '_>) {
        f.field("scheme", &self.scheme).field("node", &self.node).field("clock", &self.clock);
    }
}

/// A slice could not be filled to its end.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("only {written} IDs were written")]
pub struct FillError {
    /// How many IDs were written from the front of the slice; they have been issued.
    pub written: usize,
    /// What kept the generator from going on.
    pub source: Error,
}

/// The IDs of one block, in increasing order.
///
/// IDs that are dropped unused are gone: the generator never issues them again.
#[derive(Clone, Debug)]
pub struct Ids<S: Scheme, F> {
    scheme: S,
    form: F,
    stem: Stem,
    sequences: Range<u32>,
}

impl<S: Scheme, F: Form<S>> Iterator for Ids<S, F> {
    type Item = F::Id;

    #[inline]
    fn next(&mut self) -> Option<F::Id> {
        let sequence = self.sequences.next()?;
        Some(self.form.id(&self.scheme, Slot::of(self.stem, sequence)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.sequences.size_hint()
    }
}

impl<S: Scheme, F: Form<S>> ExactSizeIterator for Ids<S, F> {}
impl<S: Scheme, F: Form<S>> FusedIterator for Ids<S, F> {}
