//! Generators of a scheme that is known at run time.

use core::num::NonZeroU32;
use core::time::Duration;
use std::sync::Arc;

use tickid_convert::{
    AfterError, AnyBuilder, AnyGenerator, AnyId, AnyLeasedGenerator, AnyLocalGenerator,
    AnyObserveError, AnyScheme, IdsVisitor, Kind, SchemeId, SchemeVariant, SchemeVisitor, Settings,
};
use tickid_core::{AnyNode, Builder, Clock, ManualClock, NodeId as _, Scheme, UnixTime};
use tickid_lease::admin::Terms;
use tickid_lease::{NodePool, Realm, RealmSpec, Store};
use tickid_scru64::NodeIdSize;

const METABYTE: u8 = 0xa5;

fn clock() -> ManualClock {
    ManualClock::new(UnixTime::from_millis(1_700_000_000_000).unwrap())
}

/// Every kind with the default settings, SCRU64 with nodes of 8 bits.
fn schemes() -> impl Iterator<Item = AnyScheme> {
    let settings = Settings { node_size: NodeIdSize::new(8).ok(), ..Settings::default() };
    Kind::ALL.iter().map(move |kind| AnyScheme::new(*kind, &settings))
}

fn bits(scheme: &AnyScheme) -> u32 {
    scheme.node_bits().unwrap_or(1)
}

fn seeded(scheme: &AnyScheme, node: u64) -> AnyBuilder {
    scheme.seeded_builder(AnyNode::new(node, bits(scheme)).unwrap(), 7)
}

