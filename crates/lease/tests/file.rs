//! The store in a folder keeps to the rules, whatever becomes of its files.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;
use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;
use tickid_core::{Clock as _, ManualClock, UnixTime};
use tickid_lease::conformance::Stage;
use tickid_lease::{
    Claim, FileStore, Grant, Hold, Realm, Store, StoreError, StoreErrorKind, Token, block_on,
};
use tickid_sno::Sno;

const HOUR: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of its own, and a clock.
#[derive(Debug)]
struct Folder {
    clock: Arc<ManualClock>,
    root: TempDir,
}

impl Folder {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
        // In memory where that can be: what is tested here is not the disk, and syncing takes time.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Self { clock, root: root.unwrap() }
    }

    fn open(&self) -> FileStore<Arc<ManualClock>> {
        FileStore::open_with_clock(self.root.path(), Arc::clone(&self.clock)).unwrap()
    }

    /// A file of the realm "a".
    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("a").join(name)
    }

    fn acquire(&self, pool: &str) -> Result<Grant, StoreError> {
        acquire(&self.open(), pool)
    }
}

impl Stage for Folder {
    fn store(&self) -> Box<dyn Store> {
        Box::new(self.open())
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
}

mod scenarios {
    tickid_lease::store_scenarios!(
        super::Folder::new(),
        no generation: "a folder does not notice that it was restored: `recover`"
    );
}

fn realm(pool: &str) -> Realm {
    Realm::new("a".parse().unwrap(), &Sno, pool.parse().unwrap()).unwrap()
}

fn acquire(store: &dyn Store, pool: &str) -> Result<Grant, StoreError> {
    let claim = Claim::new(Token::random().unwrap(), "somebody", None);
    block_on(store.acquire(&realm(pool), &claim), PATIENCE).unwrap()
}

fn renew(store: &dyn Store, grant: &Grant) -> Result<Grant, StoreError> {
    block_on(store.renew(realm("7/16").name(), &grant.hold), PATIENCE).unwrap()
}

#[test]
fn a_node_whose_holder_is_dead_is_free_at_once() {
    let folder = Folder::new();
    let store = folder.open();
    let first = acquire(&store, "7/16").unwrap();
    assert!(folder.acquire("7/16").is_err());
    drop(store);
    let second = folder.acquire("7/16").unwrap();
    assert_eq!(second.hold.floor, first.ceiling);
    assert!(second.ceiling > second.hold.floor);
}

#[test]
fn without_proof_of_death_it_is_free_when_its_window_ends() {
    let folder = Folder::new();
    let store = folder.open().without_proof_of_death();
    let first = acquire(&store, "7/16").unwrap();
    drop(store);
    assert!(folder.acquire("7/16").is_err());
    folder.clock.advance(Duration::from_secs(15));
    assert_eq!(folder.acquire("7/16").unwrap().hold.floor, first.ceiling);
}

#[test]
fn nothing_is_left_behind_but_rows() {
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
    assert_eq!(names(&folder.path("")), ["holders", "lock", "nodes", "realm"]);
    // One for each row that somebody has or had when he died.
    let rows = names(&folder.path("nodes")).len();
    assert_eq!(names(&folder.path("holders")).len(), rows);
    block_on(store.release(realm("7/16").name(), &last.hold, None), PATIENCE).unwrap().unwrap();
    assert_eq!(names(&folder.path("holders")).len(), rows - 1);
}

/// The highest tick that was ever promised to anybody, and where the next window begins after the row's
/// file was changed. `None` when nothing is given out.
fn next_floor(folder: &Folder) -> Option<u64> {
    match folder.acquire("7/16") {
        Ok(grant) => Some(grant.hold.floor),
        Err(error) => {
            assert!(error.refusal().is_some(), "{error}");
            None
        }
    }
}

#[test]
fn a_write_cut_short_at_any_byte_gives_no_window_twice() {
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
                // The holder is alive: either he goes on, or the node is nobody's for a while.
                match renew(&store, &grant) {
                    Ok(renewed) => assert!(renewed.ceiling >= promised),
                    Err(error) => assert!(error.is_lost(), "{error}"),
                }
                if let Some(floor) = next_floor(&folder) {
                    panic!("[{floor}, ...) while its holder lives or after a torn write");
                }
            }
        }
        // In time it is given out again, from where nobody can have been.
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
fn a_row_that_was_cut_off_is_wild_until_it_is_mended() {
    let folder = Folder::new();
    let store = folder.open();
    let grant = acquire(&store, "7-8/16").unwrap();
    let row = folder.path(&format!("nodes/{}-16", grant.hold.node.value()));
    let whole = fs::read(&row).unwrap();
    for len in 0..whole.len() {
        fs::write(&row, &whole[..len]).unwrap();
        assert!(renew(&store, &grant).unwrap_err().is_lost(), "{len} bytes");
        let other = acquire(&store, "7-8/16").unwrap();
        assert_ne!(other.hold.node, grant.hold.node, "{len} bytes");
        let left = acquire(&store, "7-8/16").unwrap_err();
        assert!(left.to_string().contains("1 of them are wild"), "{left}");
        block_on(store.release(realm("7/16").name(), &other.hold, None), PATIENCE)
            .unwrap()
            .unwrap();
    }
    // However long one waits.
    folder.clock.advance(HOUR);
    assert_ne!(acquire(&store, "7-8/16").unwrap().hold.node, grant.hold.node);
    let mended = block_on(store.mend(realm("7/16").name(), grant.hold.node), PATIENCE).unwrap();
    let ceiling = mended.unwrap().ceiling;
    assert!(ceiling > grant.ceiling);
    folder.clock.advance(Duration::from_secs(31));
    let again = [(); 2].map(|()| acquire(&store, "7-8/16").unwrap().hold);
    assert!(again.iter().any(|hold| (hold.node, hold.floor) == (grant.hold.node, ceiling)));
}

