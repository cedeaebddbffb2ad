//! `tickid lease invalidate` and `repair`, which need a human decision. Both explain their effect,
//! and act with --yes.

use std::process::ExitCode;

use clap::{ArgGroup, Args};
use tickid_core::{AnyNode, ParseNodeError};
use tickid_lease::admin::{NodeRange, Refusal, Standing};
use tickid_lease::backend::RealmView;
use tickid_lease::{NodePool, RealmSpec};

use super::init::longest_term;
use super::realm::{RealmOptions, ShapeOptions};
use crate::failure::Failure;
use crate::message::say;
use crate::options::Scheme;
use crate::options::values::parse;
use crate::store::{self, answer};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease invalidate --realm sno              explains what it would do
  tickid lease invalidate --realm sno --yes
  tickid lease invalidate --realm sno --term 110 --yes
  tickid lease invalidate sno --realm sno --yes    if the realm is gone

A backup from before the term was raised does not say how far leases have reached since: --term names
the longest since then, and so do --skew and --policy. The realm's terms stay as they are.")]
pub(crate) struct InvalidateArguments {
    /// The scheme of a realm that the store has lost altogether
    #[arg(value_enum)]
    scheme: Option<Scheme>,
    #[command(flatten)]
    realm: RealmOptions,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Do it instead of explaining it
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease repair --realm sno --node 42/16    explains what it would do
  tickid lease repair --realm sno --node 42/16 --yes
  tickid lease repair --realm sno --all --yes")]
#[command(group(ArgGroup::new("nodes").required(true)))]
pub(crate) struct RepairArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// The quarantined node, as list prints it; N where all nodes have the same size
    #[arg(long, value_name = "N/BITS", value_parser = node, group = "nodes")]
    node: Option<String>,
    /// All quarantined nodes
    #[arg(long, group = "nodes")]
    all: bool,
    /// Do it instead of explaining it
    #[arg(long)]
    yes: bool,
}

