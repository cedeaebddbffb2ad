//! The difference between a generator's clock and its store's, in words.

use core::fmt;
use core::time::Duration;

use tickid_core::counted;

/// The difference between a generator's clock and its store's, for people to read.
///
/// Errors and the [state](crate::LeaseState::clock_gap) show it, since clocks that differ are the
/// usual reason for a stall while the lease seems to be in order.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use std::sync::Arc;
/// use tickid_core::{ManualClock, UnixTime};
/// use tickid_lease::backend::MemoryBackend;
/// use tickid_lease::{LeasedGenerator, Store};
///
/// let clock = |secs: i64| Arc::new(ManualClock::new(UnixTime::from_micros(secs * 1_000_000)));
/// let store = Store::new(MemoryBackend::new(clock(1_700_003_600)));
/// let builder = LeasedGenerator::builder(store, realm).clock(clock(1_700_000_000));
/// let generator = builder.start()?;
///
/// let gap = generator.state().clock_gap.ok_or("the clocks agree")?;
/// assert_eq!(gap.to_string(), "this clock is 1 hour behind the store's");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGap {
    /// The lead of the generator's clock; negative if it is behind.
    pub(super) ahead_micros: i64,
}

impl ClockGap {
    /// Returns the difference if it is more than `skew`. The store's answer took up to `latency`,
    /// by which the generator's clock has advanced since the store read its own.
    pub(super) fn beyond(
        skew: Duration,
        ahead_micros: Option<i64>,
        latency: Duration,
    ) -> Option<Self> {
        let ahead_micros = ahead_micros?;
        let most = if ahead_micros < 0 { skew } else { skew.saturating_add(latency) };
        let gap = Self { ahead_micros };
        (gap.size() > most).then_some(gap)
    }

    fn size(self) -> Duration {
        Duration::from_micros(self.ahead_micros.unsigned_abs())
    }

    /// Reports whether the generator's clock is behind.
    #[must_use]
    pub const fn is_behind(self) -> bool {
        self.ahead_micros < 0
    }
}

impl fmt::Display for ClockGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_behind() { "behind" } else { "ahead of" };
        f.write_str("this clock is ")?;
        in_words(self.size(), f)?;
        write!(f, " {side} the store's")
    }
}

/// Writes a time in its two largest units, which are minutes at least. A time below a minute has a
/// fraction.
fn in_words(time: Duration, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const UNITS: [(u64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    if time < Duration::from_secs(60) {
        return write!(f, "{time:.1?}");
    }
    // To the nearest minute, because the clocks are read one after the other: an hour must not
    // become 59 minutes.
    let mut rest = (time.as_secs() + 29) / 60 * 60;
    let parts = UNITS.map(|(secs, unit)| {
        let count = rest / secs;
        rest %= secs;
        (count, unit)
    });
    let shown = parts.iter().skip_while(|(count, _)| *count == 0).take(2);
    for (index, (count, unit)) in shown.filter(|(count, _)| *count > 0).enumerate() {
        let space = if index > 0 { " " } else { "" };
        write!(f, "{space}{}", counted(*count, unit))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_in_words() {
        for (micros, text) in [
            (0, "0.0ns ahead of"),
            (1_700, "1.7ms ahead of"),
            (-59_940_000, "59.9s behind"),
            (60_000_000, "1 minute ahead of"),
            (3_600_001_713, "1 hour ahead of"),
            (-3_599_998_713, "1 hour behind"),
            (-5_430_000_000, "1 hour 30 minutes behind"),
            (-3_630_000_000, "1 hour behind"),
            (183_600_000_000, "2 days 3 hours ahead of"),
        ] {
            let gap = ClockGap { ahead_micros: micros }.to_string();
            assert_eq!(gap, format!("this clock is {text} the store's"));
        }
    }

    #[test]
    fn only_gaps_beyond_the_skew_count() {
        let secs = Duration::from_secs;
        let is_beyond = |ahead_secs: i64, latency| {
            ClockGap::beyond(secs(5), Some(ahead_secs * 1_000_000), secs(latency)).is_some()
        };
        for (ahead, latency, expected) in [
            (5, 0, false),
            (6, 0, true),
            (7, 2, false),
            (8, 2, true),
            (-5, 0, false),
            (-6, 0, true),
            (-6, 9, true),
        ] {
            assert_eq!(is_beyond(ahead, latency), expected, "{ahead} s, {latency} s");
        }
        assert_eq!(ClockGap::beyond(secs(5), None, secs(0)), None);
    }
}
