//! The data that all connections share.

use core::fmt;
use core::net::SocketAddr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::limits::Limits;
use crate::metrics::ServerMetrics;
use crate::realm::Realms;

/// The data that all connections share.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) realms: Realms,
    pub(crate) access: Access,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) warnings: ConnectionWarnings,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
    /// Cancelled when the grace period of stopping is over.
    pub(crate) cut_off: CancellationToken,
    /// The connections whose own side has not ended.
    pub(crate) answering: TaskTracker,
    pub(crate) started: Instant,
    connections: AtomicU64,
}

impl ServerState {
    pub(crate) fn new(realms: Realms, access: Access, limits: Limits) -> Self {
        Self {
            realms,
            access,
            limits,
            metrics: Arc::default(),
            warnings: ConnectionWarnings::default(),
            stopping: CancellationToken::new(),
            cut_off: CancellationToken::new(),
            answering: TaskTracker::new(),
            started: Instant::now(),
            connections: AtomicU64::new(0),
        }
    }

    /// Returns the number of a new connection.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// The time between two checks that the client of a waiting request is still there.
pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// The last bytes of a connection, which had arrived, or were on their way, when the server started
/// to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    /// More must come before this time.
    pub(crate) deadline: Instant,
    /// Until then bytes may follow others that were answered.
    end: Instant,
    /// The number of bytes that are still read. It is more than buffers hold, and it has an end so
    /// that a client that never stops sending does not keep the server from stopping.
    left: usize,
}

impl Last {
    /// The longest gap between bytes that were sent together.
    const GAP: Duration = Duration::from_millis(20);
    /// The same within a request.
    const LONG_GAP: Duration = Duration::from_millis(250);
    const BYTES: usize = 8 << 20;

    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self { deadline: now + Self::GAP, end: now + Self::LONG_GAP, left: Self::BYTES }
    }

    /// Notes that bytes were read, perhaps with a partial request at the end.
    pub(crate) fn read(&mut self, len: usize, is_partial: bool) {
        let now = Instant::now();
        self.left = self.left.saturating_sub(len);
        self.deadline =
            if is_partial { now + Self::LONG_GAP } else { self.end.min(now + Self::GAP) };
    }

    /// Notes that there are bytes to read.
    pub(crate) fn prolong(&mut self) {
        self.deadline = Instant::now() + Self::GAP;
    }

    /// Reports whether no more bytes are read.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }
}

/// The client of a connection, for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) Option<SocketAddr>);

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(address) => address.fmt(f),
            None => f.write_str("unix socket"),
        }
    }
}

/// Warnings about connections, by cause.
#[derive(Debug, Default)]
pub(crate) struct ConnectionWarnings {
    /// A connection was not accepted.
    pub(crate) accept: Warnings,
    /// There were too many connections.
    pub(crate) refuse: Warnings,
    /// A token was wrong.
    pub(crate) token: Warnings,
}

/// Warnings of one kind. If equal ones come in a row, one a minute is written, since clients can
/// cause as many as they like.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Mutex<LastWarning>);

#[derive(Debug, Default)]
struct LastWarning {
    /// The last warning that was written, and its time.
    last: Option<(String, Instant)>,
    /// The number of those like it that were not.
    suppressed: u64,
}

impl Warnings {
    /// The time between two equal warnings.
    const PAUSE: Duration = Duration::from_secs(60);

    /// Returns the number of warnings left out since the last one, if this one may be written now.
    /// Causes that differ in digits only are equal, since many texts contain times.
    pub(crate) fn admit(&self, cause: &str) -> Option<u64> {
        let cause: String = cause.chars().filter(|it| !it.is_ascii_digit()).collect();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((last, time)) = &state.last
            && *last == cause
            && now < *time + Self::PAUSE
        {
            state.suppressed += 1;
            return None;
        }
        state.last = Some((cause, now));
        Some(core::mem::take(&mut state.suppressed))
    }
}

/// Returns the ID of a new request, for logs. It is a kuid of the process's own generator, or empty
/// if the clock allows none now.
pub(crate) fn request_id() -> String {
    let id = tickid_kuid::generator().ok().and_then(|generator| generator.try_generate().ok());
    id.map(|id| id.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn equal_warnings_are_counted() {
        let warnings = Warnings::default();
        assert_eq!(warnings.admit("free in 30 s"), Some(0));
        for _ in 0..50 {
            tokio::time::advance(Duration::from_secs(1)).await;
            assert_eq!(warnings.admit("free in 9 s"), None);
        }
        assert_eq!(warnings.admit("unreachable"), Some(50));
        assert_eq!(warnings.admit("unreachable"), None);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(warnings.admit("unreachable"), Some(1));
    }
}
