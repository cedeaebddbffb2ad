//! A realm together with its scheme.

use core::time::Duration;

use tickid_core::{
    AnyNode, Builder, DEFAULT_MAX_WAIT, NodeId as _, Policy, RangeError, Scheme, Tick, TickStart,
    Window,
};

use crate::model::lease::Lease;
use crate::model::pool::NodePool;
use crate::model::realm_spec::{Mismatch, RealmError, RealmName, RealmSpec, Terms, shortest_term};

/// A set of generators whose IDs must differ, with a name, a scheme, the nodes to lease, and terms.
///
/// All holders must describe a realm in the same way. If one said `0-255/8` and another
/// `0-1023/10`, node 5 would mean different bits to them, and their IDs could be equal. So a store
/// keeps the first description that it gets under a name, and refuses any other.
///
/// A store wants the realm's [`spec`](Self::spec), which says the same without a type parameter.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{LeasedGenerator, Realm, Store};
/// use tickid_lease::session::block_on;
/// use tickid_scru64::Scru64;
///
/// let term = Duration::from_secs(60); // a lease lasts a minute without a renewal
/// let realm = Realm::builder("orders", Scru64).pool("0-255/8").term(term).build()?;
/// let store = Store::in_memory();
/// LeasedGenerator::start(store.clone(), realm.clone())?.generate()?;
///
/// // Other holders may take over the pool and the terms that the store has.
/// let record = block_on(store.realm(realm.name()), Duration::from_secs(5))?;
/// assert_eq!(Realm::from_spec(record.realm, Scru64)?, realm);
///
/// // Nodes must exist in the scheme: a partition of sno has 16 bits.
/// assert!(Realm::builder("orders", tickid_sno::Sno).pool("0-255/8").build().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A lease can also be held by hand. A [`LeasedGenerator`](crate::LeasedGenerator) does all of the
/// following, and renews the lease as well:
///
/// ```
#[doc = include_str!("example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let mut claim = Claim::new(Token::random()?, "an example", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
/// let generator = realm.generator_builder(&lease)?.build()?;
/// let id = generator.generate()?;
///
/// let used = generator.close().highest_tick().map(|tick| tick.get());
/// block_on(store.release(realm.spec(), &lease, used), timeout)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realm<S> {
    pub(crate) scheme: S,
    pub(crate) spec: RealmSpec,
}

/// The options of a [`Realm`].
///
/// | option | default |
/// |---|---|
/// | [`pool`](Self::pool) | none, so it must be set |
/// | [`policy`](Self::policy) | the scheme's |
/// | [`tick_start`](Self::tick_start) | the scheme's |
/// | [`skew`](Self::skew) | 5 seconds ([`Terms::DEFAULT_SKEW`]) |
/// | [`term`](Self::term) | 10 seconds ([`Terms::DEFAULT_TERM`]), or two ticks if that is longer |
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{Policy, Ticks};
/// use tickid_lease::{NodePool, Realm};
/// use tickid_kuid::Kuid;
/// use tickid_sno::Sno;
///
/// let realm = Realm::builder("orders", Sno)
///     .pool("0-1023/16")
///     .policy(Policy::Ratchet { allowance: Ticks::new(250) }) // a second of 4 ms
///     .skew(Duration::from_secs(1))
///     .build()?;
/// assert_eq!(realm.spec().ahead(), 250 + 11 * 250);
///
/// // Local kuids have no node: their realm has the single empty one.
/// let local = Realm::builder("local", Kuid::default()).pool(NodePool::single()).build()?;
/// assert_eq!(local.pool().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RealmBuilder<S> {
    scheme: S,
    /// The first mistake is reported by [`build`](Self::build).
    name: Result<RealmName, RealmError>,
    pool: Result<NodePool, RealmError>,
    terms: Terms,
}

impl<S: Scheme> RealmBuilder<S> {
    /// Sets the nodes to lease, as text or as a [`NodePool`]. For example, `"0-1023/10"` stands for
    /// the nodes 0 to 1023 of 10 bits.
    ///
    /// Have a few more nodes than generators: each generator needs its own, and the node of one that
    /// crashed stays taken until its window has ended.
    pub fn pool<P: TryInto<NodePool>>(self, pool: P) -> Self
    where
        RealmError: From<P::Error>,
    {
        Self { pool: pool.try_into().map_err(RealmError::from), ..self }
    }

