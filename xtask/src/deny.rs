//! `cargo deny` over every workspace of the repository, all by the one `deny.toml`.

use core::iter::once;

use crate::error::Error;
use crate::workspace::Workspace;

/// What the lock files and manifests say: nothing of it needs the network.
pub(crate) fn dependencies(workspace: &Workspace) -> Result<(), Error> {
    check(workspace, &["bans", "licenses", "sources"])
}

/// What is known against the versions that the lock files name.
pub(crate) fn advisories(workspace: &Workspace) -> Result<(), Error> {
    check(workspace, &["advisories"])
}

fn check(workspace: &Workspace, checks: &[&str]) -> Result<(), Error> {
    let config = workspace.root().join("deny.toml");
    once("").chain(workspace.workspaces_aside()).try_for_each(|folder| {
        let deny = workspace.cargo_in(folder, &["deny", "--config"]).args([config.as_os_str()]);
        deny.args(["check", "--hide-inclusion-graph"]).args(checks).run()
    })
}
