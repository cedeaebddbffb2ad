//! What a holder does: it keeps a lease, issues from it, and tells everything.

use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use core::time::Duration;
use std::io::{self, Write as _};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use tickid_core::{
    Builder, Clock, ClockError, ErrorKind, NodeId as _, ProcessClock, Scheme, SystemClock, Tick,
    UnixTime, Window,
};
use tickid_lease::{
    Answer, Claim, FileStore, GenerateError, Grant, Hold, Keeper, KeeperBuilder, Lease, LeaseError,
    Listing, Node, Realm, RealmName, Row, StartError, Store, StoreError, StoreErrorKind, connect,
};

use crate::scheme::Subject;
use crate::task::{Named, Note, Plant, Stall, Task};

/// To start with.
pub(crate) const BEGIN: &str = "begin";
/// To shut down and to give the node back.
pub(crate) const LEAVE: &str = "leave";
/// To go without answers from the store from now on.
pub(crate) const DEAF: &str = "deaf";
/// To have answers again.
pub(crate) const HEAR: &str = "hear";
/// To set the clock forward or back by microseconds that follow.
pub(crate) const STEP: &str = "step ";

/// Long enough that more than a hundred processes leave something of two processors to the store.
const BETWEEN_CALLS: Duration = Duration::from_millis(4);
/// A store that has no time for all who ask gets none by their asking again at once.
const BETWEEN_STARTS: Duration = Duration::from_millis(100);

pub(crate) fn hold(task: Task) -> ExitCode {
    task.kind.hold(task)
}

pub(crate) fn run<S: Subject>(task: &Task) -> ExitCode {
    let commands = commands();
    let clock = Arc::new(SetClock(AtomicI64::new(task.clock)));
    let realm = task.realm();
    let store = Arc::new(Telling {
        store: open(&task.url, &clock),
        clock,
        is_deaf: AtomicBool::new(false),
        plant: task.plant,
        floor: AtomicU64::new(0),
    });
    tell(&Note::Ready);
    if commands.recv().ok().as_deref() != Some(BEGIN) {
        return ExitCode::SUCCESS;
    }
    let mut keeper = None;
    let mut stalled = None;
    for round in 0_u32.. {
        match commands.try_recv().as_deref() {
            Ok(LEAVE) => {
                if let Some(Err(error)) = keeper.map(Keeper::shut_down) {
                    tell_refusal(&error);
                }
                tell(&Note::Left);
                return ExitCode::SUCCESS;
            }
            Ok(command) => {
                store.obey(command);
                // What stalls from here on is news.
                stalled = None;
                tell(&Note::Obeyed);
            }
            // Nobody is there any more.
            Err(TryRecvError::Disconnected) => process::exit(0),
            Err(TryRecvError::Empty) => {}
        }
        if task.right_after == Some(round) {
            store.clock.0.store(0, Ordering::Relaxed);
        }
        match &keeper {
            None => match start::<S>(&store, &realm) {
                Ok(started) => keeper = Some(started),
                Err(error) => {
                    tell(&Note::Trouble(error.to_string()));
                    thread::sleep(BETWEEN_STARTS);
                }
            },
            Some(keeper) => issue::<S>(keeper, &mut stalled),
        }
        thread::sleep(BETWEEN_CALLS);
    }
    ExitCode::SUCCESS
}

type Kept<S> = Keeper<<S as Subject>::Scheme, Arc<SetClock>>;
type Building<S> = Builder<<S as Subject>::Scheme, ProcessClock<Arc<SetClock>>>;

fn start<S: Subject>(store: &Arc<Telling>, realm: &Realm) -> Result<Kept<S>, StartError> {
    let (clock, plant) = (Arc::clone(&store.clock), store.plant);
    KeeperBuilder::new(Arc::clone(store), realm.clone())
        .start(move |lease| builder::<S>(lease, &clock, plant))
}

fn builder<S: Subject>(
    lease: &Lease,
    clock: &Arc<SetClock>,
    plant: Option<Plant>,
) -> Result<Building<S>, LeaseError> {
    let clock = ProcessClock::new(Arc::clone(clock));
    let builder = match plant {
        // By hand: the lease's own builder holds on to its window.
        Some(Plant::NoWindow) => {
            let (bits, value) = (lease.node().bits(), lease.node().value());
            let node = <S::Scheme as Scheme>::Node::from_bits(bits, value)?;
            Builder::new(node).window(Window::new(Tick::new(0)?, <S::Scheme as Scheme>::LAST_TICK)?)
        }
        _ => return Ok(lease.builder(&S::Scheme::default())?.policy(S::policy()).clock(clock)),
    };
    Ok(builder.policy(S::policy()).clock(clock))
}

