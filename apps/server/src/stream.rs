//! The streams of connections, and what the system knows about them.

use core::future::Future as _;
use core::mem::MaybeUninit;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;

use futures_util::FutureExt as _;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::{Instant, Sleep, sleep};
use tokio_rustls::server::TlsStream;

/// A connection that was accepted.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// A connection, with what the system knows about it.
pub(crate) trait ClientStream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Reports whether the client sends nothing more, though what it has sent is not all read.
    fn has_left(&self) -> bool;

    /// Reports whether there are bytes to read now, which the runtime may not know of yet.
    fn has_more(&self) -> bool;
}

macro_rules! socket {
    ($stream:ty) => {
        impl ClientStream for $stream {
            fn has_left(&self) -> bool {
                let ready = self.ready(Interest::READABLE).now_or_never();
                ready.is_some_and(|ready| ready.map_or(true, |ready| ready.is_read_closed()))
            }

            fn has_more(&self) -> bool {
                let mut byte = [MaybeUninit::uninit()];
                SockRef::from(self).peek(&mut byte).is_ok_and(|len| len > 0)
            }
        }
    };
}

socket!(TcpStream);
#[cfg(unix)]
socket!(UnixStream);

impl ClientStream for TlsStream<TcpStream> {
    fn has_left(&self) -> bool {
        self.get_ref().0.has_left()
    }

    fn has_more(&self) -> bool {
        self.get_ref().0.has_more()
    }
}

/// A stream whose last answer reaches its client.
///
/// A system resets a connection that is closed with unread bytes, or that gets bytes after it was
/// closed, and a reset discards answers that the client has not read yet (RFC 9112, section 9.6).
/// HTTP/2 clients always send such bytes, which make room for the rest of an answer, and so do
/// clients in the middle of a request that was refused. This stream therefore ends its own side
/// first, and then reads and drops what comes, until the client has ended the other side.
///
/// Whoever shuts it down has to limit the time, since a client can send for as long as it likes.
#[derive(Debug)]
pub(crate) struct Lingering<S> {
    stream: S,
    is_quiet: bool,
    shutdown: Shutdown,
}

/// The progress of a stream's end.
#[derive(Debug)]
enum Shutdown {
    /// Its own side has not ended.
    Pending,
    /// The other side has not ended.
    Lingering {
        timer: Pin<Box<Sleep>>,
        left: usize,
    },
    Over,
}

impl<S> Lingering<S> {
    /// The time after which a client that sends nothing has its answer, or never will.
    const QUIET: Duration = Duration::from_secs(1);
    /// The number of bytes that are dropped.
    const BYTES: usize = 8 << 20;

    pub(crate) fn new(stream: S) -> Self {
        Self { stream, is_quiet: false, shutdown: Shutdown::Pending }
    }

    /// Notes that the client was seen to send nothing more, so that there is nothing to wait for.
    /// Many clients keep connections without looking at them, and would hold up a stop.
    pub(crate) fn note_quiet(&mut self) {
        self.is_quiet = true;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, is_quiet, shutdown } = self.get_mut();
        loop {
            match shutdown {
                Shutdown::Pending => {
                    ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
                    *shutdown = if *is_quiet {
                        Shutdown::Over
                    } else {
                        Shutdown::Lingering {
                            timer: Box::pin(sleep(Self::QUIET)),
                            left: Self::BYTES,
                        }
                    };
                }
                Shutdown::Lingering { timer, left } => {
                    let mut bytes = [MaybeUninit::uninit(); 4_096];
                    let mut buffer = ReadBuf::uninit(&mut bytes);
                    let read = Pin::new(&mut *stream).poll_read(context, &mut buffer);
                    let len = buffer.filled().len();
                    match read {
                        Poll::Ready(Ok(())) if 0 < len && len < *left => {
                            *left -= len;
                            timer.as_mut().reset(Instant::now() + Self::QUIET);
                        }
                        // Too many bytes, the end, or a connection that is lost.
                        Poll::Ready(_) => *shutdown = Shutdown::Over,
                        Poll::Pending => {
                            ready!(timer.as_mut().poll(context));
                            *shutdown = Shutdown::Over;
                        }
                    }
                }
                Shutdown::Over => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl<S: ClientStream> ClientStream for Lingering<S> {
    fn has_left(&self) -> bool {
        self.stream.has_left()
    }

    fn has_more(&self) -> bool {
        self.stream.has_more()
    }
}

#[cfg(any(feature = "_fuzzing", test))]
impl ClientStream for tokio::io::DuplexStream {
    fn has_left(&self) -> bool {
        false
    }

    fn has_more(&self) -> bool {
        false
    }
}
