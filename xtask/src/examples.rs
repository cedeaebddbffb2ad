//! The libraries' examples, and the output that their documentation shows.

use std::path::Path;
use std::process;

use anyhow::{Context as _, bail, ensure};

use crate::command::say;
use crate::files::{self, Files};
use crate::tables::LIBRARIES;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// An example, and the output that its documentation shows.
#[derive(Debug, PartialEq, Eq)]
struct Example<'a> {
    name: &'a str,
    shown: Vec<&'a str>,
}

/// Runs every example whose documentation shows its output, and compares the two.
///
/// `options` select the packages and features as for the tests, which have built the examples.
pub(crate) fn run(workspace: &Workspace, options: &[&str]) -> anyhow::Result<Tally> {
    let build = workspace.cargo("", "build --profile test --examples");
    let mut tally = Tally::default();
    if let Err(error) = build.args(options.iter().filter(|option| !option.is_empty())).run() {
        tally.fail(error.to_string());
        return Ok(tally);
    }
    let this = std::env::current_exe()?;
    let folder = this.parent().unwrap_or(Path::new(".")).join("examples");
    for example in examples(&files::read(&workspace.root)?) {
        match check(&example, &folder) {
            Ok(()) => tally.passed += 1,
            Err(reason) => tally.fail(format!("example {}: {reason:#}", example.name)),
        }
    }
    say(format_args!("examples: {} passed, {} failed", tally.passed, tally.failed));
    Ok(tally)
}

/// Finds the examples that show a command without extra arguments, and its output.
fn examples(files: &Files) -> Vec<Example<'_>> {
    let is_example = |path: &str| path.starts_with(LIBRARIES) && path.contains("/examples/");
    let examples = files.iter().filter(|(path, _)| is_example(path) && path.ends_with(".rs"));
    examples.filter_map(|(_, text)| example(text)).collect()
}

fn example(text: &str) -> Option<Example<'_>> {
    let documentation = text.lines().map_while(|line| line.strip_prefix("//!"));
    let mut lines = documentation.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let command = lines.find_map(|line| line.strip_prefix("$ cargo run "))?;
    let (_, rest) = command.split_once("--example ")?;
    let (name, options) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_plain = options.is_empty() || options.starts_with("--features ");
    is_plain.then(|| Example { name, shown: lines.take_while(|line| *line != "```").collect() })
}

fn check(example: &Example<'_>, folder: &Path) -> anyhow::Result<()> {
    let program = folder.join(format!("{}{}", example.name, std::env::consts::EXE_SUFFIX));
    let output = process::Command::new(&program).output();
    let output = output.with_context(|| format!("cannot run {}", program.display()))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", output.status, stderr.trim_end());
    let printed = String::from_utf8_lossy(&output.stdout);
    let (lines, shown) = (printed.lines().count(), example.shown.len());
    ensure!(lines == shown, "prints {lines} lines, and {shown} are shown");
    match printed.lines().zip(&example.shown).find(|(printed, shown)| !agree(printed, shown)) {
        Some((printed, shown)) => bail!("prints `{printed}`, and `{shown}` is shown"),
        None => Ok(()),
    }
}

/// Reports whether a line has the words of another. A word with a digit, such as an ID or a time,
/// matches any word.
fn agree(printed: &str, shown: &str) -> bool {
    let (mut printed, mut shown) = (printed.split_whitespace(), shown.split_whitespace());
    let is_any = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    shown.all(|word| printed.next().is_some_and(|other| other == word || is_any(word)))
        && printed.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! Does it.\n//!\n//! ```text\n//! $ cargo run -p a --example a-b\n\
                        //! 1 ID\n//! done\n//! ```\n\nfn main() {}\n";

    #[test]
    fn shown_outputs_are_found() {
        let expected = Example { name: "a-b", shown: vec!["1 ID", "done"] };
        assert_eq!(example(TEXT), Some(expected));
        let with_features = TEXT.replace("a-b", "a-b --features serde");
        assert_eq!(example(&with_features).map(|example| example.name), Some("a-b"));
        assert_eq!(example(&TEXT.replace("a-b", "a-b &")), None);
        assert_eq!(example("//! Does it.\n\nfn main() {}\n"), None);
    }

    #[test]
    fn words_with_digits_vary() {
        assert!(agree("from  9q8s now", "from 0u37 now"));
        assert!(!agree("from 9q8s now", "from 0u37 then"));
        assert!(!agree("from 9q8s", "from 0u37 now"));
        assert!(!agree("from 9q8s now", "from 0u37"));
    }
}
