use std::path::Path;

use crate::command::{Command, say};
use crate::tally::Tally;
use crate::workspace::Workspace;

/// A step of `cargo xtask verify`.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// The property that it shows, for the table.
    pub(super) shows: &'static str,
    needs: &'static [Tool],
    work: Work,
    folder: &'static str,
    is_nightly: bool,
    env: &'static [(&'static str, &'static str)],
}

/// A tool that not every machine has: a shell command that succeeds if it is there, and
/// instructions to install it.
pub(super) type Tool = (&'static str, &'static str);

enum Work {
    /// Words for [`Workspace::cargo`].
    Cargo(&'static str),
    /// A script with arguments, from the repository's root.
    Script(&'static str),
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed(Tally),
    Failed(String),
    /// A tool is missing.
    NotRun(String),
}

/// A step that runs cargo.
pub(super) const fn cargo(name: &'static str, shows: &'static str, words: &'static str) -> Step {
    let work = Work::Cargo(words);
    Step { name, shows, needs: &[], work, folder: "", is_nightly: false, env: &[] }
}

/// A step that runs a script.
pub(super) const fn script(name: &'static str, shows: &'static str, words: &'static str) -> Step {
    Step { work: Work::Script(words), ..cargo(name, shows, "") }
}

impl Step {
    /// Skips the step where a tool is missing.
    pub(super) const fn needs(self, needs: &'static [Tool]) -> Self {
        Self { needs, ..self }
    }

    /// Runs in a workspace of its own, from the repository's root.
    pub(super) const fn folder(self, folder: &'static str) -> Self {
        Self { folder, ..self }
    }

    /// Runs the nightly toolchain's cargo.
    pub(super) const fn nightly(self) -> Self {
        Self { is_nightly: true, ..self }
    }

    pub(super) const fn env(self, env: &'static [(&'static str, &'static str)]) -> Self {
        Self { env, ..self }
    }

    pub(super) fn run(&self, workspace: &Workspace) -> Outcome {
        if let Some((probe, get)) = self.needs.iter().find(|(probe, _)| !succeeds(probe)) {
            say(format_args!("not run: `{probe}` fails ({get})"));
            return Outcome::NotRun(format!("`{probe}` fails ({get})"));
        }
        let command = match self.work {
            Work::Cargo(words) if self.is_nightly => workspace.nightly_cargo(self.folder, words),
            Work::Cargo(words) => workspace.cargo(self.folder, words),
            Work::Script(words) => {
                let bash = Command::program("bash", &workspace.root, "");
                bash.args(words.split_whitespace())
            }
        };
        let add = |command: Command, (name, value): &(&str, &str)| command.env(name, value);
        match Tally::of(self.env.iter().fold(command, add)) {
            Ok(tally) => outcome(tally),
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

/// A step with tests that were all skipped did not run.
fn outcome(tally: Tally) -> Outcome {
    match (tally.passed, tally.skipped) {
        _ if tally.failed > 0 => Outcome::Failed(tally.failures.join(", ")),
        (0, 1..) => Outcome::NotRun(Vec::from_iter(tally.reasons.into_keys()).join(", ")),
        _ => Outcome::Passed(tally),
    }
}

fn succeeds(probe: &str) -> bool {
    Command::program("sh", Path::new("."), "").args(["-c", probe]).read().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_and_failures_differ() {
        let tally = |passed, failed, skipped| Tally { passed, failed, skipped, ..Tally::default() };
        assert!(matches!(outcome(tally(1, 0, 1)), Outcome::Passed(_)));
        assert!(matches!(outcome(tally(1, 1, 0)), Outcome::Failed(_)));
        assert!(matches!(outcome(tally(0, 0, 1)), Outcome::NotRun(_)));
        assert!(matches!(outcome(tally(0, 0, 0)), Outcome::Passed(_)));
    }

    #[test]
    fn missing_tools_are_noticed() {
        assert!(succeeds("cargo --version | grep 'cargo 1.'"));
        assert!(!succeeds("no-such-program"));
    }
}
