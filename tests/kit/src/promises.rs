//! Checks of the first five promises of the design: unique, ordered, bounded, no field beyond its
//! range, and in the window.

use tickid_core::{
    ClockError, Error, ErrorKind, Policy, Scheme, SequenceBounds, StallReason, Tick, UnixTime,
    Window,
};

use crate::subject::{Parts, Subject};

/// Returns the number of ticks that the policy lets IDs be ahead of the clock.
fn most_ahead<S>(policy: Policy<S>) -> u64 {
    policy.allowance().map_or(0, |allowance| allowance.get().saturating_add(1))
}

/// Returns the tick of a reading, or `None` if no ID can have that time.
pub(crate) fn tick_at<S: Scheme>(scheme: &S, time: UnixTime) -> Option<u64> {
    let tick = scheme.tick_at(time).ok()?.get();
    (S::FIRST_TICK..=scheme.last_tick()).contains(&tick).then_some(tick)
}

/// A check of IDs in the order of issue.
#[derive(Debug)]
pub(crate) struct OrderCheck<'a, T: Subject> {
    subject: &'a T,
    policy: Policy<T::Scheme>,
    /// The last ID under each toggle.
    last: [Option<T::Id>; 2],
}

impl<'a, T: Subject> OrderCheck<'a, T> {
    pub(crate) fn new(subject: &'a T, policy: Policy<T::Scheme>) -> Self {
        Self { subject, policy, last: [None; 2] }
    }

    /// Checks that IDs increase or, under tick-tock, that the IDs of each toggle do.
    pub(crate) fn follow(&mut self, id: T::Id) -> Result<(), String> {
        let parts = self.subject.parts(id);
        if parts.toggle && self.policy != Policy::TickTock {
            return Err(format!("{id:?} toggles under the policy {}", self.policy));
        }
        let last = &mut self.last[usize::from(parts.toggle)];
        if let Some(last) = *last {
            let is_above = self.subject.parts(last) < parts && self.subject.increases(last, id);
            if !is_above {
                return Err(format!("{id:?} came after {last:?}"));
            }
        }
        *last = Some(id);
        Ok(())
    }
}

/// Checks that an ID has one of the ticks that the clock showed, or is ahead of it by no more than
/// the policy allows.
fn check_drift<S>(parts: Parts, shown: &[u64], policy: Policy<S>) -> Result<(), String> {
    let most = most_ahead(policy);
    let allows = |&now: &u64| now <= parts.tick && parts.tick - now <= most;
    if shown.iter().any(allows) {
        Ok(())
    } else {
        Err(format!("{parts:?} when the clock showed {shown:?}, with at most {most} ahead"))
    }
}

/// A check of the IDs that one thread's calls draw against the promises.
#[derive(Debug)]
pub(crate) struct Witness<'a, T: Subject> {
    subject: &'a T,
    policy: Policy<T::Scheme>,
    bounds: SequenceBounds,
    order: OrderCheck<'a, T>,
}

impl<'a, T: Subject> Witness<'a, T> {
    pub(crate) fn new(subject: &'a T, policy: Policy<T::Scheme>, bounds: SequenceBounds) -> Self {
        let order = OrderCheck::new(subject, policy);
        Self { subject, policy, bounds, order }
    }

    /// Checks the IDs that one call drew while the clock showed `shown`, and returns how many are
    /// ahead of it.
    ///
    /// `window` may be the window after the call, because the ceiling only rises.
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

/// Counts of the events in a test, so that a test with too few events fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Refusals because the clock was behind.
    pub clock_behind: u64,
    /// Refusals because a tick was used up.
    pub tick_used_up: u64,
    /// Refusals because the window had ended.
    pub window_ended: u64,
    /// Refusals because no ID can have the time that the clock shows.
    pub clock: u64,
    /// Refusals because the scheme has no tick left.
    pub end_of_time: u64,
    /// Refusals because of a sequence start outside of the bounds.
    pub sequence_start: u64,
    /// IDs ahead of the clock.
    pub ahead: u64,
    /// Changes of the toggle bit.
    pub flips: u64,
    /// Closed generators that another generator was restored from.
    pub reopened: u64,
    /// IDs issued.
    pub ids: u64,
}

impl Seen {
    /// Counts a refusal. A generator that is not closed has no other reasons.
    pub(crate) fn refusal(&mut self, error: &Error) -> Result<(), String> {
        let count = match error.kind() {
            ErrorKind::Stalled(StallReason::ClockBehind) => &mut self.clock_behind,
            ErrorKind::Stalled(StallReason::TickUsedUp) => &mut self.tick_used_up,
            ErrorKind::Stalled(StallReason::WindowEnded) => &mut self.window_ended,
            ErrorKind::Clock(ClockError::OutOfRange { .. }) => &mut self.clock,
            ErrorKind::EndOfTime => &mut self.end_of_time,
            ErrorKind::SequenceStart { .. } => &mut self.sequence_start,
            ErrorKind::Stalled(_)
            | ErrorKind::Closed
            | ErrorKind::Clock(_)
            | ErrorKind::Variant(_) => return Err(format!("refused for {:?}", error.kind())),
            _ => return Err(format!("refused for {:?}", error.kind())),
        };
        *count += 1;
        match (error.kind(), error.retry_after()) {
            (ErrorKind::Stalled(StallReason::WindowEnded), Some(_)) => {
                Err(format!("knows when the window is widened: {error}"))
            }
            (ErrorKind::Stalled(StallReason::ClockBehind | StallReason::TickUsedUp), None) => {
                Err(format!("does not say until when: {error}"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.clock_behind += other.clock_behind;
        self.tick_used_up += other.tick_used_up;
        self.window_ended += other.window_ended;
        self.clock += other.clock;
        self.end_of_time += other.end_of_time;
        self.sequence_start += other.sequence_start;
        self.ahead += other.ahead;
        self.flips += other.flips;
        self.reopened += other.reopened;
        self.ids += other.ids;
    }
}
