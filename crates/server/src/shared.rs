//! The data that all connections share.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::realm::Realms;

/// The data that all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) realms: Realms,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
    /// Cancelled when the grace period of stopping is over.
    pub(crate) cut_off: CancellationToken,
    pub(crate) started: Instant,
    connections: AtomicU64,
}

impl Shared {
    pub(crate) fn new(realms: Realms, access: Access, limits: Limits) -> Self {
        Self {
            realms,
            access,
            limits,
            metrics: Arc::default(),
            stopping: CancellationToken::new(),
            cut_off: CancellationToken::new(),
            started: Instant::now(),
            connections: AtomicU64::new(0),
        }
    }

    /// Returns the number of a new connection.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Returns the ID of a new request, for logs: a kuid of the process's own generator. Empty if the
/// clock allows none now.
pub(crate) fn request_id() -> String {
    let id = tickid_kuid::generator().ok().and_then(|generator| generator.try_generate().ok());
    id.map(|id| id.to_string()).unwrap_or_default()
}
