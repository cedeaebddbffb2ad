//! Failures of a server that its clients get over.

use core::error::Error as _;
use core::time::Duration;
use std::collections::BTreeMap;

use tickid_lease::{Node, Store};

use super::{acquire, answer, assert_goes_on, begin, claim, realm, reconnected, renew};

const TERM: Duration = Duration::from_secs(10);

/// A database whose server fails in ways that cost no data.
pub(crate) trait Failing {
    fn open(&self) -> Store;

    fn crash(&self);

    fn come_back(&self);

    /// Ends the connections of all clients.
    fn disconnect(&self);
}

pub(crate) fn a_crash_loses_nothing(server: &impl Failing) {
    let (store, realm) = (server.open(), realm("0-3/2", TERM));
    begin(&store, &realm);
    let mut leases = [(); 2].map(|()| acquire(&store, &realm).unwrap());
    let mut windows = Vec::new();
    for _ in 0..3 {
        server.crash();
        let error = renew(&store, &realm, &leases[0]).unwrap_err();
        assert!(error.is_unreachable() && error.source().is_some(), "{error}");
        let mut again = claim();
        assert!(answer(store.acquire(&realm, &mut again)).unwrap_err().is_unreachable());
        server.come_back();
        let lease = answer(store.acquire(&realm, &mut again)).unwrap();
        let used = lease.ceiling - 1;
        answer(store.release(&realm, &lease, Some(used))).unwrap();
        windows.push((lease.node, lease.floor, used + 1));
        leases = leases.map(|lease| {
            let renewed = renew(&store, &realm, &lease).unwrap();
            assert_goes_on(&lease, &renewed);
            renewed
        });
    }
    windows.extend(leases.map(|lease| (lease.node, lease.floor, lease.ceiling)));
    assert_disjoint(windows);
}

#[track_caller]
fn assert_disjoint(windows: impl IntoIterator<Item = (Node, u64, u64)>) {
    let mut of_node = BTreeMap::<Node, Vec<(u64, u64)>>::new();
    for (node, floor, ceiling) in windows {
        of_node.entry(node).or_default().push((floor, ceiling));
    }
    for (node, mut windows) in of_node {
        windows.sort_unstable();
        for pair in windows.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "of node {node}: {pair:?}");
        }
    }
}

pub(crate) fn a_lost_connection_is_made_anew(server: &impl Failing) {
    let (store, realm) = (server.open(), realm("0-3/2", TERM));
    begin(&store, &realm);
    let mut lease = acquire(&store, &realm).unwrap();
    for _ in 0..3 {
        server.disconnect();
        lease = reconnected(|| renew(&store, &realm, &lease)).unwrap();
    }
}
