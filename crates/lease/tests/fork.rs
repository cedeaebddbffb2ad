//! In the child of a `fork`, no generator of the parent issues IDs by the default clock, leased or
//! not, nor do its backfills and blocks, and the process-wide one is another.
//!
//! Each test runs in a process of its own, so that it has as few threads as possible when it forks.

#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking; in a child that is seen by its exit status"
)]
#![allow(unsafe_code, reason = "there is no safe fork")]

use core::num::NonZeroU32;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, Ordering};
use core::time::Duration;
use std::collections::HashSet;
use std::fs::File;
use std::io::{Read as _, Write as _, pipe};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::{env, fmt, thread};

use tickid_core::{
    BackfillError, Builder, Clock, ClockError, DefaultClock, ErrorKind, Id, ManualClock, Scheme,
    SequenceBounds, SystemClock, Tick, UnixTime, Window,
};
use tickid_kuid::Kuid;
use tickid_lease::admin::Start;
use tickid_lease::backend::{Backend as _, FileBackend, Scope};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{GenerateError, Lease, LeasedGenerator, LeasedObserveError, Realm, Store};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::{EnvironmentError, NODE_SPEC_VARIABLE, NodeSpec, Scru64};
use tickid_sno::{Partition, Sno};
use tickid_snowflake::{NodeAboveSequence, SequenceAboveNode, Snowflake};

const PATIENCE: Duration = Duration::from_secs(10);
const SPEC: &str = "42/8";

/// The environment variable of a process that a test has to itself.
const ALONE: &str = "TICKID_TEST_ALONE";

macro_rules! tests {
    ($($name:ident: $test:ident,)*) => {$(
        #[test]
        fn $name() {
            alone(stringify!($name), $test);
        }
    )*};
}

tests! {
    default_clocks_issue_nothing: by_default,
    backfills_and_blocks_issue_nothing: drawn_and_past,
    leased_shared_issue_nothing: shared,
    leased_local_issue_nothing: exclusive,
    handles_drop_their_blocks: handles,
    leased_generators_are_inert: leased,
    random_nodes_start_anew: chosen,
    given_nodes_are_the_parents: given,
    grandchildren_are_forked_as_well: grandchildren,
    forks_of_waiting_threads_go_on: while_threads_wait,
    other_clocks_go_on_in_the_child: given_to_the_child,
    children_neither_keep_nor_free_locks_of_folders: locked,
}

/// Runs `test`, which is called `name`, by starting this program again for it alone.
fn alone(name: &str, test: fn()) {
    if env::var_os(ALONE).is_some() {
        return test();
    }
    let mut process = Command::new(env::current_exe().expect("a path"));
    process.args(["--exact", name, "--test-threads=1", "--nocapture"]);
    let output = process.env(ALONE, "1").env(NODE_SPEC_VARIABLE, SPEC).output().expect("runs");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
}

/// Runs `child` in a child of this process, and returns its result.
fn in_child<T: fmt::Display>(child: impl FnOnce() -> Vec<T>) -> Vec<String> {
    let (mut reader, mut writer) = pipe().expect("a pipe");
    // SAFETY: the other threads, if there are any, belong to leased generators. Locks that they
    // hold stay locked in the child; a test that needs one fails by the alarm. The C library's
    // allocator copes with forks.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: nothing but a number goes in.
            unsafe { libc::alarm(30) };
            drop(reader);
            let status = catch_unwind(AssertUnwindSafe(|| {
                for line in child() {
                    writeln!(writer, "{line}").expect("written");
                }
            }));
            // SAFETY: nothing of this process is needed any more.
            unsafe { libc::_exit(if status.is_ok() { 0 } else { 101 }) }
        }
        id => {
            assert!(id > 0, "no fork");
            drop(writer);
            let mut lines = String::new();
            reader.read_to_string(&mut lines).expect("text");
            let mut status = 0;
            // SAFETY: the status is written to a variable of ours.
            assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
            assert_eq!(status, 0, "the child failed, or hung:\n{lines}");
            lines.lines().map(str::to_owned).collect()
        }
    }
}

/// Forks while threads are at any step of a generator: anchoring its clock, publishing a tick,
/// counting the calls that wait.
fn while_threads_wait() {
    let told = AtomicU64::new(0);
    let bounds = SequenceBounds::new(0, 0);
    let generator = tickid_nanoflake::Builder::new(GeneratorId::MAX)
        .clock(Hasty::default())
        .bounds(bounds)
        .build()
        .unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    generator.generate().unwrap();
                    told.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Also if a child fails: otherwise the threads would run forever.
        let _over = Over(&is_over);
        for _ in 0..200 {
            let lines =
                in_child(|| (0..20).map(|_| generator.generate().unwrap().timestamp()).collect());
            assert!(lines.len() == 20 && lines.is_sorted());
        }
    });
    assert!(told.into_inner() > 0);
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Moves on whenever it is read, so that calls enter and leave the count of those that wait all
/// the time.
#[derive(Default)]
struct Hasty {
    default: DefaultClock,
    micros: AtomicI64,
}

