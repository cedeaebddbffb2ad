//! The backend in a folder passes the conformance scenarios, and survives damage to its files.

#[cfg(unix)]
mod access;
mod damage;

use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tickid_core::{AnyNode, Clock as _, ManualClock, UnixTime};
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{Backend as _, FileBackend, RowState, Scope, StoreErrorKind};
use tickid_lease::conformance::Testbed;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, Realm, RealmSpec, Store, StoreError};
use tickid_sno::Sno;

const HOUR: Duration = Duration::from_secs(3_600);
const TIMEOUT: Duration = Duration::from_secs(30);

/// A separate folder, and a clock.
#[derive(Debug)]
struct Folder {
    clock: Arc<ManualClock>,
    root: TempDir,
    saved: Mutex<Vec<(PathBuf, Vec<u8>)>>,
}

impl Folder {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
        // In memory if possible: these tests do not test the disk, and syncing takes time.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Self { clock, root: root.unwrap(), saved: Mutex::default() }
    }

    fn backend(&self) -> FileBackend<Arc<ManualClock>> {
        FileBackend::open_with_clock(self.root.path(), Arc::clone(&self.clock)).unwrap()
    }

    fn open(&self) -> Store {
        Store::new(self.backend())
    }

    fn open_detached(&self) -> Store {
        Store::new(self.backend().detached())
    }

    /// A file of the realm "a".
    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("a").join(name)
    }

    fn acquire(&self, pool: &str) -> Result<Lease, StoreError> {
        acquire(&self.open(), pool)
    }
}

impl Testbed for Folder {
    fn store(&self) -> Store {
        self.open()
    }

    fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn set_forward(&self) {
        self.clock.advance(HOUR);
    }

    fn set_back(&self) {
        let now = self.clock.now().unwrap();
        self.clock.set(now.checked_sub(HOUR).unwrap());
    }

    fn save(&self, _: &RealmName) {
        *self.saved.lock().unwrap() = contents(self);
    }

    fn load(&self, realm: &RealmName) {
        let folder = self.root.path().join(realm.as_str());
        // The locks stay, as they do when a running store's files are replaced.
        let is_data = |path: &Path| {
            path.starts_with(&folder)
                && !path.ends_with("lock")
                && !path.starts_with(folder.join("holders"))
        };
        for (path, _) in contents(self).iter().filter(|(path, _)| is_data(path)) {
            fs::remove_file(path).unwrap();
        }
        for (path, bytes) in self.saved.lock().unwrap().iter().filter(|(path, _)| is_data(path)) {
            fs::write(path, bytes).unwrap();
        }
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let name = format!("{}-{}", node.value(), node.bits());
        let path = self.root.path().join(realm.as_str()).join("nodes").join(name);
        fs::write(path, "no row").unwrap();
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        let folder = self.root.path().join(realm.as_str());
        let row = |node: AnyNode| format!("nodes/{}-{}", node.value(), node.bits());
        fs::remove_file(folder.join(node.map_or_else(|| "realm".to_owned(), row))).unwrap();
    }
}

fn open(folder: impl Into<PathBuf>) -> Result<Store, StoreError> {
    FileBackend::open(folder).map(Store::new)
}

mod scenarios {
    // A folder does not notice that it was restored.
    tickid_lease::store_scenarios!(super::Folder::new(), no generation);
}

fn realm(pool: &str) -> RealmSpec {
    RealmSpec::from(Realm::builder("a", Sno).pool(pool).build().unwrap())
}

fn acquire(store: &Store, pool: &str) -> Result<Lease, StoreError> {
    acquire_of(store, &realm(pool))
}

fn acquire_of(store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    block_on(store.acquire(realm, &mut claim), TIMEOUT)
}

fn renew(store: &Store, lease: &Lease) -> Result<Lease, StoreError> {
    block_on(store.renew(&realm("7/16"), lease), TIMEOUT)
}

fn release(store: &Store, lease: &Lease) -> Result<(), StoreError> {
    block_on(store.release(&realm("7/16"), lease, None), TIMEOUT)
}

#[test]
fn dead_holder_frees_its_node() {
    let folder = Folder::new();
    let store = folder.open();
    let first = acquire(&store, "7/16").unwrap();
    assert!(folder.acquire("7/16").is_err());
    drop(store);
    let second = folder.acquire("7/16").unwrap();
    assert_eq!(second.floor, first.ceiling);
    assert!(second.ceiling > second.floor);
}

#[test]
fn detached_leases_expire() {
    let folder = Folder::new();
    let store = folder.open_detached();
    let first = acquire(&store, "7/16").unwrap();
    drop(store);
    assert!(folder.acquire("7/16").is_err());
    folder.clock.advance(Duration::from_secs(15));
    assert_eq!(folder.acquire("7/16").unwrap().floor, first.ceiling);
}

