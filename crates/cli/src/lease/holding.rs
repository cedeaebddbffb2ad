//! `tickid lease acquire` and `release`.

use std::process::ExitCode;

use tickid_core::{Clock as _, SystemClock};
use tickid_lease::{Claim, Hold, Listing, Row, Standing, Token};

use crate::failure::Failure;
use crate::lease::args::{AcquireArguments, ReleaseArguments};
use crate::lease::listing::{Line, write_head};
use crate::node_store::answer;
use crate::output::Output;
use crate::shown::say;

pub(super) fn acquire(arguments: &AcquireArguments) -> Result<ExitCode, Failure> {
    let options = &arguments.list.realm;
    // The lease outlives this process.
    let store = options.store.open_without_proof_of_death()?;
    let realm = options.kept(&store)?;
    let now = SystemClock.now().ok().and_then(|now| realm.tick_at(now));
    let claim = Claim::new(Token::random()?, &arguments.holder, now);
    let grant = answer(&store, store.acquire(&realm, &claim))?;
    let listing = answer(&store, store.list(&options.realm))?;
    let row = Row {
        node: grant.hold.node,
        token: Some(grant.hold.token),
        holder: claim.holder().to_owned(),
        era: listing.record.era,
        floor: grant.hold.floor,
        ceiling: grant.ceiling,
    };
    let mut out = Output::stdout();
    write_head(arguments.list.json, out.buffer());
    let line = Line::new(&listing, &row, Standing::Held);
    line.write(arguments.list.json, out.buffer())?;
    out.flush()?;
    if !arguments.list.json {
        say(&format!("the token, for `tickid lease release`: {}", grant.hold.token));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn release(arguments: &ReleaseArguments) -> Result<ExitCode, Failure> {
    let (name, token) = (&arguments.realm.realm, arguments.token);
    let store = arguments.realm.store.open()?;
    let listing = answer(&store, store.list(name))?;
    let mut rows = listing.rows.values().map(|entry| &entry.row);
    let row = rows.find(|row| row.token == Some(token)).ok_or(Failure::NoLease(token))?;
    let last = row.ceiling.saturating_sub(1);
    let used = match arguments.used {
        Some(used) if used < row.floor || used > last => {
            return Err(Failure::Usage(format!(
                "tick {used} is outside of the window, {}..={last}",
                row.floor
            )));
        }
        Some(used) => Some(used),
        None => (!arguments.unused).then_some(last),
    };
    let says_less = arguments.unused || arguments.used.is_some();
    if says_less && !arguments.yes {
        refuse_if_alive(&listing, token)?;
    }
    let hold = Hold { node: row.node, token, floor: row.floor };
    answer(&store, store.release(name, &hold, used))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to shorten the window of a lease whose holder may still issue IDs in it.
fn refuse_if_alive(listing: &Listing, token: Token) -> Result<(), Failure> {
    let standings = listing.standings().map_err(Failure::Refused)?;
    let lease = standings.into_iter().find(|(row, _)| row.token == Some(token));
    let Some((row, Standing::Held | Standing::Wild)) = lease else { return Ok(()) };
    let node = row.node;
    Err(Failure::Usage(format!(
        "the lease of node {node} is alive: if its holder runs on, it and the next holder of the node \
         issue the same IDs; stop it first and repeat with --yes, or leave out --used and --unused"
    )))
}
