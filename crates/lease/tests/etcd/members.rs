use core::time::Duration;
use std::thread;

use tickid_lease::conformance;
use tickid_lease::{Claim, EtcdStore, Grant, Store, StoreError, Token};
use tickid_testkit::servers::{Etcd, Test};

use crate::front::Front;
use crate::windows::{Windows, in_time};

pub(crate) const TESTS: [Test<Etcd>; 10] = [
    ("a_member_that_is_down_is_passed_over", a_member_that_is_down_is_passed_over),
    ("a_member_that_says_nothing_is_passed_over", a_member_that_says_nothing_is_passed_over),
    (
        "without_a_majority_the_store_is_unreachable_until_it_is_back",
        without_a_majority_the_store_is_unreachable_until_it_is_back,
    ),
    ("a_cluster_that_was_put_back_is_noticed", a_cluster_that_was_put_back_is_noticed),
    ("a_realm_that_is_gone_is_noticed", a_realm_that_is_gone_is_noticed),
    ("a_claim_whose_answer_is_lost_is_granted_once", a_claim_whose_answer_is_lost_is_granted_once),
    ("a_release_whose_answer_is_lost_is_done", a_release_whose_answer_is_lost_is_done),
    ("claimants_that_race_get_windows_apart", claimants_that_race_get_windows_apart),
    ("what_is_kept_that_is_no_row_is_reported", what_is_kept_that_is_no_row_is_reported),
    ("a_renewal_is_one_write", a_renewal_is_one_write),
];

/// A member behind a front of its own, so that what one scenario does to its clock and its cluster is
/// nothing to the others.
pub(crate) struct Stage(Front, &'static str);

impl Stage {
    pub(crate) fn new(server: &Etcd) -> Self {
        Self(Front::of(&server.endpoints()[0]), "")
    }

    /// Where every client has an etcd lease.
    pub(crate) fn with_leases(server: &Etcd) -> Self {
        Self(Front::of(&server.endpoints()[0]), "?lease_ttl=60")
    }
}

impl conformance::Stage for Stage {
    fn store(&self) -> Box<dyn Store> {
        let Self(front, options) = self;
        Box::new(EtcdStore::open(&format!("etcd://{}{options}", front.endpoint())).unwrap())
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.0.set_forward(3_600);
    }

    fn set_back(&self) {
        self.0.set_forward(0);
    }

    fn change_generation(&self) {
        self.0.become_another_cluster();
    }
}

fn store(endpoints: &[String]) -> EtcdStore {
    EtcdStore::open(&format!("etcd://{}", endpoints.join(","))).unwrap()
}

fn is_lost(result: Result<Grant, StoreError>) -> bool {
    result.is_err_and(|error| error.is_lost())
}

fn a_member_that_is_down_is_passed_over(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let (windows, store) = (Windows::new("0-7/10"), store(&etcd.endpoints()));
    let first = windows.acquire(&store).unwrap();
    for member in 0..3 {
        etcd.kill(member).unwrap();
        in_time(|| windows.renew(&store, &first.hold), StoreError::is_unreachable);
        windows.acquire(&store).unwrap();
        etcd.revive(member).unwrap();
    }
    assert_eq!(windows.count(), 4);
}

fn a_member_that_says_nothing_is_passed_over(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let (windows, store) = (Windows::new("0-7/10"), store(&etcd.endpoints()));
    let first = windows.acquire(&store).unwrap();
    etcd.pause(0).unwrap();
    in_time(|| windows.renew(&store, &first.hold), StoreError::is_unreachable);
    etcd.resume(0).unwrap();
}

fn without_a_majority_the_store_is_unreachable_until_it_is_back(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let (windows, store) = (Windows::new("0-7/10"), store(&etcd.endpoints()));
    let held = windows.acquire(&store).unwrap();
    etcd.kill(0).unwrap();
    etcd.kill(1).unwrap();
    let error = windows.renew(&store, &held.hold).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error}");
    let error = windows.acquire(&store).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
    etcd.kill(2).unwrap();
    assert!(windows.renew(&store, &held.hold).unwrap_err().is_unreachable());

    // One of them alone has no majority to be healthy with.
    thread::scope(|scope| {
        let members = [0, 1, 2].map(|member| {
            let etcd = &etcd;
            scope.spawn(move || etcd.revive(member).unwrap())
        });
        members.into_iter().for_each(|member| member.join().unwrap());
    });
    let renewed = in_time(|| windows.renew(&store, &held.hold), StoreError::is_unreachable);
    assert_eq!(renewed.hold, held.hold);
    windows.acquire(&store).unwrap();
}

