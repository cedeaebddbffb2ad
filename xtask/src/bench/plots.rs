//! The tables as bar charts. They are drawn by a program of the benchmarks' workspace; here it is told what.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::results::Results;
use super::tables::Table;
use crate::error::Error;
use crate::workspace::Workspace;

/// Where the plots are, from the document.
pub(super) const FOLDER: &str = "benchmarks";

/// Other libraries, by one word of the name.
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
/// What the machine does by itself, likewise.
const MACHINE: [&str; 3] = ["fetch-add", "kernel", "std"];

/// Draws all tables into `folder`, which then holds nothing else. `results` is where the benchmarks left theirs.
pub(super) fn draw(
    workspace: &Workspace,
    all: &Results,
    results: &Path,
    folder: &Path,
) -> Result<(), Error> {
    let charts: Vec<Value> =
        all.groups().into_iter().flat_map(|group| Table::of(all, group)).map(chart).collect();
    let request = results.join("charts.json");
    super::write(&request, &Value::from(charts).to_string())?;
    let write_error = |reason| Error::Write { path: folder.to_owned(), reason };
    if folder.exists() {
        // A table that is gone leaves no plot behind.
        fs::remove_dir_all(folder).map_err(write_error)?;
    }
    fs::create_dir_all(folder).map_err(write_error)?;
    workspace
        .cargo_in("benches", &["run", "--profile", "bench", "--quiet", "--bin", "plot", "--"])
        .args([&request, folder])
        .run()
}

fn chart<'a>(table: Table<'a>) -> Value {
    let per = if table.group == "clock" { "ns per reading" } else { "ns per ID" };
    let bar = |name: &str, value: f64| json!({ "name": name, "value": value, "kind": kind(name) });
    // The title has the prefix.
    let name = |name: &'a str| name.strip_prefix(table.prefix).unwrap_or(name);
    let bars: Vec<_> = table.rows.iter().map(|row| bar(name(&row.name), row.value)).collect();
    json!({ "file": table.plot(), "title": table.title(), "unit": per, "bars": bars })
}

/// Whose a measurement is.
fn kind(name: &str) -> &'static str {
    let has = |known: &[&str]| name.split('/').any(|word| known.contains(&word));
    if has(&PEERS) {
        "peer"
    } else if has(&MACHINE) {
        "machine"
    } else {
        "ours"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_it_is() {
        for (name, expected) in [
            ("manual/sno/shared", "ours"),
            ("default/now", "ours"),
            ("2-threads/fetch-add", "machine"),
            ("std/system-time", "machine"),
            ("kernel/realtime-coarse", "machine"),
            ("data-encoding/sno", "peer"),
            ("wall/scru64-official/global/below-cap", "peer"),
            ("wall/uuid-v7", "peer"),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    #[test]
    fn every_peer_is_known() {
        let manifest = include_str!("../../../benches/Cargo.toml");
        let peers = manifest.split_once("# The peers").unwrap().1.split_once("[lib]").unwrap().0;
        let names = peers.lines().filter_map(|line| line.split_once(" = "));
        let names: Vec<_> =
            names.map(|(name, _)| name).filter(|name| !name.starts_with('#')).collect();
        assert!(names.len() >= 7, "{names:?}");
        for name in names {
            assert_eq!(kind(name), "peer", "{name}");
        }
    }

    #[test]
    fn a_chart_is_what_the_table_shows() {
        let results =
            Results::of_times(&[("clock", "std/system-time", 22.0), ("clock", "system/now", 23.5)]);
        let chart = chart(Table::of(&results, "clock").remove(0));
        let expected = json!({
            "file": "clock.svg",
            "title": "clock",
            "unit": "ns per reading",
            "bars": [
                { "name": "std/system-time", "value": 22.0, "kind": "machine" },
                { "name": "system/now", "value": 23.5, "kind": "ours" },
            ],
        });
        assert_eq!(chart, expected);
    }
}
