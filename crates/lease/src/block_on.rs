//! Waiting without an executor.

use core::hash::BuildHasher as _;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::hash_map::RandomState;
use std::io;
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};
use std::time::Instant;

use futures_channel::oneshot;

use crate::store_error::StoreError;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a request on this thread, for programs without an executor. After `timeout` the request is
/// dropped, and may have been carried out.
///
/// # Errors
/// Returns the request's error, or one that [`is_unreachable`](StoreError::is_unreachable) after
/// `timeout`.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// let realms = block_on(Store::in_memory().realms(), Duration::from_secs(5))?;
/// assert!(realms.is_empty());
/// # Ok::<(), tickid_lease::StoreError>(())
/// ```
pub fn block_on<T>(
    request: impl Future<Output = Result<T, StoreError>>,
    timeout: Duration,
) -> Result<T, StoreError> {
    let mut request = pin!(request);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let start = Instant::now();
    loop {
        if let Poll::Ready(answer) = request.as_mut().poll(&mut context) {
            return answer;
        }
        match timeout.checked_sub(start.elapsed()) {
            Some(rest) if !rest.is_zero() => thread::park_timeout(rest),
            _ => return Err(StoreError::timed_out(timeout)),
        }
    }
}

/// Waits for a random time of up to 2 ms, doubled with each lost race up to 250 ms.
pub(crate) async fn back_off(lost: u32) {
    sleep(jitter(lost, Duration::from_millis(250))).await;
}

/// Returns a random time of up to 2 ms, doubled with each lost race up to `longest` ("full
/// jitter").
pub(crate) fn jitter(lost: u32, longest: Duration) -> Duration {
    const SHORTEST: Duration = Duration::from_millis(2);
    let most = SHORTEST.saturating_mul(1 << lost.min(16)).min(longest);
    let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
    // Each `RandomState` is keyed with new random numbers.
    let random = RandomState::new().hash_one(lost);
    Duration::from_nanos(random % nanos.max(1))
}

/// Waits on a separate thread, which needs no executor and still works in the child of a `fork`.
async fn sleep(time: Duration) {
    if spawned("tickid-wait", move || thread::sleep(time)).await.is_err() {
        // If no thread can be started, this one waits.
        thread::sleep(time);
    }
}

/// Runs `work` on a separate thread, which continues if the future is dropped.
pub(crate) async fn spawned<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (sender, answer) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // Fails if the future was dropped.
        let _ = sender.send(work());
    })?;
    answer.await.map_err(|_| io::Error::other("the thread panicked"))
}

#[cfg(test)]
mod tests {
    use core::future::poll_fn;

    use super::*;

    #[test]
    fn answers_wake_the_waiter() {
        let (sender, wakers) = std::sync::mpsc::channel::<Waker>();
        let other = thread::spawn(move || wakers.recv().map(Waker::wake));
        let mut is_asked = false;
        let answer = poll_fn(|context| {
            if core::mem::replace(&mut is_asked, true) {
                return Poll::Ready(Ok(7));
            }
            sender.send(context.waker().clone()).unwrap();
            Poll::Pending
        });
        assert_eq!(block_on(answer, Duration::MAX).unwrap(), 7);
        other.join().unwrap().unwrap();
    }

    #[test]
    fn silence_ends_with_the_timeout() {
        let timeout = Duration::from_millis(1);
        let error = block_on(core::future::pending::<Result<(), _>>(), timeout).unwrap_err();
        assert!(error.is_unreachable());
        assert_eq!(error.to_string(), "the store: no answer");
    }

    #[test]
    fn back_off_ends() {
        for lost in [0, 3, u32::MAX] {
            let answer = async {
                back_off(lost).await;
                Ok(())
            };
            block_on(answer, Duration::MAX).unwrap();
        }
    }
}
