use tickid_core::{
    Builder, DEFAULT_MAX_WAIT, DefaultClock, NodeId, ProcessClock, RangeError, Scheme, Tick,
    UnixTime, Window,
};

use crate::error::StoreError;
use crate::node::Node;
use crate::realm::{Mismatch, Realm, RealmName};
use crate::record::{Claim, Hold};
use crate::store::{Grant, Store};

/// A node and a window: what a generator needs to issue IDs that nobody else issues.
///
/// A lease by itself is not renewed; [`Keeper`](crate::Keeper) does that.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Claim, Lease, MemoryStore, Realm, Token, block_on};
/// use tickid_scru64::Scru64;
///
/// let store = MemoryStore::in_memory();
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let claim = Claim::new(Token::random()?, "an example", None);
/// let lease = block_on(Lease::acquire(&store, &realm, &claim), Duration::from_secs(5))??;
///
/// let generator = lease.builder(&Scru64)?.build()?;
/// let id = generator.generate()?;
///
/// let used = generator.close().highest_tick().map(|tick| tick.get());
/// block_on(lease.release(&store, used), Duration::from_secs(5))??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    realm: Realm,
    grant: Grant,
}

impl Lease {
    /// The lease that a store has granted.
    #[must_use]
    pub const fn new(realm: Realm, grant: Grant) -> Self {
        Self { realm, grant }
    }

    /// Asks `store` for a lease. When there is no answer, ask again with the same claim.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn acquire(
        store: &dyn Store,
        realm: &Realm,
        claim: &Claim,
    ) -> Result<Self, StoreError> {
        let grant = store.acquire(realm, claim).await?;
        Ok(Self::new(realm.clone(), grant))
    }

    /// Asks `store` for a higher ceiling. The generator is to be [widened](tickid_core::Generator::widen)
    /// to it.
    ///
    /// # Errors
    /// [`StoreError`]. When it says that the lease is [lost](StoreError::is_lost), the generator is to
    /// be [closed](tickid_core::Generator::close); a new lease is for a new one.
    pub async fn renew(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        self.grant = store.renew(self.realm.name(), &self.grant.hold).await?;
        Ok(())
    }

    /// Gives the node back. The generator has been closed; `used` is the
    /// [highest tick](tickid_core::Snapshot::highest_tick) that its snapshot tells.
    ///
    /// # Errors
    /// [`StoreError`]; one that says that the lease is lost says that there was nothing left to give
    /// back.
    pub async fn release(self, store: &dyn Store, used: Option<u64>) -> Result<(), StoreError> {
        store.release(self.realm.name(), &self.grant.hold, used).await
    }

    /// The realm that it was leased from.
    #[must_use]
    pub fn realm(&self) -> &RealmName {
        self.realm.name()
    }

    /// What the store granted last.
    #[must_use]
    pub const fn grant(&self) -> &Grant {
        &self.grant
    }

    /// What names the lease.
    #[must_use]
    pub const fn hold(&self) -> Hold {
        self.grant.hold
    }

    /// The node.
    #[must_use]
    pub const fn node(&self) -> Node {
        self.grant.hold.node
    }

    /// The first tick of the window, and one past its last.
    #[must_use]
    pub const fn ticks(&self) -> (u64, u64) {
        (self.grant.hold.floor, self.grant.ceiling)
    }

    /// When the window begins, and when it ends.
    #[must_use]
    pub fn times(&self) -> (UnixTime, UnixTime) {
        let (floor, ceiling) = self.ticks();
        (self.realm.scale().time_of(floor), self.realm.scale().time_of(ceiling))
    }

    /// The window.
    ///
    /// # Errors
    /// [`LeaseError::Realm`] if the lease is one of another scheme or layout.
    pub fn window<S: Scheme>(&self, layout: &S) -> Result<Window<S>, LeaseError> {
        self.check(layout)?;
        let (floor, ceiling) = self.ticks();
        Ok(Window::new(Tick::new(floor)?, ceiling)?)
    }

    fn check<S: Scheme>(&self, layout: &S) -> Result<(), LeaseError> {
        Ok(self.realm.check_layout(layout)?)
    }

    /// Returns a builder of a generator with this lease's node and window and the scheme's
    /// defaults.
    ///
    /// It issues only the [variants](Realm::variants) of the realm, and layout, window and variants
    /// are [pinned](Builder::pin). Its clock is [of this process](ProcessClock), so that a child of a
    /// `fork` issues nothing under the node; wrap any other clock in one as well.
    ///
    /// Its [`max_wait`](Builder::max_wait) is set to [`DEFAULT_MAX_WAIT`], so that the generator waits
    /// for a renewal where its window has ended.
    ///
    /// # Errors
    /// [`LeaseError::Realm`] if the lease is one of another scheme or layout, [`LeaseError::Range`]
    /// if it has [no node](Node::NONE).
    pub fn builder<S: Scheme + Default>(
        &self,
        layout: &S,
    ) -> Result<Builder<S, ProcessClock<DefaultClock>>, LeaseError> {
        self.check(layout)?;
        let node = S::Node::from_bits(self.node().bits(), self.node().value())?;
        self.builder_for(layout, node)
    }

    /// Returns a [`builder`](Self::builder) for a lease without a node, that of a
    /// [`single`](crate::NodePool::single) pool. No ID shows `node`.
    ///
    /// # Errors
    /// [`LeaseError::Realm`] if the lease is one of another scheme or layout, [`LeaseError::Node`]
    /// if it has another node.
    pub fn builder_for<S: Scheme + Default>(
        &self,
        layout: &S,
        node: S::Node,
    ) -> Result<Builder<S, ProcessClock<DefaultClock>>, LeaseError> {
        let asked = Node::of(&node)?;
        if self.node() != Node::NONE && self.node() != asked {
            return Err(LeaseError::Node { leased: self.node(), asked });
        }
        let window = self.window(layout)?;
        let clock = ProcessClock::new(DefaultClock::default());
        let builder = Builder::new(node)
            .layout(*layout)
            .window(window)
            .variants(self.realm.variants())
            .clock(clock);
        Ok(builder.max_wait(DEFAULT_MAX_WAIT).pin())
    }
}

/// A lease does not fit a generator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The generator's scheme, layout or ticks are not those of the lease's realm.
    #[error(transparent)]
    Realm(#[from] Mismatch),
    /// The lease is of another node.
    #[error("the lease is of node {leased}, not of node {asked}")]
    Node {
        /// The node of the lease.
        leased: Node,
        /// The node of the generator.
        asked: Node,
    },
    /// The scheme has no such node, or no such window.
    #[error(transparent)]
    Range(#[from] RangeError),
}
