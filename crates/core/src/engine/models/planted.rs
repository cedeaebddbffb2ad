//! A copy of the engine's slow path with room for one mistake, which shows that the models find it.
//!
//! Without a mistake it does what the engine does (`copy_without_mistake_holds`), with the
//! same word, rules and atomics.

use core::num::NonZeroU32;
use std::vec::Vec;

use super::{ClockedGenerator, drawn, many};
use crate::clock::Clock;
use crate::engine::Block;
use crate::engine::rules::{EngineStall, Rules, Step};
use crate::engine::shared::{Drawn, SharedEngine};
use crate::engine::word::Word;
use crate::error::{Error, ErrorKind};
use crate::example::Toggling;
use crate::generator::Ids;
use crate::policy::Policy;
use crate::scheme::Plain;
use crate::snapshot::Snapshot;
use crate::sync::Ordering;

type Engine = SharedEngine<Toggling>;

/// The engine, or its copy with a mistake.
pub(super) type EngineUnderTest = Option<Mistake>;

/// The calls that a scenario makes.
pub(super) trait EngineCalls {
    fn one(&self, clocked: &ClockedGenerator) -> Vec<u64>;
    fn several(&self, clocked: &ClockedGenerator, n: u32) -> Vec<u64>;
    fn close(&self, clocked: &ClockedGenerator) -> Snapshot<Toggling>;
    /// Reports whether the ID was accepted.
    fn observe(&self, clocked: &ClockedGenerator, id: u64) -> bool;
}

impl EngineCalls for EngineUnderTest {
    fn one(&self, clocked: &ClockedGenerator) -> Vec<u64> {
        match self {
            None => clocked.call(|generator| drawn(generator.try_generate().map(|id| [id]))),
            Some(_) => self.several(clocked, 1),
        }
    }

    fn several(&self, clocked: &ClockedGenerator, n: u32) -> Vec<u64> {
        clocked.call(|generator| match self {
            None => drawn(generator.try_block(many(n))),
            Some(mistake) => {
                let (engine, clock) = (generator.engine(), generator.clock());
                let block = mistake.issue(engine, clock, many(n));
                drawn(block.map(|block| Ids::new(Toggling, Plain, &block)))
            }
        })
    }

    fn close(&self, clocked: &ClockedGenerator) -> Snapshot<Toggling> {
        let engine = clocked.generator.engine();
        self.map_or_else(|| clocked.generator.close(), |mistake| mistake.close(engine))
    }

    fn observe(&self, clocked: &ClockedGenerator, id: u64) -> bool {
        match self {
            None => clocked.generator.observe(id).is_ok(),
            Some(mistake) => mistake.observe(clocked.generator.engine(), &clocked.clock, id),
        }
    }
}

/// A planted mistake. The correct version is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    tickid_shuttle,
    allow(dead_code, reason = "some show in what relaxed loads see, or seldom")
)]
pub(super) enum Mistake {
    /// No mistake: the copy by itself.
    Nothing,
    /// Closes by using up the tick [by a bit that nothing clears].
    CloseAsExhausted,
    /// The snapshot holds only the word's own tick [and the other toggle's].
    CloseForgetsPast,
    /// An exchange that fails because the word was closed is retried [is given up].
    RetryOverClosed,
    /// Tick-tock's past is raised after the exchange that flips [before].
    PastAfterExchange,
    /// The exchange that flips does not publish the past [does so by release].
    FlipUnpublished,
    /// The slow path reads the clock before it loads the word [after].
    ClockBeforeLoad,
    /// Adds that run past the last sequence stay in the guard [are taken back].
    NoClamp,
    /// A refused add is given back although another thread has added since [is skipped].
    GiveBackOthers,
    /// An observed ID moves the word back as well [only forward].
    ObserveBackwards,
    /// An ID at the end of a tick moves the word to the tick's start [as used up as the ID's].
    ObserveFresh,
    /// An ID behind the clock moves nothing [the word, if that is behind as well].
    ObserveByClock,
    /// `observe` reads the clock once, before it loads the word [after each load].
    ObserveClockFirst,
    /// `observe` moves a word that was closed meanwhile [is refused].
    ObserveOverClosed,
    /// The handles' mark is raised before the word [after].
    MarkBeforeWord,
    /// The handles' mark is raised only with the word [also if the word has passed the ID].
    MarkWithWord,
    /// `observe` trusts a word that has passed the ID [holds it].
    ObserveUnheld,
    /// `observe` trusts the word as it was before it was held [loads it again].
    HoldUnread,
    /// `observe` trusts a held word although an add is being given back [skips it].
    HoldUncounted,
    /// A refused add is given back although the word is held [is skipped].
    GiveBackHeld,
}

