//! What is kept of a realm, and how it changes over time.

use core::time::Duration;
use std::sync::Barrier;
use std::thread;

use super::{Scene, Stage, answer, assert_lost, quarantined_of_exhausted};
use crate::model::lease::Lease;
use crate::model::node::Node;
use crate::model::realm::{RealmSpec, Terms};
use crate::model::rules::{Refusal, Standing};

/// The same node of two realms is two nodes.
pub fn realms_are_apart(stage: &dyn Stage) {
    let scenes = [(); 2].map(|()| Scene::new(stage, "7/8"));
    let grants = scenes.each_ref().map(Scene::acquire);
    assert_lost(scenes[0].renew(&grants[1]));
    for (scene, grant) in scenes.iter().zip(&grants) {
        assert!(scene.renew(&grant).is_ok());
    }
}

/// And told what differs; nothing is given out.
pub fn another_realm_is_refused(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    scene.acquire();
    let realm = || scene.realm.clone();
    let other_terms = Terms { allowance: 1, ..realm().terms() };
    for (what, other) in [
        ("schemes", RealmSpec { scheme: "others".to_owned(), ..realm() }),
        ("layouts", RealmSpec { layout: "drift 5".to_owned(), ..realm() }),
        ("ticks", RealmSpec { end: 1 << 40, ..realm() }),
        ("IDs", scene.with_pool("0/0")),
        ("nodes", scene.with_pool("0-8/8")),
        ("nodes", scene.with_pool("0-7/9")),
        ("terms", RealmSpec { terms: other_terms, ..realm() }),
    ] {
        let error = scene.acquire_of(&other).unwrap_err();
        match error.refusal() {
            Some(Refusal::Mismatch(mismatch)) => assert_eq!(mismatch.what, what),
            _ => panic!("{error}"),
        }
    }
    let listing = answer(scene.store.list(scene.realm.name())).unwrap();
    assert_eq!(listing.record.realm, scene.realm);
    let held = listing.rows.values().filter(|entry| entry.row.token.is_some());
    assert_eq!(held.count(), 1);
}

/// To begin it once more does nothing, while its nodes are held as before and after; to begin another under its
/// name is refused, and says what differs.
pub fn a_realm_begins_once(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let begin = |realm: &RealmSpec| answer(stage.store().begin(realm));
    let kept = || {
        let listing = answer(scene.store.list(scene.realm.name())).unwrap();
        (listing.record, listing.rows)
    };
    begin(&scene.realm).unwrap();
    let (record, rows) = kept();
    assert_eq!((&record.realm, rows.len()), (&scene.realm, 0));
    begin(&scene.realm).unwrap();
    assert_eq!(kept(), (record.clone(), rows));

    let held = [(); 2].map(|()| scene.acquire());
    let before = kept();
    assert_eq!(before.0, record, "who acquires does not begin it anew");
    begin(&scene.realm).unwrap();
    let another_terms = Terms { allowance: 1, ..scene.realm.terms() };
    for (what, another) in [
        ("schemes", RealmSpec { scheme: "others".to_owned(), ..scene.realm.clone() }),
        ("nodes", scene.with_pool("0-3/8")),
        ("terms", RealmSpec { terms: another_terms, ..scene.realm.clone() }),
    ] {
        let error = begin(&another).unwrap_err();
        assert!(is_mismatch(&error, what, &scene.realm), "{error}");
    }
    assert_eq!(kept(), before);
    for grant in &held {
        scene.renew(&grant).unwrap();
    }
}

/// One of them is there then, and all the others hear which.
pub fn of_realms_that_begin_together_one_does(stage: &dyn Stage) {
    const PAIRS: usize = 3;
    for _ in 0..4 {
        let scene = Scene::new(stage, "0-7/8");
        let (small, large) = (&scene.realm, &scene.with_pool("0-15/8"));
        let together = Barrier::new(2 * PAIRS);
        let begun = thread::scope(|scope| {
            let begin = |realm: &RealmSpec| {
                let store = stage.store();
                let (together, realm) = (&together, realm.clone());
                scope.spawn(move || {
                    together.wait();
                    let begun = answer(store.begin(&realm));
                    (realm, begun)
                })
            };
            let pairs = [(); PAIRS].map(|()| [begin(small), begin(large)]);
            pairs.map(|pair| pair.map(|one| one.join().unwrap()))
        });
        let kept = answer(scene.store.list(small.name())).unwrap().record.realm;
        assert!([small, large].contains(&&kept), "{kept:?}");
        for (brought, begun) in begun.into_iter().flatten() {
            match begun {
                Ok(()) => assert_eq!(brought, kept),
                Err(error) => assert!(brought != kept && is_mismatch(&error, "nodes", &kept)),
            }
        }
    }
}

