//! Lost data that a claim shows, by a lease that its holder lost, by its count of rows, or by rows
//! without a record.

use super::{SHORT, Scene, Testbed, answer, assert_lost};
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmSpec;
use crate::model::record::PauseReason;
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::store::Start;
use crate::store_error::StoreError;

/// Rows are lost under a holder, and others come and go before its renewal, so that the row shows
/// nothing unusual. But the holder knows that it never released its lease.
pub fn masked_losses_invalidate(testbed: &dyn Testbed) {
    // Seen by a renewal, or after the others have gone beyond the window.
    for outlasts in [false, true] {
        let scene = Scene::short(testbed, "7/8");
        come_and_go(&scene, None);
        testbed.save(scene.realm.name());
        let lease = scene.acquire();
        let limit = scene.tick(lease.granted_at) + scene.realm.max_ahead();
        testbed.load(scene.realm.name());
        for _ in 0..3 {
            come_and_go(&scene, None);
        }
        let era = scene.record().era;
        assert_eq!(assert_lost(scene.renew(&lease)), LeaseEnd::Overtaken);
        assert_eq!(scene.record().era, era, "a renewal may come late: it changes nothing");
        if outlasts {
            come_and_go(&scene, Some(lease.ceiling));
        }
        let _ = claim_after(&scene, &scene.realm, lease, LeaseEnd::Overtaken);
        assert!(scene.record().era > era, "invalidated before a grant");
        super::trouble::starts_beyond(&scene, limit);
    }
}

/// The same backup is loaded again while the realm pauses after the first loss. No lease shows
/// that, but a claim that waits has seen the later era.
pub fn second_losses_invalidate(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "7/8");
    come_and_go(&scene, None);
    testbed.save(scene.realm.name());
    let lease = scene.acquire();
    testbed.load(scene.realm.name());
    let why = assert_lost(scene.renew(&lease));
    let mut claim = Scene::claim();
    claim.lost = Some((lease, why));
    // The claim is refused until the realm starts, which it may have on a machine that is slow.
    let _ = answer(scene.store.acquire(&scene.realm, &mut claim));
    let seen = scene.record().era;
    assert!(seen > lease.era);
    assert_eq!((claim.seen_era, claim.lost), (Some(seen), None));

    testbed.load(scene.realm.name());
    let other = scene.acquire();
    scene.release(&other, None).unwrap();
    let limit = scene.tick(other.granted_at) + scene.realm.max_ahead();
    let _ = answer(scene.store.acquire(&scene.realm, &mut claim));
    let era = scene.record().era;
    assert!(era > seen, "invalidated beyond the era that was seen");
    super::trouble::starts_beyond(&scene, limit);
    let _ = answer(scene.store.acquire(&scene.realm, &mut claim));
    assert_eq!(scene.record().era, era, "once");
}

/// A claim that sees the whole pool counts its rows.
pub fn missing_rows_invalidate(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0-3/8");
    let held = [(); 3].map(|()| scene.acquire());
    let limit = scene.tick(held[2].granted_at) + scene.realm.max_ahead();
    // Fewer than three on a machine so slow that a lease expires before the next claim.
    assert_eq!(scene.record().rows, scene.list().rows.len() as u64);
    testbed.delete(scene.realm.name(), Some(held[1].node));
    match scene.try_acquire() {
        Ok(lease) => assert!(lease.floor >= limit, "{lease:?}"),
        Err(error) => {
            assert!(matches!(error.refusal(), Some(Refusal::NotYet { .. })), "{error}");
        }
    }
    assert!(scene.record().era > held[0].era);
    for lease in &held {
        assert_eq!(assert_lost(scene.renew(lease)), LeaseEnd::Era);
    }
    super::trouble::starts_beyond(&scene, limit);
}

/// A release or a renewal that the network repeats late sees the node free, or granted from below
/// its ceiling.
pub fn released_leases_are_no_evidence(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-1/8");
    let (first, other) = (scene.acquire(), scene.acquire());
    scene.release(&first, None).unwrap();
    let is_over = || {
        assert_eq!(assert_lost(scene.release(&first, None)), LeaseEnd::Token);
        assert_eq!(assert_lost(scene.renew(&first)), LeaseEnd::Overtaken);
    };
    is_over();
    let second = scene.acquire();
    assert_eq!(second.node, first.node);
    is_over();
    for lease in [second, other] {
        assert!(scene.renew(&lease).is_ok());
    }
    assert_eq!(scene.record().era, first.era);
}

/// An operator who stopped a holder may release its node, from a lower tick on.
pub fn cut_leases_are_no_evidence(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-2/8");
    let (first, other) = (scene.acquire(), scene.acquire());
    let used = Some(first.floor);
    answer(scene.store.release_by_hand(&scene.realm, &first, used)).unwrap();
    let second = scene.acquire();
    assert_eq!(second.node, first.node);
    assert_eq!(assert_lost(scene.renew(&first)), LeaseEnd::Token);
    assert_eq!(assert_lost(scene.release(&first, None)), LeaseEnd::Token);
    claim_after(&scene, &scene.realm, first, LeaseEnd::Token).unwrap();
    for lease in [second, other] {
        assert!(scene.renew(&lease).is_ok());
    }
    assert_eq!(scene.record().era, first.era);
    // The next holder's lease is evidence again.
    testbed.delete(scene.realm.name(), Some(second.node));
    assert!(answer(scene.store.report_lost(&scene.realm, &second, LeaseEnd::Token)).unwrap());
}

