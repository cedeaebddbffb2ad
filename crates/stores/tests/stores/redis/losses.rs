//! Data that the server loses, with holders running.

use core::error::Error as _;
use core::time::Duration;
use std::thread;

use tickid_lease::admin::LeaseEnd;
use tickid_lease::{Lease, StoreError};
use tickid_testkit::servers::{Proxy, Redis, Server as _, Target, Test};

use crate::redis::servers::{ask, open, store};
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 6] = [
    ("a_restart_costs_all_leases", a_restart_costs_all_leases),
    ("stale_failover_is_noticed", stale_failover_is_noticed),
    ("a_demoted_primary_is_left", a_demoted_primary_is_left),
    ("restarted_realm_starts_beyond", restarted_realm_starts_beyond),
    ("flushall_repeats_no_window", flushall_repeats_no_window),
    ("loaded_dump_is_noticed", loaded_dump_is_noticed),
];

/// A few claims in a row are granted different nodes within this time.
const TERM: Duration = Duration::from_secs(2);

fn loss(result: Result<Lease, StoreError>) -> Option<LeaseEnd> {
    result.unwrap_err().lease_end()
}

fn highest(leases: &[Lease]) -> u64 {
    leases.iter().map(|lease| lease.ceiling).max().unwrap()
}

fn a_restart_costs_all_leases(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let windows = Windows::short("0-1/10", TERM).begun(&store);
    let held = [(); 2].map(|()| windows.acquire(&store).unwrap());
    server.kill().unwrap();
    assert!(windows.renew(&store, &held[0]).unwrap_err().is_unreachable());
    let error = windows.acquire(&store).unwrap_err();
    assert!(error.is_unreachable() && error.source().is_some(), "{error:?}");
    server.revive().unwrap();
    for lease in &held {
        assert_eq!(loss(windows.renew(&store, lease)), Some(LeaseEnd::Era));
    }
    for _ in 0..2 {
        assert!(windows.acquire_in_time(&store).floor >= highest(&held));
    }
}

/// Waits until a replica has all that its primary has now. `WAIT` would wait for the writes of its
/// own connection only.
fn wait_for_copy(primary: &Redis, replica: &Redis, key: &str) {
    let _: u32 = ask(primary, &["SETRANGE", key, "0", "x"]);
    let client = redis::Client::open(format!("redis://{}", replica.address())).unwrap();
    // While it loads the primary's data, it answers with an error.
    let has_key = || redis::cmd("EXISTS").arg(key).query(&mut client.get_connection()?);
    while !has_key().unwrap_or(false) {
        thread::sleep(Duration::from_millis(1));
    }
}

fn stale_failover_is_noticed(_: &Redis) {
    let (server, replica) = (Redis::start().unwrap(), Redis::start().unwrap());
    let store = store(&server);
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let port = server.port().to_string();
    let _: String = ask(&replica, &["REPLICAOF", "127.0.0.1", &port]);
    wait_for_copy(&server, &replica, "connected");
    let before = windows.acquire_in_time(&store);
    wait_for_copy(&server, &replica, "granted");

    // From here on the replica is independent.
    let _: String = ask(&replica, &["REPLICAOF", "NO", "ONE"]);
    let forgotten: Vec<Lease> = (0..3).map(|_| windows.acquire(&store).unwrap()).collect();
    server.kill().unwrap();

    let store = self::store(&replica);
    for lease in [&forgotten[0], &before] {
        assert!(windows.renew(&store, lease).unwrap_err().is_lost());
    }
    for _ in 0..4 {
        assert!(windows.acquire_in_time(&store).floor >= highest(&forgotten));
    }
}

/// A fail-over moves the address while the old primary lives on as a replica: no connection is cut.
fn a_demoted_primary_is_left(_: &Redis) {
    let (server, replica) = (Redis::start().unwrap(), Redis::start().unwrap());
    let proxy = Proxy::new(Target::Tcp(server.address())).unwrap();
    let store = open(&format!("redis://{}", proxy.address()));
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let held = windows.acquire(&store).unwrap();
    let port = |server: &Redis| server.port().to_string();
    let _: String = ask(&replica, &["REPLICAOF", "127.0.0.1", &port(&server)]);
    wait_for_copy(&server, &replica, "copied");

    let _: String = ask(&replica, &["REPLICAOF", "NO", "ONE"]);
    let _: String = ask(&server, &["REPLICAOF", "127.0.0.1", &port(&replica)]);
    proxy.move_to(Target::Tcp(replica.address()));
    let error = windows.renew(&store, &held).unwrap_err();
    assert!(error.to_string().contains("accepts no writes, like a replica"), "{error}");
    assert!(error.passes(), "{error}");
    assert!(!error.is_lost());
    // Neither is a claim answered from the old data. The next request is the new primary's.
    assert_eq!(loss(windows.renew(&store, &held)), Some(LeaseEnd::Era));
    assert!(windows.acquire_in_time(&store).floor >= held.ceiling);
    let error = windows.acquire(&self::store(&server)).unwrap_err();
    assert!(error.to_string().contains("accepts no writes, like a replica"), "{error}");
    assert!(error.passes(), "{error}");
}

fn restarted_realm_starts_beyond(_: &Redis) {
    let server = Redis::with_options(&["--appendonly", "no"]).unwrap();
    let url = format!("redis://{}?persistence=acknowledged", server.address());
    let store = open(&url);
    let windows = Windows::short("0/10", TERM).begun(&store);
    let before = windows.acquire(&store).unwrap();
    server.kill().unwrap();
    server.revive().unwrap();
    // The same holds for a client without earlier answers on the realm.
    let next = windows.acquire_in_time(&open(&url));
    assert!(next.floor >= before.ceiling, "{next:?}");
}

fn flushall_repeats_no_window(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let mut held: Vec<Lease> = (0..4).map(|_| windows.acquire(&store).unwrap()).collect();
    held[0] = windows.renew(&store, &held[0]).unwrap();
    let _: String = ask(&server, &["FLUSHALL"]);
    // The first request is a claim of a client without earlier answers.
    assert!(windows.acquire(&self::store(&server)).is_err());
    for lease in &held {
        assert!(windows.renew(&store, lease).unwrap_err().is_lost());
    }
    for _ in 0..4 {
        assert!(windows.acquire_in_time(&store).floor >= highest(&held));
    }
}

/// All keys, as a dump of an hour ago would be.
fn loaded_dump_is_noticed(_: &Redis) {
    let server = Redis::with_options(&["--enable-debug-command", "local"]).unwrap();
    let store = store(&server);
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let old = windows.acquire(&store).unwrap();
    let _: String = ask(&server, &["SAVE"]);
    let held: Vec<Lease> = (0..3).map(|_| windows.acquire(&store).unwrap()).collect();
    // Reads the dump again, without a restart.
    let _: String = ask(&server, &["DEBUG", "RELOAD", "NOSAVE"]);
    assert_eq!(loss(windows.renew(&store, &held[0])), Some(LeaseEnd::Forgotten));
    for lease in held.iter().chain([&old]) {
        assert!(windows.renew(&store, lease).unwrap_err().is_lost());
    }
    for _ in 0..4 {
        assert!(windows.acquire_in_time(&store).floor >= highest(&held));
    }
}
