//! The tables as bar charts.

use crate::results::Results;
use crate::tables::Table;

/// Bars with a title.
#[derive(Debug, PartialEq)]
pub(crate) struct Chart {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) bars: Vec<Bar>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) kind: Kind,
}

/// The origin of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Ours,
    Peer,
    /// The cost of the processor or the system alone.
    Machine,
}

/// Other libraries, identified by one word of the name.
const PEERS: [&str; 8] = [
    "base64",
    "data-encoding",
    "ferroid",
    "scru64-official",
    "snowflaked",
    "ulid",
    "uuid",
    "uuid-v7",
];
/// Costs of the machine, identified by one word of the name.
const MACHINE: [&str; 3] = ["fetch-add", "kernel", "std"];

/// Returns all tables as charts.
pub(crate) fn all(results: &Results) -> Vec<Chart> {
    let groups = results.groups().into_iter();
    groups.flat_map(|group| Table::of(results, group)).map(|table| chart(&table)).collect()
}

fn chart(table: &Table<'_>) -> Chart {
    let bars = table.rows.iter().map(|row| {
        // The title has the prefix.
        let name = row.name.strip_prefix(table.prefix).unwrap_or(&row.name).to_owned();
        Bar { kind: kind(&name), name, value: row.value }
    });
    Chart {
        file: table.plot(),
        title: table.title(),
        unit: if table.group == "clock" { "ns per reading" } else { "ns per ID" },
        bars: bars.collect(),
    }
}

/// Returns the origin of a measurement by its name.
fn kind(name: &str) -> Kind {
    let has = |known: &[&str]| name.split('/').any(|word| known.contains(&word));
    if has(&PEERS) {
        Kind::Peer
    } else if has(&MACHINE) {
        Kind::Machine
    } else {
        Kind::Ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_gives_the_origin() {
        for (name, expected) in [
            ("manual/sno/shared", Kind::Ours),
            ("default/now", Kind::Ours),
            ("2-threads/fetch-add", Kind::Machine),
            ("std/system-time", Kind::Machine),
            ("kernel/realtime-coarse", Kind::Machine),
            ("data-encoding/sno", Kind::Peer),
            ("wall/scru64-official/global/below-cap", Kind::Peer),
            ("wall/uuid-v7", Kind::Peer),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    #[test]
    fn every_peer_is_known() {
        let manifest = include_str!("../../Cargo.toml");
        let peers = manifest.split_once("# The peers").unwrap().1.split_once("[lib]").unwrap().0;
        let names = peers.lines().filter_map(|line| line.split_once(" = "));
        let names: Vec<_> =
            names.map(|(name, _)| name).filter(|name| !name.starts_with('#')).collect();
        assert!(names.len() >= 7, "{names:?}");
        for name in names {
            assert_eq!(kind(name), Kind::Peer, "{name}");
        }
    }

    #[test]
    fn a_chart_shows_its_table() {
        let results =
            Results::of_times(&[("clock", "std/system-time", 22.0), ("clock", "system/now", 23.5)]);
        let bar = |name: &str, value, kind| Bar { name: name.to_owned(), value, kind };
        let expected = Chart {
            file: "clock.svg".to_owned(),
            title: "clock".to_owned(),
            unit: "ns per reading",
            bars: vec![
                bar("std/system-time", 22.0, Kind::Machine),
                bar("system/now", 23.5, Kind::Ours),
            ],
        };
        assert_eq!(all(&results), [expected]);
    }
}
