//! The supervisor, which leases, starts the program by way of its keeper, and ends it before the
//! leases end.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tickid_core::{UnixTime, counted};
use tickid_lease::admin::{Refusal, RefusalKind, Terms};
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::session::{LeaseSession, Token, holder_name};
use tickid_lease::{RealmSpec, Store, StoreError};

use crate::descendants::{self, Killing, Left};
use crate::error::Error;
use crate::leases::{ExecLease, Leases};
use crate::plan::{Plan, Variables};
use crate::program::{Program, ProgramChange, stop_as_well};
use crate::renewal::{News, answer, keep};
use crate::status::{NO_LEASE, of_signal};
use crate::wake::{Wake, WakeReason, block_signals};
use crate::window::{ClockTimes, ProgramWindow, margin, margin_under};

/// The shortest term, whose half is time for a renewal, and whose margin for the kill.
const SHORTEST_TERM: Duration = Duration::from_secs(1);

/// The time after which the keeper is told again to kill.
const AGAIN: Duration = Duration::from_millis(500);

/// Runs a program with leased nodes, until it ends or one of the leases does. Before a lease ends,
/// the program is sent SIGTERM, and SIGKILL [`kill_after`](Plan::kill_after) later.
///
/// `open` opens the store, and returns it with the realm as the store keeps it. It is called after
/// signals have been blocked, because a store may start threads, and a signal to the process goes
/// to a thread that does not block it.
///
/// Returns the program's exit status as a shell has it, for example 143 if SIGTERM has killed it,
/// or 124 if the program was stopped for lack of a lease.
///
/// # Errors
/// Returns the error of `open`, or an [`Error`]. If the program was started, it has ended by then,
/// except for processes that could not be killed and were named in a [remark](Plan::say).
///
/// # Examples
/// ```no_run
/// use tickid_exec::{Error, Plan, exec, stage};
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// # fn main() -> Result<(), Error> {
/// let open = || {
///     let store = Store::open("file:///var/lib/orders")?;
///     let name = "orders".parse().expect("a name");
///     let realm = block_on(store.realm(&name), Plan::MAX_WAIT)?.realm;
///     Ok((store, realm))
/// };
/// let plan = Plan::new(vec!["./server".into()], |remark| eprintln!("{remark}"));
/// let status = stage().unwrap_or_else(|| exec(open, &plan))?;
/// # Ok(())
/// # }
/// ```
pub fn exec<E: From<Error>>(
    open: impl FnOnce() -> Result<(Store, RealmSpec), E>,
    plan: &Plan,
) -> Result<ExitCode, E> {
    block_signals().map_err(Error::from)?;
    let (store, realm) = open()?;
    Ok(supervise(store, realm, plan)?)
}

fn supervise(store: Store, realm: RealmSpec, plan: &Plan) -> Result<ExitCode, Error> {
    // A plan that the realm cannot meet is refused before a node is taken from others.
    let kill_after = kill_after(plan, &realm)?;
    let (sender, news) = mpsc::channel();
    let wake = Wake::new(news)?;
    let (holder, count) = (holder(plan), nodes(plan, &realm)?);
    let is_releasing = Arc::new(AtomicBool::new(false));
    // A thread for each node renews its lease, so a slow answer about one delays no other. This
    // thread never asks the store while the program runs, since it must be awake for the kill.
    let mut renewals = Vec::new();
    for number in 0..count {
        // Sessions with equal seeds would all ask the store in the same moments.
        let seed = Token::random().map_err(Error::Randomness)?.bits();
        #[allow(clippy::cast_possible_truncation, reason = "any half of the bits will do")]
        let session = LeaseSession::new(realm.clone(), &holder, seed as u64);
        let (bell, asked, news) = (wake.bell(), store.clone(), sender.clone());
        let renewal = thread::Builder::new().name("tickid-lease".to_owned());
        let (say, is_releasing) = (plan.say, Arc::clone(&is_releasing));
        let renewal = renewal
            .spawn(move || keep((number, session), &asked, &news, &bell, &is_releasing, say));
        renewals.push(renewal.map_err(Error::Supervise)?);
    }
    let mut supervisor = Supervisor {
        realm,
        store,
        wake,
        plan,
        kill_after,
        is_parent: false,
        leases: Leases::new(count),
        is_releasing,
        latest: UnixTime::MIN,
        is_stepped: false,
    };
    let ended = supervisor.run().map(ExitCode::from);
    // A lost lease may be the only evidence that the store has lost data. Its thread shows it to
    // the store after the news of it, so the process must not end before. All other threads sleep
    // until their next renewal, and end with the process.
    let is_lost = |session: &(usize, _)| supervisor.leases.is_lost(session.0);
    for (_, renewal) in renewals.into_iter().enumerate().filter(is_lost) {
        renewal.join().map_err(|_| Error::Supervise(io::Error::other("a thread panicked")))?;
    }
    ended
}

