//! The store in a folder is private to one user: the modes of its files, links, and files that it
//! refuses. Processes that may not write, and processes that are killed.

use core::fmt::Debug;
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File, Permissions};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;
use tickid_core::AnyNode;
use tickid_lease::backend::{Exposure, ExposureReason, StoreErrorKind};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, Realm, Store, StoreError};
use tickid_sno::Sno;
use tickid_testkit::skip;

use super::{TIMEOUT, acquire, acquire_of, open, realm, release, renew};

/// The environment variable with the part that a process started by a test runs.
const PART: &str = "TICKID_TEST_PART";
const FOLDER: &str = "TICKID_TEST_FOLDER";
/// The test that plays a part in such a process.
const PLAYER: &str = "file::access::created_is_private";
/// Stands before the node that such a process prints, because its test harness prints as well.
const HOLDS: &str = "holds ";
const DENIED: &str = "Permission denied";

fn reconfigure(store: &Store, pool: &str) -> Result<(), StoreError> {
    block_on(store.reconfigure(&realm(pool)), TIMEOUT).map(drop)
}

/// A new store in a temporary folder, with two nodes leased.
struct Used {
    above: TempDir,
    store: Store,
    held: Lease,
}

impl Used {
    fn new() -> Self {
        let above = TempDir::new().unwrap();
        let store = open(above.path().join("store")).unwrap();
        let held = acquire(&store, "7-8/16").unwrap();
        acquire(&store, "7-8/16").unwrap();
        Self { above, store, held }
    }

    fn root(&self) -> PathBuf {
        self.above.path().join("store")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join("a").join(name)
    }

    /// The files that the store keeps, by their names in the folder of the realm.
    fn files(&self) -> Vec<String> {
        let Lease { node, token, .. } = self.held;
        let row = format!("nodes/{}-16", node.value());
        vec!["lock".to_owned(), "realm".to_owned(), row, format!("holders/{token}")]
    }

    /// The paths of these files, and of all folders.
    fn paths(&self) -> Vec<PathBuf> {
        let folders = [self.root(), self.root().join("a"), self.path("nodes")];
        let files = self.files();
        let files = files.iter().map(|name| self.path(name));
        files.chain(folders).chain([self.path("holders")]).collect()
    }

    /// Makes every request, as another client than the one that holds the nodes.
    fn use_all(&self) -> [Result<(), StoreError>; 4] {
        let Ok(store) = open(self.root()) else {
            return [(); 4].map(|()| open(self.root()).map(drop));
        };
        let listed = block_on(store.list(realm("7/16").name()), TIMEOUT);
        [
            listed.map(drop),
            renew(&store, &self.held).map(drop),
            reconfigure(&store, "7-8/16"),
            acquire(&store, "7-8/16").map(drop),
        ]
    }

    /// Asserts that every request that reads `path` is refused for that reason, and that at
    /// least one does.
    fn is_refused(&self, path: &Path, is_reason: impl Fn(&Exposure) -> bool) {
        let mut refused = 0;
        for result in self.use_all() {
            if let Err(error) = result
                && let StoreErrorKind::Exposed(exposed) = error.kind()
            {
                assert!(exposed.path == path && is_reason(exposed), "{exposed:?}");
                refused += 1;
            }
        }
        assert!(refused > 0, "{} is used", path.display());
    }
}

/// Returns `root` and all files and folders in it, with the value of `look` for each.
fn everything<T>(root: &Path, look: impl Fn(&Path) -> T) -> BTreeMap<PathBuf, T> {
    let (mut all, mut paths) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(path) = paths.pop() {
        if path.symlink_metadata().unwrap().is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        let seen = look(&path);
        all.insert(path, seen);
    }
    all
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn are_private(root: &Path, what: &str) {
    for (path, ()) in everything(root, |_| ()) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{} after {what}", path.display());
    }
}

/// An unprivileged user and group if the tests run as root, because permissions do not apply to
/// root.
fn unprivileged() -> Option<(u32, u32)> {
    let id = |which| {
        let output = Command::new("id").args([which, "nobody"]).output().unwrap().stdout;
        String::from_utf8(output).unwrap().trim().parse().unwrap()
    };
    (rustix::process::geteuid().as_raw() == 0).then(|| (id("-u"), id("-g")))
}