impl Clock for Hasty {
    fn now(&self) -> Result<UnixTime, ClockError> {
        // Without its refusal in a child.
        self.default.inner().now()?;
        let micros = self.micros.fetch_add(200, Ordering::Relaxed);
        Ok(UnixTime::from_micros(1_700_000_000_000_000 + micros))
    }

    fn sleep(&self, _: Duration) {}
}

fn realm() -> Realm<Sno> {
    Realm::builder("orders", Sno).pool("1-100/16").build().unwrap()
}

/// Returns a builder of a generator with a leased node.
fn builder() -> tickid_sno::Builder {
    let mut claim = Claim::new(Token::random().unwrap(), "me", None);
    let lease: Lease =
        block_on(Store::in_memory().acquire(realm().spec(), &mut claim), PATIENCE).unwrap();
    realm().generator_builder(&lease).unwrap()
}

const FORKED: ErrorKind = ErrorKind::Clock(ClockError::Forked);

fn shared() {
    let generator = builder().build().unwrap();
    let before = generator.generate().unwrap();
    let kinds = in_child(|| {
        let kinds = [
            generator.try_generate().map(drop),
            generator.generate().map(drop),
            generator.try_block(NonZeroU32::MIN).map(drop),
            generator.try_fill(&mut [before; 4]).map(drop),
            generator.handle().try_generate().map(drop),
        ];
        kinds.map(|result| format!("{:?}", result.map_err(|error| error.kind()))).to_vec()
    });
    assert_eq!(kinds, [(); 5].map(|()| format!("{:?}", Err::<(), _>(FORKED))));
    assert!(generator.try_generate().unwrap() > before);
}

fn exclusive() {
    let mut generator = builder().build_local().unwrap();
    let before = generator.generate().unwrap();
    let kinds = in_child(|| {
        let first = generator.try_generate().map_err(|error| error.kind());
        let second = generator.generate().map_err(|error| error.kind());
        vec![format!("{first:?}"), format!("{second:?}")]
    });
    assert_eq!(kinds, [(); 2].map(|()| format!("{:?}", Err::<(), _>(FORKED))));
    assert!(generator.try_generate().unwrap() > before);
}

fn handles() {
    let generator = builder().build().unwrap();
    let mut handle = generator.handle();
    let mut ids: Vec<_> = (0..100).map(|_| handle.generate().unwrap()).collect();
    // It has most of its block left.
    let kinds = in_child(|| {
        let results = (0..200).map(|_| handle.try_generate().map_err(|error| error.kind()));
        results.map(|result| format!("{result:?}")).collect::<Vec<_>>()
    });
    assert_eq!(kinds.iter().collect::<HashSet<_>>().len(), 1, "{}", kinds[0]);
    assert_eq!(kinds[0], format!("{:?}", Err::<(), _>(FORKED)));
    ids.extend((0..100).map(|_| handle.generate().unwrap()));
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
}

fn leased() {
    let store = Store::in_memory();
    let start = || LeasedGenerator::start(store.clone(), realm());
    // Only the child takes it.
    let mut kept = Some(start().unwrap());
    let mut ids = vec![kept.as_ref().unwrap().generate().unwrap()];
    let reported = in_child(|| {
        let leased = kept.take().unwrap();
        assert!(matches!(leased.try_generate(), Err(GenerateError::Forked)));
        assert!(matches!(leased.generate(), Err(GenerateError::Forked)));
        let observed = leased.observe(ids[0]);
        assert!(matches!(observed, Err(LeasedObserveError::Generator(GenerateError::Forked))));
        let active = leased.active_lease().expect("as it was");
        assert_eq!(active.generator().try_generate().unwrap_err().kind(), FORKED);
        assert!(leased.state().is_stopped && leased.state().lease.is_none());
        // Releases nothing, and waits for no thread.
        leased.shut_down().unwrap();
        vec!["done"]
    });
    assert_eq!(reported, ["done"]);
    let leased = kept.as_ref().unwrap();
    ids.extend((0..100).map(|_| leased.generate().unwrap()));
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(leased.state().lease.is_some());

    // One that is dropped in the child, one that starts there.
    let node = leased.active_lease().unwrap().lease().node.to_string();
    let nodes = in_child(|| {
        drop(kept.take());
        let own = start().unwrap();
        own.generate().unwrap();
        vec![own.active_lease().unwrap().lease().node]
    });
    // The child's copy of the store has the lease.
    assert_ne!(nodes, [node]);
    kept.unwrap().shut_down().unwrap();
}

