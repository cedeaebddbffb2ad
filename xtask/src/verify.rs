//! `cargo xtask verify`: full counts, other tools and other toolchains.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;

use crate::command::{Command, say};
use crate::error::{Error, Result};
use crate::tables::SCHEMES;
use crate::tally::Tally;
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    #[arg(value_parser = PossibleValuesParser::new(LIST.steps.iter().map(|step| &*step.name)))]
    steps: Vec<String>,
    /// Fail if a step cannot run because a tool is missing.
    #[arg(long)]
    strict: bool,
    /// Print the last result of each step, and how many later commits changed its code.
    #[arg(long, conflicts_with_all = ["steps", "strict"])]
    list: bool,
}

/// The last result of each step, with its date and commit.
const RESULTS: &str = "docs/results/steps.md";

#[expect(clippy::expect_used, reason = "the file is a part of this program, and has a test")]
static LIST: LazyLock<List> =
    LazyLock::new(|| toml::from_str(include_str!("../steps.toml")).expect("xtask/steps.toml"));

/// The list of steps, as in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    steps: Vec<VerifyStep>,
    /// Tools that not every machine has, each with a shell command that fails without it and
    /// instructions to install it.
    tools: BTreeMap<String, (String, String)>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct VerifyStep {
    name: String,
    /// The property that it shows, for the table.
    shows: String,
    /// The workspace of cargo, from the repository's root.
    folder: String,
    /// Cargo with words for [`Workspace::cargo`], or a script with arguments.
    run: String,
    needs: Vec<String>,
    env: BTreeMap<String, String>,
}

/// Runs all steps, whether or not some fail, prints a table of the results, and keeps it in
/// [`RESULTS`].
pub(crate) fn verify(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let path = workspace.root.join(RESULTS);
    let read = || {
        let page = fs::read_to_string(&path);
        page.map_err(|reason| Error::Read { path: path.clone(), reason })
    };
    if arguments.list {
        return print(&list(workspace, &read()?));
    }
    let chosen = &arguments.steps;
    let is_chosen = |step: &&VerifyStep| chosen.is_empty() || chosen.contains(&step.name);
    let (mut rows, mut notes, mut failed) = (Vec::new(), String::new(), Vec::new());
    for step in LIST.steps.iter().filter(is_chosen) {
        say(format_args!("verify: {}", step.name));
        let (when, start) = (when(workspace)?, Instant::now());
        let tally = step.run(workspace);
        notes.extend(tally.notes.iter().map(|note| format!("- {}: {note}\n", step.name)));
        if tally.failed > 0 || arguments.strict && did_not_run(&tally) {
            failed.push(&*step.name);
        }
        let row = row(step, &tally, &when, start.elapsed().as_secs());
        if !did_not_run(&tally) {
            // Immediately, because a later step may be interrupted; read again, because other
            // steps may have run in another terminal.
            let page = with_rows(&read()?, &[(&*step.name, row.clone())].into());
            let written = fs::write(&path, page);
            written.map_err(|reason| Error::Write { path: path.clone(), reason })?;
        }
        rows.push(row);
    }
    print(&format!("{HEAD}{}\n\n{notes}", rows.join("\n")))?;
    if failed.is_empty() { Ok(()) } else { Err(Error::NotVerified(failed)) }
}

fn print(text: &str) -> Result<()> {
    io::stdout().write_all(text.as_bytes()).map_err(Error::Output)
}

const NOT_RECORDED: &str = "not recorded";

const HEAD: &str = "| step | shows | result | date | commit | tests | seconds |
|---|---|---|---|---|---:|---:|
";

/// Returns a page with new rows in its table, which keeps the others, in the order of the steps.
/// Steps that have none get one.
fn with_rows(page: &str, new: &BTreeMap<&str, String>) -> String {
    let (before, old) = page.split_once(HEAD).unwrap_or((page, ""));
    let old: BTreeMap<_, _> = old.lines().filter_map(|row| Some((cells(row)?[0], row))).collect();
    let rows = LIST.steps.iter().map(|step| {
        let name = &*step.name;
        let row = new.get(name).map(String::as_str).or_else(|| old.get(name).copied());
        let row = row.map_or_else(
            || format!("| {name} | {} | {NOT_RECORDED} |  |  |  |  |", step.shows),
            str::to_owned,
        );
        format!("{}\n", row.trim_end())
    });
    let rows: String = rows.collect();
    format!("{before}{HEAD}{rows}")
}

/// Returns the cells of a row: step, what it shows, result, date, commit, tests and seconds.
fn cells(row: &str) -> Option<[&str; 7]> {
    let cells = row.strip_prefix('|')?.strip_suffix('|')?;
    Vec::from_iter(cells.split('|').map(str::trim)).try_into().ok()
}

