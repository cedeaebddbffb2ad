//! Stores of each kind, and their outages.

use core::time::Duration;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use tempfile::TempDir;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::RealmView;
use tickid_lease::session::block_on;
use tickid_lease::{Store, StoreError};
use tickid_testkit::servers::{Etcd, MySql, Outage, Postgres, Redis, Server, StartError, Target};

const PATIENCE: Duration = Duration::from_secs(60);

/// A store that holders lease from.
pub(crate) trait ProcessStore: Outage {
    /// Opens the store for the tests themselves.
    fn store(&self) -> Store {
        tickid_stores::open(&self.url()).unwrap()
    }

    fn list(&self, realm: &RealmName) -> RealmView {
        let (store, start) = (self.store(), Instant::now());
        loop {
            match answer(store.list(realm)) {
                // It is busy with the holders.
                Err(error) if error.is_unreachable() && start.elapsed() < PATIENCE => {}
                view => return view.unwrap(),
            }
        }
    }

    /// Deletes all rows of a realm, and keeps its record.
    fn delete_rows(&self, realm: &str);

    /// Returns a guard. While it lives, no holder is within a step on the realm.
    fn between_steps(&self, _realm: &str) -> Option<File> {
        None
    }
}

/// A store that is reached over a network.
pub(crate) trait Remote: ProcessStore {
    fn target(&self) -> Target;

    /// Returns the URL of the store behind this host and port.
    fn url_at(&self, address: &str) -> String;
}

/// Waits for an answer, however long it takes.
pub(crate) fn answer<T>(
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    block_on(request, PATIENCE)
}

/// A folder of this machine.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) TempDir);

impl Server for Folder {
    const NAME: &'static str = "a folder";

    fn start() -> Result<Self, StartError> {
        // In memory if possible: killing a process loses nothing there, and syncing takes time.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Ok(Self(folder?))
    }

    fn is_installed() -> bool {
        true
    }
}

impl Outage for Folder {
    fn url(&self) -> String {
        format!("file://{}", self.0.path().display())
    }

    fn take_down(&self) -> Box<dyn FnOnce() + '_> {
        let realms = fs::read_dir(self.0.path()).unwrap().map(|realm| realm.unwrap().file_name());
        let locks = Vec::from_iter(realms.map(|realm| self.between_steps(realm.to_str().unwrap())));
        Box::new(|| drop(locks))
    }
}

impl ProcessStore for Folder {
    fn delete_rows(&self, realm: &str) {
        let _lock = self.between_steps(realm);
        for row in fs::read_dir(self.0.path().join(realm).join("nodes")).unwrap() {
            fs::remove_file(row.unwrap().path()).unwrap();
        }
    }

    /// A process that is stopped while it holds the lock would block all others.
    fn between_steps(&self, realm: &str) -> Option<File> {
        let lock = File::open(self.0.path().join(realm).join("lock")).unwrap();
        lock.lock().unwrap();
        Some(lock)
    }
}

impl ProcessStore for Postgres {
    fn delete_rows(&self, realm: &str) {
        let delete = format!("DELETE FROM tickid.node WHERE realm = '{realm}'");
        self.psql(Self::DATABASE, &delete).unwrap();
    }
}

impl Remote for Postgres {
    fn target(&self) -> Target {
        Target::Unix(self.socket_folder().join(".s.PGSQL.5432"))
    }

    fn url_at(&self, address: &str) -> String {
        format!("postgresql://{}@{address}/{}", Self::USER, Self::DATABASE)
    }
}

impl ProcessStore for MySql {
    fn delete_rows(&self, realm: &str) {
        let database = Self::DATABASE;
        self.query(&format!("DELETE FROM {database}.tickid_node WHERE realm = '{realm}'")).unwrap();
    }
}

impl Remote for MySql {
    fn target(&self) -> Target {
        Target::Tcp(self.address())
    }

    fn url_at(&self, address: &str) -> String {
        self.url().replace(&self.address(), address)
    }
}

impl ProcessStore for Etcd {
    fn delete_rows(&self, realm: &str) {
        let encode = |key: &str| BASE64_STANDARD.encode(format!("tickid/{realm}/{key}"));
        let range = json!({ "key": encode("rows/"), "range_end": encode("rows0") });
        let url = format!("http://{}/v3/kv/deleterange", self.endpoints()[0]);
        ureq::post(url).send(range.to_string()).unwrap();
    }
}

impl Remote for Etcd {
    fn target(&self) -> Target {
        Target::Tcp(self.endpoints().remove(0))
    }

    fn url_at(&self, address: &str) -> String {
        format!("etcd://{address}")
    }
}

impl ProcessStore for Redis {
    fn delete_rows(&self, realm: &str) {
        let client = redis::Client::open(self.url()).unwrap();
        let keys = ["rows", "nodes", "ceilings"].map(|key| format!("tickid:{{{realm}}}:{key}"));
        let deleted = redis::cmd("DEL").arg(&keys).query(&mut client.get_connection().unwrap());
        assert_eq!(deleted, Ok(3));
    }
}

impl Remote for Redis {
    fn target(&self) -> Target {
        Target::Tcp(self.address())
    }

    fn url_at(&self, address: &str) -> String {
        format!("redis://{address}")
    }
}
