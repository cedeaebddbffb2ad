//! The pages, which a reader follows one after the other with one store, and the output that they
//! show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tickid_lease::session::WaitReason;

use crate::process::{ran, tickid};

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
/// The pages that are the READMEs of packages.
const PACKAGES: [&str; 2] = ["clients/node", "clients/python"];

/// A realm of two pages, which the second page would find with another scheme or other nodes.
#[test]
fn every_page_has_its_own_realms() {
    let mut realms = BTreeMap::new();
    let mut pages = Vec::new();
    add_pages(Path::new(PAGES), &mut pages);
    let readme = |package| Path::new(PAGES).join("../apps").join(package).join("README.md");
    pages.extend(PACKAGES.map(readme));
    for page in &pages {
        for realm in created(&fs::read_to_string(page).expect("a page")) {
            let other = realms.insert(realm.clone(), page).filter(|other| *other != page);
            assert_eq!(other, None, "{} creates the realm {realm} as well", page.display());
        }
    }
    let server = Path::new(PAGES).join("server.md");
    assert_eq!(realms.get("orders"), Some(&&server), "{realms:?}");
    assert!(realms.len() >= 10, "{realms:?}");
}

/// What `/readyz`, the log and metrics show is looked up in the table.
#[test]
fn the_runbook_has_every_reason() {
    let page = fs::read_to_string(Path::new(PAGES).join("runbook.md")).expect("a page");
    let (_, table) = page.split_once("| reason | do |").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let rows = table.lines().filter_map(|row| row.strip_prefix("| ")?.split(" |").next());
    let named: BTreeSet<&str> = rows.flat_map(|reasons| reasons.split(", ")).collect();
    for reason in WaitReason::ALL {
        let label = format!("`{}`", reason.label());
        assert!(named.contains(&*label), "{label} is not in {named:?}");
    }
}

fn add_pages(folder: &Path, pages: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
}

/// Returns the realms that a page creates: by `serve --realm NAME=SCHEME`, a line of the shell that
/// names a scheme before `--realm NAME`, or in Rust.
fn created(page: &str) -> Vec<String> {
    let text = page.replace('\n', " ");
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let name = |text: &str| text.split(|it| !is_of_name(it)).next().unwrap_or_default().to_owned();
    let served = text.match_indices("--realm ").filter_map(|(at, option)| {
        let realm = name(&text[at + option.len()..]);
        text[at + option.len() + realm.len()..].starts_with('=').then_some(realm)
    });
    let lines = page.lines().filter_map(|line| {
        let (before, after) = line.split_once("--realm ")?;
        let is_new = ["lease init ", "tickid sql ", "gen "].iter().any(|it| before.contains(it));
        is_new.then(|| name(after))
    });
    let built = text.match_indices("Realm::builder(\"");
    let built = built.map(|(at, start)| name(&text[at + start.len()..]));
    let found = served.chain(lines).chain(built);
    // Places for a name.
    found.filter(|realm| realm.chars().any(|it| it.is_ascii_lowercase())).collect()
}

/// Every command of the pages that show what it prints.
#[cfg(target_os = "linux")]
#[test]
#[cfg_attr(not(feature = "full"), ignore = "needs the feature full")]
fn pages_show_what_commands_print() {
    for page in ["command.md", "data-tools.md", "inspect.md"] {
        let text = fs::read_to_string(Path::new(PAGES).join(page)).expect("a page");
        let commands = shown(&text);
        assert!(commands.len() >= 5, "{page}: {commands:?}");
        // The commands of a page follow one another in one folder.
        let [first, second] = [(); 2].map(|()| TempDir::new().expect("creates"));
        for (command, output) in commands {
            let printed = [&first, &second].map(|folder| printed(folder.path(), &command));
            // What differs between two runs, such as a new ID, need not be that of the page.
            let varies = printed[0] != printed[1];
            let [printed, _] = printed;
            let agree = match command.starts_with("tickid doctor ") {
                // Other machines have other problems, and other hints.
                true => topics(&output).is_subset(&topics(&printed)),
                false if varies => alike(&printed, &output),
                false => printed == output,
            };
            assert!(agree, "{page}: {command}\nprints\n{printed}\nand not\n{output}");
        }
    }
}

/// What README.md shows below its first commands.
#[test]
fn the_readme_shows_what_inspect_prints() {
    let page = include_str!("../../../../README.md");
    let (_, command) = page.split_once("tickid-cli -- inspect ").expect("the command");
    let id = command.split_whitespace().next().expect("an ID");
    let printed = ran(&mut tickid(&format!("inspect {id}"))).stdout;
    assert!(page.contains(&format!("\n```text\n{printed}```\n")), "{printed}");
}

