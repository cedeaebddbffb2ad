//! Two leases of one realm never produce the same ID, whatever options their holders pass.

use core::fmt;
use core::hash::Hash;
use core::num::NonZeroU32;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::HashSet;
use std::sync::Arc;

use tickid_core::{
    BuildError, ErrorKind, Generator, ManualClock, Policy, ProcessClock, Scheme, SequenceBounds,
    Tick, UnixTime, Variant, Variants, Window,
};
use tickid_kuid::{Drift, Global, Kuid, Local};
use tickid_lease::admin::{RealmFacet, RealmPart, Refusal};
use tickid_lease::backend::{MemoryBackend, Row, RowState, Version};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{
    GenerateError, Lease, LeasedGenerator, NodePool, Realm, RealmError, RealmSpec, Store,
    StoreError,
};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::Sno;
use tickid_snowflake::Snowflake;

use crate::altered::Altered;

const TIMEOUT: Duration = Duration::from_secs(30);

type Clock = Arc<ManualClock>;

fn store() -> (Store, Clock) {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    (Store::new(MemoryBackend::new(Arc::clone(&clock))), clock)
}

fn realm<S: Scheme>(scheme: &S, pool: &str) -> Realm<S> {
    Realm::builder("a", *scheme).pool(pool).build().unwrap()
}

fn acquire(store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
    let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
    block_on(store.acquire(realm, &mut claim), TIMEOUT)
}

/// Returns all IDs that a leased generator issues in the present tick, and their sequences' bounds.
fn tick_of<S: Scheme<Variant: Variant<S, Id: Eq + Hash>>>(
    store: &Store,
    realm: &Realm<S>,
    clock: &Clock,
) -> (LeasedGenerator<S, ProcessClock<Clock>>, Vec<tickid_core::Id<S>>) {
    let builder = LeasedGenerator::builder(store.clone(), realm.clone());
    let leased = builder.policy(Policy::Wait).clock(Arc::clone(clock)).start().unwrap();
    let ids = core::iter::from_fn(|| leased.try_generate().ok()).collect();
    (leased, ids)
}

/// The nodes have several sizes, and all of them together are node 5.
#[test]
fn holders_of_shares_divide_a_node() {
    fn divide<S>(scheme: &S, whole: &str, shares: &str, count: usize)
    where
        S: Scheme<Variant: Variant<S, Id: Eq + Hash>>,
    {
        let (whole_store, clock) = store();
        let (_whole, expected) = tick_of(&whole_store, &realm(scheme, whole), &clock);
        let store = Store::new(MemoryBackend::new(Arc::clone(&clock)));
        let realm = realm(scheme, shares);
        let holders: Vec<_> =
            realm.pool().nodes().map(|_| tick_of(&store, &realm, &clock)).collect();
        let drawn: Vec<_> = holders.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
        let distinct: HashSet<_> = drawn.iter().copied().collect();
        assert_eq!((drawn.len(), distinct.len()), (count, count), "{}", S::NAME);
        assert!(distinct == expected.into_iter().collect(), "{}", S::NAME);
    }
    divide(&Nanoflake::default(), "5/10", "10/11,44-45/13,23/12", 4_096);
    divide(&Sno, "5/16", "20-23/18", 65_536);
    divide(&Kuid::default(), "5/32", "10/33,22-23/34", 16_384);
    divide(&Snowflake::SONYFLAKE, "5/16", "10/17,22-23/18", 256);
}

#[test]
fn leased_bounds_stay_in_the_share() {
    let (store, clock) = store();
    let realm = realm(&Nanoflake::default(), "8191/13");
    let lease = acquire(&store, realm.spec()).unwrap();
    let builder = || realm.generator_builder(&lease).unwrap().clock(Arc::clone(&clock));
    let built = builder().build().unwrap();
    assert_eq!((built.node().get(), built.bounds()), (1_023, SequenceBounds::new(3_584, 4_095)));
    let bounds = SequenceBounds::new(3_600, 3_699);
    assert_eq!(builder().bounds(bounds).build().unwrap().bounds(), bounds);
    for (lowest, last) in [(0, 4_095), (3_583, 4_095), (0, 511)] {
        let error = builder().bounds(SequenceBounds::new(lowest, last)).build().unwrap_err();
        assert!(matches!(error, BuildError::Share { .. }), "{lowest} to {last}: {error}");
    }
}

