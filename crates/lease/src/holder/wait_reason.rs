//! The reasons for having no ID now. They are the stalls of the engine, and what only leases can
//! meet.

use core::fmt;

use tickid_core::{ErrorKind, StallReason};

use crate::model::refusal::{Refusal, RefusalKind};
use crate::store_error::StoreError;

/// The reason why a [`LeasedGenerator`](crate::LeasedGenerator) has no ID at the moment, or why a
/// request to its store failed.
///
/// Metrics, the server and the command print its [`label`](Self::label) and have no other names for
/// it, so a dashboard and a log agree.
///
/// # Examples
/// ```
/// use tickid_core::StallReason;
/// use tickid_lease::session::WaitReason;
///
/// let reason = WaitReason::Stalled(StallReason::WindowEnded);
/// assert_eq!((reason.label(), WaitReason::NoFreeNode.label()), ("window_ended", "no_free_node"));
/// assert_eq!(WaitReason::NoFreeNode.to_string(), "no node is free");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// There is a lease, but its generator cannot issue now.
    Stalled(StallReason),
    /// A lease is being acquired, and the store has not answered yet. The last one may have been
    /// lost, which the next one ends.
    Acquiring,
    /// All nodes of the pool are in use, as far as the store has looked.
    NoFreeNode,
    /// The realm starts later. It is new to the store, or its leases were invalidated.
    NotStarted,
    /// The store does not answer, or takes no requests for leases yet.
    Unreachable,
    /// The store refuses a lease until an operator changes something, for example because it has
    /// the realm with a different pool. Calls do not wait for that.
    Refused,
    /// The store failed, or its answer could not be used.
    Failed,
}

tickid_core::cases! {
    /// The reasons for which a request to the store fails.
    pub(super) OF_REQUESTS of WaitReason:
        Acquiring, NoFreeNode, NotStarted, Unreachable, Refused, Failed;
    WaitReason::Stalled(_)
}

impl WaitReason {
    /// The reasons, those of a generator with a lease first.
    pub const ALL: [Self; StallReason::ALL.len() + Self::OF_REQUESTS.len()] = {
        let (mut all, mut index) = ([Self::Failed; _], 0);
        while index < StallReason::ALL.len() {
            all[index] = Self::Stalled(StallReason::ALL[index]);
            index += 1;
        }
        while index < all.len() {
            all[index] = Self::OF_REQUESTS[index - StallReason::ALL.len()];
            index += 1;
        }
        all
    };

    /// Returns the name that metrics, logs and the server's answers use for the reason, such as
    /// `"no_free_node"`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Stalled(reason) => reason.label(),
            Self::Acquiring => "acquiring",
            Self::NoFreeNode => "no_free_node",
            Self::NotStarted => "not_started",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Returns the reason why a request failed.
    pub(super) fn of_request(error: &StoreError) -> Self {
        match error.refusal().map(Refusal::kind) {
            // The next lease is claimed at once, so this is as if there had not been one yet.
            Some(RefusalKind::Over(_)) => Self::Acquiring,
            Some(RefusalKind::Busy { .. }) => Self::NoFreeNode,
            Some(RefusalKind::Early { .. }) => Self::NotStarted,
            Some(
                RefusalKind::Mismatch(_)
                | RefusalKind::Missing { .. }
                | RefusalKind::Clock
                | RefusalKind::Sound
                | RefusalKind::Newer
                | RefusalKind::Other,
            ) => Self::Refused,
            None if error.passes() => Self::Unreachable,
            None => Self::Failed,
        }
    }

    /// Returns the reason why a generator with a lease stalls, if waiting helps.
    pub(super) fn of_stall(error: &tickid_core::Error) -> Option<Self> {
        match error.kind() {
            ErrorKind::Stalled(reason) => Some(Self::Stalled(reason)),
            ErrorKind::Closed
            | ErrorKind::EndOfTime
            | ErrorKind::Clock(_)
            | ErrorKind::Variant(_)
            | ErrorKind::SequenceStart { .. } => None,
            _ => None,
        }
    }