/// Returns the number of nodes to lease, which the realm must have.
fn nodes(plan: &Plan, realm: &RealmSpec) -> Result<usize, Error> {
    let (nodes, pool) = (plan.nodes, realm.pool());
    let count = usize::try_from(nodes).ok().filter(|_| (1..=pool.len()).contains(&nodes));
    let wrong = || Error::Nodes { nodes, realm: realm.name().clone(), pool: pool.clone() };
    count.ok_or_else(wrong)
}

/// Returns the time between the two signals. With more there would be no time to renew the lease.
fn kill_after(plan: &Plan, realm: &RealmSpec) -> Result<Duration, Error> {
    let Terms { term, skew, .. } = realm.terms();
    if term < SHORTEST_TERM {
        return Err(Error::Term { term, shortest: SHORTEST_TERM });
    }
    let limit = kill_limit(realm, realm.terms());
    match plan.kill_after {
        Some(kill_after) if kill_after >= limit => {
            Err(Error::KillAfter { kill_after, limit, skew, term })
        }
        Some(_) | None => Ok(kill_after_under(plan, realm, realm.terms())),
    }
}

/// Returns the same under the terms of a lease, which the store may have got while the program ran.
/// The time that was asked for gives way if they have no room for it, because the program would be
/// stopped before each renewal.
fn kill_after_under(plan: &Plan, realm: &RealmSpec, terms: Terms) -> Duration {
    let limit = kill_limit(realm, terms);
    let given = plan.kill_after.filter(|given| *given < limit);
    given.unwrap_or((terms.term / 2).min(limit / 3 * 2))
}

/// Returns the least time that remains when a renewal is due. A window starts within one tick and
/// ends with another, which costs up to two ticks. A program that was started with a longer
/// allowance has less time by the difference.
fn kill_limit(realm: &RealmSpec, terms: Terms) -> Duration {
    let scale = realm.scale();
    let fallen = realm.terms().allowance.saturating_sub(terms.allowance);
    let ticks = scale.time_of(fallen.saturating_add(2)).saturating_since(scale.time_of(0));
    let lost = margin_under(realm, terms).saturating_add(ticks);
    (terms.skew + terms.term / 2).saturating_sub(lost)
}

fn holder(plan: &Plan) -> String {
    let program = plan.command.first().map(|program| program.to_string_lossy());
    let described = || holder_name(&program.unwrap_or_default());
    plan.holder.clone().unwrap_or_else(described)
}

struct Supervisor<'p> {
    plan: &'p Plan,
    realm: RealmSpec,
    store: Store,
    wake: Wake<(usize, News)>,
    kill_after: Duration,
    /// Set if all children of this process are the program's descendants, which become its
    /// children.
    is_parent: bool,
    leases: Leases,
    /// Set while the nodes are released, which the threads that renew the leases must know.
    is_releasing: Arc<AtomicBool>,
    /// The highest reading of the wall clock while the program ran.
    latest: UnixTime,
    /// Set if the wall clock was set while the program ran, so that the program may have read any
    /// time.
    is_stepped: bool,
}

/// A program's stages on the way to its end.
#[derive(Clone, Copy)]
enum Stage {
    /// It has its leases, and may have left a process behind.
    Running { left_behind: Option<Pid> },
    /// It is asked to stop, and killed at this time since the machine's start.
    Stopping { kill_at: Duration },
    /// It is killed again and again, until no descendant is left.
    Killing,
}

impl Stage {
    /// Reports whether the program runs, and nothing has asked it to end.
    const fn is_running(self) -> bool {
        match self {
            Self::Running { .. } => true,
            Self::Stopping { .. } | Self::Killing => false,
        }
    }
}

