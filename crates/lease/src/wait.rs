//! Waiting for a store's answer on a thread of one's own, without an executor.

use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};
use std::time::Instant;

/// The time was over before the answer came. Whether what was asked is done is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no answer within {0:?}")]
pub struct TimedOut(pub Duration);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread, for `most` at the longest; then it is dropped.
///
/// # Errors
/// [`TimedOut`].
pub fn block_on<T>(future: impl Future<Output = T>, most: Duration) -> Result<T, TimedOut> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let start = Instant::now();
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Ok(value);
        }
        match most.checked_sub(start.elapsed()) {
            Some(rest) if !rest.is_zero() => thread::park_timeout(rest),
            _ => return Err(TimedOut(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_another_thread_wakes_this_one() {
        let (sender, waker_of) = std::sync::mpsc::channel::<Waker>();
        let other = thread::spawn(move || waker_of.recv().map(Waker::wake));
        let mut asked = false;
        let future = core::future::poll_fn(|context| {
            if core::mem::replace(&mut asked, true) {
                return Poll::Ready(7);
            }
            sender.send(context.waker().clone()).unwrap();
            Poll::Pending
        });
        assert_eq!(block_on(future, Duration::MAX), Ok(7));
        other.join().unwrap().unwrap();
    }

    #[test]
    fn silence_ends_with_the_time() {
        let most = Duration::from_millis(1);
        assert_eq!(block_on(core::future::pending::<()>(), most), Err(TimedOut(most)));
    }
}
