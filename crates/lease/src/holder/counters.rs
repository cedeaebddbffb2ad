//! The counts that a leased generator keeps, by reason.

use core::fmt;

use crate::holder::wait_reason::WaitReason;

/// The number of events in the life of a [`LeasedGenerator`](crate::LeasedGenerator).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Leases acquired.
    pub leases: u64,
    /// Renewals.
    pub renewals: u64,
    /// Leases lost.
    pub losses: u64,
    /// Leases exchanged for one of a different node because the clock was set far back.
    pub moves: u64,
    /// Requests to the store that failed.
    pub failures: ReasonCounts,
    /// Calls that could not issue immediately, whether or not they then waited.
    pub stalls: ReasonCounts,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            leases: 0,
            renewals: 0,
            losses: 0,
            moves: 0,
            failures: ReasonCounts::new(&WaitReason::OF_REQUESTS),
            stalls: ReasonCounts::new(&WaitReason::ALL),
        }
    }
}

/// The number of events for each [`WaitReason`].
///
/// # Examples
/// ```
/// use tickid_lease::session::{Counters, WaitReason};
///
/// let counters = Counters::default();
/// assert_eq!(counters.failures.of(WaitReason::Unreachable), 0);
/// let labels: Vec<_> = counters.failures.iter().map(|(reason, _)| reason.label()).collect();
/// let expected = ["acquiring", "no_free_node", "not_started", "unreachable", "refused", "failed"];
/// assert_eq!(labels, expected);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReasonCounts {
    /// The reasons that these events can have.
    reasons: &'static [WaitReason],
    /// By [`WaitReason::index`].
    counts: [u64; WaitReason::ALL.len()],
}

impl ReasonCounts {
    const fn new(reasons: &'static [WaitReason]) -> Self {
        Self { reasons, counts: [0; WaitReason::ALL.len()] }
    }

    /// Returns the number of events for a reason.
    #[must_use]
    pub fn of(&self, reason: WaitReason) -> u64 {
        self.counts[reason.index()]
    }

    /// Returns the number of events for all reasons together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the reasons that these events can have, each with its number, which may be zero.
    pub fn iter(&self) -> impl Iterator<Item = (WaitReason, u64)> {
        self.reasons.iter().map(|&reason| (reason, self.of(reason)))
    }

    pub(super) fn add(&mut self, reason: WaitReason, events: u64) {
        self.counts[reason.index()] += events;
    }
}

/// Writes the reasons that have occurred, by their labels.
impl fmt::Debug for ReasonCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let occurred = self.iter().filter(|&(_, count)| count > 0);
        f.debug_map().entries(occurred.map(|(reason, count)| (reason.label(), count))).finish()
    }
}
