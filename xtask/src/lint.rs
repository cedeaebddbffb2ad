use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::error::Error;
use crate::run::say;
use crate::workspace::{NO_STD, Package, Workspace};
use crate::{tidy, tree};

/// One part of `cargo xtask lint`. Cheap ones first.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Step {
    /// The layout of the code.
    Fmt,
    /// The project's own rules: what the sources and manifests may not hold, links, missing pages.
    Tidy,
    /// No crate in two versions.
    Tree,
    /// Clippy on everything, with all features.
    Clippy,
    /// Clippy on each library with no feature, each one alone, and all.
    Features,
    /// Documentation builds without a warning.
    Docs,
    /// No library pulls in `std` by itself.
    NoStd,
}

pub(crate) fn lint(workspace: &Workspace, steps: &[Step]) -> Result<(), Error> {
    let steps = if steps.is_empty() { Step::value_variants() } else { steps };
    for step in steps {
        let value = step.to_possible_value();
        let name = value.as_ref().map_or("?", PossibleValue::get_name);
        say(format_args!("lint: {name}"));
        step.check(workspace)?;
    }
    say(format_args!("lint: nothing to complain about"));
    Ok(())
}

impl Step {
    fn check(self, workspace: &Workspace) -> Result<(), Error> {
        match self {
            Self::Fmt => fmt(workspace),
            Self::Tidy => tidy::check(workspace),
            Self::Tree => tree::check(workspace),
            Self::Clippy => clippy(workspace),
            Self::Features => {
                workspace.libraries().try_for_each(|library| features(workspace, library))
            }
            Self::Docs => docs(workspace),
            Self::NoStd => no_std(workspace),
        }
    }
}

fn fmt(workspace: &Workspace) -> Result<(), Error> {
    workspace.cargo(&["fmt", "--all", "--check"]).run()?;
    for folder in workspace.workspaces_aside() {
        workspace.cargo_in(folder, &["fmt", "--check"]).run()?;
    }
    Ok(())
}

/// Links lead somewhere with and without the features.
fn docs(workspace: &Workspace) -> Result<(), Error> {
    [&["--all-features"][..], &[]].into_iter().try_for_each(|features| {
        workspace
            .cargo(&["doc", "--workspace", "--no-deps"])
            .args(features)
            .env("RUSTDOCFLAGS", "-D warnings")
            .run()
    })
}

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

fn clippy(workspace: &Workspace) -> Result<(), Error> {
    workspace
        .cargo(&["clippy", "--workspace", "--all-targets", "--all-features"])
        .args(DENY_WARNINGS)
        .run()?;
    for folder in workspace.workspaces_aside() {
        // A program without `std` has no test harness, which is a target, too.
        let targets: &[_] = if folder == NO_STD { &[] } else { &["--all-targets"] };
        workspace.cargo_in(folder, &["clippy"]).args(targets).args(DENY_WARNINGS).run()?;
    }
    Ok(())
}

fn features(workspace: &Workspace, library: &Package) -> Result<(), Error> {
    for features in feature_sets(&library.features) {
        workspace
            .cargo(&["clippy", "--package", &library.name, "--lib", "--no-deps"])
            .args(features)
            .args(DENY_WARNINGS)
            .run()?;
    }
    Ok(())
}

/// None, each one alone, all: enough to find code that needs a feature it does not ask for.
fn feature_sets(features: &[String]) -> Vec<Vec<&str>> {
    let none = ["--no-default-features"];
    let each = features.iter().map(|feature| [none[0], "--features", feature]);
    let mut sets = vec![none.to_vec()];
    sets.extend(each.map(Vec::from));
    sets.push(vec!["--all-features"]);
    sets
}

/// Builds and runs the probe; what it proves and how is told at the top of its source.
fn no_std(workspace: &Workspace) -> Result<(), Error> {
    if !cfg!(unix) {
        say(format_args!("no-std: skipped, as the probe links only on Unix"));
        return Ok(());
    }
    for features in [&[][..], &["--features", "alloc"]] {
        workspace.cargo_in(NO_STD, &["run", "--release"]).args(features).run()?;
    }
    workspace
        .cargo_in(NO_STD, &["build", "--release", "--features", "std-on-purpose"])
        // Colours would interrupt the message.
        .env("CARGO_TERM_COLOR", "never")
        .fail_with("duplicate lang item `panic_impl`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_each_and_all_features() {
        let features = ["alloc", "std"].map(str::to_owned);
        let sets = feature_sets(&features);
        assert_eq!(
            sets.iter().map(|set| set.join(" ")).collect::<Vec<_>>(),
            [
                "--no-default-features",
                "--no-default-features --features alloc",
                "--no-default-features --features std",
                "--all-features",
            ]
        );
    }
}
