//! `tickid lease acquire` and `release`.

use std::process::ExitCode;

use clap::Args;
use tickid_core::{Clock as _, SystemClock};
use tickid_lease::{Claim, Hold, Listing, Row, Standing, Token};

use super::listing::{Line, write_head};
use super::realm::RealmOptions;
use crate::failure::Failure;
use crate::message::say;
use crate::output::Output;
use crate::store::answer;
use crate::values::{number, parse};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease acquire --realm sno
  tickid lease acquire --realm sno --holder migration --json

Prints the node and its window: IDs of ticks from the floor up to, but not with, the ceiling are
yours alone. The lease ends with its window, whether the node is in use or not.")]
pub(crate) struct AcquireArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// The holder's name, for people to read
    #[arg(long, value_name = "TEXT", default_value = "tickid lease acquire")]
    holder: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease release --realm sno --token 00112233445566778899aabbccddeeff
  tickid lease release --realm sno --token 00112233445566778899aabbccddeeff --used 131072 --yes

Stop the node's user first. Unless --used or --unused says otherwise, all of the window counts as
used, and the next one begins at its end. With them the next one begins earlier: if the lease is
still alive, and its user runs on, the two issue the same IDs. So they take --yes then.")]
pub(crate) struct ReleaseArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// The lease, as acquire printed it
    #[arg(long, value_name = "TOKEN", value_parser = parse::<Token>)]
    token: Token,
    /// The highest tick of an ID that was issued
    #[arg(long, value_name = "TICK", value_parser = tick, conflicts_with = "unused")]
    used: Option<u64>,
    /// No ID was issued
    #[arg(long)]
    unused: bool,
    /// With --used or --unused: release it though it is alive
    #[arg(long)]
    yes: bool,
}

pub(super) fn acquire(arguments: &AcquireArguments) -> Result<ExitCode, Failure> {
    let AcquireArguments { realm: options, json, .. } = arguments;
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
    write_head(*json, out.buffer());
    let line = Line::new(&listing, &row, Standing::Held);
    line.write(*json, out.buffer())?;
    out.flush()?;
    if !json {
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
    let failure = Failure::Usage(format!(
        "the lease of node {node} is alive: if its holder runs on, it and the next holder of the \
         node issue the same IDs"
    ));
    Err(failure.hinting("stop it first and repeat with --yes, or leave out --used and --unused"))
}

fn tick(text: &str) -> Result<u64, String> {
    number("tick", 0..=u64::MAX, text)
}
