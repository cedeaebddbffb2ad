//! `tickid.health` says what calls would do, and disturbs nobody.

use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::base::{Base, KINDS, Kind, START, Session};
use crate::follow::{Follower, own_server};
use crate::loss::{STOP_STANDBY, start_standby};

pub(crate) const TESTS: [Test<Postgres>; 5] = [
    ("says_what_the_next_call_does", says_what_the_next_call_does),
    ("names_who_holds_followers_back", names_who_holds_followers_back),
    ("holds_no_follower_back", holds_no_follower_back),
    ("a_lock_on_the_word_is_found", a_lock_on_the_word_is_found),
    ("answers_without_a_word", answers_without_a_word),
];

const KIND: Kind = Kind::Nanoflake;

/// Returns columns of a realm's row, between bars.
fn of(session: &Session, kind: Kind, columns: &str) -> String {
    let row =
        format!("concat_ws('|', {columns}) FROM tickid.health() WHERE realm = '{}'", kind.name());
    session.one(&row).unwrap()
}

/// Asserts that the next draw does what the row says; returns that. A call that waits draws when the
/// clock has moved by the wait.
#[track_caller]
fn foretold(session: &Session, kind: Kind) -> String {
    let number = format!("max(number) FROM tickid.generator WHERE realm = '{}'", kind.name());
    let number = session.one(&number).unwrap();
    let sequences = ["word", "written", "bound", "ready", "flushed", "home", "origin"];
    let rows = sequences.map(|name| {
        format!("SELECT concat_ws(' ', last_value, log_cnt, is_called) FROM tickid.{name}_{number}")
    });
    let written = || session.ask(&rows.join(" UNION ALL ")).unwrap();
    let before = written();
    let next = of(session, kind, "next_call");
    let why = of(session, kind, "why");
    assert_eq!(written(), before, "it changes nothing");
    match &*next {
        "draws" => {
            assert_eq!(why, "", "{kind:?}");
            session.draw(kind).unwrap();
        }
        "waits" => {
            assert!(session.draw(kind).unwrap_err().contains("behind the next ID"));
            let wait = of(session, kind, "(extract(epoch FROM wait) * 1000000)::bigint");
            let now: i64 = session.one("tickid.clock_v1()").unwrap().parse().unwrap();
            let wait: i64 = wait.parse().unwrap();
            assert!(wait > 0, "{kind:?}: {why}");
            session.set_clock(now + wait);
            assert_eq!(of(session, kind, "next_call, why"), "draws");
            session.draw(kind).unwrap();
        }
        "fails" => {
            let draw = format!("SELECT {}", kind.draw());
            let error = session.ask(&draw).unwrap_err();
            let (_, said) = error.split_once(": ").unwrap_or(("", &error));
            assert!(why.starts_with(said), "{kind:?}: {why}\n{error}");
            assert!(why.ends_with(&session.hint(&draw)) || said == why, "{kind:?}: {why}");
        }
        other => panic!("{kind:?}: {other}"),
    }
    next
}

fn says_what_the_next_call_does(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    base.script_clock();
    base.give_up_soon();
    let session = base.session();
    for kind in KINDS {
        session.set_clock(START);
        let (pool, node) = kind.pool();
        let reserved = of(&session, kind, "node, earlier_nodes, is_reserved");
        assert!(reserved.starts_with(&format!("{node}/")), "{pool}: {reserved}");
        assert!(reserved.ends_with("|0|t"), "{reserved}");
        assert_eq!(foretold(&session, kind), "draws");
        let ahead = of(&session, kind, "ahead > interval '0', ahead < interval '3 s'");
        assert_eq!(ahead, "t|t", "{kind:?}");
        // Within the skew of five seconds, and beyond it. SCRU64 and kuid are ahead by then.
        let allowance = kind.allowance().cast_signed() * kind.micros_per_tick();
        session.set_clock(START - allowance - 3_000_000);
        assert_eq!(foretold(&session, kind), "waits");
        session.set_clock(START - allowance - 60_000_000);
        assert_eq!(foretold(&session, kind), "fails");
        let why = of(&session, kind, "why");
        assert!(why.contains("The clock has stepped back, or was ahead"), "{why}");
        session.set_clock(START + 1);
        assert_eq!(foretold(&session, kind), "draws");
    }
    // A loaded dump sets them.
    base.psql("SELECT setval('tickid.word_1', last_value), setval('tickid.written_1', 5) FROM tickid.word_1");
    assert_eq!(of(&session, KINDS[0], "next_call"), "waits");
    // A copy is another database.
    drop(session);
    let copy = base.copy();
    let session = copy.session();
    for (place, kind) in KINDS.into_iter().enumerate() {
        if place % 2 == 0 {
            session.set_clock(START - 3_600_000_000);
            assert_eq!(foretold(&session, kind), "fails");
            let why = of(&session, kind, "why");
            assert!(why.contains("after a copy"), "{kind:?}: {why}");
        } else {
            session.set_clock(START + 2);
            assert_eq!(foretold(&session, kind), "waits");
        }
    }
    // A realm without its row, first within the bound that was reserved with it.
    session.set_clock(START + 60_000_000);
    session.draw(KIND).unwrap();
    copy.psql("DELETE FROM tickid.node");
    assert_eq!(of(&session, KIND, "is_reserved, next_call"), "f|draws");
    session.set_clock(START + 120_000_000);
    assert_eq!(foretold(&session, KIND), "fails");
    // A session that holds the lock of draws.
    let owner = base.session();
    owner.ask("BEGIN; LOCK TABLE tickid.lock_2 IN SHARE UPDATE EXCLUSIVE MODE").unwrap();
    let session = base.session();
    session.set_clock(START + 60_000_000);
    let process = owner.one("pg_backend_pid()").unwrap();
    let why = format!("waits|the session {process} holds the lock of tickid.lock_2");
    assert_eq!(of(&session, KINDS[1], "next_call, why"), why);
}

