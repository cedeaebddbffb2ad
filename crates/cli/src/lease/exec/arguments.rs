use core::time::Duration;
use std::ffi::OsString;

use clap::Args;

use crate::lease::realm::RealmOptions;
use crate::values::duration;

#[derive(Debug, Args)]
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
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) realm: RealmOptions,
    /// The holder's name, for people to read [default: the program and our process number]
    #[arg(long, value_name = "TEXT")]
    pub(crate) holder: Option<String>,
    /// The program's time between SIGTERM and SIGKILL, in seconds or with units [default: half a
    /// term]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) kill_after: Option<Duration>,
    /// Longest wait for a node and its window, in seconds or with units (90s, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) max_wait: Duration,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}
