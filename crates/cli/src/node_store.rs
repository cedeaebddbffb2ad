//! The store that nodes are leased from: which one it is, and what it keeps of a realm.

use core::time::Duration;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tickid_lease::{FileStore, Listing, Realm, RealmName, Refusal, Store, StoreError, block_on};

use crate::failure::Failure;

/// Names the store unless the command line does.
pub(crate) const STORE_VARIABLE: &str = "TICKID_STORE";

/// For how long to wait for an answer.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreOptions {
    /// Store to lease a node from (file:///FOLDER, postgres://…, mysql://…, etcd://…, redis://…, static:NODE/BITS) [default:
    /// $TICKID_STORE, or the folder tickid in $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

impl StoreOptions {
    /// Opens the store.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        match self.url() {
            Some(url) => Ok(Arc::from(tickid_lease::connect(&url)?)),
            None => Ok(Arc::new(FileStore::open(state_folder()?)?)),
        }
    }

    /// The same for a lease that outlives this process, where a folder would prove its holder dead.
    pub(crate) fn open_without_proof_of_death(&self) -> Result<Arc<dyn Store>, Failure> {
        match self.url() {
            Some(url) => Ok(Arc::from(tickid_lease::connect_without_proof_of_death(&url)?)),
            None => Ok(Arc::new(FileStore::open(state_folder()?)?.without_proof_of_death())),
        }
    }

    fn url(&self) -> Option<String> {
        self.store.clone().or_else(|| env::var(STORE_VARIABLE).ok()).filter(|url| !url.is_empty())
    }
}

/// Where this user's programs keep what has to outlive them.
fn state_folder() -> Result<PathBuf, Failure> {
    // What is not absolute does not count, as the XDG Base Directory Specification says.
    let folder = |variable| {
        env::var_os(variable).map(PathBuf::from).filter(|folder: &PathBuf| folder.is_absolute())
    };
    let home = || folder("HOME").map(|home| home.join(".local").join("state"));
    let state = folder("XDG_STATE_HOME").or_else(home).or_else(|| folder("LOCALAPPDATA"));
    Ok(state.ok_or(Failure::NoStateFolder)?.join("tickid"))
}

/// Waits for an answer of the store, but not for ever.
pub(crate) fn answer<T>(
    store: &dyn Store,
    answer: tickid_lease::Answer<'_, T>,
) -> Result<T, StoreError> {
    answer_within(store, answer, ANSWER_WITHIN)
}

/// Waits for an answer of the store for so long.
pub(crate) fn answer_within<T>(
    store: &dyn Store,
    answer: tickid_lease::Answer<'_, T>,
    most: Duration,
) -> Result<T, StoreError> {
    block_on(answer, most).unwrap_or_else(|silence| {
        let kind = tickid_lease::StoreErrorKind::Unreachable;
        Err(StoreError::new(store.backend(), kind).with_source(silence))
    })
}

/// What the store keeps of a realm; `None` when there is no such realm yet.
pub(crate) fn listing(store: &dyn Store, name: &RealmName) -> Result<Option<Listing>, StoreError> {
    match answer(store, store.list(name)) {
        Ok(listing) => Ok(Some(listing)),
        Err(error) if matches!(error.refusal(), Some(Refusal::NoRealm)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns `realm` with the nodes and the terms that the store keeps for it, if it has the realm.
/// The scheme, the layout and the kind of IDs stay those of `realm`: the store refuses a request in
/// which they differ.
pub(crate) fn as_kept(store: &dyn Store, realm: Realm) -> Result<Realm, Failure> {
    let Some(listing) = listing(store, realm.name())? else { return Ok(realm) };
    let kept = listing.record.realm;
    // A static store has a realm for each node, which is called otherwise.
    let (name, scheme) = (realm.name().clone(), realm.scheme().to_owned());
    let (layout, scale, end) = (realm.layout().to_owned(), realm.scale(), realm.end());
    let has_same_ids = kept.variants() == realm.variants();
    let pool = if has_same_ids { kept.pool() } else { realm.pool() }.clone();
    Ok(Realm::from_parts(name, scheme, layout, scale, end, pool, kept.terms()))
}