/// The formulas of the pages, as a shell computes them.
#[cfg(unix)]
#[test]
fn formulas_of_the_pages_are_those_of_the_command() {
    let page = |name: &str| fs::read_to_string(Path::new(PAGES).join(name)).expect("a page");
    let number = |output: &str| output.trim().parse::<u64>().expect("a number");
    let computed = |formula: &str, name: &str, value: u64| {
        let shell = format!("{name}={value}; echo $(({formula}))");
        number(&ran(Command::new("sh").args(["-c", &shell])).stdout)
    };
    let printed = |arguments: String| {
        let ran = ran(&mut tickid(&arguments));
        // Some times are far away, which is remarked.
        assert_eq!(ran.status, 0, "{arguments}: {}", ran.stderr);
        ran.stdout
    };
    let time_of = |format: &str, id: &str| {
        number(&printed(format!("inspect --from {format} --template {{unix_ms}} {id}")))
    };
    let ids = [1 << 44, 175_928_847_299_117_063, 1_566_240_355_123_200_000];
    let tools = page("data-tools.md");
    for (title, format) in [
        ("Discord", "discord"),
        ("[Nanoflake]", "nanoflake/decimal"),
        ("Instagram", "instagram"),
        ("[SCRU64]", "scru64"),
        ("Sonyflake", "sonyflake"),
    ] {
        let row = tools.lines().find(|line| line.starts_with(&format!("| {title}")));
        let formulas: Vec<&str> = row.expect("a row").split('`').skip(1).step_by(2).collect();
        let [time, first] = formulas[..] else { panic!("{title}: {formulas:?}") };
        for id in ids {
            let is_integer = format != "scru64";
            let form = if is_integer { id.to_string() } else { format!("{id:#018x}") };
            assert_eq!(computed(time, "id", id), time_of(format, &form), "{title}: {id}");
        }
        for millis in [1_780_000_000_000_u64, 1_793_491_200_001, 1_793_491_200_255] {
            let name = format.split('/').next().unwrap_or_default();
            let until = millis + 100_000;
            let range = printed(format!("range {name} --since {millis} --until {until} --as int"));
            let min = number(range.lines().next().expect("a lowest ID"));
            assert_eq!(computed(first, "time", millis), min, "{title}: {millis}");
        }
    }
    for (name, format, variable) in [
        ("schemes/nanoflake.md", "nanoflake/decimal", "id"),
        ("schemes/scru64.md", "scru64", "id"),
        ("schemes/snowflake.md", "discord", "id"),
        ("schemes/kuid.md", "kuid", "id"),
        ("schemes/sno.md", "sno", "n"),
    ] {
        let text = page(name);
        // Not those of examples in Rust.
        let start = ["`time = (", "\ntime = ("].iter().find_map(|start| text.find(start));
        let (_, formula) = text[start.expect("a formula")..].split_once("= ").expect("a formula");
        let formula = formula.split(['`', '\n']).next().expect("its end");
        for id in [27_084_864_703_004_673_u64, 27_084_864_786_890_753] {
            let (value, form) = match format {
                // The first five bytes of ten.
                "sno" => (id >> 24, format!("0x{id:016x}0000")),
                "discord" | "nanoflake/decimal" => (id, id.to_string()),
                _ => (id, format!("0x{id:016x}")),
            };
            let expected = time_of(format, &form);
            assert_eq!(computed(formula, variable, value), expected, "{name}: {id}");
        }
    }
}

/// Returns the commands in the blocks `console` of a page, each with the output that follows it.
fn shown(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for block in page.split("\n```console\n").skip(1) {
        let (block, _) = block.split_once("```").expect("an end");
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push((command.to_owned(), String::new()));
            } else {
                let (_, output) = commands.last_mut().expect("a command before its output");
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    commands
}

/// Runs a line of the shell in a folder, and returns its output and then its errors.
fn printed(folder: &Path, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_tickid")).parent().expect("a folder");
    let programs = format!("{}:{}", program.display(), std::env::var("PATH").expect("PATH"));
    let command = tickid("");
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let ran = ran(shell.env("PATH", programs).env("XDG_STATE_HOME", folder));
    ran.stdout + &ran.stderr
}

/// Reports whether two texts have the same lines, but for words with a digit or a path.
fn alike(printed: &str, shown: &str) -> bool {
    let words = |text: &str| -> Vec<Vec<String>> {
        let is_fixed = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '/');
        let word = |word: &str| Some(word).filter(is_fixed).unwrap_or("").to_owned();
        text.lines().map(|line| line.split_whitespace().map(word).collect()).collect()
    };
    words(printed) == words(shown)
}

/// Returns the second column of the lines that `doctor` prints.
fn topics(text: &str) -> BTreeSet<&str> {
    text.lines().filter_map(|line| line.get(9..21)).map(str::trim).collect()
}
