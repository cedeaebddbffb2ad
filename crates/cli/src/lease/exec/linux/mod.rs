//! `tickid lease exec` on Linux, which ends a program together with its supervisor.

mod descendants;
mod launch;
mod leases;
mod program;
mod renewal;
mod supervisor;
mod wake;
mod window;

pub(crate) use self::launch::{Launch, launch};
pub(crate) use self::supervisor::exec;
