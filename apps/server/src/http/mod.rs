//! HTTP/1.1 and HTTP/2.

mod accept;
mod host;
mod ids;
mod inspect;
mod observe;
mod patient;
mod problem;
mod prometheus;
mod routes;
mod streams;

use core::fmt;
use core::future::poll_fn;
use core::pin::pin;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::task::Poll;
use core::time::Duration;
use std::sync::Arc;

use axum::Router;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::time::{Instant, sleep};

use self::patient::Patient;
use self::streams::Streams;
use crate::access::WRONG_TOKENS;
use crate::listener::Connection;
use crate::shared::{LOOK, Peer, Shared};

/// The time within which the head of a request must arrive, and the longest that HTTP/1 keeps a
/// connection without one.
const HEAD: Duration = Duration::from_secs(60);
/// The most bytes of the head of a request, unless the limit of its bytes is lower.
const HEADERS: u32 = 16_384;
/// The number of bytes of bodies that HTTP/2 clients may send, which are dropped. It is the least
/// that the protocol permits.
const BODIES: u32 = 65_535;

/// The handlers, and the settings of connections. Clones share them.
#[derive(Clone)]
pub(crate) struct Service {
    router: TowerToHyperService<Router>,
    builder: auto::Builder<Streams>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Service {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let limits = &shared.limits;
        let mut builder = auto::Builder::new(Streams { stuck: limits.timeout });
        let buffer = limits.request_bytes.max(8_192);
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD.min(limits.idle))
            .max_buf_size(buffer as usize);
        builder
            .http2()
            .max_concurrent_streams(100)
            .max_header_list_size(HEADERS.min(buffer))
            .initial_connection_window_size(BODIES)
            .initial_stream_window_size(BODIES)
            .max_send_buf_size(16_384);
        let router = TowerToHyperService::new(routes::router(shared));
        Self { router, builder }
    }
}

/// The place of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One of those that the limit permits.
    Regular,
    /// One beyond the limit, on which only probes are answered.
    Reserve,
}

/// The state of a connection that its stream, its requests and its task share.
#[derive(Debug)]
struct Link {
    peer: Peer,
    place: Place,
    is_http2: AtomicBool,
    /// Set once a request has arrived.
    has_asked: AtomicBool,
    /// Set once a request has arrived whose client is admitted.
    is_known: AtomicBool,
    /// Set while a request waits for its answer.
    is_waiting: AtomicBool,
    /// Set if the stream must see whether the client has left.
    must_look: AtomicBool,
    /// Set if only bytes that have arrived are read.
    is_ending: AtomicBool,
    /// Set once they were read.
    is_drained: AtomicBool,
    /// The number of wrong tokens that requests have had.
    wrong_tokens: AtomicU32,
}

impl Link {
    fn new(peer: Peer, place: Place) -> Self {
        Self {
            peer,
            place,
            is_http2: AtomicBool::new(false),
            has_asked: AtomicBool::new(false),
            is_known: AtomicBool::new(false),
            is_waiting: AtomicBool::new(false),
            must_look: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            is_drained: AtomicBool::new(false),
            wrong_tokens: AtomicU32::new(0),
        }
    }
}

/// Serves a connection to its end.
pub(crate) async fn serve(
    stream: impl Connection,
    service: Service,
    shared: Arc<Shared>,
    peer: Peer,
    place: Place,
) {
    let Service { router, builder } = service;
    let limits = &shared.limits;
    let link = Arc::new(Link::new(peer, place));
    let stream = Patient::new(stream, Arc::clone(&link), limits.idle, limits.timeout);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&link));
        router.call(request)
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut stopping = pin!(shared.stopping.cancelled());
    // Until a known client has sent a request.
    let mut patience = pin!(sleep(limits.timeout.min(limits.idle)));
    // Started anew with each wait.
    let mut look = pin!(sleep(LOOK));
    let mut was_waiting = false;
    let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let (mut is_stopping, mut is_drained, mut is_late, mut is_barred) =
        (false, false, false, false);
    let result = poll_fn(|context| {
        loop {
            if let Poll::Ready(result) = connection.as_mut().poll(context) {
                return Poll::Ready(result);
            }
            if !is_stopping && stopping.as_mut().poll(context).is_ready() {
                is_stopping = true;
                if is(&link.is_http2) {
                    connection.as_mut().graceful_shutdown();
                } else {
                    // HTTP/1 would drop the requests behind the present one.
                    link.is_ending.store(true, Ordering::Relaxed);
                }
                continue;
            }
            if !is_drained && is(&link.is_drained) {
                if !is(&link.has_asked) {
                    return Poll::Ready(Ok(()));
                }
                is_drained = true;
                connection.as_mut().graceful_shutdown();
                continue;
            }
            // HTTP/1 ends with the header Connection of its answer.
            if !is_barred && link.wrong_tokens.load(Ordering::Relaxed) >= WRONG_TOKENS {
                is_barred = true;
                connection.as_mut().graceful_shutdown();
                continue;
            }
            if !is(&link.is_known) && patience.as_mut().poll(context).is_ready() {
                if is_late || !is(&link.has_asked) {
                    return Poll::Ready(Ok(()));
                }
                // The answer of the last request may be on its way.
                is_late = true;
                patience.as_mut().reset(Instant::now() + limits.timeout);
                connection.as_mut().graceful_shutdown();
                continue;
            }
            // HTTP/1 reads nothing while there are more requests in its buffer.
            if is(&link.is_waiting) && !was_waiting {
                look.as_mut().reset(Instant::now() + LOOK);
            }
            was_waiting = is(&link.is_waiting);
            if was_waiting && look.as_mut().poll(context).is_ready() {
                link.must_look.store(true, Ordering::Relaxed);
                was_waiting = false;
                continue;
            }
            return Poll::Pending;
        }
    });
    if let Err(error) = result.await {
        tracing::debug!(%peer, error = %error, "the connection broke");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;
    use crate::access::Access;
    use crate::limits::Limits;
    use crate::realm::Realms;

    /// Only a client that has asked, with its token if there are any, may be idle for longer.
    #[tokio::test(start_paused = true)]
    async fn a_first_request_is_awaited_for_less_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, "0123456789abcdef").unwrap();
        let limits = Limits::default();
        let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        let token = "Authorization: Bearer 0123456789abcdef";
        let known = format!("GET /healthz HTTP/1.1\r\nHost: a\r\n{token}\r\n\r\n");
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
        for (first, tokens, patience) in [
            ("", None, limits.timeout),
            ("GET /healthz HTTP/1.1\r\n", None, limits.timeout),
            (preface, None, limits.timeout),
            (health, None, HEAD),
            (health, Some(&path), limits.timeout),
            (&known, Some(&path), HEAD),
        ] {
            let access = Access::new(tokens.cloned(), None).unwrap();
            let shared = Arc::new(Shared::new(Realms::default(), access, limits.clone()));
            let (mut client, server) = duplex(1_024);
            let start = Instant::now();
            let service = Service::new(&shared);
            tokio::spawn(serve(server, service, shared, Peer(None), Place::Regular));
            client.write_all(first.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            client.read_to_end(&mut rest).await.unwrap();
            // The timer has a resolution of a millisecond.
            assert_eq!(start.elapsed().as_secs(), patience.as_secs(), "{first}");
        }
    }
}
