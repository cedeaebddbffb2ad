//! The start of realms, and changes of their pools and terms.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use super::{
    SHORT, Scene, TERM, Testbed, answer, assert_lost, assert_same, quarantined_of_exhausted,
};
use crate::backend::{Change, RowChange};
use crate::model::lease::Lease;
use crate::model::realm_spec::{RealmFacet, RealmName, RealmSpec, Terms};
use crate::model::record::{Extra, PauseReason, Row, Rows};
use crate::model::refusal::Refusal;
use crate::model::rules::Standing;
use crate::store::Start;
use tickid_core::AnyNode;

/// The same node can be leased in two realms at the same time.
pub fn realms_are_apart(testbed: &dyn Testbed) {
    let scenes = [(); 2].map(|()| Scene::new(testbed, "7/8"));
    let grants = scenes.each_ref().map(Scene::acquire);
    let names = answer(scenes[0].store.realms()).unwrap();
    assert!(names.is_sorted());
    for (scene, grant) in scenes.iter().zip(&grants) {
        assert!(scene.renew(grant).is_ok());
        assert!(names.contains(scene.realm.name()), "{names:?}");
    }
}

/// The refusal names the difference, and nothing is granted.
pub fn another_realm_is_refused(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    scene.acquire();
    let realm = || scene.realm.clone();
    let other_terms = Terms { allowance: 1, ..realm().terms() };
    for (what, other) in [
        (RealmFacet::Scheme, RealmSpec { scheme: "others".to_owned(), ..realm() }),
        (RealmFacet::Settings, RealmSpec { settings: "drift 5".to_owned(), ..realm() }),
        (RealmFacet::Ticks, RealmSpec { end: 1 << 40, ..realm() }),
        (RealmFacet::Ids, scene.with_pool("0/0")),
        (RealmFacet::Nodes, scene.with_pool("0-8/8")),
        (RealmFacet::Nodes, scene.with_pool("0-7/9")),
        (RealmFacet::Terms, RealmSpec { terms: other_terms, ..realm() }),
    ] {
        let error = scene.acquire_of(&other).unwrap_err();
        match error.refusal() {
            Some(Refusal::Mismatch(mismatch)) => assert_eq!(mismatch.what, what),
            _ => panic!("{error}"),
        }
    }
    assert_eq!(scene.record().realm, scene.realm);
    assert_eq!(scene.list().rows.len(), 1);
}

/// Creating it again changes nothing, before and while its nodes are held. Creating a different
/// realm of that name is refused with the difference.
pub fn a_realm_starts_once(testbed: &dyn Testbed) {
    let scene = Scene::unknown(testbed, "0-7/8");
    let create = |realm: &RealmSpec| answer(testbed.store().create(realm, Start::Immediately));
    let begin = |realm: &RealmSpec| create(realm).map(|created| created.record);
    let kept = || (scene.record(), scene.list().rows);
    let record = begin(&scene.realm).unwrap();
    assert_eq!((&record.realm, record.floor), (&scene.realm, 0));
    assert_eq!(kept(), (record.clone(), Rows::new()));
    assert_eq!(begin(&scene.realm).unwrap(), record);
    assert_eq!(kept(), (record.clone(), Rows::new()));

    let held = [(); 2].map(|()| scene.acquire());
    let before = kept();
    let counted = crate::backend::Record { rows: 2, ..record };
    assert_eq!(before.0, counted, "a claim does not begin it anew");
    begin(&scene.realm).unwrap();
    let another_terms = Terms { allowance: 1, ..scene.realm.terms() };
    for (what, another) in [
        (RealmFacet::Scheme, RealmSpec { scheme: "others".to_owned(), ..scene.realm.clone() }),
        (RealmFacet::Nodes, scene.with_pool("0-3/8")),
        (RealmFacet::Terms, RealmSpec { terms: another_terms, ..scene.realm.clone() }),
    ] {
        let error = begin(&another).unwrap_err();
        assert!(is_mismatch(&error, what, &scene.realm), "{error}");
    }
    assert_eq!(kept(), before);
    for lease in &held {
        scene.renew(lease).unwrap();
    }
}

