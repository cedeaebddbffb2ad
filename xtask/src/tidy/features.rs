//! Features that the documentation does not tell of.

use crate::tidy::arrows::SCHEMES;
use crate::tidy::{Files, Finding};
use crate::workspace::Package;

/// Every feature of a scheme is in the table of its crate's documentation and in that of the README; every
/// feature of core in its own, of the leases in the README's.
pub(super) fn check(packages: &[Package], files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let own = format!("{}/src/lib.rs", package.folder);
        let both = [(own.as_str(), "//! |"), ("README.md", "|")];
        let tables = match &*package.folder {
            folder if SCHEMES.contains(&folder) => &both[..],
            "crates/core" | "crates/text" | "crates/tickid" => &both[..1],
            "crates/lease" => &both[1..],
            _ => continue,
        };
        for feature in package.features.iter().filter(|feature| *feature != "default") {
            for &(path, start) in tables {
                let text = files.get(path).map_or("", String::as_str);
                if !is_in_table(text, start, feature) {
                    findings.push(Finding {
                        path: path.to_owned(),
                        line: None,
                        message: format!(
                            "no table tells of {}'s feature `{feature}`",
                            package.name
                        ),
                    });
                }
            }
        }
    }
    findings
}

/// Whether a row that begins with `start` has the feature in its first cell.
fn is_in_table(text: &str, start: &str, feature: &str) -> bool {
    let name = format!("`{feature}`");
    let rows = text.lines().filter_map(|line| line.strip_prefix(start));
    rows.filter_map(|row| row.split('|').next()).any(|cell| cell.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(folder: &str, own: &str, readme: &str) -> Vec<String> {
        let package = Package {
            name: "a".to_owned(),
            folder: folder.to_owned(),
            features: ["default", "std", "serde"].map(str::to_owned).to_vec(),
            ..Package::default()
        };
        let files = [(format!("{folder}/src/lib.rs"), own), ("README.md".to_owned(), readme)];
        let files = Files::from(files.map(|(path, text)| (path, text.to_owned())));
        check(&[package], &files).iter().map(ToString::to_string).collect()
    }

    const OWN: &str = "//! | `std` | yes |\n//! | `postgres-types`, `serde` | no |\n";
    const README: &str = "| `serde`, `std` | all |\n";

    #[test]
    fn features_in_both_tables_are_fine() {
        assert_eq!(messages("crates/sno", OWN, README), [""; 0]);
        assert_eq!(messages("crates/core", OWN, ""), [""; 0]);
        assert_eq!(messages("crates/lease", "", README), [""; 0]);
        assert_eq!(messages("crates/cli", "", ""), [""; 0]);
    }

    #[test]
    fn a_feature_that_is_in_no_first_cell_is_found() {
        let own = "//! | `std` | not with `serde` |\n//! `serde`\n";
        let sno = ["crates/sno/src/lib.rs: no table tells of a's feature `serde`"];
        assert_eq!(messages("crates/sno", own, README), sno);
        let readme = ["README.md: no table tells of a's feature `std`"];
        assert_eq!(messages("crates/sno", OWN, "| `serde` | all |"), readme);
        assert_eq!(messages("crates/lease", OWN, "| `serde` | all |"), readme);
    }
}
