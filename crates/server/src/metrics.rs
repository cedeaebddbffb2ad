//! Counters, and their form for Prometheus.

use core::fmt;
use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use crate::realm::Realms;

/// The protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Resp,
    Http,
}

impl Protocol {
    const ALL: [Self; 2] = [Self::Resp, Self::Http];

    const fn name(self) -> &'static str {
        match self {
            Self::Resp => "resp",
            Self::Http => "http",
        }
    }
}

/// The counters of one realm.
#[derive(Debug, Default)]
pub(crate) struct RealmMetrics {
    /// IDs issued, by protocol.
    ids: [AtomicU64; 2],
}

impl RealmMetrics {
    #[inline]
    pub(crate) fn count(&self, protocol: Protocol, ids: u32) {
        self.ids[protocol as usize].fetch_add(ids.into(), Ordering::Relaxed);
    }

    pub(crate) fn ids(&self) -> u64 {
        self.ids.iter().map(|ids| ids.load(Ordering::Relaxed)).sum()
    }
}

/// The counters of the server, by protocol.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    by_protocol: [ProtocolMetrics; 2],
}

/// The counters of one protocol.
#[derive(Debug, Default)]
pub(crate) struct ProtocolMetrics {
    /// Open connections.
    pub(crate) open: AtomicI64,
    /// Connections that were accepted.
    pub(crate) accepted: AtomicU64,
    /// Connections that were refused because there were too many.
    pub(crate) refused: AtomicU64,
    /// Requests that failed.
    pub(crate) failed: AtomicU64,
    /// The time from a request's arrival to its answer.
    pub(crate) latency: Histogram,
}

impl Metrics {
    pub(crate) fn of(&self, protocol: Protocol) -> &ProtocolMetrics {
        &self.by_protocol[protocol as usize]
    }
}

/// The upper bounds of the buckets of latencies, in microseconds.
const BOUNDS: [u64; 14] =
    [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000, 5_000_000];

/// A histogram of latencies.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// The last one is of everything above the bounds.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

impl Histogram {
    /// Counts `times` requests that took as long.
    pub(crate) fn observe(&self, latency: Duration, times: u64) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|&bound| bound < micros);
        self.buckets[bucket].fetch_add(times, Ordering::Relaxed);
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos.saturating_mul(times), Ordering::Relaxed);
    }

    /// Returns the number of requests.
    pub(crate) fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let counts = self.buckets.each_ref().map(|bucket| bucket.load(Ordering::Relaxed));
        let bounds = BOUNDS.iter().map(|&micros| micros as f64 / 1e6).chain([f64::MAX]);
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        let seconds = self.nanos.load(Ordering::Relaxed) as f64 / 1e9;
        encoder.encode_histogram::<NoLabelSet>(seconds, counts.iter().sum(), &buckets, None)
    }
}

/// Writes all metrics as text for Prometheus.
pub(crate) fn encode(metrics: &Arc<Metrics>, realms: &Realms) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    let (metrics, realms) = (Arc::clone(metrics), realms.clone());
    registry.register_collector(Box::new(Collected { metrics, realms }));
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry)?;
    Ok(text)
}

#[derive(Debug)]
struct Collected {
    metrics: Arc<Metrics>,
    realms: Realms,
}

impl Collector for Collected {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.protocols(&mut encoder)?;
        self.realms(&mut encoder)
    }
}

impl Collected {
    fn protocols(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let all = || Protocol::ALL.map(|protocol| (protocol.name(), self.metrics.of(protocol)));
        let name = "tickid_server_connections";
        let mut family =
            encoder.encode_descriptor(name, "Open connections", None, MetricType::Gauge)?;
        for (protocol, metrics) in all() {
            let labels = [("protocol", protocol)];
            family.encode_family(&labels)?.encode_gauge(&metrics.open.load(Ordering::Relaxed))?;
        }
        type Read = fn(&ProtocolMetrics) -> &AtomicU64;
        let counters: [(&str, &str, Read); 3] = [
            ("tickid_server_connections_accepted", "Connections accepted", |it| &it.accepted),
            ("tickid_server_connections_refused", "Connections over the limit", |it| &it.refused),
            ("tickid_server_request_errors", "Requests answered with an error", |it| &it.failed),
        ];
        for (name, help, read) in counters {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (protocol, metrics) in all() {
                let labels = [("protocol", protocol)];
                let count = read(metrics).load(Ordering::Relaxed);
                family
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
            }
        }
        let name = "tickid_server_request_duration_seconds";
        let help = "Time from the arrival of a request to its answer";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for (protocol, metrics) in all() {
            metrics.latency.encode(family.encode_family(&[("protocol", protocol)])?)?;
        }
        Ok(())
    }

    fn realms(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut family = encoder.encode_descriptor(
            "tickid_server_ids",
            "IDs issued",
            None,
            MetricType::Counter,
        )?;
        for realm in self.realms.iter() {
            for protocol in Protocol::ALL {
                let labels = [("realm", realm.name().as_str()), ("protocol", protocol.name())];
                let ids = realm.metrics.ids[protocol as usize].load(Ordering::Relaxed);
                family.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&ids, None)?;
            }
        }
        let states: Vec<_> = self.realms.iter().map(|realm| (realm, realm.state())).collect();
        let mut family = encoder.encode_descriptor(
            "tickid_lease_window_seconds",
            "Time until the window ends",
            None,
            MetricType::Gauge,
        )?;
        for (realm, state) in &states {
            let left = state.as_ref().map_or(0.0, |state| state.window_left.as_secs_f64());
            let labels = [("realm", realm.name().as_str())];
            family.encode_family(&labels)?.encode_gauge(&left)?;
        }
        type Read = fn(&tickid_lease::Counters) -> u64;
        let counters: [(&str, &str, Read); 4] = [
            ("tickid_lease_leases", "Leases acquired", |it| it.leases),
            ("tickid_lease_renewals", "Renewals of leases", |it| it.renewals),
            ("tickid_lease_losses", "Leases lost", |it| it.losses),
            ("tickid_lease_moves", "Leases exchanged: the clock was set far back", |it| it.moves),
        ];
        for (name, help, read) in counters {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (realm, state) in &states {
                let count = state.as_ref().map_or(0, |state| read(&state.counters));
                let labels = [("realm", realm.name().as_str())];
                family
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
            }
        }
        // The leases' own metrics have the same labels.
        type Causes = fn(&tickid_lease::Counters) -> [(&'static str, u64); 4];
        let by_cause: [(&str, &str, &str, Causes); 2] = [
            ("tickid_lease_failures", "Requests to the store that failed", "cause", |it| {
                let it = it.failures;
                [
                    ("unreachable", it.unreachable),
                    ("exhausted", it.exhausted),
                    ("refused", it.refused),
                    ("failed", it.failed),
                ]
            }),
            ("tickid_lease_stalls", "Calls that could not issue at once", "reason", |it| {
                let it = it.stalls;
                [
                    ("window_ended", it.window_ended),
                    ("clock_behind", it.clock_behind),
                    ("tick_exhausted", it.tick_exhausted),
                    ("no_lease", it.no_lease),
                ]
            }),
        ];
        for (name, help, label, read) in by_cause {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (realm, state) in &states {
                let counters = state.as_ref().map(|state| state.counters).unwrap_or_default();
                for (cause, count) in read(&counters) {
                    let labels = [("realm", realm.name().as_str()), (label, cause)];
                    family
                        .encode_family(&labels)?
                        .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                }
            }
        }
        Ok(())
    }
}
