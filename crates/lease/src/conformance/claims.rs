//! Claims, and the node and the window that they get.

use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use tickid_core::{AnyNode, TickScale, UnixTime};

use super::{Scene, Testbed, answer, assert_same, quarantined_of_exhausted};
use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::RealmSpec;
use crate::model::record::PauseReason;
use crate::model::refusal::Refusal;
use crate::model::token::Token;
use crate::store::Store;
use crate::store_error::StoreError;

/// The window starts with the realm and reaches exactly as far as the terms specify. Ticks may be
/// cut short, and epochs may lie before 1970.
pub fn ticks_agree_with_every_scheme(testbed: &dyn Testbed) {
    let scales = [
        TickScale::every(UnixTime::EPOCH, 256_000),
        TickScale::every(UnixTime::from_micros(1_262_304_000_000_000), 4_000),
        TickScale::every(UnixTime::from_micros(-86_400_000_123), 1_000),
        TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024),
    ];
    for scale in scales {
        let scene = Scene::unknown(testbed, "0-8/8,1/1");
        let scene = scene.with(|realm| RealmSpec { scale, end: 1 << 45, ..realm }).begun();
        for _ in 0..10 {
            let lease = scene.acquire();
            assert!(scene.realm.pool().contains(lease.node), "{lease:?}");
            let ceiling = scene.tick(lease.granted_at) + scene.realm.ahead();
            assert_eq!((lease.floor, lease.ceiling), (0, ceiling), "{scale:?}");
            testbed.pass(Duration::from_micros(700));
        }
    }
}

/// The refusal reports when the node may be free.
pub fn a_held_node_is_not_granted(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "7/8");
    let first = scene.acquire();
    let error = scene.try_acquire().unwrap_err();
    match error.refusal() {
        Some(&Refusal::NoFreeNode { nodes: 1, seen: 1, quarantined: 0, free_at: Some(at) }) => {
            assert_eq!(scene.tick(at), first.ceiling);
        }
        _ => panic!("{error}"),
    }
}

/// As many claims as there are nodes get one each, and the others are refused.
pub fn racing_claims_get_other_nodes(testbed: &dyn Testbed) {
    const NODES: usize = 8;
    let scene = Scene::new(testbed, "0-7/8");
    let leases: Vec<_> = thread::scope(|scope| {
        let claimants: Vec<_> = (0..2 * NODES)
            .map(|_| {
                let (store, realm) = (testbed.store(), &scene.realm);
                scope.spawn(move || (answer(store.acquire(realm, &mut Scene::claim())), store))
            })
            .collect();
        claimants.into_iter().map(|claimant| claimant.join().unwrap()).collect()
    });
    // All stores live until all have claimed: the end of one might prove that its holder has ended.
    let leases = leases.into_iter().map(|(lease, _store)| lease);
    let (granted, refused): (Vec<_>, Vec<_>) = leases.partition(Result::is_ok);
    let nodes: BTreeSet<AnyNode> = granted.into_iter().map(|lease| lease.unwrap().node).collect();
    assert_eq!(nodes.len(), NODES);
    assert_eq!(refused.len(), NODES);
    for refusal in refused {
        assert_eq!(quarantined_of_exhausted(refusal), 0);
    }
}

/// Several clients claim nodes of short leases again and again, release some and let the others
/// expire. No two windows of a node overlap.
pub fn racing_claims_get_own_windows(testbed: &dyn Testbed) {
    const CLAIMANTS: usize = 4;
    const WINDOWS: usize = 50;
    let scene = Scene::unknown(testbed, "0/1,4-5/3").term(Duration::from_millis(10)).begun();
    let together = Barrier::new(CLAIMANTS);
    let race = |claimant: usize, store: Store, realm: &RealmSpec, full: SyncSender<()>| {
        let (mut windows, mut late) = (Vec::new(), 0);
        together.wait();
        while windows.len() < WINDOWS {
            let lease = match answer(store.acquire(realm, &mut Scene::claim())) {
                Ok(lease) => lease,
                Err(error) => {
                    assert!(matches!(error.refusal(), Some(Refusal::NoFreeNode { .. })), "{error}");
                    full.send(()).unwrap();
                    continue;
                }
            };
            // Another client may be granted the node meanwhile. Renewals of so short a term are soon
            // repeated, so on a busy machine some get no answer, and were carried out or not.
            let mut unless_lost = |error: StoreError| {
                late += usize::from(error.is_unreachable());
                assert!(error.is_lost() || error.is_unreachable() && late < WINDOWS, "{error:?}");
                error.is_lost()
            };
            let renewed = answer(store.renew(realm, &lease)).map_err(&mut unless_lost);
            let Lease { node, floor, mut ceiling, .. } = renewed.unwrap_or(lease);
            let used = floor.max(ceiling - 1 - (windows.len() % 8) as u64);
            if !(claimant + windows.len()).is_multiple_of(4) {
                let released = answer(store.release(realm, &lease, Some(used)));
                let is_lost = released.map_err(unless_lost).is_err_and(|is_lost| is_lost);
                ceiling = if is_lost { ceiling } else { used + 1 };
            }
            windows.push((node, floor, ceiling));
        }
        // The store lives until all have ended: its end might prove that its holder has ended.
        (windows, store)
    };
    let mut windows: Vec<_> = thread::scope(|scope| {
        // Time passes while a client finds no free node.
        let ((full, is_full), race) = (sync_channel(0), &race);
        let claimants: Vec<_> = (0..CLAIMANTS)
            .map(|claimant| {
                let (store, realm, full) = (testbed.store(), &scene.realm, full.clone());
                scope.spawn(move || race(claimant, store, realm, full))
            })
            .collect();
        drop(full);
        is_full.into_iter().for_each(|()| testbed.pass(Duration::from_millis(1)));
        let claimants: Vec<_> =
            claimants.into_iter().map(|claimant| claimant.join().unwrap()).collect();
        claimants.into_iter().flat_map(|(windows, _store)| windows).collect()
    });
    windows.sort_unstable();
    for pair in windows.windows(2) {
        let ((node, _, ceiling), (next, floor, _)) = (pair[0], pair[1]);
        assert!(node != next || ceiling <= floor, "{pair:?}");
    }
}

