//! A backend in memory that answers otherwise where a test says so.

use core::fmt;
use std::sync::Arc;
use std::time::Instant;

use tickid_core::{Clock as _, ManualClock, UnixTime};
use tickid_lease::StoreError;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, MemoryBackend, RealmView, Scope, StoreErrorKind,
};

const NAME: &str = "altered";

pub(crate) type Memory = MemoryBackend<Arc<ManualClock>>;
type Read = dyn Fn(&Memory, &RealmName, Scope) -> Result<RealmView, StoreError> + Send + Sync;
type Write = dyn Fn(&Memory, &RealmName, &Change) -> Result<Commit, StoreError> + Send + Sync;

pub(crate) struct Altered {
    pub(crate) memory: Memory,
    /// The clock of both ends, if the store is distant.
    pub(crate) remote: Option<Arc<ManualClock>>,
    pub(crate) began: Instant,
    pub(crate) read: Box<Read>,
    pub(crate) commit: Box<Write>,
}

impl Altered {
    /// Answers as `memory` does.
    pub(crate) fn new(memory: Memory) -> Self {
        let commit = |memory: &Memory, realm: &_, change: &_| Ok(memory.write(realm, change));
        let (read, commit) = (Box::new(Memory::data), Box::new(commit));
        Self { memory, remote: None, began: Instant::now(), read, commit }
    }

    pub(crate) fn error(kind: StoreErrorKind) -> StoreError {
        StoreError::new(NAME, kind)
    }
}

impl fmt::Debug for Altered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}

impl Backend for Altered {
    fn name(&self) -> &'static str {
        NAME
    }

    fn starts_immediately(&self) -> bool {
        true
    }

    fn is_remote(&self) -> bool {
        self.remote.is_some()
    }

    fn monotonic(&self) -> Instant {
        let since =
            |clock: &Arc<ManualClock>| clock.now().unwrap().saturating_since(UnixTime::EPOCH);
        self.began + self.remote.as_ref().map(since).unwrap_or_default()
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(async move { (self.read)(&self.memory, realm, scope) })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(async move { (self.commit)(&self.memory, realm, change) })
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        self.memory.realms()
    }

    fn back_off(&self, _: u32) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}
