//! Sockets that accept connections.

use core::net::SocketAddr;
#[cfg(unix)]
use std::fs;
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(unix)]
use std::path::{Path, PathBuf};

#[cfg(unix)]
use socket2::{Domain, SockAddr, Type};
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

use crate::error::ServerError;
use crate::shared::Peer;
use crate::stream::Stream;

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
        let stale = check_unused(path)?;
        let (listener, file) = bind_unix(path, stale).map_err(|source| ServerError::Listen {
            address: path.display().to_string(),
            source,
        })?;
        Ok(Self::Unix { listener, _file: file })
    }

    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix { .. } => None,
        }
    }

    /// Accepts a connection, and returns it with the address of its client.
    pub(crate) async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Answers are written immediately. On some systems this fails if the client has
                // left already, as the first read will.
                let _ = stream.set_nodelay(true);
                Ok((Stream::Tcp(stream), Peer(Some(address))))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => {
                Ok((Stream::Unix(listener.accept().await?.0), Peer(None)))
            }
        }
    }
}

/// A file of a socket, which is removed with it.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: Option<FileIdentity>,
}

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        // If the file is gone already, that is what is wanted.
        let _ = remove(&self.path, self.identity);
    }
}

/// Removes a socket's file, unless another has its path by now.
#[cfg(unix)]
fn remove(path: &Path, socket: Option<FileIdentity>) -> io::Result<()> {
    if socket.is_none() || socket != identity(path) {
        return Ok(());
    }
    fs::remove_file(path)
}

/// The device and the inode of a file.
#[cfg(unix)]
type FileIdentity = (u64, u64);

/// Returns the identity of a file, if there is one.
#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Checks that the path is free, or names a socket that no server listens on, whose
/// identity is returned.
#[cfg(unix)]
fn check_unused(path: &Path) -> Result<Option<FileIdentity>, ServerError> {
    use std::os::unix::fs::FileTypeExt as _;

    let in_use = |reason| Err(ServerError::InUse { path: path.to_owned(), reason });
    let stale = identity(path);
    match fs::symlink_metadata(path) {
        Err(_) => Ok(None),
        Ok(metadata) if !metadata.file_type().is_socket() => in_use("it is not a socket"),
        Ok(_) => match connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(stale),
            // The socket's server has just stopped.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // That includes a server that accepts nothing, so that its queue is full.
            _ => in_use("a server listens on it"),
        },
    }
}

/// Connects to a Unix socket without waiting for its server, which may never accept.
#[cfg(unix)]
fn connect(path: &Path) -> io::Result<()> {
    let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)
}

/// Binds a socket in the place of a stale one. Until it listens, which it does only once it has its
/// permissions, the system refuses connections.
#[cfg(unix)]
fn bind_unix(path: &Path, stale: Option<FileIdentity>) -> io::Result<(UnixListener, SocketFile)> {
    use std::os::unix::fs::PermissionsExt as _;

    /// The most clients that wait to be accepted, which is the default of `tokio` for TCP.
    const BACKLOG: i32 = 1_024;
    let address = SockAddr::unix(path).map_err(|_| {
        let len = path.as_os_str().len();
        let text = format!("a socket's path cannot have {len} bytes (Linux: at most 107)");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })?;
    remove(path, stale)?;
    let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address)?;
    let file = SocketFile { path: path.to_owned(), identity: identity(path) };
    fs::set_permissions(path, fs::Permissions::from_mode(0o660))?;
    socket.listen(BACKLOG)?;
    Ok((UnixListener::from_std(OwnedFd::from(socket).into())?, file))
}
