//! Checks of the rules in [`tables`](crate::tables).

use std::collections::BTreeSet;

use crate::files::{Files, Finding};
use crate::rules::circles;
use crate::tables::{
    ARROWS, COMMAND, CORE, FACADE, FEATURE_TABLES, HEAVY, INHERITED, LANES, LIBRARIES, SCHEMES,
    STORES, UNSAFE_FILES,
};
use crate::workspace::Package;

pub(crate) fn check(packages: &[Package], files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| is_in_lane(&package.folder)) {
        findings.extend(arrows(package, packages));
        findings.extend(inherited(package, files));
        findings.extend(circles::check(&package.folder, files));
        findings.extend(documented_features(package, files));
        findings.extend(forwarded_features(package, packages));
        if SCHEMES.contains(&&*package.folder) {
            let page = package.folder.replace("crates/", "docs/schemes/") + ".md";
            let is_missing = !files.contains_key(&page);
            findings.extend(is_missing.then(|| Finding::new(&page, 0, "the scheme has no page")));
        }
    }
    findings.extend(store_features(packages, HEAVY));
    findings.extend(unsafe_files(files, UNSAFE_FILES));
    findings
}

/// Reports whether a path is in one of the lanes, not in `xtask` or another separate workspace.
fn is_in_lane(path: &str) -> bool {
    LANES.iter().any(|lane| path.starts_with(lane))
}

/// Finds dependencies that the table does not allow, and any from a library up to a program or to
/// test code, even if the table allowed it.
fn arrows(package: &Package, packages: &[Package]) -> Vec<Finding> {
    let manifest = format!("{}/Cargo.toml", package.folder);
    let find = |message| Finding::new(&manifest, 0, message);
    let is_among = |folder: &str, names: &str| {
        let mut names = names.split(' ');
        names.any(|name| match name {
            "SCHEMES" => SCHEMES.contains(&folder),
            name => folder.rsplit('/').next() == Some(name),
        })
    };
    let row = ARROWS.iter().find(|(names, _)| is_among(&package.folder, names));
    let Some((_, allowed)) = row else {
        return vec![find("is missing in `ARROWS` in xtask/src/tables.rs".to_owned())];
    };
    let ours = packages.iter().filter(|other| package.depends_on(&other.name));
    let is_up = |other: &Package| {
        package.folder.starts_with(LIBRARIES) && !other.folder.starts_with(LIBRARIES)
    };
    let refused = ours.filter(|other| is_up(other) || !is_among(&other.folder, allowed));
    refused.map(|other| find(format!("must not depend on {}", other.name))).collect()
}

/// Finds parts that a manifest lacks. TOML could express them in other ways, but these are used.
fn inherited(package: &Package, files: &Files) -> Vec<Finding> {
    let path = format!("{}/Cargo.toml", package.folder);
    let manifest = files.get(&path).map_or("", String::as_str);
    let has = |part: &str| manifest.contains(&format!("\n{part}\n"));
    let missing = INHERITED.iter().filter(|part| !has(part));
    missing.map(|part| Finding::new(&path, 0, format!("lacks `{part}`"))).collect()
}

/// Finds features that the documents do not list.
fn documented_features(package: &Package, files: &Files) -> Vec<Finding> {
    let row = FEATURE_TABLES.iter().find(|(folders, _)| folders.contains(&&*package.folder));
    let mut findings = Vec::new();
    for document in row.map_or(&[][..], |(_, documents)| documents) {
        let document = document.replace('*', &package.folder);
        let text = files.get(&document).map_or("", String::as_str);
        let rows =
            text.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix('|'));
        let cells: Vec<_> = rows.filter_map(|row| row.split('|').next()).collect();
        for feature in package.public_features() {
            let code = format!("`{feature}`");
            if !cells.iter().any(|cell| cell.contains(&code)) {
                let message = format!("no table lists the feature {code} of {}", package.name);
                findings.push(Finding::new(&document, 0, message));
            }
        }
    }
    findings
}

/// Finds features of a scheme that do not enable the feature of the same name in core. Checks of
/// several schemes together would not notice because one of them enables it for all.
fn forwarded_features(package: &Package, packages: &[Package]) -> Vec<Finding> {
    let core = packages.iter().find(|core| core.folder == CORE);
    let core = core.filter(|_| SCHEMES.contains(&&*package.folder));
    let Some(core) = core else { return Vec::new() };
    let shared = package.features.keys().filter(|feature| *feature != "default");
    let shared = shared.filter(|feature| core.features.contains_key(*feature));
    let forwarded = shared.map(|feature| (feature, format!("{}/{feature}", core.name)));
    let lost =
        forwarded.filter(|(feature, forwarded)| !package.features[*feature].contains(forwarded));
    let manifest = format!("{}/Cargo.toml", package.folder);
    let find = |(feature, lacking)| format!("the feature `{feature}` lacks `{lacking}`");
    lost.map(|lost| Finding::new(&manifest, 0, find(lost))).collect()
}