fn n(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// The state of a program need not name its clock.
#[test]
fn any_clock_will_do() {
    let clock: Arc<dyn Clock + Send + Sync> = Arc::new(clock());
    let time = clock.now().unwrap();
    for scheme in schemes() {
        let builder = || seeded(&scheme, 1).clock(Arc::clone(&clock));
        let shared = builder().build().unwrap().try_generate().unwrap();
        let local = builder().build_local().unwrap().try_generate().unwrap();
        let backfill = builder().before(time).unwrap().build_backfill().unwrap();
        let earlier = time.checked_sub(Duration::from_secs(60)).unwrap();
        let past = { backfill }.generate(earlier).unwrap();
        assert!(shared == local && past.to_u128() != shared.to_u128(), "{scheme:?}");
    }
}

/// The IDs of the generator whose type names the scheme.
struct Typed(u32);

impl SchemeVisitor for Typed {
    type Output = Vec<AnyId>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Vec<AnyId> {
        let node = (self.0..=64).find_map(|bits| S::Node::from_value(1, bits).ok()).unwrap();
        let mut generator =
            Builder::seeded_of(scheme, node, 7).clock(clock()).build_local().unwrap();
        let variant = V::with_metabyte(METABYTE);
        let mut ids = vec![generator.with(variant).try_generate().unwrap().into()];
        ids.extend(generator.with(variant).try_block(n(100)).unwrap().map(Into::into));
        ids
    }
}

/// Turns a block into a list.
struct Collect;

impl IdsVisitor for Collect {
    type Output = Vec<AnyId>;

    fn visit<I: SchemeId>(self, ids: impl ExactSizeIterator<Item = I>) -> Vec<AnyId> {
        ids.map(Into::into).collect()
    }
}

#[test]
fn known_at_run_time_they_issue_the_same_ids() {
    for scheme in schemes() {
        let builder = || seeded(&scheme, 1).metabyte(METABYTE).clock(clock());
        let typed = scheme.visit(Typed(bits(&scheme)));
        let mut local: AnyLocalGenerator<_> = builder().build_local().unwrap();
        let mut ids = vec![local.try_generate().unwrap()];
        ids.extend(local.try_block(n(100)).unwrap());
        assert_eq!(ids, typed, "{scheme:?}");
        let shared: AnyGenerator<_> = builder().build().unwrap();
        let mut ids = vec![shared.generate().unwrap()];
        let block = shared.block(n(100)).unwrap();
        assert_eq!(block.len(), 100);
        ids.extend(block.visit(Collect));
        assert_eq!(ids, typed, "{scheme:?}");
    }
}

#[test]
fn a_call_has_its_own_metabyte() {
    let scheme = AnyScheme::new(Kind::Sno, &Settings::default());
    let generator = seeded(&scheme, 1).clock(clock()).build().unwrap();
    let id = generator.try_block_with(24, n(1)).unwrap().next().unwrap();
    assert_eq!(scheme.fields()[2].value(&id.bytes()), 24);
    assert_eq!(scheme.fields()[2].value(&generator.try_generate().unwrap().bytes()), 0);
}

#[test]
fn they_continue_after_an_id_of_their_node() {
    for scheme in schemes() {
        let builder = |node| seeded(&scheme, node).clock(clock());
        let first = builder(1).build_local().unwrap().try_block(n(9)).unwrap();
        let last = first.last().unwrap();
        match builder(1).after(last) {
            Ok(builder) => {
                let next = builder.build_local().unwrap().try_generate().unwrap();
                assert_eq!(next.to_u128(), scheme_next(&scheme, last), "{scheme:?}");
            }
            Err(error) => assert_eq!(error, AfterError::Toggle(Kind::Sno)),
        }
        if scheme.kind().has_node() {
            let error = builder(0).after(last).unwrap_err();
            assert_eq!(error, AfterError::Node { found: 1, expected: 0 }, "{scheme:?}");
        }
        let other = AnyId::from_u128(Kind::KuidLocal, 7).unwrap();
        if scheme.kind() != Kind::KuidLocal {
            let error = builder(1).after(other).unwrap_err();
            let expected = scheme.kind();
            assert_eq!(error, AfterError::Scheme { found: Kind::KuidLocal, expected });
        }
    }
}

#[test]
fn they_continue_after_an_id_of_their_share() {
    let scheme = AnyScheme::new(Kind::Nanoflake, &Settings::default());
    let builder = |node: &str| scheme.seeded_builder(node.parse().unwrap(), 7).clock(clock());
    // Node 5, its last and its first quarter.
    let last = builder("23/12").build_local().unwrap().try_generate().unwrap();
    let next = builder("23/12").after(last).unwrap().build_local().unwrap().try_generate().unwrap();
    assert_eq!(next.to_u128(), last.to_u128() + 1);
    let error = builder("20/12").after(last).unwrap_err();
    assert_eq!(error, AfterError::Node { found: 23, expected: 20 });
    for node in ["11/11", "5/10"] {
        assert!(builder(node).after(last).is_ok(), "{node} has the last quarter");
    }
}

/// Returns the number of the ID with the next sequence.
fn scheme_next(scheme: &AnyScheme, id: AnyId) -> u128 {
    let fields = scheme.fields();
    let sequence = fields
        .iter()
        .rev()
        .find(|field| ["sequence", "node_ctr", "counter"].contains(&field.name()));
    let low = sequence.unwrap();
    let below = u32::try_from(id.bytes().len()).unwrap() * 8 - low.start() - low.bits();
    id.to_u128() + (1 << below)
}

#[test]
fn they_observe_ids_of_their_scheme() {
    for scheme in schemes() {
        let builder = |node| seeded(&scheme, node).clock(clock());
        let peer = builder(0).build().unwrap();
        let generator = builder(1).build().unwrap();
        let id = peer.try_block(n(50)).unwrap().last().unwrap();
        match generator.observe(id) {
            Ok(()) => assert!(generator.generate().unwrap().to_u128() > id.to_u128(), "{scheme:?}"),
            Err(AnyObserveError::NotObservable(kind)) => assert_eq!(kind, Kind::KuidGlobal),
            // Tick-tock issues lower IDs by design.
            Err(AnyObserveError::Refused(error)) => {
                assert_eq!(
                    (scheme.kind(), error),
                    (Kind::Sno, tickid_core::ObserveError::TickTock)
                );
            }
            Err(error) => panic!("{error}"),
        }
        let (found, expected) = (Kind::Sno, scheme.kind());
        if expected != found {
            let error = generator.observe(AnyId::from_u128(found, 7).unwrap()).unwrap_err();
            assert_eq!(error, AnyObserveError::Scheme { found, expected });
        }
    }
}

/// Describes the realm of a scheme.
struct Describe(Option<u32>);

impl SchemeVisitor for Describe {
    type Output = RealmSpec;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> RealmSpec {
        let pool = self.0.map_or(NodePool::single(), |bits| format!("1/{bits}").parse().unwrap());
        Realm::builder("orders", scheme)
            .pool(pool)
            .term(Terms::DEFAULT_TERM)
            .build()
            .unwrap()
            .into()
    }
}

#[test]
fn leased_nodes_come_from_the_realm() {
    for scheme in schemes() {
        let spec = scheme.visit(Describe(scheme.node_bits()));
        let builder =
            AnyLeasedGenerator::builder(scheme, Store::in_memory(), spec.clone()).unwrap();
        let generator = builder.holder("a test").start_pending().unwrap();
        let lease = generator.first_lease().unwrap();
        assert_eq!(lease.node.bits(), scheme.node_bits().unwrap_or(0), "{scheme:?}");
        let id = generator.generate().unwrap();
        assert_eq!(id.kind(), scheme.kind());
        generator.shut_down().unwrap();
        assert!(generator.try_generate().is_err());
        let other = if scheme.kind() == Kind::Sno { Kind::Scru64 } else { Kind::Sno };
        let other = AnyScheme::new(other, scheme.settings());
        assert!(AnyLeasedGenerator::builder(other, Store::in_memory(), spec).is_err());
    }
}

/// Times of which some share a tick, and the IDs of a backfill for them.
fn filled_back(scheme: &AnyScheme) -> Vec<AnyId> {
    let builder = seeded(scheme, 1).clock(clock());
    let now = UnixTime::from_millis(1_700_000_000_000).unwrap();
    let mut backfill = builder.metabyte(METABYTE).before(now).unwrap().build_backfill().unwrap();
    let times = (0..200).map(|at| UnixTime::from_micros(1_600_000_000_000_000 + at * 700));
    times.map(|time| backfill.generate(time).unwrap()).collect()
}

#[test]
fn past_times_get_ascending_ids_of_their_ticks() {
    for scheme in schemes() {
        let ids = filled_back(&scheme);
        let numbers: Vec<u128> = ids.iter().map(|id| id.to_u128()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{scheme:?}");
        for (at, id) in (0..).zip(&ids) {
            let time = UnixTime::from_micros(1_600_000_000_000_000 + at * 700);
            let last = scheme.max_at(time).unwrap().to_u128();
            let shown = scheme.unix_time(*id);
            assert!(shown <= time && id.to_u128() <= last, "{scheme:?} {shown} {time}");
            assert_eq!(scheme.unix_time(scheme.max_at(time).unwrap()), shown, "{scheme:?}");
            let parts = tickid_convert::ToParts::parts(*id, scheme.settings()).unwrap();
            assert_ne!(parts.toggle(), Some(true));
            assert_eq!(parts.metabyte(), (scheme.kind() == Kind::Sno).then_some(METABYTE));
        }
        // Another run with the same times goes on in the last tick.
        let last = *ids.last().unwrap();
        let builder =
            scheme.seeded_builder(AnyNode::new(1, bits(&scheme)).unwrap(), 8).clock(clock());
        let now = UnixTime::from_millis(1_700_000_000_000).unwrap();
        let rest = builder.metabyte(METABYTE).before(now).unwrap().build_backfill().unwrap();
        let mut rest = rest.after(last).unwrap();
        let time = UnixTime::from_micros(1_600_000_000_000_000 + 199 * 700);
        let next = rest.generate(time).unwrap();
        assert_eq!(next.to_u128(), scheme_next(&scheme, last), "{scheme:?}");
        let before = UnixTime::from_micros(1_600_000_000_000_000 - 1_000_000);
        assert!(rest.generate(before).is_err());
        // After an ID that is not its latest, it does not go back.
        let mut rest = rest.after(ids[0]).unwrap().after(last).unwrap();
        let later = rest.generate(time).unwrap();
        assert_eq!(later.to_u128(), scheme_next(&scheme, next), "{scheme:?}");
    }
}

#[test]
fn toggled_ids_start_no_backfill() {
    let scheme = AnyScheme::new(Kind::Sno, &Settings::default());
    let id = filled_back(&scheme)[0];
    let toggled = AnyId::from_u128(Kind::Sno, id.to_u128() | 1 << 40).unwrap();
    let builder = seeded(&scheme, 1).clock(clock());
    let backfill = builder.before(UnixTime::from_millis(1_700_000_000_000).unwrap()).unwrap();
    let error = backfill.build_backfill().unwrap().after(toggled).unwrap_err();
    assert_eq!(error, AfterError::Toggle(Kind::Sno));
}