/// Forks twice when it is read for the second time, which is while a read holds the realm's lock.
#[derive(Debug)]
struct Forking {
    lock: PathBuf,
    readings: AtomicU64,
    /// The child that keeps its copy of the lock.
    keeping: AtomicI32,
    /// Set in the other child, which goes on with the read and drops its copy.
    is_dropping: AtomicBool,
}

impl Clock for Forking {
    fn now(&self) -> Result<UnixTime, ClockError> {
        if self.readings.fetch_add(1, Ordering::Relaxed) == 1 {
            let keeping = fork();
            if keeping == 0 {
                // SAFETY: ends with the signal of the parent, or of the alarm.
                unsafe { libc::pause() };
            }
            self.keeping.store(keeping, Ordering::Relaxed);
            let dropping = fork();
            self.is_dropping.store(dropping == 0, Ordering::Relaxed);
            if dropping != 0 {
                assert_eq!(ended(dropping), 0, "the child failed, or hung");
                assert!(!self.is_free(), "the child has freed its parent's lock");
            }
        }
        Ok(UnixTime::from_micros(1_700_000_000_000_000))
    }
}

impl Forking {
    fn is_free(&self) -> bool {
        // Opened anew, so that it is no copy of the backend's.
        File::open(&self.lock).expect("it is there").try_lock().is_ok()
    }
}

/// Returns the child's ID, which is 0 in the child. That ends after 30 seconds at the latest.
fn fork() -> i32 {
    // SAFETY: no other thread of this process has anything that the child needs.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "no fork");
    if id == 0 {
        // SAFETY: nothing but a number goes in.
        unsafe { libc::alarm(30) };
    }
    id
}

/// Waits for the end of a child, and returns its status.
fn ended(child: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the status is written to a variable of ours.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status
}

/// A child that lives on has a copy of everything that its parent had open. To unlock one copy of
/// an open file frees the lock of all.
fn locked() {
    let (root, realm) = (tempfile::tempdir().unwrap(), realm());
    let store = Store::new(FileBackend::open(root.path()).unwrap());
    block_on(store.create(realm.spec(), Start::Immediately), PATIENCE).unwrap();
    let clock = Arc::new(Forking {
        lock: root.path().join(realm.name().as_str()).join("lock"),
        readings: AtomicU64::new(0),
        keeping: AtomicI32::new(0),
        is_dropping: AtomicBool::new(false),
    });
    let backend = FileBackend::open_with_clock(root.path(), Arc::clone(&clock)).unwrap();
    block_on(backend.read(realm.name(), Scope::Record), PATIENCE).unwrap();
    if clock.is_dropping.load(Ordering::Relaxed) {
        // SAFETY: nothing of this process is needed any more.
        unsafe { libc::_exit(0) }
    }
    let is_free = clock.is_free();
    let keeping = clock.keeping.load(Ordering::Relaxed);
    // SAFETY: it is a child of this process that has not been waited for.
    assert_eq!(unsafe { libc::kill(keeping, libc::SIGKILL) }, 0);
    assert_eq!(ended(keeping), libc::SIGKILL);
    assert!(is_free, "the child has kept its parent's lock");
}

fn chosen() {
    let generator = tickid_sno::generator().unwrap();
    let mut ids: HashSet<String> = HashSet::new();
    let before = tickid_sno::new(0).unwrap();
    let lines = in_child(|| {
        // An existing generator stays the parent's.
        assert_eq!(generator.try_generate().unwrap_err().kind(), FORKED);
        let own = tickid_sno::generator().unwrap();
        assert_ne!(own.node(), generator.node());
        (0..1_000).map(|_| tickid_sno::new(0).unwrap()).collect()
    });
    assert!(tickid_sno::new(0).unwrap() > before);
    assert!(core::ptr::eq(tickid_sno::generator().unwrap(), generator));
    ids.extend(lines);
    ids.extend((0..1_000).map(|_| tickid_sno::new(0).unwrap().to_string()));
    assert_eq!(ids.len(), 2_000);
}

fn given() {
    let before = tickid_scru64::new().unwrap();
    let generator = tickid_scru64::generator().unwrap();
    let spec: NodeSpec = SPEC.parse().unwrap();
    let nodes = in_child(|| {
        for _ in 0..2 {
            let error = tickid_scru64::new().unwrap_err();
            assert_eq!(error, EnvironmentError::Forked { node: spec });
            let message = error.to_string();
            assert!(message.contains("42/8") && message.contains("parent"), "{message}");
        }
        assert_eq!(generator.try_generate().unwrap_err().kind(), FORKED);
        // SAFETY: no other thread reads the environment of this child.
        unsafe { env::set_var(NODE_SPEC_VARIABLE, "43/8") };
        tickid_scru64::new().unwrap();
        vec![tickid_scru64::generator().unwrap().node()]
    });
    assert_eq!(nodes, ["43/8"]);
    assert!(tickid_scru64::new().unwrap() > before);
}

