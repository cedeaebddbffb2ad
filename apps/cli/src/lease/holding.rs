//! `tickid lease acquire` and `release`: a lease that outlives the command and is not renewed.

use std::process::ExitCode;

use clap::Args;
use tickid_core::{Clock as _, SystemClock};
use tickid_lease::admin::Standing;
use tickid_lease::backend::{Extra, RealmView, Row, RowState, Version};
use tickid_lease::session::{Claim, Token};

use super::listing::{NodeLine, write_head};
use super::realm::RealmOptions;
use crate::failure::Failure;
use crate::message::say;
use crate::options::values::{number, parse};
use crate::output::Output;
use crate::store::answer;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease acquire --realm sno
  tickid lease acquire --realm sno --holder migration --json

Prints the node and its window: the IDs of ticks from the floor up to, but not including, the
ceiling are yours alone. The lease ends with its window, even if the node is in use.")]
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
  tickid lease release --realm sno --token 00112233445566778899aabbccddeeff \\
    --used 131072 --yes

Stop the node's user first. By default the whole window counts as used, and the next one starts at
its end. With --used or --unused the next one starts earlier. Before the lease has ended, they need
--yes: if its user continues, it and the next holder issue the same IDs.")]
pub(crate) struct ReleaseArguments {
    #[command(flatten)]
    realm: RealmOptions,
    /// The lease's token, as printed by acquire
    #[arg(long, value_name = "TOKEN", value_parser = parse::<Token>)]
    token: Token,
    /// The highest tick of an ID that was issued
    #[arg(long, value_name = "TICK", value_parser = tick, conflicts_with = "unused")]
    used: Option<u64>,
    /// No ID was issued
    #[arg(long)]
    unused: bool,
    /// With --used or --unused: release the lease before it has ended
    #[arg(long)]
    yes: bool,
}

pub(super) fn acquire(arguments: &AcquireArguments) -> Result<ExitCode, Failure> {
    let AcquireArguments { realm: options, json, .. } = arguments;
    // The lease outlives this process, so the store must not give it up when this process ends.
    let store = options.store.open_detached()?;
    let realm = options.kept(&store)?;
    let now = SystemClock.now().ok().and_then(|now| realm.tick_at(now));
    let token = Token::random().map_err(Failure::Randomness)?;
    let mut claim = Claim::new(token, &arguments.holder, now);
    let lease = answer(store.acquire(&realm, &mut claim))?;
    // The row as the store has it now, for a line as `lease list` prints it, without another
    // request.
    let row = Row {
        node: lease.node,
        token: Some(token),
        holder: claim.holder().to_owned(),
        era: lease.era,
        floor: lease.floor,
        ceiling: lease.ceiling,
        cut: Version::default(),
        extra: Extra::default(),
    };
    let mut out = Output::stdout();
    write_head(*json, out.buffer());
    let line = NodeLine::new(&realm, row.node, Some(&row), Standing::Held);
    line.write(*json, out.buffer())?;
    // Nobody can use a lease, or release it, whose line was not read.
    if let Err(failure) = out.flush() {
        answer(store.release(&realm, &lease, None))?;
        return Err(failure.hinting("the lease is released"));
    }
    // On standard error, as the columns on standard output have no room for it. JSON has it as a
    // member.
    if !json {
        say(&format!("the token, for `tickid lease release`: {token}"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn release(arguments: &ReleaseArguments) -> Result<ExitCode, Failure> {
    let (name, token) = (&arguments.realm.realm, arguments.token);
    let store = arguments.realm.store.open_existing()?;
    let realm = arguments.realm.kept(&store)?;
    let view = answer(store.list(name))?;
    let lease = view.leases().find(|lease| lease.token == token).ok_or(Failure::NoLease(token))?;
    let last = lease.ceiling.saturating_sub(1);
    // The next window starts after the tick that counts as used. A tick outside of this lease's
    // window is not one of its IDs, so it was mistyped or belongs to another lease.
    let used = match arguments.used {
        Some(used) if used < lease.floor || used > last => {
            return Err(Failure::Usage(format!(
                "tick {used} is outside of the window, {}..={last}",
                lease.floor
            )));
        }
        Some(used) => Some(used),
        None => (!arguments.unused).then_some(last),
    };
    // With the whole window used, nothing can happen even if the node's user goes on. With less,
    // its later IDs lie in the window of the next holder.
    let says_less = arguments.unused || arguments.used.is_some();
    if says_less && !arguments.yes {
        refuse_if_alive(&view, token)?;
    }
    answer(store.release_by_hand(&realm, &lease, used))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to shorten the window of a lease whose holder may still issue IDs in it.
fn refuse_if_alive(view: &RealmView, token: Token) -> Result<(), Failure> {
    let standings = view.standings()?;
    let is_leased = |state: &RowState| state.row().is_some_and(|row| row.token == Some(token));
    let lease = standings.into_iter().find(|(_, state, _)| is_leased(state));
    let Some((node, _, standing)) = lease else { return Ok(()) };
    match standing {
        Standing::Held | Standing::Quarantined | Standing::Newer => {}
        Standing::Free
        | Standing::Expired
        | Standing::Retired
        | Standing::Reserved
        | Standing::Paused => return Ok(()),
        // What is not known may be alive.
        _ => {}
    }
    let failure = Failure::Usage(format!(
        "the lease of node {node} is alive: if its holder runs on, it and the next holder of the \
         node issue the same IDs"
    ));
    Err(failure.hinting("stop it first and repeat with --yes, or leave out --used and --unused"))
}

fn tick(text: &str) -> Result<u64, String> {
    number("tick", 0..=u64::MAX, text)
}