/// Under the same cluster ID, as from a copy of the disk.
fn a_cluster_that_was_put_back_is_noticed(_: &Etcd) {
    let etcd = Etcd::cluster(1).unwrap();
    let term = Duration::from_millis(500);
    let (windows, store) = (Windows::short("0-3/10", term), store(&etcd.endpoints()));
    let before = windows.acquire(&store).unwrap();
    etcd.kill(0).unwrap();
    etcd.back_up(0).unwrap();
    etcd.revive(0).unwrap();
    let forgotten: Vec<Grant> = (0..3).map(|_| windows.acquire(&store).unwrap()).collect();
    let highest = forgotten.iter().map(|grant| grant.ceiling).max().unwrap();

    etcd.kill(0).unwrap();
    etcd.restore(0).unwrap();
    etcd.revive(0).unwrap();
    assert!(is_lost(windows.renew(&store, &forgotten[0].hold)));
    assert!(is_lost(windows.renew(&store, &before.hold)));
    for _ in 0..4 {
        let next = windows.acquire_in_time(&store);
        assert!(next.hold.floor >= highest, "{next:?}");
    }
}

/// Even where nothing of it is left.
fn a_realm_that_is_gone_is_noticed(_: &Etcd) {
    let etcd = Etcd::cluster(1).unwrap();
    etcd.kill(0).unwrap();
    etcd.back_up(0).unwrap();
    etcd.revive(0).unwrap();
    let term = Duration::from_millis(500);
    let (windows, store) = (Windows::short("0/10", term), store(&etcd.endpoints()));
    let before = windows.acquire(&store).unwrap();
    etcd.kill(0).unwrap();
    etcd.restore(0).unwrap();
    etcd.revive(0).unwrap();
    let next = windows.acquire_in_time(&store);
    assert!(next.hold.floor >= before.ceiling, "{next:?}");
}

fn a_claim_whose_answer_is_lost_is_granted_once(server: &Etcd) {
    let front = Front::of(&server.endpoints()[0]);
    let (windows, store) = (Windows::new("0-7/10"), store(&[front.endpoint().to_owned()]));
    windows.acquire(&store).unwrap();
    let claim = Claim::new(Token::random().unwrap(), "test", None);
    // The second request is the write.
    front.lose_answer(2);
    assert!(windows.claim(&store, &claim).unwrap_err().is_unreachable());
    let grant = windows.claim(&store, &claim).unwrap();
    assert_eq!(grant.hold.token, claim.token);
    for _ in 2..8 {
        windows.acquire(&store).unwrap();
    }
    assert!(windows.acquire(&store).is_err(), "all are given out");
}

fn a_release_whose_answer_is_lost_is_done(server: &Etcd) {
    let front = Front::of(&server.endpoints()[0]);
    let (windows, store) = (Windows::new("0/10"), store(&[front.endpoint().to_owned()]));
    let held = windows.acquire(&store).unwrap();
    front.lose_answer(2);
    assert!(windows.release(&store, &held.hold, None).unwrap_err().is_unreachable());
    assert!(windows.release(&store, &held.hold, None).unwrap_err().is_lost());
}

/// Half a dozen on four nodes.
fn claimants_that_race_get_windows_apart(server: &Etcd) {
    let windows = Windows::short("0-3/10", Duration::from_millis(20));
    windows.race(6, 25, || store(&server.endpoints()));
}

fn what_is_kept_that_is_no_row_is_reported(server: &Etcd) {
    let endpoints = server.endpoints();
    let (windows, store) = (Windows::new("0/10"), store(&endpoints));
    windows.acquire(&store).unwrap();
    // tickid/REALM/rows/x
    let key = base64(&format!("tickid/{}/rows/x", windows.realm.name()));
    let body = format!(r#"{{"key":"{key}","value":"eA=="}}"#);
    let url = format!("http://{}/v3/kv/put", endpoints[0]);
    ureq::post(url).send(body).unwrap();
    let error = windows.acquire(&store).unwrap_err();
    let text = format!("etcd store: the key tickid/{}/rows/x can't be read", windows.realm.name());
    assert_eq!(error.to_string(), text);
    assert!(core::error::Error::source(&error).is_some());
}

/// As etcd counts them, all keys together, in a cluster that nobody else writes to.
fn a_renewal_is_one_write(_: &Etcd) {
    let etcd = Etcd::cluster(1).unwrap();
    let endpoint = &etcd.endpoints()[0];
    for options in ["", "?lease_ttl=60"] {
        let store = EtcdStore::open(&format!("etcd://{endpoint}{options}")).unwrap();
        let windows = Windows::new("0-7/10");
        let held = windows.acquire(&store).unwrap();
        for _ in 0..3 {
            let before = writes(endpoint);
            windows.renew(&store, &held.hold).unwrap();
            assert_eq!(writes(endpoint), before + 1, "{options}");
        }
    }
}

/// How often anything was ever written.
fn writes(endpoint: &str) -> u64 {
    let url = format!("http://{endpoint}/v3/kv/range");
    let mut response = ureq::post(url).send(r#"{"key":"eA=="}"#).unwrap();
    let body: serde_json::Value =
        serde_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap();
    body["header"]["revision"].as_str().unwrap().parse().unwrap()
}

pub(crate) fn base64(text: &str) -> String {
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text)
}
