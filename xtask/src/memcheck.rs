//! The codecs' tests under valgrind's memcheck, which sees what a kernel reads or writes beyond its arrays, and
//! what it makes of bytes that nobody wrote.

use serde_json::Value;

use crate::error::Error;
use crate::run::{Run, say};
use crate::workspace::Workspace;

/// Tests of one program that go through every level of the codecs.
struct Tests {
    /// Which program, to `cargo test`.
    program: &'static [&'static str],
    /// Which of its tests, to the program.
    arguments: &'static [&'static str],
}

/// Without those that go through all pairs of bytes and all four digits, for the time they take: what they read
/// and write is in the same places as in the others.
const TESTS: [Tests; 4] = [
    Tests {
        program: &["--package=tickid-text", "--features=levels", "--test=codecs"],
        arguments: &["--skip=every_pair_of_bytes", "--skip=every_four_digits"],
    },
    Tests {
        program: &["--package=tickid-kuid", "--lib"],
        arguments: &["codec::tests::every_level"],
    },
    Tests {
        program: &["--package=tickid-sno", "--lib"],
        arguments: &["codec::tests::every_level"],
    },
    Tests { program: &["--package=tickid-scru64", "--test=vectors"], arguments: &["every_level"] },
];

/// What the tests say before the levels that they go through.
const LEVELS: &str = "at levels [";

pub(crate) fn memcheck(workspace: &Workspace) -> Result<(), Error> {
    let version = Run::program("valgrind").args(["--version"]).read();
    version.map_err(|error| Error::Valgrind(Box::new(error)))?;
    let expected = expected_levels();
    say(format_args!("memcheck: all but the tests of all pairs of bytes and all four digits"));
    for tests in &TESTS {
        let program = build(workspace, tests.program)?;
        let printed = Run::program("valgrind")
            .args(["--quiet", "--tool=memcheck", "--error-exitcode=1", "--"])
            .args([program.as_str(), "--test-threads=1"])
            .args(tests.arguments)
            .overhear()?;
        let name = tests.program.join(" ");
        verify(&printed, &expected).map_err(|reason| Error::Unchecked { name, reason })?;
    }
    let skipped =
        if expected.contains(&"Avx2") { "" } else { "AVX2, which the processor lacks, and " };
    say(format_args!(
        "memcheck: clean at levels {}; skipped: {skipped}AVX-512, which valgrind hides",
        expected.join(", ")
    ));
    Ok(())
}

/// Those that tests have to go through on this processor, by their names.
fn expected_levels() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let has_avx2 = std::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has_avx2 = false;
    // What is compiled is SSE2 on x86-64.
    let levels = [("Portable", true), ("Compiled", true), ("Avx2", has_avx2)];
    levels.into_iter().filter(|(_, is_here)| *is_here).map(|(name, _)| name).collect()
}

/// The path of a program of tests.
fn build(workspace: &Workspace, program: &[&str]) -> Result<String, Error> {
    let cargo = workspace.cargo(&["test", "--no-run", "--message-format=json"]);
    let messages = cargo.args(program).read()?;
    executable(&messages).ok_or_else(|| Error::NoProgram(program.join(" ")))
}

/// The program that is built last, of what cargo says.
fn executable(messages: &str) -> Option<String> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = messages.filter(|message| message["profile"]["test"] == true);
    programs.filter_map(|program| program["executable"].as_str().map(str::to_owned)).next_back()
}

/// What is missing for this to have been a check.
fn verify(printed: &str, expected: &[&str]) -> Result<(), String> {
    let ran = |line: &str| {
        line.strip_prefix("test result: ok. ").map(|rest| !rest.starts_with("0 passed"))
    };
    if printed.lines().find_map(ran) != Some(true) {
        return Err("no test ran".to_owned());
    }
    let levels = printed.split_once(LEVELS).and_then(|(_, rest)| rest.split_once(']'));
    let levels: Vec<_> = levels.map(|(levels, _)| levels.split(", ").collect()).unwrap_or_default();
    match expected.iter().find(|level| !levels.contains(level)) {
        Some(level) => Err(format!("the tests did not go through the level {level}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: &str = "\
running 2 tests
at levels [Portable, Compiled, Avx2]
skipped: this processor has no [Avx512]
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 40 filtered out; finished in 1.17s
";

    #[test]
    fn tests_at_the_expected_levels_are_a_check() {
        assert_eq!(verify(PASSED, &["Portable", "Avx2"]), Ok(()));
    }

    #[test]
    fn a_level_that_did_not_run_is_named() {
        let missing = |level: &str| Err(format!("the tests did not go through the level {level}"));
        assert_eq!(verify(PASSED, &["Compiled", "Avx512"]), missing("Avx512"));
        let silent = PASSED.replace("at levels", "with");
        assert_eq!(verify(&silent, &["Portable"]), missing("Portable"));
    }

    #[test]
    fn no_test_is_no_check() {
        let none = PASSED.replace(" 2 passed", " 0 passed");
        for printed in ["", none.as_str()] {
            assert_eq!(verify(printed, &["Portable"]), Err("no test ran".to_owned()));
        }
    }

    #[test]
    fn the_program_is_the_one_with_tests() {
        let messages = r#"{"reason":"compiler-artifact","profile":{"test":false},"executable":"/t/other"}
{"reason":"compiler-artifact","profile":{"test":true},"executable":"/t/codecs"}
{"reason":"build-finished","success":true}
"#;
        assert_eq!(executable(messages).as_deref(), Some("/t/codecs"));
        assert_eq!(executable("{}"), None);
    }
}
