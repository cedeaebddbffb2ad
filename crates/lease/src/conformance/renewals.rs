//! How a lease goes on, and how it ends.

use super::{SHORT, Scene, Stage, answer, assert_lost};

/// The ceiling is a matter of the store's clock, not of how often one asks.
pub fn renewals_do_not_add_up(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let mut grant = scene.acquire();
    for _ in 0..20 {
        let renewed = scene.renew(&grant).unwrap();
        assert_eq!(renewed, grant);
        let expected = grant.ceiling.max(scene.tick(renewed.granted_at) + scene.realm.ahead());
        assert_eq!(renewed.ceiling, expected);
        grant = renewed;
    }
    stage.pass(SHORT);
    let later = scene.renew(&grant).unwrap();
    assert!(later.ceiling > grant.ceiling);
    assert_eq!(later.ceiling, scene.tick(later.granted_at) + scene.realm.ahead());
}

/// Its window never was anybody else's.
pub fn an_expired_lease_is_renewed_if_nobody_took_it(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let grant = scene.acquire();
    scene.outlast();
    let renewed = scene.renew(&grant).unwrap();
    assert_eq!(renewed, grant);
    assert_eq!(renewed.ceiling, scene.tick(renewed.granted_at) + scene.realm.ahead());
}

/// The holder from before is told that it is lost, whatever it asks.
pub fn an_expired_node_is_granted_from_its_ceiling(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let first = scene.acquire();
    let renewed = scene.renew(&first).unwrap();
    scene.outlast();
    let second = scene.acquire();
    assert_eq!(second.node, first.node);
    assert_eq!(second.floor, renewed.ceiling);
    assert_ne!(second.token, first.token);
    assert_lost(scene.renew(&first));
    assert_lost(scene.release(&first, Some(first.ceiling - 1)));
    assert!(scene.renew(&second).is_ok());
}

/// At once, even where that tick is in the store's future.
pub fn a_released_node_is_granted_after_its_last_tick(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.granted_at) + 3_000;
    scene.release(&first, Some(used)).unwrap();
    let second = scene.acquire();
    assert_eq!(second.floor, used + 1);
    assert!(second.ceiling > second.floor);
    assert_lost(scene.renew(&first));
}

/// And not below it, whatever the engine says.
pub fn an_unused_node_is_granted_from_its_floor(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.granted_at);
    scene.release(&first, Some(used)).unwrap();
    for used_below_the_floor in [None, Some(used - 1_000), Some(0)] {
        let next = scene.acquire();
        assert_eq!(next.floor, used + 1);
        scene.release(&next, used_below_the_floor).unwrap();
    }
}

/// The second time, as after a lost reply, is told apart from silence.
pub fn a_lease_is_released_once(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    scene.release(&first, None).unwrap();
    assert_lost(scene.release(&first, None));
    let second = scene.acquire();
    assert_lost(scene.release(&first, None));
    assert!(scene.renew(&second).is_ok());
}

/// Not even when it gets the same node under the same token: somebody else had it in between.
pub fn a_late_claim_revives_no_lease(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    scene.outlast();
    let second = scene.acquire();
    let used = scene.tick(second.granted_at);
    scene.release(&second, Some(used.max(second.floor))).unwrap();
    let again = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    assert_eq!(again.token, first.token);
    assert!(again.floor > first.floor);
    assert_lost(scene.renew(&first));
    assert_lost(scene.release(&first, Some(first.floor)));
}

/// What was answered is kept.
pub fn later_clients_see_what_was_granted(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let grant = scene.acquire();
    let later = Scene { store: stage.store(), stage, realm: scene.realm.clone() };
    assert!(later.try_acquire().is_err());
    let renewed = later.renew(&grant).unwrap();
    let (_, row) = later.standing(grant.node);
    assert_eq!((row.floor, row.ceiling), (grant.floor, renewed.ceiling));
}
