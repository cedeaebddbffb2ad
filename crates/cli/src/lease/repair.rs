//! `tickid lease recover` and `mend`, which only people can know to be right. Both explain what
//! they would do, and do it with --yes.

use std::process::ExitCode;

use clap::Args;
use tickid_lease::{Node, Realm, Rules};

use super::realm::{RealmOptions, ShapeOptions};
use crate::failure::Failure;
use crate::message::say;
use crate::options::Scheme;
use crate::store::{answer, listing};
use crate::values::parse;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease recover --realm sno              says what it would do
  tickid lease recover --realm sno --yes
  tickid lease recover --realm sno --scheme sno --yes     where the realm is gone altogether")]
pub(crate) struct RecoverArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// The scheme of a realm that the store has lost altogether
    #[arg(long, value_enum)]
    scheme: Option<Scheme>,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Do it
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease mend --realm sno --node 42/16    says what it would do
  tickid lease mend --realm sno --node 42/16 --yes")]
pub(crate) struct MendArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// The node
    #[arg(long, value_name = "VALUE/BITS", value_parser = parse::<Node>)]
    node: Node,
    /// Do it
    #[arg(long)]
    yes: bool,
}

pub(super) fn recover(arguments: &RecoverArguments) -> Result<ExitCode, Failure> {
    let name = &arguments.realm.realm;
    let store = arguments.realm.store.open()?;
    let is_kept = listing(&store, name)?.is_some();
    let realm = match arguments.scheme {
        _ if is_kept => arguments.realm.kept(&store)?,
        Some(scheme) => arguments.shape.realm(name, scheme)?,
        None => {
            let failure = Failure::Usage(format!("the store keeps no realm {name}"));
            return Err(failure.hinting("if the store has lost it, name its scheme with --scheme"));
        }
    };
    let scale = realm.scale();
    let ahead = scale.time_of(realm.max_ahead()).saturating_since(scale.time_of(0));
    say(&format!(
        "recovering the realm {name} ends all its leases: every running generator stops, and asks for a \
         new node. All nodes begin anew {} s after the store's present time, and are of no use until \
         then. This is for a store that was restored from a backup, or lost what it kept, and does not \
         know it; its clock must not be behind where it was",
        ahead.as_secs()
    ));
    if !arguments.yes {
        return Err(nothing_done());
    }
    let floor = answer(&store, store.recover(&realm))?;
    say(&format!("recovered: nodes are given out from {} on", at(&realm, floor)));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn mend(arguments: &MendArguments) -> Result<ExitCode, Failure> {
    let (name, node) = (&arguments.realm.realm, arguments.node);
    let store = arguments.realm.store.open()?;
    let listing = answer(&store, store.list(name))?;
    let rules = Rules::new(&listing.record, listing.now).map_err(Failure::Refused)?;
    // Refused here as it would be there.
    let (_, row) = rules.mend(&listing.rows, node).map_err(Failure::Refused)?;
    let realm = &listing.record.realm;
    say(&format!(
        "mending node {node} of the realm {name} takes its ceiling back from {} to {}. That is safe if no \
         ID was issued under it in between, as when the store's clock was far ahead for a while; its \
         holder, if there still is one, must be stopped first",
        at(realm, rules.ceiling(&listing.rows, node)),
        at(realm, row.ceiling),
    ));
    if !arguments.yes {
        return Err(nothing_done());
    }
    let row = answer(&store, store.mend(name, node))?;
    say(&format!("mended: node {node} begins at {}", at(realm, row.ceiling)));
    Ok(ExitCode::SUCCESS)
}

fn nothing_done() -> Failure {
    Failure::Usage("nothing was done".to_owned()).hinting("repeat with --yes to do it")
}

/// Returns the time of a tick, and the tick.
fn at(realm: &Realm, tick: u64) -> String {
    format!("{} (tick {tick})", realm.scale().time_of(tick))
}
