//! `tickid lease`.

mod args;
mod exec;
mod holding;
mod listing;
mod realm;
mod repair;

use std::process::ExitCode;

pub(crate) use self::args::LeaseArguments;
use self::args::LeaseCommand;
#[cfg(target_os = "linux")]
pub(crate) use self::exec::{Launch, launch};
pub(crate) use self::realm::nodes;
use crate::failure::Failure;

pub(crate) fn run(arguments: &LeaseArguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        LeaseCommand::Init(arguments) => realm::init(arguments),
        LeaseCommand::List(arguments) => listing::list(arguments),
        LeaseCommand::Watch(arguments) => listing::watch(arguments),
        LeaseCommand::Acquire(arguments) => holding::acquire(arguments),
        LeaseCommand::Release(arguments) => holding::release(arguments),
        LeaseCommand::Exec(arguments) => exec::exec(arguments),
        LeaseCommand::Recover(arguments) => repair::recover(arguments),
        LeaseCommand::Mend(arguments) => repair::mend(arguments),
    }
}
