use std::io::{self, Write as _};

use crate::error::Error;
use crate::run::Run;
use crate::tally::Tally;
use crate::workspace::{INTEGRATION, Workspace};

/// Runs all tests, whether or not some fail, and prints the results.
pub(crate) fn test(workspace: &Workspace) -> Result<(), Error> {
    let mut tally = Tally::default();
    for run in runs(workspace) {
        let command = run.to_string();
        let (output, status) = run.relay()?;
        tally.add(Tally::read(&output, &command, status.success()));
    }
    writeln!(io::stdout(), "\n{tally}").map_err(Error::Output)?;
    if tally.failed == 0 { Ok(()) } else { Err(Error::TestsFailed) }
}

fn runs(workspace: &Workspace) -> Vec<Run> {
    let test = |folder| workspace.cargo_in(folder, &["test", "--no-fail-fast"]);
    let mut runs = vec![
        test("").args(["--workspace"]).args(workspace.features_without_databases()),
        test(INTEGRATION),
    ];
    // The shared engine under model checkers; `cargo xtask verify` explores more.
    runs.extend(["--cfg tickid_loom", "--cfg tickid_shuttle"].map(|checker| {
        let models = test("").args(["--package", "tickid-core", "--lib", "models"]);
        models.env("RUSTFLAGS", checker)
    }));
    // Each library alone, as above another package could have turned on `std` for it. The test
    // harness needs an allocator; examples and integration tests need all of `std`.
    for library in workspace.libraries() {
        let alone = ["--package", &library.name, "--lib", "--no-default-features"];
        runs.push(workspace.cargo(&["check"]).args(alone));
        if library.features.iter().any(|feature| feature == "alloc") {
            runs.push(test("").args(alone).args(["--features", "alloc"]));
        }
    }
    runs
}
