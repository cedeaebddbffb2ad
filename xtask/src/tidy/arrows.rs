//! Which crate may depend on which.

use crate::tidy::{Files, Finding};
use crate::workspace::Package;

/// Layers from the ground up. A crate may only depend on crates of the layers below its own: schemes
/// know nothing of each other, and core knows nothing of any of them.
const LAYERS: [&[&str]; 5] = [
    &["crates/core", "crates/text"],
    &[TESTKIT],
    &SCHEMES,
    &["crates/convert", "crates/lease"],
    &["crates/cli", "crates/tickid"],
];
/// Only tests may depend on it, since it is not published.
const TESTKIT: &str = "crates/testkit";
pub(super) const SCHEMES: [&str; 4] =
    ["crates/kuid", "crates/nanoflake", "crates/scru64", "crates/sno"];

pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    let crates = packages.iter().filter(|package| package.folder.starts_with("crates/"));
    let mut findings = Vec::new();
    for package in crates {
        let mut find = |message| {
            findings.push(Finding {
                path: format!("{}/Cargo.toml", package.folder),
                line: None,
                message,
            });
        };
        let Some(own) = layer(&package.folder) else {
            find("has no layer; give it one in xtask/src/tidy/arrows.rs".to_owned());
            continue;
        };
        let ours = packages.iter().filter(|other| package.dependencies.contains(&other.name));
        for other in ours.filter(|other| layer(&other.folder).is_none_or(|layer| layer >= own)) {
            find(format!("depends on {}, which is not below it", other.name));
        }
        let is_testkit = |other: &&Package| other.folder == TESTKIT;
        for testkit in packages.iter().filter(is_testkit) {
            if package.dependencies.contains(&testkit.name) {
                find(format!("depends on {} in more than its tests", testkit.name));
            }
        }
    }
    findings
}

fn layer(folder: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&folder))
}

/// Schemes without a page of their own in `docs/schemes`.
pub(super) fn missing_pages(packages: &[Package], files: &Files) -> Vec<Finding> {
    let schemes = packages.iter().filter(|package| SCHEMES.contains(&&*package.folder));
    let pages = schemes.map(|scheme| scheme.folder.replace("crates/", "docs/schemes/") + ".md");
    pages
        .filter(|page| !files.contains_key(page))
        .map(|path| Finding {
            path,
            line: None,
            message: "every scheme has a page, but this is missing".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(folder: &str, dependencies: &[&str]) -> Package {
        Package {
            name: folder.replace("crates/", "tickid-"),
            folder: folder.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            ..Package::default()
        }
    }

    fn messages(packages: &[Package]) -> Vec<String> {
        check(packages).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn arrows_down_are_fine() {
        let packages = [
            package("crates/core", &["thiserror"]),
            package("crates/sno", &["tickid-core", "serde"]),
            package("crates/convert", &["tickid-core", "tickid-sno"]),
            package("crates/cli", &["tickid-convert", "tickid-sno", "clap"]),
            package("xtask", &["clap"]),
        ];
        assert_eq!(messages(&packages), [""; 0]);
    }

    #[test]
    fn arrows_up_and_sideways_are_found() {
        let packages = [
            package("crates/core", &["tickid-sno"]),
            package("crates/kuid", &["tickid-core"]),
            package("crates/sno", &["tickid-core", "tickid-kuid", "xtask"]),
            package("xtask", &[]),
        ];
        assert_eq!(
            messages(&packages),
            [
                "crates/core/Cargo.toml: depends on tickid-sno, which is not below it",
                "crates/sno/Cargo.toml: depends on tickid-kuid, which is not below it",
                "crates/sno/Cargo.toml: depends on xtask, which is not below it",
            ]
        );
    }

    /// Dependencies of tests are not among a package's [dependencies](Package::dependencies).
    #[test]
    fn only_tests_may_depend_on_the_testkit() {
        let packages = [
            package("crates/core", &[]),
            package("crates/testkit", &["tickid-core", "proptest"]),
            package("crates/sno", &["tickid-core", "tickid-testkit"]),
            package("crates/cli", &["tickid-testkit"]),
        ];
        assert_eq!(
            messages(&packages),
            [
                "crates/sno/Cargo.toml: depends on tickid-testkit in more than its tests",
                "crates/cli/Cargo.toml: depends on tickid-testkit in more than its tests",
            ]
        );
        let upwards = messages(&[package("crates/testkit", &["tickid-sno"]), packages[2].clone()]);
        assert!(upwards[0].ends_with("depends on tickid-sno, which is not below it"));
    }

    #[test]
    fn a_crate_without_a_layer_is_found() {
        let messages = messages(&[package("crates/new", &[])]);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].starts_with("crates/new/Cargo.toml: has no layer"));
    }

    #[test]
    fn a_missing_page_is_found() {
        let packages =
            ["crates/core", "crates/kuid", "crates/sno"].map(|folder| package(folder, &[]));
        let files = Files::from([("docs/schemes/sno.md".to_owned(), String::new())]);
        let findings = missing_pages(&packages, &files);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "docs/schemes/kuid.md");
    }
}
