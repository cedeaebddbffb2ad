//! A realm's record in a store.

use core::fmt;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::pool::NodeRange;
use crate::model::realm_spec::RealmSpec;
use crate::model::token::Token;
use tickid_core::AnyNode;

/// Fields of a record or row that a later release added. They are kept when it is written again, so
/// that two releases can share a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Extra(pub(crate) Map<String, Value>);

/// A store's data on a realm as a whole.
///
/// **Eras.** Every event that ends leases early, such as an invalidation or a node that leaves the
/// pool, starts a new era. For each node, the record holds the era when it entered the pool, and a
/// row holds the era when it was leased. A lease that is older than its node's entry is over. So
/// one write ends any number of leases without touching their rows, including rows that the store
/// has lost.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let floor = block_on(store.invalidate(realm.spec()), timeout)?;
/// let record = block_on(store.realm(realm.name()), timeout)?;
/// assert_eq!(record.floor, floor);
/// assert!(record.is_complete());
/// assert!(record.parts.iter().all(|part| part.since_era == record.era));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The realm as its holders describe it.
    pub realm: RealmSpec,
    /// The identity of the store that wrote this. If it differs from the present one, writes may
    /// have been lost.
    pub generation: String,
    /// The number of times that leases were ended early.
    pub era: u64,
    /// The lowest tick of any new window.
    pub floor: u64,
    /// The largest number of ticks that a lease was ever able to reach ahead of the store's clock.
    pub max_ahead: u64,
    /// The nodes that may be granted, in order. These are usually all of the realm's pool, and
    /// fewer while it is being reconfigured.
    pub parts: Vec<PoolPart>,
    /// A lower bound of the number of rows of the pool's nodes. Rows are never deleted, so a view
    /// of the whole pool with fewer proves that the store lost data. Invalidation and
    /// reconfiguration reset it.
    pub rows: u64,
    /// Set if the program that started the realm assumed its pool and terms, and no operator chose
    /// them ([`Store::adopt`](crate::Store::adopt)).
    pub is_assumed: bool,
    /// Fields that a later release added.
    pub extra: Extra,
}

/// The reason that a realm grants no node until the store's clock has reached its floor.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::admin::PauseReason;
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// block_on(store.invalidate(realm.spec()), timeout)?;
/// let record = block_on(store.realm(realm.name()), timeout)?;
/// assert_eq!(record.pause(), Some(PauseReason::Invalidated));
/// assert_eq!(PauseReason::New.to_string(), "is new to this store, or was lost");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PauseReason {
    /// It is new to the store, which may have lost an earlier realm of its name.
    New,
    /// An operator [invalidated](crate::Store::invalidate) it.
    Invalidated,
    /// The store lost data, as one does that is restored from a backup.
    Restored,
    /// The store is another one: it was copied, promoted, or restored under another identity.
    Copied,
}

tickid_core::cases! {
    /// All reasons, for tests of what repeats them in another language.
    #[doc(hidden)]
    pub ALL of PauseReason: New, Invalidated, Restored, Copied
}

impl PauseReason {
    /// The member of a record.
    const KEY: &str = "pause";

    /// Returns the name that records have for it.
    #[doc(hidden)]
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Invalidated => "invalidated",
            Self::Restored => "restored",
            Self::Copied => "copied",
        }
    }
}

/// Writes what happened to the realm, as a predicate.
impl fmt::Display for PauseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::New => "is new to this store, or was lost",
            Self::Invalidated => "was invalidated",
            Self::Restored => "lost data in this store, as by a restored backup",
            Self::Copied => "is in a store that was copied, restored or promoted",
        })
    }
}

/// A part of a pool whose nodes entered it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it from what they read")]
pub struct PoolPart {
    /// The nodes.
    pub range: NodeRange,
    /// The era when they entered the pool.
    pub since_era: u64,
    /// The lowest tick of a new window. It lies above everything granted under related nodes of
    /// earlier pools.
    pub floor: u64,
}

impl Record {
    /// Creates the record of a realm that is new to a store.
    #[must_use]
    pub fn new(realm: impl Into<RealmSpec>, generation: String) -> Self {
        let realm = realm.into();
        let part = |&range| PoolPart { range, since_era: 0, floor: 0 };
        let parts = realm.pool().ranges().iter().map(part).collect();
        let max_ahead = realm.max_ahead();
        Self {
            realm,
            generation,
            era: 0,
            floor: 0,
            max_ahead,
            parts,
            rows: 0,
            is_assumed: false,
            extra: Extra::default(),
        }
    }

