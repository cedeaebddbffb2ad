//! Records and rows as text, for backends that keep them as such.

use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickid_core::{AnyNode, TickScale, UnixTime};

use crate::model::pool::NodePool;
use crate::model::realm_spec::{RealmName, RealmSpec, Terms};
use crate::model::record::{Extra, PoolPart, Record, Row, RowState, Version};
use crate::model::text::{LeaseTextError, RECORD_VERSION, node};
use crate::store_error::excerpt;

const KIND_OF_RECORD: &str = "record of a realm";

/// The part of every record and row that determines how to read the rest.
#[derive(Deserialize)]
struct VersionText {
    record_version: u32,
}

#[derive(Serialize, Deserialize)]
struct RecordText {
    record_version: u32,
    scheme: String,
    settings: String,
    epoch_micros: i64,
    period_micros: u64,
    micros_per_tick: u64,
    end: u64,
    allowance: u64,
    skew_micros: u64,
    term_micros: u64,
    start: String,
    pool: String,
    parts: Vec<PartText>,
    generation: String,
    era: u64,
    floor: u64,
    max_ahead: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    rows: u64,
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    assumed: bool,
    #[serde(flatten)]
    extra: Extra,
}

#[derive(Serialize, Deserialize)]
struct PartText {
    nodes: String,
    since_era: u64,
    floor: u64,
}

#[derive(Serialize, Deserialize)]
struct RowText {
    record_version: u32,
    node: String,
    token: Option<String>,
    holder: String,
    era: u64,
    floor: u64,
    ceiling: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    cut: u64,
    #[serde(flatten)]
    extra: Extra,
}

impl Record {
    /// Returns the record as one line of JSON, without the realm's name.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (realm, terms) = (&self.realm, self.realm.terms());
        // Terms are far below 2^64 µs, which are 584,000 years. If a caller builds longer ones they
        // are cut rather than refused, because writing a record cannot fail.
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let part = |part: &PoolPart| {
            let (nodes, PoolPart { since_era, floor, .. }) = (part.range.to_string(), *part);
            PartText { nodes, since_era, floor }
        };
        json(&RecordText {
            record_version: RECORD_VERSION,
            scheme: realm.scheme().to_owned(),
            settings: realm.settings().to_owned(),
            epoch_micros: realm.scale().epoch().as_micros(),
            period_micros: realm.scale().period_micros(),
            micros_per_tick: realm.scale().micros_per_tick(),
            end: realm.end(),
            allowance: terms.allowance,
            skew_micros: micros(terms.skew),
            term_micros: micros(terms.term),
            start: terms.start.to_string(),
            pool: realm.pool().to_string(),
            parts: self.parts.iter().map(part).collect(),
            generation: self.generation.clone(),
            era: self.era,
            floor: self.floor,
            max_ahead: self.max_ahead,
            rows: self.rows,
            assumed: self.is_assumed,
            extra: self.extra.clone(),
        })
    }

    /// Parses the record of the realm `name` from the JSON of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// Returns [`LeaseTextError::Newer`] for a version of a later release, and a different
    /// [`LeaseTextError`] for anything else that is not a record.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use tickid_lease::admin::LeaseTextError;
    /// use tickid_lease::backend::Record;
    ///
    /// let record = Record::new(realm, "1".to_owned());
    /// let json = record.to_json();
    /// assert_eq!(Record::from_json("orders".parse()?, json.as_bytes())?, record);
    ///
    /// let later = Record::from_json("orders".parse()?, br#"{"record_version":2}"#);
    /// assert!(matches!(later, Err(LeaseTextError::Newer { record_version: 2, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(name: RealmName, json: &[u8]) -> Result<Self, LeaseTextError> {
        let text: RecordText = read(KIND_OF_RECORD, json)?;
        // The nodes that leases are granted of, for example `0-15/16`. While a realm is
        // reconfigured, its parts cover less than its pool, but never more.
        let pool: NodePool = text.pool.parse()?;
        let mut parts = Vec::with_capacity(text.parts.len());
        for PartText { nodes, since_era, floor } in &text.parts {
            let (range, since_era, floor) = (nodes.parse()?, *since_era, *floor);
            if !pool.ranges().iter().any(|whole| whole.common(&range) == Some(range)) {
                let why = format!("its part {range} is outside of its pool {pool}");
                return Err(LeaseTextError::Malformed { what: KIND_OF_RECORD, why });
            }
            parts.push(PoolPart { range, since_era, floor });
        }
        parts.sort_by_key(|part| part.range.start());
        // Parts that overlap would make a node's era ambiguous.
        if !parts.is_empty() {
            NodePool::new(parts.iter().map(|part| part.range))?;
        }
        let epoch = UnixTime::from_micros(text.epoch_micros);
        let scale = TickScale::anew_every(epoch, text.period_micros, text.micros_per_tick);
        let terms = Terms {
            allowance: text.allowance,
            skew: Duration::from_micros(text.skew_micros),
            term: Duration::from_micros(text.term_micros),
            start: text.start.parse().map_err(|_| {
                let why = format!("{:?} is not a start of ticks", text.start);
                LeaseTextError::Malformed { what: KIND_OF_RECORD, why }
            })?,
        };
        let RecordText { scheme, settings, end, .. } = text;
        let realm = RealmSpec { name, scheme, settings, scale, end, pool, terms };
        let RecordText { generation, era, floor, max_ahead, rows, assumed, extra, .. } = text;
        let is_assumed = assumed;
        Ok(Self { realm, generation, era, floor, max_ahead, parts, rows, is_assumed, extra })
    }
}

