//! Clocks that were wrong, stores that forgot.

use super::{Scene, Stage, answer, assert_lost, quarantined_of_exhausted};
use crate::model::node::Node;
use crate::model::rules::{Refusal, Standing};

/// A row is wild when the store's clock was ahead by an hour while it was written.
pub fn a_quarantined_node_is_not_granted_until_repaired(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    stage.set_forward();
    let wild = scene.acquire();
    stage.set_back();
    let node = wild.node;
    assert_eq!(quarantined_of_exhausted(scene.try_acquire()), 1);
    assert_eq!(scene.standing(node).0, Standing::Quarantined);

    let mended = answer(scene.store.repair(scene.realm.name(), node)).unwrap();
    assert!(mended.ceiling < wild.ceiling);
    assert_ne!(scene.standing(node).0, Standing::Quarantined);
    assert_lost(scene.renew(&wild));
    scene.outlast();
    scene.outlast();
    assert_eq!(scene.acquire().floor, mended.ceiling);
}

/// Its window is its own, however far it reaches; and it may give it back.
pub fn the_holder_of_a_quarantined_node_goes_on(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    stage.set_forward();
    let wild = scene.acquire();
    stage.set_back();
    let renewed = scene.renew(&wild).unwrap();
    assert_eq!((renewed, renewed.ceiling), (wild, wild.ceiling));
    let used = scene.tick(renewed.granted_at);
    scene.release(&wild, Some(used)).unwrap();
    assert_eq!(scene.acquire().floor, used + 1);
}

/// Nor one that is not there.
pub fn only_quarantined_nodes_are_repaired(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let grant = scene.acquire();
    let error = answer(scene.store.repair(scene.realm.name(), grant.node)).unwrap_err();
    match error.refusal() {
        Some(&Refusal::NotQuarantined { node, ceiling, limit }) => {
            assert_eq!((node, ceiling), (grant.node, grant.ceiling));
            assert!(ceiling <= limit);
        }
        _ => panic!("{error}"),
    }
    assert!(scene.renew(&grant).is_ok());
    let elsewhere = Node::new(9, 5).unwrap();
    let error = answer(scene.store.repair(scene.realm.name(), elsewhere)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NoRow { node: elsewhere }));
}

/// Noticed by the first who asks for anything.
pub fn another_generation_invalidates_the_realm(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].granted_at) + scene.realm.max_ahead();
    stage.change_generation();
    assert_lost(scene.renew(&held[0]));
    assert_lost(scene.renew(&held[1]));
    begins_beyond(&scene, limit);
}

/// As if the store had noticed by itself.
pub fn invalidation_ends_all_leases(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].granted_at) + scene.realm.max_ahead();
    let floor = answer(scene.store.invalidate(&scene.realm)).unwrap();
    assert!(floor >= limit);
    assert_lost(scene.renew(&held[0]));
    assert_lost(scene.renew(&held[1]));
    begins_beyond(&scene, limit);
}

/// Holders of the realm that is gone may still be running.
pub fn an_invalidated_missing_realm_begins_beyond(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let elsewhere = Scene::short(stage, "0-3/8").acquire();
    let limit = scene.tick(elsewhere.granted_at) + scene.realm.max_ahead();
    assert!(answer(scene.store.invalidate(&scene.realm)).unwrap() >= limit);
    begins_beyond(&scene, limit);
}

/// That every node, used before or not, is given out from `limit` on, when its time has come.
fn begins_beyond(scene: &Scene<'_>, limit: u64) {
    scene.outlast();
    scene.outlast();
    for _ in 0..scene.realm.pool().len() {
        assert!(scene.acquire().floor >= limit);
    }
}