fn names_who_holds_followers_back(_: &Postgres) {
    let server = own_server();
    let base = Base::new(&server, &KINDS);
    base.script_clock();
    let [drawer, reader, session] = [(); 3].map(|()| base.session());
    for kind in KINDS {
        session.draw(kind).unwrap();
        // What a call without a state returns. Sno's draws first, so it may return a later ID.
        let is_same = |session: &Session| {
            let shown = of(session, kind, "final");
            let empty = if crate::follow::is_bytes(kind) { "\\x" } else { "0" };
            let procedure = format!("{}_follow('{}', ", kind.function(), kind.name());
            let (last, _) = session.follow(&procedure, empty, None).unwrap();
            if shown.is_empty() {
                last == empty
            } else if kind == Kind::Sno {
                last.len() == shown.len() && last >= shown
            } else {
                last == shown
            }
        };
        assert_ne!(of(&session, kind, "final"), "");
        assert_eq!(of(&session, kind, "held_by"), "");
        assert!(is_same(&session), "{kind:?}");
        drawer.ask(&format!("SET application_name = shop; BEGIN; SELECT {}", kind.draw())).unwrap();
        let process = drawer.one("pg_backend_pid()").unwrap();
        let since = drawer.one("now()").unwrap();
        let row = of(&session, kind, "final, held_by, held_since");
        assert_eq!(row, format!("session {process} shop|{since}"), "{kind:?}");
        assert!(is_same(&session), "{kind:?}");
        drawer.ask("ROLLBACK").unwrap();
    }
    drawer.ask(&format!("BEGIN; SELECT {}; PREPARE TRANSACTION 'one'", KIND.draw())).unwrap();
    assert_eq!(of(&session, KIND, "held_by"), "prepared transaction one");
    drawer.ask("COMMIT PREPARED 'one'").unwrap();
    // Who reads any sequence of the database by the view.
    reader.ask("BEGIN; SELECT last_value FROM pg_sequences").unwrap();
    let process = reader.one("pg_backend_pid()").unwrap();
    for kind in KINDS {
        assert_eq!(of(&session, kind, "final, held_by"), format!("session {process}"), "{kind:?}");
    }
    reader.ask("COMMIT").unwrap();
    assert_eq!(of(&session, KIND, "held_by"), "");
}

/// Whether a follower passes a row while a transaction that has read the health is open.
fn follows(base: &Base<'_>) -> bool {
    let [reader, session] = [(); 2].map(|()| base.session());
    base.psql("CREATE TABLE public.nanoflake (id bigint DEFAULT tickid.nanoflake('nanoflake'))");
    reader.ask("BEGIN; SELECT * FROM tickid.health()").unwrap();
    session.ask("INSERT INTO public.nanoflake DEFAULT VALUES").unwrap();
    let mut follower = Follower::new(KIND);
    follower.poll(&session).unwrap();
    follower.read.len() == 1
}

fn holds_no_follower_back(server: &Postgres) {
    assert!(follows(&Base::new(server, &[KIND])));
}

fn a_lock_on_the_word_is_found(server: &Postgres) {
    let base = Base::new(server, &[KIND]);
    base.plant(
        "health_1",
        "CASE WHEN w.is_called THEN w.last_value END INTO",
        "pg_sequence_last_value('tickid.word_1') INTO",
    );
    assert!(!follows(&base));
}

fn answers_without_a_word(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let base = Base::new(&server, &[KIND, Kind::Sno]);
    base.session().draw(KIND).unwrap();
    let standby = start_standby(&base);
    let standby_says = of(&standby, KIND, "node, is_reserved, bound IS NOT NULL, next_call, why");
    server.tell(STOP_STANDBY).unwrap();
    assert_eq!(standby_says, "777/10|t|t|fails|the server is a standby");
    // As after a promotion that found an empty file.
    let file = base.psql("SELECT pg_relation_filepath('tickid.word_1')");
    server.stop("fast").unwrap();
    server.tell(&format!("head -c 8192 /dev/zero >data/{file}")).unwrap();
    server.tell("pg_ctl start --wait --pgdata=data --log=server.log").unwrap();
    let session = base.session();
    let error = session.draw(KIND).unwrap_err();
    let unreadable = "the server cannot read the sequence tickid.word_1 since";
    assert!(error.starts_with(unreadable), "{error}");
    let row = of(&session, KIND, "bound IS NOT NULL, next_call, why");
    assert!(row.starts_with(&format!("t|fails|{unreadable}")), "{row}");
    assert_eq!(of(&session, Kind::Sno, "next_call"), "draws");
}
