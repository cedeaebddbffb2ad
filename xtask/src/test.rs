use crate::error::Error;
use crate::run::say;
use crate::workspace::{INTEGRATION, Workspace};

pub(crate) fn test(workspace: &Workspace) -> Result<(), Error> {
    let features = workspace.features_without_databases();
    workspace.cargo(&["test", "--workspace"]).args(features).run()?;
    workspace.cargo_in(INTEGRATION, &["test"]).run()?;
    // The shared engine in the hands of model checkers; `cargo xtask verify` lets them go further.
    for checker in ["--cfg tickid_loom", "--cfg tickid_shuttle"] {
        let models = workspace.cargo(&["test", "--package", "tickid-core", "--lib", "models"]);
        models.env("RUSTFLAGS", checker).run()?;
    }
    // What works only because another package turned on `std` would go unnoticed above, so each
    // library has its turn alone. Tests themselves need an allocator; examples and integration tests
    // need all of `std`.
    for library in workspace.libraries() {
        let alone = ["--package", &library.name, "--lib", "--no-default-features"];
        workspace.cargo(&["check"]).args(alone).run()?;
        if library.features.iter().any(|feature| feature == "alloc") {
            let test = workspace.cargo(&["test"]).args(alone);
            test.args(["--features", "alloc"]).run()?;
        }
    }
    say(format_args!("test: all passed"));
    Ok(())
}
