//! The README's numbers of crates.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::files::{Files, Finding};
use crate::workspace::Workspace;

const README: &str = "README.md";

/// The openings of the README's lines with numbers, each with the packages and options of `cargo
/// tree` that count third-party crates, build scripts' included.
const THIRD_PARTY: &[(&str, &[&str])] = &[
    ("| a scheme |", &["{schemes}"]),
    ("| a scheme without `std` |", &["{schemes} --no-default-features"]),
    ("| `convert` |", &["{schemes} {convert}"]),
    ("| `lease` |", &["{lease}"]),
    (
        "| `lease` with",
        &[
            "{lease} --features redis",
            "{lease} --features etcd",
            "{lease} --features postgres",
            "{lease} --features mysql",
        ],
    ),
];

/// The line with the number of all crates of the lean command.
const COMMAND: &str = "cargo run --release -p tickid-cli ";

pub(crate) fn check(workspace: &Workspace, files: &Files) -> Result<Vec<Finding>> {
    let tree = |words: &str| {
        let words = format!("tree --locked --prefix=none --edges=normal,build {words}");
        workspace.cargo("", &words).read()
    };
    let mut expected = Vec::new();
    for (opening, packages) in THIRD_PARTY {
        let counts = packages.iter().map(|words| {
            let tree = tree(words)?;
            Ok(crates(&tree).filter(|name| !name.starts_with("tickid")).count().to_string())
        });
        let counts = counts.collect::<Result<Vec<_>>>()?;
        expected.push((*opening, format!("| {} |", counts.join(", "))));
    }
    let all = crates(&tree("{cli}")?).count();
    expected.push((COMMAND, format!("# {all} crates, ")));
    let readme = files.get(README).map_or("", String::as_str);
    Ok(expected.iter().filter_map(|(opening, text)| find(readme, opening, text)).collect())
}

/// Returns the crates, each once, in the output of `cargo tree`, such as `a v1.0.0 (/a) (*)`.
fn crates(tree: &str) -> impl Iterator<Item = &str> {
    let crates = tree.lines().filter(|line| !line.is_empty());
    let crates = crates.map(|line| line.split(" (").next().unwrap_or(line));
    BTreeSet::from_iter(crates).into_iter()
}

/// Finds the line with an opening that does not hold a text.
fn find(readme: &str, opening: &str, text: &str) -> Option<Finding> {
    let mut lines = readme.lines().zip(1..);
    let Some((line, number)) = lines.find(|(line, _)| line.starts_with(opening)) else {
        return Some(Finding::new(README, 0, format!("no line opens with `{opening}`")));
    };
    let is_told = line.contains(text);
    (!is_told).then(|| Finding::new(README, number, format!("the right number: `{text}`")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::lines;

    #[test]
    fn wrong_numbers_are_found() {
        let readme = "# A\n| a | b | 30, 31 |\n";
        let check = |opening, text| lines(Vec::from_iter(find(readme, opening, text)));
        assert_eq!(check("| a |", "| 30, 31 |"), [""; 0]);
        let expected = ["README.md:2: the right number: `| 30, 3 |`"];
        assert_eq!(check("| a |", "| 30, 3 |"), expected);
        assert_eq!(check("| b |", "| 3 |"), ["README.md: no line opens with `| b |`"]);
    }

    #[test]
    fn each_crate_counts_once() {
        let tree = "a v1.0.0 (/a)\nb v1.0.0\nb v2.0.0 (proc-macro)\n\nb v1.0.0 (*)\n";
        assert_eq!(Vec::from_iter(crates(tree)), ["a v1.0.0", "b v1.0.0", "b v2.0.0"]);
    }
}
