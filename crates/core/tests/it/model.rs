//! Tests that generators which observe IDs do what a plain sequential model does, call by call.
//!
//! Layouts, bounds, windows and policies are random, the clock goes both ways, and the IDs observed
//! are the generator's own, those of its peers and any others. The model draws by the machine of
//! [`reference`](crate::reference) and finds slots by looking at them one by one.

#![allow(clippy::print_stdout, reason = "tests print the seeds of what fails")]

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use tickid_core::{
    Builder, Clock as _, ClockError, Error, Fixed, Generator, Handle, LocalGenerator, Lowest,
    ManualClock, ObserveError, Policy, RandomStart, Scheme as _, Sequence, SequenceBounds,
    Snapshot, State, Tick, Ticks, UnixTime, Window,
};
use tickid_testkit::invariants::Rule;
use tickid_testkit::reference::Given;
use tickid_testkit::{Dice, scaled};

use crate::reference::{Reason, Reference, Refused};
use crate::widths::Widths;

/// The most sequences that a shared generator draws at once under the widest layout, whose guard
/// must have room for 1,024 threads.
const MAX_ADD: u32 = 255;

/// The callers of a generator: itself, and two handles if it is shared.
const CALLERS: u64 = 3;

/// The rest of a handle's block.
#[derive(Clone, Copy, Default)]
struct Block {
    tick: u64,
    next: u32,
    end: u32,
    /// The number of IDs of the last block, by demand.
    len: u32,
    /// The model's mark when the block was drawn.
    mark: Option<(u64, u32)>,
    /// False if it ended with a refusal, or was never drawn.
    is_drawn: bool,
}

/// A generator in plain numbers.
struct Model {
    layout: Widths,
    node: u64,
    rules: Reference,
    is_shared: bool,
    is_closed: bool,
    /// The tick and the next sequence after the greatest observed ID.
    mark: Option<(u64, u32)>,
    /// The tick in which refused calls of a shared generator skip sequences, because a call of
    /// `observe` has relied on them.
    held: Option<u64>,
    handles: [Block; 2],
}

impl Model {
    fn id(&self, node: u64, tick: u64, sequence: u32) -> u64 {
        let Widths { node: node_bits, sequence: sequence_bits, .. } = self.layout;
        let (time, sequence) = (tick << (node_bits + sequence_bits), u64::from(sequence));
        time | if self.layout.is_node_lowest {
            sequence << node_bits | node
        } else {
            node << sequence_bits | sequence
        }
    }

    fn own(&self, tick: u64, sequence: u32) -> u64 {
        self.id(self.node, tick, sequence)
    }

    /// Returns the tick of a clock reading.
    fn tick_at(&self, micros: i64) -> Option<u64> {
        let length = self.layout.micros_per_tick.cast_signed();
        u64::try_from(micros.div_euclid(length)).ok()
    }

    fn time_of(&self, tick: u64) -> UnixTime {
        UnixTime::from_micros((tick * self.layout.micros_per_tick).cast_signed())
    }

    /// Draws up to `want` sequences: the tick, the first one and the number of them.
    fn draw(&mut self, now: Option<u64>, want: u32) -> Result<(u64, u32, u32), Refused> {
        let last = self.rules.given.last;
        let want = if self.is_shared { want.min(MAX_ADD) } else { want };
        let is_readable = now.is_some_and(|now| now <= self.rules.range.1);
        let outcome = if self.is_closed && is_readable {
            Err(Refused { reason: Reason::Closed, until: None })
        } else {
            self.rules.step(now)
        };
        if outcome.is_err()
            && !self.is_closed
            && self.held.is_some_and(|held| Some(held) == self.rules.tick)
        {
            self.rules.next = (last + 1).min(self.rules.next + want);
            // A tick that this has used up ends later.
            self.rules.step(now)?;
        }
        outcome?;
        let (first, len) = (self.rules.next, want.min(last - self.rules.next + 1));
        self.rules.next += len;
        Ok((self.rules.tick.unwrap(), first, len))
    }

    /// Draws up to `want` IDs for a caller.
    fn ids(&mut self, caller: u64, now: Option<u64>, want: u32) -> Result<Vec<u64>, Refused> {
        let (tick, first, len) = match caller {
            0 => self.draw(now, want)?,
            handle => self.draw_by_handle(usize::try_from(handle).unwrap() - 1, now, want)?,
        };
        Ok((first..first + len).map(|sequence| self.own(tick, sequence)).collect())
    }

