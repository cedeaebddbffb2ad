//! What the schemes' tests show of a few IDs, of a billion; and of ten years, at a call every few seconds.

use clap::Args;

use crate::error::Error;
use crate::run::say;
use crate::workspace::Workspace;

/// For cargo. One after the other, as each takes all processors.
pub(crate) const TESTS: &str = "test --release --package tickid-scru64 --package tickid-nanoflake --package tickid-kuid \
     --package tickid-sno --test soak -- --ignored --nocapture --test-threads=1";

#[derive(Args)]
pub(crate) struct Arguments {
    /// How many IDs of each scheme.
    #[arg(long, default_value_t = 1_000_000_000)]
    ids: u64,
}

pub(crate) fn soak(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    let tests: Vec<_> = TESTS.split_whitespace().collect();
    workspace.cargo(&tests).env("TICKID_SOAK_IDS", &arguments.ids.to_string()).run()?;
    say(format_args!("soak: no ID repeated, no promise broken"));
    Ok(())
}
