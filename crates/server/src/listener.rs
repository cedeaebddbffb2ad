//! Sockets, and the connections that they accept.

use core::net::SocketAddr;
use core::sync::atomic::Ordering;
use core::time::Duration;
#[cfg(unix)]
use std::fs;
use std::io;
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::task::TaskTracker;

use crate::error::ServerError;
use crate::metrics::Protocol;
use crate::shared::Shared;
use crate::tls::Tls;
use crate::{http, resp};

/// A socket that accepts connections.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: UnixListener,
        _file: SocketFile,
    },
}

impl Socket {
    pub(crate) async fn tcp(address: SocketAddr) -> Result<Self, ServerError> {
        let listener = TcpListener::bind(address).await;
        listener
            .map(Self::Tcp)
            .map_err(|source| ServerError::Listen { address: address.to_string(), source })
    }

    /// Binds a Unix socket that its owner and its group may use.
    #[cfg(unix)]
    pub(crate) fn unix(path: &Path) -> Result<Self, ServerError> {
        check_unused(path)?;
        let listener = bind_unix(path).map_err(|source| ServerError::Listen {
            address: path.display().to_string(),
            source,
        })?;
        Ok(Self::Unix { listener, _file: SocketFile::new(path) })
    }

    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix { .. } => None,
        }
    }

    async fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are written at once. On some systems this fails if the client has left
                // already, as the first read will.
                let _ = stream.set_nodelay(true);
                Ok(Stream::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => Ok(Stream::Unix(listener.accept().await?.0)),
        }
    }
}

/// A file of a socket, which is removed with it.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// The device and the inode.
    identity: Option<(u64, u64)>,
}

#[cfg(unix)]
impl SocketFile {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), identity: identity(path) }
    }
}

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another server may have taken the path meanwhile.
        if self.identity.is_some() && self.identity == identity(&self.path) {
            // Its absence is what is wanted.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns the device and the inode of a file, if there is one.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Checks that there is no file of that name, or a socket that no server listens on.
#[cfg(unix)]
fn check_unused(path: &Path) -> Result<(), ServerError> {
    use std::os::unix::fs::FileTypeExt as _;

    let in_use = |reason| Err(ServerError::InUse { path: path.to_owned(), reason });
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(metadata) if !metadata.file_type().is_socket() => in_use("it is no socket"),
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
            _ => in_use("a server listens on it"),
        },
    }
}

/// Binds a socket in a folder that only its owner can enter, and moves it to its place once it has
/// its permissions.
#[cfg(unix)]
fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let folder = PathBuf::from(name);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let socket = folder.join("s");
    let bound = UnixListener::bind(&socket).and_then(|listener| {
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o660))?;
        fs::rename(&socket, path)?;
        Ok(listener)
    });
    if bound.is_err() {
        let _ = fs::remove_file(&socket);
    }
    let removed = fs::remove_dir(&folder);
    bound.and_then(|listener| removed.map(|()| listener))
}

enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// The settings of one listener.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) socket: Socket,
    pub(crate) protocol: Protocol,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) http: http::Service,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) tasks: TaskTracker,
}

impl Listener {
    /// Accepts connections until the server stops.
    pub(crate) async fn run(self) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.shared.stopping.cancelled() => return,
                accepted = self.socket.accept() => accepted,
            };
            match accepted {
                Ok(stream) => self.start(stream),
                // It broke before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // There are no more descriptors, or no memory.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn start(&self, stream: Stream) {
        let shared = &self.shared;
        let metrics = shared.metrics.of(self.protocol);
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            metrics.refused.fetch_add(1, Ordering::Relaxed);
            self.refuse(stream);
            return;
        };
        metrics.accepted.fetch_add(1, Ordering::Relaxed);
        let id = shared.next_connection();
        let open = Open::new(Arc::clone(shared), self.protocol, slot);
        match stream {
            Stream::Tcp(stream) => match &self.tls {
                None => self.serve(stream, id, open),
                Some(tls) => self.serve_tls(tls, stream, id, open),
            },
            #[cfg(unix)]
            Stream::Unix(stream) => self.serve(stream, id, open),
        }
    }

    fn serve<S>(&self, stream: S, id: u64, open: Open)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        match self.protocol {
            Protocol::Resp => self.spawn(open, serve_resp(stream, shared, id)),
            Protocol::Http => self.spawn(open, http::serve(stream, self.http.clone(), shared, id)),
        }
    }

    fn serve_tls(&self, tls: &Tls, stream: TcpStream, id: u64, open: Open) {
        let (shared, service) = (Arc::clone(&self.shared), self.http.clone());
        match self.protocol {
            Protocol::Resp => {
                let config = tls.for_resp();
                self.spawn(open, async move {
                    if let Some(stream) = accept_tls(config, stream, &shared, id).await {
                        serve_resp(stream, shared, id).await;
                    }
                });
            }
            Protocol::Http => {
                let config = tls.for_http();
                self.spawn(open, async move {
                    if let Some(stream) = accept_tls(config, stream, &shared, id).await {
                        http::serve(stream, service, shared, id).await;
                    }
                });
            }
        }
    }

    /// Starts the task of a connection.
    fn spawn(&self, open: Open, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(async move {
            open.shared.cut_off.run_until_cancelled(task).await;
        });
    }

    /// Sends the reason for the refusal, if the client accepts it within a moment.
    fn refuse(&self, stream: Stream) {
        let most = self.shared.limits.connections;
        let answer = match (self.protocol, &self.tls) {
            (_, Some(_)) => return,
            (Protocol::Resp, None) => {
                format!("-ERR max number of clients reached (limit connections, {most})\r\n")
            }
            (Protocol::Http, None) => format!(
                "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\
                 Content-Type: text/plain\r\nCache-Control: no-store\r\n\r\n\
                 too many connections (limit connections, {most})\n"
            ),
        };
        let deadline = Duration::from_millis(100);
        // Few at a time, as they end soon; a client that does not take it is not told.
        self.tasks.spawn(async move {
            let _ = timeout(deadline, async {
                match stream {
                    Stream::Tcp(mut stream) => stream.write_all(answer.as_bytes()).await,
                    #[cfg(unix)]
                    Stream::Unix(mut stream) => stream.write_all(answer.as_bytes()).await,
                }
            })
            .await;
        });
    }
}

async fn serve_resp<S>(stream: S, shared: Arc<Shared>, id: u64)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    if let Err(error) = resp::serve(stream, shared, id).await {
        tracing::debug!(connection = id, %error, "the connection broke");
    }
}

/// Negotiates encryption; `None` if that failed, or the server stops.
async fn accept_tls(
    config: Arc<ServerConfig>,
    stream: TcpStream,
    shared: &Shared,
    id: u64,
) -> Option<TlsStream<TcpStream>> {
    let accept = timeout(shared.limits.timeout, TlsAcceptor::from(config).accept(stream));
    let error = match shared.stopping.run_until_cancelled(accept).await? {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => error,
        Err(_) => io::ErrorKind::TimedOut.into(),
    };
    tracing::debug!(connection = id, %error, "no encrypted connection");
    None
}

/// The place of an open connection among those that are allowed.
struct Open {
    shared: Arc<Shared>,
    protocol: Protocol,
    _slot: OwnedSemaphorePermit,
}

impl Open {
    fn new(shared: Arc<Shared>, protocol: Protocol, slot: OwnedSemaphorePermit) -> Self {
        shared.metrics.of(protocol).open.fetch_add(1, Ordering::Relaxed);
        Self { shared, protocol, _slot: slot }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.shared.metrics.of(self.protocol).open.fetch_sub(1, Ordering::Relaxed);
    }
}
