//! Processes that may not write, and processes that are killed.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Realm, RealmSpec, Store, StoreError, block_on};
use tickid_sno::Sno;

use super::{Folder, TIMEOUT, acquire, acquire_of, contents, open, realm, release, renew};

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
    let status = in_a_process(full, "file::processes::process_cannot_write", &folder).output();
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
    let elsewhere = RealmSpec::from(Realm::builder("b", Sno).pool("0/16").build().unwrap());
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
    // In a process that only copies: a child that another thread forks meanwhile would hold the
    // file open for writing, and such a file cannot be run.
    let copied = Command::new("cp").arg(env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
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
    for (files, test) in [
        (0o444, "file::processes::process_cannot_change"),
        (0o644, "file::processes::process_cannot_create"),
    ] {
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
    let elsewhere = RealmSpec::from(Realm::builder("b", Sno).pool("0/16").build().unwrap());
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
    let mut command = in_a_process("", "file::processes::process_holds_a_node", folder);
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
