//! The store that nodes are leased from, and its record of a realm.

use core::time::Duration;
use std::env::{self, VarError};
use std::path::PathBuf;

use clap::Args;
use tickid_lease::admin::{RealmName, Refusal, RefusalKind};
use tickid_lease::backend::{FileBackend, Record};
use tickid_lease::session::block_on;
use tickid_lease::{RealmSpec, Store, StoreError};

use crate::failure::Failure;
use crate::features::check_store;
use crate::message::shown;

/// Names the store unless the command line does.
pub(crate) const STORE_VARIABLE: &str = "TICKID_STORE";

/// The timeout of a request. The stores have shorter ones; the longest is that of a folder's lock,
/// which a thousand processes may want at the same time.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(45);

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreOptions {
    /// Store to lease a node from (file:///FOLDER, postgres://…, mysql://…, etcd://…, redis://…,
    /// static:NODE/BITS) [env: TICKID_STORE] [default: the folder tickid in $XDG_STATE_HOME or
    /// ~/.local/state]
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
}

impl StoreOptions {
    /// Opens the store.
    pub(crate) fn open(&self) -> Result<Store, Failure> {
        match self.url()? {
            Some(url) => check_store(&url).and_then(|()| Ok(tickid_stores::open(&url)?)),
            None => Ok(Store::new(FileBackend::open(state_folder()?)?)),
        }
    }

    /// Opens the store for a lease that outlives this process.
    pub(crate) fn open_detached(&self) -> Result<Store, Failure> {
        match self.url()? {
            Some(url) => check_store(&url).and_then(|()| Ok(tickid_stores::open_detached(&url)?)),
            None => Ok(Store::new(FileBackend::open(state_folder()?)?.detached())),
        }
    }

    /// Opens a store that exists: does not make the folder that a URL names, which may be mistyped.
    /// Another user could not take one that root has made.
    pub(crate) fn open_existing(&self) -> Result<Store, Failure> {
        if let Some(path) = self.missing_folder() {
            let path = shown(path.as_os_str().as_encoded_bytes());
            let failure = Failure::NoStateFolder(format!("'{path}' does not exist"));
            return Err(failure.hinting("`tickid lease init` makes it, as the user of the holders"));
        }
        self.open()
    }

    /// Returns the folder that a URL names, if there is none.
    pub(crate) fn missing_folder(&self) -> Option<PathBuf> {
        let url = self.url().ok()??;
        let path = url.strip_prefix("file://")?;
        // Only the store knows what these characters stand for.
        if path.contains(['%', '?', '#']) {
            return None;
        }
        let path = PathBuf::from(path);
        (path.is_absolute() && !path.exists()).then_some(path)
    }

    fn url(&self) -> Result<Option<String>, Failure> {
        match &self.store {
            Some(url) => Ok(Some(url.clone()).filter(|url| !url.is_empty())),
            None => setting(STORE_VARIABLE),
        }
    }
}

/// Returns the value of an environment variable that is set and not empty.
///
/// # Errors
/// Fails if it is not text, because to continue without it would be to use another store or realm.
pub(crate) fn setting(variable: &str) -> Result<Option<String>, Failure> {
    match env::var(variable) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(value)) => {
            let value = shown(value.as_encoded_bytes());
            Err(Failure::Usage(format!("${variable} is not valid UTF-8: '{value}'")))
        }
    }
}

/// Returns the folder where this user's programs keep their state.
fn state_folder() -> Result<PathBuf, Failure> {
    // A path that is not absolute does not count, as the XDG Base Directory Specification says.
    let folder = |variable| {
        env::var_os(variable).map(PathBuf::from).filter(|folder: &PathBuf| folder.is_absolute())
    };
    let home = || folder("HOME").map(|home| home.join(".local").join("state"));
    let state = folder("XDG_STATE_HOME").or_else(home).or_else(|| folder("LOCALAPPDATA"));
    let state = state.ok_or_else(|| Failure::NoStateFolder(why_no_state_folder()))?;
    Ok(state.join("tickid"))
}

/// Returns the reason why no variable names a folder: those that are set name none from the root
/// on.
fn why_no_state_folder() -> String {
    let set = ["XDG_STATE_HOME", "HOME"].into_iter().filter_map(|variable| {
        let value = env::var_os(variable).filter(|value| !value.is_empty())?;
        let value = shown(value.as_encoded_bytes());
        Some(format!("{variable} is the relative path '{value}'"))
    });
    let set: Vec<String> = set.collect();
    if set.is_empty() {
        return "neither XDG_STATE_HOME nor HOME is set".into();
    }
    format!("{}, where an absolute one is needed", set.join(" and "))
}

/// Waits for an answer of the store, up to the timeout of a request.
pub(crate) fn answer<T>(
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    block_on(request, ANSWER_WITHIN)
}

/// Returns what to say about a realm that was created, since its name may be mistyped: it names the
/// nearest other one.
pub(crate) fn created_remark(store: &Store, realm: &RealmSpec) -> Option<String> {
    // A static node without a folder has its realms in memory, so each of its processes makes them.
    if store.inner().name() == "memory" {
        return None;
    }
    // The nearest name is only a help: the realm is there without it.
    let names = answer(store.realms()).unwrap_or_default();
    let others = names.into_iter().filter(|name| name != realm.name());
    let nearest = realm.name().nearest(others);
    let nearest = nearest.map_or_else(String::new, |name| format!("; the nearest is {name}"));
    let (name, scheme, pool) = (realm.name(), realm.scheme(), realm.pool());
    Some(format!("created the realm {name}: {scheme}, with the nodes {pool}{nearest}"))
}

/// Returns a realm as the store keeps it; `None` when there is no such realm, or not any more.
pub(crate) fn kept(store: &Store, name: &RealmName) -> Result<Option<RealmSpec>, StoreError> {
    Ok(record(store, name)?.map(|record| record.realm))
}

/// Returns the record of a realm; `None` when there is no such realm, or not any more.
pub(crate) fn record(store: &Store, name: &RealmName) -> Result<Option<Record>, StoreError> {
    match answer(store.realm(name)) {
        Ok(record) => Ok(Some(record)),
        Err(error) => match error.refusal().map(Refusal::kind) {
            Some(RefusalKind::Missing { .. }) => Ok(None),
            _ => Err(error),
        },
    }
}
