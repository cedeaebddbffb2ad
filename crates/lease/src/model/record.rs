use std::collections::BTreeMap;

use tickid_core::UnixTime;

use crate::model::codec::Extra;
use crate::model::lease::{Lease, Token};
use crate::model::node::Node;
use crate::model::pool::NodeRange;
use crate::model::realm::RealmSpec;
use crate::model::refusal::Refusal;
use crate::model::rules::{self, Rules, Standing};

/// A store's data on a realm as a whole.
///
/// **Eras.** Every event that ends leases early (invalidation, a node that leaves the pool) begins
/// a new era. The record holds for each node the era in which it entered the pool, and a row the
/// era in which it was leased. A lease that is older than its node's entry is over. So one write
/// ends any number of leases without touching their rows, including rows that the store has lost.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{RealmSpec, Store, block_on};
/// use tickid_sno::Sno;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
/// let floor = block_on(store.invalidate(&realm), timeout)?;
/// let record = block_on(store.realm(realm.name()), timeout)?;
/// assert_eq!(record.floor, floor);
/// assert!(record.parts.iter().all(|part| part.since_era == record.era));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The realm as its holders describe it.
    pub realm: RealmSpec,
    /// The identity of the store that wrote this. A change means that writes may have been lost.
    pub generation: String,
    /// The number of times that leases were ended early.
    pub era: u64,
    /// The lowest tick of any new window.
    pub floor: u64,
    /// The largest number of ticks that a lease was ever able to reach ahead of the store's clock.
    pub max_ahead: u64,
    /// The nodes that may be granted, in order. Usually the realm's pool; fewer while it is being
    /// reconfigured.
    pub parts: Vec<Part>,
    /// Fields that a later release added.
    pub extra: Extra,
}

/// A part of a pool whose nodes entered it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it from what they read")]
pub struct Part {
    /// The nodes.
    pub range: NodeRange,
    /// The era in which they entered the pool.
    pub since_era: u64,
    /// The lowest tick of a new window. It lies above everything granted under related nodes of
    /// earlier pools.
    pub floor: u64,
}

impl Record {
    /// Creates the record of a realm that is new to a store.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{RealmSpec, Record};
    /// use tickid_sno::Sno;
    ///
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
    /// let record = Record::new(realm, "1".to_owned());
    /// assert_eq!((record.era, record.floor), (0, 0)); // it begins at once
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(realm: RealmSpec, generation: String) -> Self {
        let part = |&range| Part { range, since_era: 0, floor: 0 };
        let parts = realm.pool().ranges().iter().map(part).collect();
        let max_ahead = realm.max_ahead();
        let extra = Extra::default();
        Self { realm, generation, era: 0, floor: 0, max_ahead, parts, extra }
    }

    /// Returns the part of the pool that `node` is in.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{RealmSpec, Record};
    /// use tickid_sno::Sno;
    ///
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-9/16,20-29/16".parse()?)?;
    /// let record = Record::new(realm, "1".to_owned());
    /// let part = record.part_of("25/16".parse()?).ok_or("not in the pool")?;
    /// assert_eq!(part.range.to_string(), "20-29/16");
    /// assert_eq!(record.part_of("15/16".parse()?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn part_of(&self, node: Node) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.range.start() <= *node.span().start());
        self.parts[..after].last().filter(|part| part.range.contains(node))
    }

    /// Returns the parts of the pool that have nodes in a range, of any size.
    pub(crate) fn parts_in(&self, range: &NodeRange) -> &[Part] {
        let first = self.parts.partition_point(|part| part.range.end() < range.start());
        let end = self.parts.partition_point(|part| part.range.start() <= range.end());
        &self.parts[first..end.max(first)]
    }

    /// Reports whether the parts are the whole pool.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{RealmSpec, Record};
    /// use tickid_sno::Sno;
    ///
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-9/16,20-29/16".parse()?)?;
    /// let mut record = Record::new(realm, "1".to_owned());
    /// assert!(record.is_complete());
    /// record.parts.pop();
    /// assert!(!record.is_complete());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let len: u64 = self.parts.iter().map(|part| part.range.len()).sum();
        len == self.realm.pool().len()
    }

    /// Returns the ranges of the realm's pool that are in no part: those that a reconfiguration has
    /// not brought in yet.
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

/// A store's data on one node. Rows are never deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it from what they read")]
pub struct Row {
    /// The node.
    pub node: Node,
    /// The token of its lease; `None` after a release.
    pub token: Option<Token>,
    /// The last holder's name, for people to read.
    pub holder: String,
    /// The era in which it was acquired.
    pub era: u64,
    /// The first tick of the last window granted.
    pub floor: u64,
    /// The last window's last tick plus one. The next window begins here.
    pub ceiling: u64,
    /// Fields that a later release added.
    pub extra: Extra,
}

impl Row {
    /// Reports whether the node is reserved for good, for functions in PostgreSQL. Its ceiling is
    /// the end of the scheme's time, so no lease is granted it.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Row;
    ///
    /// let json = br#"{
    ///     "format": 1, "node": "42/8", "token": null, "holder": "functions",
    ///     "era": 0, "floor": 5, "ceiling": 9, "reserved": true
    /// }"#;
    /// assert!(Row::from_json(json)?.is_reserved());
    /// # Ok::<(), tickid_lease::ParseError>(())
    /// ```
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.extra.0.get("reserved").is_some_and(|value| *value != false)
    }
}