/// Starts this program for a part, after `shell`, and as another user if `user` is given. It is
/// in the folder that is returned.
fn start(part: &str, folder: &Path, shell: &str, user: Option<(u32, u32)>) -> (TempDir, Child) {
    // Another user may lack access to the folder that this program is in.
    let place = TempDir::new().unwrap();
    set_mode(place.path(), 0o755);
    let program = place.path().join("program");
    // In a process that only copies: a child that another thread forks meanwhile would hold the
    // file open for writing, and such a file cannot be run.
    let copied = Command::new("cp").arg(env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell} exec \"$0\" \"$@\"")]).arg(&program);
    command.args(["--exact", PLAYER, "--nocapture"]);
    command.env(PART, part).env(FOLDER, folder).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    (place, command.spawn().unwrap())
}

fn run(part: &str, folder: &Path, shell: &str, user: Option<(u32, u32)>) -> Output {
    let (_place, process) = start(part, folder, shell, user);
    process.wait_with_output().unwrap()
}

fn play(part: &str, folder: &Path) {
    match part {
        "use" => {
            let store = open(folder).unwrap();
            let grant = acquire(&store, "7-8/16").unwrap();
            acquire(&store, "7-8/16").unwrap();
            renew(&store, &grant).unwrap();
            reconfigure(&store, "7-9/16").unwrap();
        }
        "lock" => {
            File::open(folder).unwrap();
            for name in ["a", "a/lock", "a/realm", "a/nodes/7-16"] {
                let error = File::open(folder.join(name)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{name}");
            }
        }
        "fill" => fill(folder),
        "write" => cannot_write(folder),
        "change" => cannot_change(folder),
        "create" => cannot_create(folder),
        "hold" => hold(folder),
        part => panic!("there is no part {part}"),
    }
}

/// Reports whether this user may mount a file system.
fn can_mount() -> bool {
    let mount = "mount -t tmpfs tmpfs /tmp";
    let output = Command::new("unshare").args(["--mount", "sh", "-c", mount]).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn full_disk_changes_nothing() {
    if !can_mount() {
        return skip("needs a mount");
    }
    let folder = TempDir::new().unwrap();
    let mount = format!("mount -t tmpfs -o size=64k,nr_inodes=64,mode=700 tmpfs ${FOLDER}");
    let shell =
        format!("unshare --mount sh -c '{mount} && exec \"$0\" \"$@\"' \"$0\" \"$@\"; exit $?;");
    let output = run("fill", folder.path(), &shell, None);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs in a file system that soon has no room.
fn fill(folder: &Path) {
    let store = open(folder).unwrap();
    let grant = acquire(&store, "7-8/16").unwrap();
    let read_all = || {
        let files = ["realm".to_owned(), format!("nodes/{}-16", grant.node.value())];
        files.map(|name| fs::read(folder.join("a").join(name)).unwrap())
    };
    let before = read_all();
    let filler = folder.join("filler");
    let full = fs::write(&filler, vec![0; 1 << 20]).unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    let is_full = |result: Result<(), StoreError>| {
        let error = result.unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
        assert!(error.to_string().starts_with("file store: could not "), "{error}");
        let source = core::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("No space left on device"), "{source}");
        assert_eq!(read_all(), before);
    };
    // A record that needs more room than is kept for it.
    let scattered: Vec<String> = (0..900).map(|node| format!("{}/16", node * 2)).collect();
    is_full(reconfigure(&store, &scattered.join(",")));
    is_full(acquire(&store, "7-8/16").map(drop));
    // A renewal takes no new room, and neither does a claim of a node that has a row: not even
    // if there is a better one without a row, and no room for a file that shows who holds it.
    let grant = renew(&store, &grant).unwrap();
    let used = Some(grant.ceiling - 1);
    block_on(store.release(&realm("7-8/16"), &grant, used), TIMEOUT).unwrap();
    fill_up(folder);
    let mut claim = Claim::new(Token::random().unwrap(), "a test", Some(grant.ceiling - 2));
    let again = block_on(store.acquire(&realm("7-8/16"), &mut claim), TIMEOUT).unwrap();
    assert_eq!((again.node, again.floor), (grant.node, grant.ceiling));
    assert_eq!(fs::read_dir(folder.join("a/holders")).unwrap().count(), 0);
    // With room again, nothing is in the way.
    for file in fs::read_dir(folder).unwrap().flatten() {
        if file.file_name().to_string_lossy().starts_with("filler") {
            fs::remove_file(file.path()).unwrap();
        }
    }
    let second = acquire(&store, "7-8/16").unwrap();
    assert_ne!(second.node, grant.node);
    // What ends all leases is never out of room, not even the second time.
    fill_up(folder);
    for era in [1, 2] {
        let floor = block_on(store.invalidate(&realm("7-8/16")), TIMEOUT).unwrap();
        let record = block_on(store.realm(realm("7-8/16").name()), TIMEOUT).unwrap();
        assert_eq!((record.era, record.floor), (era, floor));
    }
    // It keeps the file of its lease open.
    drop(store);
    read_only(folder, second.node);
}

/// Uses up what is left of a disk: first its bytes, then its files.
fn fill_up(folder: &Path) {
    for (name, bytes) in [("filler-bytes", &[0; 1 << 16][..]), ("filler", &[])] {
        let mut fill = (0..).map(|number| folder.join(format!("{name}-{number}")));
        fill.find(|path| fs::write(path, bytes).is_err()).unwrap();
    }
}

/// Lists the nodes of a folder that cannot be written to.
fn read_only(folder: &Path, torn: AnyNode) {
    let row = folder.join(format!("a/nodes/{}-16", torn.value()));
    let mut bytes = fs::read(&row).unwrap();
    bytes[1_500] ^= 1;
    fs::write(row, bytes).unwrap();
    set_mode(&folder.join("a"), 0o755);
    let mounted = Command::new("mount").args(["-o", "remount,ro"]).arg(folder).status();
    assert!(mounted.unwrap().success());
    let store = open(folder).unwrap();
    let view = block_on(store.list(realm("7-8/16").name()), TIMEOUT).unwrap();
    assert_eq!(view.rows.len(), 2);
    assert!(view.rows.values().all(|state| state.row().is_some()), "{view:?}");
    assert_eq!(block_on(store.realms(), TIMEOUT).unwrap(), [realm("7/16").name().clone()]);
    let error = reconfigure(&store, "7-10/16").unwrap_err();
    let source = core::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("Read-only file system"), "{error}: {source}");
}

fn fails<T: Debug>(result: Result<T, StoreError>, what: &str, why: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    let expected = format!("file store: could not {what} /");
    assert!(error.to_string().starts_with(&expected), "{error}");
    let source = core::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains(why), "{source}");
}

