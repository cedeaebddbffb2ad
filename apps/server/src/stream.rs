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
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_rustls::server::TlsStream;
use tokio_util::task::task_tracker::TaskTrackerToken;

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
/// All of that has an end of its own, since a client can send for as long as it likes.
#[derive(Debug)]
pub(crate) struct Lingering<S> {
    stream: S,
    /// The longest time that the end of the own side may take.
    stuck: Duration,
    /// The time of the last write.
    written: Option<Instant>,
    is_quiet: bool,
    shutdown: Shutdown,
    /// Held until the own side has ended, for connections whose answers a stop still waits for.
    answering: Option<TaskTrackerToken>,
}

/// The progress of a stream's end.
#[derive(Debug)]
enum Shutdown {
    Open,
    /// Its own side is to end. The timer is for a client that reads nothing.
    Closing(Pin<Box<Sleep>>),
    /// The other side is to end.
    Lingering {
        timer: Pin<Box<Sleep>>,
        end: Instant,
    },
    Over,
}

impl<S> Lingering<S> {
    /// The time that a silent client has to read its answer.
    const QUIET: Duration = Duration::from_secs(1);
    /// The longest time for which bytes are dropped.
    const LONGEST: Duration = Duration::from_secs(2);

    pub(crate) fn new(stream: S, stuck: Duration, answering: TaskTrackerToken) -> Self {
        Self {
            stream,
            stuck,
            written: None,
            is_quiet: false,
            shutdown: Shutdown::Open,
            answering: Some(answering),
        }
    }

    /// Notes that the client has stopped sending. The shutdown then waits only if something was
    /// written a moment ago. Many clients keep idle connections without looking at them, and would
    /// hold up a stop.
    pub(crate) fn note_quiet(&mut self) {
        self.is_quiet = true;
    }

    /// Returns the state after the end of the own side.
    fn linger(&self) -> Shutdown {
        let now = Instant::now();
        let quiet = if self.is_quiet { self.written } else { Some(now) };
        match quiet.map(|quiet| quiet + Self::QUIET) {
            Some(quiet) if now < quiet => Shutdown::Lingering {
                timer: Box::pin(sleep_until(quiet)),
                end: now + Self::LONGEST,
            },
            Some(_) | None => Shutdown::Over,
        }
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
        self.written = Some(Instant::now());
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.written = Some(Instant::now());
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.shutdown {
                Shutdown::Open => this.shutdown = Shutdown::Closing(Box::pin(sleep(this.stuck))),
                Shutdown::Closing(timer) => {
                    if let Poll::Ready(end) = Pin::new(&mut this.stream).poll_shutdown(context) {
                        end?;
                        this.answering = None;
                        this.shutdown = this.linger();
                    } else {
                        ready!(timer.as_mut().poll(context));
                        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                    }
                }
                Shutdown::Lingering { timer, end } => {
                    let mut bytes = [MaybeUninit::uninit(); 4_096];
                    let mut buffer = ReadBuf::uninit(&mut bytes);
                    let read = Pin::new(&mut this.stream).poll_read(context, &mut buffer);
                    let now = Instant::now();
                    match read {
                        Poll::Ready(Ok(())) if !buffer.filled().is_empty() && now < *end => {
                            timer.as_mut().reset((now + Self::QUIET).min(*end));
                        }
                        // The longest time has passed, the client has ended its side, or the
                        // connection is lost.
                        Poll::Ready(_) => this.shutdown = Shutdown::Over,
                        Poll::Pending => {
                            ready!(timer.as_mut().poll(context));
                            this.shutdown = Shutdown::Over;
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio_util::task::TaskTracker;

    use super::*;

    /// A client with an answer on its way is awaited, others are not.
    #[tokio::test(start_paused = true)]
    async fn a_close_waits_for_clients_that_are_owed_something() {
        const MANY: usize = 1_000;
        for (case, is_quiet, idle, bytes, awaited) in [
            ("silent and then gone", false, 0, 0, 1_000),
            ("silent after an answer", true, 0, 0, 1_000),
            ("silent after an answer a while ago", true, 700, 0, 300),
            ("silent for long", true, 5_000, 0, 0),
            ("in the middle of a request", false, 5_000, 0, 1_000),
            ("makes room for the rest", true, 0, 2, 1_800),
            ("sends for ever", false, 0, MANY, 2_000),
        ] {
            let (mut client, server) = duplex(8);
            let answering = TaskTracker::new();
            let mut stream = Lingering::new(server, Duration::ZERO, answering.token());
            stream.write_all(b"answer").await.unwrap();
            sleep(Duration::from_millis(idle)).await;
            if is_quiet {
                stream.note_quiet();
            }
            let start = Instant::now();
            let close = async {
                stream.shutdown().await.unwrap();
                // The client has its answer and the end by now.
                drop(stream);
                start.elapsed().as_millis()
            };
            let send = async {
                let mut sent = 0;
                while sent < bytes {
                    sleep(Duration::from_millis(400)).await;
                    if client.write_all(b"x").await.is_err() {
                        break;
                    }
                    sent += 1;
                }
                let mut answer = String::new();
                client.read_to_string(&mut answer).await.unwrap();
                assert_eq!(answer, "answer", "{case}");
                assert!(answering.is_empty(), "{case}");
                sent
            };
            let (elapsed, sent) = tokio::join!(close, send);
            // The timer has a resolution of a millisecond.
            assert_eq!(elapsed, awaited, "{case}");
            assert!(sent == bytes || (bytes == MANY && sent < 10), "{case}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_close_ends_with_its_client() {
        let (client, server) = duplex(8);
        let mut stream = Lingering::new(server, Duration::ZERO, TaskTracker::new().token());
        stream.write_all(b"answer").await.unwrap();
        let start = Instant::now();
        let leave = async {
            sleep(Duration::from_millis(300)).await;
            drop(client);
        };
        let (closed, ()) = tokio::join!(stream.shutdown(), leave);
        closed.unwrap();
        assert_eq!(start.elapsed().as_millis(), 300);
    }
}
