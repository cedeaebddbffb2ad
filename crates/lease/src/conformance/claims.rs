//! Who gets which node, and what of it.

use core::time::Duration;
use std::collections::BTreeSet;
use std::thread;

use tickid_core::{Scheme, TickScale, UnixTime};

use super::{Scene, Stage, answer, wild_of_exhausted};
use crate::node::Node;
use crate::realm::Realm;
use crate::record::{Claim, Token};
use crate::rules::Refusal;

/// The window begins where nobody was before and reaches as far as the terms say, to the tick.
pub fn a_claim_gets_a_node_of_the_pool_and_a_window_around_now(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-2/8,1/1");
    for _ in 0..4 {
        let grant = scene.acquire();
        assert!(scene.realm.pool().contains(grant.hold.node), "{grant:?}");
        assert_eq!(grant.hold.floor, 0);
        assert_eq!(grant.ceiling, scene.tick(grant.now) + scene.realm.ahead());
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
        let scene = Scene { realm: Realm { scale, end: 1 << 45, ..scene.realm }, ..scene };
        for _ in 0..10 {
            let grant = scene.acquire();
            assert_eq!(grant.ceiling, scene.tick(grant.now) + scene.realm.ahead(), "{scale:?}");
            stage.pass(Duration::from_micros(700));
        }
    }
}

/// The second is told that there is no node, and from when on there may be one.
pub fn two_claimants_dont_share_a_node(stage: &dyn Stage) {
    let scene = Scene::new(stage, "7/8");
    let first = scene.acquire();
    let error = scene.try_acquire().unwrap_err();
    match error.refusal() {
        Some(&Refusal::Exhausted { nodes: 1, wild: 0, free_at: Some(at) }) => {
            assert_eq!(scene.tick(at), first.ceiling);
        }
        _ => panic!("{error}"),
    }
}

/// As many as there are nodes get one; the others get none.
pub fn claimants_that_race_get_different_nodes(stage: &dyn Stage) {
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
    let nodes: BTreeSet<Node> = granted.into_iter().map(|grant| grant.unwrap().hold.node).collect();
    assert_eq!(nodes.len(), NODES);
    assert_eq!(refused.len(), NODES);
    for refusal in refused {
        assert_eq!(wild_of_exhausted(refusal), 0);
    }
}

/// As after a reply that was lost.
pub fn a_claim_that_is_repeated_finds_what_it_got(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    let claim = Scene::claim();
    let first = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
    let again = answer(stage.store().acquire(&scene.realm, &claim)).unwrap();
    assert_eq!(again.hold, first.hold);
    assert!(again.ceiling >= first.ceiling);
}

/// Rather than one whose window begins in its future.
pub fn a_claim_prefers_a_node_it_can_use_at_once(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-3/8");
    let grants = [(); 4].map(|()| scene.acquire());
    let now = scene.tick(grants[3].now);
    for grant in &grants {
        let used = if grant.hold.node == Node::new(8, 2).unwrap() { now - 500 } else { now + 500 };
        scene.release(&grant.hold, Some(used)).unwrap();
    }
    let claim = |now| Claim::new(Token::random().unwrap(), "somebody", Some(now));
    let grant = answer(scene.store.acquire(&scene.realm, &claim(now - 400))).unwrap();
    assert_eq!((grant.hold.node.value(), grant.hold.floor), (2, now - 499));
    // The others are given out nevertheless when there is nothing better.
    let grant = answer(scene.store.acquire(&scene.realm, &claim(now - 400))).unwrap();
    assert_eq!(grant.hold.floor, now + 501);
}

/// Whatever is in their names.
pub fn holders_are_kept_as_they_are_named(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-7/8");
    for name in ["", "web-1:42", "'; -- \" \\ $1 {} %s", "ärger 🙂 \u{2028}", "null"] {
        let claim = Claim::new(Token::random().unwrap(), name, None);
        let grant = answer(scene.store.acquire(&scene.realm, &claim)).unwrap();
        let (_, row) = scene.standing(grant.hold.node);
        assert_eq!((row.holder.as_str(), row.token), (name, Some(claim.token)));
    }
}

/// Not after it; and when nothing is left, that is an error.
pub fn windows_end_with_the_scheme(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-1/8");
    let now = scene.tick(scene.acquire().now);
    let end = now + scene.realm.ahead() / 2;
    let ending = Scene::new(stage, "1/8");
    let ending = Scene { realm: Realm { end, ..ending.realm }, ..ending };
    let grant = ending.acquire();
    assert_eq!(grant.ceiling, end);
    assert_eq!(ending.renew(&grant.hold).unwrap().ceiling, end);
    ending.release(&grant.hold, Some(end - 1)).unwrap();
    let error = ending.try_acquire().unwrap_err();
    assert_eq!(error.refusal(), Some(&Refusal::EndOfTime { last: end - 1 }));
}

/// Nor after the last tick.
pub fn before_the_epoch_nothing_is_given_out(stage: &dyn Stage) {
    let scene = Scene::new(stage, "0-1/8");
    let now = scene.acquire().now;
    let future = now.checked_add(Duration::from_secs(3_600)).unwrap();
    for (epoch, end) in [(future, 1 << 41), (UnixTime::EPOCH, 1_000)] {
        let scale = TickScale::every(epoch, 1_000);
        let other = Scene::new(stage, "0-1/8");
        let other = Scene { realm: Realm { scale, end, ..other.realm }, ..other };
        let error = other.try_acquire().unwrap_err();
        assert!(matches!(error.refusal(), Some(Refusal::StoreClock { .. })), "{error}");
    }
}

/// A realm of a real scheme, for tests that have one.
pub fn realm_of<S: Scheme>(layout: &S, pool: &str) -> Realm {
    let name = format!("scene-{}", Token::random().unwrap());
    Realm::new(name.parse().unwrap(), layout, pool.parse().unwrap()).unwrap()
}
