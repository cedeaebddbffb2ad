//! No crate in two versions: who uses us should not have to build it twice.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::workspace::Workspace;

/// What comes in a second version that is not ours to choose, and with whom. To be looked at again when
/// these release anew.
const TOLERATED: [(&str, &str); 2] =
    [("base64", "postgres-protocol 0.6"), ("getrandom", "ring 0.17")];

pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let duplicates = workspace
        .cargo(&["tree", "--quiet", "--workspace", "--duplicates"])
        .args(workspace.features_without_databases())
        .args(["--edges", "normal,build,dev"])
        .args(["--depth", "0", "--prefix", "none", "--format", "{p}"])
        .read()?;
    let found = several_versions(&duplicates);
    if found.is_empty() { Ok(()) } else { Err(Error::Duplicates(found)) }
}

/// The crates that occur in more than one version, with these. Cargo lists a crate also when it is
/// built twice in one version, with different features (for the host and for the target, say).
fn several_versions(duplicates: &str) -> Vec<String> {
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for line in duplicates.lines() {
        // "syn v2.0.1 (proc-macro)", "tickid-core v0.1.0 (/a/path) (*)"
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(version);
        }
    }
    let is_tolerated = |name: &str| TOLERATED.iter().any(|&(tolerated, _)| tolerated == name);
    let several =
        versions.iter().filter(|(name, versions)| versions.len() > 1 && !is_tolerated(name));
    several
        .map(|(name, versions)| {
            let versions = Vec::from_iter(versions.iter().copied()).join(", ");
            format!("{name} ({versions})")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_versions_are_found() {
        let tree = "syn v2.0.1\n\nrand v0.9.0\n\nsyn v3.0.0 (*)\n";
        assert_eq!(several_versions(tree), ["syn (v2.0.1, v3.0.0)"]);
    }

    #[test]
    fn what_others_bring_is_tolerated() {
        assert_eq!(several_versions("base64 v0.22.1\n\nbase64 v0.23.1\n"), [""; 0]);
    }

    #[test]
    fn one_version_built_twice_is_fine() {
        let tree = "libc v0.2.1\n\nlibc v0.2.1\n\ntickid-core v0.1.0 (/a path)\n\ntickid-core v0.1.0 (/a path) (*)\n";
        assert_eq!(several_versions(tree), [""; 0]);
        assert_eq!(several_versions(""), [""; 0]);
    }
}
