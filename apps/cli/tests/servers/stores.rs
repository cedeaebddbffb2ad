//! The commands of `lease` with a store of each kind on a server. (With folders they are tested at
//! length.)

use serde_json::Value;
use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Test, Tests, clock_library};

use crate::process::{
    self, CLOCK, INVALID, NODE_STORE, OK, Ran, USAGE, json_lines, ran, run, tickid,
};

/// The password in each URL, whether or not the server requires one.
const PASSWORD: &str = "hunter2-is-not-to-be-seen";

/// A store, and the URL of one that is not there.
struct Place {
    url: String,
    nowhere: String,
}

impl Place {
    fn command(&self, arguments: &str) -> std::process::Command {
        tickid(&format!("lease {arguments} --store {}", self.url))
    }

    fn run(&self, arguments: &str) -> Ran {
        seen(ran(&mut self.command(arguments)))
    }

    /// Runs a command that must succeed without output on standard error, and returns its output.
    fn stdout_of(&self, arguments: &str) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.said().as_str()), (OK, ""), "{arguments}");
        ran.stdout
    }
}

/// Returns the output after checking that it does not contain the password.
fn seen(ran: Ran) -> Ran {
    assert!(!ran.stdout.contains(PASSWORD), "{}", ran.stdout);
    assert!(!ran.stderr.contains(PASSWORD), "{}", ran.stderr);
    ran
}

/// The message is needed because the server may have lost a realm of that name.
fn init_reports_the_start(place: &Place) {
    let init = || place.run("init sno --realm beyond --term 60");
    for _ in 0..2 {
        let ran = init();
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        let (_, rest) = ran
            .stderr
            .split_once("realm beyond is new to this store, or was lost, and starts at ")
            .expect("a time");
        let (_, rest) = rest.split_once(", in ").expect("a wait");
        let wait: u64 = rest.split_once(" s,").expect("seconds").0.parse().expect("a number");
        // Twice the term and the skew.
        assert!((100..=130).contains(&wait), "{}", ran.stderr);
        let terms = "beyond all leases of a term of at most 60s; if it ever had a longer one, name it: \
                     `tickid lease invalidate --realm beyond --term TERM --yes`";
        assert!(rest.contains(terms), "{}", ran.stderr);
    }
    // Advice that cannot be followed any more is not given, and is refused if it comes late.
    let hint = "--new";
    let told = [init(), place.run("acquire --realm beyond")];
    assert!(told.iter().all(|ran| !ran.stderr.contains(hint)), "{told:?}");
    let late = place.run("init sno --realm beyond --term 60 --new");
    assert_eq!((late.status, late.stdout.as_str()), (NODE_STORE, ""), "{}", late.stderr);
    for part in [
        "beyond is new to this store, or was lost, and starts at ",
        "--new comes too late",
        "hint: wait",
    ] {
        assert!(late.stderr.contains(part), "no {part:?} in {}", late.stderr);
    }
    let waits = place.run("acquire --realm beyond");
    assert!(
        waits.stderr.contains(", since the realm is new to this store, or was lost; "),
        "{}",
        waits.stderr
    );
    assert_eq!(place.run("list --realm beyond --check").status, INVALID);
    assert_eq!(place.run("acquire --realm beyond").status, NODE_STORE);
    assert!(place.stdout_of("realms").lines().any(|realm| realm == "beyond"));
}

/// Runs all commands on one node, from the first to the last.
fn a_node_goes_through_all_commands(place: &Place) {
    let init = "init sno --realm all --pool 5/16 --new";
    place.stdout_of(init);
    let again = place.run(init);
    assert_eq!((again.status, again.stdout.as_str()), (OK, ""), "{}", again.stderr);
    assert!(again.stderr.contains("there already, and is the same"), "{}", again.stderr);
    let another = place.run("init sno --realm all --pool 7/16");
    assert_eq!(another.status, USAGE, "{}", another.stderr);
    assert!(another.stderr.contains("there already: sno"), "{}", another.stderr);
    let held = json_lines(&place.stdout_of("acquire --realm all --holder me --json")).remove(0);
    assert_eq!((&held["node"], &held["standing"]), (&"5/16".into(), &"held".into()));
    let token = held["token"].as_str().expect("a token");
    place.stdout_of(&format!("release --realm all --token {token} --unused --yes"));
    let listed = process::rows(&place.stdout_of("list --realm all --json"));
    assert_eq!(listed[0]["standing"], "free");
    assert_eq!(listed[0]["ceiling"], held["floor"].as_u64().expect("a tick") + 1);
    let tame = place.run("repair --realm all --node 5/16 --yes");
    assert!(tame.stderr.contains("node 5/16 is not quarantined"), "{}", tame.stderr);
    let recovered = place.run("invalidate --realm all --yes");
    assert_eq!(recovered.status, OK, "{}", recovered.stderr);
    // Nothing is free for a while.
    assert_eq!(place.run("acquire --realm all").status, NODE_STORE);
    let unknown = place.run("list --realm nobodys");
    assert!(unknown.stderr.contains("no realm of that name"), "{}", unknown.stderr);
    let nowhere = tickid(&format!("lease list --realm all --store {}", place.nowhere)).output();
    let nowhere = seen(nowhere.expect("runs").into());
    assert_eq!((nowhere.status, nowhere.stdout.as_str()), (NODE_STORE, ""));
    assert!(nowhere.stderr.contains("no answer"), "{}", nowhere.stderr);
}

