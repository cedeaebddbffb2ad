//! The store in memory keeps to the rules.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{ManualClock, UnixTime};
use tickid_lease::conformance::Stage;
use tickid_lease::{Answer, Change, MemoryTable, RealmName, Scope, Store, Table, TableStore, View};

/// A table that is shared, and whose generation can be changed.
#[derive(Clone, Debug)]
struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Arc<ManualClock>,
    table: MemoryTable<Arc<ManualClock>>,
    generation: AtomicU32,
}

impl Table for Shared {
    fn backend(&self) -> &'static str {
        "memory"
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(async move {
            let mut view = self.0.table.read(realm, scope).await?;
            let count = self.0.generation.load(Ordering::Relaxed);
            view.generation = format!("memory {count}");
            view.has_forgotten = view
                .record
                .as_ref()
                .is_some_and(|(record, _)| record.generation != view.generation);
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        self.0.table.commit(realm, change)
    }
}

impl Shared {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
        let table = MemoryTable::new(Arc::clone(&clock));
        Self(Arc::new(Inner { clock, table, generation: 0.into() }))
    }
}

const HOUR: Duration = Duration::from_secs(3_600);

impl Stage for Shared {
    fn store(&self) -> Box<dyn Store> {
        Box::new(TableStore::new(self.clone()))
    }

    fn pass(&self, time: Duration) {
        self.0.clock.advance(time);
    }

    fn set_forward(&self) {
        self.0.clock.advance(HOUR);
    }

    fn set_back(&self) {
        let now = tickid_core::Clock::now(&*self.0.clock).unwrap();
        self.0.clock.set(now.checked_sub(HOUR).unwrap());
    }

    fn change_generation(&self) {
        self.0.generation.fetch_add(1, Ordering::Relaxed);
    }
}

mod scenarios {
    tickid_lease::store_scenarios!(super::Shared::new());
}
