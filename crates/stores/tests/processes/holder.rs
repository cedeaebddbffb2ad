//! A holder: it keeps a lease, issues IDs under it, and reports everything.

use core::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::io::{self, Write as _};
use std::process::{self, ExitCode};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use tickid_core::{
    AnyNode, Clock, ClockError, ErrorKind, ProcessClock, StallReason, SystemClock, UnixTime,
};
use tickid_lease::admin::{RealmName, Start};
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, FileBackend, RealmView, RowState, Scope, StoreErrorKind,
};
use tickid_lease::session::block_on;
use tickid_lease::{GenerateError, LeaseError, LeasedGenerator, Realm, Store, StoreError};

use crate::subjects::LeasedScheme;
use crate::task::{Named, NoIdReason, Note, Plant, Task};

/// The order to start.
pub(crate) const BEGIN: &str = "begin";
/// The order to shut down and release the node.
pub(crate) const LEAVE: &str = "leave";
/// The order to receive no answers from the store from now on.
pub(crate) const DEAF: &str = "deaf";
/// The order to receive answers again.
pub(crate) const HEAR: &str = "hear";
/// The order to set the clock forward or back by the microseconds that follow.
pub(crate) const STEP: &str = "step ";

/// The pause between calls: long enough that over a hundred processes on two processors leave some
/// time to the store.
const BETWEEN_CALLS: Duration = Duration::from_millis(4);
/// The pause between attempts to start: long enough that retries do not keep a busy store busy.
const BETWEEN_STARTS: Duration = Duration::from_millis(100);
/// The timeout of the first request.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn hold(task: Task) -> ExitCode {
    task.kind.hold(task)
}

pub(crate) fn run<S: LeasedScheme>(task: &Task) -> ExitCode {
    let commands = commands();
    let clock = Arc::new(SetClock(AtomicI64::new(task.clock)));
    let realm = Realm::from_spec(task.realm(), S::Scheme::default()).unwrap();
    let store = open(&task.url, &clock);
    // Another holder may have created it, or given it another pool since.
    while block_on(store.create(realm.spec(), Start::Immediately), PATIENCE)
        .is_err_and(|error| error.refusal().is_none())
    {
        thread::sleep(BETWEEN_STARTS);
    }
    let reporting = Arc::new(Reporting {
        store,
        is_deaf: AtomicBool::new(false),
        plant: task.plant,
        granted: Mutex::default(),
    });
    tell(&Note::Ready);
    if commands.recv().ok().as_deref() != Some(BEGIN) {
        return ExitCode::SUCCESS;
    }
    let mut leased: Option<Leased<S>> = None;
    let (mut stalled, mut losses) = (None, 0);
    for round in 0_u32.. {
        match commands.try_recv().as_deref() {
            Ok(LEAVE) => {
                let moves = leased.as_ref().map_or(0, |leased| leased.state().counters.moves);
                drop(leased.map(|leased| leased.shut_down()));
                tell(&Note::Left(moves));
                return ExitCode::SUCCESS;
            }
            Ok(command) => {
                match command {
                    DEAF => reporting.is_deaf.store(true, Ordering::Relaxed),
                    HEAR => reporting.is_deaf.store(false, Ordering::Relaxed),
                    _ => {
                        let step = command.strip_prefix(STEP).unwrap();
                        clock.0.fetch_add(step.parse().unwrap(), Ordering::Relaxed);
                    }
                }
                // Any stall from here on is reported.
                stalled = None;
                tell(&Note::Obeyed);
            }
            // The test has ended.
            Err(TryRecvError::Disconnected) => process::exit(0),
            Err(TryRecvError::Empty) => {}
        }
        if task.right_after == Some(round) {
            clock.0.store(0, Ordering::Relaxed);
        }
        match &leased {
            None => match start::<S>(&reporting, &realm, &clock) {
                Ok(started) => leased = Some(started),
                Err(error) => {
                    tell(&Note::Trouble(error.to_string()));
                    thread::sleep(BETWEEN_STARTS);
                }
            },
            Some(leased) => {
                issue::<S>(leased, &mut stalled);
                let state = leased.state();
                if state.counters.losses > losses {
                    losses = state.counters.losses;
                    tell(&Note::Lost(format!("{:?}", state.trouble)));
                }
            }
        }
        thread::sleep(BETWEEN_CALLS);
    }
    ExitCode::SUCCESS
}

type Leased<S> = LeasedGenerator<<S as LeasedScheme>::Scheme, ProcessClock<Arc<SetClock>>>;

fn start<S: LeasedScheme>(
    reporting: &Arc<Reporting>,
    realm: &Realm<S::Scheme>,
    clock: &Arc<SetClock>,
) -> Result<Leased<S>, LeaseError> {
    LeasedGenerator::builder(Store::new(Arc::clone(reporting)), realm.clone())
        .policy(S::policy())
        .clock(Arc::clone(clock))
        .start()
}

