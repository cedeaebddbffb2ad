//! HTTP/1.1 and HTTP/2.

mod ids;
mod inspect;
mod patient;
mod problem;
mod prometheus;
mod routes;
mod streams;

use core::fmt;
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

use self::patient::Patient;
use self::streams::Streams;
use crate::shared::Shared;

/// The time in which the head of a request must arrive, and the longest that HTTP/1 keeps a
/// connection without one.
const HEAD: Duration = Duration::from_secs(60);
/// The most bytes of the headers of an HTTP/2 request.
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

/// Serves a connection to its end.
pub(crate) async fn serve<S>(stream: S, service: Service, shared: Arc<Shared>, id: u64)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Service { router, builder } = service;
    let io = TokioIo::new(Patient::new(stream, shared.limits.idle, shared.limits.timeout));
    let mut connection = pin!(builder.serve_connection(io, router));
    let mut is_stopping = false;
    let result = loop {
        tokio::select! {
            result = &mut connection => break result,
            () = shared.stopping.cancelled(), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    if let Err(error) = result {
        tracing::debug!(connection = id, error = %error, "the connection broke");
    }
}
