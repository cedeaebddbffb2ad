//! Tests of eight threads on one generator: the first five promises of the design under a wild
//! clock, and 100,000 IDs for each thread under a tame one. [`scaled`] multiplies these numbers.

use core::num::NonZeroU32;
use core::ops::Range;

use tickid_core::{
    Clock, Error, ErrorKind, Generator, Policy, Scheme, SequenceBounds, Snapshot, StallReason,
    Tick, Variant, Window,
};

use crate::cases::scaled;
use crate::clock::{Scripted, Turn, forget, readings};
use crate::dice::Dice;
use crate::promises::{OrderCheck, Seen, Witness, tick_at};
use crate::schedule::{Outside, tick_length, ticks};
use crate::subject::Subject;
use crate::threads::on_threads;

/// A test with a wild clock, for a generator whose window widens meanwhile.
#[derive(Debug)]
pub struct Storm<'a, T: Subject> {
    /// The subject that the generator belongs to.
    pub subject: &'a T,
    /// Its policy.
    pub policy: Policy<T::Scheme>,
    /// Its sequences, which are few enough that ticks are used up.
    pub bounds: SequenceBounds,
    /// The minimum number of calls of each thread, before [`scaled`].
    pub calls: usize,
    /// The minimum number of IDs that each thread draws, before [`scaled`].
    pub ids: usize,
}

/// The outcome of a storm.
#[derive(Debug)]
pub struct Aftermath<S: Scheme> {
    /// Counts of the events in all threads.
    pub seen: Seen,
    /// The generator's last state.
    pub snapshot: Snapshot<S>,
    /// The window after all widening.
    pub window: Window<S>,
    /// The tick when the storm started.
    pub start: u64,
}

impl<T: Subject> Storm<'_, T> {
    /// The generator's first window, in ticks after the start.
    const WINDOW: Range<u64> = 20..60;
    /// The largest number of IDs in one call.
    const LONGEST: u32 = 2_000;

    /// Draws from all threads, by every method and in every form, while they move the clock.
    ///
    /// # Panics
    /// If a promise is broken, or if too few events happened.
    #[must_use]
    pub fn weather(&self) -> Aftermath<T::Scheme> {
        let scheme = self.subject.settings();
        let start = scheme.tick_at(self.subject.start()).unwrap().get();
        let floor = Tick::new(start + Self::WINDOW.start).unwrap();
        let clock = wild_clock(self.subject);
        let generator = self
            .subject
            .builder(0x5EED)
            .clock(&clock)
            .policy(self.policy)
            .bounds(self.bounds)
            .window(Window::new(floor, start + Self::WINDOW.end).unwrap())
            .max_wait(ticks(&scheme, 30))
            .build()
            .unwrap();

        let (ids, seen): (Vec<_>, Vec<_>) =
            on_threads(|dice| self.draw_and_check(&generator, dice)).into_iter().unzip();
        let mut all = Seen::default();
        seen.iter().for_each(|seen| all.add(seen));
        self.assert_no_breeze(&all);
        check_unique(self.subject, &ids).unwrap_or_else(|broken| panic!("{broken}"));
        let state = generator.state();
        assert!(!state.is_closed, "closed without a call of `close`");
        Aftermath { seen: all, snapshot: state.snapshot, window: state.window, start }
    }

    /// Runs one thread's part.
    fn draw_and_check(
        &self,
        generator: &Generator<T::Scheme, &Scripted>,
        mut dice: Dice,
    ) -> (Vec<T::Id>, Seen) {
        let forms = self.subject.forms();
        let mut witness = Witness::new(self.subject, self.policy, self.bounds);
        let (mut ids, mut seen) = (Vec::new(), Seen::default());
        let (least_calls, least_ids) = (scaled(self.calls), scaled(self.ids));
        let mut calls = 0;
        while calls < least_calls || ids.len() < least_ids {
            calls += 1;
            assert!(calls < least_calls.saturating_mul(100), "becalmed with {} IDs", ids.len());
            let form = dice.one_of(&forms);
            let (method, n) = (Method::any(&mut dice), dice.count(Self::LONGEST));
            let old = ids.len();
            forget();
            let drawn = method.draw(generator, form, n, self.subject.blank(), &mut ids);
            let window = generator.state().window;
            let shown = shown(&self.subject.settings(), method.is_of_one_block());
            let ahead = witness.check(&ids[old..], form, &shown, window);
            seen.ahead += ahead.unwrap_or_else(|broken| panic!("{broken}, by {method:?}"));
            seen.ids += (ids.len() - old) as u64;
            if let Err(error) = drawn {
                seen.refusal(&error).unwrap_or_else(|broken| panic!("{broken}"));
                // A refused thread has to move the clock or the window, or the generator would
                // never continue.
                if dice.below(8) > 0 {
                    continue;
                }
                if error.kind() == ErrorKind::Stalled(StallReason::WindowEnded) {
                    let now = shown.last().copied().unwrap_or_default();
                    let ceiling = window.ceiling().max(now) + dice.below(40);
                    generator.widen(ceiling).unwrap();
                } else {
                    generator.clock().sleep(error.retry_after().unwrap_or_default());
                }
            }
        }
        (ids, seen)
    }

    fn assert_no_breeze(&self, seen: &Seen) {
        let policy = self.policy;
        let always = [seen.clock_behind, seen.window_ended, seen.clock];
        assert!(always.iter().all(|&count| count > 10), "{policy}: {seen:?}");
        assert_eq!(seen.end_of_time + seen.sequence_start, 0, "{policy}: {seen:?}");
        // A ratchet continues where the others are exhausted.
        let (exhausted, ahead) =
            if policy.allowance().is_some() { (0..1, 10..u64::MAX) } else { (10..u64::MAX, 0..1) };
        assert!(exhausted.contains(&seen.tick_used_up), "{policy}: {seen:?}");
        assert!(ahead.contains(&seen.ahead), "{policy}: {seen:?}");
    }
}

