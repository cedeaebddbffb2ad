//! Other programs, shown before they run, as `sh -x` would.

use core::fmt;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::error::Error;

/// One line for the reader. It goes where cargo's own messages go; that nobody reads them is no
/// reason to stop.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A command line that is yet to run; its `Display` can be pasted into a shell.
pub(crate) struct Run {
    command: Command,
    /// What to call the program.
    program: &'static str,
    /// Where it runs, from the repository's root.
    folder: String,
}

impl Run {
    /// The cargo that runs us, in a folder of the repository at `root`.
    pub(crate) fn cargo(root: &Path, folder: &str) -> Self {
        // Cargo says which one it is. A plain `cargo` could be of another toolchain.
        let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(program);
        command.current_dir(root.join(folder)).stdin(Stdio::null());
        Self { command, program: "cargo", folder: folder.to_owned() }
    }

    /// Cargo of the nightly toolchain, in a folder of the repository at `root`.
    pub(crate) fn nightly_cargo(root: &Path, folder: &str) -> Self {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo"]);
        command.current_dir(root.join(folder)).stdin(Stdio::null());
        Self { command, program: "rustup", folder: folder.to_owned() }
    }

    /// A program by its name, where we are.
    pub(crate) fn program(program: &'static str) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        Self { command, program, folder: String::new() }
    }

    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it.
    pub(crate) fn run(mut self) -> Result<(), Error> {
        self.show();
        let status = self.command.status();
        let status = status.map_err(|reason| self.start_error(reason))?;
        if status.success() {
            return Ok(());
        }
        let command = self.to_string();
        Err(Error::Failed { command, status })
    }

    /// Runs it and returns what it prints.
    pub(crate) fn read(mut self) -> Result<String, Error> {
        self.show();
        self.command.stderr(Stdio::inherit());
        let Output { status, stdout, .. } = self.output()?;
        if status.success() {
            return Ok(String::from_utf8_lossy(&stdout).into_owned());
        }
        let command = self.to_string();
        Err(Error::Failed { command, status })
    }

    /// Runs the command and returns what it prints, which is passed on line by line meanwhile.
    pub(crate) fn overhear(self) -> Result<String, Error> {
        let command = self.to_string();
        let (printed, status) = self.relay()?;
        if status.success() { Ok(printed) } else { Err(Error::Failed { command, status }) }
    }

    /// Runs the command, passes its output on to standard error, line by line, and returns it with
    /// the exit status.
    pub(crate) fn relay(mut self) -> Result<(String, ExitStatus), Error> {
        self.show();
        let start = |command: &mut Command| {
            let (printed, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
            let child = command.spawn()?;
            // Drops this process's copies of the writer: the output ends when the child's are closed.
            command.stdout(Stdio::null()).stderr(Stdio::null());
            Ok((child, printed))
        };
        let (mut child, printed) =
            start(&mut self.command).map_err(|reason| self.start_error(reason))?;
        let unheard = |reason| Error::Unheard { command: self.to_string(), reason };
        let mut all = String::new();
        for line in BufReader::new(printed).split(b'\n') {
            let line = line.map_err(unheard)?;
            let line = String::from_utf8_lossy(&line);
            say(format_args!("{line}"));
            all.push_str(&line);
            all.push('\n');
        }
        let status = child.wait().map_err(unheard)?;
        Ok((all, status))
    }

    /// Runs it; only to fail and to say `expected` is a success.
    pub(crate) fn fail_with(mut self, expected: &str) -> Result<(), Error> {
        self.show();
        let Output { status, stderr, .. } = self.output()?;
        let (command, expected) = (self.to_string(), expected.to_owned());
        if status.success() {
            return Err(Error::Succeeded { command, expected });
        }
        let said = String::from_utf8_lossy(&stderr).into_owned();
        if said.contains(&expected) {
            say(format_args!("failed with \"{expected}\", as it should"));
            return Ok(());
        }
        Err(Error::FailedOtherwise { command, expected, said })
    }

    fn output(&mut self) -> Result<Output, Error> {
        let output = self.command.output();
        output.map_err(|reason| self.start_error(reason))
    }

    fn show(&self) {
        say(format_args!("$ {self}"));
    }

    fn start_error(&self, reason: io::Error) -> Error {
        let command = self.to_string();
        Error::Start { command, reason }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, program, folder } = self;
        if !folder.is_empty() {
            write!(f, "cd {folder} && ")?;
        }
        for (name, value) in command.get_envs() {
            let value = value.unwrap_or_default();
            write!(f, "{}={} ", name.display(), quoted(value))?;
        }
        f.write_str(program)?;
        let mut args = command.get_args();
        args.try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

/// As a shell wants it. Good enough for what is run here, which has no quotes of its own.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=/.,:+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{word}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cargo() -> Run {
        Run::cargo(Path::new(env!("CARGO_MANIFEST_DIR")), "")
    }

    #[test]
    fn shows_what_can_be_pasted() {
        let run = cargo().args(["doc", "--format", "{p} x"]).env("A", "-D b");
        assert_eq!(run.to_string(), "A='-D b' cargo doc --format '{p} x'");
        let run = Run::cargo(Path::new("."), "benches").args(["bench"]);
        assert_eq!(run.to_string(), "cd benches && cargo bench");
    }

    #[test]
    fn reads_what_is_printed() {
        let version = cargo().args(["--version"]).read().unwrap();
        assert!(version.starts_with("cargo "));
    }

    #[test]
    fn overhears_both_streams() {
        // Standard output has the packages, standard error a warning.
        let printed = cargo().args(["metadata", "--no-deps"]).overhear().unwrap();
        assert!(printed.contains("\"packages\":") && printed.contains("--format-version"));
        let failed = cargo().args(["no-such-command"]).overhear();
        assert!(matches!(failed, Err(Error::Failed { .. })));
    }

    #[test]
    fn passes_the_exit_status_on() {
        let Err(Error::Failed { command, status }) = cargo().args(["no-such-command"]).run() else {
            panic!("succeeded");
        };
        assert_eq!(command, "cargo no-such-command");
        assert_eq!(status.code(), Some(101));
    }

    #[test]
    fn names_what_did_not_start() {
        let error = Run::cargo(Path::new("/nowhere"), "").run().unwrap_err();
        assert!(error.to_string().starts_with("`cargo` did not start: "));
    }

    #[test]
    fn only_the_expected_failure_is_a_success() {
        let fail = || cargo().args(["no-such-command"]);
        assert!(fail().fail_with("no such command").is_ok());
        assert!(matches!(fail().fail_with("E0152"), Err(Error::FailedOtherwise { .. })));
        let succeed = cargo().args(["--version"]);
        assert!(matches!(succeed.fail_with("E0152"), Err(Error::Succeeded { .. })));
    }
}