fn issue<S: LeasedScheme>(leased: &Leased<S>, stalled: &mut Option<NoIdReason>) {
    let mut ids = Vec::new();
    let error = loop {
        match leased.try_generate() {
            Ok(id) => ids.push(id.to_string()),
            Err(error) => break Some(error),
        }
        if ids.len() == 2 {
            break None;
        }
    };
    if !ids.is_empty() {
        tell(&Note::Ids(ids));
    }
    let stall = error.as_ref().map(|error| match error {
        GenerateError::Stalled(stall)
            if stall.error.kind() == ErrorKind::Stalled(StallReason::WindowEnded) =>
        {
            NoIdReason::Window
        }
        GenerateError::NoLease { .. } => NoIdReason::NoLease,
        GenerateError::Stalled(_) | GenerateError::Stopped | GenerateError::Forked => {
            NoIdReason::Other
        }
        _ => NoIdReason::Other,
    });
    if let (Some(stall), Some(error)) = (stall.filter(|_| stall != *stalled), error) {
        tell(&Note::Stalled(stall, error.to_string()));
    }
    *stalled = stall;
}

/// Writes a report as a whole, or not at all.
fn tell(note: &Note) {
    let line = serde_json::to_string(note).unwrap() + "\n";
    if io::stdout().lock().write_all(line.as_bytes()).is_err() {
        // The test has ended.
        process::exit(0);
    }
}

/// Returns the lines of standard input as they come.
fn commands() -> Receiver<String> {
    let (sender, commands) = channel();
    thread::spawn(move || {
        for line in io::stdin().lines() {
            sender.send(line.unwrap()).unwrap();
        }
    });
    commands
}

/// The system's clock, set forward or back.
#[derive(Debug)]
struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let now = SystemClock.now()?;
        Ok(UnixTime::from_micros(now.as_micros() + self.0.load(Ordering::Relaxed)))
    }
}

/// Opens a store. Folders have the clock of the machine, so one that was set is the store's, too.
fn open(url: &str, clock: &Arc<SetClock>) -> Store {
    match url.strip_prefix("file://") {
        Some(folder) => {
            Store::new(FileBackend::open_with_clock(folder, Arc::clone(clock)).unwrap())
        }
        None => tickid_stores::open(url).unwrap(),
    }
}

/// A backend whose grants are reported before they can be used.
#[derive(Debug)]
struct Reporting {
    store: Store,
    is_deaf: AtomicBool,
    plant: Option<Plant>,
    /// The last lease of each node.
    granted: Mutex<HashMap<AnyNode, Named>>,
}

impl Reporting {
    fn check(&self) -> Result<(), StoreError> {
        let silence = || StoreError::new(self.name(), StoreErrorKind::Unreachable);
        if self.is_deaf.load(Ordering::Relaxed) { Err(silence()) } else { Ok(()) }
    }

    fn tell_granted(&self, node: AnyNode, lease: Named, ceiling: u64) {
        self.granted.lock().unwrap().insert(node, lease.clone());
        let ceiling = if self.plant == Some(Plant::NoWindow) { lease.floor } else { ceiling };
        tell(&Note::Granted(lease, ceiling));
    }

    fn tell_released(&self, node: AnyNode, end: u64) {
        if let Some(lease) = self.granted.lock().unwrap().remove(&node) {
            tell(&Note::Released(lease, end));
        }
    }
}

impl Backend for Reporting {
    fn name(&self) -> &'static str {
        self.store.backend()
    }

    fn starts_immediately(&self) -> bool {
        self.store.starts_immediately()
    }

    fn is_remote(&self) -> bool {
        self.store.inner().is_remote()
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(async move {
            self.check()?;
            let mut view = self.store.inner().read(realm, scope).await?;
            if let (Some(Plant::FromNow), Some((record, _))) = (self.plant, &view.record) {
                let now = record.realm.tick_at(view.now).unwrap();
                for state in view.rows.values_mut() {
                    if let RowState::Intact { row, is_dead: true, .. } = state {
                        row.ceiling = row.ceiling.min(now);
                    }
                }
            }
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(async move {
            self.check()?;
            let row = change.row.as_ref().and_then(|row| row.row.as_ref());
            if let Some(row) = row.filter(|row| row.token.is_none()) {
                self.tell_released(row.node, row.ceiling);
            }
            let commit = self.store.inner().commit(realm, change).await?;
            if let Some((row, token)) =
                row.filter(|_| commit.is_written()).and_then(|row| Some((row, row.token?)))
            {
                self.tell_granted(row.node, Named::new(row.node, token, row.floor), row.ceiling);
            }
            Ok(commit)
        })
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        self.store.inner().realms()
    }
}