/// Whether it says that the store keeps `kept`, which differs in that.
fn is_mismatch(error: &crate::StoreError, what: &str, kept: &RealmSpec) -> bool {
    match error.refusal() {
        Some(Refusal::Mismatch(mismatch)) => {
            let has = match what {
                "schemes" => kept.scheme().to_owned(),
                "nodes" => kept.pool().to_string(),
                _ => mismatch.kept.clone(),
            };
            mismatch.what == what && mismatch.kept == has
        }
        _ => false,
    }
}

/// To ask for what it keeps is an error of its own.
pub fn an_unknown_realm_cannot_be_listed(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let error = answer(scene.store.list(scene.realm.name())).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NoRealm));
    let elsewhere = Scene::new(stage, "0-7/8").acquire();
    let error = scene.renew(&elsewhere).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NoRealm));
}

/// The realm is what the store keeps, then: who still brings the old one is refused.
pub fn only_nodes_taken_out_of_the_pool_are_lost(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-3/8");
    let grants = [(); 4].map(|()| scene.acquire());
    let smaller = scene.with_pool("1-2/8,9/8");
    scene.reconfigure(&smaller);
    for grant in &grants {
        if smaller.pool().contains(grant.node) {
            assert!(scene.renew(&grant).is_ok());
        } else {
            assert_lost(scene.renew(&grant));
            assert_eq!(scene.standing(grant.node).0, Standing::Retired);
        }
    }
    let error = scene.try_acquire().unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
    let grant = scene.acquire_of(&smaller).unwrap();
    assert_eq!(grant.node, Node::new(8, 9).unwrap());
}

/// Whoever comes after a pool was split or merged begins above everybody whose node is prefix-related,
/// while those still run.
pub fn a_pool_that_is_split_and_merged_never_overlaps(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0/1,1/1");
    let mut windows: Vec<Lease> = Vec::new();
    let mut runs: Vec<Hold> = Vec::new();
    for pool in ["0/1,1/1", "0-3/2", "0/1,4-7/3", "0-1/1", "0/1,1/1", "0-7/3", "0-3/2"] {
        let realm = scene.with_pool(pool);
        scene.reconfigure(&realm);
        // Half of the holders renew to the last, half of them expired long ago.
        for hold in &runs {
            if let Ok(grant) = scene.renew(hold) {
                note(&mut windows, grant);
            }
        }
        scene.outlast();
        runs.retain(|hold| realm.pool().contains(hold.node));
        while let Ok(grant) = scene.acquire_of(&realm) {
            note(&mut windows, grant);
            runs.push(grant);
        }
    }
    assert!(windows.len() > 10, "{windows:?}");
}

/// Adds what was granted (or replaces what it was renewed from), if it overlaps nothing.
fn note(windows: &mut Vec<Lease>, grant: Lease) {
    windows.retain(|other| other != grant);
    for other in &*windows {
        let is_apart = other.ceiling <= grant.floor || grant.ceiling <= other.floor;
        let is_related = grant.node.is_prefix_related(other.node);
        assert!(!is_related || is_apart, "{grant:?} and {other:?}");
    }
    windows.push(grant);
}

/// In the meantime a node that is prefix-related to it may have been used.
pub fn a_node_that_comes_back_to_the_pool_brings_no_lease_back(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0/1");
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

/// Though the lease that it got first ended with its node, which came back since.
pub fn a_claim_repeated_across_pools_gets_one_node(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-3/8");
    let claim = Scene::claim();
    let acquire = |realm: &RealmSpec| answer(scene.store.acquire(realm, &claim)).unwrap();
    let mut nodes = vec![acquire(&scene.realm).node];
    for _ in 0..2 {
        // Without those that it got.
        let values = (0..4).filter(|value| !nodes.contains(&Node::new(8, *value).unwrap()));
        let pool: Vec<String> = values.map(|value| format!("{value}/8")).collect();
        let smaller = scene.with_pool(&pool.join(","));
        scene.reconfigure(&smaller);
        scene.reconfigure(&scene.realm);
        let next = acquire(&scene.realm);
        assert!(!nodes.contains(&next.node), "{next:?} after {nodes:?}");
        nodes.push(next.node);
        for _ in 0..3 {
            assert_eq!(acquire(&scene.realm), next);
        }
    }
}

/// Leases that were granted on the old terms are not wild on shorter ones.
pub fn terms_change_with_the_realm(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-1/8");
    let first = scene.acquire();
    let terms = scene.realm.terms().with_term(Duration::from_secs(5)).with_skew(Duration::ZERO);
    let shorter = RealmSpec { terms, ..scene.realm.clone() };
    scene.reconfigure(&shorter);
    let second = scene.acquire_of(&shorter).unwrap();
    assert_eq!(second.ceiling, scene.tick(second.granted_at) + shorter.ahead());
    assert_eq!(scene.standing(first.node).0, Standing::Held);
    assert_eq!(quarantined_of_exhausted(scene.acquire_of(&shorter)), 0);
    assert_eq!(scene.renew(&first).unwrap().ceiling, first.ceiling);
}
