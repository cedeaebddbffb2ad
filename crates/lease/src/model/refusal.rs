//! The refusals of a store.

use core::fmt;

use tickid_core::{AnyNode, UnixTime};

use crate::model::pool::NodeRange;
use crate::model::realm_spec::{Mismatch, RealmName};
use crate::model::record::PauseReason;
use crate::model::text::RECORD_VERSION;

/// The reason that a store refuses a request. Nothing has changed then, unless the refusal is a
/// [proven loss](LeaseEnd::Forgotten), which invalidates the realm.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::admin::Refusal;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::{Realm, Store};
/// use tickid_sno::Sno;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
/// let mut claim = Claim::new(Token::random()?, "web-2", None);
/// let error = block_on(store.acquire(realm.spec(), &mut claim), timeout).unwrap_err();
/// match error.refusal() {
///     Some(Refusal::NoFreeNode { free_at, .. }) => assert!(free_at.is_some()),
///     _ => return Err(error.into()),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The lease is over, and its generator must be closed. The node may have a new holder.
    #[error("the lease of node {node} is lost: {why}")]
    Lost {
        /// The node.
        node: AnyNode,
        /// The way that it ended.
        why: LeaseEnd,
    },
    /// No node that the store looked at can be granted now. One may be released at any time. If
    /// this happens often, the pool is too small for its holders.
    #[error(
        "no node is free: {seen} of {nodes} were looked at ({quarantined} of them quarantined){}",
        soonest(*.free_at)
    )]
    NoFreeNode {
        /// The number of nodes in the pool.
        nodes: u64,
        /// The number of nodes looked at. These are all of a small pool, and a random part of a
        /// large one.
        seen: u64,
        /// The number of these that are quarantined.
        quarantined: u64,
        /// The reading of the store's clock at which the first of them is free, unless it is
        /// renewed or released before.
        free_at: Option<UnixTime>,
    },
    /// No node can be granted yet. The realm starts, or restarts, in the future of the store's
    /// clock.
    #[error("no node can be granted before {from}{}; the store's clock reads {now}", since(*.why))]
    NotYet {
        /// The time when the realm starts.
        from: UnixTime,
        /// The store's clock.
        now: UnixTime,
        /// The reason, unless an earlier release wrote the record.
        why: Option<PauseReason>,
    },
    /// The lease was granted in a realm of a different name.
    #[error("the lease of node {node} is not of the realm {asked}")]
    OtherRealm {
        /// The node.
        node: AnyNode,
        /// The realm of the request.
        asked: RealmName,
    },
    /// The caller's realm is not the one that the store keeps under that name.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The store has no such realm.
    #[error("the store has no realm of that name{}", instead(.nearest.as_ref()))]
    NoRealm {
        /// The realm of the store whose name is nearest, if the difference may be a slip, as in
        /// `ordes` for `orders`.
        nearest: Option<RealmName>,
    },
    /// The store has rows of the realm, but its record is lost. A program that names the realm's
    /// pool restores it, and starts it beyond all leases of the lost one.
    #[error("the store has nodes of that realm, but lost its record")]
    LostRecord,
    /// The store has no row for the node.
    #[error("node {node} was never granted")]
    NoRow {
        /// The node.
        node: AnyNode,
    },
    /// The node's row cannot be read. `lease repair` writes it anew.
    #[error("the row of node {node} cannot be read")]
    Malformed {
        /// The node.
        node: AnyNode,
    },
    /// A later release wrote the node's row in a version that this one cannot read.
    #[error(
        "the row of node {node} has version {record_version}, and this release knows versions up to \
         {known}: update this program",
        known = RECORD_VERSION
    )]
    Newer {
        /// The node.
        node: AnyNode,
        /// The record's version.
        record_version: u32,
    },
    /// The node needs no repair.
    #[error("node {node} is not quarantined: its ceiling {ceiling} is at most {limit}")]
    NotQuarantined {
        /// The node.
        node: AnyNode,
        /// Its ceiling.
        ceiling: u64,
        /// The highest ceiling that a lease can have now.
        limit: u64,
    },
    /// The node is reserved for good.
    #[error("node {node} is reserved for {holder:?}")]
    Reserved {
        /// The node.
        node: AnyNode,
        /// The name of its user.
        holder: String,
    },
    /// Nodes of a pool share IDs with a reserved node of a different size.
    #[error(
        "the nodes {range} share IDs with node {node}, which is reserved for {holder:?}: leave \
         them out of the pool"
    )]
    Overlap {
        /// The nodes of the pool.
        range: NodeRange,
        /// The reserved node.
        node: AnyNode,
        /// The name of its user.
        holder: String,
    },
    /// The store's clock shows a time outside of the scheme's ticks.
    #[error("the store's clock reads {now}, outside the scheme's time")]
    StoreClock {
        /// Its reading.
        now: UnixTime,
    },
    /// The scheme has no ticks left for one more window.
    #[error("the scheme ends with tick {last}")]
    EndOfTime {
        /// The last tick.
        last: u64,
    },
}

