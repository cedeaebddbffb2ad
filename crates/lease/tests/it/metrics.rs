//! The metrics of leased generators, as a recorder receives them.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use tickid_core::{ManualClock, UnixTime};
use tickid_lease::backend::MemoryBackend;
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_scru64::Scru64;

type Values = Arc<Mutex<HashMap<String, f64>>>;

/// Keeps the last value of each gauge, and the sum or number of the others.
struct Recording(Values);

struct Metric {
    values: Values,
    name: String,
}

impl Metric {
    fn change(&self, change: impl FnOnce(f64) -> f64) {
        let mut values = self.values.lock().unwrap();
        let value = values.entry(self.name.clone()).or_default();
        *value = change(*value);
    }
}

impl CounterFn for Metric {
    fn increment(&self, value: u64) {
        self.change(|before| before + value as f64);
    }

    fn absolute(&self, value: u64) {
        self.change(|_| value as f64);
    }
}

impl GaugeFn for Metric {
    fn increment(&self, value: f64) {
        self.change(|before| before + value);
    }

    fn decrement(&self, value: f64) {
        self.change(|before| before - value);
    }

    fn set(&self, value: f64) {
        self.change(|_| value);
    }
}

impl HistogramFn for Metric {
    fn record(&self, _: f64) {
        self.change(|before| before + 1.0);
    }
}

impl Recording {
    fn metric(&self, key: &Key) -> Arc<Metric> {
        let labels = key.labels().map(|label| format!(" {}={}", label.key(), label.value()));
        let name = format!("{}{}", key.name(), labels.collect::<String>());
        Arc::new(Metric { values: Arc::clone(&self.0), name })
    }
}

impl Recorder for Recording {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.metric(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.metric(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.metric(key))
    }
}

#[test]
fn reports_state_and_requests() {
    let values = Values::default();
    metrics::set_global_recorder(Recording(Arc::clone(&values))).unwrap();
    let realm = Realm::builder("measured", Scru64).pool("0-255/8").term(Duration::from_secs(1));
    let realm = realm.build().unwrap();
    // Windows end by a clock that stands still.
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let generators = [(); 2].map(|()| {
        let store = Store::new(MemoryBackend::new(Arc::clone(&clock)));
        let builder = LeasedGenerator::builder(store, realm.clone()).clock(Arc::clone(&clock));
        builder.answer_within(Duration::from_secs(120)).start().unwrap()
    });
    let value = |name: &str| values.lock().unwrap().get(name).copied().unwrap_or_default();

    // Generators of one realm add up.
    while value("tickid_lease_leases_total realm=measured") < 2.0
        || value("tickid_lease_renewals_total realm=measured") < 2.0
    {
        thread::sleep(Duration::from_millis(1));
    }
    let request = "tickid_lease_request_seconds realm=measured";
    assert_eq!(value(&format!("{request} request=acquire outcome=granted")), 2.0);
    assert!(value(&format!("{request} request=renew outcome=granted")) >= 2.0);
    assert_eq!(value("tickid_lease_losses_total realm=measured"), 0.0);
    assert_eq!(value("tickid_lease_moves_total realm=measured"), 0.0);
    let state = generators[0].state();
    let left = value("tickid_lease_window_seconds realm=measured");
    assert_eq!(left, state.window_left.as_secs_f64());
    let renewed = value("tickid_lease_renewed_timestamp_seconds realm=measured");
    assert_eq!(renewed, state.renewed_at.unwrap().as_micros() as f64 / 1e6);

    let mut all: Vec<_> = values.lock().unwrap().keys().cloned().collect();
    // Other tests' generators have other realms.
    all.retain(|name| name.contains(" realm=measured reason="));
    all.sort();
    let expected = [
        "tickid_lease_failures_total realm=measured reason=acquiring",
        "tickid_lease_failures_total realm=measured reason=failed",
        "tickid_lease_failures_total realm=measured reason=no_free_node",
        "tickid_lease_failures_total realm=measured reason=not_started",
        "tickid_lease_failures_total realm=measured reason=refused",
        "tickid_lease_failures_total realm=measured reason=unreachable",
        "tickid_lease_stalls_total realm=measured reason=acquiring",
        "tickid_lease_stalls_total realm=measured reason=clock_behind",
        "tickid_lease_stalls_total realm=measured reason=failed",
        "tickid_lease_stalls_total realm=measured reason=no_free_node",
        "tickid_lease_stalls_total realm=measured reason=not_started",
        "tickid_lease_stalls_total realm=measured reason=refused",
        "tickid_lease_stalls_total realm=measured reason=tick_used_up",
        "tickid_lease_stalls_total realm=measured reason=unreachable",
        "tickid_lease_stalls_total realm=measured reason=window_ended",
    ];
    assert_eq!(all, expected);
}