pub(super) fn invalidate(arguments: &InvalidateArguments) -> Result<ExitCode, Failure> {
    let name = &arguments.realm.realm;
    let store = match arguments.scheme {
        // The folder can be lost, too.
        Some(_) => arguments.realm.store.open()?,
        None => arguments.realm.store.open_existing()?,
    };
    if let Some(scheme) = arguments.scheme {
        arguments.shape.check_given(scheme)?;
    }
    let record = store::record(&store, name)?;
    let known = record.as_ref().map_or(0, |record| record.max_ahead);
    let kept = record.map(|record| record.realm);
    let is_assumed = kept.is_none() && arguments.shape.pool.is_none();
    let realm = match (kept, arguments.scheme) {
        (Some(kept), Some(scheme)) if kept.scheme() != scheme.name() => {
            let reason = format!("the realm {name} is of the scheme {}", kept.scheme());
            let hint = "without a scheme, the realm is invalidated as it is";
            return Err(Failure::Usage(reason).hinting(hint));
        }
        (Some(kept), _) => kept,
        (None, Some(scheme)) => arguments.shape.realm(name, scheme)?,
        (None, None) => {
            let hint = format!(
                "if the store has lost it, name its scheme: tickid lease invalidate SCHEME --realm \
                 {name}"
            );
            // Ask again, for the error that names the nearest realm.
            let again = answer(store.realm(name)).map(|record| record.realm);
            again.map_err(|error| Failure::from(error).hinting(hint))?
        }
    };
    let longest = arguments.shape.longest_terms(&realm)?;
    let scale = realm.scale();
    let max_ahead = known.max(realm.clone().with_terms(longest)?.max_ahead());
    let ahead = scale.time_of(max_ahead).saturating_since(scale.time_of(0));
    say(&format!(
        "invalidating the realm {name} ends all its leases: every running generator stops, and \
         acquires a new lease. All nodes start anew {} s after the store's present time, beyond all \
         leases of a term of at most {:?} (--term names a longer one that it had), and cannot be \
         granted until then. This is for a store that lost data without a trace, as one that was \
         restored from a backup; its clock must not be behind where it was",
        ahead.as_millis().div_ceil(1_000),
        longest_term(&realm, max_ahead)
    ));
    if !arguments.yes {
        return Err(nothing_done());
    }
    if is_assumed {
        // Holders may know other nodes.
        answer(store.adopt(&realm))?;
    }
    let floor = answer(store.invalidate_beyond(&realm, longest))?;
    say(&format!("invalidated: nodes are granted from {} on", at(&realm, floor)));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn repair(arguments: &RepairArguments) -> Result<ExitCode, Failure> {
    let name = &arguments.realm.realm;
    let store = arguments.realm.store.open_existing()?;
    let view = answer(store.list(name))?;
    let rules = view.rules()?;
    let realm = &rules.record().realm;
    // Take one node, or all that are quarantined.
    let node = arguments.node.as_deref().map(|text| node_of(realm.pool(), text));
    let node = node.transpose()?;
    let nodes = match node {
        Some(node) => vec![node],
        None => quarantined(&view)?,
    };
    if nodes.is_empty() {
        say(&format!("no node of the realm {name} is quarantined: nothing was done"));
        return Ok(ExitCode::SUCCESS);
    }
    // Show first what would be done, because lowering a ceiling can cause duplicate IDs.
    for &node in &nodes {
        let state = view.rows.get(&node);
        let (_, row) = match rules.repair(node, state) {
            Ok(repaired) => repaired,
            Err(refusal) if arguments.all => {
                say(&cannot(node, &refusal));
                continue;
            }
            // The store would refuse this node as well.
            Err(refusal) => return Err(refusal.into()),
        };
        let ceiling = rules.ceiling(node, state);
        say(&format!(
            "repairing node {node} takes its ceiling back from {} to {}",
            ceiling.map_or_else(|| "an unreadable one".into(), |tick| at(realm, tick)),
            at(realm, row.ceiling),
        ));
    }
    say(
        "that is safe if no ID was issued in between, as when the store's clock was far ahead for a \
         while; a holder of such a node must be stopped first",
    );
    if !arguments.yes {
        return Err(nothing_done());
    }
    // The store decides again, because its data may have changed since.
    let results = match node {
        Some(node) => vec![(node, Ok(answer(store.repair(name, node))?))],
        None => answer(store.repair_all(name))?,
    };
    let repaired = results.iter().filter(|(_, result)| result.is_ok());
    let repaired: Vec<String> = repaired.map(|(node, _)| node.to_string()).collect();
    if !repaired.is_empty() {
        say(&format!("repaired: {}", repaired.join(", ")));
    }
    let mut refused = results.into_iter().filter_map(|(_, result)| result.err());
    refused.next().map_or(Ok(ExitCode::SUCCESS), |refusal| Err(refusal.into()))
}

/// Accepts a node, or a number without its size.
fn node(text: &str) -> Result<String, String> {
    if !is_number(text) {
        parse::<AnyNode>(text)?;
    }
    Ok(text.to_owned())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a node of a pool. Its size may be left out if all nodes have the same.
fn node_of(pool: &NodePool, text: &str) -> Result<AnyNode, Failure> {
    let mut sizes: Vec<u32> = pool.ranges().iter().map(NodeRange::bits).collect();
    sizes.dedup();
    let whole = match sizes.as_slice() {
        [size] if is_number(text) => format!("{text}/{size}"),
        _ => text.to_owned(),
    };
    whole
        .parse()
        .map_err(|error: ParseNodeError| Failure::Usage(format!("--node '{text}': {error}")))
}

/// Returns the message about a node that stays quarantined while others are repaired.
fn cannot(node: AnyNode, refusal: &Refusal) -> String {
    format!("node {node} cannot be repaired: {refusal}")
}

/// Returns the quarantined nodes that have a row.
fn quarantined(view: &RealmView) -> Result<Vec<AnyNode>, Failure> {
    let standings = view.standings()?.into_iter();
    let quarantined = standings.filter(|(.., standing)| *standing == Standing::Quarantined);
    Ok(quarantined.map(|(node, ..)| node).collect())
}

fn nothing_done() -> Failure {
    Failure::Usage("nothing was done".to_owned()).hinting("repeat with --yes to do it")
}

/// Returns the time of a tick, and the tick.
fn at(realm: &RealmSpec, tick: u64) -> String {
    format!("{} (tick {tick})", realm.scale().time_of(tick))
}
