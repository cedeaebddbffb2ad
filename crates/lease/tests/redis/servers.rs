use core::time::Duration;
use std::thread;

use tickid_lease::conformance;
use tickid_lease::{Grant, RedisStore, Store, StoreError, StoreErrorKind};
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 8] = [
    ("an_operation_is_one_script", an_operation_is_one_script),
    ("a_restart_costs_all_leases", a_restart_costs_all_leases),
    ("a_fail_over_to_a_stale_replica_is_noticed", a_fail_over_to_a_stale_replica_is_noticed),
    ("a_realm_that_is_gone_is_noticed", a_realm_that_is_gone_is_noticed),
    ("a_server_that_says_nothing_is_unreachable", a_server_that_says_nothing_is_unreachable),
    ("a_server_that_is_down_is_unreachable", a_server_that_is_down_is_unreachable),
    ("a_server_that_may_forget_is_refused", a_server_that_may_forget_is_refused),
    ("claimants_that_race_get_windows_apart", claimants_that_race_get_windows_apart),
];

/// A server of its own: a scenario may set its clock, or restart it.
pub(crate) struct Stage(Redis);

impl Stage {
    pub(crate) fn new(_: &Redis) -> Self {
        Self(Redis::with_settable_clock().unwrap())
    }
}

impl conformance::Stage for Stage {
    fn store(&self) -> Box<dyn Store> {
        Box::new(store(&self.0))
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.0.set_clock_forward(3_600).unwrap();
    }

    fn set_back(&self) {
        self.0.set_clock_forward(0).unwrap();
    }

    fn change_generation(&self) {
        self.0.kill().unwrap();
        self.0.revive().unwrap();
    }
}

pub(crate) fn store(server: &Redis) -> RedisStore {
    RedisStore::open(&format!("redis://{}", server.address())).unwrap()
}

fn is_lost(result: Result<Grant, StoreError>) -> bool {
    result.is_err_and(|error| error.is_lost())
}

/// What the server is asked besides by these tests.
pub(crate) fn ask<T: redis::FromRedisValue>(server: &Redis, words: &[&str]) -> T {
    let client = redis::Client::open(format!("redis://{}", server.address())).unwrap();
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]).query(&mut client.get_connection().unwrap()).unwrap()
}

/// How many scripts the server has run.
pub(crate) fn scripts_run(server: &Redis) -> u32 {
    let stats: String = ask(server, &["INFO", "commandstats"]);
    let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
    line.map_or(0, |line| line.split(',').next().unwrap().parse().unwrap())
}

fn an_operation_is_one_script(_: &Redis) {
    let server = Redis::start().unwrap();
    let (windows, store) = (Windows::new("0-7/10"), store(&server));
    // The server learns the realm and the scripts.
    let first = windows.acquire(&store).unwrap();
    windows.renew(&store, &first.hold).unwrap();
    windows.release(&store, &first.hold, None).unwrap();
    windows.acquire(&store).unwrap();

    let before = scripts_run(&server);
    let grant = windows.acquire(&store).unwrap();
    assert_eq!(scripts_run(&server), before + 1);
    for _ in 0..5 {
        windows.renew(&store, &grant.hold).unwrap();
    }
    assert_eq!(scripts_run(&server), before + 6);
    windows.release(&store, &grant.hold, None).unwrap();
    assert_eq!(scripts_run(&server), before + 7);
}

fn a_restart_costs_all_leases(_: &Redis) {
    let server = Redis::start().unwrap();
    let term = Duration::from_millis(300);
    let (windows, store) = (Windows::short("0-1/10", term), store(&server));
    let held = [(); 2].map(|()| windows.acquire(&store).unwrap());
    server.kill().unwrap();
    assert!(windows.renew(&store, &held[0].hold).unwrap_err().is_unreachable());
    server.revive().unwrap();
    assert!(is_lost(windows.renew(&store, &held[0].hold)));
    assert!(is_lost(windows.renew(&store, &held[1].hold)));
    for _ in 0..2 {
        let next = windows.acquire_in_time(&store);
        assert!(next.hold.floor >= held[0].ceiling.max(held[1].ceiling));
    }
}

