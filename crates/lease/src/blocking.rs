//! Stores whose client blocks: futures that need no runtime, and a client that no two processes share.

use core::fmt;
use std::sync::{Mutex, PoisonError};
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

/// Something with connections, which a child process must not share with its parent: it would read the
/// other's answers.
pub(crate) struct PerProcess<T>(Mutex<Option<(u32, T)>>);

impl<T: Clone> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// What this process has made before, or makes now.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> T {
        let process = std::process::id();
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((maker, value)) if *maker == process => value.clone(),
            _ => made.insert((process, make())).1.clone(),
        }
    }
}

impl<T> fmt::Debug for PerProcess<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerProcess").finish_non_exhaustive()
    }
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

    #[test]
    fn what_another_process_made_is_made_anew() {
        let made = PerProcess::new();
        assert_eq!((made.get(|| 1), made.get(|| 2)), (1, 1));
        *made.0.lock().unwrap() = Some((std::process::id() + 1, 3));
        assert_eq!(made.get(|| 4), 4);
    }
}
