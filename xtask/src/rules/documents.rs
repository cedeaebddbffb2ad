//! The tests and files that the repository's Markdown files name. `.ci/links` checks their links.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser};

use crate::files::{Files, Finding};

pub(crate) fn check(files: &Files) -> Vec<Finding> {
    let sources = || files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let tests = sources().flat_map(|(_, text)| tests(text)).collect();
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: BTreeSet<&str> =
        sources().flat_map(|(_, text)| text.split(|c| !is_in_word(c))).collect();
    let mut findings = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
        let mut find = |at: usize, message| {
            let line = text[..at].lines().count() + usize::from(text[..at].ends_with('\n'));
            findings.push(Finding::new(path, line.max(1), message));
        };
        for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
            let Event::Code(name) = event else { continue };
            if is_test_like(&name) && !words.contains(&*name) {
                find(range.start, format!("`{name}` is nowhere in the sources"));
            } else if is_missing(&name, files) {
                find(range.start, format!("`{name}` is not in the repository"));
            }
        }
        let untested = untested_rows(text, &tests).into_iter();
        findings.extend(untested.map(|(line, message)| Finding::new(path, line, message)));
    }
    findings
}

/// Returns the names of the tests in a source: of functions with an attribute such as
/// `#[tokio::test]`, and of those that a list gives to a macro or a harness of our own, as in
/// `ids_are_unique => draw_unique`, `claims::ids_are_unique` or `("ids_are_unique", draw_unique)`.
fn tests(text: &str) -> Vec<&str> {
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(is_of_name);
    let (mut found, mut is_test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        let attribute = line.strip_prefix("#[").and_then(|rest| rest.split(['(', ']']).next());
        is_test |= attribute.is_some_and(|path| path.ends_with("test"));
        let listed = line.strip_suffix(',').unwrap_or(line);
        let tuple = listed.trim_start_matches(|c| c != '(').strip_prefix("(\"");
        let name = if let Some((_, function)) = line.split_once("fn ") {
            let function = function.split(['(', '<']).next();
            function.filter(|_| core::mem::take(&mut is_test))
        } else if let Some((name, of)) = listed.split_once(" => ") {
            of.starts_with(|c: char| c == '$' || c.is_ascii_lowercase()).then_some(name)
        } else if let Some((name, of)) = tuple.and_then(|tuple| tuple.split_once("\", ")) {
            let of = of.rsplit("::").next().unwrap_or(of).trim_end_matches([')', ']', '}', ';']);
            (of == name || of.contains('|')).then_some(name)
        } else {
            let listed = line.strip_suffix([',', ';']).and_then(|path| path.split_once("::"));
            listed.filter(|(module, _)| is_name(module)).map(|(_, name)| name)
        };
        found.extend(name.filter(is_name));
    }
    found
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Returns each row whose last column, `Test`, names no test, or something that is none. A row may
/// say instead that there is no test, and why.
fn untested_rows(text: &str, tests: &BTreeSet<&str>) -> Vec<(usize, String)> {
    let (mut rows, mut is_of_tests) = (Vec::new(), false);
    for (line, text) in (1..).zip(text.lines()) {
        // The table ends with the first line that is no row, not with an empty cell.
        let last = text.strip_suffix('|').and_then(|row| row.rsplit('|').next());
        is_of_tests = last.is_some_and(|last| is_of_tests || last.trim() == "Test");
        let last = last.unwrap_or_default().trim();
        if !is_of_tests || ["Test", "---", "no test"].iter().any(|other| last.starts_with(other)) {
            continue;
        }
        let names = || last.split('`').skip(1).step_by(2).filter(|name| !name.contains('/'));
        let unknown = names().filter(|name| !tests.contains(name));
        rows.extend(unknown.map(|name| (line, format!("`{name}` is no test"))));
        if names().next().is_none() {
            rows.push((line, "a row without a test".to_owned()));
        }
    }
    rows
}

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// Reports whether a name looks like a test's name: at least three words, joined by underscores.
fn is_test_like(name: &str) -> bool {
    let is_word = |word: &str| {
        let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !word.is_empty() && word.bytes().all(is_lower)
    };
    name.split('_').count() >= 3 && name.split('_').all(is_word)
}

/// Reports whether a name is a path into the repository that does not exist. Patterns do not count,
/// nor do paths inside of a crate: `tests/it` is a folder of most crates, and `tests` also one of
/// the repository.
fn is_missing(name: &str, files: &Files) -> bool {
    let path = name.trim_end_matches('/');
    let is_ours = path.split_once('/').is_some_and(|(root, _)| is_folder(root, files));
    let is_pattern = path.contains(['*', '{', ' ']) || path.contains("NAME");
    let is_in_crate = || files.keys().any(|file| file.contains(&format!("/{path}")));
    is_ours && !is_pattern && !files.contains_key(path) && !is_folder(path, files) && !is_in_crate()
}

fn is_folder(path: &str, files: &Files) -> bool {
    files.keys().any(|file| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{files, lines};

    fn check_page(text: &str) -> Vec<String> {
        let readme = ("README.md", "# A b\n");
        let test = (
            "tests/a.rs",
            "#[test]\n#[ignore]\nfn ids_are_distinct_always() {}\nfn helper() {}\n    listed => a,\n\
             #[tokio::test(start_paused = true)]\nasync fn awaited() {}\nclaims::given,\n\
             (\"called\", |it| other(it)),\nvec![(\"paired\", a::paired)]\n(\"value\", 1),",
        );
        lines(check(&files([readme, test, ("docs/a.md", text)])))
    }

    #[test]
    fn missing_names_are_found() {
        let text = "\n| a |\n|---|\n| `ids_are_distinct_always`, `ids_were_distinct_once` |";
        let expected = ["docs/a.md:4: `ids_were_distinct_once` is nowhere in the sources"];
        assert_eq!(check_page(text), expected);
        let text = "`tests/a.rs`, `tests/`, `tests/*/b.rs`, `gone/b.rs`, `tests/b.rs`";
        assert_eq!(check_page(text), ["docs/a.md:1: `tests/b.rs` is not in the repository"]);
        assert_eq!(check_page("`min_at`, `CARGO_TARGET_DIR`, `a_b c_d`, ids_are_gone"), [""; 0]);
    }

    #[test]
    fn rows_without_a_test_are_found() {
        let text = "| a | Test |\n|---|---|\n| b | `ids_are` (`docs/a.md`) |\n| c | d |\n\n| e |";
        let expected = ["docs/a.md:3: `ids_are` is no test", "docs/a.md:4: a row without a test"];
        assert_eq!(check_page(text), expected);
        let text = "| a | Test |\n|---|---|\n| b | |\n| c | d |\n\n| e |";
        let expected = [3, 4].map(|line| format!("docs/a.md:{line}: a row without a test"));
        assert_eq!(check_page(text), expected);
        let text = "| Test |\n|---|\n| `ids_are_distinct_always`, `listed`, `awaited`, `given` |\n\
                    | `called`, `paired` |\n| no test, because |";
        assert_eq!(check_page(text), [""; 0]);
        let text = "| Test |\n|---|\n| `helper` |\n| `listed`, `other` |\n| `value` |";
        let expected = [(3, "helper"), (4, "other"), (5, "value")]
            .map(|(line, name)| format!("docs/a.md:{line}: `{name}` is no test"));
        assert_eq!(check_page(text), expected);
    }
}
