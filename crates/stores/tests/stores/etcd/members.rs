//! Members and clusters that fail.

use core::time::Duration;
use std::io::Write as _;
use std::net::Shutdown;
use std::thread;

use tickid_lease::admin::LeaseEnd;
use tickid_lease::session::{Claim, Token};
use tickid_lease::{Lease, Store, StoreError};
use tickid_stores::EtcdBackend;
use tickid_testkit::servers::{Etcd, Hostile, Test};

use crate::etcd::member::proxy;
use crate::sql::TIMEOUT;
use crate::windows::{Windows, in_time, is_same};

pub(crate) const TESTS: [Test<Etcd>; 7] = [
    ("dead_member_is_skipped", dead_member_is_skipped),
    ("foreign_member_is_skipped", foreign_member_is_skipped),
    ("unreachable_without_majority", unreachable_without_majority),
    ("restored_cluster_is_noticed", restored_cluster_is_noticed),
    ("lost_realm_starts_beyond", lost_realm_starts_beyond),
    ("unanswered_claim_grants_once", unanswered_claim_grants_once),
    ("unanswered_release_is_done", unanswered_release_is_done),
];

const TERM: Duration = Duration::from_millis(500);

pub(crate) fn store(endpoints: &[String]) -> Store {
    open(&endpoints.join(","))
}

/// Opens a store with a timeout that a busy machine does not reach.
pub(crate) fn open(place: &str) -> Store {
    let url = format!("etcd://{place}");
    Store::new(EtcdBackend::open_with_timeout(&url, TIMEOUT).unwrap())
}

fn dead_member_is_skipped(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let store = store(&etcd.endpoints());
    let windows = Windows::new("0-7/10").begun(&store);
    let mut lease = windows.acquire(&store).unwrap();
    for member in 0..3 {
        etcd.kill(member).unwrap();
        lease = in_time(|| windows.renew(&store, &lease), StoreError::is_unreachable);
        in_time(|| windows.acquire(&store), StoreError::is_unreachable);
        etcd.revive(member).unwrap();
    }
    assert_eq!(windows.count(), 4);
}

/// A proxy's error page, an API of another kind, and a member whose gateway is off.
fn foreign_member_is_skipped(server: &Etcd) {
    let windows = Windows::new("0-7/10").begun(&store(&server.endpoints()));
    for (status, body) in [
        ("404 Not Found", "404 page not found\n"),
        ("404 Not Found", "{\"message\":\"no such route\"}"),
        ("200 OK", "<html></html>"),
        ("403 Forbidden", "<html></html>"),
        ("301 Moved Permanently", ""),
    ] {
        let page = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let other = Hostile::new(Vec::new(), move |stream| {
            stream.write_all(page.as_bytes())?;
            stream.shutdown(Shutdown::Write)
        });
        let other = other.unwrap().address().to_owned();
        let endpoints = [&[other.clone()][..], &server.endpoints()].concat();
        windows.acquire(&store(&endpoints)).unwrap();
        let error = windows.acquire(&store(&[other])).unwrap_err();
        assert!(error.is_unreachable(), "{error:?}");
    }
}

fn unreachable_without_majority(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let url = format!("etcd://{}", etcd.endpoints().join(","));
    let backend = EtcdBackend::open_with_timeout(&url, Duration::from_secs(2)).unwrap();
    let store = Store::new(backend);
    let patient = self::store(&etcd.endpoints());
    let windows = Windows::new("0-7/10").begun(&patient);
    let held = windows.acquire(&patient).unwrap();
    etcd.kill(0).unwrap();
    etcd.kill(1).unwrap();
    let error = windows.renew(&store, &held).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error}");
    let error = windows.acquire(&store).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
    etcd.kill(2).unwrap();
    assert!(windows.renew(&store, &held).unwrap_err().is_unreachable());

    // A single member has no majority, so it cannot become healthy.
    thread::scope(|scope| {
        let members = [0, 1, 2].map(|member| {
            let etcd = &etcd;
            scope.spawn(move || etcd.revive(member).unwrap())
        });
        members.into_iter().for_each(|member| member.join().unwrap());
    });
    let renewed = in_time(|| windows.renew(&store, &held), StoreError::is_unreachable);
    assert!(is_same(&renewed, &held));
    in_time(|| windows.acquire(&store), StoreError::is_unreachable);
}

/// Under the same cluster ID, as from a copy of the disk or by `etcdctl snapshot restore` with the
/// same options.
fn restored_cluster_is_noticed(_: &Etcd) {
    let etcd = Etcd::cluster(1).unwrap();
    let store = store(&etcd.endpoints());
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let before = windows.acquire(&store).unwrap();
    etcd.kill(0).unwrap();
    etcd.back_up(0).unwrap();
    etcd.revive(0).unwrap();
    let forgotten: Vec<Lease> = (0..3).map(|_| windows.acquire(&store).unwrap()).collect();
    let highest = forgotten.iter().map(|lease| lease.ceiling).max().unwrap();

    etcd.kill(0).unwrap();
    etcd.restore(0).unwrap();
    etcd.revive(0).unwrap();
    let error = windows.renew(&store, &forgotten[0]).unwrap_err();
    assert_eq!(error.lease_end(), Some(LeaseEnd::Forgotten));
    assert!(windows.renew(&store, &before).unwrap_err().is_lost());
    for _ in 0..4 {
        let next = windows.acquire_in_time(&store);
        assert!(next.floor >= highest, "{next:?}");
    }
}

/// For a client without earlier answers.
fn lost_realm_starts_beyond(_: &Etcd) {
    let etcd = Etcd::cluster(1).unwrap();
    etcd.kill(0).unwrap();
    etcd.back_up(0).unwrap();
    etcd.revive(0).unwrap();
    let store = store(&etcd.endpoints());
    let windows = Windows::short("0/10", TERM).begun(&store);
    let before = windows.acquire(&store).unwrap();
    etcd.kill(0).unwrap();
    etcd.restore(0).unwrap();
    etcd.revive(0).unwrap();
    let next = windows.acquire_in_time(&self::store(&etcd.endpoints()));
    assert!(next.floor >= before.ceiling, "{next:?}");
}

fn unanswered_claim_grants_once(server: &Etcd) {
    let proxy = proxy(&server.endpoints()[0]);
    let store = store(&[proxy.address().to_owned()]);
    let windows = Windows::new("0-7/10").begun(&store);
    windows.acquire(&store).unwrap();
    let mut claim = Claim::new(Token::random().unwrap(), "test", None);
    // The second request is the write.
    proxy.lose_answer(2);
    assert!(windows.claim(&store, &mut claim).unwrap_err().is_unreachable());
    let lease = windows.claim(&store, &mut claim).unwrap();
    assert_eq!(lease.token, claim.token);
    for _ in 2..8 {
        windows.acquire(&store).unwrap();
    }
    assert!(windows.acquire(&store).is_err(), "all are granted");
}

fn unanswered_release_is_done(server: &Etcd) {
    let proxy = proxy(&server.endpoints()[0]);
    let store = store(&[proxy.address().to_owned()]);
    let windows = Windows::new("0/10").begun(&store);
    let held = windows.acquire(&store).unwrap();
    proxy.lose_answer(2);
    assert!(windows.release(&store, &held, None).unwrap_err().is_unreachable());
    assert!(windows.release(&store, &held, None).unwrap_err().is_lost());
}
