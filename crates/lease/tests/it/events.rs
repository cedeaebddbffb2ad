//! The events that operators see.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex};
use std::thread;

use tickid_core::{ManualClock, UnixTime};
use tickid_lease::backend::{MemoryBackend, StoreErrorKind};
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_nanoflake::Nanoflake;
use tracing::field::{Field, Visit};
use tracing::span;

use crate::altered::{Altered, Memory};

/// The realm and the message of each event. Other tests' generators have other realms.
static EVENTS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

struct Listener;

#[derive(Default)]
struct Parts {
    realm: String,
    message: String,
}

impl Visit for Parts {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "realm" => self.realm = format!("{value:?}"),
            "message" => self.message = format!("{value:?}"),
            _ => {}
        }
    }
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut parts = Parts::default();
        event.record(&mut parts);
        EVENTS.lock().unwrap().push((parts.realm, parts.message));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Otherwise the warning is the last word on an outage.
#[test]
fn a_renewal_after_trouble_is_logged() {
    tracing::subscriber::set_global_default(Listener).unwrap();
    let again = || {
        let events = EVENTS.lock().unwrap();
        let own = events.iter().filter(|(realm, _)| realm == "renewed-again");
        own.filter(|(_, message)| message.starts_with("renewed again after ")).count()
    };
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let is_down = Arc::new(AtomicBool::new(false));
    let down = Arc::clone(&is_down);
    let read = move |memory: &Memory, realm: &_, scope| match down.load(Ordering::Relaxed) {
        true => Err(Altered::error(StoreErrorKind::Unreachable)),
        false => memory.data(realm, scope),
    };
    let memory = MemoryBackend::new(Arc::clone(&clock));
    let store = Store::new(Altered { read: Box::new(read), ..Altered::new(memory) });
    let realm = Realm::builder("renewed-again", Nanoflake::default()).pool("7/10");
    let realm = realm.term(Duration::from_millis(200)).build().unwrap();
    let builder = LeasedGenerator::builder(store, realm).clock(clock);
    let leased = builder.answer_within(Duration::from_secs(120)).start().unwrap();
    let wait_for = |is_there: &dyn Fn() -> bool| {
        while !is_there() {
            thread::sleep(Duration::from_millis(1));
        }
    };
    for outages in 1..=2 {
        is_down.store(true, Ordering::Relaxed);
        wait_for(&|| leased.state().trouble.is_some());
        is_down.store(false, Ordering::Relaxed);
        wait_for(&|| again() == outages);
        // Not again.
        let renewals = leased.state().counters.renewals;
        wait_for(&|| leased.state().counters.renewals > renewals + 2);
        assert_eq!(again(), outages);
    }
}