impl Row {
    /// Returns the row as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(&RowText {
            record_version: RECORD_VERSION,
            node: self.node.to_string(),
            token: self.token.map(|token| token.to_string()),
            holder: self.holder.clone(),
            era: self.era,
            floor: self.floor,
            ceiling: self.ceiling,
            cut: self.cut.0,
            extra: self.extra.clone(),
        })
    }

    /// Parses the row from the JSON of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// Returns [`LeaseTextError::Newer`] for a version of a later release, and a different
    /// [`LeaseTextError`] for anything else that is not a row.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::Row;
    ///
    /// let json = r#"{"record_version":1,"node":"42/8","token":null,"holder":"web-1","era":0,"#;
    /// let json = format!(r#"{json}"floor":5,"ceiling":9}}"#);
    /// let row = Row::from_json(json.as_bytes())?;
    /// assert_eq!((row.node, row.ceiling), ("42/8".parse()?, 9));
    /// assert_eq!(row.to_json(), json);
    /// assert!(Row::from_json(b"{}").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(json: &[u8]) -> Result<Self, LeaseTextError> {
        let text: RowText = read("row of a node", json)?;
        let token = text.token.map(|token| token.parse()).transpose()?;
        let RowText { holder, era, floor, ceiling, extra, .. } = text;
        let (node, cut) = (node(&text.node)?, Version(text.cut));
        Ok(Self { node, token, holder, era, floor, ceiling, cut, extra })
    }
}

