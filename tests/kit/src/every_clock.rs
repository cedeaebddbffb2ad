//! The first five promises over clocks without a script. Every kind of generator is checked against
//! the readings of its clock.
//!
//! If a clock is stepped back during the test, no promise is broken, but the test may take as long
//! as the step.

use tickid_core::{
    Clock, Error, ErrorKind, Generator, ManualClock, StallReason, SystemClock, Window,
};

use crate::clock::{Noted, forget};
use crate::dice::Dice;
use crate::promises::Witness;
use crate::storm::{Method, check_unique, shown};
use crate::subject::Subject;
use crate::threads::on_threads;

/// The number of IDs that each thread draws.
const EACH: usize = 100_000;
/// The largest number of IDs in one call.
const LONGEST: u32 = 500;

/// Holds generators over the system's clock to the promises.
pub fn hold_over_the_system_clock<T: Subject>(subject: &T) {
    promises_hold_over(subject, SystemClock);
}

/// Holds generators over the counter clock to the promises, if there is one. If the counter is not
/// steady, it reads the system's clock.
pub fn hold_over_the_counter_clock<T: Subject>(subject: &T) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    promises_hold_over(subject, tickid_core::CounterClock::new());
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    let _ = subject;
}

/// Holds generators over a clock that moves when they sleep to the promises.
pub fn hold_over_the_manual_clock<T: Subject>(subject: &T) {
    promises_hold_over(subject, ManualClock::new(subject.start()));
}

/// Draws 100,000 IDs on each of eight threads from a shared generator over `clock`, by its methods
/// or through handles, and as many from an exclusive one.
fn promises_hold_over<T: Subject>(subject: &T, clock: impl Clock + Sync) {
    let clock = &Noted(clock);
    let builder = || subject.builder(0x5EED).clock(clock);

    let shared = builder().build().unwrap();
    let drawn = on_threads(|mut dice| {
        let has_handle = dice.below(2) == 0;
        let ids = if has_handle {
            through_a_handle(subject, &shared, dice)
        } else {
            by_all_methods(subject, &shared, dice)
        };
        (has_handle, ids)
    });
    let (with_handle, ids): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
    assert!(with_handle.contains(&true) && with_handle.contains(&false));
    check_unique(subject, &ids).unwrap_or_else(|broken| panic!("{broken}"));

    let mut exclusive = builder().build_local().unwrap();
    let mut witness = Witness::new(subject, exclusive.policy(), exclusive.bounds());
    let ids = draw(subject, &mut witness, Dice::new(0), |_, form, ids| {
        ids.push(exclusive.with(form).generate()?);
        Ok(OneBlock(true))
    });
    check_unique(subject, &[ids]).unwrap_or_else(|broken| panic!("{broken}"));
}

/// True if all IDs of a call belong to one block, and thus to one reading.
struct OneBlock(bool);

fn by_all_methods<T: Subject, C: Clock>(
    subject: &T,
    shared: &Generator<T::Scheme, C>,
    dice: Dice,
) -> Vec<T::Id> {
    let mut witness = Witness::new(subject, shared.policy(), shared.bounds());
    draw(subject, &mut witness, dice, |dice, form, ids| {
        let (method, n) = (Method::any(dice), dice.count(LONGEST));
        method.draw(shared, form, n, subject.blank(), ids)?;
        Ok(OneBlock(method.is_of_one_block()))
    })
}

fn through_a_handle<T: Subject, C: Clock>(
    subject: &T,
    shared: &Generator<T::Scheme, C>,
    dice: Dice,
) -> Vec<T::Id> {
    let mut witness = Witness::new(subject, shared.policy(), shared.bounds());
    let mut handle = shared.handle();
    draw(subject, &mut witness, dice, |_, form, ids| {
        ids.push(handle.with(form).generate()?);
        Ok(OneBlock(true))
    })
}

/// Makes calls until there are enough IDs, and checks the IDs of each call against the promises.
fn draw<T: Subject>(
    subject: &T,
    witness: &mut Witness<'_, T>,
    mut dice: Dice,
    mut call: impl FnMut(&mut Dice, T::Variant, &mut Vec<T::Id>) -> Result<OneBlock, Error>,
) -> Vec<T::Id> {
    let forms = subject.forms();
    let mut ids = Vec::with_capacity(EACH);
    while ids.len() < EACH {
        let form = dice.one_of(&forms);
        let old = ids.len();
        forget();
        // A refused call may have written some IDs before it failed, over several readings.
        let OneBlock(is_of_one_block) = match call(&mut dice, form, &mut ids) {
            Ok(one_block) => one_block,
            Err(error) => {
                let is_soon_over = matches!(
                    error.kind(),
                    ErrorKind::Stalled(StallReason::TickUsedUp | StallReason::ClockBehind)
                );
                assert!(is_soon_over, "{error}");
                OneBlock(false)
            }
        };
        let shown = shown(&subject.settings(), is_of_one_block);
        witness
            .check(&ids[old..], form, &shown, Window::ALL)
            .unwrap_or_else(|broken| panic!("{broken}"));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broken::Broken;

    #[test]
    #[should_panic(expected = "panicked, see above")]
    fn a_drift_is_found() {
        promises_hold_over(&Broken::Drifts, ManualClock::new(Broken::Not.start()));
    }

    #[test]
    #[should_panic(expected = "panicked, see above")]
    fn a_wrong_order_is_found() {
        promises_hold_over(&Broken::Falls, ManualClock::new(Broken::Not.start()));
    }
}
