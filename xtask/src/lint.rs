//! `cargo xtask lint`: everything that can be checked without running the tests.

use std::collections::BTreeMap;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::command::say;
use crate::error::{Error, Result};
use crate::files::{self, Finding};
use crate::rules::{architecture, documents, packages, prose};
use crate::tables::{NO_STD, OTHER_WORKSPACES};
use crate::workspace::{Package, Workspace};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    steps: Vec<Step>,
}

/// A part of `cargo xtask lint`. Cheap ones come first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// The layout of the code.
    Fmt,
    /// The project's own rules: dependencies between crates, features, `unsafe`, links, packages.
    Rules,
    /// The prose of comments and Markdown.
    Prose,
    /// Clippy for all targets with all features.
    Clippy,
    /// Clippy for the libraries without features, and with each feature alone.
    Features,
    /// The documentation builds without warnings.
    Docs,
    /// No library depends on `std` unless asked to.
    NoStd,
}

/// Runs the steps up to the first that fails.
pub(crate) fn lint(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let chosen = &arguments.steps;
    for step in
        Step::value_variants().iter().filter(|step| chosen.is_empty() || chosen.contains(step))
    {
        let value = step.to_possible_value();
        say(format_args!("lint: {}", value.as_ref().map_or("", PossibleValue::get_name)));
        match step {
            Step::Fmt => fmt(workspace)?,
            Step::Rules => {
                let files = files::read(&workspace.root)?;
                let mut findings = architecture::check(&workspace.packages, &files);
                findings.extend(documents::check(&files));
                findings.extend(packages::check(&workspace.packages, &files));
                report(&findings)?;
            }
            Step::Prose => report(&prose::check(&files::read(&workspace.root)?))?,
            Step::Clippy => clippy(workspace)?,
            Step::Features => features(workspace)?,
            Step::Docs => {
                let docs = workspace.cargo("", "doc --workspace --no-deps --all-features");
                docs.env("RUSTDOCFLAGS", "-D warnings").run()?;
            }
            Step::NoStd => no_std(workspace)?,
        }
    }
    say(format_args!("lint: no findings"));
    Ok(())
}

fn report(findings: &[Finding]) -> Result<()> {
    findings.iter().for_each(|finding| say(format_args!("{finding}")));
    if findings.is_empty() { Ok(()) } else { Err(Error::Findings(findings.len())) }
}

fn fmt(workspace: &Workspace) -> Result<()> {
    [""].into_iter()
        .chain(OTHER_WORKSPACES)
        .try_for_each(|folder| workspace.cargo(folder, "fmt --all --check").run())
}

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

fn clippy(workspace: &Workspace) -> Result<()> {
    let all = "clippy --workspace --all-targets --all-features";
    workspace.cargo("", all).args(DENY_WARNINGS).run()?;
    for folder in OTHER_WORKSPACES {
        // A program without `std` has no test harness, which is a target, too.
        let targets = if folder == NO_STD { "clippy" } else { "clippy --workspace --all-targets" };
        workspace.cargo(folder, targets).args(DENY_WARNINGS).run()?;
    }
    Ok(())
}

/// Each library without features, then each feature for all libraries that have it. This finds code
/// that needs a feature without asking for it, and takes one run of cargo per feature, as what
/// one scheme's feature turns on in core is checked for the others in [`architecture`].
fn features(workspace: &Workspace) -> Result<()> {
    let mut packages = BTreeMap::<&str, Vec<&Package>>::new();
    for library in workspace.libraries() {
        for feature in library.public_features() {
            packages.entry(feature).or_default().push(library);
        }
    }
    let alone = "clippy --lib --no-deps --no-default-features";
    for library in workspace.libraries() {
        let package = ["--package", &library.name];
        workspace.cargo("", alone).args(package).args(DENY_WARNINGS).run()?;
    }
    for (feature, packages) in packages {
        let packages = packages.iter().map(|package| format!("--package={}", package.name));
        let one = workspace.cargo("", alone).args(["--features", feature]).args(packages);
        one.args(DENY_WARNINGS).run()?;
    }
    Ok(())
}

/// Builds and runs the probe. Its source explains the proof.
fn no_std(workspace: &Workspace) -> Result<()> {
    if !cfg!(unix) {
        say(format_args!("no-std: skipped, as the probe links only on Unix"));
        return Ok(());
    }
    workspace.cargo(NO_STD, "run --release").run()?;
    workspace.cargo(NO_STD, "run --release --features alloc").run()?;
    // The counter-proof: with `std` there are two panic handlers.
    let build = workspace.cargo(NO_STD, "build --release --features std-on-purpose");
    // Colours would interrupt the message.
    let build = build.env("CARGO_TERM_COLOR", "never");
    let (command, expected) = (build.to_string(), "duplicate lang item `panic_impl`");
    let (printed, status) = build.relay(|_| ())?;
    let is_expected = !status.success() && printed.contains(expected);
    if is_expected { Ok(()) } else { Err(Error::FailedOtherwise { command, expected }) }
}
