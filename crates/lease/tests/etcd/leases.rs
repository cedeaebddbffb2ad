//! Clients that have an etcd lease, which says when they are gone. Whether it is right or wrong about that, no
//! two windows overlap.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use tickid_lease::{
    Claim, EtcdStore, Grant, Hold, Node, Realm, Refusal, Row, Standing, Store, StoreError, Token,
    block_on,
};
use tickid_testkit::servers::{Etcd, Server as _, Test};

use crate::front::Front;
use crate::members::base64;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Etcd>; 8] = [
    ("who_is_gone_is_seen_to_be_and_the_next_begins_at_its_ceiling", who_is_gone_is_seen),
    ("who_has_no_etcd_lease_is_never_taken_for_gone", who_has_no_etcd_lease),
    ("who_lives_is_never_taken_for_gone", who_lives_is_never_taken_for_gone),
    ("who_is_only_cut_off_keeps_its_window_and_hears_that_it_lost", who_is_only_cut_off),
    ("who_is_cut_off_and_not_missed_goes_on", who_is_cut_off_and_not_missed_goes_on),
    ("an_etcd_lease_that_is_revoked_is_followed_by_another", an_etcd_lease_that_is_revoked),
    ("a_restart_lets_etcd_leases_begin_anew", a_restart_lets_etcd_leases_begin_anew),
    ("where_etcd_grants_no_lease_nodes_are_leased_all_the_same", where_etcd_grants_no_lease),
];

/// The shortest there is.
const TTL: &str = "?lease_ttl=2";
/// Much longer than that takes, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

fn store(etcd: &Etcd, options: &str) -> EtcdStore {
    at(&etcd.endpoints()[0], options)
}

fn at(endpoint: &str, options: &str) -> EtcdStore {
    EtcdStore::open(&format!("etcd://{endpoint}{options}")).unwrap()
}

fn standing(store: &dyn Store, realm: &Realm, node: Node) -> (Standing, Row) {
    let listing = block_on(store.list(realm.name()), PATIENCE).unwrap().unwrap();
    let standings = listing.standings().unwrap();
    let (row, standing) = standings.into_iter().find(|(row, _)| row.node == node).unwrap();
    (standing, row.clone())
}

/// As soon as it looks free, which it does while its window lasts.
fn until_free(store: &dyn Store, realm: &Realm, hold: &Hold) {
    let start = Instant::now();
    loop {
        match standing(store, realm, hold.node) {
            (Standing::Free, row) => return assert_eq!(row.token, Some(hold.token)),
            (standing, _) => assert_eq!(standing, Standing::Held),
        }
        assert!(start.elapsed() < PATIENCE, "{hold:?} is held for ever");
        thread::sleep(Duration::from_millis(20));
    }
}

fn is_exhausted(result: &Result<Grant, StoreError>) -> bool {
    matches!(result, Err(error) if matches!(error.refusal(), Some(Refusal::Exhausted { .. })))
}

/// A realm of one node whose windows last for longer than any of these tests.
fn windows() -> Windows {
    Windows::short("0/10", Duration::from_secs(3_600))
}

/// The same with the option and without it; only who is gone needs it, not who comes then.
fn who_is_gone_is_seen(etcd: &Etcd) {
    for options in [TTL, ""] {
        let (windows, other) = (windows(), store(etcd, options));
        let gone = store(etcd, TTL);
        let first = windows.acquire(&gone).unwrap();
        assert!(is_exhausted(&windows.acquire(&other)));
        drop(gone);
        until_free(&other, &windows.realm, &first.hold);
        let second = windows.acquire(&other).unwrap();
        assert_eq!(second.hold.floor, first.ceiling);
        assert_eq!(standing(&other, &windows.realm, second.hold.node).0, Standing::Held);
        // Not even with the token of before.
        assert!(windows.renew(&other, &first.hold).unwrap_err().is_lost());
    }
}

/// The one that is gone without it is not missed; nor is who asked for leases that outlive it.
fn who_has_no_etcd_lease(etcd: &Etcd) {
    let (windows, other) = (Windows::short("0-2/10", Duration::from_secs(3_600)), store(etcd, TTL));
    let plain = windows.acquire(&store(etcd, "")).unwrap();
    let outlives = windows.acquire(&store(etcd, TTL).without_proof_of_death()).unwrap();
    let gone = windows.acquire(&store(etcd, TTL)).unwrap();
    // By then so are they, if they ever are.
    until_free(&other, &windows.realm, &gone.hold);
    for held in [plain, outlives] {
        assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Held);
    }
}

/// Be it for many times that long, and without a renewal.
fn who_lives_is_never_taken_for_gone(etcd: &Etcd) {
    let windows = Windows::short("0-1/10", Duration::from_secs(3_600));
    let (lives, other) = (store(etcd, TTL), store(etcd, TTL));
    let held = windows.acquire(&lives).unwrap();
    for _ in 0..2 {
        let gone = store(etcd, TTL);
        let before = windows.acquire(&gone).unwrap();
        drop(gone);
        until_free(&other, &windows.realm, &before.hold);
        assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Held);
        windows.release(&other, &before.hold, None).unwrap();
    }
    windows.renew(&lives, &held.hold).unwrap();
}