#[test]
fn pools_may_have_more_nodes_than_the_field() {
    let realm = |pool| Realm::builder("a", Nanoflake::default()).pool(pool).build();
    let wide = realm("0-8191/13").unwrap();
    assert_eq!((wide.pool().len(), wide.pool().is_empty()), (8_192, false));
    assert!(realm("0-511/10,4096-8191/13").is_ok());
    for (pool, message) in [
        ("0/10,5/13", "the nodes 0/10 and 5/13 are prefix-related: their IDs could be equal"),
        ("0-3/9", "nanoflake has no such node: node 0/9 has fewer bits than the node's field"),
        ("0/23", "nanoflake has no such node: node 0/23 has 0 of a tick's sequences, fewer than 1"),
    ] {
        let error = realm(pool).unwrap_err().to_string();
        assert!(error.starts_with(message), "{pool}: {error}");
    }
    // kuid's local IDs have no node, and no share of one.
    let local = Realm::builder("a", Kuid::default()).pool("0-1/1").build().unwrap_err();
    assert!(local.to_string().contains("node 0/1 has fewer bits"), "{local}");
}

/// Returns the answer of a future that is ready immediately.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("it waits"),
    }
}

fn kuid(drift: u8) -> Kuid {
    Kuid { drift: Drift::new(drift).unwrap() }
}

fn nanoflake(epoch: Epoch) -> Nanoflake {
    Nanoflake { epoch }
}

/// The two schemes that an error names, each in its own words.
fn names_both(error: &dyn fmt::Display, both: [&str; 2]) {
    let text = error.to_string();
    assert!(both.iter().all(|scheme| text.contains(scheme)), "{text}");
}

fn is_mismatch(error: &StoreError, what: RealmFacet) -> bool {
    matches!(error.refusal(), Some(Refusal::Mismatch(mismatch)) if mismatch.what == what)
}

fn another_layout_is_refused<S: Scheme + Default>(
    (one, name): (S, &str),
    (other, other_name): (S, &str),
    pool: &str,
) {
    let (store, _) = store();
    let realm_of_one = realm(&one, pool);
    let lease = acquire(&store, realm_of_one.spec()).unwrap();
    assert!(realm_of_one.generator_builder(&lease).unwrap().build().is_ok());
    // By the realm, for what a store has kept.
    let error = Realm::from_spec(realm_of_one.spec().clone(), other).unwrap_err();
    assert_eq!(error.what, RealmFacet::Settings);
    names_both(&error, [name, other_name]);
    // By the generator's builder.
    let builder = || realm_of_one.generator_builder(&lease).unwrap();
    let pinned = builder().settings(other).build().unwrap_err();
    assert_eq!(pinned, BuildError::Pinned { option: "settings" });
    let again = builder().settings(other).pin().build().unwrap_err();
    assert_eq!(again, BuildError::Pinned { option: "settings" });
    // By the store.
    let error = acquire(&store, realm(&other, pool).spec()).unwrap_err();
    assert!(is_mismatch(&error, RealmFacet::Settings), "{error}");
    names_both(&error, [name, other_name]);
    // By the background thread of a leased generator, which does not start.
    let error = LeasedGenerator::start(store, realm(&other, pool)).unwrap_err();
    names_both(&error, [name, other_name]);
}

#[test]
fn other_drift_is_refused() {
    another_layout_is_refused((kuid(5), "drift 5"), (kuid(10), "drift 10"), "0-9/32");
}