/// If a realm of that name may have been lost, the new one starts beyond its leases, and nothing is
/// granted until then.
pub fn unknown_realms_start_beyond(testbed: &dyn Testbed) {
    let scene = Scene::unknown(testbed, "0-3/8");
    if scene.store.starts_immediately() {
        assert_eq!(scene.acquire().floor, 0);
        return;
    }
    let elsewhere = Scene::new(testbed, "0-3/8").acquire();
    let limit = scene.tick(elsewhere.granted_at) + scene.realm.max_ahead();
    // The default term, because a slow machine may outlast a short one before the answer.
    let error = scene.try_acquire().unwrap_err();
    match error.refusal() {
        Some(&Refusal::NotYet { from, why, .. }) => {
            assert!(scene.tick(from) >= limit);
            assert_eq!(why, Some(PauseReason::New));
        }
        _ => panic!("{error}"),
    }
    // The statement that it is new comes too late, and does not shorten the pause.
    let before = scene.record();
    let late = answer(testbed.store().create(&scene.realm, Start::Immediately)).unwrap();
    assert!(!late.is_new && matches!(late.not_yet, Some(Refusal::NotYet { .. })), "{late:?}");
    assert_eq!((&late.record, scene.record()), (&before, before.clone()));
    // A short one, to outlast it.
    let scene = Scene::unknown(testbed, "0-3/8").term(SHORT);
    let elsewhere = Scene::short(testbed, "0-3/8").acquire();
    let limit = scene.tick(elsewhere.granted_at) + scene.realm.max_ahead();
    let _ = scene.try_acquire();
    super::trouble::starts_beyond(&scene, limit);
}

/// One of them is created, and the others are refused with the difference. Neither the realm nor
/// the place where the store keeps its realms has to exist before.
pub fn racing_realms_start_once(testbed: &dyn Testbed) {
    const PAIRS: usize = 4;
    for _ in 0..4 {
        let scene = Scene::unknown(testbed, "0-7/8");
        let (small, large) = (&scene.realm, &scene.with_pool("0-15/8"));
        let together = Barrier::new(2 * PAIRS);
        let creators = AtomicU32::new(0);
        let begun = thread::scope(|scope| {
            let begin = |realm: &RealmSpec| {
                let store = testbed.store();
                let (together, creators, realm) = (&together, &creators, realm.clone());
                scope.spawn(move || {
                    together.wait();
                    let begun = answer(store.create(&realm, Start::Immediately));
                    let begun = begun.map(|created| {
                        creators.fetch_add(u32::from(created.is_new), Ordering::Relaxed);
                        created.record
                    });
                    let acquire = || answer(store.acquire(&realm, &mut Scene::claim())).unwrap();
                    let lease = begun.is_ok().then(acquire);
                    // The store lives until all have claimed.
                    (realm, begun, lease, store)
                })
            };
            let pairs = [(); PAIRS].map(|()| [begin(small), begin(large)]);
            pairs.map(|pair| pair.map(|one| one.join().unwrap()))
        });
        assert_eq!(creators.into_inner(), 1);
        let kept = scene.record().realm;
        assert!([small, large].contains(&&kept), "{kept:?}");
        let mut nodes = BTreeSet::new();
        for (brought, begun, lease, _store) in begun.iter().flatten() {
            assert!(lease.is_none_or(|lease| nodes.insert(lease.node)), "{lease:?}");
            match begun {
                Ok(record) => assert!(*brought == kept && record.realm == kept),
                Err(error) => {
                    assert!(*brought != kept && is_mismatch(error, RealmFacet::Nodes, &kept))
                }
            }
        }
    }
}

