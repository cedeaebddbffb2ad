//! The results of tests whose server is not installed. They run in a separate process, which is
//! this program started by itself.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(unix)]
mod unix {
    use std::process::{Command, ExitCode, Output};

    use libtest_mimic::{Arguments, Trial};
    use tickid_testkit::servers::{REQUIRE_SERVERS, Server, StartError, run};

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

    fn needs_it(_: &Missing) {
        panic!("ran without its server");
    }

    pub(super) fn main() -> ExitCode {
        if std::env::var_os(IS_CHILD).is_some() {
            return run::<Missing>(&[("needs_it", needs_it)]);
        }
        let trials = [
            Trial::test("missing_server_is_ignored", || {
                show_as_ignored();
                Ok(())
            }),
            Trial::test("required_server_fails", || {
                fail_where_it_is_required();
                Ok(())
            }),
        ];
        libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
    }

    fn child(required: &str) -> (Output, String) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.env(IS_CHILD, "1").env(REQUIRE_SERVERS, required).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output, said)
    }

    fn show_as_ignored() {
        let (output, said) = child("0");
        assert!(output.status.success(), "{said}");
        assert!(said.contains("[Nowhere DB not installed] needs_it ... ignored"), "{said}");
        assert!(said.contains("0 passed; 0 failed; 1 ignored"), "{said}");
    }

    fn fail_where_it_is_required() {
        let (output, said) = child("1");
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("Nowhere DB: not installed"), "{said}");
        assert!(said.contains("0 passed; 1 failed; 0 ignored"), "{said}");
    }
}
