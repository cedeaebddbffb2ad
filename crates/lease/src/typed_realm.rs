use core::ops::Deref;

use tickid_core::{
    Builder, DEFAULT_MAX_WAIT, DefaultClock, NodeId as _, ProcessClock, RangeError, Scheme, Tick,
    Window,
};

use crate::model::lease::Lease;
use crate::model::node::Node;
use crate::model::pool::NodePool;
use crate::model::realm::{Mismatch, RealmError, RealmName, RealmSpec, Terms};

/// A set of generators whose IDs must differ: a [`RealmSpec`] together with its scheme.
///
/// It derefs to the spec, which is what stores take.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token};
/// use tickid_lease::{Realm, Store, block_on};
/// use tickid_scru64::Scru64;
///
/// let realm = Realm::new("orders".parse()?, Scru64, "0-255/8".parse()?)?;
/// let store = Store::in_memory();
/// let timeout = Duration::from_secs(5);
///
/// // A lease by hand. A `LeasedGenerator` does all this, and renews it.
/// let mut claim = Claim::new(Token::random()?, "an example", None);
/// let lease = block_on(store.acquire(&realm, &mut claim), timeout)?;
/// let generator = realm.builder(&lease)?.build()?;
/// let id = generator.generate()?;
///
/// let used = generator.close().highest_tick().map(|tick| tick.get());
/// block_on(store.release(&realm, &lease, used), timeout)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realm<S> {
    scheme: S,
    spec: RealmSpec,
}

impl<S: Scheme> Realm<S> {
    /// Creates a realm of the scheme's IDs, with the default terms for its default policy.
    ///
    /// # Errors
    /// As [`RealmSpec::new`].
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Realm;
    /// use tickid_sno::Sno;
    ///
    /// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    /// assert_eq!(realm.pool().len(), 1_024);
    /// // A partition of sno has 16 bits.
    /// assert!(Realm::new("orders".parse()?, Sno, "0-255/8".parse()?).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: RealmName, scheme: S, pool: NodePool) -> Result<Self, RealmError> {
        let spec = RealmSpec::new(name, &scheme, pool)?;
        Ok(Self { scheme, spec })
    }

    /// Creates a realm with a pool and terms that a store has kept.
    ///
    /// # Errors
    /// Returns a [`Mismatch`] if the spec is of another scheme or layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Realm, RealmSpec};
    /// use tickid_scru64::Scru64;
    /// use tickid_sno::Sno;
    ///
    /// let spec = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
    /// assert!(Realm::from_spec(Sno, spec.clone()).is_ok());
    /// assert!(Realm::from_spec(Scru64, spec).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_spec(scheme: S, spec: RealmSpec) -> Result<Self, Mismatch> {
        spec.check_layout(&scheme)?;
        Ok(Self { scheme, spec })
    }

    /// Returns the realm with other terms.
    ///
    /// # Errors
    /// As [`RealmSpec::with_terms`].
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_lease::Realm;
    /// use tickid_sno::Sno;
    ///
    /// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    /// let terms = realm.terms().with_term(Duration::from_secs(60));
    /// assert_eq!(realm.with_terms(terms)?.term_ticks(), 15_000); // of 4 ms
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_terms(self, terms: Terms) -> Result<Self, RealmError> {
        Ok(Self { spec: self.spec.with_terms(terms)?, ..self })
    }

    /// Returns a builder of a generator with the node and the window of a lease of this realm.
    ///
    /// Layout, window and [variants](RealmSpec::variants) are [pinned](Builder::pin). The clock is
    /// [of this process](ProcessClock), so that a child of a `fork` issues nothing under the node;
    /// wrap any other clock in one as well. [`max_wait`](Builder::max_wait) is set to
    /// [`DEFAULT_MAX_WAIT`], so that the generator waits for a renewal after its window has ended.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the scheme has no such node or no such ticks, so that the lease
    /// is not of this realm.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_lease::session::{Claim, Token};
    /// use tickid_lease::{Node, Realm, Store, block_on};
    /// use tickid_sno::Sno;
    ///
    /// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let store = Store::in_memory();
    /// let lease = block_on(store.acquire(&realm, &mut claim), Duration::from_secs(5))?;
    ///
    /// let generator = realm.builder(&lease)?.build()?;
    /// assert_eq!(Node::of(&generator.generate()?.partition())?, lease.node);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(
        &self,
        lease: &Lease,
    ) -> Result<Builder<S, ProcessClock<DefaultClock>>, RangeError>
    where
        S: Default,
    {
        let window = Window::new(Tick::new(lease.floor)?, lease.ceiling)?;
        let builder = Builder::new(generator_node::<S>(lease.node)?)
            .layout(self.scheme)
            .window(window)
            .variants(self.spec.variants())
            .clock(ProcessClock::new(DefaultClock::default()))
            .max_wait(DEFAULT_MAX_WAIT);
        Ok(builder.pin())
    }
}

/// Returns the scheme's node for a leased one. For the empty node, whose IDs do not show a node, it
/// is the first that the scheme has.
fn generator_node<S: Scheme>(node: Node) -> Result<S::Node, RangeError> {
    let same = S::Node::from_bits(node.bits(), node.value());
    if node != Node::NONE {
        return same;
    }
    (1..=u64::BITS).find_map(|bits| S::Node::from_bits(bits, 0).ok()).map_or(same, Ok)
}

impl<S> Deref for Realm<S> {
    type Target = RealmSpec;

    fn deref(&self) -> &RealmSpec {
        &self.spec
    }
}
