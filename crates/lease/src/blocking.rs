//! Futures for stores whose client blocks, which need no runtime.

use std::thread;

use futures_channel::oneshot;

use crate::error::{StoreError, StoreErrorKind};
use crate::store::Answer;

/// What `work` returns, which runs on a thread of its own once the answer is asked for. It ends with the
/// client's time-outs; whoever drops the answer just does not hear it.
pub(crate) fn on_a_thread<T: Send + 'static>(
    backend: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Answer<'static, T> {
    Box::pin(async move {
        let (sender, answer) = oneshot::channel();
        let failed =
            |what: &str| StoreError::new(backend, StoreErrorKind::Failed { what: what.to_owned() });
        let name = format!("tickid-{backend}");
        thread::Builder::new()
            .name(name)
            .spawn(move || {
                // Fails when nobody wants to know any more.
                let _ = sender.send(work());
            })
            .map_err(|error| failed("start a thread").with_source(error))?;
        answer.await.unwrap_or_else(|_| Err(failed("finish its thread")))
    })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::wait::block_on;

    #[test]
    fn answers_come_from_a_thread_of_their_own() {
        let here = thread::current().id();
        let answer = on_a_thread("test", move || Ok(thread::current().id() != here));
        assert!(block_on(answer, Duration::MAX).unwrap().unwrap());
    }

    #[test]
    fn a_thread_that_dies_is_a_failure_not_silence() {
        let answer = on_a_thread::<()>("test", || std::panic::resume_unwind(Box::new(())));
        let error = block_on(answer, Duration::MAX).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "test store: could not finish its thread");
        assert!(!error.is_unreachable());
    }
}
