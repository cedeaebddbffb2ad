//! The command line of `tickid lease`.

use core::time::Duration;
use std::ffi::OsString;

use clap::{Args, Subcommand};
use tickid_kuid::Drift;
use tickid_lease::{Node, NodePool, RealmName, Token};

use crate::args::{Kind, NanoflakeOptions, Scheme, drift, parse};
use crate::node_store::StoreOptions;

#[derive(Debug, Args)]
pub(crate) struct LeaseArguments {
    #[command(subcommand)]
    pub(crate) command: LeaseCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LeaseCommand {
    /// Begin a realm: a scheme with its layout, nodes and terms
    #[command(after_help = "Examples:
  tickid lease init scru64 --realm orders --pool 0/1,128-255/8
  tickid lease init nanoflake --realm chat --epoch discord --term 30
  tickid lease init kuid --realm logs --drift 10
  tickid lease init scru64 --realm orders --pool 0-255/8 --reshape

Beginning a realm that exists already is a no-op if it is the same and an error if it differs.
Scheme, epoch, drift and kind of IDs are fixed for good: all holders must use the same.
--reshape gives the realm other nodes and terms: leases of nodes that stay go on, the others end.")]
    Init(InitArguments),
    /// Show the nodes of a realm that were ever given out, and how they stand
    #[command(after_help = "Examples:
  tickid lease list --realm sno
  tickid lease list --realm sno --json

A node is free, held, expired (not renewed in time), wild (further ahead of the store's clock than a
lease can reach) or retired (not in the pool any more).")]
    List(ListArguments),
    /// Show the nodes of a realm, then each that changes, until the pipe closes
    #[command(after_help = "Example:
  tickid lease watch --realm sno --json")]
    Watch(WatchArguments),
    /// Lease a node without renewing it
    #[command(after_help = "Examples:
  tickid lease acquire --realm sno
  tickid lease acquire --realm sno --holder migration --json

Prints the node and its window: IDs of ticks from the floor up to, but not with, the ceiling are
yours alone. The lease ends with its window, whether the node is in use or not.")]
    Acquire(AcquireArguments),
    /// Give back a node that was leased with acquire
    #[command(after_help = "Examples:
  tickid lease release --realm sno --token 00112233445566778899aabbccddeeff
  tickid lease release --realm sno --token 00112233445566778899aabbccddeeff --used 131072 --yes

Stop the node's user first. Unless --used or --unused says otherwise, all of the window counts as
used, and the next one begins at its end. With them the next one begins earlier: if the lease is
still alive, and its user runs on, the two issue the same IDs. So they take --yes then.")]
    Release(ReleaseArguments),
    /// Run a program with a leased node, and no longer than the lease holds
    #[command(after_help = "Examples:
  tickid lease exec --realm orders -- ./server --port 80
  tickid lease exec --realm orders --kill-after 2 -- sh -c 'echo $SCRU64_NODE_SPEC'

ONE GENERATOR PER LEASED NODE. Two generators with the node of one lease issue the same IDs: two
workers that each read it from the environment, or a generator that a running program starts anew.
Lease a node for each worker, with a lease exec of its own:
  for port in 8001 8002 8003 8004; do
    tickid lease exec --realm orders -- ./worker --port $port &
  done; wait

The program finds SCRU64_NODE_SPEC (SCRU64: 42/8), TICKID_SCHEME, TICKID_REALM, TICKID_NODE (42/8)
and TICKID_WINDOW (FLOOR..CEILING, in ticks, as they were when it began) in its environment, but not
TICKID_STORE, which may hold a password. It is started when the window begins, and its lease is
renewed as long as it runs. When that fails, it is sent SIGTERM in time and then SIGKILL, with all of
its process group: before the window ends, less what its IDs may be ahead of the clock. When the
clock is set back below the window's floor, it is killed at once. The node is not given back; its
window runs out.

Exit status: that of the program, 128 + N if signal N ended it, 127 if it was not found, 126 if it
could not be run, 124 if it was stopped for want of a lease, 125 if it could not be supervised; and
before it starts, as for the other commands. Needs Linux.")]
    Exec(ExecArguments),
    /// After a backup was restored: end all leases and begin beyond them
    #[command(after_help = "Examples:
  tickid lease recover --realm sno              says what it would do
  tickid lease recover --realm sno --yes
  tickid lease recover --realm sno --scheme sno --yes     where the realm is gone altogether")]
    Recover(RecoverArguments),
    /// Take back the ceiling of a wild node
    #[command(after_help = "Examples:
  tickid lease mend --realm sno --node 42/16    says what it would do
  tickid lease mend --realm sno --node 42/16 --yes")]
    Mend(MendArguments),
}

/// Which realm of which store.
#[derive(Debug, Args)]
pub(crate) struct RealmOptions {
    #[command(flatten)]
    pub(crate) store: StoreOptions,
    /// Realm in the store
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>)]
    pub(crate) realm: RealmName,
}

