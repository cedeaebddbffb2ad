//! The results of tests whose server is not installed. They run in a separate process, which is
//! this program started by itself.

use std::process::{Command, ExitCode, Output};

use tickid_testkit::servers::{REQUIRE_SERVERS, Server, StartError, Test, Tests};

const IS_CHILD: &str = "TICKID_TEST_OF_A_MISSING_SERVER";

struct Missing;

impl Server for Missing {
    const NAME: &'static str = "Nowhere DB";

    fn start() -> Result<Self, StartError> {
        Err(StartError::NotInstalled)
    }

    fn is_installed() -> bool {
        false
    }
}

/// Runs a test without its server, if this process was started for it.
pub(crate) fn run_as_child() -> Option<ExitCode> {
    fn needs_it(_: &Missing) {
        panic!("ran without its server");
    }
    std::env::var_os(IS_CHILD)?;
    Some(Tests::default().add::<Missing>("", &[("needs_it", needs_it)]).run())
}

/// Stands for the server that these tests need not.
pub(crate) struct Present;

impl Server for Present {
    const NAME: &'static str = "nothing";

    fn start() -> Result<Self, StartError> {
        Ok(Self)
    }

    fn is_installed() -> bool {
        true
    }
}

pub(crate) const TESTS: [Test<Present>; 2] = [
    ("missing_server_is_ignored", missing_server_is_ignored),
    ("required_server_fails", required_server_fails),
];

fn child(required: &str) -> (Output, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.env(IS_CHILD, "1").env(REQUIRE_SERVERS, required).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

fn missing_server_is_ignored(_: &Present) {
    let (output, said) = child("0");
    assert!(output.status.success(), "{said}");
    assert!(said.contains("[Nowhere DB not installed] needs_it ... ignored"), "{said}");
    assert!(said.contains("0 passed; 0 failed; 1 ignored"), "{said}");
}

fn required_server_fails(_: &Present) {
    let (output, said) = child("1");
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("Nowhere DB: not installed"), "{said}");
    assert!(said.contains("0 passed; 1 failed; 0 ignored"), "{said}");
}
