//! Links from one file of the repository to another.

use crate::tidy::{Files, Finding};

/// The links of the Markdown file at `path` that lead nowhere.
pub(super) fn check(path: &str, text: &str, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in outside_of_fences(text) {
        // What stands between backticks is code, not a link.
        let line: String = line.split('`').step_by(2).collect();
        for target in targets(&line) {
            if let Err(reason) = resolve(path, target, files) {
                findings.push(Finding {
                    path: path.to_owned(),
                    line: Some(number),
                    message: format!("link to {target}: {reason}"),
                });
            }
        }
    }
    findings
}

/// The lines that are not in code blocks, with their numbers from 1.
fn outside_of_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut open = None;
    let lines = text.lines().enumerate();
    lines.filter_map(move |(number, line)| {
        let starts = |fence: &&str| line.trim_start().starts_with(*fence);
        let fence = ["```", "~~~"].into_iter().find(starts);
        match (open, fence) {
            (None, None) => return Some((number + 1, line)),
            (None, Some(_)) => open = fence,
            (Some(_), _) if open == fence => open = None,
            (Some(_), _) => {}
        }
        None
    })
}

/// What a line links to: `[text](target "title")`, `[name]: target`, `href="target"`, `src="target"`.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (start, end) in [("](", ')'), ("href=\"", '"'), ("src=\"", '"')] {
        let after = line.split(start).skip(1);
        targets.extend(after.filter_map(|after| after.split_once(end)));
    }
    let definition = line.trim_start().strip_prefix('[');
    // `[^1]: ` is a footnote.
    let definition = definition.filter(|line| !line.starts_with('^'));
    let definition = definition.and_then(|line| line.split_once("]: "));
    targets.extend(definition.map(|(name, target)| (target, name)));
    targets
        .into_iter()
        .filter_map(|(target, _)| target.split_whitespace().next())
        .map(|target| target.trim_matches(['<', '>']))
        .collect()
}

fn resolve(from: &str, target: &str, files: &Files) -> Result<(), &'static str> {
    // Other sites, and items of a crate whose documentation includes the file.
    let elsewhere = ["//", "mailto:", "::"];
    if elsewhere.iter().any(|mark| target.contains(mark)) {
        return Ok(());
    }
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let file = if file.is_empty() { from.to_owned() } else { join(from, file)? };
    let folder = if file.is_empty() { file.clone() } else { format!("{file}/") };
    let Some(text) = files.get(&file) else {
        let is_folder = files.keys().any(|path| path.starts_with(&folder));
        return if is_folder { Ok(()) } else { Err("no such file") };
    };
    match anchor {
        Some(anchor) if file.ends_with(".md") && !anchors(text).iter().any(|a| a == anchor) => {
            Err("no such heading")
        }
        _ => Ok(()),
    }
}

/// Where `target`, a link in the file `from`, leads to from the root.
fn join(from: &str, target: &str) -> Result<String, &'static str> {
    if target.starts_with('/') {
        return Err("absolute");
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or("leaves the repository")?),
            _ => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// What a Markdown file lets others link to, named as the forges do: its headings in lower case,
/// without punctuation, with hyphens for spaces, and a number where the name was taken.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors = Vec::<String>::new();
    for (_, line) in outside_of_fences(text) {
        let Some(heading) = line.trim_start_matches('#').strip_prefix(' ') else {
            continue;
        };
        if !line.starts_with('#') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = heading.trim().chars().filter(kept).collect();
        let anchor = anchor.to_lowercase().replace(' ', "-");
        let numbered = (1..).map(|n| format!("{anchor}-{n}"));
        let free = |name: &String| !anchors.contains(name);
        let name = core::iter::once(anchor.clone()).chain(numbered).find(free);
        anchors.extend(name);
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let files = [
            ("README.md", "# A b\n"),
            ("docs/a.md", text),
            ("docs/b.md", "# One, two: `three`\n## Same\n## Same\n```\n# code\n```\n"),
            ("docs/img/c.svg", ""),
        ];
        let files = Files::from(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let findings = check("docs/a.md", text, &files);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        for (link, target, reason) in [
            ("[a](gone.md)", "gone.md", "no such file"),
            ("[a](b.md), [b](gone.md)", "gone.md", "no such file"),
            ("[`a`](gone.md \"Title\")", "gone.md", "no such file"),
            ("![a](img/gone.svg)", "img/gone.svg", "no such file"),
            ("[![a](img/c.svg)](gone.md)", "gone.md", "no such file"),
            ("[a]: gone.md", "gone.md", "no such file"),
            ("[a]: <gone.md>", "gone.md", "no such file"),
            ("<img src=\"gone.svg\">", "gone.svg", "no such file"),
            ("<a href=\"gone.md\">", "gone.md", "no such file"),
            ("[a](README.md)", "README.md", "no such file"),
            ("[a](../../README.md)", "../../README.md", "leaves the repository"),
            ("[a](/README.md)", "/README.md", "absolute"),
            ("[a](#gone)", "#gone", "no such heading"),
            ("[a](b.md#gone)", "b.md#gone", "no such heading"),
            ("[a](b.md#same-2)", "b.md#same-2", "no such heading"),
            ("[a](b.md#code)", "b.md#code", "no such heading"),
        ] {
            let expected = format!("docs/a.md:1: link to {target}: {reason}");
            assert_eq!(messages(link), [expected], "{link}");
        }
    }

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        for text in [
            "[a](b.md) [b](./b.md) [c](../README.md#a-b) [d](img/c.svg) [e](img) [f](img/) [g](..)",
            "[a](b.md#one-two-three) [b](b.md#same) [c](b.md#same-1)",
            "# Here\n[a](#here)",
            "[a](https://example.org/gone.md) [b](mailto:a@example.org) [c](crate::Gone)",
            "`[a](gone.md)`",
            "```\n[a](gone.md)\n~~~\n[a](gone.md)\n```\n~~~\n[a](gone.md)\n~~~",
            "[^1]: gone.md",
        ] {
            assert_eq!(messages(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_code_blocks() {
        let text = "a\n```\nb\n```\n[a](gone.md)";
        assert_eq!(messages(text), ["docs/a.md:5: link to gone.md: no such file"]);
    }
}