    fn draw_by_handle(
        &mut self,
        handle: usize,
        now: Option<u64>,
        want: u32,
    ) -> Result<(u64, u32, u32), Refused> {
        let Block { tick, next, end, len, mark, is_drawn } = self.handles[handle];
        let earliest = tick.saturating_sub(self.rules.given.allowance);
        let is_in_time = is_drawn && now.is_some_and(|now| (earliest..=tick).contains(&now));
        if !is_in_time || next == end || mark != self.mark {
            // Blocks double when they are used up in time, and halve when they are not used up.
            let usual = match next == end {
                true if is_in_time => len * 2,
                true => len,
                false => len / 2,
            };
            let usual = usual.max(1);
            self.handles[handle] = Block { len, mark: self.mark, ..Block::default() };
            let (tick, next, drawn) = self.draw(now, usual.max(want))?;
            let (end, len, mark) = (next + drawn, drawn.min(usual), self.mark);
            self.handles[handle] = Block { tick, next, end, len, mark, is_drawn: true };
        }
        let block = &mut self.handles[handle];
        let (first, len) = (block.next, want.min(block.end - block.next));
        block.next += len;
        Ok((block.tick, first, len))
    }

    /// Returns the last of the generator's own slots whose ID is not after `id`.
    fn last_slot(&self, id: u64) -> Option<(u64, u32)> {
        let Given { lowest, last, floor, .. } = self.rules.given;
        let tick = id >> (self.layout.node + self.layout.sequence);
        if tick > self.rules.range.1 {
            return Some((self.rules.range.1, last));
        }
        let in_tick = (lowest..=last).rev().find(|&sequence| self.own(tick, sequence) <= id);
        match in_tick {
            _ if tick < floor => None,
            Some(sequence) => Some((tick, sequence)),
            None => tick.checked_sub(1).filter(|&tick| tick >= floor).map(|tick| (tick, last)),
        }
    }

    fn observe(&mut self, id: u64, now: UnixTime) -> Result<(), ObserveError> {
        if self.is_closed {
            return Err(ObserveError::Closed);
        }
        let Some((tick, sequence)) = self.last_slot(id) else { return Ok(()) };
        let is_passed =
            self.rules.tick.is_some_and(|own| (own, self.rules.next) >= (tick, sequence + 1));
        if is_passed && self.rules.tick == Some(tick) && self.is_shared {
            self.held = self.held.max(Some(tick));
        }
        if !is_passed {
            self.check(tick, sequence, now)?;
            let Given { lowest, last, .. } = self.rules.given;
            let start = (self.rules.given.start)(tick);
            self.rules.next = if self.rules.tick == Some(tick) || sequence == last {
                sequence + 1
            } else if (lowest..=last).contains(&start) {
                start.max(sequence + 1)
            } else {
                last + 1
            };
            self.rules.tick = Some(tick);
        }
        self.mark = self.mark.max(Some((tick, sequence + 1)));
        Ok(())
    }

    /// Checks that the generator may have issued the sequence of that tick.
    fn check(&self, tick: u64, sequence: u32, time: UnixTime) -> Result<(), ObserveError> {
        let last_tick = self.rules.range.1;
        let Some(now) = self.tick_at(time.as_micros()).filter(|&now| now <= last_tick) else {
            let (first, last) = (self.time_of(0), self.time_of(last_tick));
            return Err(ObserveError::Clock(ClockError::OutOfRange { time, first, last }));
        };
        let next = if sequence == self.rules.given.last { tick + 1 } else { tick };
        if next > last_tick {
            return Err(ObserveError::EndOfTime);
        }
        let allowance = self.rules.given.allowance;
        let entered = if allowance == 0 { next } else { tick };
        if entered > now + allowance / 2 {
            return Err(ObserveError::Ahead {
                time: self.time_of(entered),
                now: time,
                allowed: self.time_of(allowance / 2).saturating_since(self.time_of(0)),
                retry_after: self.time_of(entered - allowance / 2).saturating_since(time),
            });
        }
        if next >= self.rules.given.ceiling {
            return Err(ObserveError::Window { tick: next, ceiling: self.rules.given.ceiling });
        }
        Ok(())
    }
}

/// A generator with its callers.
trait Calls {
    fn draw(&mut self, caller: u64, want: u32) -> Result<Vec<u64>, Error>;
    fn observe(&mut self, caller: u64, id: u64) -> Result<(), ObserveError>;
    fn widen(&mut self, ceiling: u64);
    fn state(&self) -> State<Widths>;
    fn close(&mut self) -> Snapshot<Widths>;
}

