//! Random setups and schedules of generators of the example schemes.

use core::num::NonZeroU32;
use core::ops::Range;
use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tickid_core::example::Seconds;
use tickid_core::{
    Builder, ManualClock, Policy, RandomStart, SequenceBounds, Snapshot, UnixTime, Window,
};

use crate::example::reference::{Reference, Rule};
use crate::example::{Example, NODE, Start, at, many, ratchet, window};
pub use crate::schedule::{Action, Turn, Turns};

/// The setup of a generator.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The policy.
    pub rule: Rule,
    /// The sequences.
    pub bounds: SequenceBounds,
    /// The start rule.
    pub start: Start,
    /// The first reading of the clock.
    pub now: UnixTime,
    /// The first tick of the window.
    pub floor: u64,
    /// One past the last tick of the window.
    pub ceiling: u64,
}

/// The events of a generator, call by call.
pub type Schedule = Vec<(Turn, Action)>;

impl Setup {
    /// Returns the policy.
    #[must_use]
    pub fn policy<S: Example>(&self) -> Policy<S> {
        match self.rule {
            Rule::Ratchet(allowance) => ratchet(allowance),
            Rule::Wait => Policy::Wait,
            Rule::TickTock => Policy::TickTock,
        }
    }

    /// Returns the window.
    ///
    /// # Panics
    /// Never: setups have ticks of the scheme.
    #[must_use]
    pub fn window<S: Example>(&self) -> Window<S> {
        window(self.floor, self.ceiling)
    }

    /// Returns a builder of the generator, restored from `snapshot`.
    pub fn builder<'a, S: Example>(
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

    /// Returns the turns of the generator's clock.
    #[must_use]
    pub fn turns<'a>(&self, clock: &'a ManualClock) -> Turns<'a, Seconds> {
        Turns::new(clock, Seconds, self.now)
    }

    /// Returns the reference of the generator.
    #[must_use]
    pub fn reference<S: Example>(&self) -> Reference {
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

/// Returns setups of scheme `S`, at either end of its time and in between.
pub fn setups<S: Example>() -> impl Strategy<Value = Setup> {
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

/// Returns schedules of the example schemes.
pub fn schedules(len: Range<usize>) -> impl Strategy<Value = Schedule> {
    const SECOND: i64 = 1_000_000;
    let turns = prop_oneof![
        5 => Just(Turn::Stand),
        4 => (0..2 * SECOND).prop_map(Turn::Leap),
        1 => (0..20 * SECOND).prop_map(Turn::Leap),
        2 => (-4 * SECOND..0).prop_map(Turn::Leap),
        1 => (-20 * SECOND..0).prop_map(Turn::Leap),
        2 => any::<usize>().prop_map(Turn::Repeat),
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

/// Four times proptest's default number of cases, the same every time.
#[must_use]
pub fn config() -> ProptestConfig {
    crate::config(4)
}