/// Returns the date and the commit as cells, with a plus for uncommitted changes.
fn when(workspace: &Workspace) -> Result<String> {
    let http = httpdate::fmt_http_date(SystemTime::now());
    let (day, month, year) = (&http[5..7], &http[8..11], &http[12..16]);
    let month = "JanFebMarAprMayJunJulAugSepOctNovDec".find(month).unwrap_or(0) / 3 + 1;
    let git = |words: &str| Command::new("git", &workspace.root, "").args(words.split(' ')).read();
    let commit = git("rev-parse --short=8 HEAD")?;
    let is_changed = !git("status --porcelain -- :!docs/results")?.trim().is_empty();
    let plus = if is_changed { "+" } else { "" };
    Ok(format!("{year}-{month:02}-{day} | {}{plus}", commit.trim()))
}

/// Returns a table of all steps with their last results and the number of later commits that
/// changed what they run.
fn list(workspace: &Workspace, page: &str) -> String {
    let rows: BTreeMap<_, _> = page.lines().filter_map(cells).map(|row| (row[0], row)).collect();
    let mut table = "| step | result | date | commit | changed since |\n".to_owned();
    table += "|---|---|---|---|---|\n";
    for step in &LIST.steps {
        let name = &*step.name;
        let unknown = ["", "", NOT_RECORDED, "", "", "", ""];
        let [_, _, result, date, commit, ..] = rows.get(name).unwrap_or(&unknown);
        let changes = match commit.trim_end_matches('+') {
            "" => "unknown".to_owned(),
            commit => {
                let git = Command::new("git", &workspace.root, "");
                let git = git.args(["rev-list", "--count", &format!("{commit}..HEAD"), "--"]);
                // A shallow clone lacks the commit.
                let count = git.args(step.reads(workspace)).read();
                count.map_or("unknown".to_owned(), |count| format!("{} commits", count.trim()))
            }
        };
        table += &format!("| {name} | {result} | {date} | {commit} | {changes} |\n");
    }
    table
}

impl VerifyStep {
    /// Returns the folders and files that decide its result: the packages that it names, what they
    /// and their tests depend on, or else the whole repository.
    fn reads<'a>(&self, workspace: &'a Workspace) -> BTreeSet<&'a str> {
        let names = self
            .run
            .split_whitespace()
            .filter_map(|word| Some(word.strip_prefix('{')?.trim_end_matches('}')));
        let mut open: Vec<String> = names
            .flat_map(|name| match name {
                "schemes" => SCHEMES.map(|folder| folder.replace("crates/", "tickid-")).to_vec(),
                name => vec![format!("tickid-{name}")],
            })
            .collect();
        let mut folders = BTreeSet::new();
        while let Some(name) = open.pop() {
            let package = workspace.packages.iter().find(|package| package.name == name);
            if let Some(package) = package.filter(|package| folders.insert(&*package.folder)) {
                open.extend(package.dependencies.iter().cloned());
            }
        }
        if folders.is_empty() {
            return [":!docs"].into();
        }
        folders.extend(["Cargo.lock", "tests/kit", "xtask/steps.toml"]);
        folders
    }

    fn run(&self, workspace: &Workspace) -> Tally {
        let mut needs = self.needs.iter().map(|tool| &LIST.tools[tool]);
        if let Some((probe, get)) = needs.find(|(probe, _)| !succeeds(probe)) {
            let reason = format!("`{probe}` fails ({get})");
            say(format_args!("not run: {reason}"));
            return Tally { skipped: 1, reasons: [(reason, 1)].into(), ..Tally::default() };
        }
        let command = match self.run.strip_prefix("cargo ") {
            Some(words) => workspace.cargo(&self.folder, words),
            None => Command::new("bash", &workspace.root, "").args(self.run.split(' ')),
        };
        let add = |command: Command, (name, value): (&String, _)| command.env(name, value);
        Tally::of(self.env.iter().fold(command, add), |_| ()).unwrap_or_else(|error| Tally {
            failed: 1,
            failures: vec![error.to_string()],
            ..Tally::default()
        })
    }
}

fn succeeds(probe: &str) -> bool {
    Command::new("sh", Path::new("."), "").args(["-c", probe]).read().is_ok()
}

/// Reports whether a tool was missing or all tests were skipped.
fn did_not_run(tally: &Tally) -> bool {
    tally.passed + tally.failed == 0 && tally.skipped > 0
}

