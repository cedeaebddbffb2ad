use core::future::{Future as _, poll_fn};
use core::pin::{Pin, pin};
use core::sync::atomic::Ordering;
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_io_timeout::TimeoutStream;

use super::Link;
use crate::listener::Connection;
use crate::shared::Last;

/// A connection that fails once nothing has come through it for too long, and that notes when all
/// that arrived before the server's stop was read.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: Pin<Box<TimeoutStream<S>>>,
    link: Arc<Link>,
    /// Set once something was read.
    has_read: bool,
    /// The bytes that are still read once the server is stopping, and the timer of their end.
    last: Option<(Last, Pin<Box<Sleep>>)>,
}

impl<S: Connection> Patient<S> {
    /// Lets the client send nothing for the time `idle`, and accept no byte of an answer for the
    /// time `stuck`.
    pub(super) fn new(stream: S, link: Arc<Link>, idle: Duration, stuck: Duration) -> Self {
        let mut stream = TimeoutStream::new(stream);
        stream.set_read_timeout(Some(idle));
        stream.set_write_timeout(Some(stuck));
        Self { stream: Box::pin(stream), link, has_read: false, last: None }
    }

    /// Reads what has arrived, and notes once that is all.
    fn poll_rest(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (last, timer) = self.last.get_or_insert_with(|| {
            let last = Last::new();
            (last, Box::pin(sleep_until(last.deadline)))
        });
        if !last.is_over() {
            let before = buffer.filled().len();
            // Otherwise a task that has used up its time would take that for the end.
            let read = poll_fn(|context| self.stream.as_mut().poll_read(context, buffer));
            if let Poll::Ready(result) = pin!(unconstrained(read)).poll(context) {
                last.read(buffer.filled().len() - before, false);
                return Poll::Ready(result);
            }
            if Instant::now() >= last.deadline && self.stream.get_ref().has_more() {
                last.prolong();
            }
            timer.as_mut().reset(last.deadline);
            if timer.as_mut().poll(context).is_pending() {
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
        let outcome = this.stream.as_mut().poll_read(context, buffer);
        if outcome.is_ready() && !this.has_read {
            this.has_read = true;
            // The start of its preface, which HTTP/1 does not know.
            let is_http2 = buffer.filled()[before..].starts_with(b"PRI");
            this.link.is_http2.store(is_http2, Ordering::Relaxed);
        }
        outcome
    }
}

impl<S: Connection> AsyncWrite for Patient<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().stream.as_mut().poll_write(context, buffer)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().stream.as_mut().poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // It is called each time that the connection is polled.
        if this.link.must_look.swap(false, Ordering::Relaxed) && this.stream.get_ref().has_left() {
            let error = io::ErrorKind::ConnectionAborted;
            return Poll::Ready(Err(io::Error::new(error, "the client left while it waited")));
        }
        this.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream.as_mut().poll_shutdown(context)
    }
}