    /// Sets the policy of the realm's generators.
    ///
    /// Note that a store keeps only the allowance, because only that decides how far IDs can be
    /// ahead of the clock. [`RealmSpec::policy`] turns it into a policy again. So you cannot choose
    /// between two policies without an allowance here: for sno, [`Policy::Wait`] changes nothing,
    /// since tick-tock, its default, has none either. Set such a policy for each generator, by
    /// [`LeasedGeneratorBuilder::policy`](crate::LeasedGeneratorBuilder::policy).
    pub fn policy(mut self, policy: Policy<S>) -> Self {
        self.terms.allowance = Terms::new(policy).allowance;
        self
    }

    /// Sets where the ticks of the realm's generators start. Stores keep this, so that it is the
    /// same for all holders.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::TickStart;
    /// use tickid_lease::Realm;
    /// use tickid_nanoflake::Nanoflake;
    ///
    /// // IDs that are issued one at a time have all remainders.
    /// let realm = Realm::builder("orders", Nanoflake::default()).pool("0-1023/10");
    /// let realm = realm.tick_start(TickStart::Random).build()?;
    /// assert_eq!(realm.terms().start, TickStart::Random);
    /// # Ok::<(), tickid_lease::RealmError>(())
    /// ```
    pub fn tick_start(mut self, start: TickStart) -> Self {
        self.terms.start = start;
        self
    }

    /// Sets the tolerated lead of a holder's clock over the store's, from zero to 30 days, rounded
    /// up to whole microseconds. A holder whose clock is further ahead stalls at the end of its
    /// window. A larger skew puts up with worse clocks, but the node of a crashed holder stays taken
    /// for longer.
    pub fn skew(mut self, skew: Duration) -> Self {
        self.terms.skew = skew;
        self
    }

    /// Sets the time that a lease lasts without a renewal, from two ticks, but at least a
    /// millisecond, to 30 days, rounded up to whole microseconds. Since leases are renewed every
    /// half term, a longer one bridges longer outages of the store and costs fewer writes, but the
    /// node of a crashed holder stays taken for longer.
    ///
    /// A round trip to the store may take up to a [sixth](Terms::longest_trip) of the term. Beyond a
    /// quarter, no renewal is answered in time.
    pub fn term(mut self, term: Duration) -> Self {
        self.terms.term = term;
        self
    }

    /// Builds the realm.
    ///
    /// # Errors
    /// Returns [`RealmError::Text`] for a name or a pool that cannot be read,
    /// [`RealmError::NoPool`] without a pool, [`RealmError::Node`] for nodes that the scheme does
    /// not have, and [`RealmError::NoNodelessIds`] for [`AnyNode::NONE`] if all IDs of the scheme
    /// carry a node.
    ///
    /// Returns [`RealmError::Duration`] for a [`term`](Self::term) or a [`skew`](Self::skew) out of
    /// its range. A term that is too short leaves no room for a renewal.
    pub fn build(self) -> Result<Realm<S>, RealmError> {
        let spec = RealmSpec::new(self.name?, &self.scheme, self.pool?)?;
        Ok(Realm { scheme: self.scheme, spec: spec.with_terms(self.terms)? })
    }
}

impl<S> From<Realm<S>> for RealmSpec {
    fn from(realm: Realm<S>) -> Self {
        realm.spec
    }
}

