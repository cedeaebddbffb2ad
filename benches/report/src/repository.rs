//! The repository's files and its two workspaces, and the programs that run in them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::Error;

/// The repository's root.
pub(crate) struct Repository(PathBuf);

impl Repository {
    /// Finds the repository of this program.
    pub(crate) fn find() -> Self {
        // The variable is current, but the constant is wrong once the repository has been moved.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest = manifest.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        Self(manifest.ancestors().nth(2).unwrap_or(Path::new("")).to_owned())
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Returns cargo in the main workspace.
    pub(crate) fn cargo(&self) -> Command {
        self.cargo_in("")
    }

    /// Returns cargo in the workspace of the benchmarks.
    pub(crate) fn cargo_in_benches(&self) -> Command {
        self.cargo_in("benches")
    }

    fn cargo_in(&self, folder: &str) -> Command {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(program);
        command.current_dir(self.path(folder));
        command
    }
}

/// Returns the target directory of the workspace that `cargo` runs in.
pub(crate) fn target_directory(mut cargo: Command) -> Result<PathBuf, Error> {
    let metadata = output(cargo.args(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata = serde_json::from_str::<Value>(&metadata).unwrap_or_default();
    metadata["target_directory"].as_str().map(PathBuf::from).ok_or(Error::Metadata)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let name = name(command);
    eprintln!("$ {name}");
    let status = command.stdin(Stdio::null()).status();
    let status = status.map_err(|reason| Error::Start { command: name.clone(), reason })?;
    if status.success() { Ok(()) } else { Err(Error::Failed { command: name, status }) }
}

/// Runs a command and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, Error> {
    let name = name(command);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|reason| Error::Start { command: name.clone(), reason })?;
    if !output.status.success() {
        return Err(Error::Failed { command: name, status: output.status });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|reason| Error::Read { path: path.to_owned(), reason })
}

/// Writes a file, and creates its folder if it is missing.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|reason| Error::Write { path: path.to_owned(), reason })
}

/// Creates a folder, without the files that it had if it exists.
pub(crate) fn create_empty(folder: &Path) -> Result<(), Error> {
    remove(folder)?;
    fs::create_dir_all(folder).map_err(|reason| Error::Write { path: folder.to_owned(), reason })
}

/// Removes a folder if it exists.
pub(crate) fn remove(folder: &Path) -> Result<(), Error> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|reason| Error::Write { path: folder.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_benchmarks() {
        assert!(Repository::find().path("benches/report/Cargo.toml").exists());
    }

    #[test]
    fn a_failed_command_is_named() {
        let error = run(Repository::find().cargo().arg("no-such-command")).unwrap_err();
        assert!(error.to_string().starts_with("`cargo no-such-command` failed"), "{error}");
    }
}