    /// Reports whether the condition ends by itself, as far as anyone can tell. A
    /// [start](crate::LeasedGeneratorBuilder::start_within) is retried only if it does. It does not
    /// for [`Refused`](Self::Refused), which takes an operator, nor for [`Failed`](Self::Failed),
    /// whose cause is unknown.
    #[must_use]
    pub const fn passes(self) -> bool {
        match self {
            Self::Stalled(_)
            | Self::Acquiring
            | Self::NoFreeNode
            | Self::NotStarted
            | Self::Unreachable => true,
            Self::Refused | Self::Failed => false,
        }
    }

    /// Reports whether only an operator can end the condition, so that no call waits for that.
    pub(super) const fn is_final(self) -> bool {
        match self {
            Self::Refused => true,
            Self::Stalled(_)
            | Self::Acquiring
            | Self::NoFreeNode
            | Self::NotStarted
            | Self::Unreachable
            | Self::Failed => false,
        }
    }

    /// Returns the position in [`ALL`](Self::ALL).
    pub(super) fn index(self) -> usize {
        Self::ALL.iter().take_while(|&&reason| reason != self).count()
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stalled(reason) => return reason.fmt(f),
            Self::Acquiring => "a lease is being acquired",
            Self::NoFreeNode => "no node is free",
            Self::NotStarted => "the realm starts later",
            Self::Unreachable => "the store does not answer",
            Self::Refused => "the store refuses a lease",
            Self::Failed => "the store failed",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tickid_core::{AnyNode, UnixTime};

    use super::*;
    use crate::model::realm_spec::{Mismatch, RealmFacet};
    use crate::model::refusal::LeaseEnd;

    /// An operator ends the others, and calls do not wait for one.
    #[test]
    fn three_refusals_are_waited_for() {
        let (node, now, holder) = (AnyNode::new(1, 8).unwrap(), UnixTime::EPOCH, String::new());
        let (what, brought, kept) = (RealmFacet::Nodes, String::new(), String::new());
        let (asked, range) = ("orders".parse().unwrap(), "1/8".parse().unwrap());
        for (refusal, reason) in [
            (Refusal::Lost { node, why: LeaseEnd::Token }, WaitReason::Acquiring),
            (
                Refusal::NoFreeNode { nodes: 1, seen: 1, quarantined: 0, free_at: None },
                WaitReason::NoFreeNode,
            ),
            (Refusal::NotYet { from: now, now, why: None }, WaitReason::NotStarted),
            (Refusal::OtherRealm { node, asked }, WaitReason::Refused),
            (Refusal::Mismatch(Mismatch { what, brought, kept }), WaitReason::Refused),
            (Refusal::NoRealm { nearest: None }, WaitReason::Refused),
            (Refusal::LostRecord, WaitReason::Refused),
            (Refusal::NoRow { node }, WaitReason::Refused),
            (Refusal::Malformed { node }, WaitReason::Refused),
            (Refusal::Newer { node, record_version: 9 }, WaitReason::Refused),
            (Refusal::NotQuarantined { node, ceiling: 1, limit: 2 }, WaitReason::Refused),
            (Refusal::Reserved { node, holder: holder.clone() }, WaitReason::Refused),
            (Refusal::Overlap { range, node, holder }, WaitReason::Refused),
            (Refusal::StoreClock { now }, WaitReason::Refused),
            (Refusal::EndOfTime { last: 1 }, WaitReason::Refused),
        ] {
            // The same request never succeeds with a lost lease, whose holder claims another.
            let passes = reason.passes() && !matches!(refusal, Refusal::Lost { .. });
            assert_eq!(refusal.passes(), passes, "{refusal}");
            let error = StoreError::refused("memory", refusal);
            assert_eq!(WaitReason::of_request(&error), reason, "{error}");
            assert_eq!(reason.is_final(), !reason.passes(), "{error}");
        }
    }

    #[test]
    fn every_reason_has_its_own_label() {
        let labels: HashSet<_> = WaitReason::ALL.iter().map(|reason| reason.label()).collect();
        assert_eq!(labels.len(), WaitReason::ALL.len());
        for (index, reason) in WaitReason::ALL.into_iter().enumerate() {
            assert_eq!(reason.index(), index, "{reason}");
        }
    }
}
