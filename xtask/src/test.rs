//! `cargo xtask test`: all tests.

use std::io::{self, Write as _};

use crate::error::{Error, Result};
use crate::examples;
use crate::tables::{BENCHES, INTEGRATION};
use crate::tally::Tally;
use crate::workspace::Workspace;

/// Runs all tests, whether or not some fail, and prints the results.
pub(crate) fn test(workspace: &Workspace) -> Result<()> {
    let test = |folder, words| workspace.cargo(folder, &format!("test --no-fail-fast {words}"));
    let models = |checker| test("", "--lib models {core}").env("RUSTFLAGS", checker);
    let main = test("", "--workspace").args([workspace.features_without_databases()]);
    let others = [
        test(INTEGRATION, "--workspace"),
        test(BENCHES, "--package tickid-bench-report"),
        // The shared engine under model checkers; `cargo xtask verify` explores more.
        models("--cfg tickid_loom"),
        models("--cfg tickid_shuttle"),
        // Core by itself, as the tests of the schemes turn on its `std`. The test harness needs an
        // allocator; examples and integration tests need all of `std`.
        test("", "{core} --lib --no-default-features --features alloc"),
        test("", "{schemes} --lib --no-default-features --features alloc"),
    ];
    let mut tally = Tally::of(main)?;
    tally.add(examples::run(workspace)?);
    for command in others {
        tally.add(Tally::of(command)?);
    }
    writeln!(io::stdout(), "\n{tally}").map_err(Error::Output)?;
    if tally.failed == 0 { Ok(()) } else { Err(Error::TestsFailed) }
}
