use crate::error::Error;
use crate::run::{Run, say};
use crate::workspace::Workspace;

/// One line of what is verified.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// For the table, in a few words.
    pub(super) shows: &'static str,
    needs: Vec<&'static Need>,
    work: Work,
}

/// What a step needs that not every machine has.
pub(super) struct Need {
    pub(super) what: &'static str,
    /// A command that succeeds where it is there,
    pub(super) probe: &'static [&'static str],
    /// and prints this.
    pub(super) prints: &'static str,
    /// How to get it.
    pub(super) get: &'static str,
}

const NIGHTLY: Need = Need {
    what: "nightly toolchain",
    probe: &["rustup", "run", "nightly", "cargo", "--version"],
    prints: "cargo",
    get: "rustup toolchain install nightly",
};

enum Work {
    Chore(fn(&Workspace) -> Result<(), Error>),
    Cargo(Cargo),
}

#[derive(Default)]
struct Cargo {
    is_nightly: bool,
    folder: &'static str,
    args: Vec<&'static str>,
    env: Vec<(&'static str, &'static str)>,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed(Heard),
    Failed(String),
    /// And why not.
    NotRun(String),
}

/// What tests say of themselves.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) passed: u64,
    pub(super) ignored: u64,
    /// Why tests were ignored, each reason once.
    pub(super) reasons: Vec<String>,
    /// Counts to go into the table: what they print after `shown: `.
    pub(super) shown: Vec<String>,
}

/// A step that runs cargo.
pub(super) fn cargo(name: &'static str, shows: &'static str) -> Step {
    Step { name, shows, needs: Vec::new(), work: Work::Cargo(Cargo::default()) }
}

/// A step that is a chore of its own.
pub(super) fn chore(
    name: &'static str,
    shows: &'static str,
    run: fn(&Workspace) -> Result<(), Error>,
) -> Step {
    Step { name, shows, needs: Vec::new(), work: Work::Chore(run) }
}

impl Step {
    /// Is left out where this is missing.
    pub(super) fn needs(mut self, need: &'static Need) -> Self {
        self.needs.push(need);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Cargo)) -> Self {
        if let Work::Cargo(cargo) = &mut self.work {
            change(cargo);
        }
        self
    }

    /// What to tell cargo, separated by spaces.
    pub(super) fn args(self, args: &'static str) -> Self {
        self.with(|cargo| cargo.args.extend(args.split_whitespace()))
    }

    /// In a workspace of its own, from the repository's root.
    pub(super) fn folder(self, folder: &'static str) -> Self {
        self.with(|cargo| cargo.folder = folder)
    }

    /// With the nightly toolchain.
    pub(super) fn nightly(self) -> Self {
        self.with(|cargo| cargo.is_nightly = true).needs(&NIGHTLY)
    }

    pub(super) fn env(self, name: &'static str, value: &'static str) -> Self {
        self.with(|cargo| cargo.env.push((name, value)))
    }

    fn has_tests(&self) -> bool {
        matches!(&self.work, Work::Cargo(cargo) if cargo.args.contains(&"test"))
    }

    /// Runs the step.
    pub(super) fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some(missing) = self.needs.iter().find(|need| !need.is_there()) {
            let Need { what, get, .. } = missing;
            say(format_args!("not run: no {what} ({get})"));
            return Outcome::NotRun(format!("no {what} ({get})"));
        }
        let printed = match &self.work {
            Work::Chore(run) => run(workspace).map(|()| None),
            Work::Cargo(cargo) => cargo.run(workspace).overhear().map(Some),
        };
        match printed {
            Ok(Some(printed)) if self.has_tests() => Heard::of(&printed).outcome(),
            Ok(_) => Outcome::Passed(Heard::default()),
            Err(error) => {
                say(format_args!("error: {error}"));
                Outcome::Failed(error.to_string())
            }
        }
    }
}

