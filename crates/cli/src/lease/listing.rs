//! `tickid lease list` and `watch`: the rows of a realm.

use core::time::Duration;
use std::collections::HashMap;
use std::process::ExitCode;
use std::thread;

use clap::Args;
use serde::Serialize;
use tickid_lease::{Listing, Node, Row, Standing};

use super::realm::RealmOptions;
use crate::failure::{Chain, Failure};
use crate::message::{say, shown};
use crate::output::Output;
use crate::report::date_time;
use crate::store::answer;
use crate::values::duration;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease list --realm sno
  tickid lease list --realm sno --json

A node is free, held, expired (not renewed in time), wild (further ahead of the store's clock than a
lease can reach) or retired (not in the pool any more).")]
pub(crate) struct ListArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tickid lease watch --realm sno --json")]
pub(crate) struct WatchArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// The pause between two looks, in seconds or with units
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1")]
    every: Duration,
}

/// A row as it is printed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Line {
    node: String,
    standing: &'static str,
    floor: u64,
    floor_time: Option<String>,
    ceiling: u64,
    ceiling_time: Option<String>,
    token: Option<String>,
    holder: String,
}

impl Line {
    pub(super) fn new(listing: &Listing, row: &Row, standing: Standing) -> Self {
        let scale = listing.record.realm.scale();
        let time = |tick| date_time(scale.time_of(tick)).map(|date| format!("{date:.3}Z"));
        Self {
            node: row.node.to_string(),
            standing: match standing {
                Standing::Free => "free",
                Standing::Held => "held",
                Standing::Expired => "expired",
                Standing::Wild => "wild",
                Standing::Retired => "retired",
                _ => "unknown",
            },
            floor: row.floor,
            floor_time: time(row.floor),
            ceiling: row.ceiling,
            ceiling_time: time(row.ceiling),
            token: row.token.map(|token| token.to_string()),
            holder: row.holder.clone(),
        }
    }

    pub(super) fn write(&self, json: bool, out: &mut Vec<u8>) -> Result<(), Failure> {
        if json {
            serde_json::to_writer(&mut *out, self).map_err(|error| Failure::Write(error.into()))?;
        } else {
            let time = |time: &Option<String>| time.clone().unwrap_or_else(|| "-".to_owned());
            let (floor, ceiling) = (time(&self.floor_time), time(&self.ceiling_time));
            let line = columns([&self.node, self.standing, &floor, &ceiling, &shown(&self.holder)]);
            out.extend_from_slice(line.as_bytes());
        }
        out.push(b'\n');
        Ok(())
    }
}

fn columns([node, standing, floor, ceiling, holder]: [&str; 5]) -> String {
    format!("{node:<12} {standing:<8} {floor:<24} {ceiling:<24} {holder}")
}

pub(super) fn write_head(json: bool, out: &mut Vec<u8>) {
    if !json {
        let head = columns(["NODE", "STANDING", "FLOOR", "CEILING", "HOLDER"]);
        out.extend_from_slice(head.as_bytes());
        out.push(b'\n');
    }
}

fn lines(listing: &Listing) -> Result<Vec<(Node, Line)>, Failure> {
    let standings = listing.standings().map_err(Failure::Refused)?;
    let line = |(row, standing): (&Row, _)| (row.node, Line::new(listing, row, standing));
    Ok(standings.into_iter().map(line).collect())
}

pub(super) fn list(arguments: &ListArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open()?;
    let listing = answer(&store, store.list(&arguments.realm.realm))?;
    let mut out = Output::stdout();
    write_head(arguments.json, out.buffer());
    for (_, line) in lines(&listing)? {
        line.write(arguments.json, out.buffer())?;
        out.drain()?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn watch(arguments: &WatchArguments) -> Result<ExitCode, Failure> {
    let WatchArguments { realm, json, every } = arguments;
    let store = realm.store.open()?;
    let mut out = Output::stdout();
    let mut shown = HashMap::new();
    write_head(*json, out.buffer());
    loop {
        match answer(&store, store.list(&realm.realm)) {
            Ok(listing) => {
                for (node, line) in lines(&listing)? {
                    if shown.get(&node) != Some(&line) {
                        line.write(*json, out.buffer())?;
                        shown.insert(node, line);
                    }
                }
                out.flush()?;
            }
            Err(error) if error.is_unreachable() => {
                say(&Chain(&error).to_string());
            }
            Err(error) => return Err(error.into()),
        }
        thread::sleep(*every);
    }
}
