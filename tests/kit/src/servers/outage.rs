//! Servers that become unreachable.

use crate::servers::{Etcd, MySql, Postgres, Redis, Server};

/// A place of stores that can be made unavailable.
pub trait Outage: Server {
    /// Returns the URL that stores are opened with.
    fn url(&self) -> String;

    /// Makes it unavailable, without a loss of data, until the returned function is called.
    fn take_down(&self) -> Box<dyn FnOnce() + '_>;
}

impl Outage for Postgres {
    fn url(&self) -> String {
        self.url()
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        self.stop("immediate").unwrap();
        Box::new(|| self.begin().unwrap())
    }
}

impl Outage for MySql {
    fn url(&self) -> String {
        self.url()
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        self.kill().unwrap();
        Box::new(|| self.revive().unwrap())
    }
}

/// Of a cluster with one member.
impl Outage for Etcd {
    fn url(&self) -> String {
        format!("etcd://{}", self.endpoints().join(","))
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        self.kill(0).unwrap();
        Box::new(|| self.revive(0).unwrap())
    }
}

impl Outage for Redis {
    fn url(&self) -> String {
        format!("redis://{}", self.address())
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        self.kill().unwrap();
        Box::new(|| self.revive().unwrap())
    }
}
