//! The options of `tickid lease exec`.

use core::time::Duration;
use std::ffi::OsString;

use clap::Args;

use crate::lease::realm::RealmOptions;
use crate::options::values::{duration, number};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease exec --realm orders -- ./server --port 80
  tickid lease exec --realm orders --release-on-exit -- ./job
  tickid lease exec --realm readings --shares -- ./meter
  tickid lease exec --realm orders --kill-after 2 -- sh -c 'echo $TICKID_NODE'

ONE GENERATOR PER LEASED NODE. Two generators with one node issue the same IDs, such as those of two
workers, or a second one in the same program. Lease a node for each worker, with a separate lease
exec:
  for port in 8001 8002 8003 8004; do
    tickid lease exec --realm orders -- ./worker --port $port &
  done; wait
or all of them for the program that starts the workers:
  tickid lease exec --realm orders --nodes 4 -- sh -c '
    for node in $TICKID_NODES; do
      until ./worker --node $node; do sleep $TICKID_RESTART_WAIT; done &
    done; wait'
A worker's IDs may be ahead of the clock by the realm's allowance. One that restarts with the same
node must first wait $TICKID_RESTART_WAIT seconds.

The environment has TICKID_SCHEME, TICKID_REALM, TICKID_NODES (42/8 43/8), TICKID_WINDOWS
(FLOOR..CEILING of each node, in ticks, at the start) and TICKID_RESTART_WAIT; with one node also
TICKID_NODE, TICKID_WINDOW and, for SCRU64, SCRU64_NODE_SPEC. TICKID_STORE is removed, since it may
contain a password.

A node with more bits than IDs carry, such as 5/18 of sno, is a share of a node's sequences. Programs
that drop the further bits would issue IDs of other holders, so such a realm needs --shares. It adds
TICKID_FIELD, the node that IDs carry (1), and TICKID_SEQUENCES, the first and the last sequence
(16384-32767): lists in the order of TICKID_NODES.

The program starts when all windows have opened, and the leases are renewed while it runs. If one
cannot be renewed, or is lost, the program's process group gets SIGTERM. Then the program and all its
descendants, in any group or session, get SIGKILL, a twentieth of the term (100ms to 1s) before their
IDs can reach the end of the window. The term must be at least a second. If the clock is set back
below a window's floor, they are killed immediately. If this command itself is killed, or stopped
when a window ends, a second process of it kills them.

A program that becomes another user for good (sudo) can only be killed by root, or with a control
group that is this command's own (then the exit status is 137). Change the user before, not after:
`sudo -u app tickid lease exec`, not `tickid lease exec -- sudo -u app`.

When the program ends by itself, its windows count as used: the next holders of the nodes wait for
their ends. With --release-on-exit, all descendants that the program left behind are killed, and the
next windows start after the clock's time plus the allowance. If a descendant cannot be killed, or
the wall clock was set meanwhile, the windows count as used, too.

Exit status: the program's; 128 + N if signal N ended it; 127 if it was not found; 126 if it could
not be run; 125 if it could not be supervised; 124 if it was stopped for lack of a lease; before it
starts, as for the other commands. Needs Linux.")]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// The holder's name, for people to read [default: the program and its supervisor's process ID]
    #[arg(long, value_name = "TEXT")]
    pub(crate) holder: Option<String>,
    /// The number of nodes to lease, one for each worker of the program
    #[arg(long, value_name = "N", value_parser = nodes, default_value = "1")]
    pub(crate) nodes: u64,
    /// Run a program that draws from the sequences in $TICKID_SEQUENCES only: needed if nodes of
    /// the realm are shares of a node's sequences
    #[arg(long)]
    pub(crate) shares: bool,
    /// Release the nodes when the program and all its descendants have ended
    #[arg(long)]
    pub(crate) release_on_exit: bool,
    /// The program's time between SIGTERM and SIGKILL, in seconds or with units [default: half a
    /// term, or less if the skew is shorter than that]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) kill_after: Option<Duration>,
    /// Longest wait for a node and its window, in seconds or with units (90s, 5m, 1h30m); a store
    /// without an answer at the start ends the command
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) max_wait: Duration,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

fn nodes(text: &str) -> Result<u64, String> {
    number("number of nodes", 1..=1_024, text)
}