/// Finds stores on servers that the façade or the command cannot enable, or that are not `heavy`, so
/// that the quick tests compile their clients.
fn store_features(packages: &[Package], heavy: &str) -> Vec<Finding> {
    let find = |folder: &str| packages.iter().find(|package| package.folder == folder);
    let (Some(stores), Some(facade), Some(command)) = (find(STORES), find(FACADE), find(COMMAND))
    else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for store in stores.public_features() {
        let of_facade = format!("lease-{store}");
        for (package, feature, part) in [
            (facade, &*of_facade, format!("{}?/{store}", stores.name)),
            (command, store.as_str(), format!("{}/{store}", stores.name)),
            (command, "full", store.to_owned()),
        ] {
            if !package.features.get(feature).is_some_and(|parts| parts.contains(&part)) {
                let manifest = format!("{}/Cargo.toml", package.folder);
                let message = format!("the feature `{feature}` lacks `{part}`");
                findings.push(Finding::new(&manifest, 0, message));
            }
        }
        for feature in [store, &of_facade] {
            if !heavy.split(',').any(|named| named == feature.as_str()) {
                let message = format!("`HEAVY` lacks `{feature}`");
                findings.push(Finding::new("xtask/src/tables.rs", 0, message));
            }
        }
    }
    findings
}

