//! The facts and files that a package needs before it is published.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::files::{Files, Finding};
use crate::workspace::Package;

/// The fields of a manifest that registries show.
const FIELDS: [&str; 6] =
    ["description", "documentation", "homepage", "license", "readme", "repository"];
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// The limits of crates.io.
const MAX_KEYWORDS: usize = 5;
const MAX_KEYWORD: usize = 20;

pub(crate) fn check(packages: &[Package], files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut all_keywords = BTreeSet::new();
    for package in packages.iter().filter(|package| package.is_published()) {
        let folder = &package.folder;
        let manifest = format!("{folder}/Cargo.toml");
        let mut find = |path: &str, message: String| findings.push(Finding::new(path, 0, message));
        for field in FIELDS.iter().filter(|field| !package.manifest[**field].is_string()) {
            find(&manifest, format!("[package] lacks `{field}`"));
        }
        let keywords = texts(&package.manifest["keywords"]);
        if !(1..=MAX_KEYWORDS).contains(&keywords.len()) {
            find(&manifest, format!("{} keywords, outside 1..={MAX_KEYWORDS}", keywords.len()));
        }
        for keyword in keywords.iter().filter(|keyword| keyword.len() > MAX_KEYWORD) {
            find(&manifest, format!("the keyword {keyword} has over {MAX_KEYWORD} characters"));
        }
        if !keywords.is_empty() && !all_keywords.insert(keywords) {
            find(&manifest, "another package has the same keywords".to_owned());
        }
        if texts(&package.manifest["categories"]).is_empty() {
            find(&manifest, "no categories".to_owned());
        }
        for licence in LICENCES {
            let copy = format!("{folder}/{licence}");
            if files.get(&copy).is_none_or(|text| files.get(licence) != Some(text)) {
                find(&copy, "is not the repository's licence".to_owned());
            }
        }
        let readme = format!("{folder}/README.md");
        let title = format!("# {}\n", package.name);
        if files.get(&readme).is_none_or(|text| !text.starts_with(&title)) {
            find(&readme, format!("does not open with `{}`", title.trim_end()));
        }
        if package.is_library {
            let docs = &package.manifest["metadata"]["docs"]["rs"];
            let has_cfg = texts(&docs["rustdoc-args"]).contains(&"docsrs");
            if docs["all-features"] != true || !has_cfg {
                let lacking = "[package.metadata.docs.rs] lacks all features or `--cfg docsrs`";
                find(&manifest, lacking.to_owned());
            }
            let root = format!("{folder}/src/lib.rs");
            let include = "#[doc = include_str!(\"../README.md\")]";
            if files.get(&root).is_none_or(|text| !text.contains(include)) {
                find(&root, "does not test the examples of the README".to_owned());
            }
        }
    }
    findings
}

fn texts(array: &Value) -> Vec<&str> {
    array.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::{files, lines};

    fn library() -> Package {
        let manifest = json!({
            "publish": null,
            "description": "a", "documentation": "b", "homepage": "c", "license": "MIT",
            "readme": "README.md", "repository": "d", "keywords": ["id"], "categories": ["no-std"],
            "metadata": { "docs": { "rs": {
                "all-features": true, "rustdoc-args": ["--cfg", "docsrs"],
            } } },
        });
        let name = "tickid-a".to_owned();
        Package { name, folder: "a".to_owned(), is_library: true, manifest, ..Package::default() }
    }

    fn repository() -> Files {
        files([
            ("LICENSE-APACHE", "Apache"),
            ("LICENSE-MIT", "MIT"),
            ("a/LICENSE-APACHE", "Apache"),
            ("a/LICENSE-MIT", "MIT"),
            ("a/README.md", "# tickid-a\n"),
            ("a/src/lib.rs", "#[doc = include_str!(\"../README.md\")]"),
        ])
    }

    fn check_with(field: &str, value: Value) -> Vec<String> {
        let mut package = library();
        package.manifest[field] = value;
        lines(check(&[package], &repository()))
    }

    #[test]
    fn a_whole_package_is_fine() {
        assert_eq!(lines(check(&[library()], &repository())), [""; 0]);
        let unpublished = check_with("publish", json!([]));
        assert_eq!(unpublished, [""; 0]);
    }

    #[test]
    fn missing_facts_are_found() {
        let many = ["1", "2", "3", "4", "5", "6"];
        for (field, value, finding) in [
            ("repository", Value::Null, "[package] lacks `repository`"),
            ("keywords", json!([]), "0 keywords, outside 1..=5"),
            ("keywords", json!(many), "6 keywords, outside 1..=5"),
            (
                "keywords",
                json!(["unreasonably-long-one"]),
                "the keyword unreasonably-long-one has over 20 characters",
            ),
            ("categories", json!([]), "no categories"),
            (
                "metadata",
                Value::Null,
                "[package.metadata.docs.rs] lacks all features or `--cfg docsrs`",
            ),
        ] {
            assert_eq!(check_with(field, value), [format!("a/Cargo.toml: {finding}")], "{field}");
        }
        let twins = check(&[library(), library()], &repository());
        assert_eq!(lines(twins), ["a/Cargo.toml: another package has the same keywords"]);
    }

    #[test]
    fn missing_files_are_found() {
        let expected = [
            "a/LICENSE-APACHE: is not the repository's licence",
            "a/LICENSE-MIT: is not the repository's licence",
            "a/README.md: does not open with `# tickid-a`",
            "a/src/lib.rs: does not test the examples of the README",
        ];
        let without = files([("LICENSE-MIT", "MIT"), ("a/LICENSE-MIT", "BSD")]);
        assert_eq!(lines(check(&[library()], &without)), expected);
    }
}