#[test]
fn other_epoch_is_refused() {
    let (unix, discord) = (nanoflake(Epoch::UNIX), nanoflake(Epoch::DISCORD));
    let names = ("epoch 0", "epoch 1420070400000");
    another_layout_is_refused((unix, names.0), (discord, names.1), "0-9/10");
}

/// Among schemes of one scheme, a common text would let two of them into one realm.
#[test]
fn equal_texts_are_equal_settings() {
    fn texts<S: Scheme>(schemes: impl IntoIterator<Item = S>, pool: &str) -> usize {
        let texts =
            schemes.into_iter().map(|scheme| realm(&scheme, pool).spec().settings().to_owned());
        texts.collect::<HashSet<_>>().len()
    }
    assert_eq!(texts((5..=10).map(kuid), "0-9/32"), 6);
    let epochs = (-5..5).map(|millis| nanoflake(Epoch::from_unix_millis(millis).unwrap()));
    assert_eq!(texts(epochs, "0-9/10"), 10);
    assert_eq!(realm(&Scru64, "0-9/8").spec().settings(), "");
    assert_eq!(realm(&Sno, "0-9/16").spec().settings(), "");
}

#[test]
fn leased_builder_keeps_window() {
    let (store, _) = store();
    let realm = realm(&kuid(8), "0-9/32");
    let lease = acquire(&store, realm.spec()).unwrap();
    let build = || realm.generator_builder(&lease).unwrap();
    let floor = Tick::new(lease.floor).unwrap();
    let wider = Window::new(floor, lease.ceiling + 1).unwrap();
    for window in [Window::ALL, wider] {
        let error = build().window(window).build().unwrap_err();
        assert_eq!(error, BuildError::Pinned { option: "window" });
    }
    for variants in [Variants::All, Variants::WithoutNode] {
        let error = build().variants(variants).build_local().unwrap_err();
        assert_eq!(error, BuildError::Pinned { option: "variants" });
    }
    assert!(build().window(Window::new(floor, lease.ceiling).unwrap()).build().is_ok());
}

#[test]
fn nodeless_realms_need_such_ids() {
    fn single<S: Scheme>(scheme: &S) -> Result<RealmSpec, RealmError> {
        Realm::builder("a", *scheme).pool(NodePool::single()).build().map(RealmSpec::from)
    }
    assert_eq!(single(&kuid(8)).unwrap().variants(), Variants::WithoutNode);
    assert_eq!(single(&Scru64), Err(RealmError::NoNodelessIds { scheme: "scru64" }));
    assert_eq!(single(&Sno), Err(RealmError::NoNodelessIds { scheme: "sno" }));
    let error = single(&nanoflake(Epoch::UNIX)).unwrap_err();
    assert_eq!(error.to_string(), "nanoflake has no IDs without a node, which the pool 0/0 is for");
}

fn is_refused<T>(result: Result<T, tickid_core::Error>, variants: Variants) -> bool {
    result.is_err_and(|error| error.kind() == ErrorKind::Variant(variants))
}

/// Calls every method that takes a variant: `wrong` is refused and consumes nothing, `right` is
/// issued.
fn issues_only<F: Variant<Kuid>, G: Variant<Kuid>>(
    generator: &Generator<Kuid, ProcessClock<Clock>>,
    variants: Variants,
    (right, wrong): (F, G),
    (blank, wrong_blank): (F::Id, G::Id),
) {
    let n = NonZeroU32::MIN;
    let before = generator.state();
    assert!(is_refused(generator.with(wrong).try_generate(), variants));
    assert!(is_refused(generator.with(wrong).generate(), variants));
    assert!(is_refused(generator.with(wrong).try_fill(&mut [wrong_blank; 3]), variants));
    let error = generator.with(wrong).fill(&mut [wrong_blank; 3]).unwrap_err();
    assert_eq!((error.written, error.source.kind()), (0, ErrorKind::Variant(variants)));
    assert!(is_refused(generator.with(wrong).try_block(n), variants));
    assert!(is_refused(generator.with(wrong).block(n), variants));
    let sleepless = generator.with(wrong).generate_async(async |_| ());
    assert!(is_refused(ready(sleepless), variants));
    assert!(is_refused(generator.handle().with(wrong).try_generate(), variants));
    assert!(is_refused(generator.handle().with(wrong).generate(), variants));
    assert_eq!(format!("{:?}", generator.state()), format!("{before:?}"));

    generator.with(right).try_generate().unwrap();
    generator.with(right).generate().unwrap();
    generator.with(right).fill(&mut [blank; 3]).unwrap();
    assert!(generator.with(right).block(n).unwrap().len() > 0);
    generator.handle().with(right).generate().unwrap();
}

