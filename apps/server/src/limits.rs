//! The limits on what clients may ask of the server at a time, and their defaults.

use core::time::Duration;

use crate::error::ServerError;

/// The number of connections beyond the limit that still get an answer, which is the error or that
/// of a probe.
pub(crate) const RESERVE: usize = 32;

/// The limits of a server. A request that exceeds one gets an error that names it.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_server::Limits;
///
/// let limits = Limits { connections: 500, timeout: Duration::from_secs(1), ..Limits::default() };
/// assert_eq!((limits.count, limits.files(1)), (10_000, 572));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of open connections of all listeners together, from 1 to a million and by default
    /// 10,000. Beyond it, only `/healthz` and `/readyz` are answered, so that probes do not take a
    /// full server for a dead one. [`files`](Self::files) returns how many open files that takes.
    pub connections: u32,
    /// The number of IDs of one request, from 1 to a million and by default 10,000.
    pub count: u32,
    /// The number of bytes of one request that are buffered, from 1,024 to 16 MiB and by default
    /// 65,536. Answers take as many, or a whole answer of [`count`](Self::count) IDs. The path and
    /// headers of an HTTP request have at most 16,384 bytes of these, because no request of a
    /// client needs more. If the server has tokens, a command of RESP has at most 1,024 until its
    /// client has sent one.
    pub request_bytes: u32,
    /// The time that a request may take for each of its steps, which are to arrive, to get its IDs
    /// and to be answered. It is from 1 millisecond to a day, and by default 5 seconds. A
    /// connection has as long until its first request. The heads of later HTTP/1.1 requests have a
    /// minute to arrive.
    pub timeout: Duration,
    /// The time after which a connection without a new request is closed, from 1 millisecond to 365
    /// days and by default 10 minutes.
    pub idle: Duration,
    /// The number of IDs per second of each token, or of all clients together if there are no
    /// tokens, from 1 to 2^32 - 1. The default is `None`, for any number. A second's worth may come
    /// in one burst. For example, with a rate of 1,000, a client can get 1,000 IDs at once, and 100
    /// more after a tenth of a second.
    pub rate: Option<u64>,
    /// The time that running requests have when the server stops, up to a day and by default 5
    /// seconds.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            count: 10_000,
            request_bytes: 65_536,
            timeout: Duration::from_secs(5),
            idle: Duration::from_secs(600),
            rate: None,
            grace: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// Returns the number of files that a process with a server of so many realms opens at most.
    /// These are the connections, those that are refused, the store's, and what every process has.
    ///
    /// The system's limit of open files (`ulimit -n`) should be at least this number, because
    /// leases cannot be renewed once connections have taken all files.
    #[must_use]
    pub fn files(&self, realms: usize) -> u64 {
        /// Standard streams, listeners, the runtime, the log, and the tokens and certificates,
        /// which are read again.
        const PROCESS: usize = 32;
        /// A realm's connections to its store, or its files in the folder.
        const REALM: usize = 8;
        u64::from(self.connections) + (RESERVE + PROCESS + REALM * realms) as u64
    }

    /// Checks that every limit is in its range.
    pub(crate) fn check(&self) -> Result<(), ServerError> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        const DAY: u64 = 86_400_000;
        for (limit, value, min, max) in [
            ("connections", self.connections.into(), 1, 1_000_000),
            ("count", self.count.into(), 1, 1_000_000),
            ("request bytes", self.request_bytes.into(), 1_024, 1 << 24),
            ("timeout (ms)", millis(self.timeout), 1, DAY),
            ("idle (ms)", millis(self.idle), 1, 365 * DAY),
            ("rate", self.rate.unwrap_or(1), 1, u64::from(u32::MAX)),
            ("grace (ms)", millis(self.grace), 0, DAY),
        ] {
            if !(min..=max).contains(&value) {
                return Err(ServerError::Limit { limit, value, min, max });
            }
        }
        Ok(())
    }
}
