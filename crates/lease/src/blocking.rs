//! Futures of clients that block, without a runtime.

use std::thread;

use futures_channel::oneshot;

use crate::backend::Answer;
use crate::error::StoreError;

/// Runs `work` on a thread of its own once the answer is polled. The thread ends at the client's
/// deadline at the latest, also if the answer is dropped before.
pub(crate) fn on_a_thread<T: Send + 'static>(
    backend: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Answer<'static, T> {
    Box::pin(async move {
        let (sender, answer) = oneshot::channel();
        let name = format!("tickid-{backend}");
        thread::Builder::new()
            .name(name)
            .spawn(move || {
                // Fails if the answer was dropped.
                let _ = sender.send(work());
            })
            .map_err(|error| StoreError::failed(backend, "start a thread").with_source(error))?;
        answer.await.unwrap_or_else(|_| Err(StoreError::failed(backend, "finish its thread")))
    })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::wait::block_on;

    #[test]
    fn answers_cross_threads() {
        let here = thread::current().id();
        let answer = on_a_thread("test", move || Ok(thread::current().id() != here));
        assert!(block_on(answer, Duration::MAX).unwrap());
    }

    #[test]
    fn a_thread_that_dies_is_a_failure() {
        let answer = on_a_thread::<()>("test", || std::panic::resume_unwind(Box::new(())));
        let error = block_on(answer, Duration::MAX).unwrap_err();
        assert_eq!(error.to_string(), "test store: could not finish its thread");
        assert!(!error.is_unreachable());
    }
}
