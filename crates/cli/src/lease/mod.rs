//! `tickid lease`.

mod exec;
mod holding;
mod init;
mod listing;
mod realm;
mod repair;

use std::process::ExitCode;

use clap::Subcommand;

use self::exec::ExecArguments;
#[cfg(target_os = "linux")]
pub(crate) use self::exec::{Launch, launch};
use self::holding::{AcquireArguments, ReleaseArguments};
use self::init::InitArguments;
use self::listing::{ListArguments, WatchArguments};
use self::repair::{MendArguments, RecoverArguments};
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum LeaseCommand {
    /// Begin a realm: a scheme with its layout, nodes and terms
    Init(InitArguments),
    /// Show the nodes of a realm that were ever given out, and how they stand
    List(ListArguments),
    /// Show the nodes of a realm, then each that changes, until the pipe closes
    Watch(WatchArguments),
    /// Lease a node without renewing it
    Acquire(AcquireArguments),
    /// Give back a node that was leased with acquire
    Release(ReleaseArguments),
    /// Run a program with a leased node, and no longer than the lease holds
    Exec(ExecArguments),
    /// After a backup was restored: end all leases and begin beyond them
    Recover(RecoverArguments),
    /// Take back the ceiling of a wild node
    Mend(MendArguments),
}

pub(crate) fn run(command: &LeaseCommand) -> Result<ExitCode, Failure> {
    match command {
        LeaseCommand::Init(arguments) => init::init(arguments),
        LeaseCommand::List(arguments) => listing::list(arguments),
        LeaseCommand::Watch(arguments) => listing::watch(arguments),
        LeaseCommand::Acquire(arguments) => holding::acquire(arguments),
        LeaseCommand::Release(arguments) => holding::release(arguments),
        LeaseCommand::Exec(arguments) => exec::exec(arguments),
        LeaseCommand::Recover(arguments) => repair::recover(arguments),
        LeaseCommand::Mend(arguments) => repair::mend(arguments),
    }
}
