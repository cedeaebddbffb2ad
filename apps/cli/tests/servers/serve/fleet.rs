//! Two servers over one store, under load: killed, stopped, paused past their windows, cut off from
//! the store, and given other terms and wrong clocks.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use core::time::Duration;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;
use tickid_sno::SnoId;
use tickid_testkit::servers::{Etcd, MySql, Outage, Postgres, Redis, Test, clock_library};

use super::Folder;
use super::serving::{Client, Serving, http};
use crate::process::{OK, ran_in, with_state};

/// The number of IDs of one request.
const COUNT: usize = 10;
/// The number of IDs that a server must issue between two events.
const BETWEEN: usize = 500;
/// The pause of a client between two requests: the load is to last, not to saturate.
const PACE: Duration = Duration::from_millis(10);
/// The length of a slice of time, which the fleet serves or not.
const SLICE: Duration = Duration::from_millis(100);

/// A store, and its outages.
pub(crate) trait Ground: Outage {
    /// Returns a guard. While it lives, no server is within a step on the realm: one that is
    /// stopped while it holds a lock would block all others.
    fn between_steps(&self) -> Option<File> {
        None
    }

    /// Set if the store reads the clock of the machine, as its servers do.
    const HAS_THEIR_CLOCK: bool = false;
}

impl Outage for Folder {
    fn url(&self) -> String {
        format!("file://{}", self.0.path().display())
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        let lock = self.between_steps();
        Box::new(move || drop(lock))
    }
}

impl Ground for Folder {
    const HAS_THEIR_CLOCK: bool = true;

    fn between_steps(&self) -> Option<File> {
        let lock = File::open(self.0.path().join("fleet/lock")).unwrap();
        lock.lock().unwrap();
        Some(lock)
    }
}

impl Ground for Postgres {}
impl Ground for MySql {}
impl Ground for Etcd {}
impl Ground for Redis {}

/// The size of the test. `cargo xtask verify` sets more.
struct Scale {
    clients: usize,
    /// The duration of the events. Each happens at least once.
    duration: Duration,
    /// The store is down for as long, and until a server has no window left.
    outage: Duration,
    /// The realm's term and skew, in milliseconds. They are doubled for a while.
    terms: [u64; 2],
    /// The steps of the clock, in seconds, both ways.
    steps: &'static [u32],
}

impl Scale {
    fn of_this_run() -> Self {
        let setting = |name| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
        match setting("TICKID_SERVE_SECONDS") {
            None => Self {
                clients: 8,
                duration: Duration::ZERO,
                outage: Duration::ZERO,
                terms: [500, 500],
                steps: &[2],
            },
            Some(seconds) => Self {
                clients: 64,
                duration: Duration::from_secs(seconds),
                outage: Duration::from_secs(setting("TICKID_SERVE_OUTAGE").unwrap_or(60)),
                terms: [10_000, 5_000],
                steps: &[2, 3_600],
            },
        }
    }
}

/// A server as clients know it.
struct ServerInUse {
    address: SocketAddr,
    /// The IDs that clients got from it.
    ids: Mutex<Vec<[u8; 10]>>,
    count: AtomicUsize,
}

/// A running server.
struct Member {
    serving: Serving,
    target: Arc<ServerInUse>,
}

impl Member {
    fn is_stalled(&self) -> bool {
        self.serving.client().ask("TICKID.NEXT fleet").unwrap().starts_with("-TRYAGAIN")
    }

    /// Returns the time to the end of its window, in seconds.
    fn window(&self) -> f64 {
        let (_, metrics) = http(self.serving.http, "/metrics", "");
        let of_realm = "tickid_lease_window_seconds{realm=\"fleet\"} ";
        let window = metrics.lines().find_map(|line| line.strip_prefix(of_realm));
        window.unwrap().parse().unwrap()
    }

    fn end(self) -> Ended {
        let (_, log) = self.serving.end();
        (self.target, grants(&log))
    }
}

