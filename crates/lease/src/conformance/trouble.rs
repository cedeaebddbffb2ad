//! Clocks that were wrong, stores that forgot.

use super::{Scene, Stage, answer, assert_lost, wild_of_exhausted};
use crate::node::Node;
use crate::rules::{Refusal, Standing};

/// A row is wild when the store's clock was ahead by an hour while it was written.
pub fn a_wild_row_is_left_out_until_it_is_mended(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    stage.set_forward();
    let wild = scene.acquire();
    stage.set_back();
    let node = wild.hold.node;
    assert_eq!(wild_of_exhausted(scene.try_acquire()), 1);
    assert_eq!(scene.standing(node).0, Standing::Wild);

    let mended = answer(scene.store.mend(scene.realm.name(), node)).unwrap();
    assert!(mended.ceiling < wild.ceiling);
    assert_ne!(scene.standing(node).0, Standing::Wild);
    assert_lost(scene.renew(&wild.hold));
    scene.outlast();
    scene.outlast();
    assert_eq!(scene.acquire().hold.floor, mended.ceiling);
}

/// Its window is its own, however far it reaches; and it may give it back.
pub fn the_holder_of_a_wild_row_goes_on(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    stage.set_forward();
    let wild = scene.acquire();
    stage.set_back();
    let renewed = scene.renew(&wild.hold).unwrap();
    assert_eq!((renewed.hold, renewed.ceiling), (wild.hold, wild.ceiling));
    let used = scene.tick(renewed.now);
    scene.release(&wild.hold, Some(used)).unwrap();
    assert_eq!(scene.acquire().hold.floor, used + 1);
}

/// Nor one that is not there.
pub fn a_row_that_is_not_wild_is_not_mended(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let grant = scene.acquire();
    let error = answer(scene.store.mend(scene.realm.name(), grant.hold.node)).unwrap_err();
    match error.refusal() {
        Some(&Refusal::NotWild { node, ceiling, limit }) => {
            assert_eq!((node, ceiling), (grant.hold.node, grant.ceiling));
            assert!(ceiling <= limit);
        }
        _ => panic!("{error}"),
    }
    assert!(scene.renew(&grant.hold).is_ok());
    let elsewhere = Node::new(9, 5).unwrap();
    let error = answer(scene.store.mend(scene.realm.name(), elsewhere)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NoRow { node: elsewhere }));
}

/// Noticed by the first who asks for anything.
pub fn a_store_that_forgot_ends_all_leases_and_raises_all_ceilings(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].now) + scene.realm.max_ahead();
    stage.change_generation();
    assert_lost(scene.renew(&held[0].hold));
    assert_lost(scene.renew(&held[1].hold));
    begins_beyond(&scene, limit);
}

/// As if the store had noticed by itself.
pub fn recovery_ends_all_leases_and_raises_all_ceilings(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].now) + scene.realm.max_ahead();
    let floor = answer(scene.store.recover(&scene.realm)).unwrap();
    assert!(floor >= limit);
    assert_lost(scene.renew(&held[0].hold));
    assert_lost(scene.renew(&held[1].hold));
    begins_beyond(&scene, limit);
}

/// Holders of the realm that is gone may still be running.
pub fn recovery_of_a_realm_that_is_gone_begins_beyond_all_leases(stage: &dyn Stage) {
    let scene = Scene::short(stage, "0-3/8");
    let elsewhere = Scene::short(stage, "0-3/8").acquire();
    let limit = scene.tick(elsewhere.now) + scene.realm.max_ahead();
    assert!(answer(scene.store.recover(&scene.realm)).unwrap() >= limit);
    begins_beyond(&scene, limit);
}

/// That every node, used before or not, is given out from `limit` on, when its time has come.
fn begins_beyond(scene: &Scene<'_>, limit: u64) {
    scene.outlast();
    scene.outlast();
    for _ in 0..scene.realm.pool().len() {
        assert!(scene.acquire().hold.floor >= limit);
    }
}