/// Returns a clock that moves like a wall clock, but at the worst moment, between two readings of
/// one call.
fn wild_clock<T: Subject>(subject: &T) -> Scripted {
    let scheme = subject.settings();
    let (start, tick) = (subject.start().as_micros(), tick_length(&scheme));
    let astray = [Outside::Before, Outside::After, Outside::Never]
        .map(|outside| Turn::Astray(outside.time(&scheme).as_micros()));
    Scripted::new(subject.start(), move |dice| match dice.below(400) {
        // Runs on.
        0..45 => Turn::Leap(dice.within(0..2 * tick)),
        // Steps back and forth.
        45..53 => Turn::Leap(-dice.within(0..3 * tick)),
        53..58 => Turn::Leap(dice.within(0..20 * tick)),
        58..63 => Turn::Leap(-dice.within(0..20 * tick)),
        // Leaps.
        63 => Turn::Leap(dice.within(0..500 * tick)),
        64 => Turn::Leap(-dice.within(0..500 * tick)),
        // Repeats what it has shown before.
        65 | 66 => Turn::Show(start + dice.within(0..200 * tick)),
        // Leaps to where no ID can be, reserved ticks included.
        67 => astray[0],
        68 => astray[1],
        69 => astray[2],
        // Stands still.
        _ => Turn::Stand,
    })
}

/// The method of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    TryGenerate,
    Generate,
    TryBlock,
    Block,
    TryFill,
    Fill,
}

impl Method {
    pub(crate) fn any(dice: &mut Dice) -> Self {
        match dice.below(20) {
            0..8 => Self::TryGenerate,
            8..16 => Self::Generate,
            16 => Self::TryBlock,
            17 => Self::Block,
            18 => Self::TryFill,
            _ => Self::Fill,
        }
    }

    /// Reports whether its IDs have one tick, and thus belong to one reading.
    pub(crate) fn is_of_one_block(self) -> bool {
        !matches!(self, Self::TryFill | Self::Fill)
    }

    /// Makes one call, for one ID or for `n`, which are appended to `ids`.
    pub(crate) fn draw<S: Scheme, F: Variant<S>, C: Clock>(
        self,
        generator: &Generator<S, C>,
        form: F,
        n: u32,
        blank: F::Id,
        ids: &mut Vec<F::Id>,
    ) -> Result<(), Error> {
        let want = NonZeroU32::new(n).unwrap();
        let old = ids.len();
        match self {
            Self::TryGenerate => ids.push(generator.with(form).try_generate()?),
            Self::Generate => ids.push(generator.with(form).generate()?),
            Self::TryBlock => ids.extend(generator.with(form).try_block(want)?),
            Self::Block => ids.extend(generator.with(form).block(want)?),
            Self::TryFill => {
                ids.resize(old + want.get() as usize, blank);
                let filled = generator.with(form).try_fill(&mut ids[old..]);
                let written = filled.as_ref().map_or(0, |ids| ids.len());
                let filled = filled.map(|_| ());
                ids.truncate(old + written);
                filled?;
            }
            Self::Fill => {
                ids.resize(old + want.get() as usize, blank);
                let filled = generator.with(form).fill(&mut ids[old..]);
                let written = filled.map_or_else(|error| error.written, |()| want.get() as usize);
                ids.truncate(old + written);
                filled.map_err(|error| error.source)?;
            }
        }
        Ok(())
    }
}

/// Returns the ticks that this thread has read since it last forgot them. For a call that draws at
/// most one block it returns only the last, because an ID is checked against the last reading
/// before it.
pub(crate) fn shown<S: Scheme>(scheme: &S, is_of_one_block: bool) -> Vec<u64> {
    let ticks = readings().into_iter().filter_map(|time| tick_at(scheme, time));
    let mut shown: Vec<u64> = ticks.collect();
    if is_of_one_block {
        shown.drain(..shown.len().saturating_sub(1));
    }
    shown
}

