//! The Redis servers of the scenarios.

use core::borrow::Borrow;
use core::time::Duration;
use std::sync::Mutex;
use std::thread;

use tickid_core::AnyNode;
use tickid_lease::Store;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::conformance;
use tickid_stores::RedisBackend;
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::sql::TIMEOUT;
use crate::windows::{self, Windows, is_same};

pub(crate) const TESTS: [Test<Redis>; 5] = [
    ("requests_are_few", requests_are_few),
    ("dropped_scripts_are_sent_again", dropped_scripts_are_sent_again),
    ("a_paused_server_is_unreachable", a_paused_server_is_unreachable),
    ("forgetful_server_is_refused", forgetful_server_is_refused),
    ("changed_settings_are_noticed", changed_settings_are_noticed),
];

/// The server of all tests, or a separate one for scenarios that set its clock or restart it.
pub(crate) struct Testbed<S> {
    server: S,
    saved: Mutex<Vec<Option<Vec<u8>>>>,
}

impl<'a> Testbed<&'a Redis> {
    pub(crate) fn new(server: &'a Redis) -> Self {
        Self { server, saved: Mutex::default() }
    }
}

impl Testbed<Redis> {
    pub(crate) fn separate(_: &Redis) -> Self {
        Self { server: Redis::with_settable_clock().unwrap(), saved: Mutex::default() }
    }
}

impl<S: Borrow<Redis>> conformance::Testbed for Testbed<S> {
    fn store(&self) -> Store {
        store(self.server.borrow())
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.server.borrow().set_clock_forward(3_600).unwrap();
    }

    fn set_back(&self) {
        self.server.borrow().set_clock_forward(0).unwrap();
    }

    fn change_generation(&self) {
        self.server.borrow().kill().unwrap();
        self.server.borrow().revive().unwrap();
    }

    fn save(&self, realm: &RealmName) {
        let dump = |key: String| ask(self.server.borrow(), &["DUMP", &key]);
        *self.saved.lock().unwrap() = keys(realm).map(dump).into();
    }

    fn load(&self, realm: &RealmName) {
        for (key, saved) in keys(realm).iter().zip(&*self.saved.lock().unwrap()) {
            let _: u32 = ask(self.server.borrow(), &["DEL", key]);
            if let Some(saved) = saved {
                let _: String =
                    ask_raw(self.server.borrow(), &[b"RESTORE", key.as_bytes(), b"0", saved]);
            }
        }
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let [_, rows, ..] = keys(realm);
        let _: u32 =
            ask(self.server.borrow(), &["HSET", &rows, &node.sort_key(), "{\"record_version\":1}"]);
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        let [record, rows, nodes, ceilings] = keys(realm);
        let Some(node) = node.map(AnyNode::sort_key) else {
            return ask(self.server.borrow(), &["DEL", &record]);
        };
        for (command, key) in [("HDEL", rows), ("ZREM", nodes), ("ZREM", ceilings)] {
            let _: u32 = ask(self.server.borrow(), &[command, &key, &node]);
        }
    }
}

/// The keys of a realm.
pub(crate) fn keys(realm: &RealmName) -> [String; 4] {
    ["record", "rows", "nodes", "ceilings"].map(|key| format!("tickid:{{{realm}}}:{key}"))
}

pub(crate) fn store(server: &Redis) -> Store {
    open(&format!("redis://{}", server.address()))
}

/// Opens a store with a timeout that a busy machine does not reach.
pub(crate) fn open(url: &str) -> Store {
    Store::new(RedisBackend::open_with_timeout(url, TIMEOUT).unwrap())
}

/// Sends the server a command that the backend does not use.
pub(crate) fn ask<T: redis::FromRedisValue>(server: &Redis, words: &[&str]) -> T {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    ask_raw(server, &words)
}

fn ask_raw<T: redis::FromRedisValue>(server: &Redis, words: &[&[u8]]) -> T {
    let client = redis::Client::open(format!("redis://{}", server.address())).unwrap();
    let mut command = redis::Cmd::new();
    for word in words {
        command.arg(word);
    }
    command.query(&mut client.get_connection().unwrap()).unwrap()
}

/// Returns the number of scripts that the server has run.
pub(crate) fn scripts_run(server: &Redis) -> u32 {
    let stats: String = ask(server, &["INFO", "commandstats"]);
    let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
    line.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
}

fn requests_are_few(_: &Redis) {
    let server = Redis::start().unwrap();
    windows::requests_are_few(&store(&server), || scripts_run(&server));
}

fn dropped_scripts_are_sent_again(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let windows = Windows::new("0-7/10").begun(&store);
    let lease = windows.acquire(&store).unwrap();
    let _: String = ask(&server, &["SCRIPT", "FLUSH"]);
    windows.renew(&store, &lease).unwrap();
}

fn a_paused_server_is_unreachable(_: &Redis) {
    let server = Redis::start().unwrap();
    let url = format!("redis://{}", server.address());
    let timeout = Duration::from_millis(200);
    let impatient = Store::new(RedisBackend::open_with_timeout(&url, timeout).unwrap());
    let patient = store(&server);
    let windows = Windows::new("0-7/10").begun(&patient);
    let held = windows.acquire(&patient).unwrap();
    server.pause().unwrap();
    let error = windows.renew(&impatient, &held).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error:?}");
    server.resume().unwrap();
    assert!(is_same(&windows.renew(&patient, &held).unwrap(), &held));
}

/// Unless the URL accepts it.
fn forgetful_server_is_refused(_: &Redis) {
    let settings: [(&[&str], &str); 4] = [
        (&["--appendonly", "no"], "its appendonly is no instead of yes"),
        (&["--appendfsync", "everysec"], "its appendfsync is everysec instead of always"),
        (&["--maxmemory-policy", "allkeys-lru"], "its maxmemory-policy is allkeys-lru"),
        (
            &["--rename-command", "CONFIG", "nobody"],
            "it does not report its appendfsync to this user",
        ),
    ];
    for (options, why) in settings {
        let server = Redis::with_options(options).unwrap();
        let windows = Windows::new("0-7/10");
        let error = windows.acquire(&store(&server)).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Unfit { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
        let url = format!("redis://{}?persistence=acknowledged", server.address());
        let store = open(&url);
        windows.begun(&store).acquire(&store).unwrap();
    }
}

/// Over a connection that was opened before.
fn changed_settings_are_noticed(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let windows = Windows::new("0-7/10").begun(&store);
    let held = windows.acquire(&store).unwrap();
    for (setting, wrong, right, why) in [
        ("appendonly", "no", "yes", "its appendonly is no instead of yes"),
        ("appendfsync", "everysec", "always", "its appendfsync is everysec instead of always"),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "its maxmemory-policy is allkeys-lru"),
    ] {
        let _: String = ask(&server, &["CONFIG", "SET", setting, wrong]);
        let error = windows.renew(&store, &held).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Unfit { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
        let _: String = ask(&server, &["CONFIG", "SET", setting, right]);
        assert!(is_same(&windows.renew(&store, &held).unwrap(), &held));
    }
}
