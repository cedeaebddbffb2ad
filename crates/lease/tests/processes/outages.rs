//! Stores that are gone for longer than a term, and networks that are slow or lose one direction: generation
//! stops with the window, and goes on by itself.

use core::time::Duration;

use tickid_testkit::servers::{Etcd, Test};

use crate::count;
use crate::fleet::Fleet;
use crate::ground::{Ground as _, Outage, Remote};
use crate::proxy::Proxy;

pub(crate) fn tests<G: Outage>() -> Vec<Test<G>> {
    vec![(
        "without_its_store_a_process_stops_and_goes_on_when_that_is_back",
        without_its_store_a_process_stops_and_goes_on_when_that_is_back,
    )]
}

pub(crate) fn network_tests<G: Remote>() -> Vec<Test<G>> {
    vec![
        ("what_is_slow_is_renewed_all_the_same", what_is_slow_is_renewed_all_the_same),
        ("requests_that_come_late_do_no_harm", |ground| {
            one_way(ground, "requests held back", Proxy::hold_requests);
        }),
        ("answers_that_come_late_do_no_harm", |ground| {
            one_way(ground, "answers held back", Proxy::hold_answers);
        }),
    ]
}

pub(crate) const CLUSTER_TESTS: [Test<Etcd>; 1] = [(
    "one_member_less_is_passed_over_and_two_are_not",
    one_member_less_is_passed_over_and_two_are_not,
)];

const RESTARTS: usize = 2;

/// Of its own, since the others are not to be bothered.
fn without_its_store_a_process_stops_and_goes_on_when_that_is_back<G: Outage>(_: &G) {
    let ground = G::start().unwrap();
    let fleet = Fleet::start(&ground.url());
    // For moments, of which a holder need not notice anything.
    for _ in 0..count("TICKID_RESTARTS", RESTARTS) {
        let bring_back = ground.take_down(&fleet.realms());
        bring_back();
        fleet.until_all_are_renewed();
    }
    let bring_back = ground.take_down(&fleet.realms());
    fleet.until_all_stall();
    bring_back();
    fleet.until_all_issue();
    fleet.finish(&ground, "store down and back");
}

/// There and back takes an eighth of the time for which a holder waits for an answer.
fn what_is_slow_is_renewed_all_the_same<G: Remote>(ground: &G) {
    let proxy = Proxy::new(ground.target());
    let fleet = Fleet::start(&ground.url_at(proxy.address()));
    proxy.delay(Duration::from_millis(10));
    for _ in 0..3 {
        fleet.until_all_are_renewed();
    }
    fleet.until_all_issue();
    fleet.finish(ground, "10 ms each way");
}

/// What was held back arrives in the end, when nobody waits for it any more.
fn one_way<G: Remote>(ground: &G, what: &str, hold: fn(&Proxy, bool)) {
    let proxy = Proxy::new(ground.target());
    let fleet = Fleet::start(&ground.url_at(proxy.address()));
    hold(&proxy, true);
    fleet.until_all_stall();
    hold(&proxy, false);
    fleet.until_all_issue();
    fleet.finish(ground, what);
}

/// A member that says nothing, to clients and to the others.
fn one_member_less_is_passed_over_and_two_are_not(_: &Etcd) {
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
