//! The backend in memory passes the conformance scenarios, as a folder and as a server.

use core::time::Duration;
use std::sync::{Arc, Mutex};

use tickid_core::{AnyNode, Clock, ManualClock, UnixTime};
use tickid_lease::Store;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{Backup, FileBackend, MemoryBackend, RowState, Scope, Version};
use tickid_lease::conformance::Testbed;
use tickid_lease::session::block_on;

const HOUR: Duration = Duration::from_secs(3_600);

struct Memory {
    clock: Arc<ManualClock>,
    backend: MemoryBackend<Arc<ManualClock>>,
    saved: Mutex<Backup>,
}

impl Memory {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
        let backend = MemoryBackend::new(Arc::clone(&clock));
        Self { clock, backend, saved: Mutex::default() }
    }

    fn like_a_server() -> Self {
        let Self { clock, backend, saved } = Self::new();
        Self { clock, backend: backend.like_a_server(), saved }
    }
}

impl Testbed for Memory {
    fn store(&self) -> Store {
        Store::new(self.backend.clone())
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn set_forward(&self) {
        self.clock.advance(HOUR);
    }

    fn set_back(&self) {
        self.clock.set(self.clock.now().unwrap().checked_sub(HOUR).unwrap());
    }

    fn change_generation(&self) {
        self.backend.change_generation();
    }

    fn save(&self, _: &RealmName) {
        *self.saved.lock().unwrap() = self.backend.back_up();
    }

    fn load(&self, _: &RealmName) {
        self.backend.restore(self.saved.lock().unwrap().clone());
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let view = self.backend.data(realm, Scope::Node(node)).unwrap();
        let version = view.rows.get(&node).and_then(RowState::version).unwrap_or(Version(1));
        self.backend.set_row(realm, node, Some(RowState::Malformed { version }));
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        if let Some(node) = node {
            return self.backend.set_row(realm, node, None);
        }
        let rows = self.backend.data(realm, Scope::All).unwrap().rows;
        self.backend.restore(Backup::default());
        for (node, row) in rows {
            self.backend.set_row(realm, node, Some(row));
        }
    }
}

mod scenarios {
    tickid_lease::store_scenarios!(super::Memory::new());
}

mod scenarios_like_a_server {
    tickid_lease::store_scenarios!(super::Memory::like_a_server());
}

/// The state of a program need not name the clock that its store shares.
#[test]
fn any_clock_will_do() {
    let clock: Arc<dyn Clock + Send + Sync> = Arc::new(ManualClock::new(UnixTime::EPOCH));
    let memory = MemoryBackend::new(Arc::clone(&clock));
    let folder = tempfile::tempdir().unwrap();
    let file = FileBackend::open_with_clock(folder.path(), clock).unwrap();
    let name = "a".parse().unwrap();
    for store in [Store::new(memory.clone()), Store::new(file)] {
        let view = block_on(store.inner().read(&name, Scope::Record), HOUR).unwrap();
        assert_eq!(view.now, UnixTime::EPOCH, "{store:?}");
    }
}
