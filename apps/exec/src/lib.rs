//! Runs a program with leased node IDs, and ends it with all its descendants before its IDs can
//! reach the end of a lease. The crate is for Linux, and empty elsewhere.
//!
//! The program reads its nodes from the environment and generates IDs in any language. Nothing
//! holds it to its window, so it is ended in time, before a different holder can have its node
//! (*exclusion by time*). `docs/exec.md` has what this assumes, and the cases that remain.
//! The command `tickid lease exec` is this crate with options.
//!
//! A program in Rust needs none of this. It leases its node with `tickid-lease`, whose generator
//! stops at the end of its window by itself.
//!
//! # Examples
//! ```rust,no_run
//! use std::process::ExitCode;
//!
//! use tickid_exec::{Error, Plan};
//! use tickid_lease::Store;
//! use tickid_lease::session::block_on;
//!
//! fn main() -> ExitCode {
//!     // This program runs itself again, as the keeper and as what becomes the program.
//!     let ended = tickid_exec::stage().unwrap_or_else(run);
//!     ended.unwrap_or_else(|error| {
//!         eprintln!("error: {error}");
//!         ExitCode::from(tickid_exec::SUPERVISION)
//!     })
//! }
//!
//! fn run() -> Result<ExitCode, Error> {
//!     let open = || {
//!         let store = Store::open("file:///var/lib/orders")?;
//!         let name = "orders".parse().expect("a name");
//!         let realm = block_on(store.realm(&name), Plan::MAX_WAIT)?.realm;
//!         Ok((store, realm))
//!     };
//!     let command = vec!["python3".into(), "orders.py".into()];
//!     tickid_exec::exec(open, &Plan::new(command, |remark| eprintln!("{remark}")))
//! }
//! ```
//!
//! # Processes
//!
//! ```text
//!   shell, systemd, a container            the store
//!         │ TERM, INT, TSTP, …                │ a thread for each lease:
//!         ▼                                   │ granted, failed, lost
//!   supervisor ◄──────────────────────────────┘
//!     │  │ ▲
//!     │  │ │ two pipes.  down: kill at this time · let go · closed: kill now
//!     │  │ │             up:   started · stopped · left behind · overdue · ended · gone
//!     │  ▼ │
//!     │ keeper ────────────────┐ in a group of its own, deaf to signals;
//!     │  │                     │ all orphans become its children
//!     │  │ parent              │ KILL, to everything below,
//!     │  ▼                     │ again until nothing is left
//!     └► program ◄─────────────┤
//!  TERM, │ with the terminal,  │
//!  INT, …│ in a group of       │
//!  KILL  ▼ its own             │
//!       descendants ◄──────────┘ in any group or session
//! ```
//!
//! - The **supervisor** is the process that calls [`exec`]. It leases, renews, and passes signals
//!   on to the program's group. When the program is to end, it sends SIGTERM, and SIGKILL later.
//! - The **keeper** is its child and the program's parent. Whatever the program starts descends
//!   from it, even when everything in between has ended. It kills all descendants when its pipe
//!   from the supervisor closes, and at the time that the supervisor gave last. If it is stopped
//!   when the supervisor dies, the kernel continues it (a parent-death signal, SIGCONT).
//! - The **launcher** is a stage between keeper and program. It is the keeper's child, binds its
//!   life to the keeper's (SIGKILL as its parent-death signal), restores the signal mask, and
//!   becomes the program.
//!
//! If the keeper dies, the kernel kills the program, and its descendants become children of the
//! supervisor, which kills them.
//!
//! # The order that matters
//!
//! 1. `main` calls [`stage`] before anything else, so that keeper and launcher do nothing more.
//! 2. [`exec`] blocks signals before it opens the store, because a store may start threads, and a
//!    signal goes to a thread that does not block it. Signals are read and not handled, so that
//!    ignored ones stay ignored for the program (`nohup`).
//! 3. The program starts when all windows are open and more time is left than the kill takes. The
//!    keeper knows the time of the kill before it starts the program, and the launcher does not
//!    become the program after that time, however long both were stopped.
//! 4. The program is killed a margin before its IDs can reach the ceiling, because a kill takes
//!    time on a busy machine. The margin is a twentieth of the term, at least 100 ms and at most 1
//!    s. For example, it is half a second for a term of 10 s. Alarms follow the wall clock, which
//!    the program reads, and the time since the machine was started, which never steps.
//! 5. A kill goes to the program's group first. Then the keeper looks for descendants and kills
//!    what it finds, without a pause while anything is found for the first time. So a process that
//!    forks and ends is followed through its children, and a whole session dies at once. If a
//!    second look at the command's own control group still finds new processes, or half of the
//!    margin is over, the kernel kills the group, and the supervisor with it.
//! 6. The program is not reaped before the supervisor has learned of its end. Until then the
//!    supervisor may send it signals, and a number that is free again could be that of a different
//!    process.
//! 7. Nodes are released, if at all, when all descendants have ended. The next holder may then
//!    start at the highest reading of the clock plus the allowance and one tick, since no ID of the
//!    program can be above that.
//!
//! # Security
//!
//! A process that may signal the supervisor and the keeper can stop or kill both. What the program
//! started then outlives the lease, and may issue IDs that the next holder of the node issues as
//! well. A descendant that became a different user for good can only be killed by root, or with the
//! control group.

#![cfg(target_os = "linux")]
#![deny(unsafe_code)]

mod control_group;
mod descendants;
mod error;
mod keeper;
mod launch;
mod leases;
mod plan;
mod program;
mod renewal;
mod status;
mod supervisor;
mod wake;
mod window;

use std::process::ExitCode;

pub use self::error::Error;
use self::keeper::Keeper;
pub use self::keeper::SUPERVISION;
use self::launch::{Launch, launch};
pub use self::plan::{Plan, Variables};
pub use self::supervisor::exec;

/// Runs the stage that this process is, if a supervisor or a keeper has started it. In every other
/// process it returns `None`.
///
/// Call it first in `main`, because [`exec`] starts the program that it is called in again, as
/// keeper and as launcher. Without this call, these would run `main` like any other process.
///
/// Returns the exit status of the keeper, or of a program whose time was over before it began.
///
/// # Errors
/// Returns [`Error::Run`] if the program cannot be run, [`Error::Stage`] if the stage was called by
/// something other than a supervisor, and [`Error::Supervise`] if the system refuses what it needs.
#[must_use]
pub fn stage() -> Option<Result<ExitCode, Error>> {
    let keeper = Keeper::of_this_process().map(|keeper| keeper.run());
    keeper.or_else(|| {
        let stage = Launch::of_this_process()?;
        Some(launch(&stage))
    })
}
