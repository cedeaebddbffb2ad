use core::net::IpAddr;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll};
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_postgres::config::Host;

trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// A connection that limits the bytes that a server may send: the client would keep them all.
pub(super) struct Stream {
    socket: Box<dyn Socket>,
    left: Arc<AtomicUsize>,
}

impl Stream {
    pub(super) async fn connect(
        host: &Host,
        address: Option<&IpAddr>,
        port: u16,
        left: Arc<AtomicUsize>,
    ) -> io::Result<Self> {
        let tcp = |stream: TcpStream| -> io::Result<Box<dyn Socket>> {
            stream.set_nodelay(true)?;
            Ok(Box::new(stream))
        };
        let socket = match (host, address) {
            (_, Some(&address)) => tcp(TcpStream::connect((address, port)).await?)?,
            (Host::Tcp(name), None) => tcp(TcpStream::connect((&**name, port)).await?)?,
            #[cfg(unix)]
            (Host::Unix(folder), None) => {
                Box::new(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?)
            }
        };
        Ok(Self { socket, left })
    }
}

impl AsyncRead for Stream {
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

impl AsyncWrite for Stream {
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
