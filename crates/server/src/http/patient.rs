use core::future::Future as _;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A connection that fails once nothing has come through it for too long.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    /// The longest time without a byte in either direction.
    idle: Duration,
    /// The longest time in which the client accepts no byte of an answer.
    stuck: Duration,
    last: Instant,
    /// The start of the time in which the client accepts no bytes.
    stuck_since: Option<Instant>,
    /// Set anew only once it has run out, or is too late.
    timer: Pin<Box<Sleep>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, idle: Duration, stuck: Duration) -> Self {
        let now = Instant::now();
        let timer = Box::pin(sleep_until(now + idle));
        Self { stream, idle, stuck, last: now, stuck_since: None, timer }
    }

    /// Returns an error once a deadline has passed.
    fn poll_late(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let deadline = match self.stuck_since {
            Some(since) => since + self.stuck,
            None => self.last + self.idle,
        };
        if self.timer.deadline() > deadline {
            self.timer.as_mut().reset(deadline);
        }
        loop {
            ready!(self.timer.as_mut().poll(context));
            if Instant::now() >= deadline {
                let what = match self.stuck_since {
                    Some(_) => "the client does not read",
                    None => "the connection is idle",
                };
                return Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            self.timer.as_mut().reset(deadline);
        }
    }

    /// Turns the outcome of an attempt to write into the outcome for the caller.
    fn wrote<T>(
        &mut self,
        outcome: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            (self.last, self.stuck_since) = (Instant::now(), None);
            return outcome;
        }
        self.stuck_since.get_or_insert_with(Instant::now);
        self.poll_late(context).map(Err)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(result) => {
                this.last = Instant::now();
                Poll::Ready(result)
            }
            Poll::Pending => this.poll_late(context).map(Err),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, buffer);
        this.wrote(outcome, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, buffers);
        this.wrote(outcome, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        this.wrote(outcome, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
        this.wrote(outcome, context)
    }
}
