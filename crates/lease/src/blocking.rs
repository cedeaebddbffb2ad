//! Answers of clients that block, without a runtime.

use crate::backend::Answer;
use crate::block_on::spawned;
use crate::store_error::StoreError;

/// Runs `work` on a thread of its own once the answer is polled. This makes a backend of a client
/// that blocks, without a runtime.
///
/// A thread cannot be cancelled, so `work` continues if the answer is dropped, and must end at a
/// deadline of its own.
///
/// # Errors
/// The answer is the error of `work`, or one of the kind
/// [`Failed`](crate::backend::StoreErrorKind::Failed) if no thread can be started or `work` panics.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::backend::on_a_thread;
/// use tickid_lease::session::block_on;
///
/// let answer = on_a_thread("my", || Ok(std::thread::current().name().map(str::to_owned)));
/// assert_eq!(block_on(answer, Duration::from_secs(5))?.as_deref(), Some("tickid-my"));
/// # Ok::<(), tickid_lease::StoreError>(())
/// ```
pub fn on_a_thread<T: Send + 'static>(
    backend: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Answer<'static, T> {
    Box::pin(async move {
        let failed = |error| StoreError::failed(backend, "run a thread").with_source(error);
        spawned(&format!("tickid-{backend}"), work).await.unwrap_or_else(|error| Err(failed(error)))
    })
}
