//! HTTP/1.1 and HTTP/2.

mod accept;
mod host;
mod idle_timeout;
mod ids;
mod link;
mod observe;
mod problem;
mod prometheus;
mod routes;
mod streams;

use core::fmt;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use axum::Router;
use futures_util::FutureExt as _;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::select;
use tokio::time::{Instant, sleep};

use self::idle_timeout::IdleTimeout;
pub(crate) use self::link::ConnectionKind;
use self::link::{ClientProgress, Link};
use self::streams::Streams;
use crate::shared::{Peer, ServerState};
use crate::stream::{ClientStream, Lingering};

/// The time within which the head of a request must arrive, and the longest that HTTP/1 keeps a
/// connection without one.
const HEAD: Duration = Duration::from_secs(60);
/// The most bytes of the head of a request, unless the limit of its bytes is lower.
const HEADERS: u32 = 16_384;
/// The most bytes of a head that its limit does not count: the method, the version, spaces and the
/// ends of the lines.
const LINES: u32 = 1_024;
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
    pub(crate) fn new(shared: &Arc<ServerState>) -> Self {
        let limits = &shared.limits;
        let mut builder = auto::Builder::new(Streams { stuck: limits.timeout });
        // hyper panics with less. Requests above a lower limit are refused by `routes`. Bodies are
        // not buffered, since no route reads one.
        let head = limits.request_bytes.clamp(8_192, HEADERS);
        builder
            .http1()
            // The stream ends when the server stops, and requests that came before are answered.
            .half_close(true)
            .timer(TokioTimer::new())
            // The time also runs while there is no next request, so it must not exceed the one for
            // idle connections.
            .header_read_timeout(HEAD.min(limits.idle))
            .max_buf_size((head + LINES) as usize);
        builder
            .http2()
            // These bound the memory of a connection: its requests, their headers, their bodies and
            // their answers. By default, hyper would buffer 400 KiB of answers for each of 200
            // requests.
            .max_concurrent_streams(100)
            .max_header_list_size(head)
            .initial_connection_window_size(BODIES)
            .initial_stream_window_size(BODIES)
            .max_send_buf_size(16_384);
        let router = TowerToHyperService::new(routes::router(shared));
        Self { router, builder }
    }
}

