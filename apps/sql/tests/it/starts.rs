//! When functions start, and what they say until then. The first sequence of each tick is the
//! realm's choice.

use std::collections::BTreeSet;

use tickid_core::TickStart;
use tickid_lease::admin::{PauseReason, Start};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{RealmSpec, Store};
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, START, Session, TIMEOUT};

pub(crate) const TESTS: [Test<Postgres>; 3] = [
    ("random_starts_have_all_remainders", random_starts_have_all_remainders),
    ("calls_before_the_start_say_why", calls_before_the_start_say_why),
    ("a_late_new_changes_nothing_and_fails", a_late_new_changes_nothing_and_fails),
];

fn install(base: &Base<'_>, spec: &RealmSpec, start: Start) {
    block_on(Script::new(spec, start).install(&base.backend()), TIMEOUT).unwrap();
}

/// Asserts that a call fails at once, for a reason and until a time; not for the clock's sake.
#[track_caller]
fn fails_until(session: &Session, kind: Kind, reason: &str, start: &str) {
    let draw = format!("SELECT {}", kind.draw());
    assert!(session.ask(&draw).unwrap_err().contains("s behind the next ID"));
    let hint = session.hint(&draw);
    assert!(hint.contains(reason) && hint.contains(&format!(" at {start}")), "{hint}");
    assert_eq!(hint.contains("need not be the clock"), !hint.contains("stepped back"), "{hint}");
}

/// Returns the time so many seconds after the start of the scripted clock.
fn later(session: &Session, seconds: i64) -> String {
    session.one(&format!("to_timestamp({})", START / 1_000_000 + seconds)).unwrap()
}

fn calls_before_the_start_say_why(server: &Postgres) {
    let kind = Kind::Nanoflake;
    let spec = kind.realm(kind.pool().0);
    // By the server's clock, as no other one creates realms.
    let base = Base::empty(server);
    install(&base, &spec, Start::Delayed);
    let session = base.session();
    let start = "tickid.tick_time_v1(record, (record ->> 'floor')::numeric) FROM tickid.realm";
    let at = session.one(start).unwrap();
    fails_until(&session, kind, "nanoflake is new to this store, or was lost,", &at);
    // Functions in a realm that was invalidated.
    let base = Base::empty(server);
    let store = Store::new(base.backend());
    block_on(store.create(&spec, Start::Immediately), TIMEOUT).unwrap();
    block_on(store.invalidate(&spec), TIMEOUT).unwrap();
    install(&base, &spec, Start::Delayed);
    let session = base.session();
    let at = session.one(start).unwrap();
    fails_until(&session, kind, "was invalidated,", &at);
    // Whatever the realm's record says, in the words of the library.
    for reason in PauseReason::ALL {
        let (name, reason) = (reason.name(), reason.to_string());
        session
            .ask(&format!("UPDATE tickid.realm SET record = record || '{{\"pause\": \"{name}\"}}'"))
            .unwrap();
        fails_until(&session, kind, &format!(" {} {reason}, so", spec.name()), &at);
    }
    // Nodes of another size start beyond the leases of those that they share IDs with.
    let kind = Kind::Scru64;
    let spec = kind.realm("0-15/5");
    let base = Base::empty(server);
    let store = Store::new(base.backend());
    let earlier = kind.realm("0-7/4");
    block_on(store.create(&earlier, Start::Immediately), TIMEOUT).unwrap();
    for _ in 0..8 {
        let mut claim = Claim::new(Token::random().unwrap(), "", None);
        block_on(store.acquire(&earlier, &mut claim), TIMEOUT).unwrap();
    }
    block_on(store.reconfigure(&spec), TIMEOUT).unwrap();
    install(&base, &spec, Start::Delayed);
    let session = base.session();
    // By its policy it may be ahead of the clock, so it starts that much earlier.
    fails_until(&session, kind, "has another pool,", "2");
    let kind = Kind::Nanoflake;
    // A copy, whose clock then steps back, and later again, when it has issued IDs.
    let base = Base::new(server, &[kind, Kind::Scru64]);
    base.script_clock();
    base.session().draw(kind).unwrap();
    base.session().draw(Kind::Scru64).unwrap();
    let copy = base.copy();
    copy.give_up_soon();
    let session = copy.session();
    let at = later(&session, 5).replace("+00", "");
    session.draw(kind).unwrap_err();
    session.draw(Kind::Scru64).unwrap_err();
    session.set_clock(START - 60_000_000);
    fails_until(&session, kind, "a copy, a restored backup, a loaded dump or a promotion", &at);
    fails_until(&session, Kind::Scru64, "a copy, a restored backup", &at);
    session.set_clock(START + 60_000_000);
    session.draw(kind).unwrap();
    session.set_clock(START);
    let at = later(&session, 60);
    fails_until(&session, kind, "The clock has stepped back, or was ahead", &at);
}

/// Whatever made the realm start later, and by whichever way the statements run.
fn a_late_new_changes_nothing_and_fails(server: &Postgres) {
    let kind = Kind::Nanoflake;
    let spec = kind.realm(kind.pool().0);
    for reason in ["new to this store", "invalidated"] {
        let base = Base::empty(server);
        let store = Store::new(base.backend());
        if reason == "invalidated" {
            block_on(store.create(&spec, Start::Immediately), TIMEOUT).unwrap();
            block_on(store.invalidate(&spec), TIMEOUT).unwrap();
        } else {
            install(&base, &spec, Start::Delayed);
        }
        let kept = || {
            base.psql(
                "TABLE tickid.realm; TABLE tickid.node; TABLE tickid.generator;
                 SELECT oid, xmin FROM pg_proc WHERE pronamespace = 'tickid'::regnamespace
                 ORDER BY 1",
            )
        };
        let before = kept();
        let script = Script::new(&spec, Start::Immediately);
        let (file, url) = (format!("{}.sql", base.name), base.url());
        for statements in [script.statements(), script.clone().in_transaction().statements()] {
            std::fs::write(server.socket_folder().join(&file), statements.unwrap()).unwrap();
            server
                .tell(&format!(
                    "(echo 'BEGIN;'; cat {file}; echo 'COMMIT;') | psql --no-psqlrc --quiet \
                     --set=ON_ERROR_STOP=1 --dbname='{url}' 2>{file}.errors; test $? = 3 && \
                     grep '{reason}.* and starts at 2.*; --new comes too late' {file}.errors"
                ))
                .unwrap();
        }
        let error = block_on(script.install(&base.backend()), TIMEOUT).unwrap_err();
        assert!(format!("{error:?}").contains("; --new comes too late"), "{error:?}");
        assert_eq!(kept(), before, "{reason}");
        // Without it, and once the realm has started.
        install(&base, &spec, Start::Delayed);
        base.psql("UPDATE tickid.realm SET record = record || '{\"floor\": 1}'");
        install(&base, &spec, Start::Immediately);
    }
}

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
