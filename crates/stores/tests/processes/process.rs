//! A holder, as the tests control it.

use core::time::Duration;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::holder::{BEGIN, DEAF, HEAR, LEAVE, STEP};
use crate::task::{NoIdReason, Note, Task};

/// Longer than any event takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A holder's process. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct HolderProcess {
    pub(crate) task: Task,
    child: Child,
    commands: ChildStdin,
    story: Arc<Story>,
    reader: Option<JoinHandle<()>>,
}

/// All reports of a holder.
#[derive(Debug, Default)]
struct Story {
    told: Mutex<Told>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Told {
    notes: Vec<Note>,
    is_over: bool,
}

impl HolderProcess {
    /// Starts a holder that runs immediately.
    pub(crate) fn start(task: Task) -> Self {
        let mut process = Self::start_waiting(task);
        process.begin();
        process
    }

    /// Starts a holder that waits to [`begin`](Self::begin).
    pub(crate) fn start_waiting(task: Task) -> Self {
        let (name, value) = task.variable();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env(name, value)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, said) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let story = Arc::<Story>::default();
        let reader = thread::spawn({
            let story = Arc::clone(&story);
            move || story.read(said)
        });
        Self { task, child, commands, story, reader: Some(reader) }
    }

    pub(crate) fn wait_until_ready(&self) {
        self.until(0, "to be ready", |note| matches!(note, Note::Ready));
    }

    pub(crate) fn begin(&mut self) {
        self.say(BEGIN);
    }

    /// Steps its clock.
    pub(crate) fn step(&mut self, micros: i64) {
        self.say(&format!("{STEP}{micros}"));
    }

    /// Sets whether its store is silent.
    pub(crate) fn set_deaf(&mut self, is_deaf: bool) {
        self.say(if is_deaf { DEAF } else { HEAR });
    }

    fn say(&mut self, command: &str) {
        writeln!(self.commands, "{command}").unwrap();
    }

    /// Returns the number of its reports so far.
    pub(crate) fn mark(&self) -> usize {
        self.story.told.lock().unwrap().notes.len()
    }

    /// Returns the number of its reports up to the last IDs.
    pub(crate) fn last_issue(&self) -> usize {
        let told = self.story.told.lock().unwrap();
        let last = told.notes.iter().rposition(|note| matches!(note, Note::Ids(_)));
        last.map_or(0, |last| last + 1)
    }

    pub(crate) fn has_said(&self, is: impl Fn(&Note) -> bool) -> bool {
        self.story.told.lock().unwrap().notes.iter().any(is)
    }

    /// Waits for a report of that kind after the first `from` ones. Returns the number of reports
    /// up to it.
    pub(crate) fn until(&self, from: usize, what: &str, is: impl Fn(&Note) -> bool) -> usize {
        let (start, mut next) = (Instant::now(), from);
        let mut told = self.story.told.lock().unwrap();
        loop {
            if let Some(at) = told.notes[next..].iter().position(&is) {
                return next + at + 1;
            }
            next = told.notes.len();
            let last = &told.notes[next.saturating_sub(5)..];
            assert!(!told.is_over, "{:?} ended and never came {what}; it said {last:?}", self.task);
            let late = start.elapsed() > PATIENCE;
            assert!(!late, "{:?} does not come {what}; it said {last:?}", self.task);
            told = self.story.changed.wait_timeout(told, Duration::from_secs(1)).unwrap().0;
        }
    }

    pub(crate) fn until_it_issues(&self, from: usize) -> usize {
        self.until(from, "to issue", |note| matches!(note, Note::Ids(_)))
    }

    pub(crate) fn until_granted(&self, from: usize) -> usize {
        self.until(from, "to have a lease", |note| matches!(note, Note::Granted(..)))
    }

    pub(crate) fn until_obeyed(&self, from: usize) -> usize {
        self.until(from, "to obey", |note| matches!(note, Note::Obeyed))
    }

    /// Waits until the store has granted or refused a lease.
    pub(crate) fn until_answered(&self, from: usize) -> usize {
        let is = |note: &Note| matches!(note, Note::Granted(..) | Note::Trouble(_));
        self.until(from, "to an answer", is)
    }

    /// Waits until it loses its lease.
    pub(crate) fn until_lost(&self, from: usize) -> usize {
        let is = |note: &Note| matches!(note, Note::Lost(_));
        self.until(from, "to lose its lease", is)
    }

    /// Waits until it stalls without a window.
    pub(crate) fn until_it_stalls(&self, from: usize) -> usize {
        let is = |note: &Note| {
            matches!(note, Note::Stalled(NoIdReason::Window | NoIdReason::NoLease, _))
        };
        self.until(from, "to a stall", is)
    }

    /// Stops it where it is, and returns once it stands still.
    pub(crate) fn stop(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
        let status = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap();
        assert!(status.is_some_and(|(_, status)| status.stopped()), "{status:?}");
    }

    /// Lets it continue after a [`stop`](Self::stop).
    pub(crate) fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills it. Returns its reports.
    pub(crate) fn kill(mut self) -> Vec<Note> {
        self.child.kill().unwrap();
        self.end()
    }

    /// Lets it shut down, without waiting.
    pub(crate) fn begin_to_leave(&mut self) {
        self.say(LEAVE);
    }

    /// Lets it shut down. Returns its reports.
    pub(crate) fn leave(mut self) -> Vec<Note> {
        self.begin_to_leave();
        self.until(0, "to leave", |note| matches!(note, Note::Left(_)));
        self.end()
    }

    fn end(&mut self) -> Vec<Note> {
        self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        core::mem::take(&mut self.story.told.lock().unwrap().notes)
    }
}

impl Drop for HolderProcess {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Story {
    fn read(&self, said: ChildStdout) {
        let mut said = BufReader::new(said);
        let mut line = String::new();
        // A report that a killed process did not finish does not count.
        while said.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
            let note = serde_json::from_str(&line);
            self.told.lock().unwrap().notes.push(note.unwrap());
            self.changed.notify_all();
            line.clear();
        }
        self.told.lock().unwrap().is_over = true;
        self.changed.notify_all();
    }
}
