//! The promises, held against the calls of one thread and its readings of the clock.

use tickid_core::{Policy, SequenceBounds, Tick, Window};

use crate::clock::readings;
use crate::promises::{Order, check_drift, tick_at};
use crate::subject::Subject;

/// Follows one thread's calls and holds what they drew against the promises.
#[derive(Debug)]
pub(crate) struct Witness<'a, T: Subject> {
    subject: &'a T,
    layout: T::Scheme,
    policy: Policy<T::Scheme>,
    bounds: SequenceBounds,
    order: Order<'a, T>,
}

impl<'a, T: Subject> Witness<'a, T> {
    pub(crate) fn new(subject: &'a T, policy: Policy<T::Scheme>, bounds: SequenceBounds) -> Self {
        let order = Order::new(subject, policy);
        Self { subject, layout: subject.layout(), policy, bounds, order }
    }

    /// The ticks that this thread has read since it last forgot them; only the last for a call that
    /// draws at most one block, as an ID is held against the last reading before it.
    pub(crate) fn shown(&self, is_of_one_block: bool) -> Vec<u64> {
        let ticks = readings().into_iter().filter_map(|time| tick_at(&self.layout, time));
        let mut shown: Vec<u64> = ticks.collect();
        if is_of_one_block {
            shown.drain(..shown.len().saturating_sub(1));
        }
        shown
    }

    /// Checks what one call drew while the clock showed `shown`; gives how many are ahead of it.
    ///
    /// `window` may be as it is after the call: the ceiling only rises.
    pub(crate) fn check(
        &mut self,
        ids: &[T::Id],
        form: T::Variant,
        shown: &[u64],
        window: Window<T::Scheme>,
    ) -> Result<u64, String> {
        let mut ahead = 0;
        for &id in ids {
            let parts = self.subject.parts(id);
            self.order.follow(id)?;
            check_drift(parts, shown, self.policy)?;
            self.bounds.check(parts.sequence).map_err(|error| error.to_string())?;
            if !self.subject.is_of(id, form) {
                return Err(format!("{id:?} is not what was asked for: {form:?}"));
            }
            if !Tick::new(parts.tick).is_ok_and(|tick| window.contains(tick)) {
                return Err(format!("{id:?} outside of {window}"));
            }
            ahead += u64::from(shown.iter().all(|&now| now < parts.tick));
        }
        Ok(ahead)
    }
}

/// Names an ID that is there twice.
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