#[test]
fn a_record_with_any_bad_byte_or_cut_off_is_reported() {
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
    fs::remove_file(&record).unwrap();
    let error = folder.acquire("7/16").unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Corrupt { .. }), "{error}");
    fs::write(&record, &whole).unwrap();
    assert!(renew(&store, &grant).is_ok());
}

/// Everything in a folder, but for the locks.
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

/// So a renewal is one write and the `fdatasync` after it: a second one would be in the other slot.
#[test]
fn a_renewal_changes_one_slot_of_one_file() {
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

/// Nobody notices but who restored it, and says so. Then every lease ends, also those that the backup knows of, and what
/// comes next begins beyond all that was granted in that hour.
#[test]
fn an_hour_old_backup_is_recovered_beyond_all_that_was_granted_since() {
    let folder = Folder::new();
    let store = folder.open().without_proof_of_death();
    let long_lived = acquire(&store, "0-3/16").unwrap();
    let backup = contents(&folder);

    let mut granted = vec![long_lived];
    for _ in 0..360 {
        folder.clock.advance(Duration::from_secs(10));
        granted.push(renew(&store, &long_lived).unwrap());
        // Others come, and crash.
        granted.extend(acquire(&store, "0-3/16"));
    }
    let nodes: HashSet<_> = granted.iter().map(|grant| grant.hold.node).collect();
    assert!(nodes.len() > 2, "nodes that the backup knows nothing of were in use");
    let last = granted.iter().map(|grant| grant.ceiling).max().unwrap();

    for (path, _) in contents(&folder) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in &backup {
        fs::write(path, bytes).unwrap();
    }
    let store = folder.open().without_proof_of_death();
    let known = block_on(store.list(realm("7/16").name()), PATIENCE).unwrap().unwrap();
    let newest = known.rows.values().map(|entry| entry.row.ceiling).max().unwrap();
    assert!(newest < last, "the backup does not know of the hour");
    let floor = block_on(store.recover(&realm("0-3/16")), PATIENCE).unwrap().unwrap();
    assert!(floor >= last, "{floor} after {last}");
    for grant in &granted {
        assert!(renew(&store, grant).unwrap_err().is_lost());
    }
    assert!(acquire(&store, "0-3/16").is_err(), "not before that");
    folder.clock.set(realm("7/16").scale().time_of(floor));
    assert!(acquire(&store, "0-3/16").unwrap().hold.floor >= floor);
}

/// Runs one of the tests named `in_a_process_...` in a process of its own, through `bash`.
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
fn a_full_disk_is_an_error_that_says_so_and_changes_nothing() {
    let folder = Folder::new();
    let store = FileStore::open(folder.root.path()).unwrap();
    acquire(&store, "7/16").unwrap();
    let before = contents(&folder);
    // No file may be written to at any place: what a disk without room looks like to a process.
    let full = "trap '' XFSZ; ulimit -f 0;";
    let status = in_a_process(full, "in_a_process_nothing_can_be_written", &folder).output();
    let output = status.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(contents(&folder), before);
}

#[test]
#[ignore = "run by another test, in a process that can't write"]
fn in_a_process_nothing_can_be_written() {
    let store = FileStore::open(given_folder()).unwrap();
    let listing = block_on(store.list(realm("7/16").name()), PATIENCE).unwrap().unwrap();
    let row = &listing.rows.values().next().unwrap().row;
    let grant = Grant::of(row, listing.now).unwrap();
    let wider = realm("7-8/16");
    let reshaped = block_on(store.reshape(&wider), PATIENCE).unwrap();
    let elsewhere = Realm::new("b".parse().unwrap(), &Sno, "0/16".parse().unwrap()).unwrap();
    let claim = Claim::new(Token::random().unwrap(), "somebody", None);
    let begun = block_on(store.acquire(&elsewhere, &claim), PATIENCE).unwrap();
    for error in [renew(&store, &grant).unwrap_err(), reshaped.unwrap_err(), begun.unwrap_err()] {
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
        let source = core::error::Error::source(&error).unwrap().to_string();
        assert!(error.to_string().starts_with("file store: could not write /"), "{error}");
        assert!(source.contains("File too large"), "{source}");
    }
    fs::remove_dir_all(given_folder().join("b")).unwrap();
}

#[test]
fn a_folder_that_can_not_be_written_to_is_an_error_that_says_so() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = FileStore::open(file.join("store")).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    assert!(error.to_string().contains("could not look at"), "{error}");
    assert!(core::error::Error::source(&error).is_some());
}

