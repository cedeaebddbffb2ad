//! Tests that need a separate process.

use std::env;
use std::process::Command;

/// Is set in the process to the test that it was started for.
const VARIABLE: &str = "TICKID_TEST_ALONE";

/// Runs a part of a test, named by its path, in a process where no other test runs: it is this
/// program, started again for that test.
pub(crate) fn alone(test: &str, part: impl FnOnce()) {
    if env::var_os(VARIABLE).is_some_and(|alone| alone == test) {
        return part();
    }
    let mut program = Command::new(env::current_exe().unwrap());
    let program = program.args(["--exact", test, "--nocapture"]).env(VARIABLE, test);
    let output = program.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
