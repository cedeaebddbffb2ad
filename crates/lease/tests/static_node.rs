//! Nodes that are given from outside.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;

use tempfile::TempDir;
use tickid_lease::{
    Claim, Grant, Node, Realm, StaticStore, Store, StoreError, Token, block_on, connect,
};
use tickid_sno::Sno;

const PATIENCE: Duration = Duration::from_secs(30);

fn realm() -> Realm {
    Realm::new("a".parse().unwrap(), &Sno, "0-99/16".parse().unwrap()).unwrap()
}

fn acquire(store: &dyn Store) -> Result<Grant, StoreError> {
    let claim = Claim::new(Token::random().unwrap(), "somebody", None);
    block_on(store.acquire(&realm(), &claim), PATIENCE).unwrap()
}

fn release(store: &dyn Store, grant: &Grant, used: u64) -> Result<(), StoreError> {
    block_on(store.release(realm().name(), &grant.hold, Some(used)), PATIENCE).unwrap()
}

#[test]
fn without_a_folder_its_generators_follow_each_other() {
    let store = connect("static:42/16").unwrap();
    let grant = acquire(&store).unwrap();
    assert_eq!((grant.hold.node, grant.hold.floor), (Node::new(16, 42).unwrap(), 0));
    assert!(acquire(&store).is_err());
    let renewed = block_on(store.renew(realm().name(), &grant.hold), PATIENCE).unwrap().unwrap();
    assert!(renewed.ceiling >= grant.ceiling);
    let used = realm().tick_at(grant.now).unwrap();
    release(&store, &grant, used).unwrap();
    assert!(release(&store, &grant, used).unwrap_err().is_lost());
    assert_eq!(acquire(&store).unwrap().hold.floor, used + 1);
}

#[test]
fn a_node_outside_of_the_pool_is_not_granted() {
    let store = StaticStore::new(Node::new(16, 100).unwrap());
    let error = acquire(&store).unwrap_err().to_string();
    assert!(error.contains("its node 100/16 is not in the pool 0-99/16"), "{error}");
}

#[test]
fn with_a_folder_the_window_is_kept_across_restarts() {
    let folder = TempDir::new().unwrap();
    let open = |node: u32| {
        let url = format!("static:{node}/16?state={}", folder.path().display());
        connect(&url).unwrap()
    };
    let store = open(42);
    let first = acquire(&store).unwrap();
    // Another node of the same machine is another matter.
    assert_eq!(acquire(&open(43)).unwrap().hold.floor, 0);
    assert!(acquire(&open(42)).is_err());
    let used = realm().tick_at(first.now).unwrap() + 100;
    release(&store, &first, used).unwrap();
    drop(store);
    assert_eq!(acquire(&open(42)).unwrap().hold.floor, used + 1);
}