fn row(step: &VerifyStep, tally: &Tally, when: &str, seconds: u64) -> String {
    let reasons = || Vec::from_iter(tally.reasons.keys().map(String::as_str)).join(", ");
    let result = match tally.skipped {
        _ if tally.failed > 0 => format!("**failed**: {}", tally.failures.join(", ")),
        _ if did_not_run(tally) => format!("not run: {}", reasons()),
        0 => "passed".to_owned(),
        skipped => format!("passed; {skipped} skipped: {}", reasons()),
    };
    let result = result.replace('\n', "; ").replace('|', "/");
    let tests = if tally.passed > 0 { tally.passed.to_string() } else { String::new() };
    format!("| {} | {} | {result} | {when} | {tests} | {seconds} |", step.name, step.shows)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_is_sound() {
        let needed: BTreeSet<_> = LIST.steps.iter().flat_map(|step| &step.needs).collect();
        assert_eq!(
            needed,
            LIST.tools.keys().collect(),
            "tools that are needed, and that are listed"
        );
        let names: BTreeSet<_> = LIST.steps.iter().map(|step| &step.name).collect();
        assert_eq!(names.len(), LIST.steps.len(), "each name is unique");
        for VerifyStep { name, shows, run, .. } in &LIST.steps {
            assert!(!name.is_empty() && !shows.is_empty() && !run.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_row_has_the_outcome() {
        let [name, shows] = ["storm", "no ID twice"].map(str::to_owned);
        let step = VerifyStep { name, shows, ..VerifyStep::default() };
        let failures = vec!["a\nb".to_owned()];
        for (passed, failed, skipped, expected) in [
            (3, 0, 0, "passed | DAY | 3"),
            (0, 0, 0, "passed | DAY | "),
            (3, 0, 2, "passed; 2 skipped: no etcd | DAY | 3"),
            (3, 1, 2, "**failed**: a; b | DAY | 3"),
            (0, 0, 2, "not run: no etcd | DAY | "),
        ] {
            let (failures, reasons) = (failures.clone(), [("no etcd".to_owned(), 2)].into());
            let tally = Tally { passed, failed, skipped, failures, reasons, notes: vec![] };
            let expected = format!("| storm | no ID twice | {expected} | 61 |");
            assert_eq!(row(&step, &tally, "DAY", 61), expected);
        }
    }

    #[test]
    fn a_new_result_replaces_the_old_one() {
        let row = |name: &str, date| format!("| {name} | s | passed | {date} | abc |  | 1 |\n");
        let [first, second] = [0, 1].map(|place| &*LIST.steps[place].name);
        let page = format!("# Page\n\n{HEAD}{}{}", row(second, "old"), row("gone", "old"));
        let expected = format!("# Page\n\n{HEAD}{}{}", row(first, "new"), row(second, "old"));
        let found = with_rows(&page, &[(first, row(first, "new"))].into());
        let others = found.strip_prefix(&expected).unwrap().lines();
        let expected = LIST.steps[2..]
            .iter()
            .map(|step| format!("| {} | {} | not recorded |  |  |  |  |", step.name, step.shows));
        assert!(others.eq(expected), "{found}");
        assert_eq!(with_rows(&found, &BTreeMap::new()), found);
    }

    #[test]
    fn a_step_reads_what_it_builds() {
        let package = |name: &str, dependencies: &[&str]| crate::workspace::Package {
            name: format!("tickid-{name}"),
            folder: format!("crates/{name}"),
            dependencies: dependencies.iter().map(|name| format!("tickid-{name}")).collect(),
            ..Default::default()
        };
        let packages = vec![package("core", &[]), package("lease", &["core"]), package("cli", &[])];
        let workspace = Workspace { root: "".into(), packages };
        let reads = |run: &str| {
            let step = VerifyStep { run: run.to_owned(), ..VerifyStep::default() };
            Vec::from_iter(step.reads(&workspace))
        };
        let expected =
            ["Cargo.lock", "crates/core", "crates/lease", "tests/kit", "xtask/steps.toml"];
        assert_eq!(reads("cargo test {lease} --lib"), expected);
        assert_eq!(reads(".ci/web"), [":!docs"]);
    }

    #[test]
    fn the_page_has_the_table() {
        let page = include_str!("../../docs/results/steps.md");
        assert_eq!(with_rows(page, &BTreeMap::new()), page, "only known steps, in their order");
        let (_, rows) = page.split_once(HEAD).unwrap();
        for row in rows.lines() {
            let [_, _, result, date, commit, ..] = cells(row).unwrap();
            let is_dated = date.len() == 10 && date.starts_with("20");
            assert!(is_dated || result == NOT_RECORDED, "{row}");
            let hash = commit.trim_end_matches('+');
            assert!(hash.is_empty() || hash.len() >= 7, "{row}");
        }
    }

    /// So that readers see how old they are.
    #[test]
    fn results_name_their_commit() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is_date = |word: &str| word.len() == 10 && word.starts_with("20");
        let is_hash = |rest: &str| {
            let word = rest.trim_start_matches([' ', '|', '`']);
            word.find(|c: char| !c.is_ascii_hexdigit()).is_some_and(|end| (7..=8).contains(&end))
        };
        for file in files.filter(|file| file.extension().is_some_and(|kind| kind == "md")) {
            let page = fs::read_to_string(&file).unwrap();
            let mut words = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            assert!(words.any(is_date), "no date: {}", file.display());
            // The table of steps has a column of them.
            let is_named = page.contains(HEAD) || page.split("commit").skip(1).any(is_hash);
            assert!(is_named, "no commit: {}", file.display());
        }
    }

    #[test]
    fn missing_tools_are_noticed() {
        assert!(succeeds("cargo --version | grep 'cargo 1.'"));
        assert!(!succeeds("no-such-program"));
    }
}