/// A window that a server was granted.
#[derive(Debug)]
struct Grant {
    node: String,
    floor: u64,
    ceiling: u64,
}

/// Reads the windows of a server from its log.
fn grants(log: &str) -> Vec<Grant> {
    let mut grants: Vec<Grant> = Vec::new();
    // A killed server may leave half a line.
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for line in lines.filter(|line| line["realm"] == "fleet") {
        let Some(ceiling) = line["ceiling"].as_u64() else { continue };
        match (line["node"].as_str(), line["floor"].as_u64()) {
            (Some(node), Some(floor)) => {
                grants.push(Grant { node: node.to_owned(), floor, ceiling });
            }
            // A renewal of the latest lease.
            _ => grants.last_mut().unwrap().ceiling = ceiling,
        }
    }
    grants
}

/// The figures of all clients.
#[derive(Default)]
struct Figures {
    answered: AtomicU64,
    failed: AtomicU64,
    /// The slices of time, set for those that gave IDs to a client.
    served: Mutex<Vec<bool>>,
}

struct Fleet<'a, G> {
    ground: &'a G,
    state: TempDir,
    start: Instant,
    targets: Mutex<[Arc<ServerInUse>; 2]>,
    figures: Figures,
    is_over: AtomicBool,
    /// The file that shifts the clock of both servers, as they run on one machine.
    clock: Option<PathBuf>,
}

/// Starts a server. It has its node when another one has left it.
fn start(state: &Path, url: &str, clock: Option<&Path>, holder: &str) -> Member {
    let serve = format!(
        "serve --realm fleet --store {url} --timeout 300ms --holder {holder} --log-level debug"
    );
    let mut command = with_state(state, &serve);
    if let (Some(clock), Some(library)) = (clock, clock_library()) {
        fake_time(&mut command, clock, &library);
    }
    let serving = Serving::start(command);
    let (ids, count) = (Mutex::default(), AtomicUsize::new(0));
    let target = Arc::new(ServerInUse { address: serving.resp, ids, count });
    Member { serving, target }
}

/// Creates the realm, or changes it.
fn init(state: &Path, options: &str, url: &str) {
    let init = format!("lease init sno --realm fleet --store {url} {options}");
    let init = ran_in(state, &init);
    assert_eq!(init.status, OK, "{}", init.stderr);
}

fn options_of([term, skew]: [u64; 2]) -> String {
    format!("--term {term}ms --skew {skew}ms")
}

fn fake_time(command: &mut Command, clock: &Path, library: &Path) {
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", clock)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
}

fn set_clock(clock: &Path, seconds: u32) {
    // Replaced as a whole: it may be read at any time.
    let new = clock.with_extension("new");
    fs::write(&new, format!("+{seconds}\n")).unwrap();
    fs::rename(&new, clock).unwrap();
}

pub(super) fn tests<G: Ground>() -> [Test<G>; 1] {
    [("no_id_comes_twice", no_id_comes_twice)]
}

