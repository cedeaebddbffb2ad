//! Tests that cannot do their work on this machine.

use std::io::{self, Write as _};

/// Reports that the running test is skipped. The standard harness can only decide that when it
/// compiles a test, so the line goes past it, and `cargo xtask test` counts the test by that.
pub fn skip(reason: &str) {
    let _ = writeln!(io::stderr(), "skipped: {reason}");
}
