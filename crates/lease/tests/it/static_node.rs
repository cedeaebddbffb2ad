//! Nodes that are given from outside.

use core::time::Duration;

use tempfile::TempDir;
use tickid_core::AnyNode;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, LeasedGenerator, Realm, RealmSpec, Store, StoreError};
use tickid_sno::Sno;

const TIMEOUT: Duration = Duration::from_secs(30);

fn realm() -> RealmSpec {
    RealmSpec::from(Realm::builder("a", Sno).pool("0-99/16").build().unwrap())
}

fn acquire(store: &Store) -> Result<Lease, StoreError> {
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    block_on(store.acquire(&realm(), &mut claim), TIMEOUT)
}

fn release(store: &Store, lease: &Lease, used: u64) -> Result<(), StoreError> {
    block_on(store.release(&realm(), lease, Some(used)), TIMEOUT)
}

#[test]
fn generators_follow_each_other() {
    let store = Store::open("static:42/16").unwrap();
    let lease = acquire(&store).unwrap();
    assert_eq!((lease.node, lease.floor), (AnyNode::new(42, 16).unwrap(), 0));
    assert!(acquire(&store).is_err());
    let renewed = block_on(store.renew(&realm(), &lease), TIMEOUT).unwrap();
    assert!(renewed.ceiling >= lease.ceiling);
    let used = realm().tick_at(lease.granted_at).unwrap();
    release(&store, &lease, used).unwrap();
    assert!(release(&store, &lease, used).unwrap_err().is_lost());
    assert_eq!(acquire(&store).unwrap().floor, used + 1);
}

#[test]
fn given_nodes_may_be_shares() {
    let store = Store::open("static:5/18").unwrap();
    let realm = Realm::builder("a", Sno).pool("4-7/18").build().unwrap();
    let generator = LeasedGenerator::start(store, realm).unwrap();
    let id = generator.generate().unwrap();
    assert_eq!((id.partition().get(), id.sequence()), (1, 16_384));
}

#[test]
fn realms_have_their_own_names() {
    let store = Store::open("static:42/16").unwrap();
    acquire(&store).unwrap();
    let name = realm().name().clone();
    assert_eq!(block_on(store.realms(), TIMEOUT).unwrap(), core::slice::from_ref(&name));
    let view = block_on(store.list(&name), TIMEOUT).unwrap();
    assert_eq!(view.rows.into_keys().collect::<Vec<_>>(), [AnyNode::new(42, 16).unwrap()]);
}

#[test]
fn repeated_claims_get_a_lease_of_the_realm() {
    let store = Store::open("static:42/16").unwrap();
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    let mut acquire = || block_on(store.acquire(&realm(), &mut claim), TIMEOUT).unwrap();
    let (first, again) = (acquire(), acquire());
    assert_eq!((again.node, again.floor), (first.node, first.floor));
    block_on(store.renew(&realm(), &again), TIMEOUT).unwrap();
}

#[test]
fn node_outside_pool_is_refused() {
    let store = Store::open("static:100/16").unwrap();
    let error = acquire(&store).unwrap_err().to_string();
    assert!(error.contains("its node 100/16 is not in the pool 0-99/16"), "{error}");
}

#[test]
fn folder_keeps_window_on_restart() {
    let folder = TempDir::new().unwrap();
    let open = |node: u32| {
        let url = format!("static:{node}/16?state={}", folder.path().display());
        Store::open(&url).unwrap()
    };
    let store = open(42);
    let first = acquire(&store).unwrap();
    // Another node of the same machine has its own window.
    assert_eq!(acquire(&open(43)).unwrap().floor, 0);
    assert!(acquire(&open(42)).is_err());
    let used = realm().tick_at(first.granted_at).unwrap() + 100;
    release(&store, &first, used).unwrap();
    drop(store);
    assert_eq!(acquire(&open(42)).unwrap().floor, used + 1);
}
