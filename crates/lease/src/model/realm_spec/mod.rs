//! A realm, in other words everything that its holders must agree on.

mod error;
mod mismatch;
mod name;
mod terms;

use core::time::Duration;

use tickid_core::{AnyNode, Policy, Scheme, TickScale, Ticks, UnixTime, Variants};

pub use self::error::RealmError;
pub use self::mismatch::{Mismatch, RealmFacet};
pub use self::name::RealmName;
pub use self::terms::Terms;
pub(crate) use self::terms::shortest_term;
use crate::model::pool::NodePool;

/// A [`Realm`](crate::Realm) as stores keep it, without its scheme's type. It has a name, a scheme
/// with its settings and ticks, the nodes to grant, and the terms.
///
/// A realm pins everything that determines the bits of an ID. A store refuses a request for a realm
/// that differs from the one it keeps under that name, so two leases of one realm never produce the
/// same ID, whatever options their holders use.
///
/// A realm whose pool is the [`single`](NodePool::single) empty node is for IDs without a node,
/// such as kuid's local ones, and every other realm is for IDs that carry the node. Generators of
/// either kind refuse to issue IDs of the other. Otherwise holders of different nodes would issue
/// the same IDs without a node.
///
/// # Examples
/// ```
/// use tickid_core::{UnixTime, Variants};
/// use tickid_kuid::Kuid;
/// use tickid_lease::{Realm, RealmSpec};
///
/// let realm = Realm::builder("orders", Kuid::default()).pool("0-9/32").build()?;
/// let spec = RealmSpec::from(realm);
/// assert_eq!((spec.scheme(), spec.settings()), ("kuid", "drift 8"));
/// assert_eq!((spec.name().as_str(), spec.pool().len()), ("orders", 10));
/// assert_eq!(spec.variants(), Variants::WithNode);
///
/// // A term of 10 seconds, in ticks of 1,024 µs; 977 start in each second.
/// assert_eq!(spec.term_ticks(), 9_770);
/// assert_eq!(spec.tick_at(UnixTime::EPOCH), Some(0));
/// assert_eq!(spec.max_ahead(), 2 * spec.ahead());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealmSpec {
    pub(crate) name: RealmName,
    pub(crate) scheme: String,
    /// As [`Scheme::write_settings`] writes it.
    pub(crate) settings: String,
    pub(crate) scale: TickScale,
    /// One past the last tick that may be issued.
    pub(crate) end: u64,
    pub(crate) pool: NodePool,
    pub(crate) terms: Terms,
}

/// The parts of a [`RealmSpec`], for a realm whose scheme has no type. Each field is the value of
/// the method of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "without one of them there is no realm")]
pub struct RealmParts {
    /// The name.
    pub name: RealmName,
    /// The name of the scheme.
    pub scheme: String,
    /// The settings of the scheme that determine bits of an ID.
    pub settings: String,
    /// The scheme's ticks.
    pub scale: TickScale,
    /// One past the last tick that may be issued.
    pub end: u64,
    /// The nodes to grant.
    pub pool: NodePool,
    /// The terms.
    pub terms: Terms,
}

impl From<RealmParts> for RealmSpec {
    fn from(parts: RealmParts) -> Self {
        let RealmParts { name, scheme, settings, scale, end, pool, terms } = parts;
        Self { name, scheme, settings, scale, end, pool, terms }
    }
}

impl From<RealmSpec> for RealmParts {
    fn from(spec: RealmSpec) -> Self {
        let RealmSpec { name, scheme, settings, scale, end, pool, terms } = spec;
        Self { name, scheme, settings, scale, end, pool, terms }
    }
}

impl RealmSpec {
    /// Creates a realm of the scheme's IDs, with the default terms for its default policy.
    pub(crate) fn new<S: Scheme>(
        name: RealmName,
        scheme: &S,
        pool: NodePool,
    ) -> Result<Self, RealmError> {
        // All nodes of a range have one width, so a scheme that takes the first and the last takes
        // all.
        for range in pool.ranges() {
            for node in [range.first_node(), range.last_node()] {
                // A realm for IDs without a node leases only windows of time.
                if node != AnyNode::NONE {
                    scheme
                        .split_node(node)
                        .map_err(|error| RealmError::Node { scheme: S::NAME, error })?;
                } else if !S::HAS_NODELESS_IDS {
                    return Err(RealmError::NoNodelessIds { scheme: S::NAME });
                }
            }
        }
        Ok(Self {
            name,
            scheme: S::NAME.to_owned(),
            settings: settings_text(scheme),
            scale: scheme.scale(),
            end: scheme.last_tick() + 1,
            pool,
            terms: Terms::new(scheme.default_policy()),
        })
    }