/// Reports whether the error names `kept` as the store's realm and `what` as the difference.
fn is_mismatch(error: &crate::StoreError, what: RealmFacet, kept: &RealmSpec) -> bool {
    match error.refusal() {
        Some(Refusal::Mismatch(mismatch)) => {
            let has = match what {
                RealmFacet::Scheme => kept.scheme().to_owned(),
                RealmFacet::Nodes => kept.pool().to_string(),
                RealmFacet::Settings | RealmFacet::Ticks | RealmFacet::Ids | RealmFacet::Terms => {
                    mismatch.kept.clone()
                }
            };
            mismatch.what == what && mismatch.kept == has
        }
        _ => false,
    }
}

/// Listing an unknown realm is a separate error, which names the nearest realm if the name may be
/// misspelt.
pub fn unknown_realms_are_not_listed(testbed: &dyn Testbed) {
    let unknown = Scene::unknown(testbed, "0-7/8");
    let scene = Scene::new(testbed, "0-7/8");
    let misspelt: RealmName = format!("{}-", scene.realm.name()).parse().unwrap();
    for (name, nearest) in [(unknown.realm.name(), None), (&misspelt, Some(scene.realm.name()))] {
        let expected = Refusal::NoRealm { nearest: nearest.cloned() };
        let errors = [
            answer(scene.store.list(name)).map(drop),
            answer(scene.store.realm(name)).map(drop),
            answer(scene.store.repair(name, "1/8".parse().unwrap())).map(drop),
        ];
        for error in errors {
            assert_eq!(error.unwrap_err().refusal(), Some(&expected));
        }
    }
}

/// A caller that still uses the old realm is refused.
pub fn only_removed_nodes_are_lost(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-3/8");
    let grants = [(); 4].map(|()| scene.acquire());
    let smaller = scene.with_pool("1-2/8,9/8");
    scene.reconfigure(&smaller);
    for grant in &grants {
        if smaller.pool().contains(grant.node) {
            assert!(scene.renew(grant).is_ok());
        } else {
            assert_lost(scene.renew(grant));
            assert_eq!(scene.standing(grant.node), Standing::Retired);
        }
    }
    let error = scene.try_acquire().unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
    let grant = scene.acquire_of(&smaller).unwrap();
    assert_eq!(grant.node, AnyNode::new(9, 8).unwrap());
}

/// Windows start above the windows of all prefix-related nodes, while their holders still run.
pub fn split_pools_never_overlap(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0/1,1/1");
    let mut windows: Vec<Lease> = Vec::new();
    let mut runs: Vec<Lease> = Vec::new();
    for pool in ["0/1,1/1", "0-3/2", "0/1,4-7/3", "0-1/1", "0/1,1/1", "0-7/3", "0-3/2"] {
        let realm = scene.with_pool(pool);
        scene.reconfigure(&realm);
        // Holders renew if their nodes stayed in the pool.
        for hold in &runs {
            if let Ok(grant) = scene.renew(hold) {
                note(&mut windows, grant);
            }
        }
        scene.outlast();
        runs.retain(|hold| realm.pool().contains(hold.node));
        // On a slow machine a lease may expire before all nodes are taken.
        for _ in 0..realm.pool().len() {
            let Ok(grant) = scene.acquire_of(&realm) else { break };
            note(&mut windows, grant);
            runs.push(grant);
        }
    }
    assert!(windows.len() > 10, "{windows:?}");
}

/// Adds a lease, or replaces it if it was renewed. It must overlap no other window.
fn note(windows: &mut Vec<Lease>, grant: Lease) {
    let identity = |lease: &Lease| (lease.node, lease.token, lease.floor);
    windows.retain(|other| identity(other) != identity(&grant));
    for other in &*windows {
        let is_apart = other.ceiling <= grant.floor || grant.ceiling <= other.floor;
        let is_related = grant.node.is_prefix_related(other.node);
        assert!(!is_related || is_apart, "{grant:?} and {other:?}");
    }
    windows.push(grant);
}

