//! The leases of a program, one per node. It may continue until the first of them ends.

use core::time::Duration;

use tickid_core::UnixTime;
use tickid_lease::StoreError;

use crate::window::{ClockTimes, ProgramWindow};

/// The leases, by the number of their session.
#[derive(Debug)]
pub(super) struct Leases(Vec<ExecLease>);

/// One lease.
#[derive(Debug, Default)]
pub(super) struct ExecLease {
    /// The window, once it is granted.
    pub(super) window: Option<ProgramWindow>,
    /// The reason why it has not been granted or renewed.
    pub(super) trouble: Option<StoreError>,
    is_lost: bool,
}

impl Leases {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| ExecLease::default()).collect())
    }

    pub(super) fn windows(&self) -> impl Iterator<Item = &ProgramWindow> {
        self.0.iter().filter_map(|held| held.window.as_ref())
    }

    /// Returns the windows of leases that are not lost.
    pub(super) fn to_release(&self) -> impl Iterator<Item = &ProgramWindow> {
        self.0.iter().filter(|held| !held.is_lost).filter_map(|held| held.window.as_ref())
    }

    pub(super) fn is_granted(&self, session: usize) -> bool {
        self.0.get(session).is_some_and(|held| held.window.is_some())
    }

    /// Records a window that was granted or renewed. Reports whether this is a renewal that ends all
    /// trouble.
    pub(super) fn granted(&mut self, session: usize, window: ProgramWindow) -> bool {
        let Some(held) = self.0.get_mut(session) else { return false };
        let is_renewal = held.window.replace(window).is_some();
        held.trouble.take().is_some() && is_renewal && !self.is_troubled()
    }

    /// Records the error of a request. Reports whether it is the first trouble.
    pub(super) fn failed(&mut self, session: usize, error: StoreError) -> bool {
        let is_first = !self.is_troubled();
        if let Some(held) = self.0.get_mut(session) {
            held.trouble = Some(error);
        }
        is_first
    }

    pub(super) fn lost(&mut self, session: usize) {
        if let Some(held) = self.0.get_mut(session) {
            held.is_lost = true;
        }
    }

    pub(super) fn is_lost(&self, session: usize) -> bool {
        self.0.get(session).is_some_and(|held| held.is_lost)
    }

    fn is_troubled(&self) -> bool {
        self.0.iter().any(|held| held.trouble.is_some())
    }

    /// Returns one of the errors.
    pub(super) fn take_trouble(&mut self) -> Option<StoreError> {
        self.0.iter_mut().find_map(|held| held.trouble.take())
    }

    /// Returns the time when the last window opens, or `None` until all are granted.
    pub(super) fn opens(&self) -> Option<UnixTime> {
        let opens = |held: &ExecLease| held.window.map(|window| window.opens);
        let all: Option<Vec<UnixTime>> = self.0.iter().map(opens).collect();
        all?.into_iter().max()
    }

    /// Returns the lease that leaves the program the least time.
    pub(super) fn shortest(&self, now: ClockTimes) -> Option<&ExecLease> {
        self.0.iter().min_by_key(|held| held.window.map(|window| window.left(now)))
    }

    /// Returns the time that the program may continue for.
    pub(super) fn left(&self, now: ClockTimes) -> Duration {
        let window = self.shortest(now).and_then(|held| held.window);
        window.map_or(Duration::ZERO, |window| window.left(now))
    }

    /// Returns the times, by either clock, when that much is left.
    pub(super) fn when_left(&self, left: Duration) -> (Duration, UnixTime) {
        let times = self.windows().map(|window| window.when_left(left));
        times.fold((Duration::MAX, UnixTime::MAX), |all, one| (all.0.min(one.0), all.1.min(one.1)))
    }
}
