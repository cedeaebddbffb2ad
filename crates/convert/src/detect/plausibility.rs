use core::time::Duration;

use tickid_core::UnixTime;

use crate::detect::Reading;
use crate::options::Layouts;

/// The plausibility that an ID was made at its time. Likelier values come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Plausibility {
    /// In the 30 years before now, or up to a day after it, and not on the first day of the
    /// format's epoch, where all short texts and small numbers fall.
    Likely,
    /// It has no time, or there is no `now` to compare it with.
    Unknown,
    /// At another time.
    Unlikely,
    /// No generator issues it: a kuid whose fields are not a valid time, or a SCRU64 ID with a
    /// reserved timestamp.
    NeverIssued,
}

impl Plausibility {
    /// As old as IDs of these kinds may well be.
    const PAST: Duration = Duration::from_secs(30 * 31_556_952);
    /// The allowance for wrong clocks and for generators that run ahead of them.
    const FUTURE: Duration = Self::DAY;
    const DAY: Duration = Duration::from_secs(86_400);

    #[inline]
    pub(super) fn of(
        reading: &Reading,
        layouts: &Layouts,
        time: Option<UnixTime>,
        now: Option<UnixTime>,
    ) -> Self {
        if reading.is_never_issued(layouts) {
            return Self::NeverIssued;
        }
        match (time, now) {
            (Some(time), Some(now)) => {
                let is_likely = now.saturating_since(time) <= Self::PAST
                    && time.saturating_since(now) <= Self::FUTURE
                    && time.saturating_since(reading.epoch(layouts)) >= Self::DAY;
                if is_likely { Self::Likely } else { Self::Unlikely }
            }
            _ => Self::Unknown,
        }
    }
}