/// Its node goes to another, who begins where it ends: [`Windows`] sees to that.
fn who_is_only_cut_off(etcd: &Etcd) {
    let front = Front::of(&etcd.endpoints()[0]);
    let (windows, other) = (windows(), store(etcd, ""));
    let lives = at(front.endpoint(), TTL);
    let first = windows.acquire(&lives).unwrap();
    front.cut_off(true);
    until_free(&other, &windows.realm, &first.hold);
    let error = windows.renew(&lives, &first.hold).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error:?}");
    let second = windows.acquire(&other).unwrap();
    assert_eq!(second.hold.floor, first.ceiling);
    front.cut_off(false);
    assert!(windows.renew(&lives, &first.hold).unwrap_err().is_lost());
    assert!(windows.release(&lives, &first.hold, None).unwrap_err().is_lost());
    // It sends nothing that would help who has it now to look dead or alive.
    let (standing, row) = standing(&other, &windows.realm, second.hold.node);
    assert_eq!((standing, row.token), (Standing::Held, Some(second.hold.token)));
}

/// The next renewal brings the node back to it, window and all.
fn who_is_cut_off_and_not_missed_goes_on(etcd: &Etcd) {
    let front = Front::of(&etcd.endpoints()[0]);
    let (windows, other) = (windows(), store(etcd, ""));
    let lives = at(front.endpoint(), TTL);
    let first = windows.acquire(&lives).unwrap();
    front.cut_off(true);
    until_free(&other, &windows.realm, &first.hold);
    front.cut_off(false);
    let renewed = windows.renew(&lives, &first.hold).unwrap();
    assert_eq!((renewed.hold, renewed.ceiling >= first.ceiling), (first.hold, true));
    assert_eq!(standing(&other, &windows.realm, first.hold.node).0, Standing::Held);
    assert!(is_exhausted(&windows.acquire(&other)));
}

fn ask(etcd: &Etcd, method: &str, body: &str) -> String {
    let url = format!("http://{}/v3/{method}", etcd.endpoints()[0]);
    ureq::post(url).send(body).unwrap().body_mut().read_to_string().unwrap()
}

/// Somebody does so by hand; or a restored backup does not know it.
fn an_etcd_lease_that_is_revoked(etcd: &Etcd) {
    // Too long to run out.
    let (windows, lives) = (Windows::new("0-1/10"), store(etcd, "?lease_ttl=3600"));
    let (other, claim) = (store(etcd, ""), Claim::new(Token::random().unwrap(), "test", None));
    let mut held = windows.claim(&lives, &claim).unwrap();
    for _ in 0..2 {
        let key = base64(&format!("tickid/{}/alive/{}", windows.realm.name(), held.hold.node));
        let kept = ask(etcd, "kv/range", &format!(r#"{{"key":"{key}"}}"#));
        let lease = kept.split(r#""lease":""#).nth(1).unwrap().split('"').next().unwrap();
        ask(etcd, "lease/revoke", &format!(r#"{{"ID":"{lease}"}}"#));
        assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Free);
        held = windows.renew(&lives, &held.hold).unwrap();
        assert_eq!(held.hold.token, claim.token);
        assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Held);
    }
}

/// Who lives through it goes on; who does not is seen to be gone a little later.
fn a_restart_lets_etcd_leases_begin_anew(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let windows = Windows::short("0-1/10", Duration::from_secs(3_600));
    let (lives, gone, other) = (store(&etcd, TTL), store(&etcd, TTL), store(&etcd, ""));
    let [held, lost] = [&lives, &gone].map(|store| windows.acquire(store).unwrap());
    drop(gone);
    etcd.kill(0).unwrap();
    etcd.revive(0).unwrap();
    until_free(&other, &windows.realm, &lost.hold);
    // It may have run out while etcd was down, and is back with the next renewal.
    let renewed = windows.renew(&lives, &held.hold).unwrap();
    assert_eq!(renewed.hold, held.hold);
    assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Held);
    assert_eq!(windows.acquire(&other).unwrap().hold.floor, lost.ceiling);
}

/// Nobody sees them die then.
fn where_etcd_grants_no_lease(etcd: &Etcd) {
    let front = Front::of(&etcd.endpoints()[0]);
    front.refuse("/v3/lease/grant");
    let (windows, other) = (windows(), store(etcd, ""));
    let lives = at(front.endpoint(), TTL);
    let held = windows.acquire(&lives).unwrap();
    windows.renew(&lives, &held.hold).unwrap();
    drop(lives);
    // Until somebody who is seen to die has died.
    let (seen, gone) = (self::windows(), store(etcd, TTL));
    let hold = seen.acquire(&gone).unwrap().hold;
    drop(gone);
    until_free(&other, &seen.realm, &hold);
    assert_eq!(standing(&other, &windows.realm, held.hold.node).0, Standing::Held);
}
