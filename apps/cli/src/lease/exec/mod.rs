//! `tickid lease exec`: runs a program with a leased node, and no longer than its lease holds.

mod arguments;
#[cfg(target_os = "linux")]
mod shares;

use std::process::ExitCode;

pub(crate) use self::arguments::ExecArguments;
use crate::failure::Failure;

/// Elsewhere a program cannot be ended together with its supervisor.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exec(_: &ExecArguments) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("lease exec needs Linux".into())
        .hinting("other systems cannot end a program whose supervisor has died"))
}

#[cfg(target_os = "linux")]
pub(crate) fn exec(arguments: &ExecArguments) -> Result<ExitCode, Failure> {
    use tickid_exec::Plan;

    let mut plan = Plan::new(arguments.command.clone(), crate::message::say);
    plan.nodes = arguments.nodes;
    plan.holder = arguments.holder.clone();
    plan.release_on_exit = arguments.release_on_exit;
    plan.kill_after = arguments.kill_after;
    plan.max_wait = arguments.max_wait;
    // The store's URL may hold a password.
    plan.hidden = vec![crate::store::STORE_VARIABLE.into()];
    plan.variables = if arguments.shares { shares::variables } else { shares::without_shares };
    let open = || {
        let store = arguments.realm.store.open()?;
        let realm = arguments.realm.kept(&store)?;
        // Only the store knows the realm's nodes, and nothing is leased yet, so this is the moment
        // to refuse them.
        if !arguments.shares {
            shares::refuse(&realm)?;
        }
        Ok((store, realm))
    };
    tickid_exec::exec(open, &plan)
}

/// Runs the stage of the supervision that this process is, if it is one.
#[cfg(target_os = "linux")]
pub(crate) fn stage() -> Option<Result<ExitCode, Failure>> {
    Some(tickid_exec::stage()?.map_err(Failure::from))
}
