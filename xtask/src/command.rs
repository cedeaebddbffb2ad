//! Other programs, which are shown before they run.

use core::fmt;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{self, ExitStatus, Output, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Prints a line to standard error, where cargo's messages go. A closed standard error must not
/// stop the program.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A command that has not run yet. Its `Display` form can be pasted into a shell.
pub(crate) struct Command {
    command: process::Command,
    /// The program's name without its folder.
    program: &'static str,
    /// The folder that it runs in, from the repository's root.
    folder: String,
}

impl Command {
    /// Returns a program to run in a folder of the repository at `root`. `cargo` is the one that
    /// runs this program, because a plain `cargo` could belong to another toolchain.
    pub(crate) fn new(program: &'static str, root: &Path, folder: &str) -> Self {
        let cargo = std::env::var_os("CARGO").filter(|_| program == "cargo");
        let mut command = process::Command::new(cargo.unwrap_or_else(|| program.into()));
        command.current_dir(root.join(folder)).stdin(Stdio::null());
        Self { command, program, folder: folder.to_owned() }
    }

    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs the command.
    pub(crate) fn run(self) -> Result<()> {
        self.show();
        self.output(Stdio::inherit(), Stdio::inherit()).map(drop)
    }

    /// Runs the command and returns its standard output.
    pub(crate) fn read(self) -> Result<String> {
        self.output(Stdio::piped(), Stdio::inherit())
    }

    fn output(mut self, stdout: Stdio, stderr: Stdio) -> Result<String> {
        let output = self.command.stdout(stdout).stderr(stderr).output();
        let Output { status, stdout, .. } = output.with_context(|| self.cannot_run())?;
        ensure!(status.success(), "`{self}` failed ({status})");
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }

    /// Runs the command, passes its output to standard error and to `listener`, line by line, and
    /// returns it with the exit status.
    pub(crate) fn relay(mut self, mut listener: impl FnMut(&str)) -> Result<(String, ExitStatus)> {
        self.show();
        let (reader, writer) = io::pipe()?;
        let spawned = self.command.stdout(writer.try_clone()?).stderr(writer).spawn();
        let mut child = spawned.with_context(|| self.cannot_run())?;
        // This drops this process's writers, so that the output ends once the child's are closed.
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut printed = String::new();
        for line in BufReader::new(reader).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            say(format_args!("{line}"));
            listener(&line);
            printed += &(line + "\n");
        }
        Ok((printed, child.wait()?))
    }

    fn show(&self) {
        say(format_args!("$ {self}"));
    }

    fn cannot_run(&self) -> String {
        format!("cannot run `{self}`")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.folder.is_empty() {
            write!(f, "cd {} && ", self.folder)?;
        }
        for (name, value) in self.command.get_envs() {
            write!(f, "{}={} ", name.display(), quoted(value.unwrap_or_default()))?;
        }
        f.write_str(self.program)?;
        self.command.get_args().try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

/// Quotes a word for a shell.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_=/.,:+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_relayed_and_named() {
        let cargo = |args: &[&str]| {
            Command::new("cargo", Path::new(env!("CARGO_MANIFEST_DIR")), "").args(args)
        };
        let shown = cargo(&["doc", "{p} 'x'"]).env("A", "-D b").to_string();
        assert_eq!(shown, r"A='-D b' cargo doc '{p} '\''x'\'''");
        assert_eq!(Command::new("cargo", Path::new("."), "a").to_string(), "cd a && cargo");

        let sh = Command::new("sh", Path::new(""), ".").args(["-c", "echo out; echo err >&2"]);
        let mut heard = Vec::new();
        let (printed, status) = sh.relay(|line| heard.push(line.to_owned())).unwrap();
        assert_eq!((&*printed, status.success()), ("out\nerr\n", true));
        assert_eq!(heard, ["out", "err"]);
        assert_eq!(cargo(&["no-such-command"]).relay(|_| ()).unwrap().1.code(), Some(101));

        let failed = cargo(&["no-such-command"]).run().unwrap_err().to_string();
        assert!(failed.starts_with("`cargo no-such-command` failed"), "{failed}");
        let missing = Command::new("cargo", Path::new("/nowhere"), "").read().unwrap_err();
        assert!(format!("{missing:#}").starts_with("cannot run `cargo`: "), "{missing:#}");
    }
}