/// The version of a record or a row.
///
/// A record's version differs after each write. A row's counts its writes, from 1 on, and is lost
/// with the row: a version lower than one that a store has acknowledged proves that it lost data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_structs, reason = "a plain number")]
pub struct Version(pub u64);

impl Version {
    /// Returns the version that a write gives to a row that had `self`, or to a new row.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Version;
    ///
    /// assert_eq!(Version::after(None), Version(1));
    /// assert_eq!(Version::after(Some(Version(1))), Version(2));
    /// ```
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
        /// The holder has provably ended, as far as the backend can find out.
        is_dead: bool,
    },
    /// A row that cannot be read, which quarantines its node.
    Malformed {
        /// A number by which [`commit`](crate::Backend::commit) can compare it.
        version: Version,
    },
    /// A row that a later release wrote in a format of its own.
    Newer {
        /// The format's number.
        format: u32,
    },
}

impl RowState {
    /// Returns the row, if it can be read.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{RowState, Version};
    ///
    /// let malformed = RowState::Malformed { version: Version(7) };
    /// assert_eq!((malformed.row(), malformed.version()), (None, Some(Version(7))));
    /// let newer = RowState::Newer { format: 2 };
    /// assert_eq!((newer.row(), newer.version()), (None, None));
    /// ```
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
pub type Rows = BTreeMap<Node, RowState>;

/// A snapshot of a realm's data in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it")]
pub struct View {
    /// The record and its version, if the store has the realm.
    pub record: Option<(Record, Version)>,
    /// The requested rows, as far as they exist.
    pub rows: Rows,
    /// The last node of a page that was cut at its limit. `None`: the view has all rows of the
    /// realm.
    pub page_end: Option<Node>,
    /// The view also has the rows with the lowest ceilings, so that further pages have hardly more
    /// to offer to a claim.
    pub has_lowest: bool,
    /// The store's clock.
    pub now: UnixTime,
    /// The store's present identity, for the record.
    pub generation: String,
}

impl View {
    /// Creates a view without a record and rows.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::UnixTime;
    /// use tickid_lease::{Refusal, View};
    ///
    /// let view = View::empty(UnixTime::EPOCH, "1".to_owned());
    /// assert_eq!(view.standings(), Err(Refusal::NoRealm));
    /// ```
    #[must_use]
    pub fn empty(now: UnixTime, generation: String) -> Self {
        let (record, rows) = (None, Rows::new());
        Self { record, rows, page_end: None, has_lowest: false, now, generation }
    }

    /// Reports whether the store is not the one that wrote the record, so that later writes may be
    /// lost.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::SystemClock;
    /// use tickid_lease::{Begin, MemoryBackend, RealmSpec, Scope, Store, block_on};
    /// use tickid_sno::Sno;
    ///
    /// let backend = MemoryBackend::new(SystemClock);
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
    /// let store = Store::new(backend.clone());
    /// block_on(store.begin(&realm, Begin::AtOnce), Duration::from_secs(5))?;
    /// backend.change_generation(); // as a fail-over does
    /// assert!(backend.view(realm.name(), Scope::Record)?.is_other_generation());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_other_generation(&self) -> bool {
        self.record.as_ref().is_some_and(|(record, _)| record.generation != self.generation)
    }

    /// Returns the leases of all holders, as of the view's time.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_lease::{Claim, RealmSpec, Store, Token, block_on};
    /// use tickid_sno::Sno;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(&realm, &mut claim), timeout)?;
    /// let view = block_on(store.list(realm.name()), timeout)?;
    /// assert!(view.leases().map(|lease| lease.node).eq([lease.node]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn leases(&self) -> impl Iterator<Item = Lease> {
        let record = self.record.iter();
        let realm = record.map(|(record, _)| record.realm.name().id()).next();
        self.rows.values().filter_map(move |state| {
            let (row, version) = (state.row()?, state.version()?);
            let lease = rules::lease(realm?, row, Some(version), self.now)?;
            Some(Lease { version, ..lease })
        })
    }

    /// Returns the standing of each node that has a row, in order.
    ///
    /// # Errors
    /// Returns [`Refusal::NoRealm`] without a record, and [`Refusal::StoreClock`] if the store's
    /// clock is outside the scheme's time.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_lease::{Claim, RealmSpec, Standing, Store, Token, block_on};
    /// use tickid_sno::Sno;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(&realm, &mut claim), timeout)?;
    /// let view = block_on(store.list(realm.name()), timeout)?;
    /// for (node, _, standing) in view.standings()? {
    ///     assert_eq!((node, standing), (lease.node, Standing::Held));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standings(&self) -> Result<Vec<(Node, &RowState, Standing)>, Refusal> {
        let (record, _) = self.record.as_ref().ok_or(Refusal::NoRealm)?;
        let rules = Rules::new(record, self.now)?;
        let standing = |(&node, state)| (node, state, rules.standing(node, Some(state)));
        Ok(self.rows.iter().map(standing).collect())
    }
}
