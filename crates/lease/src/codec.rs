//! Records and rows as text, for stores that keep them as such.

use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickid_core::{TickScale, UnixTime};

use crate::pool::NodePool;
use crate::realm::{Realm, RealmName, Terms};
use crate::record::{Record, Row};

/// A text that a store kept is no record or no row.
#[derive(Debug, thiserror::Error)]
#[error("what the store keeps is no {what}")]
pub struct Unreadable {
    what: &'static str,
    source: Box<dyn core::error::Error + Send + Sync>,
}

/// A record as it is written. Fields may be added; none is ever taken away.
#[derive(Serialize, Deserialize)]
struct RecordText {
    scheme: String,
    layout: String,
    epoch_micros: i64,
    period_micros: u64,
    micros_per_tick: u64,
    end: u64,
    allowance: u64,
    skew_micros: u64,
    term_micros: u64,
    /// Ranges, each with the era since which it is there.
    pool: Vec<(String, u64)>,
    generation: String,
    era: u64,
    floor: u64,
    max_ahead: u64,
}

#[derive(Serialize, Deserialize)]
struct RowText {
    node: String,
    token: Option<String>,
    holder: String,
    era: u64,
    floor: u64,
    ceiling: u64,
    /// Whether an etcd lease shows when its holder is gone.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    has_lease: bool,
}

impl Record {
    /// The record as one line of JSON, without the realm's name.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (realm, terms) = (&self.realm, self.realm.terms());
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        json(&RecordText {
            scheme: realm.scheme().to_owned(),
            layout: realm.layout().to_owned(),
            epoch_micros: realm.scale().epoch().as_micros(),
            period_micros: realm.scale().period_micros(),
            micros_per_tick: realm.scale().micros_per_tick(),
            end: realm.end(),
            allowance: terms.allowance,
            skew_micros: micros(terms.skew),
            term_micros: micros(terms.term),
            pool: self.since().iter().map(|(range, era)| (range.to_string(), *era)).collect(),
            generation: self.generation.clone(),
            era: self.era,
            floor: self.floor,
            max_ahead: self.max_ahead,
        })
    }

    /// The record of the realm `name` that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`Unreadable`] for anything else.
    pub fn from_json(name: RealmName, text: &[u8]) -> Result<Self, Unreadable> {
        let unreadable = |source| Unreadable { what: "record of a realm", source };
        let text: RecordText =
            serde_json::from_slice(text).map_err(|error| unreadable(error.into()))?;
        let mut since = Vec::with_capacity(text.pool.len());
        for (range, era) in &text.pool {
            let range = range.parse().map_err(|error| unreadable(Box::from(error)))?;
            since.push((range, *era));
        }
        let pool = NodePool::new(since.iter().map(|&(range, _)| range));
        let pool = pool.map_err(|error| unreadable(error.into()))?;
        let epoch = UnixTime::from_micros(text.epoch_micros);
        let scale = TickScale::anew_every(epoch, text.period_micros, text.micros_per_tick);
        let terms = Terms {
            allowance: text.allowance,
            skew: Duration::from_micros(text.skew_micros),
            term: Duration::from_micros(text.term_micros),
        };
        let realm = Realm::from_parts(name, text.scheme, text.layout, scale, text.end, pool, terms);
        let RecordText { generation, era, floor, max_ahead, .. } = text;
        Ok(Self { realm, generation, era, floor, max_ahead, since })
    }
}

impl Row {
    /// The row as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_text(false)
    }

    /// The same with what the store in etcd knows besides.
    pub(crate) fn to_text(&self, has_lease: bool) -> String {
        json(&RowText {
            node: self.node.to_string(),
            token: self.token.map(|token| token.to_string()),
            holder: self.holder.clone(),
            era: self.era,
            floor: self.floor,
            ceiling: self.ceiling,
            has_lease,
        })
    }

    /// The row that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`Unreadable`] for anything else.
    pub fn from_json(text: &[u8]) -> Result<Self, Unreadable> {
        Self::from_text(text).map(|(row, _)| row)
    }

    /// The same with what [`to_text`](Self::to_text) wrote besides.
    pub(crate) fn from_text(text: &[u8]) -> Result<(Self, bool), Unreadable> {
        let unreadable = |source| Unreadable { what: "row of a node", source };
        let text: RowText =
            serde_json::from_slice(text).map_err(|error| unreadable(error.into()))?;
        let token = text.token.map(|token| token.parse()).transpose();
        let RowText { holder, era, floor, ceiling, has_lease, .. } = text;
        let row = Self {
            node: text.node.parse().map_err(|error| unreadable(Box::from(error)))?,
            token: token.map_err(|error| unreadable(Box::from(error)))?,
            holder,
            era,
            floor,
            ceiling,
        };
        Ok((row, has_lease))
    }
}

fn json(value: &impl Serialize) -> String {
    // Numbers, strings and lists of them always have a JSON.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;

    use super::*;
    use crate::record::Token;

    fn record() -> Record {
        let pool = "0-7/8,200-255/8".parse().unwrap();
        let realm = Realm::new("a".parse().unwrap(), &Seconds, pool).unwrap();
        let terms = realm.terms().with_skew(Duration::from_nanos(1));
        let realm = realm.with_terms(terms).unwrap();
        let mut record = Record::new(realm, "one \"two\"".to_owned());
        (record.era, record.floor, record.since[1].1) = (5, u64::MAX, 4);
        record
    }

    fn row() -> Row {
        Row {
            node: "42/8".parse().unwrap(),
            token: Some(Token::from_bits(u128::MAX)),
            holder: "a \"b\" 🙂".to_owned(),
            era: 1,
            floor: 2,
            ceiling: u64::MAX,
        }
    }

    #[test]
    fn records_and_rows_come_back() {
        let text = record().to_json();
        assert_eq!(Record::from_json("a".parse().unwrap(), text.as_bytes()).unwrap(), record());
        for row in [row(), Row { token: None, ..row() }] {
            assert_eq!(Row::from_json(row.to_json().as_bytes()).unwrap(), row);
            for has_lease in [false, true] {
                let text = row.to_text(has_lease);
                assert_eq!(Row::from_text(text.as_bytes()).unwrap(), (row.clone(), has_lease));
            }
        }
    }

    #[test]
    fn cut_texts_are_unreadable() {
        let (record, row) = (record().to_json(), row().to_json());
        for end in 0..record.len() {
            let name = "a".parse().unwrap();
            assert!(Record::from_json(name, &record.as_bytes()[..end]).is_err());
        }
        for end in 0..row.len() {
            assert!(Row::from_json(&row.as_bytes()[..end]).is_err());
        }
    }
}
