//! The terms of a realm's leases.

use core::fmt;
use core::time::Duration;

use tickid_core::{Policy, Scheme, TickScale, TickStart, Ticks, counted};

/// The settings that decide how far a lease reaches ahead of the store's clock, and for how long it
/// lasts without a renewal.
///
/// A lease's ceiling is set to the store's time plus [`ahead`](crate::RealmSpec::ahead), the sum of three
/// terms. The *allowance* is the number of ticks by which IDs may be ahead of their holder's clock.
/// The *skew* is the tolerated lead of that clock over the store's, beyond which its holder stalls.
/// The *term* is the time that a lease lasts without a renewal, and it is renewed every half term.
///
/// Clocks that differ by more than the skew cost availability, but never uniqueness. Shorter terms
/// free the nodes of crashed holders sooner. Longer ones bridge longer outages of the store.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::Realm;
/// use tickid_scru64::Scru64;
///
/// let realm = Realm::builder("orders", Scru64).pool("0-255/8").term(Duration::from_secs(60));
/// let realm = realm.build()?;
/// assert_eq!((realm.terms().allowance, realm.terms().skew), (39, Duration::from_secs(5)));
/// assert_eq!(realm.spec().ahead(), 39 + 254); // 65 seconds in ticks of 256 ms, rounded up
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Terms {
    /// The number of ticks that the generators' policy lets IDs be ahead of the clock.
    pub allowance: u64,
    /// The lead of a holder's clock over the store's that is tolerated, up to
    /// [`LONGEST`](Self::LONGEST). The default is 5 seconds.
    pub skew: Duration,
    /// The time that a lease lasts without a renewal, from two ticks, but at least a millisecond, to
    /// [`LONGEST`](Self::LONGEST). The default is 10 seconds, or two ticks if that is longer.
    pub term: Duration,
    /// Where the generators' ticks start. The default is the scheme's.
    pub start: TickStart,
}

impl Terms {
    /// The default skew.
    pub const DEFAULT_SKEW: Duration = Duration::from_secs(5);
    /// The default term.
    pub const DEFAULT_TERM: Duration = Duration::from_secs(10);

    /// The longest skew and the longest term, 30 days.
    pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// Returns the default terms for generators with this policy.
    #[must_use]
    pub fn new<S: Scheme>(policy: Policy<S>) -> Self {
        let allowance = policy.allowance().map_or(0, Ticks::get);
        let start = if S::RANDOM_START { TickStart::Random } else { TickStart::Lowest };
        Self { allowance, skew: Self::DEFAULT_SKEW, term: Self::DEFAULT_TERM, start }
    }

    /// Returns the time that a request for a renewal may take.
    pub(crate) fn timeout(self) -> Duration {
        (self.term / 4).clamp(Duration::from_millis(50), Duration::from_secs(5))
    }

    /// Returns the time that any request may take.
    pub(crate) fn longest_timeout(self) -> Duration {
        self.timeout() * 4
    }

    /// Returns the number of ticks that a lease with these terms reaches ahead of the store's clock.
    pub(crate) fn ahead(self, scale: TickScale) -> u64 {
        let time = self.skew.saturating_add(self.term);
        self.allowance.saturating_add(scale.ticks_to_cover(time))
    }

    /// Returns the longest round trip to a store for which programs should hold leases with these
    /// terms, which is a sixth of the term. A renewal then has time to be sent again, also where its
    /// program is stopped half a term before the window ends, as under `tickid lease exec`.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::Policy;
    /// use tickid_lease::admin::Terms;
    /// use tickid_sno::Sno;
    ///
    /// let terms = Terms::new(Policy::<Sno>::Wait).with_term(Duration::from_secs(30));
    /// assert_eq!(terms.longest_trip(), Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn longest_trip(self) -> Duration {
        self.term / 6
    }

    /// Returns the terms with a different skew.
    #[must_use]
    pub const fn with_skew(self, skew: Duration) -> Self {
        Self { skew, ..self }
    }

    /// Returns the terms with a different term.
    #[must_use]
    pub const fn with_term(self, term: Duration) -> Self {
        Self { term, ..self }
    }

    /// Returns the terms with a different start of ticks.
    #[must_use]
    pub const fn with_start(self, start: TickStart) -> Self {
        Self { start, ..self }
    }
}

/// For example `term 10s, skew 5s, allowance 39 ticks, random starts`.
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowance, skew, term, start } = self;
        let allowance = counted(*allowance, "tick");
        write!(f, "term {term:?}, skew {skew:?}, allowance {allowance}, {start} starts")
    }
}

/// Returns the shortest term that leaves room for a renewal.
pub(crate) fn shortest_term(scale: TickScale) -> Duration {
    Duration::from_micros(scale.micros_per_tick().max(500).saturating_mul(2))
}