impl Mistake {
    pub(super) fn issue(
        self,
        engine: &Engine,
        clock: &impl Clock,
        want: NonZeroU32,
    ) -> Result<Block<Toggling>, Error> {
        loop {
            let add = engine.draw(want);
            let Drawn { word: drawn, want } = add;
            let is_past = drawn.sequence() + u64::from(want.get()) > engine.rules.exhausted();
            // The sequence's field has a guard bit above it, which this add may have reached. Many
            // such adds in a row would run into the tick's field.
            if is_past && self != Self::NoClamp {
                engine.clamp(drawn);
            }
            let now = engine.rules.read(clock.now_relaxed());
            // As in `shared/mod.rs`: the draw counts only if it is of the present tick, and
            // something is left in it.
            if let Ok(now) = now
                && !drawn.is_closed()
                && Rules::accepts(drawn, now.stamp, engine.rules.policy)
                && let Some(len) = engine.rules.left(drawn, want)
            {
                return Ok(engine.rules.block(drawn, len));
            }
            self.give_back(engine, add);
            now?;
            if let Some(block) = self.advance(engine, clock, want)? {
                return Ok(block);
            }
        }
    }

    fn give_back(self, engine: &Engine, add: Drawn<Toggling>) {
        if self == Self::GiveBackHeld && add.word.sequence() < engine.rules.exhausted() {
            return engine.take_back(add);
        }
        if self != Self::GiveBackOthers {
            return engine.give_back(add);
        }
        let seen = engine.load();
        if seen.same_tick(add.word) && !seen.is_closed() {
            engine
                .hot
                .0
                .compare_exchange(
                    seen.bits(),
                    add.word.bits(),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .ok();
        }
    }

    fn advance(
        self,
        engine: &Engine,
        clock: &impl Clock,
        want: NonZeroU32,
    ) -> Result<Option<Block<Toggling>>, Error> {
        let mut read = || engine.rules.read(clock.now());
        loop {
            let early = if self == Self::ClockBeforeLoad { Some(read()?) } else { None };
            let word = engine.load();
            if word.is_closed() {
                return Err(engine.rules.stalled(EngineStall::new(ErrorKind::Closed, None), None));
            }
            // After the word, since another thread may have moved it to a tick that has begun
            // meanwhile.
            let now = early.map_or_else(&mut read, Ok)?;
            match engine.step(word, now) {
                Step::Draw => return Ok(None),
                Step::Stall(stall) => return Err(engine.rules.stalled(stall, Some(now.time))),
                Step::Move { stamp, toggle } => {
                    let start = engine.rules.start(stamp, now.time)?;
                    let fresh = Word::new(stamp, toggle, start.into());
                    if let Some(len) = engine.rules.left(fresh, want)
                        && self.exchange(
                            engine,
                            word,
                            fresh.with_sequence(u64::from(start) + u64::from(len.get())),
                        )
                    {
                        return Ok(Some(engine.rules.block(fresh, len)));
                    }
                }
            }
        }
    }

    fn exchange(self, engine: &Engine, word: Word<Toggling>, new: Word<Toggling>) -> bool {
        let raise_past = || {
            if word.toggle() != new.toggle() {
                let past = &engine.past[usize::from(word.toggle())];
                past.fetch_max(word.stamp(), Ordering::Relaxed);
            }
        };
        // Before the exchange: a thread that flips the toggle back must see how far the other side
        // has come.
        if self != Self::PastAfterExchange {
            raise_past();
        }
        let published = match self {
            Self::FlipUnpublished => Ordering::Relaxed,
            _ => Ordering::Release,
        };
        let mut seen = word;
        loop {
            match engine.hot.0.compare_exchange_weak(
                seen.bits(),
                new.bits(),
                published,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(bits) => seen = Word::from_bits(bits),
            }
            let is_closed = seen.is_closed() && self != Self::RetryOverClosed;
            // Draws in the same tick are no reason to fail. Another tick is, and a closed word
            // stays closed.
            if !seen.same_tick(word) || is_closed {
                return false;
            }
        }
        if self == Self::PastAfterExchange {
            raise_past();
        }
        true
    }

    fn observe(self, engine: &Engine, clock: &impl Clock, id: u64) -> bool {
        let rules = &engine.rules;
        if rules.policy == Policy::TickTock {
            return false;
        }
        // As in `observing.rs`, with one deviation for each variant of `self`.
        let goal = rules.goal(engine.load().toggle(), |_, slot| slot.low() > id);
        let Some(mut goal) = goal else { return !engine.load().is_closed() };
        if self == Self::ObserveFresh && goal.sequence() >= rules.exhausted() {
            goal = goal.with_sequence(rules.bounds.lowest().into());
        }
        let raise_mark = |goal: Word<_>| {
            engine.observed.fetch_max(goal.bits(), Ordering::Release);
        };
        if self == Self::MarkBeforeWord {
            raise_mark(goal);
        }
        // The clock has to be read after the word, since the word may move on while a thread sleeps
        // between the two.
        let early = (self == Self::ObserveClockFirst).then(|| rules.read(clock.now()));
        let (mut is_held, mut has_moved) = (self == Self::ObserveUnheld, false);
        loop {
            let word = engine.load();
            if word.is_closed() && self != Self::ObserveOverClosed {
                return false;
            }
            // Behind the goal: move the word there, unless the next ID would need a wait.
            if word.bits() < goal.bits() || self == Self::ObserveBackwards {
                let Ok(now) = early.unwrap_or_else(|| rules.read(clock.now())) else {
                    return false;
                };
                if self == Self::ObserveByClock && now.stamp > goal.stamp() {
                    break;
                }
                let ceiling = engine.ceiling.load(Ordering::Relaxed);
                if rules.check_goal(goal, now, ceiling).is_err() {
                    return false;
                }
                let new = rules.enter(word, goal, now.time);
                has_moved = true;
                if self == Self::ObserveBackwards || self == Self::ObserveOverClosed {
                    engine.hot.0.store(new.bits(), Ordering::Release);
                    break;
                }
                if engine.raise(word, new) {
                    break;
                }
            // In the goal's tick a thread may have drawn a sequence below the goal already, and
            // still return it. Holding the word makes such draws fail.
            } else if is_held || !word.same_tick(goal) {
                break;
            } else if engine.hold(word) || self == Self::HoldUncounted {
                is_held = true;
                if self == Self::HoldUnread {
                    break;
                }
            } else if word.sequence() < rules.exhausted() {
                if engine.raise(word, word.with_sequence(word.sequence() + 1)) {
                    break;
                }
            } else if let Ok(next) = rules.goal_after(word) {
                goal = next;
            } else {
                return false;
            }
        }
        if has_moved || self != Self::MarkWithWord {
            raise_mark(goal);
        }
        true
    }

    pub(super) fn close(self, engine: &Engine) -> Snapshot<Toggling> {
        match self {
            Self::CloseAsExhausted => Self::close_as_exhausted(engine),
            Self::CloseForgetsPast => engine.close().with_drifts(0, None),
            _ => engine.close(),
        }
    }

    fn close_as_exhausted(engine: &Engine) -> Snapshot<Toggling> {
        let mut word = engine.load();
        loop {
            let used_up = word.with_sequence(engine.rules.exhausted());
            match engine.hot.0.compare_exchange_weak(
                word.bits(),
                used_up.bits(),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return engine.snapshot(used_up),
                Err(bits) => word = Word::from_bits(bits),
            }
        }
    }
}
