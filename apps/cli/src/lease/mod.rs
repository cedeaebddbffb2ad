//! `tickid lease`: its subcommands.

mod exec;
mod holding;
mod init;
mod listing;
mod realm;
mod repair;
mod summary;

use std::process::ExitCode;

use clap::Subcommand;

use self::exec::ExecArguments;
#[cfg(target_os = "linux")]
pub(crate) use self::exec::stage;
use self::holding::{AcquireArguments, ReleaseArguments};
use self::init::InitArguments;
pub(crate) use self::init::start_remark;
use self::listing::{ListArguments, RealmsArguments, WatchArguments};
#[cfg(any(feature = "postgres", feature = "serve"))]
pub(crate) use self::realm::ShapeOptions;
use self::repair::{InvalidateArguments, RepairArguments};
pub(crate) use self::summary::RealmSummary;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum LeaseCommand {
    /// Create a realm: a scheme with its settings, nodes and terms
    Init(InitArguments),
    /// Show the realms of a store
    Realms(RealmsArguments),
    /// Show a realm, and every node ever granted
    List(ListArguments),
    /// Show the nodes of a realm, then every change, until the pipe closes
    Watch(WatchArguments),
    /// Lease a node without renewing it
    Acquire(AcquireArguments),
    /// Release a node that was leased with acquire
    Release(ReleaseArguments),
    /// Run a program with leased nodes, no longer than the leases last
    Exec(ExecArguments),
    /// End all leases and start beyond them, after a backup was restored
    Invalidate(InvalidateArguments),
    /// Free quarantined nodes
    Repair(RepairArguments),
}

pub(crate) fn run(command: &LeaseCommand) -> Result<ExitCode, Failure> {
    match command {
        LeaseCommand::Init(arguments) => init::init(arguments),
        LeaseCommand::Realms(arguments) => listing::realms(arguments),
        LeaseCommand::List(arguments) => listing::list(arguments),
        LeaseCommand::Watch(arguments) => listing::watch(arguments),
        LeaseCommand::Acquire(arguments) => holding::acquire(arguments),
        LeaseCommand::Release(arguments) => holding::release(arguments),
        LeaseCommand::Exec(arguments) => exec::exec(arguments),
        LeaseCommand::Invalidate(arguments) => repair::invalidate(arguments),
        LeaseCommand::Repair(arguments) => repair::repair(arguments),
    }
}
