//! Renewals and releases.

use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{SHORT, Scene, Testbed, answer, assert_lost, assert_same};
use crate::model::record::Version;
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::store::{Start, Store};
use crate::store_error::StoreError;

/// The ceiling depends on the store's clock, not on the number of renewals. A renewal may be
/// repeated, as after lost replies.
pub fn renewals_do_not_add_up(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let first = scene.acquire();
    let mut lease = first;
    for _ in 0..20 {
        let renewed = scene.renew(&lease).unwrap();
        assert_same(&renewed, &lease);
        let expected = lease.ceiling.max(scene.tick(renewed.granted_at) + scene.realm.ahead());
        assert_eq!(renewed.ceiling, expected);
        assert_eq!(renewed.version, Version(lease.version.0 + 1));
        assert_eq!(scene.list().rows[&lease.node].version(), Some(renewed.version));
        lease = renewed;
    }
    testbed.pass(SHORT);
    let later = scene.renew(&lease).unwrap();
    assert!(later.ceiling > lease.ceiling);
    assert_eq!(later.ceiling, scene.tick(later.granted_at) + scene.realm.ahead());
    assert_same(&scene.renew(&first).unwrap(), &first);
}

/// An expired lease can be renewed until another holder is granted the node. Then it is lost,
/// whatever its holder requests.
pub fn expired_node_keeps_its_ceiling(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    let first = scene.acquire();
    scene.outlast();
    let renewed = scene.renew(&first).unwrap();
    assert_same(&renewed, &first);
    assert_eq!(renewed.ceiling, scene.tick(renewed.granted_at) + scene.realm.ahead());
    scene.outlast();
    let second = scene.acquire();
    assert_eq!(second.node, first.node);
    assert_eq!(second.floor, renewed.ceiling);
    assert_ne!(second.token, first.token);
    assert_eq!(assert_lost(scene.renew(&renewed)), LeaseEnd::Token);
    assert_eq!(assert_lost(scene.release(&renewed, Some(first.ceiling - 1))), LeaseEnd::Token);
    assert!(scene.renew(&second).is_ok());
}

/// A released node is granted immediately, even if its last tick is in the store's future.
pub fn released_node_keeps_its_ticks(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.granted_at) + 3_000;
    scene.release(&first, Some(used)).unwrap();
    let second = scene.acquire();
    assert_eq!(second.floor, used + 1);
    assert!(second.ceiling > second.floor);
    assert_eq!(assert_lost(scene.renew(&first)), LeaseEnd::Overtaken);
}

/// The next window starts above the floor, whatever tick the holder reports, because the floor
/// identifies a lease.
pub fn no_two_leases_have_one_floor(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "7/8");
    let first = scene.acquire();
    let used = scene.tick(first.granted_at);
    scene.release(&first, Some(used)).unwrap();
    for (floor, used_below_it) in (used + 1..).zip([None, Some(used - 1_000), Some(0)]) {
        let next = scene.acquire();
        assert_eq!(next.floor, floor);
        scene.release(&next, used_below_it).unwrap();
    }
}

/// A late claim revives no earlier lease, even if it gets the same node under the same token, since
/// a different holder had the node in between.
pub fn a_late_claim_revives_no_lease(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    let mut claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
    scene.outlast();
    let second = scene.acquire();
    let used = scene.tick(second.granted_at);
    scene.release(&second, Some(used.max(second.floor))).unwrap();
    let again = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
    assert_eq!(again.token, first.token);
    assert!(again.floor > first.floor);
    assert_eq!(assert_lost(scene.renew(&first)), LeaseEnd::Token);
    assert_eq!(assert_lost(scene.release(&first, Some(first.floor))), LeaseEnd::Token);
}

/// Nor does it if the node was released unused, and the earlier lease proves no loss.
pub fn a_late_claim_revives_no_unused_lease(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "7/8");
    let mut claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
    let renewed = scene.renew(&first).unwrap();
    scene.release(&first, None).unwrap();
    let again = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
    assert_eq!(again.token, first.token);
    assert_eq!(assert_lost(scene.renew(&renewed)), LeaseEnd::Overtaken);
    assert!(scene.renew(&again).is_ok());
}

/// A lease proves nothing about a realm that it is not of.
pub fn a_lease_of_another_realm_is_refused(testbed: &dyn Testbed) {
    let (scene, other) = (Scene::new(testbed, "0-7/8"), Scene::new(testbed, "0-7/8"));
    let (lease, held) = (scene.acquire(), other.acquire());
    let asked = other.realm.name().clone();
    let refusal = Refusal::OtherRealm { node: lease.node, asked };
    assert_eq!(other.renew(&lease).unwrap_err().refusal(), Some(&refusal));
    assert_eq!(other.release(&lease, None).unwrap_err().refusal(), Some(&refusal));
    assert!(scene.renew(&lease).is_ok() && other.renew(&held).is_ok());
}

/// Renewals do not starve reconfiguring and invalidating.
pub fn administration_beside_renewals(testbed: &dyn Testbed) {
    const RENEWERS: usize = 32;
    /// The most requests that get no answer, as on a busy machine.
    const LATE: usize = 10;
    let scene = Scene::new(testbed, "0-31/8");
    let larger = scene.with_pool("0-39/8");
    let leases: Vec<_> = (0..RENEWERS).map(|_| scene.acquire()).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let renewers: Vec<_> = leases
            .iter()
            .map(|lease| {
                let (store, realm, is_over) = (testbed.store(), &scene.realm, &is_over);
                let renew = move || {
                    let (mut lease, mut late) = (*lease, 0);
                    loop {
                        let is_last = is_over.load(Ordering::Acquire);
                        match answer(store.renew(realm, &lease)) {
                            Ok(renewed) if is_last => return Ok(renewed),
                            Ok(renewed) => lease = renewed,
                            Err(error) if error.is_unreachable() && late < LATE => {
                                late += usize::from(is_last);
                            }
                            Err(error) => return Err(error),
                        }
                    }
                };
                scope.spawn(renew)
            })
            .collect();
        let (administration, mut late) = (testbed.store(), 0);
        let mut repeated = |request: &dyn Fn(&Store) -> Result<(), StoreError>| {
            while let Err(error) = request(&administration) {
                if !error.is_unreachable() || late == LATE {
                    return Err(error);
                }
                late += 1;
            }
            Ok(())
        };
        let mut administer = || {
            for _ in 0..3 {
                repeated(&|it| answer(it.create(&scene.realm, Start::Immediately)).map(drop))?;
                repeated(&|it| answer(it.reconfigure(&larger)).map(drop))?;
                repeated(&|it| answer(it.reconfigure(&scene.realm)).map(drop))?;
            }
            repeated(&|it| answer(it.invalidate(&scene.realm)).map(drop))
        };
        let administered = administer();
        is_over.store(true, Ordering::Release);
        administered.unwrap();
        // The invalidation has ended all leases, and with them the renewers.
        for renewer in renewers {
            assert_eq!(assert_lost(renewer.join().unwrap()), LeaseEnd::Era);
        }
    });
}