fn begin_another_realm(store: &Store) -> Result<Lease, StoreError> {
    acquire_of(store, &Realm::builder("b", Sno).pool("0/16").build().unwrap().into())
}

#[test]
fn limited_files_change_nothing() {
    let folder = TempDir::new().unwrap();
    acquire(&open(folder.path()).unwrap(), "7/16").unwrap();
    let contents = || everything(folder.path(), |path| fs::read(path).ok());
    let before = contents();
    // No file can be written at any offset, as on a disk without room.
    let output = run("write", folder.path(), "trap '' XFSZ; ulimit -f 0;", None);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(contents(), before);
}

fn cannot_write(folder: &Path) {
    const WHY: &str = "File too large";
    let store = open(folder).unwrap();
    let view = block_on(store.list(realm("7/16").name()), TIMEOUT).unwrap();
    fails(renew(&store, &view.leases().next().unwrap()), "write", WHY);
    fails(reconfigure(&store, "7-8/16"), "write", WHY);
    fails(begin_another_realm(&store), "write", WHY);
    fs::remove_dir_all(folder.join("b")).unwrap();
}

#[test]
fn read_only_folder_is_an_error() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let store = open(root).unwrap();
    let (one, two) = (acquire(&store, "7-9/16").unwrap(), acquire(&store, "7-9/16").unwrap());
    // This one has no holder.
    release(&store, &two).unwrap();
    let contents = || everything(root, |path| fs::read(path).ok());
    let before = contents();
    let give = |user: Option<(u32, u32)>, files: u32, folders: u32| {
        for (path, ()) in everything(root, |_| ()) {
            set_mode(&path, if path.is_dir() { folders } else { files });
            if let Some((user, group)) = user {
                chown(path, Some(user), Some(group)).unwrap();
            }
        }
    };
    let user = unprivileged();
    for (part, files) in [("change", 0o444), ("create", 0o644)] {
        give(user, files, 0o555);
        let output = run(part, root, "", user);
        give(user.map(|_| (0, 0)), 0o644, 0o755);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(contents(), before, "{part}");
    }
    assert!(renew(&store, &one).is_ok());
}

fn cannot_change(folder: &Path) {
    let store = open(folder).unwrap();
    fails(begin_another_realm(&store), "create the folder", DENIED);
    fails(reconfigure(&store, "7-10/16"), "open", DENIED);
    fails(acquire(&store, "7-9/16"), "open", DENIED);
    let lease = acquire(&Store::in_memory(), "7/16").unwrap();
    fails(renew(&store, &lease), "open", DENIED);
    fails(release(&store, &lease), "open", DENIED);
}

