//! Who gets which node, and what of it.

use core::time::Duration;
use std::collections::BTreeSet;
use std::thread;

use tickid_core::{Scheme, TickScale, UnixTime};

use super::{Scene, Stage, answer, quarantined_of_exhausted};
use crate::model::lease::{Claim, Token};
use crate::model::node::Node;
use crate::model::realm::RealmSpec;
use crate::model::rules::Refusal;

/// The window begins where nobody was before and reaches as far as the terms say, to the tick.
pub fn a_claim_gets_a_node_and_a_window_around_now(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-2/8,1/1");
    for _ in 0..4 {
        let grant = scene.acquire();
        assert!(scene.realm.pool().contains(grant.node), "{grant:?}");
        assert_eq!(grant.floor, 0);
        assert_eq!(grant.ceiling, scene.tick(grant.granted_at) + scene.realm.ahead());
    }
}

/// The store converts its clock as the schemes do, be their ticks cut short or their epochs in the
/// past of 1970.
pub fn ticks_are_those_of_every_scheme(stage: &dyn Stage) {
    let scales = [
        TickScale::every(UnixTime::EPOCH, 256_000),
        TickScale::every(UnixTime::from_micros(1_262_304_000_000_000), 4_000),
        TickScale::every(UnixTime::from_micros(-86_400_000_123), 1_000),
        TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024),
    ];
    for scale in scales {
        let scene = Scene::new(stage, "0-9/8");
        let scene = Scene { realm: RealmSpec { scale, end: 1 << 45, ..scene.realm }, ..scene };
        for _ in 0..10 {
            let grant = scene.acquire();
            assert_eq!(
                grant.ceiling,
                scene.tick(grant.granted_at) + scene.realm.ahead(),
                "{scale:?}"
            );
            stage.pass(Duration::from_micros(700));
        }
    }
}

/// The second is told that there is no node, and from when on there may be one.
pub fn a_held_node_is_not_granted(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let error = scene.try_acquire().unwrap_err();
    match error.refusal() {
        Some(&Refusal::Exhausted { nodes: 1, quarantined: 0, free_at: Some(at) }) => {
            assert_eq!(scene.tick(at), first.ceiling);
        }
        _ => panic!("{error}"),
    }
}

/// As many as there are nodes get one; the others get none.
pub fn racing_claims_get_different_nodes(stage: &dyn Stage) {
    const NODES: usize = 8;
    let scene = Scene::new(stage, "0-7/8");
    let grants: Vec<_> = thread::scope(|scope| {
        let claimants: Vec<_> = (0..2 * NODES)
            .map(|_| {
                let (store, realm) = (stage.store(), &scene.realm);
                scope.spawn(move || (answer(store.acquire(realm, &Scene::claim())), store))
            })
            .collect();
        claimants.into_iter().map(|claimant| claimant.join().unwrap()).collect()
    });
    // Nobody's store is gone before everybody has asked: that might prove a holder dead.
    let grants = grants.into_iter().map(|(grant, _store)| grant);
    let (granted, refused): (Vec<_>, Vec<_>) = grants.partition(Result::is_ok);
    let nodes: BTreeSet<Node> = granted.into_iter().map(|grant| grant.unwrap().node).collect();
    assert_eq!(nodes.len(), NODES);
    assert_eq!(refused.len(), NODES);
    for refusal in refused {
        assert_eq!(quarantined_of_exhausted(refusal), 0);
    }
}

/// As after a reply that was lost.
pub fn a_repeated_claim_gets_one_lease(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    let again = answer(stage.store().acquire(&scene.realm, &claim)).unwrap();
    assert_eq!(again, first);
    assert!(again.ceiling >= first.ceiling);
}

/// Rather than one whose window begins in its future.
pub fn a_claim_prefers_a_node_it_can_use_at_once(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-3/8");
    let grants = [(); 4].map(|()| scene.acquire());
    let now = scene.tick(grants[3].granted_at);
    for grant in &grants {
        let used = if grant.node == Node::new(8, 2).unwrap() { now - 500 } else { now + 500 };
        scene.release(&grant, Some(used)).unwrap();
    }
    let claim = |now| Claim::new(Token::random().unwrap(), "somebody", Some(now));
    let grant = answer(scene.store.acquire(&scene.realm, &claim(now - 400))).unwrap();
    assert_eq!((grant.node.value(), grant.floor), (2, now - 499));
    // The others are given out nevertheless when there is nothing better.
    let grant = answer(scene.store.acquire(&scene.realm, &claim(now - 400))).unwrap();
    assert_eq!(grant.floor, now + 501);
}

/// Whatever is in their names.
pub fn holder_names_are_kept(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    for name in ["", "web-1:42", "'; -- \" \\ $1 {} %s", "ärger 🙂 \u{2028}", "null"] {
        let claim = Claim::new(Token::random().unwrap(), name, None);
        let grant = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
        let (_, row) = scene.standing(grant.node);
        assert_eq!((row.holder.as_str(), row.token), (name, Some(claim.token)));
    }
}

/// Not after it; and when nothing is left, that is an error.
pub fn windows_end_with_the_scheme(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-1/8");
    let now = scene.tick(scene.acquire().now);
    let end = now + scene.realm.ahead() / 2;
    let ending = Scene::new(stage, "1/8");
    let ending = Scene { realm: RealmSpec { end, ..ending.realm }, ..ending };
    let grant = ending.acquire();
    assert_eq!(grant.ceiling, end);
    assert_eq!(ending.renew(&grant).unwrap().ceiling, end);
    ending.release(&grant, Some(end - 1)).unwrap();
    let error = ending.try_acquire().unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::EndOfTime { last: end - 1 }));
}

/// Nor after the last tick.
pub fn nothing_is_granted_before_the_epoch(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-1/8");
    let now = scene.acquire().now;
    let future = now.checked_add(Duration::from_secs(3_600)).unwrap();
    for (epoch, end) in [(future, 1 << 41), (UnixTime::EPOCH, 1_000)] {
        let scale = TickScale::every(epoch, 1_000);
        let other = Scene::new(stage, "0-1/8");
        let other = Scene { realm: RealmSpec { scale, end, ..other.realm }, ..other };
        let error = other.try_acquire().unwrap_err();
        assert!(matches!(error.refusal(), Some(Refusal::StoreClock { .. })), "{error}");
    }
}

/// A realm of a real scheme, for tests that have one.
pub fn realm_of<S: Scheme>(layout: &S, pool: &str) -> RealmSpec {
    let name = format!("scene-{}", Token::random().unwrap());
    RealmSpec::new(name.parse().unwrap(), layout, pool.parse().unwrap()).unwrap()
}
