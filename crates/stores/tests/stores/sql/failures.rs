//! Failures of a server that its clients get over.

use core::error::Error as _;
use core::time::Duration;

use tickid_lease::{Store, StoreError};

use super::{acquire, assert_goes_on, begin, claim, realm, reconnected, renew};
use crate::windows::{Windows, in_time};

/// No lease ends while its server starts again.
const TERM: Duration = Duration::from_secs(600);

/// A database whose server fails in ways that cost no data.
pub(crate) trait Failing {
    fn open(&self) -> Store;

    fn crash(&self);

    fn come_back(&self);

    /// Ends the connections of all clients.
    fn disconnect(&self);
}

pub(crate) fn a_crash_loses_nothing(server: &impl Failing) {
    let store = server.open();
    let windows = Windows::short("0-3/10", TERM).begun(&store);
    let mut leases = [(); 2].map(|()| windows.acquire(&store).unwrap());
    for _ in 0..3 {
        server.crash();
        let error = windows.renew(&store, &leases[0]).unwrap_err();
        assert!(error.is_unreachable() && error.source().is_some(), "{error}");
        let mut again = claim();
        assert!(windows.claim(&store, &mut again).unwrap_err().is_unreachable());
        server.come_back();
        // Right after its start, the server may be slower than a request waits.
        let lease = in_time(|| windows.claim(&store, &mut again), StoreError::is_unreachable);
        windows.release(&store, &lease, Some(lease.ceiling - 1)).unwrap();
        leases = leases.map(|lease| {
            let renewed = in_time(|| windows.renew(&store, &lease), StoreError::is_unreachable);
            assert_goes_on(&lease, &renewed);
            renewed
        });
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
