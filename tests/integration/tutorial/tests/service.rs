//! The service, started on separate ports with a new database, and talked to.

use core::time::Duration;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tickid::lease::admin::Standing;
use tickid::lease::session::block_on;
use tickid_testkit::servers::Postgres;

fn main() -> ExitCode {
    tickid_testkit::servers::run::<Postgres>(&[
        ("orders_are_placed_and_found", orders_are_placed_and_found),
        ("a_set_up_database_is_refused", a_set_up_database_is_refused),
        ("a_late_setup_waits_for_the_realm", a_late_setup_waits_for_the_realm),
        ("a_stopped_service_releases_its_node", a_stopped_service_releases_its_node),
        ("readiness_ends_before_ids_do", readiness_ends_before_ids_do),
    ])
}

/// Returns the URL of a database, for its owner, which has the same name.
fn url(server: &Postgres, database: &str) -> String {
    let (superuser, owner) = (format!("user={}", Postgres::USER), format!("user={database}"));
    server.url_of(database).replace(&superuser, &owner)
}

fn orders(server: &Postgres, database: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orders"));
    command.env("DATABASE_URL", url(server, database)).env("LISTEN", "127.0.0.1:0");
    command
}

/// Creates a database.
fn create(server: &Postgres, database: &str) {
    for statement in [
        format!("CREATE ROLE {database} LOGIN"),
        format!("CREATE DATABASE {database} OWNER {database}"),
    ] {
        server.psql(Postgres::DATABASE, &statement).unwrap();
    }
}

/// Creates a database and sets it up.
fn set_up(server: &Postgres, database: &str) {
    create(server, database);
    let status = orders(server, database).arg("setup").status().unwrap();
    assert!(status.success());
}

/// Returns the number of nodes that are leased.
fn held(server: &Postgres, database: &str) -> usize {
    let store = tickid::stores::open(&url(server, database)).unwrap();
    let view = block_on(store.list(&"tutorial".parse().unwrap()), Duration::from_secs(10)).unwrap();
    let standings = view.standings().unwrap();
    standings.iter().filter(|(_, _, standing)| *standing == Standing::Held).count()
}

/// A running service, which is killed at the end of its test.
struct Service {
    process: Child,
    url: String,
}

impl Service {
    fn start(server: &Postgres, database: &str) -> Self {
        let mut process = orders(server, database).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
        Self { url: url.to_owned(), process }
    }

    fn place(&self, item: &str) -> Value {
        let answer = ureq::post(format!("{}/orders", self.url)).send_json(json!({ "item": item }));
        let mut answer = answer.unwrap();
        assert_eq!(answer.status(), 201);
        answer.body_mut().read_json().unwrap()
    }

    fn get(&self, path: &str) -> Value {
        let answer = ureq::get(format!("{}{path}", self.url)).call();
        answer.unwrap().body_mut().read_json().unwrap()
    }

    fn status(&self, path: &str) -> u16 {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        agent.get(format!("{}{path}", self.url)).call().unwrap().status().as_u16()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn orders_are_placed_and_found(server: &Postgres) {
    set_up(server, "found");
    // Two processes, each with its own node.
    let services = [Service::start(server, "found"), Service::start(server, "found")];
    let mut placed: Vec<Value> = Vec::new();
    for number in 0..10 {
        placed.push(services[number % 2].place(&format!("order {number}")));
    }

    let id = |order: &Value| order["id"].as_str().unwrap().to_owned();
    for order in &placed {
        assert_eq!(services[0].get(&format!("/orders/{}", id(order))), *order);
    }
    placed.sort_unstable_by_key(id);
    let mut ids: Vec<_> = placed.iter().map(id).collect();
    ids.dedup();
    assert_eq!(ids.len(), 10);

    // The IDs have the order of their times. The texts of these have not: a whole second has no
    // fraction.
    let time = |order: &Value| order["placed"].as_str().unwrap().to_owned();
    let (first, last) = (time(&placed[0]), time(&placed[9]));
    let list = |period: &str| {
        let found = services[1].get(&format!("/orders?{period}"));
        found.as_array().unwrap().iter().map(id).collect::<Vec<_>>()
    };
    assert_eq!(list(&format!("since={first}&until=9999-01-01T00:00:00Z")), ids);
    // An order is in the period that starts with its time, and not in the one that ends with it.
    let before = list(&format!("since={first}&until={last}"));
    let after = list(&format!("since={last}&until=9999-01-01T00:00:00Z"));
    assert_eq!([&*before, &*after].concat(), ids);
    assert!(!after.is_empty());
    let none = services[1].get("/orders?since=2020-01-01T00:00:00Z&until=2020-12-31T00:00:00Z");
    assert_eq!(none, json!([]));

    assert_eq!(services[0].status("/readyz"), 200);
    assert_eq!(services[0].status("/orders/g51r8j49wlxc"), 404);
    assert_eq!(services[0].status("/orders/ty-po"), 400);
    assert_eq!(services[0].status("/orders?since=2020-01-01T00:00:00Z&until=soon"), 400);
}

fn a_set_up_database_is_refused(server: &Postgres) {
    set_up(server, "refused");
    let again = orders(server, "refused").arg("setup").output().unwrap();
    assert!(!again.status.success());
    let stderr = String::from_utf8(again.stderr).unwrap();
    assert!(stderr.contains("already exists"), "{stderr}");
}

/// The service was run before the setup, and has created the realm.
fn a_late_setup_waits_for_the_realm(server: &Postgres) {
    create(server, "late");
    let early = orders(server, "late").output().unwrap();
    let stderr = String::from_utf8(early.stderr).unwrap();
    assert!(!early.status.success() && stderr.contains("is new to this store"), "{stderr}");
    // Of the 30 seconds, 24 are over.
    let earlier = "UPDATE tickid.realm SET record = jsonb_set(record, '{floor}', \
                   to_jsonb((record ->> 'floor')::numeric - 24000))";
    server.psql("late", earlier).unwrap();

    let setup = orders(server, "late").arg("setup").output().unwrap();
    let stdout = String::from_utf8(setup.stdout).unwrap();
    assert!(setup.status.success(), "{stdout}");
    assert!(stdout.contains("was there before: no node can be granted before"), "{stdout}");
    Service::start(server, "late").place("tea");
}

fn a_stopped_service_releases_its_node(server: &Postgres) {
    set_up(server, "released");
    let mut service = Service::start(server, "released");
    service.place("tea");
    assert_eq!(held(server, "released"), 1);

    kill_process(Pid::from_child(&service.process), Signal::TERM).unwrap();
    assert!(service.process.wait().unwrap().success());
    assert_eq!(held(server, "released"), 0);
}

fn readiness_ends_before_ids_do(server: &Postgres) {
    set_up(server, "unready");
    let service = Service::start(server, "unready");
    std::thread::scope(|scope| {
        // The lease cannot be renewed while its tables are locked, but orders can be written.
        let lock = "DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'tickid' LOOP
                EXECUTE format('LOCK TABLE tickid.%I', name);
            END LOOP;
            PERFORM pg_sleep(600);
        END $$";
        let locked = scope.spawn(|| server.psql("unready", lock).unwrap_err());
        while service.status("/readyz") == 200 {}
        let order = json!({ "item": "tea" });
        let placed = ureq::post(format!("{}/orders", service.url)).send_json(order);
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE 'DO %' AND pid <> pg_backend_pid()";
        server.psql("unready", end).unwrap();
        locked.join().unwrap();
        assert_eq!(placed.unwrap().status(), 201);
    });
}
