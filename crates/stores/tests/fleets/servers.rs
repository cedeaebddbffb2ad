//! The servers, and the ways that they fail.

use tickid_testkit::servers::{Etcd, MySql, Outage, Postgres, Redis};

/// A server that a fleet leases from.
pub(crate) trait FleetServer: Outage {
    /// The number of holders that renew in time over this server on two processors. Where they
    /// connect for each renewal, the server's work is to accept connections.
    const RENEWING: usize;

    /// Makes the server unavailable, with all data, until the returned function is called.
    fn interrupt(&self) -> Box<dyn FnOnce() + '_> {
        self.take_down()
    }

    /// Keeps the present data for a [`crash`](Self::crash). Connections are lost.
    fn back_up(&self);

    /// Ends the server. When the returned function is called, it starts with the data of the
    /// [backup](Self::back_up), and has lost all that it acknowledged since.
    fn crash(&self) -> Box<dyn FnOnce() + '_>;
}

/// A crash costs PostgreSQL no data.
impl FleetServer for Postgres {
    const RENEWING: usize = 200;

    fn back_up(&self) {
        self.stop("fast").unwrap();
        self.back_up().unwrap();
        self.begin().unwrap();
    }

    fn crash(&self) -> Box<dyn FnOnce() + '_> {
        self.stop("immediate").unwrap();
        Box::new(|| {
            self.restore().unwrap();
            self.begin().unwrap();
        })
    }
}

impl FleetServer for MySql {
    const RENEWING: usize = 200;

    fn interrupt(&self) -> Box<dyn FnOnce() + '_> {
        self.pause().unwrap();
        Box::new(|| self.resume().unwrap())
    }

    fn back_up(&self) {
        self.kill().unwrap();
        self.back_up().unwrap();
        self.revive().unwrap();
    }

    fn crash(&self) -> Box<dyn FnOnce() + '_> {
        self.kill().unwrap();
        Box::new(|| {
            self.restore().unwrap();
            self.revive().unwrap();
        })
    }
}

/// A cluster of one member.
impl FleetServer for Etcd {
    const RENEWING: usize = 1_000;

    fn interrupt(&self) -> Box<dyn FnOnce() + '_> {
        self.pause(0).unwrap();
        Box::new(|| self.resume(0).unwrap())
    }

    fn back_up(&self) {
        self.kill(0).unwrap();
        self.back_up(0).unwrap();
        self.revive(0).unwrap();
    }

    fn crash(&self) -> Box<dyn FnOnce() + '_> {
        self.kill(0).unwrap();
        Box::new(|| {
            self.restore(0).unwrap();
            self.revive(0).unwrap();
        })
    }
}

/// Any restart ends all leases in Redis: there is no way to tell that it lost nothing. So none of
/// its data is removed.
impl FleetServer for Redis {
    const RENEWING: usize = 1_000;

    fn interrupt(&self) -> Box<dyn FnOnce() + '_> {
        self.pause().unwrap();
        Box::new(|| self.resume().unwrap())
    }

    fn back_up(&self) {}

    fn crash(&self) -> Box<dyn FnOnce() + '_> {
        self.kill().unwrap();
        Box::new(|| self.revive().unwrap())
    }
}
