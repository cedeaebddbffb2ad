//! Requests of HTTP/2 connections, which run as tasks and are reset without progress.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, sleep};

/// Runs the requests of HTTP/2 connections, and resets those without progress, because a client may
/// keep its connection busy and never accept an answer.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    /// The longest time without progress.
    pub(super) stuck: Duration,
}

impl<F> Executor<F> for Streams
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let stuck = self.stuck;
        tokio::spawn(async move {
            let mut stream = pin!(stream);
            let mut timer = pin!(sleep(stuck));
            poll_fn(|context| {
                let is_late = timer.as_mut().poll(context).is_ready();
                if stream.as_mut().poll(context).is_ready() || is_late {
                    return Poll::Ready(());
                }
                // The stream is polled only when it has been woken, so each poll makes progress.
                timer.as_mut().reset(Instant::now() + stuck);
                timer.as_mut().poll(context)
            })
            .await;
        });
    }
}
