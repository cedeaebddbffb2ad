//! A connection that limits the bytes that a server may send.

use core::net::IpAddr;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_postgres::config::Host;
use tokio_util::either::Either;

/// A connection that limits the bytes that a server may send, because the client would keep them
/// all.
pub(super) struct Stream<S> {
    pub(super) socket: S,
    pub(super) left: Arc<AtomicUsize>,
}

#[cfg(unix)]
pub(super) type Socket = Either<TcpStream, tokio::net::UnixStream>;
#[cfg(not(unix))]
pub(super) type Socket = Either<TcpStream, TcpStream>;

impl Stream<Socket> {
    pub(super) async fn connect(
        host: &Host,
        address: Option<&IpAddr>,
        port: u16,
        left: Arc<AtomicUsize>,
    ) -> io::Result<Self> {
        let tcp = match (host, address) {
            (_, Some(&address)) => TcpStream::connect((address, port)).await?,
            (Host::Tcp(name), None) => TcpStream::connect((&**name, port)).await?,
            #[cfg(unix)]
            (Host::Unix(folder), None) => {
                let path = folder.join(format!(".s.PGSQL.{port}"));
                let socket = Either::Right(tokio::net::UnixStream::connect(path).await?);
                return Ok(Self { socket, left });
            }
        };
        tcp.set_nodelay(true)?;
        Ok(Self { socket: Either::Left(tcp), left })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.socket).poll_read(context, buffer);
        let count = buffer.filled().len() - before;
        if count > self.left.load(Ordering::Relaxed) {
            let error = io::Error::new(io::ErrorKind::InvalidData, "the answer is too long");
            return Poll::Ready(Err(error));
        }
        self.left.fetch_sub(count, Ordering::Relaxed);
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
