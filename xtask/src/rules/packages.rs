//! The facts and files that a package needs before it is published.

use serde_json::Value;

use crate::files::{Files, Finding};
use crate::rules::documents::join;
use crate::workspace::Package;

/// The fields of a manifest that registries show.
const FIELDS: [&str; 7] =
    ["categories", "description", "documentation", "keywords", "license", "readme", "repository"];
/// The categories of crates.io that we use. It ignores others without an error.
const CATEGORIES: [&str; 11] = [
    "command-line-utilities",
    "concurrency",
    "data-structures",
    "database",
    "date-and-time",
    "encoding",
    "network-programming",
    "no-std",
    "os::linux-apis",
    "parser-implementations",
    "web-programming::http-server",
];
/// The line of a manifest that leaves out the tests.
const EXCLUDE: &str = "\nexclude.workspace = true\n";
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn check(packages: &[Package], files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| package.is_published()) {
        let path = |file: &str| format!("{}/{file}", package.folder);
        let mut require = |is_met: bool, file: &str, or: &str| {
            findings.extend((!is_met).then(|| Finding::new(&path(file), 0, or)));
        };
        let manifest = &package.manifest;
        for field in FIELDS {
            let field_of = &manifest[field];
            let is_met = field_of.is_string() || !texts(field_of).is_empty();
            require(is_met, "Cargo.toml", &format!("[package] lacks `{field}`"));
        }
        for category in texts(&manifest["categories"]) {
            let or = format!("`{category}` is not in `CATEGORIES` in xtask/src/rules/packages.rs");
            require(CATEGORIES.contains(&category), "Cargo.toml", &or);
        }
        let keywords = texts(&manifest["keywords"]);
        let is_met = keywords.len() <= 5 && keywords.iter().all(|word| word.len() <= 20);
        require(is_met, "Cargo.toml", "crates.io takes five keywords of up to 20 characters");
        let text = |file: &str| files.get(&path(file)).map_or("", String::as_str);
        for licence in LICENCES {
            let is_copy = files.get(licence).is_some_and(|original| original == text(licence));
            require(is_copy, licence, "is not the repository's licence");
        }
        let title = format!("# {}\n", package.name);
        let or = format!("does not open with `{}`", title.trim_end());
        require(text("README.md").starts_with(&title), "README.md", &or);
        if package.is_library {
            let docs = &manifest["metadata"]["docs"]["rs"];
            let has_cfg = texts(&docs["rustdoc-args"]).contains(&"docsrs");
            let or = "[package.metadata.docs.rs] lacks all features or `--cfg docsrs`";
            require(docs["all-features"] == true && has_cfg, "Cargo.toml", or);
            let is_tested = text("src/lib.rs").contains(r#"#[doc = include_str!("../README.md")]"#);
            let or = "does not test the examples of the README";
            require(is_tested, "src/lib.rs", or);
        }
        findings.extend(outside(package, files));
    }
    findings
}

/// Finds files of a package that do not compile without the repository.
fn outside(package: &Package, files: &Files) -> Vec<Finding> {
    let own = format!("{}/", package.folder);
    let manifest = files.get(&format!("{own}Cargo.toml")).map_or("", String::as_str);
    let tests = format!("{own}tests/");
    let is_packaged = |path: &str| {
        path.starts_with(&own) && !(manifest.contains(EXCLUDE) && path.starts_with(&tests))
    };
    let mut findings = Vec::new();
    let sources = files.iter().filter(|(path, _)| path.ends_with(".rs") && is_packaged(path));
    for (path, text) in sources {
        for (at, line) in text.lines().enumerate() {
            let mut find = |message: &str| findings.push(Finding::new(path, at + 1, message));
            if line.contains("tickid_testkit") {
                find("is packaged, and the testkit is not published");
            }
            let mut literals = ["include_str!(\"", "include_bytes!(\"", "include!(\"", "path = \""]
                .iter()
                .filter_map(|before| line.split_once(before)?.1.split('"').next());
            if literals.any(|to| !join(path, to).is_ok_and(|file| file.starts_with(&own))) {
                find("is packaged, and names a file outside of the package");
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
            "description": "a", "documentation": "b", "license": "MIT",
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
    fn missing_facts_are_found() {
        for (field, value, finding) in [
            ("repository", Value::Null, "[package] lacks `repository`"),
            ("keywords", json!([]), "[package] lacks `keywords`"),
            (
                "keywords",
                json!(["a", "b", "c", "d", "e", "f"]),
                "crates.io takes five keywords of up to 20 characters",
            ),
            (
                "categories",
                json!(["ids"]),
                "`ids` is not in `CATEGORIES` in xtask/src/rules/packages.rs",
            ),
            (
                "metadata",
                Value::Null,
                "[package.metadata.docs.rs] lacks all features or `--cfg docsrs`",
            ),
        ] {
            assert_eq!(check_with(field, value), [format!("a/Cargo.toml: {finding}")], "{field}");
        }
    }

    #[test]
    fn packages_need_only_themselves() {
        let test = "use tickid_testkit::Subject;\nconst A: &str = include_str!(\"../../b/c.md\");";
        let check_with = |manifest: &str| {
            let mut files = repository();
            files.insert("a/Cargo.toml".to_owned(), manifest.to_owned());
            files.insert("a/tests/it.rs".to_owned(), test.to_owned());
            lines(check(&[library()], &files))
        };
        assert_eq!(check_with("[package]\nexclude.workspace = true\n"), [""; 0]);
        let expected = [
            "a/tests/it.rs:1: is packaged, and the testkit is not published",
            "a/tests/it.rs:2: is packaged, and names a file outside of the package",
        ];
        assert_eq!(check_with("[package]\n"), expected);
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
