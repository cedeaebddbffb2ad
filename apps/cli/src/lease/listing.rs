//! `tickid lease realms`, `list` and `watch`: a store's realms, and the rows of one.

use core::time::Duration;
use std::collections::HashMap;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd as _;
use std::process::ExitCode;

use clap::Args;
#[cfg(target_os = "linux")]
use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
};
use serde::Serialize;
use serde_json::json;
use tickid_core::AnyNode;
use tickid_lease::RealmSpec;
use tickid_lease::admin::Standing;
use tickid_lease::backend::{RealmView, Row, RowState};

use super::realm::RealmOptions;
use super::summary::RealmSummary;
use crate::failure::{Failure, INVALID};
use crate::message::{say, shown};
use crate::options::values::duration;
use crate::options::when::date_time;
use crate::output::Output;
use crate::store::{StoreOptions, answer};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease realms
  tickid lease realms --store etcd://db:2379 --json")]
pub(crate) struct RealmsArguments {
    #[command(flatten)]
    store: StoreOptions,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease list --realm sno
  tickid lease list --realm sno --json
  tickid lease list --realm sno --check --min-free 8

Begins with the realm (with --json its first object), whose figures count the nodes of the pool. A
node is free, held, expired (not renewed in time, so that others may take it), paused (not held, but
granted only later, as before the realm starts), quarantined (further ahead of the store's clock
than a lease can reach, or unreadable), newer (taken, as far as this release can tell: a later one
wrote its row), reserved (for functions in PostgreSQL) or retired (not in the pool any more). The
ceiling is the end of its last window; --json adds the floor, and the token.

--check is for monitors. Exit status: 0 if all is well; 1 if a node is quarantined, few nodes are
left, or none can be granted yet; 3 if the store does not answer or has no such realm.")]
pub(crate) struct ListArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Print the realm only, and end with status 1 if it needs attention
    #[arg(long)]
    check: bool,
    /// The number of free or expired nodes below which --check fails [default: a tenth of the pool]
    #[arg(long, value_name = "NODES", requires = "check")]
    min_free: Option<u64>,
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
    /// The pause between two readings, in seconds or with units
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1")]
    every: Duration,
}

/// A row as it is printed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct NodeLine {
    node: String,
    standing: &'static str,
    floor: Option<u64>,
    floor_time: Option<String>,
    ceiling: Option<u64>,
    ceiling_time: Option<String>,
    token: Option<String>,
    holder: String,
}

impl NodeLine {
    /// `row` is `None` if it cannot be read.
    pub(super) fn new(
        realm: &RealmSpec,
        node: AnyNode,
        row: Option<&Row>,
        standing: Standing,
    ) -> Self {
        let scale = realm.scale();
        let time = |tick| date_time(scale.time_of(tick)).map(|date| date.to_string());
        let (floor, ceiling) = (row.map(|row| row.floor), row.map(|row| row.ceiling));
        Self {
            node: node.to_string(),
            standing: standing.name(),
            floor,
            floor_time: floor.and_then(time),
            ceiling,
            ceiling_time: ceiling.and_then(time),
            token: row.and_then(|row| row.token).map(|token| token.to_string()),
            holder: row.map(|row| row.holder.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn write(&self, json: bool, out: &mut Vec<u8>) -> Result<(), Failure> {
        if json {
            serde_json::to_writer(&mut *out, self).map_err(|error| Failure::Write(error.into()))?;
        } else {
            let ceiling = self.ceiling_time.as_deref().unwrap_or("-");
            let line = columns([&self.node, self.standing, ceiling, &shown(&self.holder)]);
            out.extend_from_slice(line.as_bytes());
        }
        out.push(b'\n');
        Ok(())
    }
}

/// Returns a row, which leaves a holder 30 of a terminal's 80 columns. JSON has the other members.
fn columns([node, standing, ceiling, holder]: [&str; 4]) -> String {
    format!("{node:<12} {standing:<11} {ceiling:<24} {holder}")
}

pub(super) fn write_head(json: bool, out: &mut Vec<u8>) {
    if !json {
        let head = columns(["NODE", "STANDING", "CEILING", "HOLDER"]);
        out.extend_from_slice(head.as_bytes());
        out.push(b'\n');
    }
}

fn lines(view: &RealmView) -> Result<Vec<(AnyNode, NodeLine)>, Failure> {
    let realm = &view.rules()?.record().realm;
    let line = |(node, state, standing): (AnyNode, &RowState, _)| {
        (node, NodeLine::new(realm, node, state.row(), standing))
    };
    Ok(view.standings()?.into_iter().map(line).collect())
}

pub(super) fn realms(arguments: &RealmsArguments) -> Result<ExitCode, Failure> {
    let store = arguments.store.open_existing()?;
    let mut out = Output::stdout();
    for name in answer(store.realms())? {
        let line = if arguments.json {
            json!({ "realm": name.as_str() }).to_string()
        } else {
            name.to_string()
        };
        out.buffer().extend_from_slice(line.as_bytes());
        out.buffer().push(b'\n');
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn list(arguments: &ListArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open_existing()?;
    let view = answer(store.list(&arguments.realm.realm))?;
    let summary = RealmSummary::of(&view)?;
    let mut out = Output::stdout();
    summary.write(arguments.json, out.buffer())?;
    if !arguments.check {
        write_head(arguments.json, out.buffer());
        for (_, line) in lines(&view)? {
            line.write(arguments.json, out.buffer())?;
            out.drain()?;
        }
    }
    out.flush_or_closed()?;
    let warnings = if arguments.check { summary.warnings(arguments.min_free) } else { Vec::new() };
    for warning in &warnings {
        say(warning);
    }
    Ok(if warnings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(INVALID) })
}

pub(super) fn watch(arguments: &WatchArguments) -> Result<ExitCode, Failure> {
    let WatchArguments { realm, json, every } = arguments;
    let store = realm.store.open_existing()?;
    let mut out = Output::stdout();
    let mut shown = HashMap::new();
    let mut is_first = true;
    loop {
        match answer(store.list(&realm.realm)) {
            Ok(view) => {
                // Begin as `list` does.
                if core::mem::take(&mut is_first) {
                    RealmSummary::of(&view)?.write(*json, out.buffer())?;
                    write_head(*json, out.buffer());
                }
                for (node, line) in lines(&view)? {
                    // Lines are compared and not rows, because a node expires without any change in
                    // the store.
                    if shown.get(&node) != Some(&line) {
                        line.write(*json, out.buffer())?;
                        shown.insert(node, line);
                    }
                }
                out.flush()?;
            }
            // A watch is most useful during an outage of the store, so it continues.
            Err(error) if error.is_unreachable() => {
                say(&format!("{error:?}"));
            }
            Err(error) => return Err(error.into()),
        }
        if !pause(*every).map_err(Failure::Write)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Sleeps, and reports whether the output still has a reader. In a quiet realm, the next line that
/// could not be written may never come.
#[cfg(target_os = "linux")]
fn pause(time: Duration) -> io::Result<bool> {
    let output = io::stdout();
    // The ends of pipes and terminals are reported in any case.
    let mut files = [PollFd::new(output.as_fd(), PollFlags::empty())];
    match poll(&mut files, PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX)) {
        Ok(0) | Err(Errno::EINTR) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Sleeps. Whether the output has a reader shows at the next line.
#[cfg(not(target_os = "linux"))]
fn pause(time: Duration) -> io::Result<bool> {
    std::thread::sleep(time);
    Ok(true)
}
