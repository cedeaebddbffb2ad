//! Tests that never run: files that no module declares, and parts for features that `cargo xtask
//! test` leaves out. Rustc reports features that do not exist, and functions that no list of tests
//! has.

use crate::files::{Files, Finding};
use crate::tables::{DATABASE_CLIENTS, INTEGRATION};

pub(crate) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        let Some((folder, file)) = path.split_once("/tests/") else { continue };
        if !is_declared(files, &format!("{folder}/tests"), file) {
            findings.push(Finding::new(path, 0, "is a module of no test program"));
        }
        if !folder.starts_with(INTEGRATION) {
            for (number, line) in (1..).zip(text.lines()) {
                let is_named = |feature: &&&str| line.contains(&format!("feature = \"{feature}\""));
                let named = DATABASE_CLIENTS.iter().find(is_named);
                let message =
                    |feature| format!("`cargo xtask test` leaves the feature `{feature}` out");
                findings.extend(named.map(|of| Finding::new(path, number, message(of))));
            }
        }
    }
    findings
}

/// Reports whether a file is a test program, or a module of one.
fn is_declared(files: &Files, tests: &str, file: &str) -> bool {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if folder.is_empty() || name == "main" && !folder.contains('/') {
        return true;
    }
    let (parent, name) = match name {
        "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
        _ => (folder, name),
    };
    let declares = |path: String| {
        let text = files.get(&format!("{tests}/{path}")).map_or("", String::as_str);
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        code.into_iter().any(|line| {
            line.strip_suffix(';').is_some_and(|line| {
                line.rsplit_once("mod ").is_some_and(|(_, declared)| declared == name)
            })
        })
    };
    let parents = ["main.rs", "mod.rs"].map(|root| format!("{parent}/{root}"));
    let by_name = parents.into_iter().chain([format!("{parent}.rs")]).any(declares);
    let of_tests = files.iter().filter(|(path, _)| path.starts_with(tests));
    let by_path =
        |(_, text): (&String, &String)| text.contains(&format!("#[path = \"../{file}\"]"));
    by_name || of_tests.into_iter().any(by_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{files, lines};

    #[test]
    fn undeclared_files_are_found() {
        let files = files([
            ("crates/a/tests/alone.rs", ""),
            (
                "crates/a/tests/it/main.rs",
                "mod one;\n// mod three;\n#[path = \"../common/mod.rs\"]\nmod s;",
            ),
            ("crates/a/tests/it/one.rs", "mod inner;"),
            ("crates/a/tests/it/one/inner.rs", ""),
            ("crates/a/tests/it/two/mod.rs", "mod below;"),
            ("crates/a/tests/it/two/below.rs", ""),
            ("crates/a/tests/it/three.rs", ""),
            ("crates/a/tests/common/mod.rs", ""),
            ("crates/a/src/lib.rs", ""),
        ]);
        let expected = [
            "crates/a/tests/it/three.rs: is a module of no test program",
            "crates/a/tests/it/two/mod.rs: is a module of no test program",
        ];
        assert_eq!(lines(check(&files)), expected);
    }

    #[test]
    fn features_left_out_are_found() {
        let files = files([
            ("crates/a/tests/it/main.rs", "#[cfg(feature = \"rusqlite\")]\nmod sqlite;\n"),
            ("crates/a/tests/it/sqlite.rs", "#[cfg(feature = \"std\")]"),
            ("tests/integration/tests/a.rs", "#[cfg(feature = \"rusqlite\")]"),
        ]);
        let expected =
            ["crates/a/tests/it/main.rs:1: `cargo xtask test` leaves the feature `rusqlite` out"];
        assert_eq!(lines(check(&files)), expected);
    }
}
