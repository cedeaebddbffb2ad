use core::future::{Future as _, poll_fn};
use core::pin::{Pin, pin};
use core::sync::atomic::Ordering;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use super::Link;
use crate::listener::Connection;
use crate::shared::Last;

/// A connection that fails once nothing has come through it for too long, and that notes when all
/// that arrived before the server's stop was read.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    link: Arc<Link>,
    /// Set once something was read.
    has_read: bool,
    /// The bytes that are still read once the server is stopping.
    last_bytes: Option<Last>,
    /// The longest time without a byte in either direction.
    idle: Duration,
    /// The longest time that the client may accept no byte of an answer.
    stuck: Duration,
    last: Instant,
    /// The time since which the client accepts no bytes.
    stuck_since: Option<Instant>,
    /// Set anew only once it has run out, or is too late.
    timer: Pin<Box<Sleep>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, link: Arc<Link>, idle: Duration, stuck: Duration) -> Self {
        let now = Instant::now();
        Self {
            stream,
            link,
            has_read: false,
            last_bytes: None,
            idle,
            stuck,
            last: now,
            stuck_since: None,
            timer: Box::pin(sleep_until(now + idle)),
        }
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

impl<S: Connection> Patient<S> {
    /// Reads what has arrived, and notes once that is all.
    fn poll_rest(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let last = self.last_bytes.get_or_insert_with(Last::new);
        if !last.is_over() {
            let before = buffer.filled().len();
            // Otherwise a task that has used up its time would take that for the end.
            let read = poll_fn(|context| Pin::new(&mut self.stream).poll_read(context, buffer));
            if let Poll::Ready(result) = pin!(unconstrained(read)).poll(context) {
                last.read(buffer.filled().len() - before, false);
                return Poll::Ready(result);
            }
            if Instant::now() >= last.deadline && self.stream.has_more() {
                last.prolong();
            }
            self.timer.as_mut().reset(last.deadline);
            if self.timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
        self.link.is_drained.store(true, Ordering::Relaxed);
        Poll::Pending
    }
}

impl<S: Connection> AsyncRead for Patient<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.link.is_ending.load(Ordering::Relaxed) {
            return this.poll_rest(context, buffer);
        }
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(result) => {
                this.last = Instant::now();
                if !this.has_read {
                    this.has_read = true;
                    // The start of its preface, which HTTP/1 does not know.
                    let is_http2 = buffer.filled()[before..].starts_with(b"PRI");
                    this.link.is_http2.store(is_http2, Ordering::Relaxed);
                }
                Poll::Ready(result)
            }
            Poll::Pending => this.poll_late(context).map(Err),
        }
    }
}

impl<S: Connection> AsyncWrite for Patient<S> {
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
        // It is called each time that the connection is polled.
        if this.link.must_look.swap(false, Ordering::Relaxed) && this.stream.has_left() {
            let error = io::ErrorKind::ConnectionAborted;
            return Poll::Ready(Err(io::Error::new(error, "the client left while it waited")));
        }
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        this.wrote(outcome, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
        this.wrote(outcome, context)
    }
}