#[test]
fn only_rows_are_left_behind() {
    let folder = Folder::new();
    for _ in 0..5 {
        folder.acquire("0-3/16").unwrap();
    }
    let store = folder.open();
    let last = acquire(&store, "0-3/16").unwrap();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(folder.root.path()), ["a"]);
    assert_eq!(
        names(&folder.path("")),
        ["holders", "index", "lock", "nodes", "realm", "realm.spare"]
    );
    // One for each row that has a holder, or had one that died.
    let rows = names(&folder.path("nodes")).len();
    assert_eq!(names(&folder.path("holders")).len(), rows);
    release(&store, &last).unwrap();
    assert_eq!(names(&folder.path("holders")).len(), rows - 1);
}

/// Claims read a few files and no folder, however many rows there are.
#[test]
fn claims_read_few_files() {
    const NODES: u64 = 4_096;
    let folder = Folder::new();
    let pool = realm("0-65535/16");
    let store = folder.open();
    // Its row can be read. It is among those that are read below, as one at random may be.
    let first = AnyNode::new(1_000, 16).unwrap();
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    claim.attempt = Some(first);
    assert_eq!(block_on(store.acquire(&pool, &mut claim), TIMEOUT).unwrap().node, first);
    // As many rows as there would be with holders that live on.
    let index = folder.path("index");
    let nodes = folder.path("nodes");
    let mut entries = fs::read(&index).unwrap();
    for value in (0..NODES).filter(|&value| value != first.value()) {
        let mut entry = [value.to_le_bytes().as_slice(), &16_u32.to_le_bytes()].concat();
        let checksum = crc32fast::hash(&entry);
        entry.extend(checksum.to_le_bytes());
        entries.extend(entry);
        fs::write(nodes.join(format!("{value}-16")), "no row").unwrap();
    }
    fs::write(&index, &entries).unwrap();
    let backend = folder.backend();
    for limit in [64, 512] {
        let scope = Scope::Candidates { start: first, limit };
        let mut view = block_on(backend.read(pool.name(), scope), TIMEOUT).unwrap();
        assert!(view.rows.len() <= 2 * limit, "{}", view.rows.len());
        assert!(matches!(view.rows.remove(&first), Some(RowState::Intact { .. })));
        assert!(view.rows.values().all(|state| matches!(state, RowState::Malformed { .. })));
    }
    assert!(acquire_of(&store, &pool).unwrap().node.value() >= NODES);
}

/// Returns the files of a folder with their contents.
fn contents(folder: &Folder) -> Vec<(PathBuf, Vec<u8>)> {
    let mut contents = Vec::new();
    let mut folders = vec![folder.root.path().to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                contents.push((path.clone(), fs::read(path).unwrap()));
            }
        }
    }
    contents.sort();
    contents
}

/// As an operator moves a folder to another disk, while no holder runs.
#[cfg(unix)]
#[test]
fn a_moved_folder_keeps_its_windows() {
    let (old, new) = (Folder::new(), Folder::new());
    let lease = acquire(&old.open_detached(), "7/16").unwrap();
    let copy = std::process::Command::new("cp")
        .arg("-a")
        .args([old.root.path().join("a"), new.root.path().to_owned()])
        .status();
    assert!(copy.unwrap().success());
    drop(old);
    // It is held there as well.
    assert!(acquire(&new.open(), "7/16").is_err());
    new.clock.advance(HOUR);
    let next = acquire(&new.open(), "7/16").unwrap();
    assert_eq!((next.era, next.floor >= lease.ceiling), (lease.era, true));
}

/// A renewal is one write and one `fdatasync`: a second write would be in the other slot.
#[test]
fn renewal_writes_one_slot() {
    const SLOT: usize = 1_024;
    let folder = Folder::new();
    let store = folder.open();
    let grant = acquire(&store, "7-9/16").unwrap();
    acquire(&store, "7-9/16").unwrap();
    let mut before = contents(&folder);
    for _ in 0..4 {
        folder.clock.advance(Duration::from_secs(5));
        renew(&store, &grant).unwrap();
        let after = contents(&folder);
        assert_eq!(before.len(), after.len());
        let slots = before.iter().zip(&after).flat_map(|((path, before), (same, after))| {
            assert_eq!((path, before.len()), (same, after.len()));
            before.chunks(SLOT).zip(after.chunks(SLOT))
        });
        assert_eq!(slots.filter(|(before, after)| before != after).count(), 1);
        before = after;
    }
}

#[test]
fn uncreatable_folder_is_an_error() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = open(file.join("store")).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    assert!(error.to_string().contains("could not look at"), "{error}");
    assert!(core::error::Error::source(&error).is_some());
}
