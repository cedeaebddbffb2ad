//! Test results, read from the output of `cargo test`.

use core::fmt;
use std::collections::BTreeMap;

use anyhow::Result;

use crate::command::Command;

/// The results of all test programs of one or several runs of cargo.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// The names of the failed tests, and of the programs and commands that failed without one.
    pub(crate) failures: Vec<String>,
    /// The reasons for skipping tests, each with the number of tests.
    pub(crate) reasons: BTreeMap<String, u64>,
}

impl Tally {
    /// Runs `cargo test`, or another command, and reads its results. The listener gets each line of
    /// the output immediately.
    pub(crate) fn of(command: Command, listener: impl FnMut(&str)) -> Result<Self> {
        let name = command.to_string();
        let (output, status) = command.relay(listener)?;
        Ok(Self::read(&output, &name, status.success()))
    }

    /// Reads the output of a run of cargo, `command`, which succeeded or failed.
    ///
    /// A test program that failed without a failed test (because it crashed, for example) counts as
    /// one failure. So does a run that failed before any test program did, or whose filter matches
    /// no test.
    pub(crate) fn read(output: &str, command: &str, is_success: bool) -> Self {
        let mut tally = Self::default();
        // The number of failures before the current test program.
        let mut before = 0;
        // The tests that skip themselves while they run. The harness counts them as passed.
        let mut skipping = 0;
        for line in output.lines() {
            if let Some(program) = failed_program(line) {
                if tally.failed == before {
                    tally.fail(format!("{program}: ended without a failed test"));
                }
                before = tally.failed;
            } else if let Some(counts) = line.strip_prefix("test result: ") {
                tally.passed += count(counts, " passed");
                tally.failed += count(counts, " failed");
                tally.skipped += count(counts, " ignored");
            } else if let Some(reason) = skipped(line) {
                *tally.reasons.entry(reason.to_owned()).or_default() += 1;
                skipping += 1;
            } else if let Some(test) = line.strip_prefix("test ") {
                if let Some(reason) = reason(test) {
                    *tally.reasons.entry(reason.to_owned()).or_default() += 1;
                } else if let Some((name, _)) = test.split_once(" ... FAILED") {
                    tally.failures.push(name.to_owned());
                }
            }
        }
        tally.passed = tally.passed.saturating_sub(skipping);
        tally.skipped += skipping;
        if !is_success && tally.failed == 0 {
            tally.fail(format!("`{command}`"));
        }
        let is_test = command.split(' ').any(|word| word == "test");
        if is_test && tally.passed + tally.failed + tally.skipped == 0 {
            tally.fail(format!("`{command}` found no test"));
        }
        tally
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        for (reason, tests) in other.reasons {
            *self.reasons.entry(reason).or_default() += tests;
        }
    }

    pub(crate) fn fail(&mut self, what: String) {
        self.failed += 1;
        self.failures.push(what);
    }
}

/// Writes the failures, the reasons for skipping, and a closing line with the three counts.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "failed: {failure}")?;
        }
        for (reason, tests) in &self.reasons {
            writeln!(f, "skipped: {tests} ({reason})")?;
        }
        let Self { passed, failed, skipped, .. } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Returns the number before a word, as in "3 passed; 1 failed".
fn count(counts: &str, word: &str) -> u64 {
    let count = counts.split([';', '.']).find_map(|part| part.trim_start().strip_suffix(word));
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// Returns the reason for skipping a test, as in "a ... ignored, too slow" or "[no Redis] a ...
/// ignored".
fn reason(test: &str) -> Option<&str> {
    let (name, rest) = test.split_once(" ... ignored")?;
    let kind = name.strip_prefix('[').and_then(|name| name.split_once(']'));
    let kind = kind.map_or("no reason given", |(kind, _)| kind);
    Some(rest.strip_prefix(", ").unwrap_or(kind))
}

/// Returns the reason that a test printed by `tickid_testkit::skip`. The name of the test may stand
/// before that.
fn skipped(line: &str) -> Option<&str> {
    line.strip_prefix("skipped: ").or_else(|| Some(line.split_once(" ... skipped: ")?.1))
}

/// Returns the program that cargo reports as failed, as in "error: test failed, to rerun pass `-p
/// a --lib`". A crash leaves the line of its test unfinished before that.
fn failed_program(line: &str) -> Option<&str> {
    let (before, program) = line.split_once("test failed, to rerun pass `")?;
    before.trim_end_matches("doc").ends_with("error: ").then(|| program.trim_end_matches('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn read(output: &str) -> Tally {
        Tally::read(output, "cargo test", true)
    }

    #[test]
    fn counts_and_reasons_add_up() {
        let mut tally = read(
            "test a ... ok
test [no Redis] b ... ignored
test [no Redis] c ... ignored
test d ... ignored, takes hours
test e ... ignored
test result: ok. 1 passed; 0 failed; 4 ignored; 0 measured; 7 filtered out; finished in 0.1s
test result: ok. 20 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
",
        );
        tally.add(read(
            "test d ... ignored, takes hours\ntest result: ok. 1 passed; 0 failed; 1 ignored;",
        ));
        let expected = "skipped: 2 (no Redis)\nskipped: 1 (no reason given)\n\
                        skipped: 2 (takes hours)\n22 passed, 0 failed, 5 skipped";
        assert_eq!(tally.to_string(), expected);
    }

    #[test]
    fn tests_that_skip_themselves_did_not_pass() {
        let tally = read(
            "skipped: needs root
test a ... ok
test b ... skipped: needs root
ok
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s
",
        );
        assert_eq!(tally.to_string(), "skipped: 2 (needs root)\n1 passed, 0 failed, 2 skipped");
    }

    #[test]
    fn failed_tests_are_named() {
        let failed = "test a::b ... FAILED
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s

error: test failed, to rerun pass `-p a --lib`
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s
error: 1 target failed:
    `-p a --lib`
";
        let tally = Tally::read(failed, "cargo test", false);
        assert_eq!(tally.to_string(), "failed: a::b\n4 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn a_crashed_program_is_a_failure() {
        let crashed = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured;
error: test failed, to rerun pass `-p a --lib`
test b ... error: test failed, to rerun pass `-p a --test b`
error: doctest failed, to rerun pass `-p a --doc`
";
        let tally = Tally::read(crashed, "cargo test", false);
        assert_eq!((tally.passed, tally.failed), (3, 3));
        assert_eq!(tally.failures[0], "-p a --test b: ended without a failed test");
    }

    #[test]
    fn empty_runs_fail() {
        let tally = Tally::read("error[E0432]: unresolved import", "cargo test", false);
        assert_eq!(tally.to_string(), "failed: `cargo test`\n0 passed, 1 failed, 0 skipped");
        let none = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out;";
        assert_eq!(read(none).failures, ["`cargo test` found no test"]);
        assert_eq!(Tally::read("", "cargo bench --no-run", true).failed, 0);
    }
}
