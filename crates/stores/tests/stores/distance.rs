//! Stores that are far away, and connections that break: a lease that can be granted can be renewed.

use core::time::Duration;
use std::thread;

use tickid_core::StallReason;
use tickid_lease::admin::Start;
use tickid_lease::session::{WaitReason, block_on};
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_nanoflake::Nanoflake;
use tickid_testkit::servers::Proxy;

use crate::sql::{TIMEOUT, claim};
use crate::windows::{Windows, is_same};

/// Long enough for what a busy machine adds to a round trip, up to the quarter that a renewal has.
const TERM: Duration = Duration::from_secs(20);
const WINDOW_ENDED: WaitReason = WaitReason::Stalled(StallReason::WindowEnded);

/// A server at the end of a line.
pub(crate) struct Line<'a> {
    /// Returns a new line, and the URL of the server at its end.
    pub(crate) new: &'a dyn Fn() -> (Proxy, String),
    /// Opens a store with a timeout that a busy machine does not reach.
    pub(crate) patient: &'a dyn Fn(&str) -> Store,
    /// The server itself.
    pub(crate) near: Store,
}

impl Line<'_> {
    /// A round trip takes this part of the term. Another holder comes meanwhile, which changes
    /// the record that a renewal rests on. How far away a store may be at most is tested with scripted
    /// time, beside the session of `lease exec`.
    pub(crate) fn leases_are_renewed(&self, parts: u32) {
        let name = format!("distant-{parts}");
        let realm = Realm::builder(name, Nanoflake::default()).pool("0-7/10").term(TERM);
        let realm = realm.build().unwrap();
        block_on(self.near.create(realm.spec(), Start::Immediately), TIMEOUT).unwrap();
        let (proxy, url) = (self.new)();
        proxy.delay(TERM / parts / 2);
        let store = tickid_stores::open(&url).unwrap();
        let builder = LeasedGenerator::builder(store, realm.clone());
        let leased = builder.start_within(TIMEOUT).start().unwrap();
        let connections = proxy.connections();
        let other = LeasedGenerator::builder(self.near.clone(), realm.clone());
        let _other = other.start_within(TIMEOUT).start().unwrap();
        while leased.state().counters.renewals < 1 {
            let wait = leased.try_generate().err().and_then(|error| error.wait());
            let reason = wait.map(|wait| wait.reason);
            assert_ne!(reason, Some(WINDOW_ENDED), "{:?}", leased.state());
            thread::sleep(Duration::from_millis(1));
        }
        let state = leased.state();
        assert_eq!((state.counters.leases, state.counters.losses), (1, 0), "{state:?}");
        // There is no time to connect for each renewal.
        let connections = proxy.connections() - connections;
        assert!(parts > 16 || connections < 3, "{connections}");
        proxy.delay(Duration::ZERO);
        leased.shut_down().unwrap();
    }

    /// A connection that was kept may have been lost by the network in between, which only the next
    /// request shows.
    pub(crate) fn broken_connections_are_replaced(&self) {
        let (proxy, url) = (self.new)();
        let store = (self.patient)(&url);
        // So far away that the connection stays open.
        let windows = Windows::new("0-7/10").begun(&self.near);
        proxy.delay(Duration::from_millis(40));
        let mut lease = windows.acquire_in_time(&store);
        for _ in 0..3 {
            let connections = proxy.connections();
            proxy.cut();
            lease = windows.renew(&store, &lease).unwrap();
            assert_eq!(proxy.connections(), connections + 1);
        }
        // If the server may have written it, the holder cannot know, and asks again.
        proxy.lose_answer(1);
        assert!(windows.renew(&store, &lease).unwrap_err().is_unreachable());
        let renewed = windows.renew(&store, &lease).unwrap();
        assert!(is_same(&renewed, &lease));
        let mut again = claim();
        proxy.lose_answer(2);
        assert!(windows.claim(&store, &mut again).unwrap_err().is_unreachable());
        windows.claim(&store, &mut again).unwrap();
        let rows = block_on(self.near.list(windows.realm.name()), TIMEOUT).unwrap().rows;
        assert_eq!(rows.len(), 2, "a claim takes one node");
    }
}

/// Makes the tests of a server, by a function that passes a [`Line`] to it on.
macro_rules! tests {
    ($server:ty, $line:path) => {{
        let tests: [tickid_testkit::servers::Test<$server>; 3] = [
            ("renewed_at_a_twentieth_of_the_term", |server| {
                $line(server, |line| line.leases_are_renewed(20))
            }),
            ("renewed_at_a_tenth_of_the_term", |server| {
                $line(server, |line| line.leases_are_renewed(10))
            }),
            ("broken_connections_are_replaced", |server| {
                $line(server, |line| line.broken_connections_are_replaced())
            }),
        ];
        tests
    }};
}
pub(crate) use tests;
