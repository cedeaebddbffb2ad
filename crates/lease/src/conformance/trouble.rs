//! Clocks that were wrong, damaged rows, and stores that lost data.

use core::time::Duration;

use super::{SHORT, Scene, Testbed, answer, assert_lost, assert_same, quarantined_of_exhausted};
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmSpec;
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::model::rules::Standing;
use tickid_core::AnyNode;

/// A node is quarantined if the store's clock was ahead by an hour when it was granted.
pub fn quarantined_until_repaired(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    testbed.set_forward();
    let lease = scene.acquire();
    testbed.set_back();
    assert_eq!(quarantined_of_exhausted(scene.try_acquire()), 1);
    assert_eq!(scene.standing(lease.node), Standing::Quarantined);

    let repaired = answer(scene.store.repair(scene.realm.name(), lease.node)).unwrap();
    assert!(repaired.ceiling < lease.ceiling);
    assert_ne!(scene.standing(lease.node), Standing::Quarantined);
    assert_eq!(assert_lost(scene.renew(&lease)), LeaseEnd::Token);
    scene.outlast();
    scene.outlast();
    assert_eq!(scene.acquire().floor, repaired.ceiling);
}

/// The holder keeps its window, however far it reaches, and may release it.
pub fn quarantine_keeps_the_holder(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    testbed.set_forward();
    let lease = scene.acquire();
    testbed.set_back();
    let renewed = scene.renew(&lease).unwrap();
    assert_same(&renewed, &lease);
    // etcd shows its clock with its answer, when the renewal is written already.
    let second = scene.realm.scale().ticks_to_cover(Duration::from_secs(1));
    assert!((lease.ceiling..lease.ceiling + second).contains(&renewed.ceiling));
    let used = scene.tick(renewed.granted_at);
    scene.release(&renewed, Some(used)).unwrap();
    assert_eq!(scene.acquire().floor, used + 1);
}

/// A repair is refused for a node that is not quarantined, and for one that was never granted.
pub fn repair_needs_a_quarantine(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let lease = scene.acquire();
    let error = answer(scene.store.repair(scene.realm.name(), lease.node)).unwrap_err();
    match error.refusal() {
        Some(&Refusal::NotQuarantined { node, ceiling, limit }) => {
            assert_eq!((node, ceiling), (lease.node, lease.ceiling));
            assert!(ceiling <= limit);
        }
        _ => panic!("{error}"),
    }
    assert!(scene.renew(&lease).is_ok());
    let elsewhere = AnyNode::new(5, 9).unwrap();
    let error = answer(scene.store.repair(scene.realm.name(), elsewhere)).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::NoRow { node: elsewhere }));
    assert_eq!(answer(scene.store.repair_all(scene.realm.name())).unwrap(), []);
}

/// The other nodes are granted and renewed.
pub fn malformed_row_costs_one_node(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-3/8");
    let leases = [(); 3].map(|()| scene.acquire());
    let damaged = leases[0];
    testbed.damage(scene.realm.name(), damaged.node);
    assert_eq!(scene.standing(damaged.node), Standing::Quarantined);
    let error = scene.renew(&damaged).unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::Malformed { node: damaged.node }));
    assert!(scene.renew(&leases[1]).is_ok());
    assert!(scene.renew(&scene.acquire()).is_ok());
    assert_eq!(quarantined_of_exhausted(scene.try_acquire()), 1);
}

/// The repaired row accounts for the damaged lease, which is lost.
pub fn repaired_row_starts_beyond(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    let damaged = scene.acquire();
    testbed.damage(scene.realm.name(), damaged.node);
    answer(scene.store.repair(scene.realm.name(), damaged.node)).unwrap();
    assert_ne!(scene.standing(damaged.node), Standing::Quarantined);
    // An ordinary loss.
    assert_eq!(assert_lost(scene.renew(&damaged)), LeaseEnd::Token);
    scene.outlast();
    scene.outlast();
    let again = scene.acquire();
    assert!(again.floor >= damaged.ceiling);
    assert!(scene.renew(&again).is_ok());
}

/// One call repairs them all.
pub fn repair_takes_all_malformed(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let mut nodes = [(); 5].map(|()| scene.acquire().node);
    nodes.sort();
    for &node in &nodes[1..] {
        testbed.damage(scene.realm.name(), node);
    }
    let repaired = answer(scene.store.repair_all(scene.realm.name())).unwrap();
    assert!(repaired.iter().all(|(_, result)| result.is_ok()), "{repaired:?}");
    assert!(repaired.iter().map(|(node, _)| node).eq(&nodes[1..]), "{repaired:?}");
    let view = scene.list();
    let standings = view.standings().unwrap();
    assert!(standings.iter().all(|(.., standing)| *standing != Standing::Quarantined));
}

/// The first request detects the new generation.
pub fn new_generation_invalidates(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].granted_at) + scene.realm.max_ahead();
    testbed.change_generation();
    assert_eq!(assert_lost(scene.renew(&held[0])), LeaseEnd::Era);
    assert_eq!(assert_lost(scene.renew(&held[1])), LeaseEnd::Era);
    starts_beyond(&scene, limit);
}

/// Invalidation has the same effect as a loss that the store detects itself.
pub fn invalidation_ends_all_leases(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0-3/8");
    let held = [(); 2].map(|()| scene.acquire());
    let limit = scene.tick(held[0].granted_at) + scene.realm.max_ahead();
    let floor = answer(scene.store.invalidate(&scene.realm)).unwrap();
    assert!(floor >= limit);
    assert_eq!(assert_lost(scene.renew(&held[0])), LeaseEnd::Era);
    assert_eq!(assert_lost(scene.renew(&held[1])), LeaseEnd::Era);
    starts_beyond(&scene, limit);
}