fn leased(
    realm: &Realm<Kuid>,
    lease: &Lease,
    clock: &Clock,
) -> Generator<Kuid, ProcessClock<Clock>> {
    let builder = realm.generator_builder(lease).unwrap();
    builder.clock(ProcessClock::new(Arc::clone(clock))).build().unwrap()
}

#[test]
fn global_realm_refuses_local_ids() {
    let (store, clock) = store();
    let realm = realm(&kuid(8), "0-9/32");
    let lease = acquire(&store, realm.spec()).unwrap();
    let blank = (tickid_kuid::GlobalId::MIN, tickid_kuid::LocalId::MIN);
    issues_only(&leased(&realm, &lease, &clock), Variants::WithNode, (Global, Local), blank);
    let builder = realm.generator_builder(&lease).unwrap().clock(Arc::clone(&clock));
    let mut local = builder.build_local().unwrap();
    assert!(is_refused(local.with(Local).try_generate(), Variants::WithNode));
    assert!(is_refused(local.with(Local).generate(), Variants::WithNode));
    assert!(is_refused(local.with(Local).try_fill(&mut []), Variants::WithNode));
    assert!(local.with(Local).fill(&mut []).is_err());
    assert!(is_refused(local.with(Local).try_block(NonZeroU32::MIN), Variants::WithNode));
    assert!(is_refused(local.with(Local).block(NonZeroU32::MIN), Variants::WithNode));
    assert!(local.with(Global).generate().is_ok());
}

#[test]
fn local_realm_refuses_global_ids() {
    let (store, clock) = store();
    let realm = realm(&kuid(8), "0/0");
    let lease = acquire(&store, realm.spec()).unwrap();
    let blank = (tickid_kuid::LocalId::MIN, tickid_kuid::GlobalId::MIN);
    issues_only(&leased(&realm, &lease, &clock), Variants::WithoutNode, (Local, Global), blank);
}

#[test]
fn generator_refuses_other_form() {
    let (store, clock) = store();
    let builder = LeasedGenerator::builder(store, realm(&kuid(8), "0-9/32"));
    let generator = builder.clock(clock).start().unwrap();
    let sleepless = generator.with(Local).generate_async(async |_| ());
    let refused =
        [generator.with(Local).try_generate(), generator.with(Local).generate(), ready(sleepless)];
    for error in refused.map(Result::unwrap_err) {
        let GenerateError::Stalled(stall) = &error else { panic!("{error:?}") };
        assert_eq!(stall.error.kind(), ErrorKind::Variant(Variants::WithNode));
        assert_eq!(error.to_string(), "kuid: the generator issues only IDs with a node");
    }
    generator.with(Global).try_generate().unwrap();
}

#[test]
fn reconfiguring_keeps_the_kind() {
    let (store, _) = store();
    let reconfigure = |pool: &str| {
        let realm = realm(&kuid(8), pool);
        block_on(store.reconfigure(realm.spec()), TIMEOUT)
    };
    acquire(&store, realm(&kuid(8), "0-9/32").spec()).unwrap();
    assert!(is_mismatch(&reconfigure("0/0").unwrap_err(), RealmFacet::Ids));
    reconfigure("0-99/32").unwrap();
}

