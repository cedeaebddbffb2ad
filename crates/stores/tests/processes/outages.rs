//! Stores that are down for longer than a term, and networks that are slow or lose one direction:
//! generation stops with the window, and resumes by itself.

use core::time::Duration;

use tickid_testkit::servers::{Etcd, Outage as _, Proxy, Test};

use crate::count;
use crate::fleet::Fleet;
use crate::stores::{ProcessStore, Remote};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("outage_stalls_until_it_ends", outage_stalls_until_it_ends)]
}

pub(crate) fn network_tests<G: Remote>() -> Vec<Test<G>> {
    vec![
        ("slow_network_still_renews", slow_network_still_renews),
        ("late_requests_do_no_harm", |ground| {
            one_way(ground, "requests held back", Proxy::hold_requests);
        }),
        ("late_answers_do_no_harm", |ground| {
            one_way(ground, "answers held back", Proxy::hold_answers);
        }),
    ]
}

pub(crate) const CLUSTER_TESTS: [Test<Etcd>; 1] = [("silent_members", silent_members)];

const RESTARTS: usize = 2;

/// Uses a dedicated store, so that other tests are not disturbed.
fn outage_stalls_until_it_ends<G: ProcessStore>(_: &G) {
    let ground = G::start().unwrap();
    let fleet = Fleet::start(&ground.url());
    // Outages so short that a holder may not notice them.
    for _ in 0..count("TICKID_RESTARTS", RESTARTS) {
        let bring_back = ground.take_down();
        bring_back();
        fleet.until_all_are_renewed();
    }
    let bring_back = ground.take_down();
    fleet.until_all_stall();
    bring_back();
    fleet.until_all_issue();
    fleet.finish(&ground, "store down and back");
}

/// A round trip takes an eighth of a holder's timeout.
fn slow_network_still_renews<G: Remote>(ground: &G) {
    let proxy = Proxy::new(ground.target()).unwrap();
    let fleet = Fleet::start(&ground.url_at(proxy.address()));
    proxy.delay(Duration::from_millis(10));
    for _ in 0..3 {
        fleet.until_all_are_renewed();
    }
    fleet.until_all_issue();
    fleet.finish(ground, "10 ms each way");
}

/// Delayed messages arrive in the end, after their timeouts.
fn one_way<G: Remote>(ground: &G, what: &str, hold: fn(&Proxy, bool)) {
    let proxy = Proxy::new(ground.target()).unwrap();
    let fleet = Fleet::start(&ground.url_at(proxy.address()));
    hold(&proxy, true);
    fleet.until_all_stall();
    hold(&proxy, false);
    fleet.until_all_issue();
    fleet.finish(ground, what);
}

/// A paused member is silent to clients and to other members.
fn silent_members(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    let fleet = Fleet::start(&etcd.url());
    // One of them leads.
    for member in 0..3 {
        etcd.pause(member).unwrap();
        fleet.until_all_are_renewed();
        fleet.until_all_issue();
        etcd.resume(member).unwrap();
    }
    etcd.pause(0).unwrap();
    etcd.pause(1).unwrap();
    fleet.until_all_stall();
    etcd.resume(0).unwrap();
    fleet.until_all_issue();
    etcd.resume(1).unwrap();
    fleet.finish(&etcd, "members cut off");
}
