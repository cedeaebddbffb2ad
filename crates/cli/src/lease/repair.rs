//! `tickid lease recover` and `mend`: what only people can know to be right. Both say what they would do, and
//! do it when they are told to.

use std::process::ExitCode;

use tickid_lease::{Realm, Rules};

use crate::failure::{Failure, USAGE};
use crate::lease::args::{MendArguments, RecoverArguments};
use crate::node_store::{answer, listing};
use crate::report::Rfc3339;
use crate::shown::say;

pub(super) fn recover(arguments: &RecoverArguments) -> Result<ExitCode, Failure> {
    let name = &arguments.realm.realm;
    let store = arguments.realm.store.open()?;
    let is_kept = listing(&store, name)?.is_some();
    let realm = match arguments.scheme {
        _ if is_kept => arguments.realm.kept(&store)?,
        Some(scheme) => arguments.shape.realm(name, scheme)?,
        None => {
            return Err(Failure::Usage(format!(
                "the store keeps no realm {name}: where it has lost it, say which --scheme it was"
            )));
        }
    };
    let ahead =
        realm.scale().time_of(realm.max_ahead()).as_micros() - realm.scale().time_of(0).as_micros();
    say(&format!(
        "recovering the realm {name} ends all its leases: every running generator stops, and asks for a \
         new node. All nodes begin anew {} s after the store's present time, and are of no use until \
         then. This is for a store that was restored from a backup, or lost what it kept, and does not \
         know it; its clock must not be behind where it was",
        ahead / 1_000_000
    ));
    if !arguments.yes {
        return Ok(nothing_done());
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
        return Ok(nothing_done());
    }
    let row = answer(&store, store.mend(name, node))?;
    say(&format!("mended: node {node} begins at {}", at(realm, row.ceiling)));
    Ok(ExitCode::SUCCESS)
}

fn nothing_done() -> ExitCode {
    say("nothing was done; say --yes to do it");
    ExitCode::from(USAGE)
}

/// A tick, and when it is.
fn at(realm: &Realm, tick: u64) -> String {
    let time = Rfc3339::new(realm.scale().time_of(tick));
    time.map_or_else(|| format!("tick {tick}"), |time| format!("{time} (tick {tick})"))
}
