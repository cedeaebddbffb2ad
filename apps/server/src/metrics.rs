//! Counters.

use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use core::time::Duration;

/// The protocol of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Resp,
    Http,
}

tickid_core::cases! {
    pub(crate) ALL of Protocol: Resp, Http
}

impl Protocol {
    pub(crate) const fn name(self) -> &'static str {
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
    pub(crate) ids: [AtomicU64; Protocol::ALL.len()],
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

/// The counters of the server.
#[derive(Debug, Default)]
pub(crate) struct ServerMetrics {
    /// Readings of the files of tokens and certificates that changed nothing, because one could
    /// not be used.
    pub(crate) reload_failures: AtomicU64,
    /// When the certificate in use ends, in seconds since 1970; 0 if there is none.
    pub(crate) certificate_end: AtomicI64,
    by_protocol: [ProtocolMetrics; Protocol::ALL.len()],
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

impl ServerMetrics {
    pub(crate) fn of(&self, protocol: Protocol) -> &ProtocolMetrics {
        &self.by_protocol[protocol as usize]
    }
}

/// The upper bounds of the buckets of latencies, in microseconds.
pub(crate) const BOUNDS: [u64; 14] =
    [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000, 5_000_000];

/// A histogram of latencies.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// The last one is of everything above the bounds.
    pub(crate) buckets: [AtomicU64; BOUNDS.len() + 1],
    pub(crate) nanos: AtomicU64,
}

impl Histogram {
    /// Counts `times` requests that took as long.
    pub(crate) fn record(&self, latency: Duration, times: u64) {
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
}