/// Files can be written, but none can be made.
fn cannot_create(folder: &Path) {
    let store = open(folder).unwrap();
    fails(begin_another_realm(&store), "create the folder", DENIED);
    fails(reconfigure(&store, "7-10/16"), "write", DENIED);
    fails(acquire(&store, "7-9/16"), "open", DENIED);
}

#[test]
fn killed_process_frees_its_node() {
    let folder = TempDir::new().unwrap();
    let mut holders = Vec::from_iter((0..4).map(|_| {
        let (place, mut process) = start("hold", folder.path(), "", None);
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut held = lines
            .filter_map(|line| line.unwrap().split_once(HOLDS).map(|(_, node)| node.to_owned()));
        (held.next().unwrap(), process, place)
    }));
    holders.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let nodes = Vec::from_iter(holders.iter().map(|(node, ..)| node));
    assert_eq!(nodes, ["0/16", "1/16", "2/16", "3/16"]);
    let store = open(folder.path()).unwrap();
    assert!(acquire(&store, "0-3/16").is_err());
    let end = |process: &mut Child| process.kill().and_then(|()| process.wait()).unwrap();
    let (node, mut killed, _) = holders.remove(2);
    end(&mut killed);
    assert_eq!(acquire(&store, "0-3/16").unwrap().node.to_string(), node);
    holders.iter_mut().for_each(|(_, process, _)| _ = end(process));
}

/// Acquires a node, reports it, and keeps it until this process is killed, or the one that
/// started it has ended.
fn hold(folder: &Path) {
    let store = open(folder).unwrap();
    println!("{HOLDS}{}", acquire(&store, "0-3/16").unwrap().node);
    let _ = io::stdin().lines().next();
}

#[test]
fn created_is_private() {
    if let Ok(part) = env::var(PART) {
        return play(&part, &PathBuf::from(env::var_os(FOLDER).unwrap()));
    }
    for umask in ["0000", "0022", "0077", "0177", "0777"] {
        let above = TempDir::new().unwrap();
        set_mode(above.path(), 0o755);
        let user = unprivileged();
        if let Some((user, group)) = user {
            chown(above.path(), Some(user), Some(group)).unwrap();
        }
        // Two folders deep, and both are made.
        let root = above.path().join("state/store");
        let output = run("use", &root, &format!("umask {umask};"), user);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "umask {umask}: {said}");
        are_private(&above.path().join("state"), umask);
    }
}

#[test]
fn no_link_is_followed() {
    for name in
        Used::new().files().into_iter().chain(["nodes", "holders", "", "root"].map(str::to_owned))
    {
        // The names of rows and holders differ from one store to the next.
        let used = Used::new();
        let name = match name.split_once('/') {
            Some((folder, _)) => used.files().into_iter().find(|file| file.starts_with(folder)),
            None => Some(name),
        }
        .unwrap();
        let path = match name.as_str() {
            "root" => used.root(),
            "" => used.root().join("a"),
            name => used.path(name),
        };
        // The link points to the very file or folder that the store has used.
        let elsewhere = used.above.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let look = |path: &Path| (mode(path), fs::read(path).ok());
        let before = everything(&elsewhere, look);
        used.is_refused(&path, |exposed| exposed.exposure == ExposureReason::Link);
        assert_eq!(everything(&elsewhere, look), before, "{name}");
    }
}

/// Under the names that files have before they are put in their place.
#[test]
fn link_for_a_new_file_is_replaced() {
    let above = TempDir::new().unwrap();
    let store = open(above.path().join("store")).unwrap();
    acquire(&store, "7/16").unwrap();
    let victim = above.path().join("victim");
    fs::write(&victim, "untouched").unwrap();
    let folder = above.path().join("store/a");
    for name in ["realm.new", "nodes/8-16.new"] {
        symlink(&victim, folder.join(name)).unwrap();
    }
    reconfigure(&store, "7-8/16").unwrap();
    acquire(&store, "7-8/16").unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    are_private(&above.path().join("store"), "links");
    assert!(!folder.join("realm.new").exists() && !folder.join("nodes/8-16.new").exists());
}

/// A claim looks at it when it needs a new row.
#[test]
fn an_exposed_index_is_refused() {
    let used = Used::new();
    reconfigure(&used.store, "7-9/16").unwrap();
    let index = used.path("index");
    let elsewhere = used.above.path().join("elsewhere");
    fs::rename(&index, &elsewhere).unwrap();
    symlink(&elsewhere, &index).unwrap();
    let error = acquire(&used.store, "7-9/16").unwrap_err();
    let StoreErrorKind::Exposed(exposed) = error.kind() else { panic!("{error:?}") };
    assert_eq!((&exposed.path, exposed.exposure), (&index, ExposureReason::Link));
}