/// The worst finding decides the status, also with a clock that is an hour wrong.
fn doctor_checks_the_store(place: &Place) {
    let doctor = |url: &str| tickid(&format!("doctor --json --store {url}"));
    let sound = seen(ran(&mut doctor(&place.url)));
    assert_eq!((sound.status, sound.stderr.as_str()), (OK, ""), "{}", sound.stdout);
    let findings = json_lines(&sound.stdout);
    for topic in ["clock", "store", "store writes", "clock skew"] {
        let is_ok = |one: &Value| one["topic"] == topic && one["level"] == "ok";
        assert!(findings.iter().any(is_ok), "{topic}: {}", sound.stdout);
    }
    let nowhere = seen(ran(&mut doctor(&place.nowhere)));
    assert_eq!(nowhere.status, NODE_STORE, "{}", nowhere.stdout);
    let last = &json_lines(&nowhere.stdout).pop().expect("a finding");
    assert_eq!((&last["topic"], &last["level"]), (&"store".into(), &"error".into()));
    assert!(last["hint"].is_string(), "{last}");
    let Some(library) = clock_library() else { return };
    for (offset, part) in [("+1h", "ahead of the store's"), ("-1h", "behind the store's")] {
        let mut doctor = doctor(&place.url);
        doctor.env("LD_PRELOAD", &library).env("FAKETIME", offset);
        let wrong = seen(ran(doctor.env("FAKETIME_DONT_FAKE_MONOTONIC", "1")));
        assert_eq!(wrong.status, CLOCK, "{}", wrong.stdout);
        let findings = json_lines(&wrong.stdout);
        let skew = findings.iter().find(|one| one["level"] == "error").expect("an error");
        assert_eq!(skew["topic"], "clock skew");
        assert!(skew["text"].as_str().expect("text").contains(part), "{skew}");
    }
}