/// The kinds of refusals that anybody treats differently. Programs match these, so that a new
/// refusal is decided in [`Refusal::kind`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a new kind has to be decided by everybody")]
pub enum RefusalKind<'a> {
    /// The lease is over, so the same renewal never succeeds. Its holder claims another.
    Over(LeaseEnd),
    /// All nodes are taken. `passes` is false if they are all quarantined, since quarantined nodes
    /// do not come back by themselves.
    Busy {
        /// Whether one may be free later.
        passes: bool,
    },
    /// The realm starts later.
    Early {
        /// The time when it starts.
        from: UnixTime,
        /// The store's clock.
        now: UnixTime,
    },
    /// The store has another realm of that name.
    Mismatch(&'a Mismatch),
    /// The store has no record of the realm.
    Missing {
        /// Whether it has nodes of it, so that the record is lost.
        has_nodes: bool,
    },
    /// The store's clock is outside of the scheme's time, or at its end.
    Clock,
    /// There is nothing to repair.
    Sound,
    /// A later release has written what the request needs.
    Newer,
    /// An operator has to look at the node or the request.
    Other,
}

impl RefusalKind<'_> {
    /// Reports whether the same request may succeed later without an operator.
    #[must_use]
    pub const fn passes(self) -> bool {
        match self {
            Self::Busy { passes } => passes,
            Self::Early { .. } => true,
            Self::Over(_)
            | Self::Mismatch(_)
            | Self::Missing { .. }
            | Self::Clock
            | Self::Sound
            | Self::Newer
            | Self::Other => false,
        }
    }
}

impl Refusal {
    /// Reports whether the same request may succeed later without an operator. For example, a node
    /// that is in use may be released at any time, and a realm that starts later starts.
    /// Quarantined nodes do not come back by themselves.
    #[must_use]
    pub const fn passes(&self) -> bool {
        self.kind().passes()
    }

    /// Returns the kind of the refusal.
    #[doc(hidden)]
    #[must_use]
    pub const fn kind(&self) -> RefusalKind<'_> {
        match self {
            Self::Lost { why, .. } => RefusalKind::Over(*why),
            Self::NoFreeNode { seen, quarantined, .. } => {
                RefusalKind::Busy { passes: *quarantined < *seen }
            }
            Self::NotYet { from, now, .. } => RefusalKind::Early { from: *from, now: *now },
            Self::Mismatch(mismatch) => RefusalKind::Mismatch(mismatch),
            Self::NoRealm { .. } => RefusalKind::Missing { has_nodes: false },
            Self::LostRecord => RefusalKind::Missing { has_nodes: true },
            Self::StoreClock { .. } | Self::EndOfTime { .. } => RefusalKind::Clock,
            Self::NotQuarantined { .. } | Self::NoRow { .. } => RefusalKind::Sound,
            Self::Newer { .. } => RefusalKind::Newer,
            Self::OtherRealm { .. }
            | Self::Malformed { .. }
            | Self::Reserved { .. }
            | Self::Overlap { .. } => RefusalKind::Other,
        }
    }
}

tickid_core::debug_error! {
    enum Refusal {
        Lost { node, why }, NoFreeNode { nodes, seen, quarantined, free_at },
        NotYet { from, now, why }, OtherRealm { node, asked }, Mismatch(error), NoRealm { nearest },
        LostRecord, NoRow { node }, Malformed { node }, Newer { node, record_version },
        NotQuarantined { node, ceiling, limit }, Reserved { node, holder },
        Overlap { range, node, holder }, StoreClock { now }, EndOfTime { last },
    }
}

fn soonest(at: Option<UnixTime>) -> String {
    at.map_or_else(String::new, |at| format!("; the first may be free at {at} by its clock"))
}

fn since(why: Option<PauseReason>) -> String {
    why.map_or_else(String::new, |why| format!(", since the realm {why}"))
}

fn instead(nearest: Option<&RealmName>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; the nearest is {nearest}"))
}

/// The way that a lease ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeaseEnd {
    /// The node was released, or granted to a different holder.
    Token,
    /// The realm was invalidated, or the node was taken out of its pool.
    Era,
    /// The lease proves that the store lost data, and the realm was invalidated because of it.
    Forgotten,
    /// A later window of the node starts below the lease's ceiling. A lease that was released looks
    /// the same to a late renewal, so this alone changes nothing. If the lease was not released, it
    /// proves that the store lost data, and its holder's next [claim](crate::session::Claim::lost)
    /// shows it to the store.
    Overtaken,
}

impl LeaseEnd {
    /// Reports whether it proves that the store lost data, whatever became of the lease.
    pub(crate) const fn proves_loss(self) -> bool {
        match self {
            Self::Forgotten => true,
            Self::Token | Self::Era | Self::Overtaken => false,
        }
    }

    /// Reports whether it proves that the store lost data if the lease was never released.
    pub(crate) const fn proves_loss_unless_released(self) -> bool {
        match self {
            Self::Overtaken => true,
            // The realm was invalidated, which repairs the loss, or nothing was lost.
            Self::Token | Self::Era | Self::Forgotten => false,
        }
    }
}

impl fmt::Display for LeaseEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "the node was released or granted to another holder",
            Self::Era => "all leases were invalidated, or the node was taken out of the pool",
            Self::Forgotten => "the store has lost data since; all leases were invalidated",
            Self::Overtaken => "the node was granted again from below the lease's ceiling",
        })
    }
}
