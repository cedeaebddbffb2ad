//! Listeners, which accept connections and have the protocols serve them.

use core::pin::{Pin, pin};
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use rustls::ServerConfig;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::ConnectionKind;
use crate::limits::RESERVE;
use crate::metrics::Protocol;
use crate::shared::{Peer, ServerState};
use crate::socket::Socket;
use crate::stream::{ClientStream, Lingering, Stream};
use crate::tls::ReloadedTls;
use crate::{http, resp};

/// The settings of one listener.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) socket: Socket,
    pub(crate) protocol: Protocol,
    pub(crate) tls: Option<Arc<ReloadedTls>>,
    pub(crate) shared: Arc<ServerState>,
    pub(crate) http: http::Service,
    pub(crate) slots: Arc<Slots>,
    pub(crate) tasks: TaskTracker,
}

impl Listener {
    /// Accepts connections until the server stops.
    pub(crate) async fn run(self) {
        let mut stopping = pin!(self.shared.stopping.cancelled());
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stopping => break,
                accepted = self.socket.accept() => accepted,
            };
            self.accepted(accepted).await;
        }
        // Accept the clients that had connected before. More than one batch comes from newer ones.
        for _ in 0..1_024 {
            let accept = tokio::task::coop::unconstrained(self.socket.accept());
            let Some(accepted) = accept.now_or_never() else { break };
            self.accepted(accepted).await;
        }
    }

    async fn accepted(&self, accepted: io::Result<(Stream, Peer)>) {
        match accepted {
            Ok((stream, peer)) => self.start(stream, peer),
            // The connection broke before it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                // There are no more descriptors, or no memory.
                if let Some(suppressed) = self.shared.warnings.accept.admit("") {
                    tracing::warn!(%error, suppressed, "a connection was not accepted");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    fn start(&self, stream: Stream, peer: Peer) {
        let shared = &self.shared;
        let metrics = shared.metrics.of(self.protocol);
        let Ok(slot) = Arc::clone(&self.slots.free).try_acquire_owned() else {
            metrics.refused.fetch_add(1, Ordering::Relaxed);
            if let Some(suppressed) = shared.warnings.refuse.admit("") {
                let limit = shared.limits.connections;
                tracing::warn!(%peer, limit, suppressed, "too many connections");
            }
            return self.refuse(stream, peer);
        };
        metrics.accepted.fetch_add(1, Ordering::Relaxed);
        let open = OpenConnection::new(Arc::clone(shared), self.protocol, slot);
        let connection = self.serve(stream, peer, ConnectionKind::Regular);
        // When the grace period of a stop is over, the connection is dropped wherever it is.
        self.tasks.spawn(async move {
            open.shared.cut_off.run_until_cancelled(connection).await;
        });
    }

    /// Serves a connection to its end.
    fn serve(&self, stream: Stream, peer: Peer, kind: ConnectionKind) -> Boxed {
        let (shared, service) = (Arc::clone(&self.shared), self.http.clone());
        let id = shared.next_connection();
        let tls = self.tls.as_ref().map(|tls| match self.protocol {
            Protocol::Resp => tls.for_resp(),
            Protocol::Http => tls.for_http(),
        });
        let client = ConnectedClient { shared, service, protocol: self.protocol, peer, id, kind };
        match (stream, tls) {
            (Stream::Tcp(stream), None) => client.serve(stream),
            (Stream::Tcp(stream), Some(tls)) => Box::pin(async move {
                if let Some(stream) = client.accept_tls(tls, stream).await {
                    client.serve(stream).await;
                }
            }),
            #[cfg(unix)]
            // Never encrypted: the data stay on this machine, and the mode of the file decides who
            // connects.
            (Stream::Unix(stream), _) => client.serve(stream),
        }
    }

    /// Tells a client that there are too many connections. HTTP clients may still ask whether the
    /// server runs.
    fn refuse(&self, stream: Stream, peer: Peer) {
        let most = self.shared.limits.connections;
        let patience = self.shared.limits.timeout.min(Duration::from_secs(1));
        match self.protocol {
            Protocol::Http => {
                let connection = self.serve(stream, peer, ConnectionKind::ProbesOnly);
                self.reserve(patience, connection);
            }
            // An answer would need an encrypted connection.
            Protocol::Resp if self.tls.is_some() => {}
            Protocol::Resp => {
                let answer =
                    format!("-ERR max number of clients reached (limit connections, {most})\r\n");
                let answering = self.shared.answering.token();
                match stream {
                    Stream::Tcp(stream) => {
                        self.reserve(
                            patience,
                            tell(Lingering::new(stream, patience, answering), answer),
                        );
                    }
                    #[cfg(unix)]
                    Stream::Unix(stream) => {
                        self.reserve(
                            patience,
                            tell(Lingering::new(stream, patience, answering), answer),
                        );
                    }
                }
            }
        }
    }

    /// Runs a task in the reserve. If that is full, its oldest task ends.
    fn reserve(&self, patience: Duration, task: impl Future<Output = ()> + Send + 'static) {
        let end = self.slots.enter_reserve(&self.shared.cut_off);
        self.tasks.spawn(async move { end.run_until_cancelled(timeout(patience, task)).await });
    }
}

/// Refuses a client with one line, and closes the connection.
async fn tell(mut stream: Lingering<impl ClientStream>, answer: String) {
    // A client that does not take it is not told.
    if stream.write_all(answer.as_bytes()).await.is_ok() {
        let _ = stream.shutdown().await;
    }
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A client that has connected.
struct ConnectedClient {
    shared: Arc<ServerState>,
    service: http::Service,
    protocol: Protocol,
    peer: Peer,
    /// The number of the connection.
    id: u64,
    kind: ConnectionKind,
}

impl ConnectedClient {
    /// Serves the client. The future is boxed, so that a connection takes the memory of its
    /// protocol only.
    fn serve(self, stream: impl ClientStream) -> Boxed {
        let Self { shared, service, protocol, peer, id, kind } = self;
        match protocol {
            Protocol::Http => Box::pin(http::serve(stream, service, shared, peer, kind)),
            Protocol::Resp => Box::pin(async move {
                if let Err(error) = resp::serve(stream, shared, id, peer).await {
                    tracing::debug!(%peer, %error, "the connection broke");
                }
            }),
        }
    }

    /// Negotiates encryption. Returns `None` if that failed, or the server stops.
    async fn accept_tls(
        &self,
        config: Arc<ServerConfig>,
        stream: TcpStream,
    ) -> Option<TlsStream<TcpStream>> {
        let accept = timeout(self.shared.limits.timeout, TlsAcceptor::from(config).accept(stream));
        let error = match self.shared.stopping.run_until_cancelled(accept).await? {
            Ok(Ok(stream)) => return Some(stream),
            Ok(Err(error)) => error,
            Err(_) => io::ErrorKind::TimedOut.into(),
        };
        tracing::debug!(peer = %self.peer, %error, "no encrypted connection");
        None
    }
}

/// The places of connections.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
    /// Tokens that end the connections in the reserve, the oldest first. Some may have ended.
    reserve: Mutex<VecDeque<CancellationToken>>,
}

impl Slots {
    pub(crate) fn new(connections: u32) -> Self {
        let free = Arc::new(Semaphore::new(connections as usize));
        Self { free, reserve: Mutex::default() }
    }

    /// Takes a place in the reserve, and returns the token that ends it. A newcomer keeps its place
    /// until as many others have come, which is time for a probe even under attack.
    fn enter_reserve(&self, cut_off: &CancellationToken) -> CancellationToken {
        let end = cut_off.child_token();
        let mut reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        if reserve.len() == RESERVE
            && let Some(oldest) = reserve.pop_front()
        {
            oldest.cancel();
        }
        reserve.push_back(end.clone());
        end
    }
}

/// The place of an open connection among those that are allowed.
struct OpenConnection {
    shared: Arc<ServerState>,
    protocol: Protocol,
    _slot: OwnedSemaphorePermit,
}

impl OpenConnection {
    fn new(shared: Arc<ServerState>, protocol: Protocol, slot: OwnedSemaphorePermit) -> Self {
        shared.metrics.of(protocol).open.fetch_add(1, Ordering::Relaxed);
        Self { shared, protocol, _slot: slot }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.shared.metrics.of(self.protocol).open.fetch_sub(1, Ordering::Relaxed);
    }
}
