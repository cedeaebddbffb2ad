//! Random schedules: the setup of a generator, the moves of its clock, and the calls.

use core::num::NonZeroU32;
use core::ops::Range;
use core::time::Duration;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use tickid_core::{
    Builder, Fixed, Lowest, ManualClock, Policy, RandomStart, Scheme, Sequence, SequenceBounds,
    Snapshot, Tick, Ticks, UnixTime, Window,
};

use crate::subject::Subject;

/// The policies of the setups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The scheme's default.
    Default,
    /// A ratchet with one of several allowances, including zero and unlimited ones.
    Ratchet,
    /// [`Policy::Wait`].
    Wait,
    /// [`Policy::TickTock`].
    TickTock,
}

/// The setup of a generator.
#[derive(Clone, Copy, Debug)]
pub struct Setup<S: Scheme> {
    /// Its policy.
    pub policy: Policy<S>,
    /// Its sequences.
    pub bounds: SequenceBounds,
    /// The start rule.
    pub start: StartChoice,
    /// The first reading of the clock.
    pub now: UnixTime,
    /// The first tick of its window.
    pub floor: u64,
    /// One past the last tick of its window, until it is widened.
    pub ceiling: u64,
}

/// The start rule of a generator.
#[derive(Clone, Copy, Debug)]
pub enum StartChoice {
    /// The scheme's start rule, with this seed.
    Own(u64),
    /// This sequence.
    Fixed(u32),
    /// A random sequence.
    Random(RandomStart),
}

impl StartChoice {
    /// The rule for a generator of `node`.
    pub(crate) fn rule<S: Scheme>(self, scheme: &S, node: &S::Node) -> Arc<dyn Sequence> {
        match self {
            Self::Own(seed) if S::RANDOM_START => {
                Arc::new(RandomStart::new(seed).with_guard_bits(scheme.guard_bits(node)))
            }
            Self::Own(_) => Arc::new(Lowest),
            Self::Fixed(start) => Arc::new(Fixed(start)),
            Self::Random(random) => Arc::new(random),
        }
    }
}

/// A move of the clock before a call.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    /// Shows the same time again.
    Stand,
    /// Moves ahead or back, by microseconds.
    Leap(i64),
    /// Repeats an earlier reading: the first, the second and so on, counting modulo the number of
    /// readings.
    Repeat(usize),
    /// Shows, once, a time that no ID can have.
    Astray(Outside),
}

/// A time that no ID can have.
#[derive(Clone, Copy, Debug)]
pub enum Outside {
    /// One microsecond before the first tick.
    Before,
    /// The time right after the last tick.
    After,
    /// The earliest time that can be represented.
    Never,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// One ID.
    One,
    /// A block.
    Block(NonZeroU32),
    /// A slice.
    Fill(usize),
    /// Raises the ceiling.
    Widen(u64),
    /// Closes the generator and continues with one restored from it.
    Reopen,
}

/// The events in a generator's life, call by call. The number selects the form of the ID, modulo
/// the number of forms.
pub type Schedule = Vec<(Turn, Action, usize)>;

impl<S: Scheme> Setup<S> {
    pub(crate) fn builder<'a, T: Subject<Scheme = S>>(
        &self,
        subject: &T,
        clock: &'a ManualClock,
        ceiling: u64,
        snapshot: Snapshot<S>,
    ) -> Builder<S, &'a ManualClock> {
        let start = self.start.rule(&subject.settings(), &subject.node());
        let floor = Tick::new(self.floor).unwrap();
        subject
            .builder(0)
            .clock(clock)
            .policy(self.policy)
            .bounds(self.bounds)
            .sequence(start)
            .window(Window::new(floor, ceiling).unwrap())
            .restore(snapshot)
            // The clock may show any time.
            .max_wait(Duration::MAX)
    }
}

/// Applies turns to a clock, and remembers its readings.
#[derive(Debug)]
pub(crate) struct Turns<'a, S> {
    clock: &'a ManualClock,
    scheme: S,
    shown: Vec<i64>,
}

impl<'a, S: Scheme> Turns<'a, S> {
    /// Returns the turns of a clock that shows `now`.
    pub(crate) fn new(clock: &'a ManualClock, scheme: S, now: UnixTime) -> Self {
        Self { clock, scheme, shown: vec![now.as_micros()] }
    }

    /// Turns the clock, and returns its reading.
    pub(crate) fn turn(&mut self, turn: Turn) -> UnixTime {
        let last = self.shown[self.shown.len() - 1];
        let now = match turn {
            Turn::Stand => last,
            Turn::Leap(by) => last + by,
            Turn::Repeat(index) => self.shown[index % self.shown.len()],
            Turn::Astray(outside) => outside.time(&self.scheme).as_micros(),
        };
        if !matches!(turn, Turn::Astray(_)) {
            self.shown.push(now);
        }
        let now = UnixTime::from_micros(now);
        self.clock.set(now);
        now
    }
}

impl Outside {
    pub(crate) fn time<S: Scheme>(self, scheme: &S) -> UnixTime {
        let micros = match self {
            Self::Before => time_of(scheme, S::FIRST_TICK) - 1,
            Self::After => time_of(scheme, scheme.last_tick()) + tick_length(scheme),
            Self::Never => i64::MIN,
        };
        UnixTime::from_micros(micros)
    }
}

/// Returns the start of a tick in microseconds since 1970.
///
/// # Panics
/// For a tick beyond the scheme's last.
#[must_use]
pub fn time_of<S: Scheme>(scheme: &S, tick: u64) -> i64 {
    scheme.time_of(Tick::new(tick).unwrap()).as_micros()
}

