use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::holder::state::Cause;

/// Decides which warnings are logged: of each cause, one per term.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    logged: [Option<Logged>; Cause::ALL.len()],
}

#[derive(Clone, Copy, Debug)]
struct Logged {
    at: Duration,
    /// The number of warnings since.
    suppressed: u64,
}

impl Warnings {
    /// Reports whether a warning is logged at the time `now`, as the number of similar ones
    /// suppressed since the last.
    pub(super) fn admit(&mut self, cause: Cause, now: Duration, term: Duration) -> Option<u64> {
        let logged = &mut self.logged[cause as usize];
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

/// An error with its sources, each after a colon.
pub(super) struct Chain<'a>(pub(super) &'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut sources = core::iter::successors(self.0.source(), |&source| source.source());
        sources.try_for_each(|source| write!(f, ": {source}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_warning_per_cause_and_term() {
        let mut warnings = Warnings::default();
        let mut admit =
            |cause, secs| warnings.admit(cause, Duration::from_secs(secs), Duration::from_secs(10));
        assert_eq!(admit(Cause::Unreachable, 100), Some(0));
        assert_eq!(admit(Cause::Unreachable, 101), None);
        assert_eq!(admit(Cause::Exhausted, 101), Some(0), "another cause");
        assert_eq!(admit(Cause::Unreachable, 109), None);
        assert_eq!(admit(Cause::Unreachable, 110), Some(2));
        assert_eq!(admit(Cause::Unreachable, 120), Some(0));
    }
}