fn grandchildren() {
    tickid_sno::new(0).unwrap();
    let lines = in_child(|| {
        let generator = tickid_sno::generator().unwrap();
        in_child(|| {
            assert_eq!(generator.try_generate().unwrap_err().kind(), FORKED);
            vec![tickid_sno::generator().unwrap().node() != generator.node()]
        })
    });
    assert_eq!(lines, ["true"]);
}

/// The shared generator, the exclusive one and the handle of every scheme.
fn by_default() {
    issues_nothing::<Scru64>(Scru64, SPEC.parse().unwrap());
    issues_nothing::<Nanoflake>(Nanoflake::default(), GeneratorId::MAX);
    issues_nothing::<Kuid>(Kuid::default(), tickid_kuid::Node::new(7));
    issues_nothing::<Sno>(Sno, Partition::new(7));
    let (above, below) = (Snowflake::TWITTER, Snowflake::SONYFLAKE);
    issues_nothing::<Snowflake<NodeAboveSequence>>(above, above.node(7).unwrap());
    issues_nothing::<Snowflake<SequenceAboveNode>>(below, below.node(7).unwrap());
}

fn issues_nothing<S: Scheme>(scheme: S, node: S::Node)
where
    Id<S>: Ord + fmt::Debug,
{
    let builder = || Builder::of(scheme, node);
    let generator = builder().build().unwrap();
    let (mut local, mut handle) = (builder().build_local().unwrap(), generator.handle());
    handle.generate().unwrap();
    let before = generator.generate().unwrap();
    let before_local = local.generate().unwrap();
    let results = in_child(|| {
        let mut results = Vec::new();
        for _ in 0..2 {
            results.extend([
                generator.try_generate().map(drop),
                generator.generate().map(drop),
                generator.handle().generate().map(drop),
                handle.try_generate().map(drop),
                handle.generate().map(drop),
                local.try_generate().map(drop),
                local.generate().map(drop),
            ]);
        }
        // A generator of its own is not concerned.
        builder().build().unwrap().generate().unwrap();
        builder().build_local().unwrap().generate().unwrap();
        results.iter().map(|result| format!("{:?}", result.map_err(|e| e.kind()))).collect()
    });
    assert_eq!(results, vec![format!("{:?}", Err::<(), _>(FORKED)); 14], "{}", S::NAME);
    assert!(generator.generate().unwrap() > before);
    assert!(handle.generate().is_ok() && local.generate().unwrap() > before_local);
}

/// A backfill reads no clock, and a block has been drawn already. By a clock that knows nothing of
/// processes as well.
fn drawn_and_past() {
    let builder = || Builder::of(Scru64, SPEC.parse().unwrap());
    let [time, end] =
        [1_600_000_000_000, 1_700_000_000_000].map(|at| UnixTime::from_millis(at).unwrap());
    let window = Window::new(Tick::MIN, Scru64.tick_at(end).unwrap().get()).unwrap();
    let many = NonZeroU32::new(10).unwrap();
    let (own, system) = (builder().build().unwrap(), builder().clock(SystemClock).build().unwrap());
    let mut blocks = [own.block(many).unwrap(), system.block(many).unwrap()];
    let clock = ManualClock::new(end);
    let mut backfills = [
        builder().window(window).build_backfill(),
        builder().window(window).clock(clock).build_backfill(),
    ]
    .map(Result::unwrap);
    let firsts = backfills.each_mut().map(|backfill| backfill.generate(time).unwrap());
    let reported = in_child(|| {
        for block in &mut blocks {
            assert_eq!((block.len(), block.next(), block.next()), (0, None, None));
        }
        for backfill in &mut backfills {
            assert_eq!(backfill.generate(time), Err(BackfillError::Forked));
        }
        // One of its own issues, and one that is continued is still the parent's.
        let [inherited, _] = backfills;
        let (snapshot, last) = (inherited.snapshot(), firsts[0]);
        let mut inherited = inherited.resume(snapshot).unwrap();
        assert_eq!(inherited.generate(time), Err(BackfillError::Forked));
        let builder = builder().window(window).restore(snapshot);
        assert!(builder.build_backfill().unwrap().generate(time).unwrap() > last);
        vec!["done"]
    });
    assert_eq!(reported, ["done"]);
    for block in blocks {
        assert_eq!((block.len(), block.count()), (10, 10));
    }
}

/// Where the clock knows nothing of processes, only the owner can decide whether the parent or
/// the child keeps such a node.
fn given_to_the_child() {
    let builder = tickid_scru64::Builder::new("7/8".parse().unwrap());
    let generator = builder.clock(SystemClock).build().unwrap();
    let before = generator.generate().unwrap();
    let after = in_child(|| vec![generator.generate().unwrap()]);
    assert!(after[0] > before.to_string());
}