/// What a new realm is like.
#[derive(Debug, Args)]
pub(crate) struct ShapeOptions {
    /// kuid: local IDs or global ones
    #[arg(long, value_enum, default_value_t = Kind::Global)]
    pub(crate) kind: Kind,
    #[command(flatten)]
    pub(crate) nanoflake: NanoflakeOptions,
    /// kuid: the drift of global IDs, 5 to 10 [default: 8]
    #[arg(long, value_name = "5..10", value_parser = drift)]
    pub(crate) drift: Option<Drift>,
    /// Nodes to give out, none beginning with another (0-255/8 or 0/1,128-255/8) [default: as gen]
    #[arg(long, value_name = "NODES", value_parser = parse::<NodePool>)]
    pub(crate) pool: Option<NodePool>,
    /// For how many seconds a lease holds without a renewal [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) term: Option<Duration>,
    /// By how many seconds a clock may be ahead of the store's before its generator stalls [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) skew: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The scheme
    #[arg(value_enum)]
    pub(crate) scheme: Scheme,
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    #[command(flatten)]
    pub(crate) shape: ShapeOptions,
    /// Give a realm that is there these nodes and terms
    #[arg(long)]
    pub(crate) reshape: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    #[command(flatten)]
    pub(crate) list: ListArguments,
    /// How many seconds to wait before looking again
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "1")]
    pub(crate) every: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct AcquireArguments {
    #[command(flatten)]
    pub(crate) list: ListArguments,
    /// Who holds the lease, for people to read
    #[arg(long, value_name = "TEXT", default_value = "tickid lease acquire")]
    pub(crate) holder: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// Who holds the lease, for people to read [default: the program and our process number]
    #[arg(long, value_name = "TEXT")]
    pub(crate) holder: Option<String>,
    /// How many seconds the program has after SIGTERM before it is killed [default: half a term]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) kill_after: Option<Duration>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// The lease, as acquire printed it
    #[arg(long, value_name = "TOKEN", value_parser = parse::<Token>)]
    pub(crate) token: Token,
    /// The highest tick of an ID that was issued
    #[arg(long, value_name = "TICK", conflicts_with = "unused")]
    pub(crate) used: Option<u64>,
    /// No ID was issued
    #[arg(long)]
    pub(crate) unused: bool,
    /// With --used or --unused: release it though it is alive
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecoverArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// The scheme of a realm that the store has lost altogether
    #[arg(long, value_enum)]
    pub(crate) scheme: Option<Scheme>,
    #[command(flatten)]
    pub(crate) shape: ShapeOptions,
    /// Do it
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MendArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// The node
    #[arg(long, value_name = "VALUE/BITS", value_parser = parse::<Node>)]
    pub(crate) node: Node,
    /// Do it
    #[arg(long)]
    pub(crate) yes: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(parse(text)?).map_err(|error| error.to_string())
}
