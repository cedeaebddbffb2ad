//! What an earlier release stored is read, and its nodes are granted above all that it granted.
//!
//! `tests/vectors/releases` has, for each release, all that each backend kept after the same
//! requests, as data of its own, and what was to be read from it. With the variable
//! `TICKID_RECORD=1`, the tests make the present release's anew.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Instant;

use core::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tickid_lease::admin::Start;
use tickid_lease::backend::{Row, RowState};
use tickid_lease::session::Token;
use tickid_lease::{RealmSpec, Store};
use tickid_testkit::servers::{Server, StartError, Test};
use tickid_testkit::vectors;

use crate::sql::{TIMEOUT, acquire, answer, realm_named, renew};

/// The realms of the recordings. No other test has them.
pub(crate) const REALMS: [&str; 3] = ["recorded-assumed", "recorded-granted", "recorded-paused"];

/// A server, or what is a test's own of one.
pub(crate) trait Kept {
    fn store(&self) -> Store;

    /// Returns all that the backend keeps of the realms, in a form that its tools know.
    fn take(&self) -> Value;

    /// Replaces that.
    fn put(&self, kept: &Value);
}

/// Tests what all releases stored in a backend.
pub(crate) fn are_read<K: Kept>(backend: &str, new: impl Fn() -> K) {
    let file = format!("stores/{backend}.json");
    vectors::record_release(&file, || {
        let kept = new();
        grant(&kept.store());
        json!({ "kept": kept.take(), "realms": realms(&kept.store()) })
    });
    for (release, recorded) in vectors::releases(&file) {
        let kept = new();
        kept.put(vectors::field(&recorded, "kept"));
        let (store, expected) = (kept.store(), vectors::field(&recorded, "realms"));
        assert_eq!(&realms(&store), expected, "{release}");
        for name in REALMS {
            goes_on(&store, name, &expected[name]);
        }
    }
}

fn realm(name: &str) -> RealmSpec {
    realm_named(name, "1-8/4,36-37/6", Duration::from_secs(1))
}

/// Makes realms and rows in all states that a store without functions can have.
fn grant(store: &Store) {
    let [assumed, granted, paused] = REALMS;
    let before = realm_named(granted, "0-7/4", Duration::from_secs(2));
    answer(store.create(&before, Start::Immediately)).unwrap();
    let leases: Vec<_> = (0..8).map(|_| acquire(store, &before).unwrap()).collect();
    renew(store, &before, &leases[0]).unwrap();
    answer(store.release(&before, &leases[1], Some(leases[1].floor + 5))).unwrap();
    answer(store.release(&before, &leases[2], None)).unwrap();
    answer(store.release_by_hand(&before, &leases[3], Some(leases[3].floor))).unwrap();
    answer(store.reconfigure(&realm(granted))).unwrap();

    answer(store.adopt(&realm(assumed))).unwrap();
    answer(store.create(&realm(paused), Start::Immediately)).unwrap();
    acquire(store, &realm(paused)).unwrap();
    answer(store.invalidate(&realm(paused))).unwrap();
}

/// Returns what is read of the realms.
fn realms(store: &Store) -> Value {
    REALMS.into_iter().map(|name| (name.to_owned(), read(store, name))).collect()
}

fn read(store: &Store, name: &str) -> Value {
    let view = answer(store.list(&name.parse().unwrap())).unwrap();
    let (record, _) = view.record.as_ref().unwrap();
    let (realm, terms) = (&record.realm, record.realm.terms());
    let parts = record.parts.iter();
    let parts = parts.map(|part| json!([part.range.to_string(), part.since_era, part.floor]));
    let rows = view.rows.iter().map(|(node, state)| (node.to_string(), read_row(state)));
    json!({
        "scheme": realm.scheme(),
        "settings": realm.settings(),
        "epoch_micros": realm.scale().epoch().as_micros(),
        "period_micros": realm.scale().period_micros(),
        "micros_per_tick": realm.scale().micros_per_tick(),
        "end": realm.end(),
        "pool": realm.pool().to_string(),
        "allowance": terms.allowance,
        "skew_micros": micros(terms.skew),
        "term_micros": micros(terms.term),
        "start": terms.start.to_string(),
        "parts": parts.collect::<Vec<_>>(),
        "generation": record.generation,
        "era": record.era,
        "floor": record.floor,
        "max_ahead": record.max_ahead,
        "rows": record.rows,
        "is_assumed": record.is_assumed,
        "pause": record.pause().map(|reason| reason.to_string()),
        "nodes": rows.collect::<BTreeMap<_, _>>(),
    })
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap()
}

fn read_row(state: &RowState) -> Value {
    let Row { node: _, token, holder, era, floor, ceiling, cut, extra: _ } = state.row().unwrap();
    json!({
        "version": state.version().unwrap().0,
        "token": token.map(|token: Token| token.to_string()),
        "holder": holder,
        "era": era,
        "floor": floor,
        "ceiling": ceiling,
        "cut": cut.0,
    })
}

/// Acquires each node once.
fn goes_on(store: &Store, name: &str, expected: &Value) {
    let realm = realm(name);
    let ended = |node: &str| {
        let node = expected["nodes"].get(node)?;
        Some(vectors::number::<u64>(node, "ceiling"))
    };
    let begin = Instant::now();
    for _ in 0..realm.pool().len() {
        let lease = loop {
            match acquire(store, &realm) {
                Ok(lease) => break lease,
                // Until the pause, or a lease that is still held, is over.
                Err(error) if error.refusal().is_some() => thread::yield_now(),
                // A busy etcd gives up after six seconds.
                Err(error) if error.is_unreachable() && begin.elapsed() < TIMEOUT => {}
                Err(error) => panic!("{error}"),
            }
        };
        assert!(lease.floor >= vectors::number(expected, "floor"), "{lease:?}");
        assert!(ended(&lease.node.to_string()) <= Some(lease.floor), "{lease:?}");
    }
}

/// Makes the test of a server, by a function that makes what is [`Kept`].
macro_rules! tests {
    ($server:ty, $backend:literal, $new:path) => {{
        let tests: [tickid_testkit::servers::Test<$server>; 1] =
            [("what_earlier_releases_stored_is_read", |server| {
                $crate::releases::are_read($backend, || $new(server));
            })];
        tests
    }};
}
pub(crate) use tests;

/// A folder, which needs no server.
pub(crate) struct Folder;

impl Server for Folder {
    const NAME: &'static str = "file";

    fn start() -> Result<Self, StartError> {
        Ok(Self)
    }

    fn is_installed() -> bool {
        true
    }
}

impl Folder {
    pub(crate) fn tests() -> [Test<Self>; 1] {
        tests!(Self, "file", of_a_test)
    }
}

fn of_a_test(_: &Folder) -> TempDir {
    tempfile::tempdir().unwrap()
}

impl Kept for TempDir {
    fn store(&self) -> Store {
        Store::open(&format!("file://{}/store", self.path().display())).unwrap()
    }

    /// Paths and bytes.
    fn take(&self) -> Value {
        let folder = self.path().join("store");
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.clone()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
                let bytes = fs::read(path).unwrap().into_iter();
                files.insert(name, bytes.map(|byte| format!("{byte:02x}")).collect::<String>());
            }
        }
        json!(files)
    }

    fn put(&self, kept: &Value) {
        for (name, bytes) in kept.as_object().unwrap() {
            let path = self.path().join("store").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let digits = bytes.as_str().unwrap().as_bytes();
            let byte = |digits| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
            fs::write(path, digits.chunks(2).map(byte).collect::<Vec<_>>()).unwrap();
        }
    }
}
