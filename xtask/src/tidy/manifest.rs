//! What every crate's manifest takes from the workspace.

use crate::tidy::Finding;

/// By table. That all crates have one version, one licence and the same lints is a promise.
const INHERITED: [(&str, &str); 6] = [
    ("package", "version.workspace"),
    ("package", "edition.workspace"),
    ("package", "rust-version.workspace"),
    ("package", "license.workspace"),
    ("package", "authors.workspace"),
    ("lints", "workspace"),
];

pub(super) fn check(path: &str, manifest: &str) -> Vec<Finding> {
    let missing = INHERITED.iter().filter(|(table, key)| !is_true(manifest, table, key));
    missing
        .map(|(table, key)| Finding {
            path: path.to_owned(),
            line: None,
            message: format!("[{table}] lacks `{key} = true`"),
        })
        .collect()
}

/// Whether `table` has the line `key = true`. TOML has other ways to say so; here it is this one.
fn is_true(manifest: &str, table: &str, key: &str) -> bool {
    let header = format!("[{table}]");
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .any(|(left, right)| left.trim() == key && right.trim() == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
[package]
name = \"a\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
authors.workspace = true

[dependencies]
b.workspace = true

[lints]
workspace = true
";

    fn messages(manifest: &str) -> Vec<String> {
        let findings = check("Cargo.toml", manifest);
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn all_inherited() {
        assert_eq!(messages(GOOD), [""; 0]);
    }

    #[test]
    fn own_version_is_found() {
        let manifest =
            GOOD.replace("version.workspace = true\nedition", "version = \"1.0.0\"\nedition");
        assert_eq!(messages(&manifest), ["[package] lacks `version.workspace = true`"]);
    }

    #[test]
    fn own_lints_are_found() {
        let lacking = ["[lints] lacks `workspace = true`"];
        assert_eq!(messages(&GOOD.replace("[lints]\nworkspace = true", "")), lacking);
        assert_eq!(messages(&GOOD.replace("[lints]", "[lints.rust]")), lacking);
        assert_eq!(messages(&GOOD.replace("\nworkspace = true", "\nworkspace = false")), lacking);
    }
}
