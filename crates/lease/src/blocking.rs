//! Futures of clients that block, without a runtime.

use crate::backend::Answer;
use crate::error::StoreError;
use crate::wait::on_a_thread;

/// Runs `work` on a separate thread once the answer is polled. The thread ends at the client's
/// deadline at the latest, also if the answer is dropped before.
pub(crate) fn ask<T: Send + 'static>(
    backend: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Answer<'static, T> {
    Box::pin(async move {
        let failed = |error| StoreError::failed(backend, "run a thread").with_source(error);
        on_a_thread(&format!("tickid-{backend}"), work)
            .await
            .unwrap_or_else(|error| Err(failed(error)))
    })
}
