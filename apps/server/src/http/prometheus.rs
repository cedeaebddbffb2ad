//! The counters in Prometheus' form.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashSet;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use tickid_lease::session::ReasonCounts;

use crate::metrics::{BOUNDS, Histogram, Protocol, ProtocolMetrics, ServerMetrics};
use crate::realm::Realms;

/// Writes all metrics in the format of OpenMetrics.
pub(crate) fn encode(metrics: &Arc<ServerMetrics>, realms: &Realms) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    let (metrics, realms) = (Arc::clone(metrics), realms.clone());
    registry.register_collector(Box::new(Collected { metrics, realms }));
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry)?;
    Ok(text)
}

/// Turns metrics into Prometheus' own format, in which a counter's description has the name of its
/// value, and nothing marks the end.
pub(crate) fn plain(text: &str) -> String {
    let counter = |line: &str| {
        let name = line.strip_prefix("# TYPE ")?.strip_suffix(" counter")?;
        Some(name.to_owned())
    };
    let counters: HashSet<String> = text.lines().filter_map(counter).collect();
    let mut plain = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        match *line.splitn(4, ' ').collect::<Vec<_>>() {
            ["#", word, name, rest] if counters.contains(name) => {
                plain.extend(["# ", word, " ", name, "_total ", rest]);
            }
            _ => plain.push_str(line),
        }
        plain.push('\n');
    }
    plain
}

#[derive(Debug)]
struct Collected {
    metrics: Arc<ServerMetrics>,
    realms: Realms,
}

impl Collector for Collected {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.protocols(&mut encoder)?;
        self.files(&mut encoder)?;
        self.realms(&mut encoder)
    }
}

impl Collected {
    fn protocols(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let all = || Protocol::ALL.map(|protocol| (protocol.name(), self.metrics.of(protocol)));
        // All lines of a metric must stand together in this format, so each metric has a loop of
        // its own over the protocols.
        let name = "tickid_server_connections";
        let mut family =
            encoder.encode_descriptor(name, "Open connections", None, MetricType::Gauge)?;
        for (protocol, metrics) in all() {
            let labels = [("protocol", protocol)];
            family.encode_family(&labels)?.encode_gauge(&metrics.open.load(Ordering::Relaxed))?;
        }
        type Read = fn(&ProtocolMetrics) -> &AtomicU64;
        // The encoder appends `_total` to the name of a counter. Scrapers see
        // `tickid_server_connections_accepted_total`, for example.
        let counters: [(&str, &str, Read); 3] = [
            ("tickid_server_connections_accepted", "Connections accepted", |it| &it.accepted),
            ("tickid_server_connections_refused", "Connections over the limit", |it| &it.refused),
            (
                "tickid_server_request_errors",
                "Requests whose answer is an error or breaks off",
                |it| &it.failed,
            ),
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
            encode_histogram(&metrics.latency, family.encode_family(&[("protocol", protocol)])?)?;
        }
        Ok(())
    }

    fn files(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let failures = self.metrics.reload_failures.load(Ordering::Relaxed);
        let help = "Changes of tokens and certificates that cannot be used";
        encoder
            .encode_descriptor("tickid_server_reload_failures", help, None, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, u64>(&failures, None)?;
        let end = self.metrics.certificate_end.load(Ordering::Relaxed);
        if end == 0 {
            return Ok(());
        }
        let (name, help) = (
            "tickid_server_certificate_end_timestamp_seconds",
            "When the certificate in use ends, in seconds since 1970",
        );
        encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&end)
    }

    fn realms(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        // These are counted by the server as it answers. A realm has both protocols from the start,
        // with 0 for one that nothing has asked, because a counter that appears later hides its
        // first increase from `rate()`.
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
        // Each state is taken once, so that a realm's figures are of one moment. Metrics must not
        // be interleaved, hence a loop for each.
        let states: Vec<_> = self.realms.iter().map(|realm| (realm, realm.state())).collect();
        let mut family = encoder.encode_descriptor(
            "tickid_lease_window_seconds",
            "Time until the window ends",
            None,
            MetricType::Gauge,
        )?;
        for realm in self.realms.all() {
            // A realm without a lease has 0 here, like one whose window has ended and one that the
            // store has not shown yet, so that one alert catches all.
            let state = states.iter().find(|(running, _)| running.name() == realm.name());
            let left = state.map_or(0.0, |(_, state)| state.window_left.as_secs_f64());
            let labels = [("realm", realm.name().as_str())];
            family.encode_family(&labels)?.encode_gauge(&left)?;
        }
        type Read = fn(&tickid_lease::session::Counters) -> u64;
        let counters: [(&str, &str, Read); 4] = [
            ("tickid_lease_leases", "Leases acquired", |it| it.leases),
            ("tickid_lease_renewals", "Renewals of leases", |it| it.renewals),
            ("tickid_lease_losses", "Leases lost", |it| it.losses),
            ("tickid_lease_moves", "Leases exchanged: the clock was set far back", |it| it.moves),
        ];
        for (name, help, read) in counters {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (realm, state) in &states {
                let count = read(&state.counters);
                let labels = [("realm", realm.name().as_str())];
                family
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
            }
        }
        type ByReason = fn(&tickid_lease::session::Counters) -> ReasonCounts;
        // Here too each reason has a line from the start, also those that never occurred.
        let by_reason: [(&str, &str, ByReason); 2] = [
            ("tickid_lease_failures", "Requests to the store that failed", |it| it.failures),
            ("tickid_lease_stalls", "Calls that could not issue immediately", |it| it.stalls),
        ];
        for (name, help, read) in by_reason {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (realm, state) in &states {
                for (reason, count) in read(&state.counters).iter() {
                    let labels = [("realm", realm.name().as_str()), ("reason", reason.label())];
                    family
                        .encode_family(&labels)?
                        .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a histogram in seconds.
fn encode_histogram(histogram: &Histogram, mut encoder: MetricEncoder<'_>) -> fmt::Result {
    // The total is the sum of the buckets as read here. Requests are counted meanwhile, so a total
    // that was read by itself could differ from the bucket of everything, which must equal it.
    let counts = histogram.buckets.each_ref().map(|bucket| bucket.load(Ordering::Relaxed));
    // The encoder adds the buckets up, and prints `f64::MAX` as the bound `+Inf`.
    let bounds = BOUNDS.iter().map(|&micros| micros as f64 / 1e6).chain([f64::MAX]);
    let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
    let seconds = histogram.nanos.load(Ordering::Relaxed) as f64 / 1e9;
    encoder.encode_histogram::<NoLabelSet>(seconds, counts.iter().sum(), &buckets, None)
}