macro_rules! draw {
    ($generator:expr, $want:expr) => {
        match $want {
            1 => $generator.try_generate().map(|id| vec![id]),
            want => $generator.try_block(want.try_into().unwrap()).map(Iterator::collect),
        }
    };
}

impl Calls for LocalGenerator<Widths, &ManualClock> {
    fn draw(&mut self, _: u64, want: u32) -> Result<Vec<u64>, Error> {
        draw!(self, want)
    }

    fn observe(&mut self, _: u64, id: u64) -> Result<(), ObserveError> {
        self.observe(id)
    }

    fn widen(&mut self, ceiling: u64) {
        self.widen(ceiling).unwrap();
    }

    fn state(&self) -> State<Widths> {
        self.state()
    }

    fn close(&mut self) -> Snapshot<Widths> {
        self.close()
    }
}

struct SharedCalls<'a> {
    generator: &'a Generator<Widths, &'a ManualClock>,
    handles: [Handle<'a, Widths, &'a ManualClock>; 2],
}

impl Calls for SharedCalls<'_> {
    fn draw(&mut self, caller: u64, want: u32) -> Result<Vec<u64>, Error> {
        match (caller, &mut self.handles) {
            (0, _) => draw!(self.generator, want),
            (1, [handle, _]) | (_, [_, handle]) => draw!(handle, want),
        }
    }

    fn observe(&mut self, caller: u64, id: u64) -> Result<(), ObserveError> {
        match (caller, &mut self.handles) {
            (0, _) => self.generator.observe(id),
            (1, [handle, _]) | (_, [_, handle]) => handle.observe(id),
        }
    }

    fn widen(&mut self, ceiling: u64) {
        self.generator.widen(ceiling).unwrap();
    }

    fn state(&self) -> State<Widths> {
        self.generator.state()
    }

    fn close(&mut self) -> Snapshot<Widths> {
        self.generator.close()
    }
}

/// The number of outcomes of each kind.
#[derive(Debug, Default)]
struct Seen {
    ids: usize,
    refused: usize,
    observed: usize,
    ahead: usize,
    window: usize,
    end_of_time: usize,
    clock: usize,
    closed: usize,
    skipped: usize,
}

impl Seen {
    fn count(&mut self, observed: Result<(), ObserveError>) {
        *match observed {
            Ok(()) => &mut self.observed,
            Err(ObserveError::Ahead { .. }) => &mut self.ahead,
            Err(ObserveError::Window { .. }) => &mut self.window,
            Err(ObserveError::EndOfTime) => &mut self.end_of_time,
            Err(ObserveError::Clock(_)) => &mut self.clock,
            Err(ObserveError::Closed) => &mut self.closed,
            Err(error) => panic!("{error}"),
        } += 1;
    }
}

/// One generator and its successors.
struct Run<'a> {
    dice: Dice,
    clock: &'a ManualClock,
    model: Model,
    issued: HashSet<u64>,
    /// The greatest ID that was accepted since the generator was built.
    observed: Option<u64>,
    seen: &'a mut Seen,
}

