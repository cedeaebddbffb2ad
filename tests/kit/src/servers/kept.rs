//! Servers that end with the process that started them, however it ends.

use core::sync::atomic::{AtomicU32, Ordering};
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::servers::server::StartError;

/// The shell commands (`sh`) that start and stop a server. `$1` and so on are the arguments, and
/// the working directory is the server's folder.
pub(crate) struct Script {
    /// Succeeds once the server accepts connections.
    pub(crate) start: &'static str,
    /// Also runs if `start` failed half way.
    pub(crate) stop: &'static str,
}

/// A server and its folder. Both are removed when this is dropped and when this process ends, even
/// if it is killed, because the shell that supervises them waits for the end of its input, which
/// only this process holds open.
#[derive(Debug)]
pub(crate) struct Kept {
    shell: Child,
    talk: Mutex<Option<Talk>>,
    folder: PathBuf,
}

/// The shell's input, for commands, and its output, which reports whether they succeeded.
#[derive(Debug)]
struct Talk {
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Talk {
    fn hears_ready(&mut self) -> io::Result<bool> {
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer == "ready\n")
    }
}

impl Kept {
    /// Runs `script`, as a user other than root.
    pub(crate) fn start(name: &str, script: &Script, args: &[&Path]) -> Result<Self, StartError> {
        let folder = new_folder(name)?;
        let mut command = Command::new("sh");
        // Servers refuse to run as root.
        if fs::metadata(&folder)?.uid() == 0 {
            let Account { user, group } = Account::of_a_server()?;
            chown(&folder, Some(user), Some(group))?;
            command.uid(user).gid(group);
        }
        let Script { start, stop } = script;
        let whole = format!(
            // These run in subshells because there may no longer be a reader.
            "if {{ {start}\n}} >&2; then (echo ready); else (echo failed); fi\n\
             while IFS= read -r command; do\n\
             if eval \"$command\" </dev/null >&2; then (echo ready); else (echo failed); fi\n\
             done\n\
             {{ {stop}\n}} >/dev/null 2>&1\n\
             rm -rf \"$PWD\""
        );
        let mut shell = command
            .args(["-c", &whole, name])
            .args(args)
            .current_dir(&folder)
            // Ctrl-C only stops this process, which the shell notices by the end of its input.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.join("log"))?)
            .spawn()?;
        let (commands, answers) = (shell.stdin.take(), shell.stdout.take());
        let talk = commands.zip(answers).map(|(commands, answers)| {
            let answers = BufReader::new(answers);
            Talk { commands, answers }
        });
        let kept = Self { shell, talk: Mutex::new(talk), folder };
        kept.talk(Talk::hears_ready)?;
        Ok(kept)
    }

    /// Makes the shell run one line, for example to stop a server and start it again. Processes
    /// that the line starts in the background keep running.
    pub(crate) fn tell(&self, command: &str) -> Result<(), StartError> {
        self.talk(|talk| {
            writeln!(talk.commands, "{command}")?;
            talk.hears_ready()
        })
    }

    /// Sets the clock of a server under libfaketime `seconds` ahead of the system's.
    pub(crate) fn set_clock_forward(&self, seconds: u32) -> Result<(), StartError> {
        // The file is replaced as a whole because the server may read it at any time.
        let new = self.folder().join("clock.new");
        fs::write(&new, format!("+{seconds}\n"))?;
        fs::rename(&new, self.folder().join("clock"))?;
        Ok(())
    }

    fn talk(&self, with: impl FnOnce(&mut Talk) -> io::Result<bool>) -> Result<(), StartError> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        if talk.as_mut().map(with).transpose()?.unwrap_or(false) {
            return Ok(());
        }
        Err(self.failure())
    }

    /// Returns the error of a failed start, with its output.
    pub(crate) fn failure(&self) -> StartError {
        fs::read_to_string(self.folder.join("log")).map_or_else(Into::into, StartError::Failed)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // This ends the shell's input.
        *self.talk.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        // The shell does the rest. A failure cannot be reported here.
        let _ = self.shell.wait();
    }
}

/// Creates a folder that only its owner can enter.
fn new_folder(name: &str) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("tickid-{name}-{}-{count}", process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|()| folder),
        }
    }
}

struct Account {
    user: u32,
    group: u32,
}

impl Account {
    /// Returns the first of the users that servers run as that exists.
    fn of_a_server() -> Result<Self, StartError> {
        for name in ["postgres", "nobody"] {
            if let (Some(user), Some(group)) = (id("-u", name)?, id("-g", name)?) {
                return Ok(Self { user, group });
            }
        }
        Err(StartError::Failed("servers refuse to run as root, and no other user exists".into()))
    }
}

/// Returns the number of a user or of its group, if there is such a user.
fn id(which: &str, name: &str) -> io::Result<Option<u32>> {
    let output = Command::new("id").args([which, name]).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Script =
        Script { start: "echo starting && test -n \"$1\"", stop: "touch \"$1\"" };

    #[test]
    fn stopping_removes_the_folder() {
        let kept = Kept::start("kept", &SERVER, &[Path::new("stopped")]).unwrap();
        let folder = kept.folder().to_owned();
        assert!(folder.join("log").exists());
        assert!(!folder.join("stopped").exists());
        drop(kept);
        assert!(!folder.exists());
    }

    #[test]
    fn commands_run_in_between() {
        let kept = Kept::start("kept", &SERVER, &[Path::new("stopped")]).unwrap();
        kept.tell("cat & name=there").unwrap();
        kept.tell("touch \"$name\"").unwrap();
        assert!(kept.folder().join("there").exists());
        let error = kept.tell("echo no; false").unwrap_err();
        assert_eq!(error.to_string(), "did not start; it said:\nstarting\nno\n");
    }

    #[test]
    fn failed_starts_show_the_output() {
        let error = Kept::start("kept", &SERVER, &[]).unwrap_err();
        assert_eq!(error.to_string(), "did not start; it said:\nstarting\n");
    }
}
