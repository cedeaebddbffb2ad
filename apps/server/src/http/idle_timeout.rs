//! The stream of an HTTP connection.

use core::future::{Future as _, poll_fn};
use core::pin::{Pin, pin};
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_io_timeout::TimeoutStream;

use super::link::{ClientProgress, Link};
use crate::shared::{LOOK, Last};
use crate::stream::{ClientStream, Lingering};

/// A stream that fails once nothing has come through it for too long, or once its client has left
/// while nothing is read from it. When the server stops, it ends after the bytes that have arrived
/// by then, because HTTP/1 answers all requests before such an end, but would drop those in its
/// buffer if it were shut down. HTTP/2, which ends by a frame of its own, is shut down instead.
#[derive(Debug)]
pub(super) struct IdleTimeout<S> {
    stream: Pin<Box<TimeoutStream<Lingering<S>>>>,
    link: Arc<Link>,
    /// The version of HTTP, once something was read.
    is_http2: Option<bool>,
    /// Set while its reader waits for bytes, and so learns by itself that the client has left.
    is_awaited: bool,
    /// Set if something was written since the last flush.
    has_written: bool,
    /// Set once it is shut down, when the client is expected to leave.
    is_ending: bool,
    /// The time of the next check that the client is still there, once a request has waited.
    look: Option<Pin<Box<Sleep>>>,
    /// The bytes that are still read once the server is stopping, and the timer of their end.
    last: Option<(Last, Pin<Box<Sleep>>)>,
}

impl<S: ClientStream> IdleTimeout<S> {
    /// Lets the client send nothing for the time `idle`, and accept no byte of an answer for the
    /// time `stuck`.
    pub(super) fn new(
        stream: Lingering<S>,
        link: Arc<Link>,
        idle: Duration,
        stuck: Duration,
    ) -> Self {
        let mut stream = TimeoutStream::new(stream);
        stream.set_read_timeout(Some(idle));
        stream.set_write_timeout(Some(stuck));
        Self {
            stream: Box::pin(stream),
            link,
            is_http2: None,
            is_awaited: false,
            has_written: false,
            is_ending: false,
            look: None,
            last: None,
        }
    }

    /// Reads what has arrived, and then the end.
    fn poll_rest(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // The clock starts at the first read after the stop. An end that came at once would cut off
        // requests that were on their way, and a client that keeps its connection open would never
        // let the server stop.
        let (last, timer) = self.last.get_or_insert_with(|| {
            let last = Last::new();
            (last, Box::pin(sleep_until(last.deadline)))
        });
        if last.is_over() {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        // Without `unconstrained`, a task that has used up its share of time would get `Pending`
        // here although bytes have arrived, and that would be taken for the end.
        let read = poll_fn(|context| self.stream.as_mut().poll_read(context, buffer));
        if let Poll::Ready(result) = pin!(unconstrained(read)).poll(context) {
            last.read(buffer.filled().len() - before, false);
            return Poll::Ready(result);
        }
        // On a busy machine the timer may run out before the runtime has heard of bytes that the
        // system has already. They came in time, so they are waited for.
        if Instant::now() >= last.deadline && self.stream.get_ref().has_more() {
            last.prolong();
        }
        // The timer is polled after the stream, so both wake the task. A return without bytes is
        // the end of the stream for hyper.
        timer.as_mut().reset(last.deadline);
        ready!(timer.as_mut().poll(context));
        self.stream.as_mut().get_pin_mut().get_mut().note_quiet();
        Poll::Ready(Ok(()))
    }

    /// Fails if the client has left, although nothing is read that would show it, since HTTP/1
    /// reads nothing before it has answered a request.
    fn poll_look(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let look = self.look.get_or_insert_with(|| Box::pin(sleep(LOOK)));
        while look.as_mut().poll(context).is_ready() {
            if self.stream.get_ref().has_left() {
                let error = io::ErrorKind::ConnectionAborted;
                return Err(io::Error::new(error, "the client left while it waited"));
            }
            look.as_mut().reset(Instant::now() + LOOK);
        }
        Ok(())
    }
}

impl<S: ClientStream> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let outcome = if this.link.input_ends() && this.is_http2 != Some(true) {
            this.poll_rest(context, buffer)
        } else {
            this.stream.as_mut().poll_read(context, buffer)
        };
        this.is_awaited = outcome.is_pending();
        if outcome.is_ready() && this.is_http2.is_none() {
            // The start of its preface, which HTTP/1 does not know.
            this.is_http2 = Some(buffer.filled()[before..].starts_with(b"PRI"));
        }
        if this.link.input_ends() && this.is_http2 == Some(true) {
            this.link.want_end();
        }
        outcome
    }
}

impl<S: ClientStream> AsyncWrite for IdleTimeout<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.has_written = true;
        this.stream.as_mut().poll_write(context, buffer)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.has_written = true;
        this.stream.as_mut().poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // It is called each time that the connection is polled. If nothing was written and nothing
        // is awaited, a request is waiting for its answer.
        if !core::mem::take(&mut this.has_written) && !this.is_awaited && !this.is_ending {
            this.poll_look(context)?;
        }
        this.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.is_ending = true;
        // The end has a time of its own, also that of a client which sent no valid request.
        this.link.advance(ClientProgress::Known);
        // Not through the timeout, which would wake the task over and over: hyper flushes each time
        // that it polls, and each flush starts the time anew.
        this.stream.as_mut().get_pin_mut().poll_shutdown(context)
    }
}
