//! Tests that the documentation points to.

use std::collections::BTreeSet;

use crate::tidy::{Files, Finding};

/// Names in the code of documents that look like a test's (at least three words, joined by underscores)
/// are functions or modules of the sources.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let sources = files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let defined: BTreeSet<&str> = sources.flat_map(|(_, text)| words(text)).collect();
    let documents = files.iter().filter(|(path, _)| path.ends_with(".md"));
    let mut findings = Vec::new();
    for (path, text) in documents {
        for (number, line) in text.lines().enumerate() {
            for name in line.split('`').skip(1).step_by(2).filter(|name| is_test_like(name)) {
                if !defined.contains(name) {
                    findings.push(Finding {
                        path: path.clone(),
                        line: Some(number + 1),
                        message: format!("`{name}` is nowhere in the sources"),
                    });
                }
            }
        }
    }
    findings
}

fn is_test_like(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.split('_').count() >= 3 && name.split('_').all(is_word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|symbol: char| !symbol.is_ascii_alphanumeric() && symbol != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(document: &str) -> Vec<String> {
        let source = "#[test]\nfn ids_are_distinct_always() {}";
        let files = [("tests/a.rs", source), ("docs/a.md", document)];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        check(&files.into()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_that_is_gone_is_found() {
        assert_eq!(found("shown by `ids_are_distinct_always`"), Vec::<String>::new());
        assert_eq!(
            found("\n| a | `ids_are_distinct_always`, `ids_were_distinct_once` |"),
            ["docs/a.md:2: `ids_were_distinct_once` is nowhere in the sources"]
        );
    }

    #[test]
    fn other_code_is_left_alone() {
        assert_eq!(
            found("`min_at`, `CARGO_TARGET_DIR`, `a_b c_d`, and ids_were_distinct_once"),
            [""; 0]
        );
    }
}
