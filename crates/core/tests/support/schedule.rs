//! Random schedules: how a generator is set up, what its clock does, and what is asked of it.

use core::num::NonZeroU32;
use core::ops::Range;
use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tickid_core::{
    Builder, ManualClock, Policy, RandomStart, SequenceBounds, Snapshot, UnixTime, Window,
};

use super::reference::{Reference, Rule};
use super::{Example, NODE, Start, at, many, ratchet, window};

/// How a generator begins.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) rule: Rule,
    pub(crate) bounds: SequenceBounds,
    pub(crate) start: Start,
    /// What the clock shows at first.
    pub(crate) now: UnixTime,
    pub(crate) floor: u64,
    pub(crate) ceiling: u64,
}

/// What the clock does before a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    Stand,
    Leap(i64),
    /// Shows again what it has shown before.
    Repeat(prop::sample::Index),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    One,
    Block(NonZeroU32),
    Fill(usize),
    /// Raises the ceiling.
    Widen(u64),
    /// Closes the generator and goes on with one restored from it.
    Reopen,
}

pub(crate) type Schedule = Vec<(Turn, Action)>;

impl Setup {
    pub(crate) fn policy<S: Example>(&self) -> Policy<S> {
        match self.rule {
            Rule::Ratchet(allowance) => ratchet(allowance),
            Rule::Wait => Policy::Wait,
            Rule::TickTock => Policy::TickTock,
        }
    }

    pub(crate) fn window<S: Example>(&self) -> Window<S> {
        window(self.floor, self.ceiling)
    }

    pub(crate) fn builder<'a, S: Example>(
        &self,
        clock: &'a ManualClock,
        window: Window<S>,
        snapshot: Snapshot<S>,
    ) -> Builder<S, &'a ManualClock> {
        Builder::seeded(NODE, 0)
            .clock(clock)
            .policy(self.policy())
            .bounds(self.bounds)
            .sequence(self.start.rule())
            .window(window)
            .restore(snapshot)
            // The clock may be anywhere.
            .max_wait(Duration::MAX)
    }

    pub(crate) fn reference<S: Example>(&self) -> Reference {
        Reference {
            rule: self.rule,
            start: self.start,
            bounds: self.bounds,
            floor: self.floor,
            ceiling: self.ceiling,
            first: S::FIRST_TICK,
            end: S::LAST_TICK,
            tick: None,
            toggle: false,
            next: 0,
            drifts: 0,
            past: [0; 2],
        }
    }
}

/// Applies turns to a clock and remembers what it has shown.
#[derive(Debug)]
pub(crate) struct Turns<'a> {
    clock: &'a ManualClock,
    shown: Vec<i64>,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(clock: &'a ManualClock, now: UnixTime) -> Self {
        let shown = vec![now.as_micros()];
        Self { clock, shown }
    }

    /// Turns the clock; returns what it shows then.
    pub(crate) fn turn(&mut self, turn: Turn) -> i64 {
        let last = self.shown[self.shown.len() - 1];
        let now = match turn {
            Turn::Stand => last,
            Turn::Leap(by) => last + by,
            Turn::Repeat(index) => *index.get(&self.shown),
        };
        self.shown.push(now);
        self.clock.set(UnixTime::from_micros(now));
        now
    }
}

/// Setups of scheme `S`, at either end of its time and in between.
pub(crate) fn setups<S: Example>() -> impl Strategy<Value = Setup> {
    let rules = prop_oneof![
        3 => (0..6_u64).prop_map(Rule::Ratchet),
        1 => Just(Rule::Ratchet(u64::MAX)),
        3 => Just(Rule::Wait),
        if S::TOGGLE { 6 } else { 1 } =>
            Just(if S::TOGGLE { Rule::TickTock } else { Rule::Wait }),
    ];
    let pools = prop_oneof![
        4 => (0..200_u32, S::MIN_POOL..S::MIN_POOL + 12),
        1 => Just((0, S::MAX_SEQUENCE + 1)),
    ];
    let begins = prop_oneof![
        2 => Just(5_000),
        1 => 0..4_u64,
        1 => S::LAST_TICK - 12..=S::LAST_TICK,
    ];
    let windows = prop_oneof![
        2 => Just(None),
        1 => (0..12_u64, 1..40_u64).prop_map(Some),
    ];
    (rules, pools.prop_flat_map(starts), begins, windows, 0..1_000_000_i64).prop_map(
        |(rule, (bounds, start), begin, window, fraction)| {
            let (floor, ceiling) = window.map_or((0, S::MAX_TICK + 1), |(before, len)| {
                // From a little before the clock to a little after it.
                let floor = (begin + 6).saturating_sub(before).clamp(S::FIRST_TICK, S::LAST_TICK);
                (floor, (floor + len).min(S::MAX_TICK + 1))
            });
            let now = UnixTime::from_micros(at(begin).as_micros() + fraction);
            Setup { rule, bounds, start, now, floor, ceiling }
        },
    )
}

/// Bounds for a pool, and starts for the bounds (a fixed one may lie outside of them).
fn starts((lowest, pool): (u32, u32)) -> impl Strategy<Value = (SequenceBounds, Start)> {
    let bounds = SequenceBounds::new(lowest, lowest + pool - 1);
    let inside = lowest..=bounds.last();
    prop_oneof![
        3 => Just(Start::Lowest),
        3 => inside.prop_map(Start::Fixed),
        1 => (lowest.saturating_sub(1)..=bounds.last() + 1).prop_map(Start::Fixed),
        3 => (any::<u64>(), 0..3_u32).prop_map(|(seed, guard_bits)| {
            Start::Random(RandomStart::new(seed).with_guard_bits(guard_bits))
        }),
    ]
    .prop_map(move |start| (bounds, start))
}

/// What happens to a generator, call by call.
pub(crate) fn schedules(len: Range<usize>) -> impl Strategy<Value = Schedule> {
    const SECOND: i64 = 1_000_000;
    let turns = prop_oneof![
        5 => Just(Turn::Stand),
        4 => (0..2 * SECOND).prop_map(Turn::Leap),
        1 => (0..20 * SECOND).prop_map(Turn::Leap),
        2 => (-4 * SECOND..0).prop_map(Turn::Leap),
        1 => (-20 * SECOND..0).prop_map(Turn::Leap),
        2 => any::<prop::sample::Index>().prop_map(Turn::Repeat),
    ];
    let actions = prop_oneof![
        6 => Just(Action::One),
        5 => (1..20_u32).prop_map(|n| Action::Block(many(n))),
        1 => Just(Action::Block(NonZeroU32::MAX)),
        4 => (0..40_usize).prop_map(Action::Fill),
        1 => (0..12_u64).prop_map(Action::Widen),
        1 => Just(Action::Reopen),
    ];
    vec((turns, actions), len)
}

/// The same cases every time, unless `PROPTEST_RNG_SEED` asks for others; `PROPTEST_CASES` for more.
pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases * 4,
        rng_seed: match default.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0x7469_636B),
            given => given,
        },
        failure_persistence: None,
        ..default
    }
}