/// Attacks servers over a store, while clients get IDs from both: no ID comes twice, none lies
/// outside of the windows that were granted to its server.
fn no_id_comes_twice<G: Ground>(ground: &G) {
    let (scale, state) = (Scale::of_this_run(), TempDir::new().unwrap());
    // As many nodes as servers, so that a node is leased again as soon as it can be.
    let realm = "--pool 0-1/16 --new";
    init(state.path(), &format!("{realm} {}", options_of(scale.terms)), &ground.url());
    let clock = clock_library().map(|_| state.path().join("clock"));
    if let Some(clock) = &clock {
        set_clock(clock, 0);
    }
    let member = |holder: &str| start(state.path(), &ground.url(), clock.as_deref(), holder);
    let members = [member("a0"), member("b0")];
    let fleet = Fleet {
        ground,
        start: Instant::now(),
        targets: Mutex::new(members.each_ref().map(|member| Arc::clone(&member.target))),
        figures: Figures::default(),
        is_over: AtomicBool::new(false),
        clock,
        state,
    };
    let (rounds, ended) = thread::scope(|scope| {
        for index in 0..scale.clients {
            let fleet = &fleet;
            scope.spawn(move || fleet.collect(index));
        }
        // Also when an event fails: the clients are to end.
        let _end = OnDrop(|| fleet.is_over.store(true, Ordering::Relaxed));
        fleet.attack(&scale, members)
    });
    fleet.check(&ended);
    fleet.show(&scale, rounds, ended.len());
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A server that ended: its IDs, and the windows that it was granted.
type Ended = (Arc<ServerInUse>, Vec<Grant>);

impl<G: Ground> Fleet<'_, G> {
    fn replace(&self, index: usize, member: &Member) {
        self.targets.lock().unwrap()[index] = Arc::clone(&member.target);
    }

    fn member(&self, holder: &str) -> Member {
        start(self.state.path(), &self.ground.url(), self.clock.as_deref(), holder)
    }

    /// Waits until clients got more IDs from a server.
    fn more(&self, member: &Member) {
        let least = member.target.count.load(Ordering::Relaxed) + BETWEEN;
        self.until("IDs", || member.target.count.load(Ordering::Relaxed) >= least);
    }

    fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < Duration::from_secs(180), "{}: no {what}", G::NAME);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Lets every event happen, and again until the time is over; returns the number of rounds, and
    /// all servers.
    fn attack(&self, scale: &Scale, mut members: [Member; 2]) -> (usize, Vec<Ended>) {
        let (mut rounds, mut ended) = (0, Vec::new());
        while rounds == 0 || self.start.elapsed() < scale.duration {
            let index = rounds % 2;
            rounds += 1;
            let name = |event: &str| format!("{event}{rounds}");
            members.iter().for_each(|member| self.more(member));

            members[index].serving.signal("KILL");
            let new = self.member(&name("killed"));
            self.replace(index, &new);
            ended.push(core::mem::replace(&mut members[index], new).end());
            members.iter().for_each(|member| self.more(member));

            members[index].serving.signal("TERM");
            let new = self.member(&name("stopped"));
            self.replace(index, &new);
            ended.push(core::mem::replace(&mut members[index], new).end());
            members.iter().for_each(|member| self.more(member));

            // Stopped until another server has its node.
            let lock = self.ground.between_steps();
            members[index].serving.signal("STOP");
            drop(lock);
            let new = self.member(&name("paused"));
            self.replace(index, &new);
            self.more(&new);
            members[index].serving.signal("CONT");
            let mut paused = core::mem::replace(&mut members[index], new);
            paused.serving.logged("lease lost");
            paused.serving.signal("TERM");
            ended.push(paused.end());
            members.iter().for_each(|member| self.more(member));

            let down = Instant::now();
            let end = self.ground.take_down();
            self.until("end of the windows", || {
                down.elapsed() >= scale.outage && members.iter().all(Member::is_stalled)
            });
            end();
            members.iter().for_each(|member| self.more(member));

            self.change_terms(scale.terms, &members);

            for &step in scale.steps {
                self.step_clock(step, &members);
            }
        }
        self.is_over.store(true, Ordering::Relaxed);
        for member in members {
            member.serving.signal("TERM");
            ended.push(member.end());
        }
        (rounds, ended)
    }

    /// Doubles the realm's terms, and restores them once all servers have the longer windows.
    fn change_terms(&self, terms: [u64; 2], members: &[Member; 2]) {
        let change = |terms| {
            let options = format!("--reconfigure {}", options_of(terms));
            init(self.state.path(), &options, &self.ground.url());
        };
        change(terms.map(|term| 2 * term));
        // Without an allowance, a window reaches ahead by the term and the skew.
        let ahead = Duration::from_millis(terms.iter().sum()).as_secs_f64();
        self.until("longer windows", || members.iter().all(|member| member.window() > ahead));
        members.iter().for_each(|member| self.more(member));
        change(terms);
        members.iter().for_each(|member| self.more(member));
    }

    /// Sets the clock forward, and back once all servers have issued IDs or stalled.
    fn step_clock(&self, seconds: u32, members: &[Member; 2]) {
        // A store with the same clock would grant nodes for that time, and lock them up after it.
        let is_too_far = G::HAS_THEIR_CLOCK && seconds > 60;
        let Some(clock) = self.clock.as_deref().filter(|_| !is_too_far) else { return };
        let before = members.each_ref().map(|member| member.target.count.load(Ordering::Relaxed));
        set_clock(clock, seconds);
        for (member, before) in members.iter().zip(before) {
            self.until("effect of the clock", || {
                member.target.count.load(Ordering::Relaxed) >= before + BETWEEN
                    || member.is_stalled()
            });
        }
        set_clock(clock, 0);
        members.iter().for_each(|member| self.more(member));
    }

    /// Gets IDs until it is over: from one server after the other, except for the first two
    /// clients, which stay with theirs and wait for late answers.
    fn collect(&self, index: usize) {
        let mut server = index;
        let patience = Duration::from_secs(if index < 2 { 60 } else { 1 });
        while !self.is_over.load(Ordering::Relaxed) {
            if index >= 2 {
                server += 1;
            }
            let target = Arc::clone(&self.targets.lock().unwrap()[server % 2]);
            let Ok(mut client) = Client::with_patience(target.address, patience) else {
                self.figures.failed.fetch_add(1, Ordering::Relaxed);
                thread::sleep(PACE);
                continue;
            };
            for _ in 0..20 {
                let Some(more) = client.ids("fleet", COUNT) else {
                    self.figures.failed.fetch_add(1, Ordering::Relaxed);
                    break;
                };
                self.figures.answered.fetch_add(1, Ordering::Relaxed);
                self.serve_slice();
                target.count.fetch_add(more.len(), Ordering::Relaxed);
                target.ids.lock().unwrap().extend(more);
                if self.is_over.load(Ordering::Relaxed) {
                    break;
                }
                thread::sleep(PACE);
            }
        }
    }

    /// Notes that a client got IDs in this slice of time.
    fn serve_slice(&self) {
        let slice = self.start.elapsed().as_millis() / SLICE.as_millis();
        let slice = usize::try_from(slice).unwrap();
        let mut served = self.figures.served.lock().unwrap();
        if served.len() <= slice {
            served.resize(slice + 1, false);
        }
        served[slice] = true;
    }

    fn check(&self, ended: &[Ended]) {
        let mut all: Vec<[u8; 10]> = Vec::new();
        for (target, grants) in ended {
            let ids = target.ids.lock().unwrap();
            for &bytes in ids.iter() {
                let id = SnoId::from_bytes(bytes);
                let (node, tick) = (format!("{}/16", id.partition().get()), id.tick().get());
                let is_within = |grant: &Grant| {
                    grant.node == node && (grant.floor..grant.ceiling).contains(&tick)
                };
                assert!(
                    grants.iter().any(is_within),
                    "{id} of node {node}, tick {tick}: {grants:?}"
                );
            }
            all.extend(ids.iter());
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "an ID came twice");
    }

    fn show(&self, scale: &Scale, rounds: usize, servers: usize) {
        let Figures { answered, failed, served } = &self.figures;
        let (answered, failed) = (answered.load(Ordering::Relaxed), failed.load(Ordering::Relaxed));
        let served = served.lock().unwrap();
        let slices = served.len();
        let without = served.iter().filter(|&&it| !it).count();
        let longest = served.split(|&it| it).map(<[bool]>::len).max().unwrap_or(0);
        let seconds = |slices: usize| slices as f64 * SLICE.as_secs_f64();
        println!(
            "shown: {}: {} clients, {servers} servers in {rounds} rounds, {} IDs; of {} requests \
             {failed} failed; of {:.1} s a client got IDs in all but {:.1} s, {:.1} s of it at a \
             stretch",
            G::NAME,
            scale.clients,
            answered * COUNT as u64,
            answered + failed,
            seconds(slices),
            seconds(without),
            seconds(longest),
        );
    }
}