impl<S> Realm<S> {
    /// Returns the description that stores take.
    #[must_use]
    pub fn spec(&self) -> &RealmSpec {
        &self.spec
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &RealmName {
        self.spec.name()
    }

    /// Returns the nodes to lease.
    #[must_use]
    pub fn pool(&self) -> &NodePool {
        self.spec.pool()
    }

    /// Returns the terms.
    #[must_use]
    pub fn terms(&self) -> Terms {
        self.spec.terms()
    }
}

impl<S: Scheme> Realm<S> {
    /// Returns a builder of a realm of the scheme's IDs. The name is a text, for example
    /// `"orders"`, or a [`RealmName`].
    pub fn builder<N: TryInto<RealmName>>(name: N, scheme: S) -> RealmBuilder<S>
    where
        RealmError: From<N::Error>,
    {
        RealmBuilder {
            scheme,
            name: name.try_into().map_err(RealmError::from),
            pool: Err(RealmError::NoPool),
            terms: Terms::new(scheme.default_policy())
                .with_term(Terms::DEFAULT_TERM.max(shortest_term(scheme.scale()))),
        }
    }

    /// Creates a realm with a pool and terms that a store has kept, for a program that does not
    /// choose them itself. [`Store::realm`](crate::Store::realm) reads them.
    ///
    /// # Errors
    /// Returns a [`Mismatch`] if the spec is of a different scheme or has other settings.
    pub fn from_spec(spec: RealmSpec, scheme: S) -> Result<Self, Mismatch> {
        spec.check_settings(&scheme)?;
        Ok(Self { scheme, spec })
    }

    /// Returns the policy of the realm's generators, as [`RealmSpec::policy`] does.
    #[must_use]
    pub fn policy(&self) -> Policy<S> {
        self.spec.policy(&self.scheme)
    }

    /// Returns a builder of a generator with the node and the window of a lease of this realm.
    ///
    /// The caller keeps the lease. It passes the ceiling of a renewed one to
    /// [`Generator::widen`](tickid_core::Generator::widen), and
    /// [closes](tickid_core::Generator::close) the generator before it releases the lease, or as
    /// soon as the lease is lost.
    ///
    /// Layout, window and [variants](RealmSpec::variants) are [pinned](Builder::pin), since the
    /// lease's guarantee rests on them. Policy and starts of ticks are the [realm's](Self::policy).
    /// If the leased node is a share of a field's sequences, the generator draws from these only,
    /// and [`bounds`](Builder::bounds) outside of them are an error.
    /// [`max_wait`](Builder::max_wait) is set to [`DEFAULT_MAX_WAIT`], so that the generator waits
    /// for a renewal after its window has ended.
    ///
    /// With the [default clock](tickid_core::DefaultClock), a child of a `fork` issues nothing
    /// under the node. Wrap any other clock in a [`ProcessClock`](tickid_core::ProcessClock), which
    /// ensures the same.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the scheme has no such ticks, which means that the lease is not
    /// of this realm. A node that the scheme does not have is an error of [`Builder::build`].
    pub fn generator_builder(&self, lease: &Lease) -> Result<Builder<S>, RangeError> {
        generator_builder(self.scheme, &self.spec, lease)
    }
}

/// Returns the builder of [`Realm::generator_builder`].
pub(crate) fn generator_builder<S: Scheme>(
    scheme: S,
    spec: &RealmSpec,
    lease: &Lease,
) -> Result<Builder<S>, RangeError> {
    let window = Window::new(Tick::new(lease.floor)?, lease.ceiling)?;
    Ok(builder_of(scheme, spec, lease.node, window))
}

/// Returns a builder of a generator with any node of the realm and any window.
pub(crate) fn builder_of<S: Scheme>(
    scheme: S,
    spec: &RealmSpec,
    node: AnyNode,
    window: Window<S>,
) -> Builder<S> {
    // IDs without a node do not show the one that their generator has.
    let builder = match (node, without_node::<S>()) {
        (AnyNode::NONE, Some(any)) => Builder::of(scheme, any),
        _ => Builder::of_any(scheme, node),
    };
    let builder = builder
        .window(window)
        .variants(spec.variants())
        .policy(spec.policy(&scheme))
        .tick_start(spec.terms().start)
        .max_wait(DEFAULT_MAX_WAIT);
    builder.pin()
}

/// Returns the first node of the scheme, for a generator whose IDs do not show it.
fn without_node<S: Scheme>() -> Option<S::Node> {
    (1..=u64::BITS).find_map(|bits| S::Node::from_value(0, bits).ok())
}