/// Checks that no ID was issued twice.
pub(crate) fn check_unique<T: Subject>(subject: &T, ids: &[Vec<T::Id>]) -> Result<(), String> {
    let keys = ids.iter().flatten().map(|&id| subject.parts(id).key());
    let mut keys: Vec<u128> = keys.collect();
    keys.sort_unstable();
    let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) else {
        return Ok(());
    };
    let ids = ids.iter().flatten().filter(|&&id| subject.parts(id).key() == twice[0]);
    Err(format!("issued twice: {:?}", ids.collect::<Vec<_>>()))
}

/// Draws 100,000 IDs, before [`scaled`], on each of eight threads, by the methods that wait and in
/// every form, and returns the IDs of each thread. The clock must not go back.
///
/// # Panics
/// If an ID is issued twice, does not increase on its thread or differs from the request, or if a
/// call fails.
pub fn draw_unique<T: Subject, C: Clock + Sync>(
    subject: &T,
    generator: &Generator<T::Scheme, C>,
) -> Vec<Vec<T::Id>> {
    let ids = draw(subject, generator, scaled(100_000));
    check_unique(subject, &ids).unwrap_or_else(|broken| panic!("{broken}"));
    ids
}

/// Draws `each` IDs on each of eight threads, by the methods that wait and in every form.
///
/// # Panics
/// If an ID does not increase on its thread or differs from the request, or if a call fails.
pub(crate) fn draw<T: Subject, C: Clock + Sync>(
    subject: &T,
    generator: &Generator<T::Scheme, C>,
    each: usize,
) -> Vec<Vec<T::Id>> {
    let forms = subject.forms();
    on_threads(|mut dice| {
        // Without a rollback, the order has no exceptions.
        let mut order = OrderCheck::new(subject, Policy::Wait);
        let mut ids = Vec::with_capacity(each);
        while ids.len() < each {
            let form = dice.one_of(&forms);
            let room = u32::try_from(each - ids.len()).unwrap();
            let n = dice.count(5_000).min(room);
            let (method, times) = match dice.below(3) {
                0 => (Method::Generate, n),
                1 => (Method::Fill, 1),
                _ => (Method::Block, 1),
            };
            let old = ids.len();
            for _ in 0..times {
                method.draw(generator, form, n, subject.blank(), &mut ids).unwrap();
            }
            for &id in &ids[old..] {
                order.follow(id).unwrap_or_else(|broken| panic!("{broken}, by {method:?}"));
                assert!(subject.is_of(id, form), "{id:?} is not what was asked for: {form:?}");
            }
        }
        assert_eq!(ids.len(), each);
        ids
    })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tickid_core::{ManualClock, Ticks};

    use super::*;
    use crate::broken::Broken;

    fn storm(broken: &Broken, policy: Policy<<Broken as Subject>::Scheme>) -> Storm<'_, Broken> {
        Storm {
            subject: broken,
            policy,
            bounds: SequenceBounds::new(20, 119),
            calls: 2_000,
            ids: 1_000,
        }
    }

    #[test]
    fn sound_schemes_pass() {
        for policy in [
            Policy::Ratchet { allowance: Ticks::new(0) },
            Policy::Ratchet { allowance: Ticks::new(7) },
            Policy::Wait,
            Policy::TickTock,
        ] {
            let after = storm(&Broken::Not, policy).weather();
            assert_eq!(after.snapshot.drifts > 0, policy == Policy::TickTock);
            assert!(after.window.ceiling() > after.start + 60);
        }
    }

    #[test]
    #[should_panic(expected = "panicked, see above")]
    fn a_drift_is_found() {
        let _ = storm(&Broken::Drifts, Policy::Wait).weather();
    }

    #[test]
    #[should_panic(expected = "panicked, see above")]
    fn a_wrong_order_is_found() {
        let _ = storm(&Broken::Falls, Policy::TickTock).weather();
    }

    #[test]
    fn repetitions_are_named() {
        let id = |sequence| 5_u64 << 17 | 0xA5 << 8 | sequence;
        let check = |ids: &[Vec<u64>]| check_unique(&Broken::Not, ids);
        assert_eq!(check(&[vec![id(1), id(3)], vec![id(2)]]), Ok(()));
        let error = check(&[vec![id(1), id(3)], vec![id(2), id(3)]]).unwrap_err();
        assert_eq!(error, format!("issued twice: {:?}", [id(3); 2]));
    }

    #[test]
    fn tame_clocks_draw_all() {
        let clock = ManualClock::new(Broken::Not.start());
        // Each sleeping thread moves the clock, and so uses up the time of the others.
        let builder = Broken::Not.builder(0).clock(&clock);
        let generator = builder.max_wait(Duration::MAX).build().unwrap();
        let ids = draw_unique(&Broken::Not, &generator);
        assert_eq!(ids.iter().map(Vec::len).sum::<usize>(), scaled(800_000));
    }
}