impl Need {
    fn is_there(&self) -> bool {
        let Some((program, args)) = self.probe.split_first() else { return true };
        Run::program(program).args(args).read().is_ok_and(|said| said.contains(self.prints))
    }
}

impl Cargo {
    fn run(&self, workspace: &Workspace) -> Run {
        let run = if self.is_nightly {
            workspace.nightly_cargo_in(self.folder, &self.args)
        } else {
            workspace.cargo_in(self.folder, &self.args)
        };
        self.env.iter().fold(run, |run, (name, value)| run.env(name, value))
    }
}

impl Heard {
    /// By the lines of both harnesses: Rust's own, and the one for tests with servers.
    fn of(printed: &str) -> Self {
        let mut heard = Self::default();
        for line in printed.lines() {
            if let Some(shown) = line.strip_prefix("shown: ") {
                heard.shown.push(shown.to_owned());
            } else if let Some(counts) = line.strip_prefix("test result: ok. ") {
                heard.passed += count(counts, " passed");
                heard.ignored += count(counts, " ignored");
            } else if let Some(reason) = reason(line) {
                heard.reasons.push(reason.to_owned());
            }
        }
        heard.reasons.sort_unstable();
        heard.reasons.dedup();
        heard
    }

    /// Tests that were all left out show nothing.
    fn outcome(self) -> Outcome {
        match (self.passed, self.ignored) {
            (0, 0) => Outcome::Failed("there was no test to run".to_owned()),
            (0, _) => Outcome::NotRun(self.reasons.join(", ")),
            _ => Outcome::Passed(self),
        }
    }
}

/// The number before a word, as in "3 passed; 1 failed".
fn count(counts: &str, word: &str) -> u64 {
    let count = counts.split(';').find_map(|part| part.trim_start().strip_suffix(word));
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// Why a test was ignored: "test [Redis not installed] a ... ignored" or "test a ... ignored, too slow".
fn reason(line: &str) -> Option<&str> {
    let (test, rest) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    let kind = test.strip_prefix('[').and_then(|test| test.split_once(']'));
    kind.map(|(kind, _)| kind).or_else(|| rest.strip_prefix(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_reasons_are_heard() {
        let heard = Heard::of(
            "test a ... ok
shown: 12 windows
test [Redis not installed] b ... ignored
test [Redis not installed] c ... ignored
test d ... ignored, takes hours
test result: ok. 1 passed; 0 failed; 3 ignored; 0 measured; 7 filtered out; finished in 0.1s
test result: ok. 20 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
",
        );
        assert_eq!((heard.passed, heard.ignored), (21, 3));
        assert_eq!(heard.reasons, ["Redis not installed", "takes hours"]);
        assert_eq!(heard.shown, ["12 windows"]);
        assert!(matches!(heard.outcome(), Outcome::Passed(_)));
    }

    #[test]
    fn tests_that_were_all_ignored_did_not_run() {
        let printed = "test [etcd not installed] a ... ignored\n\
                       test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
        let expected = Outcome::NotRun("etcd not installed".to_owned());
        assert_eq!(Heard::of(printed).outcome(), expected);
    }

    #[test]
    fn no_test_at_all_is_a_failure() {
        let printed =
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out\n";
        assert!(matches!(Heard::of(printed).outcome(), Outcome::Failed(_)));
        assert!(cargo("a", "b").args("miri test --lib").has_tests());
        assert!(!cargo("a", "b").args("package").has_tests());
    }

    #[test]
    fn what_is_missing_is_named() {
        const NOTHING: Need = Need {
            what: "such program",
            probe: &["no-such-program"],
            prints: "",
            get: "not to be had",
        };
        assert!(!NOTHING.is_there());
        const ITSELF: Need =
            Need { what: "cargo", probe: &["cargo", "--version"], prints: "cargo 1.", get: "" };
        assert!(ITSELF.is_there());
        const OLDER: Need = Need { prints: "cargo 0.", ..ITSELF };
        assert!(!OLDER.is_there());
    }
}
