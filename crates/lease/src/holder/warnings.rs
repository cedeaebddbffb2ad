//! The warnings that a holder logs, at most one per term for each reason.

use core::time::Duration;

use crate::holder::wait_reason::WaitReason;

/// Decides which warnings are logged, one per term for each reason.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    logged: [Option<Logged>; WaitReason::ALL.len()],
}

#[derive(Clone, Copy, Debug)]
struct Logged {
    at: Duration,
    /// The number of warnings since.
    suppressed: u64,
}

impl Warnings {
    /// Reports whether a warning is logged at the time `now`, by returning the number of similar
    /// ones suppressed since the last.
    pub(super) fn admit(
        &mut self,
        reason: WaitReason,
        now: Duration,
        term: Duration,
    ) -> Option<u64> {
        let logged = &mut self.logged[reason.index()];
        match logged {
            Some(logged) if now < logged.at.saturating_add(term) => {
                logged.suppressed += 1;
                None
            }
            _ => {
                let suppressed = logged.map_or(0, |logged| logged.suppressed);
                *logged = Some(Logged { at: now, suppressed: 0 });
                Some(suppressed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_per_reason_and_term() {
        let mut warnings = Warnings::default();
        let mut admit = |reason, secs| {
            warnings.admit(reason, Duration::from_secs(secs), Duration::from_secs(10))
        };
        assert_eq!(admit(WaitReason::Unreachable, 100), Some(0));
        assert_eq!(admit(WaitReason::Unreachable, 101), None);
        assert_eq!(admit(WaitReason::NoFreeNode, 101), Some(0), "another reason");
        assert_eq!(admit(WaitReason::Unreachable, 109), None);
        assert_eq!(admit(WaitReason::Unreachable, 110), Some(2));
        assert_eq!(admit(WaitReason::Unreachable, 120), Some(0));
    }
}
