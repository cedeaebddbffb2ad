//! The state of an HTTP connection.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use tokio::sync::Notify;

use crate::access::WRONG_TOKENS;
use crate::shared::Peer;

/// The state of a connection. Its requests, its stream and its task share it, because each of them
/// learns what one of the others must act on:
///
/// | state | set by | acted on by |
/// |---|---|---|
/// | [`ClientProgress`] | requests | the task, which gives a client little time until it is known |
/// | wrong tokens | requests | requests, which are refused once there are too many |
/// | the input ends | the task, when the server stops | the stream, an [`IdleTimeout`] |
/// | the end is wanted | requests and the stream | the task |
///
/// Nothing is ever taken back, so that none of them needs to see the others' steps in order.
///
/// [`IdleTimeout`]: super::idle_timeout::IdleTimeout
#[derive(Debug)]
pub(super) struct Link {
    pub(super) peer: Peer,
    pub(super) kind: ConnectionKind,
    progress: AtomicU8,
    wrong_tokens: AtomicU32,
    input_ends: AtomicBool,
    end: Notify,
}

/// The kind of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionKind {
    /// One of those that the limit permits.
    Regular,
    /// One beyond the limit, on which only probes are answered.
    ProbesOnly,
}

/// The progress of a connection's client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum ClientProgress {
    /// It has sent no whole request.
    Silent,
    /// It has sent a request.
    Asking,
    /// It has sent one with a valid token, or needs none.
    Known,
}

impl Link {
    pub(super) fn new(peer: Peer, kind: ConnectionKind) -> Self {
        Self {
            peer,
            kind,
            progress: AtomicU8::new(ClientProgress::Silent as u8),
            wrong_tokens: AtomicU32::new(0),
            input_ends: AtomicBool::new(false),
            end: Notify::new(),
        }
    }

    /// Reports how far the client has come.
    pub(super) fn progress(&self) -> ClientProgress {
        const ASKING: u8 = ClientProgress::Asking as u8;
        const KNOWN: u8 = ClientProgress::Known as u8;
        match self.progress.load(Ordering::Relaxed) {
            KNOWN => ClientProgress::Known,
            ASKING => ClientProgress::Asking,
            _ => ClientProgress::Silent,
        }
    }

    /// Notes that the client has come this far.
    pub(super) fn advance(&self, progress: ClientProgress) {
        // Nearly all requests come after the first one, and only read.
        if self.progress() < progress {
            self.progress.fetch_max(progress as u8, Ordering::Relaxed);
        }
    }

    /// Counts a wrong token. Too many of them end the connection.
    pub(super) fn count_wrong_token(&self) {
        if self.wrong_tokens.fetch_add(1, Ordering::Relaxed) + 1 >= WRONG_TOKENS {
            self.end.notify_one();
        }
    }

    /// Reports whether the client has sent too many wrong tokens.
    pub(super) fn is_barred(&self) -> bool {
        self.wrong_tokens.load(Ordering::Relaxed) >= WRONG_TOKENS
    }

    /// Has the stream end after the bytes that have arrived.
    pub(super) fn end_input(&self) {
        self.input_ends.store(true, Ordering::Relaxed);
    }

    /// Reports whether the stream ends after the bytes that have arrived.
    pub(super) fn input_ends(&self) -> bool {
        self.input_ends.load(Ordering::Relaxed)
    }

    /// Has the connection end after the requests that are running.
    pub(super) fn want_end(&self) {
        self.end.notify_one();
    }

    /// Waits until the connection must end after the requests that are running.
    pub(super) async fn end_wanted(&self) {
        self.end.notified().await;
    }
}