fn a_fail_over_to_a_stale_replica_is_noticed(_: &Redis) {
    let (server, replica) = (Redis::start().unwrap(), Redis::start().unwrap());
    let term = Duration::from_millis(300);
    let (windows, store) = (Windows::short("0-3/10", term), self::store(&server));
    let port = server.port().to_string();
    let _: String = ask(&replica, &["REPLICAOF", "127.0.0.1", &port]);
    // Until it is there, and then until it has everything there is.
    let _: u32 = ask(&server, &["WAIT", "1", "0"]);
    let before = windows.acquire(&store).unwrap();
    let _: u32 = ask(&server, &["SETRANGE", "written", "0", "x"]);
    let _: u32 = ask(&server, &["WAIT", "1", "0"]);
    let keys: u32 = ask(&replica, &["DBSIZE"]);
    assert_eq!(keys, 3);

    // From here on it is on its own, and the server is not.
    let _: String = ask(&replica, &["REPLICAOF", "NO", "ONE"]);
    let forgotten: Vec<Grant> = (0..3).map(|_| windows.acquire(&store).unwrap()).collect();
    server.kill().unwrap();

    let store = self::store(&replica);
    assert!(is_lost(windows.renew(&store, &forgotten[0].hold)));
    assert!(is_lost(windows.renew(&store, &before.hold)));
    let highest = forgotten.iter().map(|grant| grant.ceiling).max().unwrap();
    for _ in 0..4 {
        let next = windows.acquire_in_time(&store);
        assert!(next.hold.floor >= highest, "{next:?}");
    }
}

/// By a client that knows it from before, even where nothing of it is left.
fn a_realm_that_is_gone_is_noticed(_: &Redis) {
    let server = Redis::with_options(&["--appendonly", "no"]).unwrap();
    let url = format!("redis://{}?persistence=acknowledged", server.address());
    let store = RedisStore::open(&url).unwrap();
    let windows = Windows::short("0/10", Duration::from_millis(300));
    let before = windows.acquire(&store).unwrap();
    server.kill().unwrap();
    server.revive().unwrap();
    let next = windows.acquire_in_time(&store);
    assert!(next.hold.floor >= before.ceiling, "{next:?}");
}

fn a_server_that_says_nothing_is_unreachable(_: &Redis) {
    let server = Redis::start().unwrap();
    let url = format!("redis://{}", server.address());
    let store = RedisStore::open_with_time_out(&url, Duration::from_millis(200)).unwrap();
    let windows = Windows::new("0-7/10");
    let held = windows.acquire(&store).unwrap();
    server.pause().unwrap();
    let error = windows.renew(&store, &held.hold).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error:?}");
    server.resume().unwrap();
    assert_eq!(windows.renew(&store, &held.hold).unwrap().hold, held.hold);
}

fn a_server_that_is_down_is_unreachable(_: &Redis) {
    let server = Redis::start().unwrap();
    let (windows, store) = (Windows::new("0-7/10"), store(&server));
    server.kill().unwrap();
    let error = windows.acquire(&store).unwrap_err();
    assert!(error.is_unreachable(), "{error:?}");
    assert!(core::error::Error::source(&error).is_some());
    server.revive().unwrap();
    windows.acquire(&store).unwrap();
}

/// Unless somebody says that he knows.
fn a_server_that_may_forget_is_refused(_: &Redis) {
    let settings: [(&[&str], &str); 4] = [
        (&["--appendonly", "no"], "its appendonly is no instead of yes"),
        (&["--appendfsync", "everysec"], "its appendfsync is everysec instead of always"),
        (&["--maxmemory-policy", "allkeys-lru"], "its maxmemory-policy is allkeys-lru"),
        (&["--rename-command", "CONFIG", "nobody"], "its appendonly is not told instead of yes"),
    ];
    for (options, why) in settings {
        let server = Redis::with_options(options).unwrap();
        let windows = Windows::new("0-7/10");
        let error = windows.acquire(&store(&server)).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Unfit { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
        let url = format!("redis://{}?persistence=acknowledged", server.address());
        windows.acquire(&RedisStore::open(&url).unwrap()).unwrap();
    }
}

/// A dozen on four nodes.
fn claimants_that_race_get_windows_apart(server: &Redis) {
    let windows = Windows::short("0-3/10", Duration::from_millis(10));
    windows.race(12, 50, || store(server));
}