/// Holders of the missing realm may still be running.
pub fn invalidated_realm_starts_beyond(testbed: &dyn Testbed) {
    let scene = Scene::unknown(testbed, "0-3/8").term(SHORT);
    let elsewhere = Scene::short(testbed, "0-3/8").acquire();
    let limit = scene.tick(elsewhere.granted_at) + scene.realm.max_ahead();
    assert!(answer(scene.store.invalidate(&scene.realm)).unwrap() >= limit);
    starts_beyond(&scene, limit);
}

/// A row that is missing proves the loss.
pub fn lost_row_invalidates(testbed: &dyn Testbed) {
    proves_a_loss(testbed, |scene| {
        testbed.save(scene.realm.name());
        scene.acquire()
    });
}

/// A ceiling below an acknowledged one proves the loss.
pub fn lost_renewal_invalidates(testbed: &dyn Testbed) {
    proves_a_loss(testbed, |scene| {
        let lease = scene.acquire();
        testbed.save(scene.realm.name());
        testbed.pass(SHORT / 2);
        let renewed = scene.renew(&lease).unwrap();
        assert!(renewed.ceiling > lease.ceiling);
        renewed
    });
}

/// A record of an earlier era proves the loss.
pub fn lost_era_invalidates(testbed: &dyn Testbed) {
    proves_a_loss(testbed, |scene| {
        testbed.save(scene.realm.name());
        answer(scene.store.invalidate(&scene.realm)).unwrap();
        scene.outlast();
        scene.outlast();
        scene.acquire()
    });
}

/// A realm that is missing as a whole starts beyond its leases.
pub fn lost_realm_starts_beyond(testbed: &dyn Testbed) {
    let scene = Scene::unknown(testbed, "0-3/8").term(SHORT);
    testbed.save(scene.realm.name());
    let scene = scene.begun();
    let lease = scene.acquire();
    let limit = scene.tick(lease.granted_at) + scene.realm.max_ahead();
    testbed.load(scene.realm.name());
    assert_lost(scene.renew(&lease));
    assert!(scene.record().era > lease.era);
    starts_beyond(&scene, limit);
}

/// A backup from before the term was raised is restored. Its record does not say how far leases have
/// reached since, but an operator does, or the lease that proves the loss.
pub fn raised_terms_count(testbed: &dyn Testbed) {
    for is_proof in [false, true] {
        let kept = Scene::short(testbed, "0-3/8");
        kept.acquire();
        let terms = kept.realm.terms().with_term(SHORT * 4);
        let realm = RealmSpec { terms, ..kept.realm.clone() };
        let raised = Scene { store: testbed.store(), testbed, realm };
        testbed.save(kept.realm.name());
        kept.reconfigure(&raised.realm);
        let lease = raised.acquire();
        let limit = kept.tick(lease.granted_at) + raised.realm.max_ahead();
        testbed.load(kept.realm.name());
        assert_eq!(kept.record().realm.terms(), kept.realm.terms());
        if is_proof {
            assert_eq!(assert_lost(raised.renew(&lease)), LeaseEnd::Forgotten);
        } else {
            answer(kept.store.invalidate_beyond(&kept.realm, terms)).unwrap();
        }
        let record = kept.record();
        assert!(record.floor >= limit, "{is_proof}: {} is below {limit}", record.floor);
        // A pause and no quarantine, which an operator would have to end.
        assert_eq!(record.max_ahead, raised.realm.max_ahead());
        testbed.pass(SHORT * 8);
        starts_beyond(&kept, limit);
    }
}

/// A lease of an earlier era proves no loss, even if its row has changed.
pub fn earlier_era_is_no_proof(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0-1/8");
    let first = scene.acquire();
    answer(scene.store.invalidate(&scene.realm)).unwrap();
    testbed.damage(scene.realm.name(), first.node);
    let era = scene.record().era;
    assert_eq!(assert_lost(scene.renew(&first)), LeaseEnd::Era);
    assert_eq!(scene.record().era, era);
}

/// Loses the writes that `grant` made after it saved the realm. The lease that it returns must
/// prove the loss and end all others.
fn proves_a_loss(testbed: &dyn Testbed, grant: impl Fn(&Scene<'_>) -> Lease) {
    // By a renewal or by a release.
    for releases in [false, true] {
        let scene = Scene::short(testbed, "0-3/8");
        let other = scene.acquire();
        let lease = grant(&scene);
        let limit = scene.tick(lease.granted_at) + scene.realm.max_ahead();
        testbed.load(scene.realm.name());
        let loss = if releases {
            assert_lost(scene.release(&lease, None))
        } else {
            assert_lost(scene.renew(&lease))
        };
        assert_eq!(loss, LeaseEnd::Forgotten);
        assert!(scene.record().era > lease.era);
        assert_lost(scene.renew(&other));
        starts_beyond(&scene, limit);
    }
}

/// Asserts that every node, granted before or not, is granted from `limit` on once its time has
/// come.
pub(super) fn starts_beyond(scene: &Scene<'_>, limit: u64) {
    scene.outlast();
    scene.outlast();
    for _ in 0..scene.realm.pool().len() {
        assert!(scene.acquire().floor >= limit);
    }
}