/// A new node has no earlier window, so a clock that is behind issues without a stall.
fn gen_reports_another_clock(place: &Place) {
    let Some(library) = clock_library() else { return };
    place.stdout_of("init nanoflake --realm another-clock --new");
    for (offset, status, message, hint) in [
        ("-1h", OK, "this clock is 1 hour behind the store's, so these IDs may be of the past", ""),
        ("+1h", CLOCK, "this clock is 1 hour ahead of the store's", "hint: synchronise the clocks"),
    ] {
        let arguments = "gen nanoflake --realm another-clock --max-wait 30 --store";
        let mut command = tickid(&format!("{arguments} {}", place.url));
        command.env("LD_PRELOAD", &library).env("FAKETIME", offset);
        let ran = seen(ran(command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1")));
        assert_eq!(ran.status, status, "{}", ran.stderr);
        assert!(ran.stderr.contains(message) && ran.stderr.contains(hint), "{}", ran.stderr);
        assert!(!ran.stderr.contains("--max-wait"), "{}", ran.stderr);
    }
}

/// Returns `exec` of a script with both nodes of the realm `exec`, which it releases.
#[cfg(target_os = "linux")]
fn exec(place: &Place, script: &str) -> std::process::Command {
    let url = &place.url;
    let options = format!("--realm exec --store {url} --nodes 2 --release-on-exit");
    let mut command = tickid(&format!("lease exec {options} -- sh -c"));
    command.arg(script);
    command
}

/// Each run leaves both nodes to the next one immediately. A thread of the store's client must not
/// take the supervisor's signals.
#[cfg(target_os = "linux")]
fn exec_forwards_signals_and_exit(place: &Place) {
    use std::io::BufRead as _;
    use std::process::Stdio;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    place.stdout_of("init sno --realm exec --pool 5-6/16 --new");
    for _ in 0..10 {
        let mut bounded = process::by_way_of(&exec(place, "exit 7"), "timeout", &["60"]);
        assert_eq!(seen(ran(&mut bounded)).status, 7);
        let rows = process::rows(&place.stdout_of("list --realm exec --json"));
        let is_free = |row: &Value| row["standing"] == "free" && row["token"].is_null();
        assert!(rows.len() == 2 && rows.iter().all(is_free), "{rows:?}");
    }
    let script = "trap 'exit 3' TERM; echo ready; while :; do sleep 0.1; done";
    let mut child =
        exec(place, script).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut ready = String::new();
    let stdout = child.stdout.take().expect("piped");
    std::io::BufReader::new(stdout).read_line(&mut ready).expect("a line");
    assert_eq!(ready, "ready\n");
    let id = i32::try_from(child.id()).expect("a process number");
    kill(Pid::from_raw(id), Signal::SIGTERM).expect("sent");
    let ended = child.wait_with_output().expect("ends");
    assert_eq!(ended.status.code(), Some(3), "{:?}", ended.status);
}

/// The printed statements create functions, and once more do no harm.
fn sql_makes_ids_of_a_realm(server: &Postgres) {
    let place = server.place();
    let ran = run("sql nanoflake --realm made --pool 6-7/10 --new");
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    for _ in 0..2 {
        server.psql(Postgres::DATABASE, &ran.stdout).expect("creates functions");
    }
    let draw = "SELECT tickid.nanoflake('made') >> 12 & 1023";
    assert_eq!(server.psql(Postgres::DATABASE, draw).expect("draws"), "7");
    let rows = process::rows(&place.stdout_of("list --realm made --json"));
    assert_eq!((&rows[0]["node"], &rows[0]["standing"]), (&"7/10".into(), &"reserved".into()));
    let repair = place.run("repair --realm made --node 7/10 --yes");
    assert_eq!(repair.status, NODE_STORE);
    assert!(repair.stderr.contains("node 7/10 is reserved"), "{}", repair.stderr);
    let other = "sql nanoflake --realm made --epoch unix";
    let other = run(other).stdout;
    let error = server.psql(Postgres::DATABASE, &other).expect_err("is another realm");
    assert!(error.to_string().contains("has the settings"), "{error}");
}

trait Located {
    fn place(&self) -> Place;
}

impl Located for Postgres {
    fn place(&self) -> Place {
        let url = format!("{}&password={PASSWORD}", self.url());
        Place { url, nowhere: format!("postgres://tickid:{PASSWORD}@127.0.0.1:1/postgres") }
    }
}

impl Located for MySql {
    /// The server has its own password.
    fn place(&self) -> Place {
        let nowhere = format!("mysql://tickid:{PASSWORD}@127.0.0.1:1/tickid");
        Place { url: self.url(), nowhere }
    }
}

impl Located for Etcd {
    fn place(&self) -> Place {
        let url = |at: &str| format!("etcd://tickid:{PASSWORD}@{at}");
        Place { url: url(&self.endpoints()[0]), nowhere: url("127.0.0.1:1") }
    }
}

impl Located for Redis {
    /// A server without users takes no password.
    fn place(&self) -> Place {
        let nowhere = format!("redis://:{PASSWORD}@127.0.0.1:1");
        Place { url: format!("redis://{}", self.address()), nowhere }
    }
}

fn tests_of<S: Located>() -> [Test<S>; 5] {
    [
        ("gen_reports_another_clock", |server| gen_reports_another_clock(&server.place())),
        ("doctor_checks_the_store", |server| doctor_checks_the_store(&server.place())),
        ("a_realm_starts_beyond", |server| {
            init_reports_the_start(&server.place());
        }),
        ("a_node_goes_through_all_commands", |server| {
            a_node_goes_through_all_commands(&server.place());
        }),
        ("exec_forwards_signals_and_exit", |server| {
            #[cfg(target_os = "linux")]
            exec_forwards_signals_and_exit(&server.place());
            #[cfg(not(target_os = "linux"))]
            let _ = server;
        }),
    ]
}

/// Adds the tests of all stores.
pub(crate) fn add_to(tests: Tests) -> Tests {
    let postgres =
        [&tests_of::<Postgres>()[..], &[("sql_makes_ids_of_a_realm", sql_makes_ids_of_a_realm)]];
    tests
        .add("stores::postgres", &postgres.concat())
        .add("stores::mysql", &tests_of::<MySql>())
        .add("stores::etcd", &tests_of::<Etcd>())
        .add("stores::redis", &tests_of::<Redis>())
}
