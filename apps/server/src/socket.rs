//! Sockets that accept connections.

use core::net::SocketAddr;
#[cfg(unix)]
use std::fs;
use std::io;
#[cfg(unix)]
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use crate::error::ServerError;
use crate::shared::Peer;

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

/// Checks that the name is free, or names a socket that no server listens on.
#[cfg(unix)]
fn check_unused(path: &Path) -> Result<(), ServerError> {
    use std::os::unix::fs::FileTypeExt as _;

    let in_use = |reason| Err(ServerError::InUse { path: path.to_owned(), reason });
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(metadata) if !metadata.file_type().is_socket() => in_use("it is not a socket"),
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

/// A connection that was accepted.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}
