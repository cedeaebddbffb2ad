//! The backend in a folder passes the conformance scenarios, and survives damage to its files.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;
use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tickid_core::{Clock as _, ManualClock, UnixTime};
use tickid_lease::admin::{Loss, RealmName, Refusal};
use tickid_lease::backend::{Backend as _, FileBackend, RowState, Scope, StoreErrorKind};
use tickid_lease::conformance::Stage;
use tickid_lease::session::{Claim, Token};
use tickid_lease::{Lease, Node, RealmSpec, Store, StoreError, block_on};
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

impl Stage for Folder {
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

    fn damage(&self, realm: &RealmName, node: Node) {
        let name = format!("{}-{}", node.value(), node.bits());
        let path = self.root.path().join(realm.as_str()).join("nodes").join(name);
        fs::write(path, "no row").unwrap();
    }

    fn delete(&self, realm: &RealmName, node: Option<Node>) {
        let folder = self.root.path().join(realm.as_str());
        let row = |node: Node| format!("nodes/{}-{}", node.value(), node.bits());
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
    RealmSpec::new("a".parse().unwrap(), &Sno, pool.parse().unwrap()).unwrap()
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
    assert_eq!(names(&folder.path("")), ["holders", "index", "lock", "nodes", "realm"]);
    // One for each row that has a holder, or had one that died.
    let rows = names(&folder.path("nodes")).len();
    assert_eq!(names(&folder.path("holders")).len(), rows);
    release(&store, &last).unwrap();
    assert_eq!(names(&folder.path("holders")).len(), rows - 1);
}

/// Returns the floor of the next window; `None` if none is granted.
fn next_floor(folder: &Folder) -> Option<u64> {
    match folder.acquire("7/16") {
        Ok(grant) => Some(grant.floor),
        Err(error) => {
            assert!(error.refusal().is_some(), "{error}");
            None
        }
    }
}

#[test]
fn truncated_write_is_harmless() {
    const SLOT: usize = 1_024;
    let folder = Folder::new();
    let row = folder.path("nodes/7-16");
    let store = folder.open();
    let grant = acquire(&store, "7/16").unwrap();
    for _ in 0..2 {
        folder.clock.advance(Duration::from_secs(5));
        let acknowledged = renew(&store, &grant).unwrap().ceiling;
        let before = fs::read(&row).unwrap();
        folder.clock.advance(Duration::from_secs(5));
        let cut_short = renew(&store, &grant).unwrap().ceiling;
        let after = fs::read(&row).unwrap();
        let changed = before.iter().zip(&after).position(|(one, other)| one != other).unwrap();
        let slot = changed / SLOT * SLOT;
        for len in 0..SLOT {
            // From the front, as files are mostly written, and from the back.
            let (front, back) = (slot..slot + len, slot + SLOT - len..slot + SLOT);
            for part in [front, back] {
                let mut torn = before.clone();
                torn[part.clone()].copy_from_slice(&after[part.clone()]);
                let is_written = torn == after;
                fs::write(&row, torn).unwrap();
                let promised = if is_written { cut_short } else { acknowledged };
                // The holder is alive: either it continues, or the node has no holder for a while.
                match renew(&store, &grant) {
                    Ok(renewed) => assert!(renewed.ceiling >= promised),
                    Err(error) => assert!(error.is_lost(), "{error}"),
                }
                if let Some(floor) = next_floor(&folder) {
                    panic!("[{floor}, ...) while its holder lives or after a torn write");
                }
            }
        }
        // In time it is granted again, beyond any earlier window.
        fs::write(&row, &before[..SLOT]).unwrap();
        let mut torn = before.clone();
        torn[slot] ^= 1;
        fs::write(&row, &torn).unwrap();
        assert!(renew(&store, &grant).unwrap_err().is_lost());
        folder.clock.advance(Duration::from_secs(31));
        let floor = next_floor(&folder).unwrap();
        assert!(floor >= cut_short, "[{floor}, ...) after {cut_short}");
        fs::write(&row, &after).unwrap();
    }
}

#[test]
fn truncated_row_is_quarantined() {
    let folder = Folder::new();
    let store = folder.open();
    let lease = acquire(&store, "7-8/16").unwrap();
    let row = folder.path(&format!("nodes/{}-16", lease.node.value()));
    let whole = fs::read(&row).unwrap();
    for len in 0..whole.len() {
        fs::write(&row, &whole[..len]).unwrap();
        let error = renew(&store, &lease).unwrap_err();
        assert_eq!(error.refusal(), Some(&Refusal::Malformed { node: lease.node }), "{len} bytes");
        let other = acquire(&store, "7-8/16").unwrap();
        assert_ne!(other.node, lease.node, "{len} bytes");
        let left = acquire(&store, "7-8/16").unwrap_err();
        assert!(
            matches!(left.refusal(), Some(Refusal::Exhausted { quarantined: 1, .. })),
            "{left}"
        );
        release(&store, &other).unwrap();
    }
    // This holds however much time passes.
    folder.clock.advance(HOUR);
    assert_ne!(acquire(&store, "7-8/16").unwrap().node, lease.node);
    let repaired = block_on(store.repair(realm("7/16").name(), lease.node), TIMEOUT).unwrap();
    let ceiling = repaired.ceiling;
    assert!(ceiling > lease.ceiling);
    assert_eq!(renew(&store, &lease).unwrap_err().loss(), Some(Loss::Token));
    folder.clock.advance(Duration::from_secs(31));
    let again = [(); 2].map(|()| acquire(&store, "7-8/16").unwrap());
    assert!(again.iter().any(|again| (again.node, again.floor) == (lease.node, ceiling)));
}

/// A later release may write a format that this one cannot read.
#[test]
fn newer_rows_are_left_alone() {
    let folder = Folder::new();
    let store = folder.open();
    let lease = acquire(&store, "7/16").unwrap();
    let row = folder.path("nodes/7-16");
    let mut file = fs::read(&row).unwrap();
    for slot in file.chunks_mut(1_024) {
        let format = slot.windows(10).position(|text| text == b"\"format\":1").unwrap();
        slot[format + 9] = b'2';
        let checksum = crc32fast::hash(&slot[8..]);
        slot[4..8].copy_from_slice(&checksum.to_le_bytes());
    }
    fs::write(&row, &file).unwrap();
    let newer = Refusal::Newer { node: lease.node, format: 2 };
    assert_eq!(renew(&store, &lease).unwrap_err().refusal(), Some(&newer));
    assert!(acquire(&store, "7/16").is_err());
    let repair = block_on(store.repair(realm("7/16").name(), lease.node), TIMEOUT);
    assert_eq!(repair.unwrap_err().refusal(), Some(&newer));
    assert_eq!(fs::read(&row).unwrap(), file);
}

/// Files that the first release wrote. Every release reads them.
#[test]
fn first_format_is_read() {
    let folder = Folder::new();
    acquire(&folder.open(), "7/16").unwrap();
    let json = concat!(
        r#"{"format":1,"node":"7/16","token":"0000000000000000000000000000002a","holder":"first","#,
        r#""era":0,"floor":5,"ceiling":109424000000,"later":[1]}"#
    );
    let mut file = Vec::new();
    for number in [2_u64, 1] {
        let mut slot = vec![0; 1_024];
        slot[..4].copy_from_slice(b"TKN1");
        slot[8..16].copy_from_slice(&number.to_le_bytes());
        slot[16..18].copy_from_slice(&u16::try_from(json.len()).unwrap().to_le_bytes());
        slot[18..18 + json.len()].copy_from_slice(json.as_bytes());
        let checksum = crc32fast::hash(&slot[8..]);
        slot[4..8].copy_from_slice(&checksum.to_le_bytes());
        file.extend(slot);
    }
    fs::write(folder.path("nodes/7-16"), &file).unwrap();
    let view = block_on(folder.open().list(realm("7/16").name()), TIMEOUT).unwrap();
    let row = view.rows.values().next().unwrap().row().unwrap();
    assert_eq!((row.holder.as_str(), row.floor, row.ceiling), ("first", 5, 109_424_000_000));
    // A field that is unknown to this release stays when the row is written again.
    let lease = acquire(&folder.open(), "7/16").unwrap();
    assert_eq!(lease.floor, 109_424_000_000);
    let text = fs::read(folder.path("nodes/7-16")).unwrap();
    assert!(text.windows(11).any(|text| text == b"\"later\":[1]"));
}

/// Claims read a few files and no folder, however many rows there are.
#[test]
fn claims_read_few_files() {
    const NODES: u64 = 4_096;
    let folder = Folder::new();
    let pool = realm("0-65535/16");
    let store = folder.open();
    acquire_of(&store, &pool).unwrap();
    // As many rows as there would be with holders that live on.
    let index = folder.path("index");
    let nodes = folder.path("nodes");
    let first = fs::read_dir(&nodes).unwrap().next().unwrap().unwrap().file_name();
    let (first, _) = first.to_str().unwrap().split_once('-').unwrap();
    let first: u64 = first.parse().unwrap();
    let mut entries = fs::read(&index).unwrap();
    for value in (0..NODES).filter(|&value| value != first) {
        let mut entry = [value.to_le_bytes().as_slice(), &16_u32.to_le_bytes()].concat();
        let checksum = crc32fast::hash(&entry);
        entry.extend(checksum.to_le_bytes());
        entries.extend(entry);
        fs::write(nodes.join(format!("{value}-16")), "no row").unwrap();
    }
    fs::write(&index, &entries).unwrap();
    let backend = folder.backend();
    for limit in [64, 512] {
        let start = Node::new(16, 1_000).unwrap();
        let scope = Scope::Candidates { start, limit };
        let view = block_on(backend.read(pool.name(), scope), TIMEOUT).unwrap();
        assert!(view.rows.len() <= 2 * limit, "{}", view.rows.len());
        assert!(view.rows.values().all(|state| matches!(state, RowState::Malformed { .. })));
    }
    assert!(acquire_of(&store, &pool).unwrap().node.value() >= NODES);
}

#[test]
fn damaged_records_are_reported() {
    let folder = Folder::new();
    let store = folder.open();
    let grant = acquire(&store, "7/16").unwrap();
    let record = folder.path("realm");
    let whole = fs::read(&record).unwrap();
    let is_reported = |bytes: &[u8]| {
        fs::write(&record, bytes).unwrap();
        for error in [folder.acquire("7/16").unwrap_err(), renew(&store, &grant).unwrap_err()] {
            assert!(matches!(error.kind(), StoreErrorKind::Corrupt { .. }), "{error}");
            assert!(error.to_string().contains("/a/realm"), "{error}");
        }
    };
    for at in 0..whole.len() {
        is_reported(&whole[..at]);
        let mut bad = whole.clone();
        bad[at] ^= 0x10;
        is_reported(&bad);
    }
    fs::write(&record, &whole).unwrap();
    assert!(renew(&store, &grant).is_ok());
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

/// The operator reports the restored backup. Every lease ends, also those in the backup, and new
/// windows start beyond all that was granted in that hour.
#[test]
fn old_backup_is_invalidated() {
    let folder = Folder::new();
    let store = folder.open_detached();
    let long_lived = acquire(&store, "0-3/16").unwrap();
    let backup = contents(&folder);

    let mut granted = vec![long_lived];
    for _ in 0..360 {
        folder.clock.advance(Duration::from_secs(10));
        granted.push(renew(&store, &long_lived).unwrap());
        // Others come, and crash.
        granted.extend(acquire(&store, "0-3/16"));
    }
    let nodes: HashSet<_> = granted.iter().map(|grant| grant.node).collect();
    assert!(nodes.len() > 2, "no node outside the backup was in use");
    let last = granted.iter().map(|grant| grant.ceiling).max().unwrap();

    for (path, _) in contents(&folder) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in &backup {
        fs::write(path, bytes).unwrap();
    }
    let store = folder.open_detached();
    let known = block_on(store.list(realm("7/16").name()), TIMEOUT).unwrap();
    let newest = known.rows.values().map(|state| state.row().unwrap().ceiling).max().unwrap();
    assert!(newest < last, "the backup has windows of the hour");
    let floor = block_on(store.invalidate(&realm("0-3/16")), TIMEOUT).unwrap();
    assert!(floor >= last, "{floor} after {last}");
    for grant in &granted {
        assert!(renew(&store, grant).unwrap_err().is_lost());
    }
    assert!(acquire(&store, "0-3/16").is_err(), "not before that");
    folder.clock.set(realm("7/16").scale().time_of(floor));
    assert!(acquire(&store, "0-3/16").unwrap().floor >= floor);
}

/// Runs one of the tests named `in_a_process_...` in a separate process, through `bash`.
#[cfg(unix)]
fn in_a_process(shell: &str, test: &str, folder: &Folder) -> Command {
    let mut command = Command::new("bash");
    command
        .args(["-c", &format!("{shell} exec \"$0\" --exact {test} --include-ignored --nocapture")])
        .arg(env::current_exe().unwrap())
        .env("TICKID_TEST_FOLDER", folder.root.path());
    command
}

/// The folder that the test was started for.
fn given_folder() -> PathBuf {
    env::var_os("TICKID_TEST_FOLDER").unwrap().into()
}

#[cfg(unix)]
#[test]
fn full_disk_changes_nothing() {
    let folder = Folder::new();
    let store = open(folder.root.path()).unwrap();
    acquire(&store, "7/16").unwrap();
    let before = contents(&folder);
    // No file can be written at any offset, as on a disk without room.
    let full = "trap '' XFSZ; ulimit -f 0;";
    let status = in_a_process(full, "process_cannot_write", &folder).output();
    let output = status.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(contents(&folder), before);
}

#[test]
#[ignore = "run by another test, in a process that can't write"]
fn process_cannot_write() {
    let store = open(given_folder()).unwrap();
    let view = block_on(store.list(realm("7/16").name()), TIMEOUT).unwrap();
    let lease = view.leases().next().unwrap();
    let wider = realm("7-8/16");
    let reconfigured = block_on(store.reconfigure(&wider), TIMEOUT);
    let elsewhere = RealmSpec::new("b".parse().unwrap(), &Sno, "0/16".parse().unwrap()).unwrap();
    let begun = acquire_of(&store, &elsewhere);
    let renewed = renew(&store, &lease);
    for error in [renewed.unwrap_err(), reconfigured.unwrap_err(), begun.unwrap_err()] {
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
        let source = core::error::Error::source(&error).unwrap().to_string();
        assert!(error.to_string().starts_with("file store: could not write /"), "{error}");
        assert!(source.contains("File too large"), "{source}");
    }
    fs::remove_dir_all(given_folder().join("b")).unwrap();
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

/// Returns an unprivileged user and group if the tests run as root, because permissions do not
/// apply to root.
#[cfg(unix)]
fn another_user(own: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;

    let id = |which| {
        let output = Command::new("id").args([which, "nobody"]).output().unwrap().stdout;
        String::from_utf8(output).unwrap().trim().parse().unwrap()
    };
    let is_root = fs::metadata(own).unwrap().uid() == 0;
    is_root.then(|| (id("-u"), id("-g")))
}

/// Runs one of the tests named `in_a_process_...` as an unprivileged user that owns the folder.
#[cfg(unix)]
fn as_another_user(test: &str, folder: &Folder) -> std::process::Output {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    // That user may lack access to the folder that this program is in.
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = place.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .current_dir("/")
        .env("TICKID_TEST_FOLDER", folder.root.path());
    if let Some((user, group)) = another_user(place.path()) {
        for (path, _) in everything(folder) {
            chown(path, Some(user), Some(group)).unwrap();
        }
        command.uid(user).gid(group);
    }
    let output = command.output().unwrap();
    if another_user(place.path()).is_some() {
        for (path, _) in everything(folder) {
            chown(path, Some(0), Some(0)).unwrap();
        }
    }
    output
}

/// All files and folders, and whether they are folders; the outermost first.
#[cfg(unix)]
fn everything(folder: &Folder) -> Vec<(PathBuf, bool)> {
    let mut all = vec![(folder.root.path().to_owned(), true)];
    let mut at = 0;
    while at < all.len() {
        let (path, is_folder) = all[at].clone();
        if is_folder {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            all.extend(entries.map(|path| (path.clone(), path.is_dir())));
        }
        at += 1;
    }
    all
}

#[cfg(unix)]
#[test]
fn read_only_folder_is_an_error() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let store = open(folder.root.path()).unwrap();
    let (one, two) = (acquire(&store, "7-9/16").unwrap(), acquire(&store, "7-9/16").unwrap());
    // This one has no holder.
    release(&store, &two).unwrap();
    let before = contents(&folder);
    let allow = |files: u32, folders: u32| {
        for (path, is_folder) in everything(&folder) {
            let mode = if is_folder { folders } else { files };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    for (files, test) in [(0o444, "process_cannot_change"), (0o644, "process_cannot_create")] {
        allow(files, 0o555);
        let output = as_another_user(test, &folder);
        allow(0o644, 0o755);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        assert_eq!(contents(&folder), before, "{test}");
    }
    assert!(renew(&store, &one).is_ok());
}

fn is_denied<T: core::fmt::Debug>(result: Result<T, StoreError>, what: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    assert!(error.to_string().starts_with(&format!("file store: could not {what} /")), "{error}");
    let source = core::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("Permission denied"), "{source}");
}

/// Another realm, another pool, and another node.
fn change_all(store: &Store) -> [Result<(), StoreError>; 3] {
    let elsewhere = RealmSpec::new("b".parse().unwrap(), &Sno, "0/16".parse().unwrap()).unwrap();
    let begun = acquire_of(store, &elsewhere);
    let reconfigured = block_on(store.reconfigure(&realm("7-10/16")), TIMEOUT);
    [begun.map(drop), reconfigured, acquire(store, "7-9/16").map(drop)]
}

#[test]
#[ignore = "run by another test, as a user who cannot write"]
fn process_cannot_change() {
    let store = open(given_folder()).unwrap();
    let [begun, reconfigured, acquired] = change_all(&store);
    is_denied(begun, "create the folder");
    is_denied(reconfigured, "open");
    is_denied(acquired, "open");
    let lease = acquire(&Store::in_memory(), "7/16").unwrap();
    is_denied(renew(&store, &lease), "open");
    is_denied(release(&store, &lease), "open");
}

#[test]
#[ignore = "run by another test, as a user who cannot make files"]
fn process_cannot_create() {
    let store = open(given_folder()).unwrap();
    let [begun, reconfigured, acquired] = change_all(&store);
    is_denied(begun, "create the folder");
    is_denied(reconfigured, "write");
    is_denied(acquired, "open");
}

/// A process that acquires a node, reports it, and stays until it is killed.
#[cfg(unix)]
fn holder_process(folder: &Folder) -> (Child, String) {
    let mut command = in_a_process("", "process_holds_a_node", folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.map(Result::unwrap).find(|line| line.contains("holds ")).unwrap();
    let node = line.split("holds ").nth(1).unwrap().to_owned();
    (child, node)
}

#[test]
#[ignore = "run by another test, to be killed"]
#[allow(clippy::print_stdout, reason = "how it tells the test")]
fn process_holds_a_node() {
    let store = open(given_folder()).unwrap();
    let grant = acquire(&store, "0-3/16").unwrap();
    println!("holds {}", grant.node);
    // Until it is killed, or its parent has ended.
    let _ = std::io::stdin().lines().next();
}

#[cfg(unix)]
#[test]
fn killed_process_frees_its_node() {
    let folder = Folder::new();
    let mut processes: Vec<_> = (0..4).map(|_| holder_process(&folder)).collect();
    let mut nodes: Vec<_> = processes.iter().map(|(_, node)| node.clone()).collect();
    nodes.sort();
    assert_eq!(nodes, ["0/16", "1/16", "2/16", "3/16"]);
    let store = open(folder.root.path()).unwrap();
    assert!(acquire(&store, "0-3/16").is_err());
    let (mut killed, node) = processes.remove(2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(acquire(&store, "0-3/16").unwrap().node.to_string(), node);
    for (mut process, _) in processes {
        process.kill().unwrap();
        process.wait().unwrap();
    }
}
