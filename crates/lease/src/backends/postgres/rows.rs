//! What the database keeps, as it comes and goes: JSON objects with its columns.

use core::error::Error;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickid_core::{TickScale, UnixTime};

use crate::error::{StoreError, StoreErrorKind};
use crate::node::Node;
use crate::pool::NodeRange;
use crate::postgres::{BACKEND, failed};
use crate::realm::{Realm, RealmName, Terms};
use crate::record::{Entry, Record, Row, Rows, Version};
use crate::store::Grant;
use crate::table::View;

/// The largest number of a realm: the sum of two fits a `bigint`.
const MAX: u64 = 1 << 62;

/// What everybody who leases from a realm has to bring the same.
#[derive(Serialize, Deserialize)]
pub(super) struct Brought {
    name: String,
    scheme: String,
    layout: String,
    epoch_micros: i64,
    period_micros: u64,
    micros_per_tick: u64,
    end_tick: u64,
    nodes: String,
    allowance: u64,
    skew_micros: u64,
    term_micros: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RealmRow {
    #[serde(flatten)]
    brought: Brought,
    term: u64,
    ahead: u64,
    max_ahead: u64,
    generation: String,
    era: u64,
    floor: u64,
    parts: Vec<Part>,
    sizes: Vec<u32>,
    /// The database counts.
    #[serde(skip_serializing)]
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct Part {
    bits: u32,
    first: u64,
    last: u64,
    since: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NodeRow {
    realm: String,
    bits: u32,
    value: u64,
    token: Option<String>,
    holder: String,
    era: u64,
    floor: u64,
    ceiling: u64,
    /// The database counts.
    #[serde(skip_serializing)]
    version: u64,
}

#[derive(Deserialize)]
pub(super) struct GrantRow {
    row: NodeRow,
    now_micros: i64,
}

#[derive(Deserialize)]
pub(super) struct ViewRow {
    record: Option<RealmRow>,
    rows: Vec<NodeRow>,
    generation: String,
    now_micros: i64,
}

impl Brought {
    /// # Errors
    /// When a number of it is too large for the database.
    pub(super) fn of(realm: &Realm) -> Result<Self, StoreError> {
        let (scale, terms) = (realm.scale(), realm.terms());
        Ok(Self {
            name: realm.name().as_str().to_owned(),
            scheme: realm.scheme().to_owned(),
            layout: realm.layout().to_owned(),
            epoch_micros: scale.epoch().as_micros(),
            period_micros: fitting("microseconds to a period", scale.period_micros())?,
            micros_per_tick: fitting("microseconds to a tick", scale.micros_per_tick())?,
            end_tick: fitting("ticks", realm.end())?,
            nodes: realm.pool().to_string(),
            allowance: fitting("ticks of allowance", terms.allowance)?,
            skew_micros: micros(terms.skew),
            term_micros: micros(terms.term),
        })
    }

    fn realm(self, name: RealmName, pool: crate::NodePool) -> Realm {
        let epoch = UnixTime::from_micros(self.epoch_micros);
        let scale = TickScale::anew_every(epoch, self.period_micros, self.micros_per_tick);
        let terms = Terms {
            allowance: self.allowance,
            skew: Duration::from_micros(self.skew_micros),
            term: Duration::from_micros(self.term_micros),
        };
        Realm::from_parts(name, self.scheme, self.layout, scale, self.end_tick, pool, terms)
    }
}

/// Realms have terms of [`Terms::LONGEST`] at most.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn fitting(what: &str, number: u64) -> Result<u64, StoreError> {
    if number <= MAX {
        return Ok(number);
    }
    Err(failed(format!("keep a realm of {number} {what}: it can keep {MAX}")))
}

impl RealmRow {
    /// # Errors
    /// When a number of it is too large for the database.
    pub(super) fn of(record: &Record) -> Result<Self, StoreError> {
        let part = |&(range, since): &(NodeRange, u64)| Part {
            bits: range.bits(),
            first: range.first(),
            last: range.last(),
            since,
        };
        let parts: Vec<Part> = record.since().iter().map(part).collect();
        let realm = &record.realm;
        Ok(Self {
            brought: Brought::of(realm)?,
            term: fitting("ticks to a term", realm.term_ticks())?,
            ahead: fitting("ticks to be ahead", realm.ahead())?,
            max_ahead: fitting("ticks to be ahead at most", record.max_ahead)?,
            generation: record.generation.clone(),
            era: record.era,
            floor: record.floor,
            sizes: parts.iter().map(|part| part.bits).collect(),
            parts,
            version: 0,
        })
    }

    fn record(self, name: &RealmName) -> Result<(Record, Version), Box<dyn Error + Send + Sync>> {
        let pool = self.brought.nodes.parse()?;
        let realm = self.brought.realm(name.clone(), pool);
        let mut since = Vec::with_capacity(self.parts.len());
        for Part { bits, first, last, since: era } in self.parts {
            since.push((NodeRange::new(bits, first, last)?, era));
        }
        let Self { era, floor, max_ahead, .. } = self;
        let record = Record { era, floor, max_ahead, ..Record::new(realm, self.generation) };
        Ok((record.with_since(since)?, Version(self.version)))
    }
}

impl NodeRow {
    pub(super) fn of(realm: &RealmName, row: &Row) -> Self {
        Self {
            realm: realm.as_str().to_owned(),
            bits: row.node.bits(),
            value: row.node.value(),
            token: row.token.map(|token| token.to_string()),
            holder: row.holder.clone(),
            era: row.era,
            floor: row.floor,
            ceiling: row.ceiling,
            version: 0,
        }
    }

    fn entry(self) -> Result<Entry, Box<dyn Error + Send + Sync>> {
        let row = Row {
            node: Node::new(self.bits, self.value)?,
            token: self.token.map(|token| token.parse()).transpose()?,
            holder: self.holder,
            era: self.era,
            floor: self.floor,
            ceiling: self.ceiling,
        };
        Ok(Entry { row, version: Version(self.version), is_dead: false })
    }
}

impl GrantRow {
    pub(super) fn grant(self) -> Result<Option<Grant>, StoreError> {
        let now = UnixTime::from_micros(self.now_micros);
        let entry = self.row.entry().map_err(|error| corrupt("a grant").with_source(error))?;
        Ok(Grant::of(&entry.row, now))
    }
}

impl ViewRow {
    pub(super) fn view(self, realm: &RealmName) -> Result<View, StoreError> {
        let record = self.record.map(|record| record.record(realm)).transpose();
        let record = record.map_err(|error| {
            corrupt(format!("the record of the realm {realm}")).with_source(error)
        })?;
        let mut rows = Rows::new();
        for row in self.rows {
            let what = format!("the row of node {}/{} of the realm {realm}", row.value, row.bits);
            let entry = row.entry().map_err(|error| corrupt(what).with_source(error))?;
            rows.insert(entry.row.node, entry);
        }
        let generation = self.generation;
        let has_forgotten =
            record.as_ref().is_some_and(|(record, _)| record.generation != generation);
        let now = UnixTime::from_micros(self.now_micros);
        Ok(View { record, rows, now, generation, has_forgotten })
    }
}

/// What a view is made of, for fuzz targets.
#[cfg(fuzzing)]
pub(crate) fn read_view(realm: &RealmName, json: &[u8]) -> Option<View> {
    serde_json::from_slice::<ViewRow>(json).ok()?.view(realm).ok()
}

pub(super) fn corrupt(what: impl Into<String>) -> StoreError {
    StoreError::new(BACKEND, StoreErrorKind::Corrupt { what: what.into() })
}

pub(super) fn json(value: &impl Serialize) -> String {
    // Numbers, strings and lists of them always have a JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// A number as a parameter. Nothing that is kept is as large as what does not fit.
pub(super) fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