impl Run<'_> {
    fn call(&mut self, real: &mut dyn Calls) {
        let micros = self.turn();
        let now = self.model.tick_at(micros);
        let callers = if self.model.is_shared { CALLERS } else { 1 };
        let caller = self.dice.below(callers);
        match self.dice.below(16) {
            0..=6 => self.draw(real, caller, micros, 1),
            7..=9 => {
                let want = self.dice.count(24);
                self.draw(real, caller, micros, want);
            }
            10 => {
                let given = &mut self.model.rules.given;
                let end = self.model.layout.max_tick() + 1;
                given.ceiling = (given.ceiling + self.dice.below(5)).min(end);
                real.widen(given.ceiling);
            }
            _ => {
                let id = self.any_id(now);
                let could_issue = self.model.rules.clone().step(now).is_ok();
                let expected = self.model.observe(id, UnixTime::from_micros(micros));
                let found = real.observe(caller, id);
                assert_eq!(found, expected, "{id:#x} at {micros}");
                self.seen.count(found);
                if found.is_ok() {
                    self.observed = self.observed.max(Some(id));
                    let can_issue = self.model.rules.clone().step(now).is_ok();
                    assert!(can_issue || !could_issue, "stalls because of {id:#x} at {micros}");
                }
            }
        }
        if !self.model.is_closed {
            let Snapshot { tick, next_sequence, .. } = real.state().snapshot;
            assert_eq!(tick.map(Tick::get), self.model.rules.tick);
            assert_eq!(tick.map_or(0, |_| next_sequence), self.model.rules.next);
        }
    }

    fn draw(&mut self, real: &mut dyn Calls, caller: u64, micros: i64, want: u32) {
        let next = self.model.rules.next;
        let expected = self.model.ids(caller, self.model.tick_at(micros), want);
        let found = real.draw(caller, want);
        match (&found, &expected) {
            (Ok(ids), Ok(expected)) => {
                assert_eq!(ids, expected, "of caller {caller} at {micros}");
                for &id in ids {
                    assert!(Some(id) > self.observed, "{id:#x} is not after {:#x?}", self.observed);
                    assert!(self.issued.insert(id), "{id:#x} is issued twice");
                    self.seen.ids += 1;
                }
            }
            (Err(error), Err(refused)) => {
                let unit = self.model.layout.micros_per_tick;
                assert!(refused.is(error, micros, unit), "{error}, not {refused:?} at {micros}");
                self.seen.refused += 1;
                self.seen.skipped += usize::from(self.model.rules.next != next);
            }
            _ => panic!("{found:?}, not {expected:?}, of caller {caller} at {micros}"),
        }
    }

    /// Turns the clock, and returns its reading.
    fn turn(&mut self) -> i64 {
        let unit = self.model.layout.micros_per_tick.cast_signed();
        let now = self.clock.now().unwrap().as_micros();
        let end = (self.model.rules.range.1.cast_signed() + 1) * unit;
        let to = match self.dice.below(32) {
            0..=7 => now + self.dice.within(0..unit * 3 / 2),
            8..=10 => now - self.dice.within(0..unit * 3),
            11 => now + self.dice.within(-20 * unit..20 * unit),
            12..=15 => self.home(unit) + self.dice.within(0..2 * unit),
            16 => self.dice.one_of(&[-1, 0, end - 1, end]),
            _ => now,
        };
        self.clock.set(UnixTime::from_micros(to));
        to
    }

    /// Returns the time of the tick issued last, or of the window's first.
    fn home(&self, unit: i64) -> i64 {
        let Reference { tick, given, .. } = &self.model.rules;
        tick.unwrap_or(given.floor).cast_signed() * unit
    }

    /// Returns an ID of the own or another node, mostly near the present, or any number.
    fn any_id(&mut self, now: Option<u64>) -> u64 {
        let (node, next) = (self.model.node, self.model.rules.next);
        let around = [now, self.model.rules.tick].map(|tick| tick.unwrap_or(0));
        let base = self.dice.one_of(&around);
        let tick = base.saturating_add_signed(self.dice.within(-3..5));
        let highest = |bits: u32| (1_u64 << bits) - 1;
        let (nodes, sequences) =
            (highest(self.model.layout.node), highest(self.model.layout.sequence));
        let node = match self.dice.below(6) {
            0..=2 => node,
            3 => node.saturating_sub(1),
            4 => (node + 1).min(nodes),
            _ => self.dice.one_of(&[0, nodes]),
        };
        let sequence = match self.dice.below(4) {
            0 => self.dice.below(sequences + 1),
            1 => self.dice.one_of(&[0, self.model.rules.given.last.into(), sequences]),
            _ => u64::from(next).saturating_add_signed(self.dice.within(-3..6)).min(sequences),
        };
        let sequence = u32::try_from(sequence).unwrap();
        match self.dice.below(40) {
            0 => self.dice.one_of(&[0, u64::MAX]),
            1 => self.dice.below(u64::MAX),
            _ => self.model.id(node, tick, sequence),
        }
    }
}

/// Returns a random layout of at most 63 bits.
fn any_layout(dice: &mut Dice) -> Widths {
    loop {
        let layout = Widths {
            micros_per_tick: dice.one_of(&[100, 1_000, 10_000, 1_000_000]),
            time: 7 + dice.count(36),
            node: dice.count(23) - 1,
            sequence: dice.count(18),
            is_node_lowest: dice.below(2) == 0,
            unused: 0,
        };
        if layout.time + layout.node + layout.sequence <= 63 {
            return layout;
        }
    }
}

