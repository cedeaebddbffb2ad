use core::time::Duration;
use std::process::{self, ExitCode};
use std::sync::{Arc, mpsc};
use std::thread;

use nix::sys::signal::Signal;
use tickid_core::{Scheme as _, UnixTime};
use tickid_lease::{Agenda, Realm, Store, StoreError, StoreErrorKind};
use tickid_scru64::Scru64;

use super::program::{Program, State, of_signal, stop_as_well};
use super::renewal::{News, keep};
use super::wake::{Event, Wake, block_signals};
use super::window::{Now, Window};
use crate::failure::{Chain, Failure, is_exhausted};
use crate::lease::exec::arguments::ExecArguments;
use crate::message::say;
use crate::store::answer;

/// Alarms that do not go off.
const NEVER: (Duration, UnixTime) = (Duration::MAX, UnixTime::MAX);

/// The program was stopped because it had no lease. `timeout` has the same.
const NO_LEASE: u8 = 124;

pub(crate) fn exec(arguments: &ExecArguments) -> Result<ExitCode, Failure> {
    // A store may start threads of its own.
    block_signals()?;
    let store = arguments.realm.store.open()?;
    let realm = arguments.realm.kept(&store)?;
    let kill_after = kill_after(arguments, &realm)?;
    let (sender, news) = mpsc::channel();
    let wake = Wake::new(news)?;
    let agenda = Agenda::new(realm.clone(), &holder(arguments));
    let (bell, asked) = (wake.bell(), Arc::clone(&store));
    let renewal = thread::Builder::new().name("tickid-lease".to_owned());
    renewal.spawn(move || keep(agenda, &asked, &sender, &bell)).map_err(Failure::Supervise)?;
    let (backend, max_wait) = (store.backend(), arguments.max_wait);
    let supervisor = Supervisor { realm, backend, wake, max_wait, kill_after, trouble: None };
    supervisor.run(arguments, &store).map(ExitCode::from)
}

/// Returns the time between the two signals. With more there would be no time to renew the lease.
fn kill_after(arguments: &ExecArguments, realm: &Realm) -> Result<Duration, Failure> {
    let terms = realm.terms();
    let (given, most) = (arguments.kill_after, terms.skew + terms.term / 2);
    match given {
        Some(given) if given > most => Err(Failure::Usage(format!(
            "--kill-after {given:?} leaves no time to renew the lease: a skew of {:?} and a term of {:?} \
             leave room for {most:?}",
            terms.skew, terms.term
        ))),
        Some(given) => Ok(given),
        None => Ok(terms.term / 2),
    }
}

fn holder(arguments: &ExecArguments) -> String {
    let program = arguments.command.first().map(|program| program.to_string_lossy());
    let described = || format!("{}:{}", program.unwrap_or_default(), process::id());
    arguments.holder.clone().unwrap_or_else(described)
}

struct Supervisor {
    realm: Realm,
    backend: &'static str,
    wake: Wake<News>,
    max_wait: Duration,
    kill_after: Duration,
    /// The reason why the lease has not been renewed.
    trouble: Option<StoreError>,
}

/// The end of the wait for a window.
enum Waited {
    Open(Window),
    /// A signal asked us to end.
    Signal(Signal),
}

impl Supervisor {
    fn run(mut self, arguments: &ExecArguments, store: &Arc<dyn Store>) -> Result<u8, Failure> {
        let mut granted = None;
        let ended = match self.wait(&mut granted) {
            Ok(Waited::Open(window)) => {
                let program =
                    Program::start(&arguments.command, &environment(&self.realm, &window))?;
                return self.supervise(program, window);
            }
            Ok(Waited::Signal(signal)) => Ok(of_signal(signal)),
            Err(failure) => Err(failure),
        };
        if let Some(window) = granted {
            // No program has used it.
            let unused = store.release(self.realm.name(), &window.hold, None);
            answer(store, unused).map_err(Failure::GiveBack)?;
        }
        ended
    }

    /// Waits for a lease, and for its window to begin. `granted` is set even if the wait fails.
    fn wait(&mut self, granted: &mut Option<Window>) -> Result<Waited, Failure> {
        let patience = Now::read()?.boot.saturating_add(self.max_wait);
        loop {
            let now = Now::read()?;
            let alarms = match *granted {
                // Else the next renewal is awaited.
                Some(window) if window.is_open(now) && window.left(now) > self.kill_after => {
                    return Ok(Waited::Open(window));
                }
                Some(window) if !window.is_open(now) => (Duration::MAX, window.opens),
                Some(_) => NEVER,
                None if now.boot < patience => (patience, UnixTime::MAX),
                None => return Err(self.out_of_patience()),
            };
            self.wake.at(alarms)?;
            match self.wake.next()? {
                Event::News(News::Granted(window)) => {
                    if granted.is_none() && !window.is_open(now) {
                        let (node, opens) = (window.hold.node, window.opens);
                        say(&format!("waiting for the window of node {node}, from {opens} on"));
                    }
                    self.renewed();
                    *granted = Some(window);
                }
                Event::News(News::Failed(error)) if granted.is_some() || is_exhausted(&error) => {
                    self.trouble = Some(error);
                }
                Event::News(News::Lost(error)) => {
                    *granted = None;
                    return Err(error.into());
                }
                Event::News(News::Failed(error)) => return Err(error.into()),
                Event::News(News::Broken(failure)) => return Err(failure),
                Event::Signal(
                    signal @ (Signal::SIGHUP | Signal::SIGINT | Signal::SIGQUIT | Signal::SIGTERM),
                ) => return Ok(Waited::Signal(signal)),
                Event::Signal(Signal::SIGTSTP) => stop_as_well()?,
                Event::Signal(_) | Event::Time => {}
            }
        }
    }