/// A prefix-related node may have been used in the meantime.
pub fn restored_nodes_have_no_lease(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0/1");
    let whole = scene.acquire();
    let halves = scene.with_pool("0-1/2");
    scene.reconfigure(&halves);
    scene.outlast();
    let half = scene.acquire_of(&halves).unwrap();
    assert_eq!(half.floor, whole.ceiling);
    scene.reconfigure(&scene.realm);
    assert_lost(scene.renew(&whole));
    assert_lost(scene.renew(&half));
    scene.outlast();
    let again = scene.acquire();
    assert_eq!(again.node, whole.node);
    assert_eq!(again.floor, half.ceiling);
}

/// A node that is reserved for good is not granted, no repair frees it, and no nodes of another size
/// get its IDs.
pub fn reserved_nodes_are_kept(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "7/8");
    let lease = scene.acquire();
    scene.release(&lease, None).unwrap();
    // The row that functions in PostgreSQL write.
    let (node, holder) = (lease.node, "functions".to_owned());
    let extra = Extra(serde_json::from_str(r#"{"reserved":true}"#).unwrap());
    let ceiling = scene.realm.end();
    let row = Row { ceiling, holder: holder.clone(), extra, ..scene.row(node) };
    let view = scene.list();
    let version = view.rows[&node].version();
    let change = Change {
        generation: view.generation,
        within: None,
        record_version: view.record.map(|(_, version)| version),
        record: None,
        row: Some(RowChange { node, version, exactly: None, row: Some(row) }),
    };
    let commit = answer(scene.store.inner().commit(scene.realm.name(), &change)).unwrap();
    assert!(commit.is_written());

    assert_eq!(scene.standing(node), Standing::Reserved);
    assert!(scene.try_acquire().is_err());
    let error = answer(scene.store.repair(scene.realm.name(), node)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::Reserved { node, holder: holder.clone() }));
    let halves = scene.with_pool("14-15/9");
    let error = answer(scene.store.reconfigure(&halves)).unwrap_err();
    let range = halves.pool().ranges()[0];
    assert_eq!(error.refusal(), Some(&Refusal::Overlap { range, node, holder }));
}

/// The claim's first lease ended with its node, although the node has come back since.
pub fn one_claim_across_pools(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-3/8");
    let mut claim = Scene::claim();
    let mut acquire = |realm: &RealmSpec| answer(scene.store.acquire(realm, &mut claim)).unwrap();
    let mut nodes = vec![acquire(&scene.realm).node];
    for _ in 0..2 {
        // Leave out the nodes that the claim got.
        let values = (0..4).filter(|value| !nodes.contains(&AnyNode::new(*value, 8).unwrap()));
        let pool: Vec<String> = values.map(|value| format!("{value}/8")).collect();
        let smaller = scene.with_pool(&pool.join(","));
        scene.reconfigure(&smaller);
        scene.reconfigure(&scene.realm);
        let next = acquire(&scene.realm);
        assert!(!nodes.contains(&next.node), "{next:?} after {nodes:?}");
        nodes.push(next.node);
        for _ in 0..3 {
            assert_same(&acquire(&scene.realm), &next);
        }
    }
}

/// Leases with the earlier terms are not quarantined by shorter ones.
pub fn terms_change_with_the_realm(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-1/8");
    let first = scene.acquire();
    let terms = scene.realm.terms().with_term(TERM / 2).with_skew(Duration::ZERO);
    let shorter = RealmSpec { terms, ..scene.realm.clone() };
    scene.reconfigure(&shorter);
    let second = scene.acquire_of(&shorter).unwrap();
    assert_eq!(second.ceiling, scene.tick(second.granted_at) + shorter.ahead());
    assert_eq!(scene.standing(first.node), Standing::Held);
    assert_eq!(quarantined_of_exhausted(scene.acquire_of(&shorter)), 0);
    assert_eq!(scene.renew(&first).unwrap().ceiling, first.ceiling);
}