/// One invalidation is enough, even if several holders lost their leases.
pub fn repaired_losses_are_no_evidence(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-2/8");
    let held = [(); 2].map(|()| scene.acquire());
    for lease in &held {
        testbed.delete(scene.realm.name(), Some(lease.node));
    }
    assert_eq!(assert_lost(scene.renew(&held[0])), LeaseEnd::Forgotten);
    let era = scene.record().era;
    for (lease, why) in [(held[0], LeaseEnd::Forgotten), (held[1], LeaseEnd::Overtaken)] {
        assert_lost(scene.renew(&lease));
        assert!(!answer(scene.store.report_lost(&scene.realm, &lease, why)).unwrap());
    }
    assert_eq!(scene.record().era, era);
}

/// A lease proves nothing about a realm of a different name, nor of other ticks.
pub fn evidence_is_of_its_realm(testbed: &dyn Testbed) {
    let (scene, other) = (Scene::new(testbed, "0-1/8"), Scene::new(testbed, "0-1/8"));
    let lease = scene.acquire();
    claim_after(&other, &other.realm, lease, LeaseEnd::Overtaken).unwrap();
    assert_eq!(other.record().era, lease.era);
    let another = RealmSpec { scheme: "others".to_owned(), ..scene.realm.clone() };
    let report = scene.store.report_lost(&another, &lease, LeaseEnd::Overtaken);
    assert!(!answer(report).unwrap());
    let mut claim = Scene::claim();
    claim.seen_era = Some(lease.era + 1);
    let error = answer(scene.store.acquire(&another, &mut claim)).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
    assert_eq!(scene.record().era, lease.era);
}

/// A realm whose record is gone is not taken for a new one. A program that would assume its nodes
/// is refused, and a holder restores it as it knows it, beyond its leases.
pub fn lost_records_are_restored(testbed: &dyn Testbed) {
    let scene = Scene::short(testbed, "0-3/8");
    let lease = scene.acquire();
    let limit = scene.tick(lease.granted_at) + scene.realm.max_ahead();
    testbed.delete(scene.realm.name(), None);
    // A client that has not seen the record.
    let later = Scene { store: testbed.store(), testbed, realm: scene.realm.clone() };
    let refusals = [
        answer(later.store.adopt(&scene.with_pool("0-255/8"))).map(drop),
        answer(later.store.list(scene.realm.name())).map(drop),
    ];
    for refusal in refusals {
        assert_eq!(refusal.unwrap_err().refusal(), Some(&Refusal::LostRecord));
    }
    let restored = answer(later.store.create(&scene.realm, Start::Immediately)).unwrap();
    assert_eq!(later.record().realm, scene.realm);
    let why = Some(PauseReason::Restored);
    assert_eq!((restored.is_new, restored.record.pause()), (true, why), "it is not new");
    assert_lost(scene.renew(&lease));
    super::trouble::starts_beyond(&later, limit);
}

/// A realm that was lost as a whole, and started anew with assumed nodes, gets back those that a
/// holder knows.
pub fn assumed_pools_give_way(testbed: &dyn Testbed) {
    // Nodes that the assumed pool has, and others.
    for pool in ["0-3/8", "7/9"] {
        let scene = Scene::unknown(testbed, pool).term(SHORT);
        testbed.save(scene.realm.name());
        let scene = scene.begun();
        let lease = scene.acquire();
        let limit = scene.tick(lease.granted_at) + scene.realm.max_ahead();
        testbed.load(scene.realm.name());
        let later = Scene { store: testbed.store(), testbed, realm: scene.with_pool("0-1/8") };
        let assumed = answer(later.store.adopt(&later.realm)).unwrap().record;
        assert!(assumed.is_assumed && assumed.realm == later.realm);
        let _ = later.try_acquire();
        let why = assert_lost(scene.renew(&lease));
        let _ = claim_after(&scene, &scene.realm, lease, why);
        let record = scene.record();
        assert_eq!((record.realm, record.is_assumed), (scene.realm.clone(), false));
        super::trouble::starts_beyond(&scene, limit);
    }
}

/// An assumed pool gives way only to a claim with a lost lease, and a pool that an operator chose
/// to none.
pub fn chosen_pools_stay(testbed: &dyn Testbed) {
    let scene = Scene::unknown(testbed, "0-3/8").term(SHORT);
    assert!(answer(scene.store.adopt(&scene.realm)).unwrap().record.is_assumed);
    let other = scene.with_pool("0-1/8");
    let error = scene.acquire_of(&other).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
    assert_eq!(answer(scene.store.adopt(&other)).unwrap().record.realm, scene.realm);
    let record = answer(scene.store.create(&scene.realm, Start::Delayed)).unwrap().record;
    assert!(!record.is_assumed && !scene.record().is_assumed, "chosen now");
    scene.outlast();
    scene.outlast();
    let lease = scene.acquire();
    let error = claim_after(&scene, &other, lease, LeaseEnd::Era).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
    assert_eq!(scene.record().realm, scene.realm);
    let another = RealmSpec { settings: "drift 5".to_owned(), ..scene.realm.clone() };
    let error = answer(scene.store.adopt(&another)).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Mismatch(_))), "{error}");
}

/// A holder that stays a moment.
fn come_and_go(scene: &Scene<'_>, used: Option<u64>) {
    let lease = scene.acquire();
    scene.release(&lease, used).unwrap();
}

/// Claims a lease of `realm` after another was lost.
fn claim_after(
    scene: &Scene<'_>,
    realm: &RealmSpec,
    lost: Lease,
    why: LeaseEnd,
) -> Result<Lease, StoreError> {
    let mut claim = Scene::claim();
    claim.lost = Some((lost, why));
    let answer = answer(scene.store.acquire(realm, &mut claim));
    assert_eq!(claim.lost, None, "it is shown once");
    answer
}
