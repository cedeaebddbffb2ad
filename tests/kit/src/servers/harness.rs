//! A harness for tests that share servers, and are skipped without them.

use core::any::Any;
use core::fmt;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::servers::server::{REQUIRE_SERVERS, Server};

/// A test of a server, and its name.
pub type Test<S> = (&'static str, fn(&S));

/// Runs the tests like the standard harness, on one server for all. If the server is not installed,
/// they are reported as ignored, or fail if [`REQUIRE_SERVERS`] is set.
pub fn run<S: Server>(tests: &[Test<S>]) -> ExitCode {
    Tests::default().add("", tests).run()
}

/// The tests of several servers in one program.
#[derive(Default)]
pub struct Tests {
    /// Each with its place among those that share its server.
    trials: Vec<(usize, Trial)>,
    servers: Vec<Box<dyn Any>>,
    threads: Option<usize>,
}

impl Tests {
    /// Adds tests that share a server. With a `group` they are called `group::name`.
    #[must_use]
    pub fn add<S: Server>(mut self, group: &str, tests: &[Test<S>]) -> Self {
        let is_required = std::env::var_os(REQUIRE_SERVERS).is_some_and(|value| value != "0");
        let is_ignored = !is_required && !S::is_installed();
        let server = Arc::new(OnceLock::new());
        for (place, &(name, test)) in tests.iter().enumerate() {
            let name = if group.is_empty() { name.to_owned() } else { format!("{group}::{name}") };
            let server = Arc::clone(&server);
            let trial = Trial::test(name, move || {
                let server = server.get_or_init(S::start);
                let server = server
                    .as_ref()
                    .map_err(|error| Failed::from(format!("{}: {error}", S::NAME)))?;
                test(server);
                Ok(())
            });
            let kind =
                if is_ignored { format!("{} not installed", S::NAME) } else { String::new() };
            self.trials.push((place, trial.with_kind(kind).with_ignored_flag(is_ignored)));
        }
        self.servers.push(Box::new(server));
        self
    }

    /// Reports whether tests of a group were added.
    #[must_use]
    pub fn has(&self, group: &str) -> bool {
        let prefix = format!("{group}::");
        self.trials.iter().any(|(_, trial)| trial.name().starts_with(&prefix))
    }

    /// Sets how many tests run at the same time unless the command line overrides it, for tests
    /// that mostly wait. The default is two for each processor.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Runs the tests.
    #[must_use = "it reports whether they passed"]
    pub fn run(mut self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        // The tests wait for servers and processes more than they compute.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(2 * cores);
        arguments.test_threads.get_or_insert(threads);
        // In turns, so that servers start, and are waited for, at the same time.
        self.trials.sort_by_key(|(place, _)| *place);
        let trials = self.trials.into_iter().map(|(_, trial)| trial).collect();
        let conclusion = libtest_mimic::run(&arguments, trials);
        // `exit` would not drop the servers.
        drop(self.servers);
        conclusion.exit_code()
    }
}

impl fmt::Debug for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tests").field("trials", &self.trials.len()).finish_non_exhaustive()
    }
}
