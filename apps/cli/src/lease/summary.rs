//! A realm as a whole: the head of `tickid lease list`, and its `--check`.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tickid_core::counted;
use tickid_lease::admin::{RealmFacet, Standing};
use tickid_lease::backend::{RealmParts, RealmView, Record};

use crate::failure::Failure;
use crate::options::when::date_time;

/// A realm, and the number of its pool's nodes in each standing.
#[derive(Debug, Serialize)]
pub(crate) struct RealmSummary {
    realm: String,
    /// JSON has only what all holders must agree on.
    #[serde(flatten, serialize_with = "facets")]
    record: Record,
    nodes: u64,
    pub(crate) held: u64,
    free: u64,
    /// Of the free ones, those whose next holder waits for their ceiling.
    free_later: u64,
    expired: u64,
    paused: u64,
    pub(crate) quarantined: u64,
    newer: u64,
    /// The store's clock.
    store_time: Option<String>,
    /// The time when the first node can be granted, if that lies in the future.
    starts_at: Option<String>,
}

/// Writes the fields of a realm's record that describe the realm.
fn facets<S: Serializer>(record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
    let mut record: Map<String, Value> =
        serde_json::from_str(&record.to_json()).map_err(S::Error::custom)?;
    let fields = RealmFacet::ALL.iter().flat_map(|facet| facet.fields());
    serializer.collect_map(fields.filter_map(|field| record.remove_entry(*field)))
}

impl RealmSummary {
    pub(crate) fn of(view: &RealmView) -> Result<Self, Failure> {
        let rules = view.rules()?;
        let record = rules.record();
        let realm = &record.realm;
        let from = realm.scale().time_of(record.floor);
        let time = |time| date_time(time).map(|date| date.to_string());
        let mut summary = Self {
            realm: realm.name().to_string(),
            record: record.clone(),
            nodes: realm.pool().len(),
            held: 0,
            free: 0,
            free_later: 0,
            expired: 0,
            paused: 0,
            quarantined: 0,
            newer: 0,
            store_time: time(view.now),
            // The floor lies ahead of the store's clock when the realm is new on a server, or its
            // leases were invalidated.
            starts_at: (from > view.now).then(|| time(from)).flatten(),
        };
        // The nodes are counted and not the rows: one that was never granted has none, and is free.
        for node in realm.pool().nodes() {
            match rules.standing(node, view.rows.get(&node)) {
                Standing::Held => summary.held += 1,
                Standing::Expired => summary.expired += 1,
                Standing::Quarantined => summary.quarantined += 1,
                Standing::Free => {
                    summary.free += 1;
                    let ceiling = rules.ceiling(node, view.rows.get(&node)).unwrap_or(0);
                    summary.free_later += u64::from(realm.scale().time_of(ceiling) > view.now);
                }
                Standing::Paused => summary.paused += 1,
                Standing::Newer => summary.newer += 1,
                // Not in the pool yet, while it is being reconfigured.
                Standing::Retired => {}
                // Never leased.
                Standing::Reserved => {}
                // What only a later release of the library knows.
                _ => {}
            }
        }
        Ok(summary)
    }

    /// Returns the number of nodes that a claim gets now.
    pub(crate) const fn available(&self) -> u64 {
        self.free + self.expired
    }

    /// Says how many of the free nodes are so only from their ceilings on.
    fn later(&self) -> String {
        match self.free_later {
            0 => String::new(),
            later => format!(" ({later} of them from their ceilings on)"),
        }
    }

    /// Returns the end of a list of numbers, since few realms have such nodes.
    pub(crate) fn rarer(&self) -> String {
        let rare = [(self.paused, "paused"), (self.newer, "of a later release")];
        let rare = rare.into_iter().filter(|(nodes, _)| *nodes > 0);
        rare.map(|(nodes, what)| format!(", {nodes} {what}")).collect()
    }

    /// Reports whether nodes will be free without an operator.
    pub(crate) const fn has_paused(&self) -> bool {
        self.paused > 0
    }

    pub(super) fn write(&self, json: bool, out: &mut Vec<u8>) -> Result<(), Failure> {
        if json {
            serde_json::to_writer(&mut *out, self).map_err(|error| Failure::Write(error.into()))?;
            out.push(b'\n');
            return Ok(());
        }
        let Self {
            realm,
            record,
            nodes,
            held,
            free,
            expired,
            quarantined,
            store_time,
            starts_at,
            // Printed by `later` and `rarer`.
            free_later: _,
            paused: _,
            newer: _,
        } = self;
        let (later, rarer) = (self.later(), self.rarer());
        // The end of time is the scheme's, and its ticks follow from the settings.
        let RealmParts { name: _, scheme, settings, scale: _, end: _, pool, terms } =
            RealmParts::from(record.realm.clone());
        let settings = if settings.is_empty() { String::new() } else { format!(" ({settings})") };
        let unknown = || "-".to_owned();
        let lines = [
            ("realm", realm.clone()),
            ("scheme", format!("{scheme}{settings}")),
            ("pool", format!("{pool}, {}", counted(*nodes, "node"))),
            (
                "nodes",
                format!(
                    "{held} held, {free} free{later}, {expired} expired, {quarantined} quarantined{rarer}"
                ),
            ),
            ("terms", terms.to_string()),
            ("store time", store_time.clone().unwrap_or_else(unknown)),
        ];
        let starts = starts_at.iter().map(|from| ("starts", from.clone()));
        for (label, value) in lines.into_iter().chain(starts) {
            out.extend_from_slice(format!("{label:<12} {value}\n").as_bytes());
        }
        out.push(b'\n');
        Ok(())
    }

    /// Returns the facts that need attention. By default a tenth of the nodes should be free.
    pub(super) fn warnings(&self, min_free: Option<u64>) -> Vec<String> {
        let Self { realm, nodes, quarantined, .. } = self;
        let available = self.available();
        let min_free = min_free.unwrap_or_else(|| nodes.div_ceil(10));
        let mut warnings = Vec::new();
        if *quarantined > 0 {
            let quarantined = counted(*quarantined, "node");
            warnings.push(format!("the realm {realm} has {quarantined} in quarantine"));
        }
        // Before the realm starts, that is the reason.
        if available < min_free && self.starts_at.is_none() {
            let later = self.later();
            warnings.push(format!(
                "{available} of {} of the realm {realm} {} free{later}, fewer than {min_free}",
                counted(*nodes, "node"),
                if *nodes == 1 { "is" } else { "are" }
            ));
        }
        if let Some(from) = &self.starts_at {
            let why = self.record.pause();
            let why = why.map_or_else(String::new, |why| format!(", since it {why}"));
            warnings
                .push(format!("no node of the realm {realm} can be granted before {from}{why}"));
        }
        warnings
    }
}