    /// Returns the reason for the [floor](Self::floor), as long as the store's clock is below it.
    /// There is none in records that an earlier release wrote.
    #[must_use]
    pub fn pause(&self) -> Option<PauseReason> {
        let name = self.extra.0.get(PauseReason::KEY)?.as_str()?;
        PauseReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Returns the record with the reason for its floor.
    pub(crate) fn with_pause(mut self, reason: PauseReason) -> Self {
        self.extra.0.insert(PauseReason::KEY.to_owned(), reason.name().into());
        self
    }

    /// Returns the part of the pool that `node` is in.
    #[must_use]
    pub fn part_of(&self, node: AnyNode) -> Option<&PoolPart> {
        let after = self.parts.partition_point(|part| part.range.start() <= *node.span().start());
        self.parts[..after].last().filter(|part| part.range.contains(node))
    }

    /// Returns the parts of the pool that have nodes in a range, of any size.
    pub(crate) fn parts_in(&self, range: &NodeRange) -> &[PoolPart] {
        let first = self.parts.partition_point(|part| part.range.end() < range.start());
        let end = self.parts.partition_point(|part| part.range.start() <= range.end());
        &self.parts[first..end.max(first)]
    }

    /// Reports whether the parts are the whole pool.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let len = |len: u64, part: &PoolPart| len.saturating_add(part.range.len());
        // The usual case is quick; parts outside of the pool must not make a record incomplete.
        self.parts.iter().fold(0, len) == self.realm.pool().len() || self.missing().is_empty()
    }

    /// Returns the ranges of the realm's pool that are in no part, which a reconfiguration has yet
    /// to bring in.
    pub(crate) fn missing(&self) -> Vec<NodeRange> {
        let mut all = Vec::new();
        for range in self.realm.pool().ranges() {
            let mut missing = vec![*range];
            for part in self.parts_in(range) {
                missing = missing.iter().flat_map(|range| range.without(&part.range)).collect();
            }
            all.extend(missing);
        }
        all
    }
}

/// A store's data on one node. Rows are never deleted, so that a missing one shows a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it from what they read")]
pub struct Row {
    /// The node.
    pub node: AnyNode,
    /// The token of its lease, or `None` after a release.
    pub token: Option<Token>,
    /// The last holder's name, for people to read.
    pub holder: String,
    /// The era when it was acquired.
    pub era: u64,
    /// The first tick of the last window granted.
    pub floor: u64,
    /// The last window's last tick plus one, where the next window starts.
    pub ceiling: u64,
    /// The version of the last write by which an operator lowered the ceiling of a lease, or zero
    /// if there was none. Later floors prove nothing about leases that were acknowledged before it.
    pub cut: Version,
    /// Fields that a later release added.
    pub extra: Extra,
}

impl Row {
    /// Reports whether the node is reserved for good, which functions in PostgreSQL do. Its ceiling
    /// is the end of the scheme's time, so no lease is granted it.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::Row;
    ///
    /// let json = br#"{
    ///     "record_version": 1, "node": "42/8", "token": null, "holder": "functions",
    ///     "era": 0, "floor": 5, "ceiling": 9, "reserved": true
    /// }"#;
    /// assert!(Row::from_json(json)?.is_reserved());
    /// # Ok::<(), tickid_lease::admin::LeaseTextError>(())
    /// ```
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.extra.0.get("reserved").is_some_and(|value| *value != false)
    }
}

/// The version of a record or a row.
///
/// A record's version differs after each write. A row's counts its writes from 1 on, and is lost
/// with the row. Therefore a version lower than one that a store has acknowledged proves that it
/// lost data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_structs, reason = "a plain number")]
pub struct Version(pub u64);

impl Version {
    /// Returns the version that a write gives to a row that had `before`, or to a new row.
    #[must_use]
    pub fn after(before: Option<Self>) -> Self {
        Self(before.map_or(1, |Self(number)| number.saturating_add(1)))
    }
}

/// A row as a backend found it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the rules must consider every state")]
pub enum RowState {
    /// A row that can be read.
    Intact {
        /// The row.
        row: Row,
        /// Its version.
        version: Version,
        /// Set if the backend has found out that the holder has ended. Of the backends here, only a
        /// folder can.
        is_dead: bool,
    },
    /// A row that cannot be read, which quarantines its node.
    Malformed {
        /// A number by which [`commit`](crate::backend::Backend::commit) can compare it.
        version: Version,
    },
    /// A row that a later release wrote in a newer version.
    Newer {
        /// The record's version, which is not a [`Version`] of the row.
        record_version: u32,
    },
}

impl RowState {
    /// Returns the row, if it can be read.
    #[must_use]
    pub const fn row(&self) -> Option<&Row> {
        match self {
            Self::Intact { row, .. } => Some(row),
            Self::Malformed { .. } | Self::Newer { .. } => None,
        }
    }

    /// Returns the version, unless a later release wrote the row.
    #[must_use]
    pub const fn version(&self) -> Option<Version> {
        match self {
            Self::Intact { version, .. } | Self::Malformed { version } => Some(*version),
            Self::Newer { .. } => None,
        }
    }
}

/// The rows of a realm.
pub type Rows = BTreeMap<AnyNode, RowState>;
