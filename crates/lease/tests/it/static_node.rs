//! Nodes that are given from outside.

use core::fmt::Debug;
use core::time::Duration;
use std::fs;
use std::sync::Arc;

use tempfile::TempDir;
use tickid_core::{
    AnyNode, Clock as _, Id, ManualClock, Policy, Scheme, SystemClock, TickStart, Ticks, Variant,
};
use tickid_lease::admin::Refusal;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{GenerateError, Lease, LeasedGenerator, Realm, RealmSpec, Store, StoreError};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;
use tickid_snowflake::Snowflake;

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
    let before = realm().tick_at(SystemClock.now().unwrap()).unwrap();
    let lease = acquire(&store).unwrap();
    assert_eq!(lease.node, AnyNode::new(42, 16).unwrap());
    // A process before this one may have used the present tick.
    let now = realm().tick_at(lease.granted_at).unwrap();
    assert!((before + 1..=now + 1).contains(&lease.floor), "{lease:?}");
    assert!(acquire(&store).is_err());
    let renewed = block_on(store.renew(&realm(), &lease), TIMEOUT).unwrap();
    assert!(renewed.ceiling >= lease.ceiling);
    let used = lease.floor + 5;
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

/// Uses up every tick that the policy allows, and restarts without a tick passing. Either process
/// has a new folder, or none.
fn repeats_nothing<S: Scheme>(
    scheme: S,
    node: &str,
    policy: Option<Policy<S>>,
    has_folder: [bool; 2],
) where
    S::Variant: Variant<S>,
    Id<S>: Debug + Ord,
{
    let clock = Arc::new(ManualClock::new(SystemClock.now().unwrap()));
    let folders = has_folder.map(|has| has.then(|| TempDir::new().unwrap()));
    let start = |folder: &Option<TempDir>| {
        let state = folder.as_ref().map(|folder| format!("?state={}", folder.path().display()));
        let url = format!("static:{node}{}", state.unwrap_or_default());
        let store = Store::open(&url).unwrap();
        let realm = Realm::builder("a", scheme).pool(node).build().unwrap();
        let builder = LeasedGenerator::builder(store, realm).clock(Arc::clone(&clock));
        // Any tick in which both issue is seen: the second one starts with a lower sequence.
        let mut builder = builder.tick_start(TickStart::Lowest);
        if let Some(policy) = policy {
            builder = builder.policy(policy);
        }
        builder.start().unwrap()
    };
    let tick = |clock: &ManualClock| scheme.tick_at(clock.now().unwrap()).unwrap();
    let what = format!("{} {policy:?} {has_folder:?}", S::NAME);

    let first = start(&folders[0]);
    // It waits for a tick of its own, and for one more under a ratchet.
    let began = tick(&clock);
    let mut last = None;
    while last.is_none() {
        match first.try_generate() {
            Ok(id) => last = Some(id),
            Err(error) => {
                assert!(matches!(&error, GenerateError::Stalled(_)), "{what}: {error}");
                clock.advance(error.retry_after().unwrap());
            }
        }
    }
    assert!((1..=2).contains(&(tick(&clock).get() - began.get())), "{what}");
    let error = loop {
        match first.try_generate() {
            Ok(id) => last = Some(id),
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, GenerateError::Stalled(_)), "{what}: {error}");

    let second = start(&folders[1]);
    let next = loop {
        match second.try_generate() {
            Ok(id) => break id,
            Err(error) => clock.advance(error.retry_after().unwrap()),
        }
    };
    assert!(Some(next) > last, "{what}: {next:?} follows {last:?}");
}

fn restarts_repeat_nothing(has_folder: [bool; 2]) {
    repeats_nothing(Scru64, "5/16", None, has_folder);
    repeats_nothing(Nanoflake::default(), "5/10", None, has_folder);
    for allowance in [0, 3] {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(allowance) };
        repeats_nothing(Nanoflake::default(), "5/10", Some(ratchet), has_folder);
    }
    repeats_nothing(Sno, "5/16", None, has_folder);
}

#[test]
fn restarts_without_a_folder_repeat_nothing() {
    restarts_repeat_nothing([false, false]);
}

#[test]
fn restarts_with_a_new_folder_repeat_nothing() {
    restarts_repeat_nothing([false, true]);
    restarts_repeat_nothing([true, true]);
}

/// The first ID would wait for one.
#[test]
fn long_ticks_need_a_folder() {
    let acquire = |url: &str, scheme: &str| {
        let scheme: Snowflake = scheme.parse().unwrap();
        let realm = Realm::builder("a", scheme).pool("5/8").build().unwrap();
        let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
        let store = Store::open(url).unwrap();
        block_on(store.acquire(realm.spec(), &mut claim), TIMEOUT)
            .map_err(|error| error.to_string())
    };
    assert!(acquire("static:5/8", "35x1s/8n/16s@2020-01-01").is_ok());
    let error = acquire("static:5/8", "35x1001ms/8n/16s@2020-01-01").unwrap_err();
    let expected = "up to two ticks, which are 1.001s each: name a folder, as in \
                    static:5/8?state=/FOLDER";
    assert!(error.contains(expected), "{error}");
    let folder = TempDir::new().unwrap();
    let url = format!("static:5/8?state={}", folder.path().display());
    assert!(acquire(&url, "35x1001ms/8n/16s@2020-01-01").is_ok());
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

/// A row that was lost by itself ends all leases, and so does a realm that a claim has seen.
#[test]
fn losses_of_a_folder_are_noticed() {
    let folder = TempDir::new().unwrap();
    let open = || Store::open(&format!("static:42/16?state={}", folder.path().display())).unwrap();
    let not_yet = |error: StoreError| matches!(error.refusal(), Some(Refusal::NotYet { .. }));
    let lease = acquire(&open()).unwrap();
    release(&open(), &lease, lease.floor).unwrap();
    fs::remove_file(folder.path().join("a-42-16/nodes/42-16")).unwrap();
    assert!(not_yet(acquire(&open()).unwrap_err()));

    fs::remove_dir_all(folder.path().join("a-42-16")).unwrap();
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    let mut acquire = || block_on(open().acquire(&realm(), &mut claim), TIMEOUT);
    release(&open(), &acquire().unwrap(), lease.floor).unwrap();
    fs::remove_dir_all(folder.path().join("a-42-16")).unwrap();
    assert!(not_yet(acquire().unwrap_err()));
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
    // Another node of the same machine has its own window, which starts beyond a process that may
    // have had the node without this folder.
    let before = realm().tick_at(SystemClock.now().unwrap()).unwrap();
    let second = acquire(&open(43)).unwrap();
    let now = realm().tick_at(second.granted_at).unwrap();
    assert!((before + 1..=now + 1).contains(&second.floor), "{second:?}");
    assert!(acquire(&open(42)).is_err());
    let used = now + 100;
    release(&store, &first, used).unwrap();
    drop(store);
    assert_eq!(acquire(&open(42)).unwrap().floor, used + 1);
}