/// Returns random options, and the first reading of the clock.
fn any_options(dice: &mut Dice, layout: Widths) -> (Given, Arc<dyn Sequence>, i64) {
    let most = (1_u32 << layout.sequence) - 1;
    let lowest = dice.one_of(&[0, 1, 3, most / 2, most - 1]).min(most - 1);
    let last = lowest.saturating_add(dice.count(40)).min(most);
    let bounds = SequenceBounds::new(lowest, last);
    let start: Arc<dyn Sequence> = match dice.below(4) {
        0 => Arc::new(RandomStart::new(dice.below(1 << 40))),
        1 => Arc::new(Fixed(lowest + dice.count(last - lowest))),
        // A fixed start may lie outside of the bounds.
        2 if dice.below(8) == 0 => Arc::new(Fixed(last + 1)),
        _ => Arc::new(Lowest),
    };
    let (rule, allowance) = match dice.below(3) {
        0 => (Rule::Wait, 0),
        _ => (Rule::Ratchet, dice.one_of(&[0, 1, 2, 3, 9, 40])),
    };
    let last_tick = layout.last_tick();
    let now = dice.one_of(&[2, last_tick / 2, last_tick - 9]);
    let floor = dice.one_of(&[0, now - 2, now, now + 3]);
    let near = floor + 1 + dice.below(12);
    let ceiling = dice.one_of(&[near, layout.max_tick() + 1]);
    let first = (now * layout.micros_per_tick + dice.below(layout.micros_per_tick)).cast_signed();
    let rule_of_start = start.clone();
    let start_at: Rc<dyn Fn(u64) -> u32> = Rc::new(move |tick| rule_of_start.start(tick, bounds));
    let ceiling = ceiling.min(layout.max_tick() + 1);
    (Given { rule, allowance, lowest, last, floor, ceiling, start: start_at }, start, first)
}

fn run(seed: u64, seen: &mut Seen) {
    println!("seed {seed}");
    let mut dice = Dice::new(seed);
    let layout = any_layout(&mut dice);
    let node = dice.below(1 << layout.node);
    let (given, start, first) = any_options(&mut dice, layout);
    println!("{layout:?}, node {node}, {given:?}, {start:?}, from {first} µs on");
    let clock = ManualClock::new(UnixTime::from_micros(first));
    let is_shared = dice.below(2) == 0;
    let model = Model {
        layout,
        node,
        rules: Reference::new(given, (0, layout.last_tick())),
        is_shared,
        is_closed: false,
        mark: None,
        held: None,
        handles: [Block::default(); 2],
    };
    let mut run = Run { dice, clock: &clock, model, issued: HashSet::new(), observed: None, seen };
    let mut snapshot = Snapshot::EMPTY;
    for _ in 0..3 {
        let Given { rule, allowance, lowest, last, floor, ceiling, .. } = run.model.rules.given;
        let policy = match rule {
            Rule::Ratchet => Policy::Ratchet { allowance: Ticks::new(allowance) },
            _ => Policy::Wait,
        };
        let builder = Builder::seeded_of(layout, layout.node(node), 0)
            .clock(&clock)
            .policy(policy)
            .bounds(SequenceBounds::new(lowest, last))
            .sequence(start.clone())
            .window(Window::new(Tick::new(floor).unwrap(), ceiling).unwrap())
            .restore(snapshot)
            .max_wait(core::time::Duration::MAX);
        snapshot = if run.model.is_shared {
            let generator = builder.build().unwrap();
            let handles = [generator.handle(), generator.handle()];
            live(&mut run, &mut SharedCalls { generator: &generator, handles })
        } else {
            live(&mut run, &mut builder.build_local().unwrap())
        };
        // A successor, of the other kind, knows what a snapshot says.
        run.model.is_shared = !run.model.is_shared;
        run.model.is_closed = false;
        (run.model.mark, run.model.held) = (None, None);
        run.model.handles = [Block::default(); 2];
    }
}

fn live(run: &mut Run<'_>, real: &mut dyn Calls) -> Snapshot<Widths> {
    for _ in 0..60 {
        run.call(real);
    }
    let snapshot = real.close();
    run.model.is_closed = true;
    assert_eq!(snapshot.tick.map(Tick::get), run.model.rules.tick);
    assert_eq!(snapshot.next_sequence, run.model.rules.next);
    // Nothing but the rest of a handle's block comes from a closed generator.
    let rules = run.model.rules.clone();
    for _ in 0..6 {
        run.call(real);
    }
    assert_eq!(real.close(), snapshot);
    let ceiling = run.model.rules.given.ceiling;
    run.model.rules = rules;
    run.model.rules.given.ceiling = ceiling;
    snapshot
}

#[test]
fn generators_follow_the_model() {
    let mut seen = Seen::default();
    for seed in 0..u64::try_from(scaled(10_000)).unwrap() {
        run(seed, &mut seen);
    }
    println!("shown: {seen:?}");
    let Seen { ids, refused, observed, ahead, window, end_of_time, clock, closed, skipped } = seen;
    let rare = [refused, observed, ahead, window, end_of_time, clock, closed, skipped];
    assert!(cfg!(miri) || ids > 50_000 && rare.iter().all(|&count| count > 20), "{seen:?}");
}
