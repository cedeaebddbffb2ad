//! `cargo xtask lint`: everything that can be checked without running the tests.

use anyhow::{Result, ensure};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::command::say;
use crate::files;
use crate::rules::{architecture, documents};
use crate::tables::{NO_STD, READERS, WEB};
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    steps: Vec<LintStep>,

    /// Steps to leave out.
    #[arg(long, value_name = "STEP")]
    except: Vec<LintStep>,
}

/// A part of `cargo xtask lint`. Cheap ones come first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LintStep {
    /// The layout of the code.
    Fmt,
    /// The project's own rules: dependencies between crates, features, `unsafe`, named tests.
    Rules,
    /// Clippy for all targets with all features except those for databases, and for the command
    /// without features: for what `cargo xtask test` compiles.
    Clippy,
    /// Clippy for the workspaces that no test compiles.
    Others,
    /// Clippy for the libraries without features, with `alloc`, and with `std`. What only reads IDs
    /// reaches no leases.
    Features,
    /// The documentation builds without warnings.
    Docs,
    /// No library depends on `std` unless asked to.
    NoStd,
}

/// Runs the steps up to the first that fails.
pub(crate) fn lint(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let Arguments { steps, except } = arguments;
    let is_chosen =
        |step: &&LintStep| (steps.is_empty() || steps.contains(step)) && !except.contains(step);
    for step in LintStep::value_variants().iter().filter(is_chosen) {
        let value = step.to_possible_value();
        say(format_args!("lint: {}", value.as_ref().map_or("", PossibleValue::get_name)));
        match step {
            LintStep::Fmt => fmt(workspace)?,
            LintStep::Rules => {
                let files = files::read(&workspace.root)?;
                let mut findings = architecture::check(&workspace.packages, &files);
                findings.extend(documents::check(&files));
                findings.iter().for_each(|finding| say(format_args!("{finding}")));
                ensure!(findings.is_empty(), "{} findings", findings.len());
            }
            LintStep::Clippy => clippy(workspace)?,
            LintStep::Others => others(workspace)?,
            LintStep::Features => features(workspace)?,
            LintStep::Docs => docs(workspace)?,
            LintStep::NoStd => no_std(workspace)?,
        }
    }
    say(format_args!("lint: no findings"));
    Ok(())
}

/// `cargo fmt --all` would format the libraries again for each workspace that uses them.
fn fmt(workspace: &Workspace) -> Result<()> {
    workspace.cargo("", "fmt --all --check").run()?;
    let files = files::read(&workspace.root)?;
    let folders = files.keys().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    let mut others =
        folders.filter(|folder| !workspace.packages.iter().any(|one| one.folder == **folder));
    others.try_for_each(|folder| workspace.cargo(folder, "fmt --check").run())
}

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

/// Databases' clients would be half of all that is compiled: the features for them wait for `verify
/// features` and `verify docs-rs`, and for the tests with databases, which compile them.
fn clippy(workspace: &Workspace) -> Result<()> {
    let all = workspace.cargo("", "clippy --workspace --all-targets");
    all.args([workspace.features_without_databases()]).args(DENY_WARNINGS).run()?;
    // With all features, code that none uses in a smaller build goes unnoticed. The command that
    // the README installs first has none.
    workspace.cargo("", "clippy {cli}").args(DENY_WARNINGS).run()
}

/// `verify benches` checks the benchmarks, because their peers take a minute to build, and `cargo
/// xtask test --all` the tests with databases, whose clients it builds.
fn others(workspace: &Workspace) -> Result<()> {
    let others = [
        ("fuzz", "clippy --workspace --all-targets"),
        // A program without `std` has no test harness, but the harness is a target, too.
        (NO_STD, "clippy"),
        // `verify web` checks the build tool, which has many dependencies.
        (WEB, "clippy --all-targets"),
    ];
    let mut others = others.iter().map(|(folder, words)| workspace.cargo(folder, words));
    others.try_for_each(|command| command.args(DENY_WARNINGS).run())
}

/// Checks the pages without databases, like [`clippy`]: `verify docs-rs` builds all.
fn docs(workspace: &Workspace) -> Result<()> {
    let docs = workspace.cargo("", "doc --workspace --no-deps");
    let docs = docs.args([workspace.features_without_databases()]);
    docs.env("RUSTDOCFLAGS", "-D warnings").run()
}

/// Finds code that needs a feature without requiring it. `verify features` checks each feature
/// alone, and [`architecture`] checks that the features of all schemes enable the same in core.
fn features(workspace: &Workspace) -> Result<()> {
    readers(workspace)?;
    let optional =
        workspace.libraries().filter(|library| library.public_features().next().is_some());
    let without =
        optional.filter(|library| !library.folder.starts_with("tests/")).map(|one| ("", vec![one]));
    let with = ["alloc", "std"].map(|feature| {
        let having = workspace.libraries().filter(|library| library.features.contains_key(feature));
        (feature, having.collect())
    });
    without.chain(with).try_for_each(|(feature, libraries)| {
        let words = format!("clippy --lib --no-deps --no-default-features --features={feature}");
        let packages = libraries.iter().map(|library| format!("--package={}", library.name));
        workspace.cargo("", &words).args(packages).args(DENY_WARNINGS).run()
    })
}

/// Checks that the crates that only read IDs do without the machinery of leases, whichever feature
/// of which crate would bring it.
fn readers(workspace: &Workspace) -> Result<()> {
    const OPTIONS: &str = "--all-features --edges=normal --target=all --prefix=none";
    READERS.iter().try_for_each(|(folder, package)| {
        let tree = workspace.cargo(folder, &format!("tree --package={package} {OPTIONS}"));
        let (command, unwanted) = (tree.to_string(), "tickid-lease");
        let is_reached = tree.read()?.lines().any(|line| line.starts_with(unwanted));
        ensure!(!is_reached, "`{command}` lists {unwanted}");
        Ok(())
    })
}

/// Builds and runs the probe. The comment in its source explains the proof.
fn no_std(workspace: &Workspace) -> Result<()> {
    if !cfg!(unix) {
        say(format_args!("no-std: skipped, as the probe links only on Unix"));
        return Ok(());
    }
    workspace.cargo(NO_STD, "run --release").run()?;
    let alloc = "tickid-core/alloc,tickid-kuid/alloc,tickid-nanoflake/alloc,tickid-scru64/alloc,\
                 tickid-sno/alloc,tickid-snowflake/alloc";
    let run = workspace.cargo(NO_STD, &format!("run --release --features {alloc}"));
    run.env("RUSTFLAGS", "--cfg tickid_heap").run()?;
    // As a counter-proof, the program has two panic handlers with `std`.
    let build = workspace.cargo(NO_STD, "check --features tickid-core/std");
    // Colours would interrupt the message.
    let build = build.env("CARGO_TERM_COLOR", "never");
    let (command, expected) = (build.to_string(), "duplicate lang item `panic_impl`");
    let (printed, status) = build.relay(|_| ())?;
    let is_expected = !status.success() && printed.contains(expected);
    ensure!(is_expected, "`{command}` did not fail with \"{expected}\"");
    Ok(())
}