/// A pipe above all: opening one waits for its other end.
#[test]
fn other_kinds_are_refused() {
    for at in 0..4 {
        let used = Used::new();
        let path = used.path(&used.files()[at]);
        fs::remove_file(&path).unwrap();
        let status = Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap();
        assert!(status.success());
        used.is_refused(&path, |exposed| exposed.exposure == ExposureReason::Kind);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        used.is_refused(&path, |exposed| exposed.exposure == ExposureReason::Kind);
    }
    let above = TempDir::new().unwrap();
    let file = above.path().join("file");
    fs::write(&file, "").unwrap();
    let error = open(&file).unwrap_err();
    let StoreErrorKind::Exposed(exposed) = error.kind() else { panic!("{error:?}") };
    assert_eq!(exposed.exposure, ExposureReason::Kind);
}

#[test]
fn writable_is_refused() {
    let user = rustix::process::geteuid().as_raw();
    let used = Used::new();
    for path in used.paths() {
        let right = mode(&path);
        for others in [0o002, 0o020, 0o077] {
            let wrong = right | others;
            set_mode(&path, wrong);
            used.is_refused(&path, |exposed| {
                let text = exposed.to_string();
                let says = |part: &str| text.contains(part);
                exposed.exposure == ExposureReason::Writable
                    && (exposed.owner, exposed.mode) == (user, wrong)
                    && says(&format!("{} (owner {user}, mode {wrong:04o})", path.display()))
                    && says(&format!("`chmod go-w {}`", path.display()))
            });
            assert_eq!(mode(&path), wrong, "left as it was, for its owner to look at");
        }
        set_mode(&path, right);
    }
    for result in used.use_all() {
        if let Err(error) = result {
            assert!(error.refusal().is_some(), "{error}");
        }
    }
    assert!(renew(&used.store, &used.held).is_ok());
}

/// One that was copied with another umask. Its owner's rights stay as they are.
#[test]
fn restored_realm_is_private() {
    for (restored, closed) in [(0o755, 0o700), (0o750, 0o700), (0o705, 0o700), (0o700, 0o700)] {
        let used = Used::new();
        let folder = used.root().join("a");
        set_mode(&folder, restored);
        set_mode(&used.path("lock"), 0o644);
        renew(&used.store, &used.held).unwrap();
        assert_eq!((mode(&folder), mode(&used.path("lock"))), (closed, 0o600), "{restored:o}");
    }
}

#[test]
fn trailing_slash_follows_no_link() {
    let above = TempDir::new().unwrap();
    let (store, link) = (above.path().join("store"), above.path().join("link"));
    drop(open(&store).unwrap());
    symlink(&store, &link).unwrap();
    for end in ["", "/", "//", "/."] {
        let error = open(format!("{}{end}", link.display())).unwrap_err();
        let StoreErrorKind::Exposed(exposed) = error.kind() else { panic!("{error:?}") };
        assert_eq!((&exposed.path, exposed.exposure), (&link, ExposureReason::Link), "{end:?}");
    }
    assert!(open(format!("{}/", store.display())).is_ok());
}

#[test]
fn what_another_user_owns_is_refused() {
    let Some((another, group)) = unprivileged() else { return skip("needs root") };
    let used = Used::new();
    for path in used.paths() {
        chown(&path, Some(another), Some(group)).unwrap();
        used.is_refused(&path, |exposed| {
            let text = exposed.to_string();
            let mode = mode(&path);
            exposed.exposure == (ExposureReason::Owner { user: 0 })
                && (exposed.owner, exposed.mode) == (another, mode)
                && text.contains(&format!("(owner {another}, mode {mode:04o})"))
                && text.contains(&format!("run as user {another}"))
        });
        chown(&path, Some(0), Some(0)).unwrap();
    }
    // The reverse: another user cannot use a folder of root's.
    set_mode(used.above.path(), 0o755);
    set_mode(&used.root(), 0o755);
    let output = run("use", &used.root(), "", Some((another, group)));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("belongs to another user"), "{said}");
}

/// To lock a file, it is enough to read it.
#[test]
fn another_user_cannot_hold_a_lock() {
    let Some(user) = unprivileged() else { return skip("needs root") };
    let used = Used::new();
    set_mode(used.above.path(), 0o755);
    // A mode that a folder created by hand may have.
    set_mode(&used.root(), 0o755);
    let output = run("lock", &used.root(), "", Some(user));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