/// Returns the length of a scheme's ticks, or of its first tick if they differ, in microseconds.
#[must_use]
pub fn tick_length<S: Scheme>(scheme: &S) -> i64 {
    time_of(scheme, 1) - time_of(scheme, 0)
}

/// Returns setups for a subject, at either end of its range of times and at the subject's start.
pub(crate) fn setups<T: Subject>(
    subject: &T,
    rule: Rule,
) -> impl Strategy<Value = Setup<T::Scheme>> + use<T> {
    let (scheme, all) = (subject.settings(), subject.sequences());
    let start = scheme.tick_at(subject.start()).unwrap().get();
    let last = scheme.last_tick();
    let first = T::Scheme::FIRST_TICK;

    let policies = match rule {
        Rule::Default => Just(scheme.default_policy()).boxed(),
        Rule::Wait => Just(Policy::Wait).boxed(),
        Rule::TickTock => Just(Policy::TickTock).boxed(),
        Rule::Ratchet => {
            let allowances = prop_oneof![4 => 0..6_u64, 1 => Just(40), 1 => Just(u64::MAX)];
            allowances.prop_map(|ticks| Policy::Ratchet { allowance: Ticks::new(ticks) }).boxed()
        }
    };
    let room = u32::try_from(all.pool()).unwrap();
    let fewest = T::Scheme::MIN_POOL;
    let pools = prop_oneof![
        4 => (fewest..=room.min(fewest + 11)).prop_flat_map(move |pool| {
            (0..=(room - pool).min(200)).prop_map(move |skip| {
                let lowest = all.lowest() + skip;
                SequenceBounds::new(lowest, lowest + (pool - 1))
            })
        }),
        1 => Just(all),
    ];
    let begins = prop_oneof![
        3 => Just(start),
        1 => first..first + 4,
        1 => last - 12..=last,
    ];
    let windows = prop_oneof![
        2 => Just(None),
        1 => (0..12_u64, 1..40_u64).prop_map(Some),
    ];
    let fractions = 0..tick_length(&scheme);
    (policies, pools.prop_flat_map(starts), begins, windows, fractions).prop_map(
        move |(policy, (bounds, start), begin, window, fraction)| {
            let end = scheme.max_tick() + 1;
            let (floor, ceiling) = window.map_or((0, end), |(before, len)| {
                // The floor lies between a little before the clock and a little after it.
                let floor = (begin + 6).saturating_sub(before).clamp(first, last);
                (floor, (floor + len).min(end))
            });
            let now = UnixTime::from_micros(time_of(&scheme, begin) + fraction);
            Setup { policy, bounds, start, now, floor, ceiling }
        },
    )
}

/// Returns bounds with starts for them (a fixed start may lie outside).
fn starts(bounds: SequenceBounds) -> impl Strategy<Value = (SequenceBounds, StartChoice)> {
    let (lowest, last) = (bounds.lowest(), bounds.last());
    prop_oneof![
        6 => any::<u64>().prop_map(StartChoice::Own),
        3 => (lowest..=last).prop_map(StartChoice::Fixed),
        1 => (lowest.saturating_sub(1)..=last + 1).prop_map(StartChoice::Fixed),
        1 => Just(StartChoice::Fixed(last + 1)),
        3 => (any::<u64>(), 0..3_u32).prop_map(|(seed, guard_bits)| {
            StartChoice::Random(RandomStart::new(seed).with_guard_bits(guard_bits))
        }),
    ]
    .prop_map(move |start| (bounds, start))
}

/// Returns schedules of a generator of this scheme.
pub(crate) fn schedules<S: Scheme>(
    scheme: &S,
    len: Range<usize>,
) -> impl Strategy<Value = Schedule> + use<S> {
    let tick = tick_length(scheme);
    // These go beyond what the default policy allows.
    let allowance = scheme.default_policy().allowance();
    let allowance = allowance.map_or(0, |allowance| allowance.get().cast_signed());
    let far = (40 + 2 * allowance) * tick;
    let outside = prop_oneof![Just(Outside::Before), Just(Outside::After), Just(Outside::Never)];
    let turns = prop_oneof![
        10 => Just(Turn::Stand),
        8 => (0..2 * tick).prop_map(Turn::Leap),
        2 => (0..20 * tick).prop_map(Turn::Leap),
        4 => (-4 * tick..0).prop_map(Turn::Leap),
        2 => (-20 * tick..0).prop_map(Turn::Leap),
        1 => (-far..far).prop_map(Turn::Leap),
        4 => any::<usize>().prop_map(Turn::Repeat),
        1 => outside.prop_map(Turn::Astray),
    ];
    let actions = prop_oneof![
        6 => Just(Action::One),
        5 => (1..20_u32).prop_map(|n| Action::Block(NonZeroU32::new(n).unwrap())),
        1 => Just(Action::Block(NonZeroU32::MAX)),
        4 => (0..40_usize).prop_map(Action::Fill),
        1 => (0..12_u64).prop_map(Action::Widen),
        1 => Just(Action::Reopen),
    ];
    vec((turns, actions, any::<usize>()), len)
}

/// Returns a duration that is over after this many ticks.
#[cfg(feature = "std")]
pub(crate) fn ticks<S: Scheme>(scheme: &S, count: u64) -> core::time::Duration {
    core::time::Duration::from_micros(tick_length(scheme).unsigned_abs() * count)
}
