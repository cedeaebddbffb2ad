//! A process that crashes once a second for an hour: how far its ceilings run, and how long the
//! next one has to wait.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tickid_core::{
    AnyNode, Builder, Clock as _, ManualClock, NodeId as _, Scheme, Tick, UnixTime, Window,
};
use tickid_lease::admin::Refusal;
use tickid_lease::backend::{Change, MemoryBackend, RowState};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Realm, RealmSpec, Store};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;

use crate::altered::{Altered, Memory};

const SECOND: Duration = Duration::from_secs(1);

/// The fate of 3,600 processes that each crash after a second.
#[derive(Debug, PartialEq, Eq)]
struct Loop {
    /// The number that issued IDs.
    issued: u32,
    /// The largest number in a row that did not.
    longest: u32,
    /// The seconds after which the next process, which stays, issues.
    after: u64,
}

/// The store may detect that a holder has ended, either immediately, as a folder does, or some time
/// after its last write, as a liveness check does.
fn hour_of_crashes<S: Scheme + Default>(pool: &str, shows_death_after: Option<Duration>) -> Loop {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let memory = MemoryBackend::new(Arc::clone(&clock));
    // The time of each node's last write.
    let written = Arc::new(Mutex::new(HashMap::<AnyNode, UnixTime>::new()));
    let (last_writes, now) = (Arc::clone(&written), Arc::clone(&clock));
    let read = move |memory: &Memory, realm: &_, scope| {
        let mut view = memory.data(realm, scope)?;
        let last_writes = last_writes.lock().unwrap();
        for (node, state) in &mut view.rows {
            let over = shows_death_after.and_then(|it| last_writes[node].checked_add(it));
            if let RowState::Intact { is_dead, .. } = state {
                *is_dead = over.is_some_and(|over| view.now >= over);
            }
        }
        Ok(view)
    };
    let commit = move |memory: &Memory, realm: &_, change: &Change| {
        if let Some(row) = &change.row {
            written.lock().unwrap().insert(row.node, now.now().unwrap());
        }
        Ok(memory.write(realm, change))
    };
    let (read, commit) = (Box::new(read), Box::new(commit));
    let store = Store::new(Altered { read, commit, ..Altered::new(memory) });
    let scheme = S::default();
    let realm = RealmSpec::from(Realm::builder("a", scheme).pool(pool).build().unwrap());
    let mut issued = 0;

    // Starts a process, and returns its generator if it has a node.
    let start = || {
        let tick = realm.tick_at(clock.now().unwrap()).unwrap();
        let mut claim = Claim::new(Token::random().unwrap(), "", Some(tick));
        let lease = match block_on(store.acquire(&realm, &mut claim), SECOND) {
            Ok(lease) => lease,
            Err(error) => match error.refusal() {
                Some(Refusal::NoFreeNode { quarantined: 0, .. }) => return None,
                _ => panic!("{error}"),
            },
        };
        assert!(lease.ceiling <= tick + realm.max_ahead(), "{lease:?} at {tick}");
        let node = S::Node::from_value(lease.node.value(), lease.node.bits()).unwrap();
        let window = Window::new(Tick::new(lease.floor).unwrap(), lease.ceiling).unwrap();
        let builder = Builder::<S, _>::new(node).window(window).clock(Arc::clone(&clock));
        Some(builder.build().unwrap())
    };
    let (mut outage, mut longest) = (0, 0);
    for _ in 0..3_600 {
        let issues = start().is_some_and(|generator| generator.try_generate().is_ok());
        outage = if issues { 0 } else { outage + 1 };
        longest = longest.max(outage);
        issued += u32::from(issues);
        clock.advance(SECOND);
    }
    // The last one stays.
    let mut last = None;
    for seconds in 0..3_600 {
        last = last.or_else(start);
        if last.as_ref().is_some_and(|generator| generator.try_generate().is_ok()) {
            return Loop { issued, longest, after: seconds };
        }
        clock.advance(SECOND);
    }
    panic!("never again");
}

/// A node is unavailable until the store's clock reaches its ceiling: allowance, skew and term (25
/// seconds for SCRU64, 15 for Nanoflake) after its last renewal. Of the processes that start
/// meanwhile, as many issue at the same time as there are nodes.
#[test]
fn crashed_nodes_stay_out() {
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, None);
    assert_eq!(scru64("0/8"), Loop { issued: 142, longest: 25, after: 4 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8 * 142, longest: 18, after: 4 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, None);
    assert_eq!(nanoflake("0/10"), Loop { issued: 240, longest: 14, after: 0 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8 * 240, longest: 7, after: 0 });
}

/// A node is granted immediately, from where its last window ended. A program that restarts once a
/// second pushes that ahead of itself, up to skew and term; one that stays issues when that is
/// over.
#[test]
fn known_deaths_move_windows() {
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, Some(Duration::ZERO));
    assert_eq!(scru64("0/8"), Loop { issued: 1, longest: 3_599, after: 14 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8, longest: 3_592, after: 8 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, Some(Duration::ZERO));
    assert_eq!(nanoflake("0/10"), Loop { issued: 1, longest: 3_599, after: 14 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8, longest: 3_592, after: 7 });
}

/// A node is granted five seconds after its holder's last write, from where its last window ended.
#[test]
fn deaths_may_show_a_little_later() {
    let five = Some(Duration::from_secs(5));
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, five);
    assert_eq!(scru64("0/8"), Loop { issued: 1, longest: 3_599, after: 10 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8, longest: 3_592, after: 8 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, five);
    assert_eq!(nanoflake("0/10"), Loop { issued: 1, longest: 3_599, after: 10 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8, longest: 3_592, after: 7 });
}
