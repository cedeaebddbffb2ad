//! The prose of comments, Markdown and HTML, and the length of functions' names.

use std::collections::BTreeSet;

use crate::files::{Files, Finding};

const MAX_COLUMNS: usize = 100;
const MAX_NAME: usize = 40;

/// Openings of doc comments that lack a verb or a noun.
const OPENINGS: [&str; 8] = ["What", "Whether", "How", "Who", "Whose", "Whom", "Where", "Which"];

/// Words for persons where the prose is about programs, and their replacements.
const WORDS: [(&str, &str); 7] = [
    ("nobody", "no process, no caller"),
    ("somebody", "another process, a caller"),
    ("whoever", "the caller, any thread that"),
    ("he", "it, the caller"),
    ("him", "it, the caller"),
    ("his", "its, the caller's"),
    ("himself", "itself"),
];

pub(crate) fn check(files: &Files) -> Vec<Finding> {
    files.iter().flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
    let is_markdown = kind == "md";
    let marks: &[_] = match kind {
        "rs" => &["///", "//!", "//"],
        "toml" | "yml" | "yaml" | "sh" => &["#"],
        "sql" | "lua" => &["--"],
        "ts" | "js" => &["/**", "*/", "*", "//"],
        "css" => &["/*"],
        "md" | "html" => &[""],
        _ if path.starts_with(".ci/") => &["#"],
        _ => &[],
    };
    let mut findings = Vec::new();
    let (mut mark_before, mut is_fenced) = ("", false);
    for (number, line) in (1..).zip(text.lines()) {
        let mut find = |message| findings.push(Finding::new(path, number, message));
        if let Some(name) = long_name(line).filter(|_| kind == "rs") {
            find(format!("the name {name} has over {MAX_NAME} characters"));
        }
        let mark = marks.iter().find(|mark| line.trim_start().starts_with(**mark)).copied();
        let Some(mark) = mark else {
            (mark_before, is_fenced) = ("", false);
            continue;
        };
        let prose = line.trim_start()[mark.len()..].trim();
        if ["```", "~~~"].iter().any(|fence| prose.starts_with(fence)) {
            is_fenced = !is_fenced;
            mark_before = if is_markdown { "" } else { mark };
            continue;
        }
        if !is_fenced {
            let opening = prose.split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
            let opens = mark != mark_before && ["///", "//!", "/**", "*"].contains(&mark);
            if opens && OPENINGS.contains(&opening) {
                find(format!("a doc comment opens with \"{opening}\""));
            }
            for (word, instead) in words(prose) {
                find(format!("\"{word}\": better {instead}"));
            }
        }
        let columns = line.chars().count();
        let is_exempt = is_fenced && is_markdown
            || !is_fenced && ["](", "://"].iter().any(|link| prose.contains(link))
            || prose.starts_with('|');
        if columns > MAX_COLUMNS && !is_exempt {
            find(format!("{columns} columns, more than {MAX_COLUMNS}"));
        }
        mark_before = if is_markdown { "" } else { mark };
    }
    findings
}

/// Returns the name of a function that is defined in a line, if it is too long.
fn long_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_code = before.trim().split(' ').all(|word| !word.contains(['/', '"']));
    let name = after.split(['(', '<']).next()?;
    (is_code && name.len() > MAX_NAME).then_some(name)
}

/// Returns the words that a line should not have; code between backticks is left out.
fn words(prose: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let text: String = prose.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let present: BTreeSet<_> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
    WORDS.into_iter().filter(move |(word, _)| present.contains(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::lines;

    fn check_text(path: &str, text: &str) -> Vec<String> {
        lines(check_file(path, text))
    }

    #[test]
    fn bad_habits_are_found() {
        let long = "ab ".repeat(34);
        let name = "a".repeat(41);
        for (path, text, finding) in [
            ("a.rs", "/// What it is.", "a doc comment opens with \"What\""),
            ("a.rs", "    //! How it works.", "a doc comment opens with \"How\""),
            ("a.ts", "/** What it is. */", "a doc comment opens with \"What\""),
            ("a.js", "// then he may", "\"he\": better it, the caller"),
            ("a.css", "/* his */", "\"his\": better its, the caller's"),
            ("a.md", "Nobody reads it.", "\"nobody\": better no process, no caller"),
            ("a.rs", "    // then he may", "\"he\": better it, the caller"),
            (".ci/run", "# whoever", "\"whoever\": better the caller, any thread that"),
            ("a.md", &long, "102 columns, more than 100"),
            ("a.rs", &format!("// {long}"), "105 columns, more than 100"),
            ("a.yml", &format!("# {long}"), "104 columns, more than 100"),
            (
                "a.rs",
                &format!("fn {name}<T>() {{}}"),
                &format!("the name {name} has over 40 characters"),
            ),
        ] {
            assert_eq!(check_text(path, text), [format!("{path}:1: {finding}")], "{text}");
        }
        let example = format!("/// ```\n/// {long}\n/// ```");
        assert_eq!(check_text("a.rs", &example), ["a.rs:2: 106 columns, more than 100"]);
    }

    #[test]
    fn other_lines_are_fine() {
        let long = "ab ".repeat(34);
        for (path, text) in [
            ("a.rs", "/// Whatever"),
            ("a.rs", "/// A\n/// What\n// What"),
            ("a.rs", "let he = \"nobody\"; // he"),
            ("a.md", "What it is: `he` the\n```\nnobody\n```"),
            ("a.toml", "he = 1"),
            ("a.ts", "/**\n * The ID.\n *\n * What\n */\nlet he = 1;"),
            ("a.md", &format!("| {long} |\n[a](b.md) {long}\n```\n{long}\n```")),
            ("a.rs", &format!("//! | {long}\nlet a = \"{long}\";")),
            ("a.md", &"ä".repeat(100)),
            ("a.rs", &format!("fn {}() {{ \"fn {long}\" }}", "a".repeat(40))),
        ] {
            assert_eq!(check_text(path, text), [""; 0], "{text}");
        }
    }
}
