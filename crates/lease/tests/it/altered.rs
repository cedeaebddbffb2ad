//! A backend in memory that answers otherwise where a test says so.

use core::fmt;
use std::sync::Arc;

use tickid_core::ManualClock;
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
    pub(crate) is_remote: bool,
    pub(crate) read: Box<Read>,
    pub(crate) commit: Box<Write>,
}

impl Altered {
    /// Answers as `memory` does.
    pub(crate) fn new(memory: Memory) -> Self {
        let commit = |memory: &Memory, realm: &_, change: &_| Ok(memory.write(realm, change));
        Self { memory, is_remote: false, read: Box::new(Memory::data), commit: Box::new(commit) }
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
        self.is_remote
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
