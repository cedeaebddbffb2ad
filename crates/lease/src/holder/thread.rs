//! The thread of a leased generator, as its calls see it.

use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::holder::builder::HolderOptions;
use crate::holder::engine::Engines;
use crate::holder::error::LeaseError;
use crate::holder::state::HolderState;
use crate::holder::worker::Worker;
use crate::model::realm_spec::RealmSpec;
use crate::store_error::StoreError;

/// The thread that keeps the lease. Dropping this stops it.
pub(super) struct LeaseThread {
    pub(super) shared: Arc<HolderState>,
    /// Until it is joined. It returns the result of releasing the node.
    handle: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

impl LeaseThread {
    /// Starts to acquire a lease.
    pub(super) fn start(
        options: HolderOptions,
        realm: RealmSpec,
        engines: Box<dyn Engines + Send>,
        max_wait: Duration,
    ) -> Result<Self, LeaseError> {
        // The thread ends a request within its timeout.
        let HolderOptions { start_within, answer_within, adopts, .. } = &options;
        let timeout = answer_within.unwrap_or(realm.terms().longest_timeout());
        // A claim, its adoption, and the claim again.
        let requests = if *adopts { 3 } else { 1 };
        let timeout = timeout.saturating_mul(requests).saturating_add(Duration::from_secs(1));
        let max_start = start_within.saturating_add(timeout);
        let shared = Arc::new(HolderState::new(max_wait, max_start));
        let worker = Worker::new(options, realm, engines, Arc::clone(&shared))?;
        let thread = thread::Builder::new().name("tickid-lease".to_owned());
        let handle = thread.spawn(move || worker.run());
        let handle = handle.map_err(|error| LeaseError::system("start a thread", error))?;
        Ok(Self { shared, handle: Mutex::new(Some(handle)) })
    }

    pub(super) fn stop(&self) -> Result<(), StoreError> {
        if !self.shared.is_ours() {
            // The node and the thread are the parent's, and the lock may be held forever.
            return Ok(());
        }
        self.shared.stop();
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(handle) = handle else {
            // Another call joins the thread, or has.
            self.shared.wait_for_end();
            return Ok(());
        };
        // Only a clock can panic in the thread, and the panic was printed.
        handle.join().unwrap_or(Ok(()))
    }
}

impl Drop for LeaseThread {
    fn drop(&mut self) {
        if !self.shared.is_ours() {
            // There is no such thread in this process to detach from.
            let handle = self.handle.get_mut().unwrap_or_else(PoisonError::into_inner);
            core::mem::forget(handle.take());
        }
        if let Err(error) = self.stop() {
            tracing::warn!(%error, "the node was not released");
        }
    }
}
