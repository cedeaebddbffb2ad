//! How a lease goes on, and how it ends.

use super::{SHORT, Scene, Stage, answer, assert_lost};

/// The ceiling is a matter of the store's clock, not of how often one asks.
pub fn renewals_raise_the_ceiling_and_never_add_up(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let mut grant = scene.acquire();
    for _ in 0..20 {
        let renewed = scene.renew(&grant.hold).unwrap();
        assert_eq!(renewed.hold, grant.hold);
        let expected = grant.ceiling.max(scene.tick(renewed.now) + scene.realm.ahead());
        assert_eq!(renewed.ceiling, expected);
        grant = renewed;
    }
    stage.pass(SHORT);
    let later = scene.renew(&grant.hold).unwrap();
    assert!(later.ceiling > grant.ceiling);
    assert_eq!(later.ceiling, scene.tick(later.now) + scene.realm.ahead());
}

/// Its window never was anybody else's.
pub fn a_lease_that_nobody_took_is_renewed_after_its_time(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let grant = scene.acquire();
    scene.outlast();
    let renewed = scene.renew(&grant.hold).unwrap();
    assert_eq!(renewed.hold, grant.hold);
    assert_eq!(renewed.ceiling, scene.tick(renewed.now) + scene.realm.ahead());
}

/// The holder from before is told that it is lost, whatever it asks.
pub fn a_lease_that_expired_in_use_goes_to_the_next_from_its_ceiling(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let first = scene.acquire();
    let renewed = scene.renew(&first.hold).unwrap();
    scene.outlast();
    let second = scene.acquire();
    assert_eq!(second.hold.node, first.hold.node);
    assert_eq!(second.hold.floor, renewed.ceiling);
    assert_ne!(second.hold.token, first.hold.token);
    assert_lost(scene.renew(&first.hold));
    assert_lost(scene.release(&first.hold, Some(first.ceiling - 1)));
    assert!(scene.renew(&second.hold).is_ok());
}

/// At once, even where that tick is in the store's future.
pub fn a_node_that_is_given_back_goes_on_after_its_last_tick(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.now) + 3_000;
    scene.release(&first.hold, Some(used)).unwrap();
    let second = scene.acquire();
    assert_eq!(second.hold.floor, used + 1);
    assert!(second.ceiling > second.hold.floor);
    assert_lost(scene.renew(&first.hold));
}

/// And not below it, whatever the engine says.
pub fn a_node_that_is_given_back_unused_goes_on_at_its_floor(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.now);
    scene.release(&first.hold, Some(used)).unwrap();
    for used_below_the_floor in [None, Some(used - 1_000), Some(0)] {
        let next = scene.acquire();
        assert_eq!(next.hold.floor, used + 1);
        scene.release(&next.hold, used_below_the_floor).unwrap();
    }
}

/// The second time, as after a lost reply, is told apart from silence.
pub fn what_is_given_back_is_given_back_once(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    scene.release(&first.hold, None).unwrap();
    assert_lost(scene.release(&first.hold, None));
    let second = scene.acquire();
    assert_lost(scene.release(&first.hold, None));
    assert!(scene.renew(&second.hold).is_ok());
}

/// Not even when it gets the same node under the same token: somebody else had it in between.
pub fn a_claim_that_comes_again_late_revives_no_lease(stage: &dyn Stage) {
    let scene = Scene::short(stage, "7/8");
    let claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    scene.outlast();
    let second = scene.acquire();
    let used = scene.tick(second.now);
    scene.release(&second.hold, Some(used.max(second.hold.floor))).unwrap();
    let again = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    assert_eq!(again.hold.token, first.hold.token);
    assert!(again.hold.floor > first.hold.floor);
    assert_lost(scene.renew(&first.hold));
    assert_lost(scene.release(&first.hold, Some(first.hold.floor)));
}

/// What was answered is kept.
pub fn clients_that_come_later_see_what_was_granted(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let grant = scene.acquire();
    let later = Scene { store: stage.store(), stage, realm: scene.realm.clone() };
    assert!(later.try_acquire().is_err());
    let renewed = later.renew(&grant.hold).unwrap();
    let (_, row) = later.standing(grant.hold.node);
    assert_eq!((row.floor, row.ceiling), (grant.hold.floor, renewed.ceiling));
}
