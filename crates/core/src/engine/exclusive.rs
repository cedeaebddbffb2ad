//! The engine of one owner: no atomics, skips no sequence.

use core::num::NonZeroU32;

use crate::block::Block;
use crate::engine::rules::{Rules, Step, stamp_of};
use crate::engine::snapshot::{self, Snapshot, State};
use crate::engine::stall::{Stall, StallReason};
use crate::engine::word::Word;
use crate::engine::{Issue, Refusal};
use crate::error::{ClockError, RangeError};
use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::sequence::Sequence;
use crate::tick::Tick;
use crate::window::Window;

#[derive(Debug)]
pub(crate) struct ExclusiveEngine<S: Scheme, Q> {
    word: Word<S>,
    rules: Rules<S, Q>,
    window: Window<S>,
    /// The highest stamp under each toggle that was ever left.
    past: [u64; 2],
    drifts: u32,
}

impl<S: Scheme, Q: Sequence> ExclusiveEngine<S, Q> {
    pub(crate) fn new(
        rules: Rules<S, Q>,
        window: Window<S>,
        resumed: &Snapshot<S>,
    ) -> Result<Self, RangeError> {
        let (word, other_past) = resumed.resume(rules.bounds, &window)?;
        let mut past = [0; 2];
        past[usize::from(!word.toggle())] = other_past;
        Ok(Self {
            word,
            rules,
            window,
            past,
            drifts: resumed.drifts,
        })
    }

    #[inline]
    pub(crate) fn issue_under(
        &mut self,
        policy: Policy<S>,
        now: Result<Tick<S>, ClockError>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        let now = stamp_of(now.map_err(Refusal::Clock)?);
        if !self.word.is_closed()
            && Rules::<S, Q>::accepts(self.word, now, policy)
            && let Some(len) = self.rules.left(self.word, want)
        {
            return Ok(self.draw(len));
        }
        self.advance(policy, now, want)
    }

    /// Takes the next `len` sequences, which must be left.
    #[inline]
    fn draw(&mut self, len: NonZeroU32) -> Block<S> {
        let word = self.word;
        self.word = word.with_sequence(word.sequence() + u64::from(len.get()));
        block(word, len)
    }

    #[cold]
    fn advance(
        &mut self,
        policy: Policy<S>,
        now: u64,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        match self.step(policy, now) {
            Step::Draw => {}
            Step::Stall(stall) => return Err(Refusal::Stall(stall)),
            Step::Move { stamp, toggle } => {
                let start = self.rules.start(stamp)?;
                if toggle != self.word.toggle() {
                    let past = &mut self.past[usize::from(self.word.toggle())];
                    *past = self.word.stamp().max(*past);
                    self.drifts = self.drifts.wrapping_add(1);
                }
                self.word = Word::new(stamp, toggle, start.into());
            }
        }
        match self.rules.left(self.word, want) {
            Some(len) => Ok(self.draw(len)),
            None => Err(Refusal::Stall(Stall::new(StallReason::Exhausted, None))),
        }
    }

    fn step(&self, policy: Policy<S>, now: u64) -> Step<S> {
        if self.word.is_closed() {
            return Step::Stall(Stall::new(StallReason::Closed, None));
        }
        let other_past = self.past[usize::from(!self.word.toggle())];
        let ceiling = self.window.ceiling() + 1;
        self.rules.step(self.word, now, policy, ceiling, other_past)
    }

    pub(crate) fn rules(&self) -> &Rules<S, Q> {
        &self.rules
    }

    pub(crate) fn widen(&mut self, ceiling: u64) -> Result<(), RangeError> {
        let wider = Window::new(self.window.floor(), ceiling)?;
        if ceiling > self.window.ceiling() {
            self.window = wider;
        }
        Ok(())
    }

    /// Forgets everything and starts over with a new seed.
    pub(crate) fn reset(&mut self, seed: u64) {
        self.rules.sequence.reseed(seed);
        self.word = Word::PRISTINE;
        self.past = [0; 2];
    }

    pub(crate) fn close(&mut self) -> Snapshot<S> {
        self.word = self.word.closed();
        self.state().snapshot
    }

    pub(crate) fn state(&self) -> State<S> {
        let other_past = self.past[usize::from(!self.word.toggle())];
        State {
            snapshot: snapshot::snapshot(self.word, other_past, self.drifts, self.rules.bounds),
            window: self.window,
            is_closed: self.word.is_closed(),
        }
    }
}

impl<S: Scheme, Q: Sequence> Issue<S> for ExclusiveEngine<S, Q> {
    #[inline]
    fn issue(
        &mut self,
        mut now: impl FnMut() -> Result<Tick<S>, ClockError>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        self.issue_under(self.rules.policy, now(), want)
    }

    #[cfg(feature = "std")]
    fn ready(&self, now: Tick<S>) -> Result<(), Stall<S>> {
        match self.step(self.rules.policy, stamp_of(now)) {
            Step::Draw | Step::Move { .. } => Ok(()),
            Step::Stall(stall) => Err(stall),
        }
    }
}

/// The `len` sequences that begin with the next of `word`.
#[inline]
pub(crate) fn block<S: Scheme>(word: Word<S>, len: NonZeroU32) -> Block<S> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "at most the bounds' last, a u32"
    )]
    let first = word.sequence() as u32;
    // Only the pristine word has no tick, and it never has a sequence left.
    Block::new(word.tick().unwrap_or(Tick::MIN), word.toggle(), first, len)
}
