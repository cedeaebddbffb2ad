//! A process that crashes once a second for an hour: how far its ceilings run, and how long the next
//! one has to wait.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tickid_core::{Clock as _, ManualClock, Scheme, UnixTime};
use tickid_lease::{
    Answer, Change, Claim, Lease, MemoryTable, Node, Realm, RealmName, Refusal, Scope, Store as _,
    Table, TableStore, Token, View, block_on,
};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;

/// A table that may know of every holder that it is dead: at once, as the file store does, or so long after it was
/// heard of last, as an etcd lease shows it.
#[derive(Debug)]
struct Morgue {
    clock: Arc<ManualClock>,
    table: MemoryTable<Arc<ManualClock>>,
    shows_death_after: Option<Duration>,
    /// When each node was written last.
    heard_of: Mutex<HashMap<Node, UnixTime>>,
}

impl Table for Morgue {
    fn backend(&self) -> &'static str {
        "memory"
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(async move {
            let mut view = self.table.read(realm, scope).await?;
            let heard_of = self.heard_of.lock().unwrap();
            for (node, entry) in &mut view.rows {
                let over = self.shows_death_after.and_then(|it| heard_of[node].checked_add(it));
                entry.is_dead = over.is_some_and(|over| view.now >= over);
            }
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        if let Some((_, row)) = &change.row {
            let now = self.clock.now().unwrap();
            self.heard_of.lock().unwrap().insert(row.node, now);
        }
        self.table.commit(realm, change)
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// What comes of 3,600 processes, each of which crashes after a second.
#[derive(Debug, PartialEq, Eq)]
struct Loop {
    /// How many issued IDs.
    issued: u32,
    /// How many in a row did not.
    longest: u32,
    /// After how many seconds the next one, which stays, issues.
    after: u64,
}

fn hour_of_crashes<S: Scheme + Default>(pool: &str, shows_death_after: Option<Duration>) -> Loop {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let table = Morgue {
        clock: Arc::clone(&clock),
        table: MemoryTable::new(Arc::clone(&clock)),
        shows_death_after,
        heard_of: Mutex::default(),
    };
    let store = TableStore::new(table);
    let layout = S::default();
    let realm = Realm::new("a".parse().unwrap(), &layout, pool.parse().unwrap()).unwrap();
    let mut issued = 0;

    // Whether a process that starts now issues at once.
    let start = || {
        let tick = realm.tick_at(clock.now().unwrap()).unwrap();
        let claim = Claim::new(Token::random().unwrap(), "", Some(tick));
        let grant = match block_on(store.acquire(&realm, &claim), SECOND).unwrap() {
            Ok(grant) => grant,
            Err(error) => match error.refusal() {
                Some(Refusal::Exhausted { wild: 0, .. }) => return None,
                _ => panic!("{error}"),
            },
        };
        assert!(grant.ceiling <= tick + realm.max_ahead(), "{grant:?} at {tick}");
        let lease = Lease::new(realm.clone(), grant);
        Some(lease.builder(&layout).unwrap().clock(Arc::clone(&clock)).build().unwrap())
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

/// A node is out until the store's clock reaches its ceiling: allowance, skew and term (25 s for SCRU64, 15 s
/// for Nanoflake) after its last renewal. Of the processes that start meanwhile as many issue at once
/// as there are nodes.
#[test]
fn without_proof_of_death_nodes_are_out_until_their_windows_end() {
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, None);
    assert_eq!(scru64("0/8"), Loop { issued: 142, longest: 25, after: 4 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8 * 142, longest: 18, after: 4 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, None);
    assert_eq!(nanoflake("0/10"), Loop { issued: 240, longest: 14, after: 0 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8 * 240, longest: 7, after: 0 });
}

/// A node is given out at once, from where its last window ended. Who restarts once a second pushes that
/// ahead of himself, up to skew and term; he who stays issues when that is over.
#[test]
fn with_proof_of_death_the_next_window_begins_in_the_future() {
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, Some(Duration::ZERO));
    assert_eq!(scru64("0/8"), Loop { issued: 1, longest: 3_599, after: 14 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8, longest: 3_592, after: 8 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, Some(Duration::ZERO));
    assert_eq!(nanoflake("0/10"), Loop { issued: 1, longest: 3_599, after: 14 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8, longest: 3_592, after: 7 });
}

/// As with etcd's `lease_ttl=5`. A node is given out five seconds after its holder was heard of last, from where its last
/// window ended.
#[test]
fn with_an_etcd_lease_death_shows_a_little_later() {
    let five = Some(Duration::from_secs(5));
    let scru64 = |pool| hour_of_crashes::<Scru64>(pool, five);
    assert_eq!(scru64("0/8"), Loop { issued: 1, longest: 3_599, after: 10 });
    assert_eq!(scru64("0-7/8"), Loop { issued: 8, longest: 3_592, after: 8 });
    assert_eq!(scru64("0-31/8"), Loop { issued: 3_600, longest: 0, after: 0 });
    let nanoflake = |pool| hour_of_crashes::<Nanoflake>(pool, five);
    assert_eq!(nanoflake("0/10"), Loop { issued: 1, longest: 3_599, after: 10 });
    assert_eq!(nanoflake("0-7/10"), Loop { issued: 8, longest: 3_592, after: 7 });
}