/// Serves a connection to its end.
///
/// Besides the connection itself, three things can end it, which are the stop of the server, a
/// [`Link`] that wants the end, and a client that is not known in time.
pub(crate) async fn serve(
    stream: impl ClientStream,
    service: Service,
    shared: Arc<ServerState>,
    peer: Peer,
    kind: ConnectionKind,
) {
    let Service { router, builder } = service;
    let limits = &shared.limits;
    let link = Arc::new(Link::new(peer, kind));
    let stream = Lingering::new(stream, limits.timeout, shared.answering.token());
    let stream = IdleTimeout::new(stream, Arc::clone(&link), limits.idle, limits.timeout);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&link));
        router.call(request)
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut stopping = pin!(shared.stopping.cancelled().fuse());
    let mut end_wanted = pin!(link.end_wanted().fuse());
    let mut patience = pin!(sleep(limits.timeout.min(limits.idle)));
    let (mut is_late, mut is_known) = (false, false);
    loop {
        select! {
            // Requests that have arrived are answered before anything else is looked at.
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%peer, error = %error, "the connection broke");
                }
                return;
            }
            // Requests that have arrived by now are answered, so the stream ends after them.
            () = &mut stopping => link.end_input(),
            () = &mut end_wanted => connection.as_mut().graceful_shutdown(),
            () = &mut patience, if !is_known => match link.progress() {
                ClientProgress::Known => is_known = true,
                // The answer of its last request may be on its way.
                ClientProgress::Asking if !is_late => {
                    is_late = true;
                    patience.as_mut().reset(Instant::now() + limits.timeout);
                    connection.as_mut().graceful_shutdown();
                }
                ClientProgress::Silent | ClientProgress::Asking => return,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Empty};
    use hyper::Request;
    use hyper::body::Bytes;
    use hyper_util::rt::TokioExecutor;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::timeout;

    use super::*;
    use crate::access::{Access, Client};
    use crate::limits::Limits;
    use crate::realm::Realms;

    /// Only a client that has asked, with its token if there are any, may be idle for longer.
    #[tokio::test(start_paused = true)]
    async fn a_first_request_is_awaited_for_less_time() {
        let limits = Limits::default();
        let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        let token = "Authorization: Bearer 0123456789abcdef";
        let known = format!("GET /healthz HTTP/1.1\r\nHost: a\r\n{token}\r\n\r\n");
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
        for (first, has_tokens, patience) in [
            ("", false, limits.timeout),
            ("GET /healthz HTTP/1.1\r\n", false, limits.timeout),
            (preface, false, limits.timeout),
            (health, false, HEAD),
            (health, true, limits.timeout),
            (&known, true, HEAD),
        ] {
            let clients = has_tokens.then(|| vec![Client::new("a", "0123456789abcdef", false)]);
            let access = Access::new(clients, None);
            let shared = Arc::new(ServerState::new(Realms::default(), access, limits.clone()));
            let (mut client, server) = duplex(1_024);
            let start = Instant::now();
            let service = Service::new(&shared);
            tokio::spawn(serve(server, service, shared, Peer(None), ConnectionKind::Regular));
            client.write_all(first.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            client.read_to_end(&mut rest).await.unwrap();
            // The timer has a resolution of a millisecond.
            assert_eq!(start.elapsed().as_secs(), patience.as_secs(), "{first}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clients_may_read_nothing_before_they_have_sent_everything() {
        for (head, status) in [("X: ", "431"), ("Content-Length: 65537\r\n\r\n", "413")] {
            let access = Access::new(None, None);
            let shared = Arc::new(ServerState::new(Realms::default(), access, Limits::default()));
            let (mut client, server) = duplex(1_024);
            let service = Service::new(&shared);
            tokio::spawn(serve(server, service, shared, Peer(None), ConnectionKind::Regular));
            let head = format!("GET /v1/realms HTTP/1.1\r\nHost: a\r\n{head}");
            client.write_all(head.as_bytes()).await.unwrap();
            client.write_all(&[b'a'; 4 << 20]).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn clients_that_do_not_read_are_closed() {
        let limits = Limits::default();
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, limits.clone()));
        // There is room for a part of the answer.
        let (mut client, server) = duplex(64);
        client.write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let (start, service) = (Instant::now(), Service::new(&shared));
        let served = serve(server, service, shared, Peer(None), ConnectionKind::Regular);
        timeout(2 * limits.timeout, served).await.expect("closed in time");
        // The timer has a resolution of a millisecond.
        assert_eq!(start.elapsed().as_secs(), limits.timeout.as_secs());
        drop(client);
    }

    /// A client of HTTP/2 may accept no answer, though its connection is alive.
    #[tokio::test(start_paused = true)]
    async fn http2_answers_are_accepted_in_time() {
        let limits = Limits::default();
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, limits.clone()));
        let (client, server) = duplex(1 << 16);
        let service = Service::new(&shared);
        tokio::spawn(serve(server, service, shared, Peer(None), ConnectionKind::Regular));
        let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(0);
        let (mut sender, connection) = builder.handshake(TokioIo::new(client)).await.unwrap();
        tokio::spawn(connection);
        let request = |method: &str| {
            let request = Request::builder().method(method).uri("http://localhost/healthz");
            request.body(Empty::<Bytes>::new()).unwrap()
        };
        let start = Instant::now();
        let body = sender.send_request(request("GET")).await.unwrap().into_body().collect();
        let error = timeout(2 * limits.timeout, body).await.expect("reset in time").unwrap_err();
        assert!(format!("{error:?}").contains("CANCEL"), "{error:?}");
        assert_eq!(start.elapsed().as_secs(), limits.timeout.as_secs());
        assert_eq!(sender.send_request(request("HEAD")).await.unwrap().status(), 200);
    }

    /// Neither a client that goes on sending after its refusal, nor one whose refusal comes late,
    /// is kept for longer or shorter than others.
    #[tokio::test(start_paused = true)]
    async fn a_refused_client_is_awaited_for_two_seconds() {
        let health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        for (before, pause) in [(health, Duration::ZERO), ("", Duration::from_millis(4_900))] {
            let limits = Limits::default();
            let access = Access::new(None, None);
            let shared = Arc::new(ServerState::new(Realms::default(), access, limits));
            let (client, server) = duplex(1_024);
            let (mut read, mut write) = tokio::io::split(client);
            let service = Service::new(&shared);
            tokio::spawn(serve(server, service, shared, Peer(None), ConnectionKind::Regular));
            write.write_all(before.as_bytes()).await.unwrap();
            sleep(pause).await;
            let start = Instant::now();
            write.write_all(b"no request\r\n\r\n").await.unwrap();
            for _ in 0..100 {
                if write.write_all(b"x").await.is_err() {
                    break;
                }
                sleep(Duration::from_millis(300)).await;
            }
            assert_eq!(start.elapsed().as_millis(), 2_100, "{before}");
            let mut rest = String::new();
            read.read_to_string(&mut rest).await.unwrap();
            assert!(rest.contains("HTTP/1.1 400 Bad Request"), "{rest}");
        }
    }
}