/// A claim is repeated, as after a lost reply.
pub fn repeated_claims_get_one_lease(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let mut claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
    let again = answer(testbed.store().acquire(&scene.realm, &mut claim)).unwrap();
    assert_same(&again, &first);
    assert!(again.ceiling >= first.ceiling);
    assert!(scene.renew(&first).is_ok());
}

/// A window that starts in the claimant's future is the last choice.
pub fn claims_prefer_usable_nodes(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-3/8");
    let leases = [(); 4].map(|()| scene.acquire());
    let now = scene.tick(leases[3].granted_at);
    for lease in &leases {
        let used = if lease.node == AnyNode::new(2, 8).unwrap() { now - 500 } else { now + 500 };
        scene.release(lease, Some(used)).unwrap();
    }
    let acquire = |now| {
        let mut claim = Claim::new(Token::random().unwrap(), "a scenario", Some(now));
        answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap()
    };
    let lease = acquire(now - 400);
    assert_eq!((lease.node.value(), lease.floor), (2, now - 499));
    assert_eq!(acquire(now - 400).floor, now + 501);
}

/// A row keeps the holder's name, whatever characters it has.
pub fn holder_names_are_kept(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    for name in ["", "web-1:42", "'; -- \" \\ $1 {} %s", "ärger 🙂 \u{2028}", "null"] {
        let mut claim = Claim::new(Token::random().unwrap(), name, None);
        let lease = answer(scene.store.acquire(&scene.realm, &mut claim)).unwrap();
        let row = scene.row(lease.node);
        assert_eq!((row.holder.as_str(), row.token), (name, Some(claim.token)));
    }
}

/// A claim is refused with its own reason once the scheme has no ticks left.
pub fn windows_end_with_the_scheme(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-1/8");
    let now = scene.tick(scene.acquire().granted_at);
    let end = now + scene.realm.ahead() / 2;
    let ending = Scene::unknown(testbed, "1/8").with(|realm| RealmSpec { end, ..realm }).begun();
    let lease = ending.acquire();
    assert_eq!(lease.ceiling, end);
    assert_eq!(ending.renew(&lease).unwrap().ceiling, end);
    ending.release(&lease, Some(end - 1)).unwrap();
    let error = ending.try_acquire().unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::EndOfTime { last: end - 1 }));
}

/// Nothing is granted before the epoch or after the last tick.
pub fn no_grant_before_the_epoch(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-1/8");
    let now = scene.acquire().granted_at;
    let future = now.checked_add(Duration::from_secs(3_600)).unwrap();
    for (epoch, end) in [(future, 1 << 41), (UnixTime::EPOCH, 1_000)] {
        let scale = TickScale::every(epoch, 1_000);
        let other = Scene::unknown(testbed, "0-1/8");
        let other = other.with(|realm| RealmSpec { scale, end, ..realm });
        let error = other.try_acquire().unwrap_err();
        assert!(matches!(error.refusal(), Some(Refusal::StoreClock { .. })), "{error}");
    }
}

/// Nothing is granted while a realm pauses, and the refusal says until when and why.
pub fn no_grant_before_the_start(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-1/8");
    let floor = answer(scene.store.invalidate(&scene.realm)).unwrap();
    let error = scene.try_acquire().unwrap_err();
    match error.refusal() {
        Some(&Refusal::NotYet { from, why, .. }) => {
            assert_eq!((scene.tick(from), why), (floor, Some(PauseReason::Invalidated)));
        }
        _ => panic!("{error}"),
    }
}

/// The pool's other nodes have rows only once they are needed.
pub fn rows_never_outnumber_holders(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-65535/16");
    let held = [(); 3].map(|()| scene.acquire());
    for _ in 0..20 {
        let lease = scene.acquire();
        scene.release(&lease, None).unwrap();
    }
    assert_eq!(scene.list().rows.len(), held.len() + 1);
}