/// Nobody else than who runs the tests and has made the folder `own`; but `nobody` where that is root, to
/// whom permissions are nothing.
#[cfg(unix)]
fn somebody_else(own: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;

    let id = |which| {
        let output = Command::new("id").args([which, "nobody"]).output().unwrap().stdout;
        String::from_utf8(output).unwrap().trim().parse().unwrap()
    };
    let is_root = fs::metadata(own).unwrap().uid() == 0;
    is_root.then(|| (id("-u"), id("-g")))
}

/// Runs one of the tests named `in_a_process_...` in a process of somebody to whom permissions apply, and
/// who has the folder.
#[cfg(unix)]
fn as_somebody_else(test: &str, folder: &Folder) -> std::process::Output {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    // They need not be able to enter the folder that this program is in.
    let place = TempDir::new().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = place.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .current_dir("/")
        .env("TICKID_TEST_FOLDER", folder.root.path());
    if let Some((user, group)) = somebody_else(place.path()) {
        for (path, _) in everything(folder) {
            chown(path, Some(user), Some(group)).unwrap();
        }
        command.uid(user).gid(group);
    }
    let output = command.output().unwrap();
    if somebody_else(place.path()).is_some() {
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
fn a_read_only_folder_is_an_error_that_says_so_and_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let store = FileStore::open(folder.root.path()).unwrap();
    let (one, two) = (acquire(&store, "7-9/16").unwrap(), acquire(&store, "7-9/16").unwrap());
    // Nobody holds this one.
    block_on(store.release(realm("7/16").name(), &two.hold, None), PATIENCE).unwrap().unwrap();
    let before = contents(&folder);
    let allow = |files: u32, folders: u32| {
        for (path, is_folder) in everything(&folder) {
            let mode = if is_folder { folders } else { files };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    for (files, test) in [
        (0o444, "in_a_process_nothing_can_be_changed"),
        (0o644, "in_a_process_nothing_new_can_be_made"),
    ] {
        allow(files, 0o555);
        let output = as_somebody_else(test, &folder);
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

/// Another realm, a pool that is another one, and another node.
fn change_all(store: &dyn Store) -> [Result<(), StoreError>; 3] {
    let elsewhere = Realm::new("b".parse().unwrap(), &Sno, "0/16".parse().unwrap()).unwrap();
    let claim = Claim::new(Token::random().unwrap(), "somebody", None);
    let begun = block_on(store.acquire(&elsewhere, &claim), PATIENCE).unwrap();
    let reshaped = block_on(store.reshape(&realm("7-10/16")), PATIENCE).unwrap();
    [begun.map(drop), reshaped, acquire(store, "7-9/16").map(drop)]
}

#[test]
#[ignore = "run by another test, as somebody who can't write"]
fn in_a_process_nothing_can_be_changed() {
    let store = FileStore::open(given_folder()).unwrap();
    let [begun, reshaped, acquired] = change_all(&store);
    is_denied(begun, "create the folder");
    is_denied(reshaped, "open");
    is_denied(acquired, "open");
    let hold = Hold { node: "7/16".parse().unwrap(), token: Token::from_bits(1), floor: 0 };
    let name = realm("7/16");
    is_denied(block_on(store.renew(name.name(), &hold), PATIENCE).unwrap(), "open");
    is_denied(block_on(store.release(name.name(), &hold, None), PATIENCE).unwrap(), "open");
}

#[test]
#[ignore = "run by another test, as somebody who can't make files"]
fn in_a_process_nothing_new_can_be_made() {
    let store = FileStore::open(given_folder()).unwrap();
    let [begun, reshaped, acquired] = change_all(&store);
    is_denied(begun, "create the folder");
    is_denied(reshaped, "write");
    is_denied(acquired, "open");
}

/// A process that acquires a node, says so, and stays until it is killed.
#[cfg(unix)]
fn holder_process(folder: &Folder) -> (Child, String) {
    let mut command = in_a_process("", "in_a_process_a_node_is_held", folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.map(Result::unwrap).find(|line| line.contains("holds ")).unwrap();
    let node = line.split("holds ").nth(1).unwrap().to_owned();
    (child, node)
}

#[test]
#[ignore = "run by another test, to be killed"]
#[allow(clippy::print_stdout, reason = "how it tells the test")]
fn in_a_process_a_node_is_held() {
    let store = FileStore::open(given_folder()).unwrap();
    let grant = acquire(&store, "0-3/16").unwrap();
    println!("holds {}", grant.hold.node);
    // Until it is killed, or whoever started it is gone.
    let _ = std::io::stdin().lines().next();
}

#[cfg(unix)]
#[test]
fn processes_get_different_nodes_and_a_killed_ones_is_free_at_once() {
    let folder = Folder::new();
    let mut processes: Vec<_> = (0..4).map(|_| holder_process(&folder)).collect();
    let mut nodes: Vec<_> = processes.iter().map(|(_, node)| node.clone()).collect();
    nodes.sort();
    assert_eq!(nodes, ["0/16", "1/16", "2/16", "3/16"]);
    let store = FileStore::open(folder.root.path()).unwrap();
    assert!(acquire(&store, "0-3/16").is_err());
    let (mut killed, node) = processes.remove(2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(acquire(&store, "0-3/16").unwrap().hold.node.to_string(), node);
    for (mut process, _) in processes {
        process.kill().unwrap();
        process.wait().unwrap();
    }
}