    /// Compares the scheme and settings of a future generator with the realm's.
    pub(crate) fn check_settings<S: Scheme>(&self, scheme: &S) -> Result<(), Mismatch> {
        let asked = Self {
            scheme: S::NAME.to_owned(),
            settings: settings_text(scheme),
            scale: scheme.scale(),
            end: scheme.last_tick() + 1,
            ..self.clone()
        };
        asked.mismatch(self).map_or(Ok(()), Err)
    }

    /// Returns the realm with other terms, for [`Store::reconfigure`](crate::Store::reconfigure).
    /// Skew and term are rounded up to whole microseconds.
    ///
    /// # Errors
    /// Returns [`RealmError::Duration`], as [`RealmBuilder::build`](crate::RealmBuilder::build).
    pub fn with_terms(self, terms: Terms) -> Result<Self, RealmError> {
        let whole_micros = |what, duration: Duration, shortest: Duration| {
            if (shortest..=Terms::LONGEST).contains(&duration) {
                let rest = u64::from(duration.subsec_nanos()).next_multiple_of(1_000);
                Ok(Duration::from_secs(duration.as_secs()) + Duration::from_nanos(rest))
            } else {
                Err(RealmError::Duration { what, duration, shortest, longest: Terms::LONGEST })
            }
        };
        let skew = whole_micros("skew", terms.skew, Duration::ZERO)?;
        let term = whole_micros("term", terms.term, shortest_term(self.scale))?;
        Ok(Self { terms: Terms { skew, term, ..terms }, ..self })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &RealmName {
        &self.name
    }

    /// Returns the name of the scheme.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Returns the settings of the scheme that determine bits of an ID, as text, for example `drift
    /// 8` for kuid. It is empty for a scheme without settings.
    #[must_use]
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// Returns the variants of IDs that the realm's generators issue, either all with a node or all
    /// without one.
    #[must_use]
    pub fn variants(&self) -> Variants {
        if self.pool.contains(AnyNode::NONE) { Variants::WithoutNode } else { Variants::WithNode }
    }

    /// Returns the scheme's ticks, which include the epoch.
    #[must_use]
    pub fn scale(&self) -> TickScale {
        self.scale
    }

    /// Returns the scheme's last tick plus one, the highest ceiling.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the nodes to grant.
    #[must_use]
    pub fn pool(&self) -> &NodePool {
        &self.pool
    }

    /// Returns the terms.
    #[must_use]
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// Returns the policy of the realm's generators. It is the scheme's default if that has the
    /// realm's allowance. Otherwise it is *wait* for an allowance of zero, and a ratchet for any
    /// other.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Policy, Ticks};
    /// use tickid_lease::Realm;
    /// use tickid_scru64::Scru64;
    /// use tickid_sno::Sno;
    ///
    /// let orders = Realm::builder("orders", Sno).pool("0-9/16");
    /// assert_eq!(orders.clone().build()?.spec().policy(&Sno), Policy::TickTock);
    /// let ratchet = Policy::Ratchet { allowance: Ticks::new(125) }; // half a second
    /// assert_eq!(orders.policy(ratchet).build()?.spec().policy(&Sno), ratchet);
    ///
    /// let strict = Realm::builder("strict", Scru64).pool("0-255/8").policy(Policy::Wait);
    /// assert_eq!(strict.build()?.spec().policy(&Scru64), Policy::Wait);
    /// # Ok::<(), tickid_lease::RealmError>(())
    /// ```
    #[must_use]
    pub fn policy<S: Scheme>(&self, scheme: &S) -> Policy<S> {
        let usual = scheme.default_policy();
        match self.terms.allowance {
            allowance if allowance == Terms::new(usual).allowance => usual,
            0 => Policy::Wait,
            allowance => Policy::Ratchet { allowance: Ticks::new(allowance) },
        }
    }

    /// Returns the term in ticks, rounded up.
    #[must_use]
    pub fn term_ticks(&self) -> u64 {
        self.scale.ticks_to_cover(self.terms.term)
    }

    /// Returns the number of ticks that a lease reaches ahead of the store's clock. This is the sum
    /// of allowance, skew and term, rounded up.
    #[must_use]
    pub fn ahead(&self) -> u64 {
        self.terms.ahead(self.scale)
    }

    /// Returns the number of ticks that IDs may be ahead of their holder's clock by the realm's
    /// policy. An overflow takes a ratchet one tick beyond its allowance.
    pub(crate) fn lead(&self) -> u64 {
        // Other policies have none, and their IDs are never ahead.
        if self.terms.allowance == 0 { 0 } else { self.terms.allowance.saturating_add(1) }
    }

    /// Returns twice [`ahead`](Self::ahead). No lease ever reaches further, so a node that does is
    /// quarantined.
    #[must_use]
    pub fn max_ahead(&self) -> u64 {
        self.ahead().saturating_mul(2)
    }

    /// Converts a clock reading to ticks, or returns `None` outside the scheme's time.
    #[must_use]
    pub fn tick_at(&self, now: UnixTime) -> Option<u64> {
        self.scale.tick_at(now).filter(|&tick| tick < self.end)
    }

    /// Returns the first difference between `self`, a caller's realm, and `kept`, the store's.
    pub(crate) fn mismatch(&self, kept: &Self) -> Option<Mismatch> {
        self.mismatches(kept).next()
    }

    /// Returns the first difference that [`reconfigure`](crate::Store::reconfigure) cannot change.
    pub(crate) fn fixed_mismatch(&self, kept: &Self) -> Option<Mismatch> {
        self.mismatches(kept).find(|mismatch| mismatch.what.is_fixed())
    }

    fn mismatches(&self, kept: &Self) -> impl Iterator<Item = Mismatch> {
        // Most realms are equal, and need no texts.
        let both = (self != kept).then(|| self.facets().into_iter().zip(kept.facets()));
        both.into_iter().flatten().filter_map(|((what, brought), (_, kept))| {
            (brought != kept).then_some(Mismatch { what, brought, kept })
        })
    }

    /// Returns, as text, everything that realms of one name can differ in.
    fn facets(&self) -> [(RealmFacet, String); 6] {
        let Self { name: _, scheme, settings, scale, end, pool, terms } = self;
        let ticks = format!(
            "{} µs each from {} on, anew every {} µs, up to {end}",
            scale.micros_per_tick(),
            scale.epoch(),
            scale.period_micros()
        );
        [
            (RealmFacet::Scheme, scheme.clone()),
            (RealmFacet::Settings, settings.clone()),
            (RealmFacet::Ticks, ticks),
            (RealmFacet::Ids, self.variants().to_string()),
            (RealmFacet::Nodes, pool.to_string()),
            (RealmFacet::Terms, terms.to_string()),
        ]
    }
}

fn settings_text(scheme: &impl Scheme) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = scheme.write_settings(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use tickid_core::TickStart;
    use tickid_core::example::Seconds;

    use super::*;
    use crate::model::record::Record;

    fn realm() -> RealmSpec {
        RealmSpec::new("a".parse().unwrap(), &Seconds, "0-7/8".parse().unwrap()).unwrap()
    }

    #[test]
    fn nodes_are_the_schemes() {
        let name = || "a".parse().unwrap();
        let error = |pool: &str| {
            let spec = RealmSpec::new(name(), &Seconds, pool.parse().unwrap());
            spec.map_or_else(|error| error.to_string(), |_| String::new())
        };
        // Shares of a node down to a single one of the 256 sequences.
        for pool in ["0-7/8", "0-7/9", "0/8,2-3/9", "65535/16"] {
            assert_eq!(error(pool), "", "{pool}");
        }
        assert_eq!(
            error("0-6/7,254/8"),
            "seconds has no such node: node 0/7 has fewer bits than the node's field, which has 8"
        );
        assert_eq!(
            error("0/8,1024/17"),
            "seconds has no such node: node 1024/17 has 0 of a tick's sequences, fewer than 1: nodes \
             have at most 16 bits"
        );
        let error = RealmSpec::new(name(), &Seconds, NodePool::single()).unwrap_err();
        assert_eq!(error, RealmError::NoNodelessIds { scheme: "seconds" });
    }

    #[test]
    fn ahead_adds_terms_rounded_up() {
        let millis = Duration::from_millis;
        let terms =
            Terms { allowance: 3, skew: millis(1_500), term: millis(2_001), ..realm().terms() };
        let realm = realm().with_terms(terms).unwrap();
        assert_eq!((realm.ahead(), realm.max_ahead(), realm.term_ticks()), (7, 14, 3));
        let text = "term 2.001s, skew 1.5s, allowance 3 ticks, lowest starts";
        assert_eq!(realm.terms().to_string(), text);
        let endless = Terms { allowance: u64::MAX, ..terms };
        assert_eq!(realm.with_terms(endless).unwrap().max_ahead(), u64::MAX);
    }

    #[test]
    fn short_terms_are_refused() {
        let term = |millis| {
            let terms = realm().terms().with_term(Duration::from_millis(millis));
            realm().with_terms(terms)
        };
        assert!(term(2_000).is_ok());
        let error = term(1_999).unwrap_err();
        assert_eq!(error.to_string(), "a term of 1.999s is outside of 2s..=2592000s");
    }

    #[test]
    fn microseconds_round_up() {
        let terms = realm().terms().with_skew(Duration::from_nanos(1));
        let terms = realm().with_terms(terms).unwrap().terms();
        assert_eq!(terms.skew, Duration::from_micros(1));
        let terms = terms.with_skew(Duration::MAX);
        assert!(realm().with_terms(terms).is_err());
    }

    #[test]
    fn a_mismatch_names_what_differs() {
        assert_eq!(realm().mismatch(&realm()), None);
        let others = [
            (RealmFacet::Scheme, RealmSpec { scheme: "other".to_owned(), ..realm() }),
            (RealmFacet::Settings, RealmSpec { settings: "drift 5".to_owned(), ..realm() }),
            (RealmFacet::Ids, RealmSpec { pool: NodePool::single(), ..realm() }),
            (
                RealmFacet::Ticks,
                RealmSpec { scale: TickScale::every(UnixTime::MIN, 1_000_000), ..realm() },
            ),
            (RealmFacet::Ticks, RealmSpec { end: 5, ..realm() }),
            (RealmFacet::Nodes, RealmSpec { pool: "0-8/8".parse().unwrap(), ..realm() }),
            (
                RealmFacet::Terms,
                RealmSpec { terms: realm().terms().with_skew(Duration::ZERO), ..realm() },
            ),
            (
                RealmFacet::Terms,
                RealmSpec { terms: realm().terms().with_start(TickStart::Random), ..realm() },
            ),
        ];
        let fields = |realm: &RealmSpec| -> serde_json::Value {
            serde_json::from_str(&Record::new(realm.clone(), String::new()).to_json()).unwrap()
        };
        let kept = fields(&realm());
        for (what, other) in others {
            let changed = fields(&other);
            for facet in RealmFacet::ALL.into_iter().filter(|facet| !facet.fields().is_empty()) {
                assert!(facet.fields().iter().all(|field| !kept[field].is_null()), "{facet}");
                let is_other = facet.fields().iter().any(|field| kept[field] != changed[field]);
                let follows = what == RealmFacet::Ids && facet == RealmFacet::Nodes;
                assert_eq!(is_other, what == facet || follows, "{what}, {facet}");
            }
            assert_eq!(realm().mismatch(&other).unwrap().what, what);
            assert_eq!(realm().fixed_mismatch(&other).is_some(), what.is_fixed(), "{what}");
            // The difference that can be changed hides none that is fixed.
            let both = RealmSpec { terms: realm().terms().with_term(Duration::MAX), ..other };
            assert_eq!(realm().fixed_mismatch(&both).is_some(), what.is_fixed(), "{what}");
        }
    }
}