    fn out_of_patience(&mut self) -> Failure {
        let silence = || StoreError::new(self.backend, StoreErrorKind::Unreachable);
        let stall = Box::new(self.trouble.take().unwrap_or_else(silence).into());
        Failure::TooLong { stall, max_wait: self.max_wait }
    }

    /// Runs until the program has ended. Returns its exit status, or [`NO_LEASE`].
    fn supervise(mut self, mut program: Program, mut window: Window) -> Result<u8, Failure> {
        // Once it is asked to stop: the time since the machine's start at which it is killed.
        let mut kill_at = None;
        let (mut is_killed, mut is_held) = (false, false);
        loop {
            let now = Now::read()?;
            let left = window.left(now);
            if kill_at.is_none() && left <= self.kill_after {
                self.say_why(&window, now);
                kill_at = Some(self.stop(&program, now)?);
            }
            if !is_killed && kill_at.is_some_and(|at| now.boot >= at || left.is_zero()) {
                program.signal(Signal::SIGKILL)?;
                is_killed = true;
            }
            // Only now, so that it does not go on beyond its window.
            if core::mem::take(&mut is_held) {
                program.signal(Signal::SIGCONT)?;
            }
            let alarms = match kill_at {
                None => window.when_left(self.kill_after),
                Some(_) if is_killed => NEVER,
                Some(kill_at) => {
                    let (boot, wall) = window.when_left(Duration::ZERO);
                    (boot.min(kill_at), wall)
                }
            };
            self.wake.at(alarms)?;
            match self.wake.next()? {
                Event::Signal(Signal::SIGCHLD) => match program.state()? {
                    State::Running => {}
                    State::Stopped(by) => {
                        is_held = program.stopped(by)?;
                    }
                    State::Ended => {
                        let status = program.status()?;
                        return Ok(if kill_at.is_some() { NO_LEASE } else { status });
                    }
                },
                Event::Signal(signal) => program.signal(signal)?,
                Event::News(News::Granted(renewed)) => {
                    self.renewed();
                    window = renewed;
                }
                Event::News(News::Failed(error)) => {
                    if self.trouble.is_none() {
                        say(&format!("the lease was not renewed yet: {}", Chain(&error)));
                    }
                    self.trouble = Some(error);
                }
                Event::News(News::Lost(error)) => {
                    say(&format!("{}; the program is stopped", Chain(&error)));
                    kill_at = Some(self.stop(&program, Now::read()?)?);
                }
                Event::News(News::Broken(failure)) => return Err(failure),
                Event::Time => {}
            }
        }
    }

    /// Asks the program to end. Returns the time at which it is killed.
    fn stop(&self, program: &Program, now: Now) -> Result<Duration, Failure> {
        for signal in [Signal::SIGTERM, Signal::SIGCONT] {
            program.signal(signal)?;
        }
        Ok(now.boot.saturating_add(self.kill_after))
    }

    fn say_why(&self, window: &Window, now: Now) {
        let node = window.hold.node;
        match &self.trouble {
            Some(error) => say(&format!(
                "the lease of node {node} could not be renewed in time: {}; the program is stopped",
                Chain(error)
            )),
            None if window.is_overdue(now) => say(&format!(
                "the lease of node {node} was not renewed in time: the {} store has not answered; the \
                 program is stopped",
                self.backend
            )),
            None => say(&format!(
                "this machine's clock shows {}, which is not within the window of node {node}, from {} to \
                 {}, or too near its end; the program is stopped",
                now.wall.map_or_else(|| "nothing".to_owned(), |wall| wall.to_string()),
                window.opens,
                self.realm.scale().time_of(window.ceiling),
            )),
        }
    }

    fn renewed(&mut self) {
        if self.trouble.take().is_some() {
            say("the lease is renewed again");
        }
    }
}

/// Returns the program's environment.
fn environment(realm: &Realm, window: &Window) -> Vec<(&'static str, String)> {
    let node = window.hold.node;
    let mut environment = vec![
        ("TICKID_SCHEME", realm.scheme().to_owned()),
        ("TICKID_REALM", realm.name().to_string()),
        ("TICKID_NODE", node.to_string()),
        ("TICKID_WINDOW", format!("{}..{}", window.hold.floor, window.ceiling)),
    ];
    if realm.scheme() == Scru64::NAME {
        environment.push(("SCRU64_NODE_SPEC", node.to_string()));
    }
    environment
}