/// The end of the wait for the windows.
enum Waited {
    Open,
    /// A signal asked us to end.
    Signal(Signal),
}

impl Supervisor<'_> {
    fn run(&mut self) -> Result<u8, Error> {
        let has_children = descendants::has_children();
        if has_children && self.plan.release_on_exit {
            return Err(Error::Children);
        }
        // If the keeper is killed, its children become those of this process.
        self.is_parent = !has_children;
        if self.is_parent {
            descendants::adopt().map_err(Error::Supervise)?;
        }
        let ended = match self.wait() {
            Ok(Waited::Open) => {
                let environment = environment(self.plan, &self.realm, &self.leases);
                let end = self.leases.when_left(Duration::ZERO);
                let margin = margin(self.realm.terms().term);
                let program = Program::start(self.plan, &environment, end, margin);
                let ended = program.and_then(|program| self.supervise(program));
                // The program's keeper has ended them, unless it was killed.
                if ended.is_err() && self.is_parent {
                    self.end_descendants()?;
                }
                let status = ended?;
                if self.plan.release_on_exit {
                    self.release_used()?;
                }
                return Ok(status);
            }
            Ok(Waited::Signal(signal)) => Ok(of_signal(signal)),
            Err(failure) => Err(failure),
        };
        // No program has used them.
        self.give_back(None);
        ended
    }

    /// Waits for all leases, and for their windows to start.
    fn wait(&mut self) -> Result<Waited, Error> {
        let patience = ClockTimes::read()?.boot.saturating_add(self.plan.max_wait);
        loop {
            let now = ClockTimes::read()?;
            let is_closed = |opens| now.wall.is_none_or(|wall| wall < opens);
            let is_far = |opens: UnixTime| {
                now.wall.is_none_or(|wall| opens.saturating_since(wall) > Duration::from_secs(1))
            };
            // Leases that are nearly over are renewed before the program starts, because it would
            // be killed at once.
            let opens = self.leases.opens();
            let alarms = match opens {
                Some(_) if self.leases.left(now) > self.kill_after => return Ok(Waited::Open),
                Some(opens) if is_closed(opens) => (Duration::MAX, opens),
                // The next renewal, or a lease.
                _ if now.boot < patience => (patience, UnixTime::MAX),
                _ => return Err(self.out_of_patience()),
            };
            self.wake.at(alarms)?;
            match self.wake.next(None)? {
                WakeReason::News((session, News::Granted(window))) => {
                    self.granted(session, window);
                    match self.leases.opens() {
                        // A first start of a static node waits for a few ticks.
                        Some(from) if opens.is_none() && is_far(from) => {
                            let nodes = nodes_of(&self.leases, ", ");
                            let s = if nodes.contains(',') { "s" } else { "" };
                            self.say(&format!(
                                "waiting for the window{s} of node{s} {nodes}, from {from} on"
                            ));
                        }
                        _ => {}
                    }
                }
                // A store that is silent before the first lease ends the wait, because its address
                // may be wrong; a full pool and a store that falls silent later do not.
                WakeReason::News((session, News::Failed(error)))
                    if self.leases.is_granted(session)
                        || error.refusal().is_some_and(Refusal::passes) =>
                {
                    let kind = error.refusal().map(Refusal::kind);
                    let is_early = matches!(kind, Some(RefusalKind::Early { .. }));
                    let message = format!("{error:?}");
                    if self.leases.failed(session, error) && is_early {
                        self.say(&format!("waiting: {message}"));
                    }
                }
                WakeReason::News((session, News::Lost(error))) => {
                    self.leases.lost(session);
                    return Err(error.into());
                }
                WakeReason::News((_, News::Failed(error))) => return Err(error.into()),
                WakeReason::News((_, News::Broken(failure))) => return Err(failure),
                WakeReason::Signal(
                    signal @ (Signal::SIGHUP | Signal::SIGINT | Signal::SIGQUIT | Signal::SIGTERM),
                ) => return Ok(Waited::Signal(signal)),
                WakeReason::Signal(Signal::SIGTSTP) => stop_as_well()?,
                WakeReason::Signal(_)
                | WakeReason::Time
                | WakeReason::Step
                | WakeReason::Change => {}
            }
        }
    }

    fn out_of_patience(&mut self) -> Error {
        let silence = || StoreError::new(self.store.backend(), StoreErrorKind::Unreachable);
        let stall = self.leases.take_trouble().unwrap_or_else(silence);
        Error::TooLong { stall, max_wait: self.plan.max_wait }
    }

    /// Runs until the program has ended. Returns its exit status, or [`NO_LEASE`].
    fn supervise(&mut self, mut program: Program) -> Result<u8, Error> {
        let mut stage = Stage::Running { left_behind: None };
        loop {
            let now = self.now()?;
            program.kill_at(self.leases.when_left(Duration::ZERO));
            stage = self.advance(stage, &mut program, now)?;
            // Resume it only now, so that it does not continue beyond its window.
            program.resume()?;
            self.wake.at(self.alarms(stage, now))?;
            match self.wake.next(Some(program.changes()))? {
                WakeReason::Change => match (program.change()?, stage) {
                    (ProgramChange::Stopped(by), _) => program.stopped(by)?,
                    (ProgramChange::Left(process), Stage::Running { .. }) => {
                        stage = Stage::Running { left_behind: Some(process) };
                    }
                    (ProgramChange::Overdue, _) => {
                        // This process did not run when it should have stopped the program.
                        let now = self.now()?;
                        if stage.is_running() {
                            self.say_why(now);
                        }
                        stage = Stage::Killing;
                    }
                    (ProgramChange::Ended(status), Stage::Running { left_behind }) => {
                        program.let_go();
                        if let (Some(process), false) = (left_behind, self.plan.release_on_exit) {
                            self.say_left(process);
                        }
                        return Ok(status);
                    }
                    // Other processes may have ignored the request.
                    (ProgramChange::Ended(_), Stage::Stopping { .. } | Stage::Killing) => {
                        stage = Stage::Killing;
                    }
                    (ProgramChange::Gone, _) => return Ok(NO_LEASE),
                    // Whatever it leaves behind is killed as well.
                    (ProgramChange::Left(_), Stage::Stopping { .. } | Stage::Killing)
                    | (ProgramChange::None, _) => {}
                },
                WakeReason::Signal(Signal::SIGCHLD) => {
                    program.reap_orphans()?;
                }
                WakeReason::Signal(signal) => program.signal(signal)?,
                WakeReason::News((session, News::Lost(error))) => {
                    self.leases.lost(session);
                    if stage.is_running() {
                        self.say(&format!("{error:?}; the program is stopped"));
                        stage = self.stop(&program, ClockTimes::read()?)?;
                    }
                }
                WakeReason::News(news) => self.renewal(news)?,
                WakeReason::Step => self.is_stepped = true,
                WakeReason::Time => {}
            }
        }
    }

    /// Asks the program to stop, or kills it, if the leases leave it no more time.
    fn advance(
        &self,
        mut stage: Stage,
        program: &mut Program,
        now: ClockTimes,
    ) -> Result<Stage, Error> {
        let left = self.leases.left(now);
        if stage.is_running() && (left <= self.kill_after || self.outgrown().is_some()) {
            self.say_why(now);
            stage = self.stop(program, now)?;
        }
        match stage {
            Stage::Running { .. } => {}
            Stage::Stopping { kill_at } if now.boot < kill_at && !left.is_zero() => {}
            Stage::Stopping { .. } | Stage::Killing => {
                stage = Stage::Killing;
                program.kill()?;
            }
        }
        Ok(stage)
    }

    /// Returns when the program is next stopped or killed.
    fn alarms(&self, stage: Stage, now: ClockTimes) -> (Duration, UnixTime) {
        match stage {
            Stage::Running { .. } => self.leases.when_left(self.kill_after),
            Stage::Stopping { kill_at } => {
                let (boot, wall) = self.leases.when_left(Duration::ZERO);
                (boot.min(kill_at), wall)
            }
            Stage::Killing => (now.boot + AGAIN, UnixTime::MAX),
        }
    }

    /// Ends all descendants of the program and releases the nodes, from the highest tick on that an
    /// ID of theirs can have. That is the latest time by the clock plus the allowance and the one
    /// tick that an overflow takes beyond it.
    fn release_used(&mut self) -> Result<(), Error> {
        // A store gives a released node to the next holder from the tick after `used`. Unless it is
        // certain that no ID is above that, the node is kept until its window ends, which costs
        // others seconds.
        if !self.end_descendants()? {
            self.say("its nodes are not released, and free when their windows end");
            return Ok(());
        }
        // `latest` has the readings of this process. Between two of them, the program could read a
        // clock that was set ahead and back.
        if self.is_stepped {
            self.say(
                "the wall clock was set while the program ran: its nodes are not released, and free \
                 when their windows end",
            );
            return Ok(());
        }
        // The clock was last read after the last descendant had ended, so no ID is from a later
        // reading. For example, with an allowance of 3 ticks and a last reading in tick 100, no ID
        // is above tick 104.
        let last = self.realm.end() - 1;
        let tick = self.realm.tick_at(self.latest).unwrap_or(last);
        let ahead = self.realm.terms().allowance.saturating_add(1);
        let used = tick.saturating_add(ahead).min(last);
        self.give_back(Some(used));
        Ok(())
    }

    /// Releases the nodes. An error is only shown, because the exit status belongs to the program, or
    /// to what ended the wait.
    fn give_back(&self, used: Option<u64>) {
        // First, because a renewal that comes after the release finds no lease, and would report it
        // as lost.
        self.is_releasing.store(true, Ordering::SeqCst);
        for window in self.leases.to_release() {
            let release = self.store.release(&self.realm, &window.lease, used);
            if let Err(error) = answer(release) {
                // From a store that does not answer, each further node would take another timeout.
                let is_unreachable = error.is_unreachable();
                self.say(&Error::GiveBack(error).to_string());
                if is_unreachable {
                    break;
                }
            }
        }
    }

    /// Kills the descendants that are left, while the leases are still renewed. Reports whether all
    /// have ended within the time that the program had to end, and names those that have not.
    fn end_descendants(&mut self) -> Result<bool, Error> {
        let patience = self.kill_after.max(Duration::from_secs(1));
        let until = self.now()?.boot.saturating_add(patience);
        let mut killing = Killing::default();
        loop {
            let left = killing.scan().map_err(Error::Supervise)?;
            let now = self.now()?;
            if left == Left::None {
                return Ok(true);
            }
            if now.boot >= until {
                // A process that has ended may still be waited for by a debugger.
                let running = descendants::running().map_err(Error::Supervise)?;
                self.say_running(&running);
                return Ok(running.is_empty());
            }
            self.wake.at((until.min(now.boot.saturating_add(left.pause())), UnixTime::MAX))?;
            match self.wake.next(None)? {
                WakeReason::News((session, News::Lost(_))) => self.leases.lost(session),
                WakeReason::News(news) => self.renewal(news)?,
                WakeReason::Step => self.is_stepped = true,
                // A child that ends is reported, and its own children are there by then.
                WakeReason::Signal(_) | WakeReason::Time | WakeReason::Change => {}
            }
        }
    }

    /// Names the processes that could not be ended.
    fn say_running(&self, processes: &[Pid]) {
        let names: Vec<String> = processes.iter().take(5).map(Pid::to_string).collect();
        let [first, ..] = names.as_slice() else { return };
        let (whom, of_them) = match processes.len() {
            1 => (format!("process {first}"), "it"),
            len if len == names.len() => (format!("processes {}", names.join(", ")), "they"),
            len => (format!("{len} processes, {}, …,", names.join(", ")), "they"),
        };
        let nodes = nodes_of(&self.leases, ", ");
        self.say(&format!(
            "{whom} could not be killed: {of_them} may use node {nodes} beyond its window"
        ));
    }

    fn say(&self, remark: &str) {
        (self.plan.say)(remark);
    }

    /// Reads the clocks while the program runs.
    fn now(&mut self) -> Result<ClockTimes, Error> {
        let now = ClockTimes::read()?;
        self.latest = self.latest.max(now.wall.unwrap_or(UnixTime::MIN));
        Ok(now)
    }

    /// Asks the program to end.
    fn stop(&self, program: &Program, now: ClockTimes) -> Result<Stage, Error> {
        for signal in [Signal::SIGTERM, Signal::SIGCONT] {
            program.signal(signal)?;
        }
        Ok(Stage::Stopping { kill_at: now.boot.saturating_add(self.kill_after) })
    }

    fn granted(&mut self, session: usize, window: ProgramWindow) {
        if self.leases.granted(session, window) {
            self.say("the lease is renewed again");
        }
        // The program is stopped, and has the time that it was promised last.
        if self.outgrown().is_some() {
            return;
        }
        // The shortest time, as long as only some leases have the store's present terms: with the
        // time of a longer term, the program would be stopped before the others are renewed.
        let under =
            |held: &ProgramWindow| kill_after_under(self.plan, &self.realm, held.lease.terms);
        let kill_after = self.leases.windows().map(under).min().unwrap_or(self.kill_after);
        if kill_after != self.kill_after {
            self.kill_after = kill_after;
            self.say(&format!(
                "the realm's terms are now {}: SIGKILL follows SIGTERM after {kill_after:?}",
                window.lease.terms
            ));
        }
    }

    /// Returns the terms of a lease under which there is no time to renew it, since the program was
    /// started with others.
    fn outgrown(&self) -> Option<Terms> {
        let mut terms = self.leases.windows().map(|held| held.lease.terms);
        terms.find(|terms| kill_limit(&self.realm, *terms).is_zero())
    }

    /// Takes the result of a renewal.
    fn renewal(&mut self, (session, news): (usize, News)) -> Result<(), Error> {
        match news {
            News::Granted(window) => self.granted(session, window),
            News::Failed(error) => {
                let message = format!("{error:?}");
                if self.leases.failed(session, error) {
                    self.say(&format!("the lease was not renewed yet: {message}"));
                }
            }
            News::Lost(_) => self.leases.lost(session),
            News::Broken(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Says that a process outlives the program, and that nothing ends it.
    fn say_left(&self, process: Pid) {
        let (_, end) = self.leases.when_left(Duration::ZERO);
        let nodes = nodes_of(&self.leases, ", ");
        self.say(&format!(
            "process {process}, which the program left behind, is still running: end it by {end}, \
             when another holder may get node {nodes}; --release-on-exit ends such processes"
        ));
    }

    fn say_why(&self, now: ClockTimes) {
        if let Some(why) = self.why(now) {
            self.say(&format!("{why}; the program is stopped"));
        }
    }

    /// Returns the reason why the program has to stop.
    fn why(&self, now: ClockTimes) -> Option<String> {
        if let Some(terms) = self.outgrown() {
            let first = self.realm.terms();
            let (what, now, then) = match terms.allowance < first.allowance {
                true => {
                    let ticks = |terms: Terms| counted(terms.allowance, "tick").to_string();
                    ("allowance is", ticks(terms), ticks(first))
                }
                false => ("terms are", terms.to_string(), first.to_string()),
            };
            return Some(format!(
                "the realm's {what} now {now}, and this program was started with {then}, so there is \
                 no time to renew its lease: start it again"
            ));
        }
        let ExecLease { window: Some(window), trouble, .. } = self.leases.shortest(now)? else {
            return None;
        };
        let node = window.lease.node;
        // All that is known is that too little time is left. A renewal that failed explains it. So
        // does a renewal that is due and has no answer: the store is silent, or this process was
        // suspended or starved. If the lease was renewed in time, then the wall clock is wrong.
        Some(match trouble {
            Some(error) => {
                format!("the lease of node {node} could not be renewed in time: {error:?}")
            }
            None if window.is_overdue(now) => format!(
                "the lease of node {node} was not renewed in time: the {} store has not answered, or \
                 this process did not run",
                self.store.backend()
            ),
            None => format!(
                "this machine's clock shows {}, which is not within the window of node {node}, from {} to \
                 {}, or too near its end",
                now.wall.map_or_else(|| "nothing".to_owned(), |wall| wall.to_string()),
                window.opens,
                self.realm.scale().time_of(window.lease.ceiling),
            ),
        })
    }
}

/// Returns the nodes of the leases that are granted.
fn nodes_of(leases: &Leases, separator: &str) -> String {
    let nodes: Vec<_> = leases.windows().map(|window| window.lease.node.to_string()).collect();
    nodes.join(separator)
}

/// Returns the program's environment. A single node has its own variables. With several, those are
/// removed, since they could come from an outer `lease exec`.
fn environment(plan: &Plan, realm: &RealmSpec, leases: &Leases) -> Variables {
    // These are the windows at the start, such as `7012745321..7012745418`. Renewals widen them
    // later, which a running program cannot see in its environment.
    let windows = leases
        .windows()
        .map(|ProgramWindow { lease, .. }| format!("{}..{}", lease.floor, lease.ceiling));
    let windows = windows.collect::<Vec<_>>().join(" ");
    let nodes = nodes_of(leases, " ");
    // A program written for one node must fail on several, and not take the first: two workers that
    // did so would issue the same IDs.
    let only = |text: &String| Some(text.clone()).filter(|text| !text.contains(' '));
    // A worker's IDs may be ahead of the clock by the allowance, and by one tick more after an
    // overflow. Its successor must not enter the last of these ticks either, which makes two.
    let scale = realm.scale();
    let ahead = scale.time_of(realm.terms().allowance.saturating_add(2));
    let wait = ahead.saturating_since(scale.time_of(0)).as_micros().div_ceil(1_000_000);
    let mut environment = vec![
        ("TICKID_SCHEME", Some(realm.scheme().to_owned())),
        ("TICKID_REALM", Some(realm.name().to_string())),
        ("TICKID_NODE", only(&nodes)),
        ("TICKID_WINDOW", only(&windows)),
        ("TICKID_RESTART_WAIT", Some(wait.to_string())),
    ];
    let granted: Vec<_> = leases.windows().map(|window| window.lease.node).collect();
    environment.extend((plan.variables)(realm, &granted));
    environment.extend([("TICKID_NODES", Some(nodes)), ("TICKID_WINDOWS", Some(windows))]);
    environment
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;
    use tickid_lease::Realm;
    use tickid_lease::session::{Claim, block_on};

    use super::*;

    fn secs(secs: f64) -> Duration {
        Duration::from_secs_f64(secs)
    }

    fn between(given: Option<f64>, term: f64, skew: f64) -> Result<Duration, Error> {
        let realm = RealmSpec::from(Realm::builder("a", Seconds).pool("1/8").build().unwrap());
        let terms = realm.terms().with_term(secs(term)).with_skew(secs(skew));
        let mut plan = Plan::new(vec!["true".into()], |_| ());
        plan.kill_after = given.map(secs);
        kill_after(&plan, &realm.with_terms(terms).unwrap())
    }

    /// Otherwise the program would be stopped before a renewal is due, after half a term.
    #[test]
    fn stops_leave_time_for_renewals() {
        assert_eq!(between(None, 10.0, 5.0).unwrap(), secs(5.0));
        // Half a term, without a margin of half a second and two ticks.
        assert_eq!(between(None, 10.0, 0.0).unwrap(), secs(2.5) / 3 * 2);
        assert_eq!(between(Some(2.499), 10.0, 0.0).unwrap(), secs(2.499));
        let refused = between(Some(2.5), 10.0, 0.0).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "2.5s between SIGTERM and SIGKILL leave no time to renew the lease: with a skew of 0ns and \
             a term of 10s, it must be less than 2.5s"
        );
    }

    /// Returns the window of a lease that the store grants under these terms, requested at the
    /// machine's start, and the time when it was granted.
    fn window(realm: &RealmSpec, terms: Terms) -> (ProgramWindow, UnixTime) {
        let mut claim = Claim::new(Token::from_bits(1), "me", None);
        let store = Store::in_memory();
        let granting = realm.clone().with_terms(terms).unwrap();
        let lease = block_on(store.acquire(&granting, &mut claim), secs(1.0)).unwrap();
        (ProgramWindow::new(realm, lease, Duration::ZERO), lease.granted_at)
    }

    fn realm(terms: impl Fn(Terms) -> Terms) -> RealmSpec {
        let realm = RealmSpec::from(Realm::builder("a", Seconds).pool("1/8").build().unwrap());
        let terms = terms(realm.terms());
        realm.with_terms(terms).unwrap()
    }

    fn terms(term: f64, skew: f64, allowance: u64) -> impl Fn(Terms) -> Terms {
        move |terms| {
            let mut terms = terms.with_term(secs(term)).with_skew(secs(skew));
            terms.allowance = allowance;
            terms
        }
    }

    fn supervisor<'p>(plan: &'p Plan, realm: &RealmSpec) -> Supervisor<'p> {
        let (_, news) = mpsc::channel();
        Supervisor {
            kill_after: kill_after(plan, realm).unwrap(),
            realm: realm.clone(),
            store: Store::in_memory(),
            wake: Wake::new(news).unwrap(),
            plan,
            is_parent: false,
            leases: Leases::new(2),
            is_releasing: Arc::default(),
            latest: UnixTime::MIN,
            is_stepped: false,
        }
    }

    #[test]
    fn the_kill_follows_the_terms_of_the_store() {
        let realm = realm(terms(20.0, 5.0, 4));
        for (given, [first, shorter, mixed, longer]) in [
            (None, [8.0, 2.0, 2.0, 10.0]),
            (Some(7.0), [7.0, 2.0, 2.0, 7.0]),
            (Some(1.5), [1.5, 1.5, 1.5, 1.5]),
        ] {
            let mut plan = Plan::new(vec!["true".into()], |_| ());
            plan.kill_after = given.map(secs);
            let mut supervisor = supervisor(&plan, &realm);
            let mut grant = |session, (term, skew, allowance)| {
                let terms = terms(term, skew, allowance)(realm.terms());
                supervisor.granted(session, window(&realm, terms).0);
                supervisor.kill_after
            };
            assert_eq!(grant(0, (20.0, 5.0, 4)), secs(first));
            assert_eq!(grant(1, (20.0, 5.0, 4)), secs(first));
            assert_eq!(grant(1, (4.0, 4.0, 4)), secs(shorter));
            // The other lease still has the short term.
            assert_eq!(grant(0, (20.0, 15.0, 4)), secs(mixed));
            assert_eq!(grant(1, (20.0, 15.0, 4)), secs(longer));
            // The time of the allowance that has fallen is missing.
            assert_eq!(grant(1, (20.0, 5.0, 1)), secs(given.unwrap_or(6.0)));
        }
    }

    /// A first lease that came late, for example after an invalidation, is no renewal.
    #[test]
    fn only_renewals_are_renewed_again() {
        let realm = realm(terms(20.0, 5.0, 4));
        let (window, _) = window(&realm, realm.terms());
        let trouble = || StoreError::new("a", StoreErrorKind::Unreachable);
        let mut leases = Leases::new(1);
        leases.failed(0, trouble());
        assert!(!leases.granted(0, window));
        assert!(!leases.granted(0, window), "no trouble");
        leases.failed(0, trouble());
        assert!(leases.granted(0, window));
    }

    /// The program goes on by the allowance with which it was started, and under the margin that
    /// its keeper has.
    #[test]
    fn lower_terms_leave_time_for_renewals_or_stop_with_the_reason() {
        let first = (20.0, 5.0, 8);
        for (term, skew, allowance, is_outgrown) in [
            (20.0, 5.0, 8, false),
            (20.0, 5.0, 5, false),
            (20.0, 5.0, 0, false),
            (20.0, 5.0, 40, false),
            (30.0, 5.0, 0, false),
            (10.0, 5.0, 8, false),
            (14.0, 5.0, 0, false),
            (10.0, 5.0, 0, true),
            (2.0, 1.0, 8, true),
        ] {
            let realm = realm(terms(first.0, first.1, first.2));
            let plan = Plan::new(vec!["true".into()], |_| ());
            let mut supervisor = supervisor(&plan, &realm);
            let lowered = terms(term, skew, allowance)(realm.terms());
            let (window, granted) = window(&realm, lowered);
            supervisor.granted(0, window);
            supervisor.granted(1, window);
            let due = lowered.term / 2;
            let now = ClockTimes { boot: due, wall: granted.checked_add(due) };
            let left = supervisor.leases.left(now);
            let what = format!("{lowered}: {left:?} of {:?}", supervisor.kill_after);
            assert_eq!(left > supervisor.kill_after, !is_outgrown, "{what}");
            let why = supervisor.why(now).unwrap();
            assert_eq!(why.ends_with(": start it again"), is_outgrown, "{what}: {why}");
            if is_outgrown && allowance < first.2 {
                let said = "the realm's allowance is now 0 ticks, and this program was started with 8 \
                            ticks, so there is no time to renew its lease";
                assert!(why.starts_with(said), "{why}");
            }
            assert!(!supervisor.kill_after.is_zero(), "time to end");
        }
    }
}
