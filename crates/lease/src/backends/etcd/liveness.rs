//! An etcd lease by which others see that a holder is gone.

use core::time::Duration;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tickid_core::PerProcess;

use super::gateway::Gateway;
use super::message::LeaseId;
use crate::error::StoreError;

/// Sees to it that this client has an etcd lease, and that it is kept alive for as long as the client is there: in
/// each process by a thread of its own.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// In seconds.
    ttl: u32,
    kept: PerProcess<Kept>,
}

/// What a client and its thread share.
#[derive(Debug, Default)]
struct Shared(Mutex<Option<LeaseId>>);

#[derive(Debug)]
struct Kept {
    shared: Arc<Shared>,
    /// The thread ends with it.
    _until: Sender<()>,
}

impl Liveness {
    pub(crate) const fn new(ttl: u32) -> Self {
        Self { ttl, kept: PerProcess::new() }
    }

    /// The client's lease, granted now if it has none. `None` where etcd refuses to grant one: a row is written
    /// without it then, as if nobody had asked for it.
    ///
    /// # Errors
    /// When there is no answer.
    pub(crate) fn lease(&self, gateway: &Arc<Gateway>) -> Result<Option<LeaseId>, StoreError> {
        let kept = self.kept.get_or_set(|| Kept::start(self.ttl, gateway));
        // Locked while it is granted, so that no two are.
        let mut id = kept.shared.lock();
        if id.is_none() {
            match gateway.grant_lease(self.ttl) {
                Ok(granted) => *id = Some(granted),
                Err(error) if error.is_unreachable() => return Err(error),
                Err(error) => {
                    let source = core::error::Error::source(&error).map(ToString::to_string);
                    tracing::warn!(%error, source, "no etcd lease: nobody will see when we are gone");
                }
            }
        }
        Ok(*id)
    }

    /// `lease` is over: the next is to be another.
    pub(crate) fn is_over(&self, gateway: &Arc<Gateway>, lease: LeaseId) {
        self.kept.get_or_set(|| Kept::start(self.ttl, gateway)).shared.forget(lease);
    }
}

impl Kept {
    fn start(ttl: u32, gateway: &Arc<Gateway>) -> Self {
        let (until, end) = channel();
        let shared = Arc::<Shared>::default();
        let (gateway, theirs) = (Arc::clone(gateway), Arc::clone(&shared));
        let name = thread::Builder::new().name("tickid-etcd-lease".to_owned());
        let every = Duration::from_secs(ttl.into()) / 3;
        let started = name.spawn(move || keep_alive(&gateway, &theirs, &end, every));
        if let Err(error) = started {
            // Then it ends while its holder lives, who is renewed all the same.
            tracing::warn!(%error, "no thread to keep the etcd lease alive");
        }
        Self { shared, _until: until }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<LeaseId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, lease: LeaseId) {
        self.lock().take_if(|kept| *kept == lease);
    }
}

fn keep_alive(gateway: &Gateway, shared: &Shared, end: &Receiver<()>, every: Duration) {
    while end.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let lease = *shared.lock();
        let Some(lease) = lease else { continue };
        match gateway.keep_alive(lease) {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!("the etcd lease ended; the next renewal gets another");
                shared.forget(lease);
            }
            Err(error) => tracing::debug!(%error, "the etcd lease was not kept alive"),
        }
    }
}
