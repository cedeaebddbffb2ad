//! The first sequence of each tick is the realm's choice.

use std::collections::BTreeSet;

use tickid_core::TickStart;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, START};

pub(crate) const TESTS: [Test<Postgres>; 1] =
    [("random_starts_have_all_remainders", random_starts_have_all_remainders)];

/// The sequences of IDs that are issued a second apart.
fn starts(server: &Postgres, kind: Kind, start: TickStart) -> Vec<u64> {
    let base = Base::empty(server);
    let realm = kind.realm(kind.pool().0);
    let terms = realm.terms().with_start(start);
    base.create(&realm.with_terms(terms).unwrap());
    base.script_clock();
    let session = base.session();
    let draw = |second: i64| {
        let now = START + second * 1_000_000;
        session.ask(&format!("SELECT setval('public.clock', {now})")).unwrap();
        kind.parts(&session.one(&kind.draw()).unwrap()).sequence
    };
    (0..150).map(draw).collect()
}

fn random_starts_have_all_remainders(server: &Postgres) {
    for kind in KINDS {
        let random = starts(server, kind, TickStart::Random);
        let remainders: BTreeSet<u64> = random.iter().map(|sequence| sequence % 8).collect();
        assert_eq!(remainders, (0..8).collect(), "{kind:?}");
        let highest = random.iter().max().unwrap();
        if kind != Kind::Scru64 {
            let half = kind.last_sequence() / 2;
            assert!(
                (half / 2..=half).contains(highest),
                "{kind:?}: half of the sequences are left"
            );
        }
        let lowest = starts(server, kind, TickStart::Lowest);
        assert!(lowest.iter().all(|sequence| *sequence == 0), "{kind:?}: {lowest:?}");
    }
}