/// Two operators change a realm at the same time: one commits between the other's read and commit.
#[test]
fn changes_at_the_same_time_add_up() {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let memory = MemoryBackend::new(clock);
    let one = Store::new(memory.clone());
    acquire(&one, realm(&Sno, "0-15/16").spec()).unwrap();
    let described = |pool: &str, term: u64| {
        let realm = Realm::builder("a", Sno).pool(pool).term(Duration::from_secs(term));
        realm.build().unwrap()
    };
    let is_first = core::sync::atomic::AtomicBool::new(true);
    let other = Altered {
        commit: Box::new(move |memory, name, change| {
            if is_first.swap(false, core::sync::atomic::Ordering::Relaxed) {
                // The default term is not named.
                let larger = described("0-255/16", 10);
                let change = one.reconfigure_parts(larger.spec(), &[RealmPart::Pool]);
                block_on(change, TIMEOUT).unwrap();
            }
            Ok(memory.write(name, change))
        }),
        ..Altered::new(memory)
    };
    let longer = described("0/16", 110);
    let change = Store::new(other);
    let change = change.reconfigure_parts(longer.spec(), &[RealmPart::Term]);
    let changed = block_on(change, TIMEOUT).unwrap();
    // The difference is of the two records of this commit.
    assert_eq!(changed.before.as_ref(), Some(described("0-255/16", 10).spec()));
    assert_eq!(&changed.record.realm, described("0-255/16", 110).spec());
}

/// Functions in PostgreSQL have them, and keep the terms that they were created with.
#[test]
fn changes_name_reserved_nodes() {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let memory = MemoryBackend::new(clock);
    let store = Store::new(memory.clone());
    let realm = realm(&Sno, "0-9/16");
    block_on(store.reconfigure(realm.spec()), TIMEOUT).unwrap();
    let json = r#"{"record_version":1,"node":"7/16","token":null,"holder":"functions","era":0,
        "floor":5,"ceiling":9,"reserved":true}"#;
    let row = Row::from_json(json.as_bytes()).unwrap();
    let node = row.node;
    let state = RowState::Intact { row, version: Version(1), is_dead: false };
    memory.set_row(realm.name(), node, Some(state));
    let changed = block_on(store.reconfigure(realm.spec()), TIMEOUT).unwrap();
    assert_eq!(changed.reserved, [node]);
}

/// A realm that was lost is not created with nodes that nobody has named.
#[test]
fn unnamed_pools_are_not_created() {
    let (store, _) = store();
    let realm = realm(&Sno, "0-9/16");
    let terms: Vec<RealmPart> =
        vec![RealmPart::Term, RealmPart::Skew, RealmPart::Allowance, RealmPart::Start];
    let refused = block_on(store.reconfigure_parts(realm.spec(), &terms), TIMEOUT).unwrap_err();
    assert_eq!(refused.refusal(), Some(&Refusal::NoRealm { nearest: None }));
    let created = store.reconfigure_parts(realm.spec(), &[RealmPart::Pool]);
    assert_eq!(block_on(created, TIMEOUT).unwrap().before, None);
}