impl RowState {
    /// Parses the row of a node from the JSON of [`to_json`](Row::to_json). This does not fail,
    /// since a text that is no row is a state as well, and quarantines the node.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::{RowState, Version};
    ///
    /// let state = RowState::from_json("42/8".parse()?, b"\0\0\0", Version(7));
    /// assert_eq!(state, RowState::Malformed { version: Version(7) }); // quarantines the node
    /// let state = RowState::from_json("42/8".parse()?, br#"{"record_version":2}"#, Version(7));
    /// assert_eq!(state, RowState::Newer { record_version: 2 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_json(node: AnyNode, json: &[u8], version: Version) -> Self {
        match Row::from_json(json) {
            Ok(row) if row.node == node => Self::Intact { row, version, is_dead: false },
            Err(LeaseTextError::Newer { record_version, .. }) => Self::Newer { record_version },
            _ => Self::Malformed { version },
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn json(value: &impl Serialize) -> String {
    // Numbers, strings and lists of them always have a JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// Parses JSON, if this release can read its version.
fn read<'a, T: Deserialize<'a>>(what: &'static str, json: &'a [u8]) -> Result<T, LeaseTextError> {
    let malformed = |error: serde_json::Error| LeaseTextError::Malformed {
        what,
        why: excerpt(&error.to_string()),
    };
    let VersionText { record_version } = serde_json::from_slice(json).map_err(malformed)?;
    if record_version > RECORD_VERSION {
        return Err(LeaseTextError::Newer { what, record_version });
    }
    serde_json::from_slice(json).map_err(malformed)
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;

    use super::*;
    use crate::model::token::Token;

    /// The first version. Every release reads it.
    const RECORD: &str = r#"{"record_version":1,"scheme":"seconds","settings":"","epoch_micros":0,"period_micros":1000000,"micros_per_tick":1000000,"end":4294967296,"allowance":0,"skew_micros":1,"term_micros":10000000,"start":"lowest","pool":"0-7/8,200-255/8","parts":[{"nodes":"0-7/8","since_era":0,"floor":0},{"nodes":"200-255/8","since_era":4,"floor":7}],"generation":"one \"two\"","era":5,"floor":18446744073709551615,"max_ahead":22}"#;
    const ROW: &str = r#"{"record_version":1,"node":"42/8","token":"ffffffffffffffffffffffffffffffff","holder":"a \"b\" 🙂","era":1,"floor":2,"ceiling":18446744073709551615}"#;

    fn record() -> Record {
        let pool = "0-7/8,200-255/8".parse().unwrap();
        let realm = RealmSpec::new("a".parse().unwrap(), &Seconds, pool).unwrap();
        let terms = realm.terms().with_skew(Duration::from_nanos(1));
        let realm = realm.with_terms(terms).unwrap();
        let mut record = Record::new(realm, "one \"two\"".to_owned());
        (record.era, record.floor) = (5, u64::MAX);
        (record.parts[1].since_era, record.parts[1].floor) = (4, 7);
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
            cut: Version(0),
            extra: Extra::default(),
        }
    }

    fn parse(json: &str) -> Result<Record, LeaseTextError> {
        Record::from_json("a".parse().unwrap(), json.as_bytes())
    }

    #[test]
    fn first_version() {
        assert_eq!(record().to_json(), RECORD);
        assert_eq!(parse(RECORD).unwrap(), record());
        assert_eq!(row().to_json(), ROW);
        for row in [row(), Row { token: None, ..row() }] {
            assert_eq!(Row::from_json(row.to_json().as_bytes()).unwrap(), row);
        }
    }

    /// They are absent unless they are used.
    #[test]
    fn optional_fields_are_kept() {
        let counted = Record { rows: 7, is_assumed: true, ..record() };
        assert!(counted.to_json().contains(r#","max_ahead":22,"rows":7,"assumed":true}"#));
        assert_eq!(parse(&counted.to_json()).unwrap(), counted);
        let cut = Row { cut: Version(9), ..row() };
        assert!(cut.to_json().ends_with(r#","cut":9}"#));
        assert_eq!(Row::from_json(cut.to_json().as_bytes()).unwrap(), cut);
    }

    #[test]
    fn unknown_fields_are_preserved() {
        let with = |json: &str| json.replacen('{', r#"{"later":{"a":[1,null]},"#, 1);
        let read = parse(&with(RECORD)).unwrap();
        assert!(read.to_json().contains(r#""later":{"a":[1,null]}"#));
        let read = Row::from_json(with(ROW).as_bytes()).unwrap();
        assert!(read.to_json().contains(r#""later":{"a":[1,null]}"#));
        assert_eq!(Row { extra: Extra::default(), ..read }, row());
    }

    #[test]
    fn newer_versions_are_refused() {
        let newer = |json: &str| {
            json.replace(r#""record_version":1,"#, r#""record_version":2,"holder":5,"#)
        };
        let is_newer = |error| matches!(error, LeaseTextError::Newer { record_version: 2, .. });
        assert!(is_newer(parse(&newer(RECORD)).unwrap_err()));
        assert!(is_newer(Row::from_json(newer(ROW).as_bytes()).unwrap_err()));
        assert!(Row::from_json(ROW.replace(r#""record_version":1,"#, "").as_bytes()).is_err());
    }

    #[test]
    fn cut_texts_are_malformed() {
        for end in 0..RECORD.len() {
            assert!(!RECORD.is_char_boundary(end) || parse(&RECORD[..end]).is_err());
        }
        for end in 0..ROW.len() {
            assert!(Row::from_json(&ROW.as_bytes()[..end]).is_err());
        }
    }

    #[test]
    fn overlapping_parts_are_malformed() {
        assert!(parse(&RECORD.replace("\"nodes\":\"200-255/8\"", "\"nodes\":\"7/8\"")).is_err());
    }

    #[test]
    fn parts_are_in_the_pool() {
        let with = |nodes: &str| parse(&RECORD.replace(r#""nodes":"200-255/8""#, nodes));
        assert!(with(r#""nodes":"201-202/8""#).is_ok(), "as while the pool is reconfigured");
        for nodes in ["199-255/8", "8-9/8", "400-511/9", "25/5"] {
            let error = with(&format!(r#""nodes":"{nodes}""#)).unwrap_err().to_string();
            let expected = format!("its part {nodes} is outside of its pool 0-7/8,200-255/8");
            assert!(error.ends_with(&expected), "{error}");
        }
    }
}
