//! The engine: a byte string is a setup, followed by a schedule of clock moves and calls. Every
//! policy, all four schemes, and shared and exclusive generators in turn are checked against the
//! invariants of the design.

use core::num::NonZeroU32;

use arbitrary::{Result, Unstructured};
use tickid_core::{Policy, RandomStart, Scheme as _, SequenceBounds, Ticks, UnixTime};
use tickid_testkit::Subject;
use tickid_testkit::invariants::{
    Action, Outside, Schedule, Setup, StartChoice, Turn, run, tick_length, time_of,
};

use crate::subjects::{kuid, nanoflake, scru64, sno};

/// The maximum number of calls, which is enough to use up a tick in several ways.
const LONGEST: usize = 200;

pub fn check(data: &[u8]) {
    // Too few bytes are not a case.
    let _ = any_scheme(&mut Unstructured::new(data));
}

fn any_scheme(data: &mut Unstructured<'_>) -> Result<()> {
    match data.int_in_range(0..=4)? {
        0 => hold(&scru64::Subject::default(), data),
        1 => hold(&nanoflake::Subject, data),
        2 => hold(&kuid::Subject, data),
        3 => hold(&sno::Subject::OF_ONE_METABYTE, data),
        _ => hold(&sno::Subject::OF_THREE_METABYTES, data),
    }
}

/// Holds generators of a subject to the promises, on one schedule.
pub(crate) fn hold<T: Subject>(subject: &T, data: &mut Unstructured<'_>) -> Result<()> {
    let setup = setup(subject, data)?;
    let is_shared = data.arbitrary()?;
    let schedule = schedule(&subject.settings(), data);
    if let Err(broken) = run(subject, &setup, is_shared, &schedule) {
        panic!("{}: {broken}\n{setup:?}\n{schedule:?}", T::Scheme::NAME);
    }
    Ok(())
}

fn setup<T: Subject>(subject: &T, data: &mut Unstructured<'_>) -> Result<Setup<T::Scheme>> {
    let layout = subject.settings();
    let policy = match data.int_in_range(0..=4)? {
        0 => layout.default_policy(),
        1 => Policy::Wait,
        2 if T::Scheme::TOGGLE => Policy::TickTock,
        3 => Policy::Ratchet { allowance: Ticks::new(data.int_in_range(0..=8)?) },
        _ => Policy::Ratchet { allowance: Ticks::new(data.arbitrary()?) },
    };

    let all = layout.sequence_bounds(&subject.node());
    // All sequences are used only rarely, because blocks of thousands take time and find no more
    // than blocks of ten.
    let bounds = if data.ratio(1, 16)? {
        all
    } else {
        let lowest = data.int_in_range(all.lowest()..=all.lowest().saturating_add(200))?;
        let fewest = T::Scheme::MIN_POOL;
        let last = lowest + (fewest - 1) + data.int_in_range(0..=12)?;
        SequenceBounds::new(lowest.min(all.last() - (fewest - 1)), last.min(all.last()))
    };
    let start = match data.int_in_range(0..=2)? {
        0 => StartChoice::Own(data.arbitrary()?),
        // One beyond either end, too.
        1 => StartChoice::Fixed(
            data.int_in_range(bounds.lowest().saturating_sub(1)..=bounds.last() + 1)?,
        ),
        _ => {
            let random = RandomStart::new(data.arbitrary()?);
            StartChoice::Random(random.with_guard_bits(data.int_in_range(0..=2)?))
        }
    };

    let (first, last) = (T::Scheme::FIRST_TICK, layout.last_tick());
    let begin = match data.int_in_range(0..=3)? {
        0 => first + data.int_in_range(0..=4)?,
        1 => last - data.int_in_range(0..=12)?,
        _ => layout.tick_at(subject.start()).unwrap().get(),
    };
    let now = time_of(&layout, begin) + data.int_in_range(0..=tick_length(&layout) - 1)?;
    let end = layout.max_tick() + 1;
    let (floor, ceiling) = if data.arbitrary()? {
        (0, end)
    } else {
        // The floor lies between a little before the clock and a little after it.
        let floor = (begin + 6).saturating_sub(data.int_in_range(0..=12)?).clamp(first, last);
        (floor, (floor + data.int_in_range(1..=40)?).min(end))
    };
    Ok(Setup { policy, bounds, start, now: UnixTime::from_micros(now), floor, ceiling })
}

fn schedule<S: tickid_core::Scheme>(layout: &S, data: &mut Unstructured<'_>) -> Schedule {
    let tick = tick_length(layout);
    let mut schedule = Schedule::new();
    while !data.is_empty() && schedule.len() < LONGEST {
        let Ok(call) = call(tick, data) else {
            break;
        };
        schedule.push(call);
    }
    schedule
}

fn call(tick: i64, data: &mut Unstructured<'_>) -> Result<(Turn, Action, usize)> {
    let turn = match data.int_in_range(0..=9)? {
        0..=2 => Turn::Stand,
        // To the tick, and a little off it.
        3 => Turn::Leap(i64::from(data.arbitrary::<i8>()?) * tick),
        4 | 5 => Turn::Leap(data.int_in_range(-2 * tick..=2 * tick)?),
        6 => Turn::Leap(i64::from(data.arbitrary::<i32>()?)),
        7 | 8 => Turn::Repeat(data.arbitrary::<u8>()?.into()),
        _ => Turn::Astray(*data.choose(&[Outside::Before, Outside::After, Outside::Never])?),
    };
    let action = match data.int_in_range(0..=9)? {
        0..=2 => Action::One,
        3..=5 => Action::Block(NonZeroU32::new(data.int_in_range(1..=20)?).unwrap()),
        6 => Action::Block(NonZeroU32::MAX),
        7 => Action::Fill(data.int_in_range(0..=40)?),
        8 => Action::Widen(data.int_in_range(0..=12)?),
        _ => Action::Reopen,
    };
    Ok((turn, action, data.int_in_range(0..=2)?))
}