/// Finds files that allow `unsafe` code and are not in the list, and the reverse.
fn unsafe_files(files: &Files, listed: &[&str]) -> Vec<Finding> {
    let allows = |text: &str| {
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        let mut lines = code.filter(|line| line.contains("unsafe_code"));
        lines.any(|line| {
            !line.contains("(unsafe_code)") || !line.contains("forbid(") && !line.contains("deny(")
        })
    };
    let sources = files.iter().filter(|(path, _)| is_in_lane(path));
    let sources = sources.filter(|(path, text)| path.ends_with(".rs") && allows(text));
    let allowing: BTreeSet<_> = sources.map(|(path, _)| path.as_str()).collect();
    let listed = BTreeSet::from_iter(listed.iter().copied());
    let new = allowing.difference(&listed).map(|path| (path, "allows `unsafe` code, but is not"));
    let stale = listed.difference(&allowing).map(|path| (path, "allows no `unsafe` code, but is"));
    let all = new.chain(stale);
    all.map(|(path, is)| {
        Finding::new(path, 0, format!("{is} in `UNSAFE_FILES` in xtask/src/tables.rs"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{files, lines};
    use crate::workspace::Dependency;

    fn package(folder: &str, dependencies: &[&str], features: &[(&str, &[&str])]) -> Package {
        let on = |name: &str| Dependency { name: name.to_owned(), kind: None };
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Package {
            name: format!("tickid-{}", folder.rsplit('/').next().unwrap()),
            folder: folder.to_owned(),
            dependencies: dependencies.iter().map(|&name| on(name)).collect(),
            features: features.iter().map(|(name, on)| ((*name).to_owned(), texts(on))).collect(),
            ..Package::default()
        }
    }

    #[test]
    fn other_arrows_are_found() {
        let packages = [
            package("crates/core", &["tickid-sno"], &[]),
            package("crates/kuid", &["tickid-core"], &[]),
            package("crates/sno", &["tickid-core", "tickid-kuid"], &[]),
            package("crates/lease", &["tickid-sno"], &[]),
            package("crates/tickid", &["tickid-cli"], &[]),
            package("apps/cli", &["tickid-kit"], &[]),
            package("tests/kit", &["tickid-core"], &[]),
            package("crates/new", &[], &[]),
        ];
        let expected = [
            "crates/core/Cargo.toml: must not depend on tickid-sno",
            "crates/sno/Cargo.toml: must not depend on tickid-kuid",
            "crates/lease/Cargo.toml: must not depend on tickid-sno",
            "crates/tickid/Cargo.toml: must not depend on tickid-cli",
            "apps/cli/Cargo.toml: must not depend on tickid-kit",
            "crates/new/Cargo.toml: is missing in `ARROWS` in xtask/src/tables.rs",
        ];
        let found = packages.iter().flat_map(|package| arrows(package, &packages));
        assert_eq!(lines(found), expected);
    }

    #[test]
    fn every_manifest_inherits() {
        let good = format!("[package]\n{}\n", INHERITED.join("\n"));
        let check = |text: &str| {
            let files = files([("a/Cargo.toml", text)]);
            lines(inherited(&package("a", &[], &[]), &files))
        };
        assert_eq!(check(&good), [""; 0]);
        for part in INHERITED {
            let lacking = good.replace(&format!("\n{part}"), "\n[lints.rust]");
            assert_eq!(check(&lacking), [format!("a/Cargo.toml: lacks `{part}`")]);
        }
    }

    #[test]
    fn missing_features_are_found() {
        let check = |folder: &str, own: &str, facade: &str| {
            let package = package(folder, &[], &[("default", &[]), ("std", &[]), ("serde", &[])]);
            let own = (&*format!("{folder}/src/lib.rs"), own);
            let facade = ("crates/tickid/src/lib.rs", facade);
            lines(documented_features(&package, &files([own, facade])))
        };
        let own = "//! | `std` | yes |\n//! | `postgres-types`, `serde` | no |\n";
        assert_eq!(check("crates/sno", own, "//! | `serde`, `std` | no |"), [""; 0]);
        assert_eq!(check("crates/core", own, ""), [""; 0]);
        assert_eq!(check("apps/cli", "", ""), [""; 0]);
        let missing = ["crates/tickid/src/lib.rs: no table lists the feature `std` of tickid-sno"];
        assert_eq!(check("crates/sno", own, "//! | `serde` | not with `std` |"), missing);
        let missing = ["crates/core/src/lib.rs: no table lists the feature `serde` of tickid-core"];
        assert_eq!(check("crates/core", "//! `serde`\n//! | `std` |", ""), missing);
    }

    #[test]
    fn unforwarded_features_are_found() {
        let core = package("crates/core", &[], &[("serde", &[]), ("alloc", &[])]);
        let features: &[(&str, &[&str])] = &[
            ("serde", &["dep:serde"]),
            ("alloc", &["tickid-core/alloc"]),
            ("uuid", &["dep:uuid"]),
        ];
        let packages = [core, package("crates/sno", &[], features)];
        let expected = ["crates/sno/Cargo.toml: the feature `serde` lacks `tickid-core/serde`"];
        assert_eq!(lines(forwarded_features(&packages[1], &packages)), expected);
        assert_eq!(lines(forwarded_features(&packages[0], &packages)), [""; 0]);
    }

    #[test]
    fn stores_that_cannot_be_enabled_are_found() {
        let facade = ("lease-etcd", &["tickid-stores?/etcd"][..]);
        let command = [("etcd", &["tickid-stores/etcd"][..]), ("full", &["etcd"])];
        let packages = |stores| {
            let stores = package(STORES, &[], stores);
            [stores, package(FACADE, &[], &[facade]), package(COMMAND, &[], &command)]
        };
        let etcd = packages(&[("etcd", &[]), ("_server", &[])]);
        assert_eq!(lines(store_features(&etcd, "lease-etcd,etcd")), [""; 0]);
        let consul = packages(&[("consul", &[])]);
        let missing = [
            "crates/tickid/Cargo.toml: the feature `lease-consul` lacks `tickid-stores?/consul`",
            "apps/cli/Cargo.toml: the feature `consul` lacks `tickid-stores/consul`",
            "apps/cli/Cargo.toml: the feature `full` lacks `consul`",
            "xtask/src/tables.rs: `HEAVY` lacks `consul`",
            "xtask/src/tables.rs: `HEAVY` lacks `lease-consul`",
        ];
        assert_eq!(lines(store_features(&consul, "etcd")), missing);
    }

    #[test]
    fn schemes_without_a_page_are_found() {
        let packages = [package("crates/sno", &[], &[])];
        let missing = "docs/schemes/sno.md: the scheme has no page".to_owned();
        assert!(lines(check(&packages, &Files::new())).contains(&missing));
        let files = files([("docs/schemes/sno.md", "")]);
        assert!(!lines(check(&packages, &files)).contains(&missing));
    }

    #[test]
    fn the_list_of_unsafe_files_is_exact() {
        let files = files([
            ("crates/a.rs", "#![allow(unsafe_code, reason = \"x\")]"),
            ("crates/b.rs", "#![allow(\n    unsafe_code,\n)]"),
            ("crates/c.rs", "#![forbid(unsafe_code)]\n// allow(unsafe_code)"),
            ("crates/d.rs", "#[expect(unsafe_code)]"),
        ]);
        let expected = [
            "crates/d.rs: allows `unsafe` code, but is not in `UNSAFE_FILES` in xtask/src/tables.rs",
            "crates/c.rs: allows no `unsafe` code, but is in `UNSAFE_FILES` in xtask/src/tables.rs",
        ];
        let listed = ["crates/a.rs", "crates/b.rs", "crates/c.rs"];
        assert_eq!(lines(unsafe_files(&files, &listed)), expected);
    }
}