fn issue<S: Subject>(keeper: &Kept<S>, stalled: &mut Option<Stall>) {
    let mut ids = Vec::new();
    let error = loop {
        match keeper.try_generate() {
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
        GenerateError::Stalled { error, .. } if error.kind() == ErrorKind::Window => Stall::Window,
        GenerateError::NoLease { .. } => Stall::NoLease,
        _ => Stall::Other,
    });
    if let (Some(stall), Some(error)) = (stall.filter(|_| stall != *stalled), error) {
        tell(&Note::Stalled(stall, error.to_string()));
    }
    *stalled = stall;
}

/// Says it as a whole, or not at all.
fn tell(note: &Note) {
    let line = serde_json::to_string(note).unwrap() + "\n";
    if io::stdout().lock().write_all(line.as_bytes()).is_err() {
        // Nobody is there any more.
        process::exit(0);
    }
}

fn tell_refusal(error: &StoreError) {
    let (is_lost, is_silent) = (error.is_lost(), error.is_unreachable());
    let why = match core::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    tell(&Note::Refused { is_lost, is_silent, why });
}

/// What comes in, line by line.
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

/// Files have the clock of the machine, so one that was set is the store's, too.
fn open(url: &str, clock: &Arc<SetClock>) -> Box<dyn Store> {
    match url.strip_prefix("file://") {
        Some(folder) => Box::new(FileStore::open_with_clock(folder, Arc::clone(clock)).unwrap()),
        None => connect(url).unwrap(),
    }
}

/// A store whose answers are told before anybody can make use of them.
#[derive(Debug)]
struct Telling {
    store: Box<dyn Store>,
    clock: Arc<SetClock>,
    is_deaf: AtomicBool,
    plant: Option<Plant>,
    /// Where the window begins that was [moved](Plant::FromNow).
    floor: AtomicU64,
}

impl Telling {
    fn obey(&self, command: &str) {
        match command {
            DEAF => self.is_deaf.store(true, Ordering::Relaxed),
            HEAR => self.is_deaf.store(false, Ordering::Relaxed),
            _ => {
                let step = command.strip_prefix(STEP).unwrap();
                self.clock.0.fetch_add(step.parse().unwrap(), Ordering::Relaxed);
            }
        }
    }

    fn check(&self) -> Result<(), StoreError> {
        let silence = || StoreError::new(self.backend(), StoreErrorKind::Unreachable);
        if self.is_deaf.load(Ordering::Relaxed) { Err(silence()) } else { Ok(()) }
    }

    fn tell(&self, answer: Result<Grant, StoreError>) -> Result<Grant, StoreError> {
        match &answer {
            Ok(grant) => tell(&Note::Granted(Named::from(&grant.hold), grant.ceiling)),
            Err(error) => tell_refusal(error),
        }
        answer
    }

    /// As the store knows it.
    fn real(&self, hold: &Hold) -> Hold {
        let mut real = *hold;
        if self.plant == Some(Plant::FromNow) {
            real.floor = self.floor.load(Ordering::Relaxed);
        }
        real
    }
}

impl Store for Telling {
    fn backend(&self) -> &'static str {
        self.store.backend()
    }

    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        self.store.begin(realm)
    }

    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
        Box::pin(async move {
            self.check()?;
            // By the clock that was set, which a keeper does not know of.
            let mut claim = claim.clone();
            claim.now = self.clock.now().ok().and_then(|now| realm.tick_at(now));
            let mut answer = self.store.acquire(realm, &claim).await;
            if let (Ok(grant), Some(Plant::FromNow)) = (&mut answer, self.plant) {
                self.floor.store(grant.hold.floor, Ordering::Relaxed);
                grant.hold.floor = realm.tick_at(grant.now).unwrap().min(grant.hold.floor);
            }
            self.tell(answer)
        })
    }

    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
        Box::pin(async move {
            self.check()?;
            let mut answer = self.store.renew(realm, &self.real(hold)).await;
            if let Ok(grant) = &mut answer {
                grant.hold = *hold;
            }
            self.tell(answer)
        })
    }

    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            tell(&Note::Released(Named::from(hold), used));
            self.store.release(realm, &self.real(hold), used).await
        })
    }

    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
        self.store.list(realm)
    }

    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
        self.store.recover(realm)
    }

    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
        self.store.mend(realm, node)
    }

    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        self.store.reshape(realm)
    }
}