/// Draws `COUNT` IDs under each of two leases of a realm, of every pair of schemes that the store
/// and the builder accept, at the same moments of one clock.
fn leases_never_agree<S, F>(schemes: &[S], pools: &[&str], variants: &[F])
where
    S: Scheme + Default,
    F: Variant<S, Id: Eq + Hash + fmt::Debug>,
{
    const COUNT: usize = 2_000;
    let (mut drawn, mut refused) = (0, 0);
    for first in schemes.iter().flat_map(|scheme| pools.map_pairs(scheme)) {
        for second in schemes.iter().flat_map(|scheme| pools.map_pairs(scheme)) {
            let (store, clock) = store();
            let (mut seen, mut generators) = (HashSet::new(), Vec::new());
            for (scheme, pool) in [first, second] {
                let realm = realm(scheme, pool);
                let Ok(lease) = acquire(&store, realm.spec()) else {
                    refused += 1;
                    continue;
                };
                // Each scheme is tried under each lease.
                for asked in schemes {
                    match Realm::from_spec(realm.spec().clone(), *asked) {
                        Ok(realm) => {
                            let builder = realm.generator_builder(&lease).unwrap();
                            generators.push(builder.clock(Arc::clone(&clock)).build());
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
            for generator in generators.iter().map(|generator| generator.as_ref().unwrap()) {
                for variant in variants {
                    for _ in 0..COUNT {
                        let Ok(id) = generator.with(*variant).try_generate() else { break };
                        assert!(seen.insert(id), "{id:?} twice: {first:?} and {second:?}");
                        drawn += 1;
                    }
                }
            }
        }
    }
    assert!(drawn >= COUNT && refused > 0, "{drawn} drawn, {refused} refused");
}

/// Pairs of a scheme and each pool.
trait Pairs<'a> {
    fn map_pairs<S>(&self, scheme: &'a S) -> Vec<(&'a S, &'a str)>;
}

impl<'a> Pairs<'a> for [&'a str] {
    fn map_pairs<S>(&self, scheme: &'a S) -> Vec<(&'a S, &'a str)> {
        self.iter().map(|pool| (scheme, *pool)).collect()
    }
}

/// Local and global IDs, as bits, under drifts that put the bits of seconds and nodes in other
/// places.
#[derive(Clone, Copy, Debug)]
enum Any {
    Local,
    Global,
}

impl Variant<Kuid> for Any {
    type Id = u128;

    fn has_node(self) -> bool {
        matches!(self, Self::Global)
    }

    fn id(self, scheme: &Kuid, slot: tickid_core::Slot<Kuid>) -> u128 {
        match self {
            Self::Local => Local.id(scheme, slot).get().into(),
            Self::Global => {
                let mut bytes = [0; 16];
                bytes[4..].copy_from_slice(&Global.id(scheme, slot).to_bytes());
                u128::from_be_bytes(bytes)
            }
        }
    }
}

#[test]
fn kuid_leases_never_agree() {
    // Nodes that are runs of ones and zeros, so that a drift moves them onto each other.
    let pools = ["0-1/32", "31/32,1023/32", "0/0"];
    leases_never_agree(&[kuid(5), kuid(10)], &pools, &[Any::Local, Any::Global]);
}

#[test]
fn nanoflake_leases_never_agree() {
    let schemes = [nanoflake(Epoch::UNIX), nanoflake(Epoch::DISCORD)];
    leases_never_agree(&schemes, &["0-1/10", "1/10"], &[tickid_core::Plain]);
}

#[test]
fn scru64_leases_never_agree() {
    let pools = ["0-1/1", "0-255/8", "0/1,2/2,192-255/8", "1/23"];
    leases_never_agree(&[Scru64], &pools, &[tickid_core::Plain]);
}

#[test]
fn sno_leases_never_agree() {
    let metas = [tickid_sno::Meta(0), tickid_sno::Meta(255)];
    leases_never_agree(&[Sno], &["0-1/16", "1/16"], &metas);
}

/// SCRU64 nodes of other sizes, granted one after the other: bits move from the node to the
/// counter.
#[test]
fn reconfigured_never_agree() {
    let (store, clock) = store();
    acquire(&store, realm(&Scru64, "0-1/1").spec()).unwrap();
    let mut seen = HashSet::new();
    for pool in ["0-1/1", "0-255/8", "0-3/2", "0/1,2/2,24-31/5", "0-1/1"] {
        let realm = realm(&Scru64, pool);
        block_on(store.reconfigure(realm.spec()), TIMEOUT).unwrap();
        clock.advance(Duration::from_secs(120));
        for _ in 0..2 {
            let lease = acquire(&store, realm.spec()).unwrap();
            let builder = realm.generator_builder(&lease).unwrap().clock(Arc::clone(&clock));
            let generator = builder.build().unwrap();
            for _ in 0..2_000 {
                let id = generator.try_generate().unwrap();
                assert!(seen.insert(id), "{id} twice, under {} of {pool}", lease.node);
            }
        }
    }
}
