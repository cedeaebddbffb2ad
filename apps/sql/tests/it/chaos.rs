//! Followers of a table that is written in every way at once read each row once and in order.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::thread;

use tickid_testkit::Dice;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, Session};
use crate::follow::{Follower, Id, is_bytes, own_server};
use crate::sessions::many_ids;

pub(crate) const TESTS: [Test<Postgres>; 1] =
    [("chaos_hides_no_row_from_a_follower", chaos_hides_no_row_from_a_follower)];

const WRITERS: u64 = 8;
/// Of each writer in a round.
const TRANSACTIONS: u32 = 120;

/// What a follower does between its polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    Keeps,
    Forgets,
    Writes,
    TimesOut,
    Slow,
}

const HABITS: [Habit; 5] =
    [Habit::Keeps, Habit::Forgets, Habit::Writes, Habit::TimesOut, Habit::Slow];

/// Procedures like ours, each with a mistake.
const FAULTS: [&str; 3] =
    ["follow_locks_first", "follow_without_prepared", "follow_from_the_present_word"];

fn plant_faults(base: &Base<'_>) {
    let ours = base.psql("SELECT pg_get_functiondef('tickid.follow_1'::regproc)");
    let part = |from: &str, to: &str| {
        let start = ours.find(from).unwrap();
        &ours[start..start + ours[start..].find(to).unwrap()]
    };
    let word = part("    -- First the word.", "    -- Then the transactions");
    let locks = part("    -- Then the transactions", "    state := ");
    let mode = "AND l.mode = 'RowExclusiveLock'";
    let faults = [
        ours.replace(
            &format!("{word}{locks}"),
            &format!("{locks} PERFORM pg_sleep(0.002);\n{word} settled := least(word, settled);\n"),
        ),
        ours.replace(mode, &format!("{mode} AND l.pid IS NOT NULL")),
        ours.replace("ELSE before -> 'word' END", "ELSE to_jsonb(word) END"),
    ];
    for (name, fault) in FAULTS.into_iter().zip(faults) {
        assert_ne!(fault, ours, "{name}");
        let fault = fault.replacen("tickid.follow_1(", &format!("tickid.{name}("), 1);
        base.psql(&format!("SET search_path = pg_catalog; {fault}"));
    }
}

/// Of any metabyte, as sno's IDs of a tick do not sort as drawn.
fn draw(kind: Kind) -> String {
    match kind {
        Kind::Sno => "tickid.sno('sno', (random() * 255)::integer)".to_owned(),
        Kind::Nanoflake
        | Kind::Scru64
        | Kind::KuidLocal
        | Kind::Kuid
        | Kind::Discord
        | Kind::JsSafe
        | Kind::Sonyflake
        | Kind::Seconds => kind.draw(),
    }
}

/// Inserts in transactions of every form.
fn write(base: &Base<'_>, kind: Kind, seed: u64) {
    let (session, mut dice) = (base.session(), Dice::new(seed));
    let ask = |statement: &str| session.ask(statement).unwrap();
    let (table, draw) = (format!("public.{}", kind.name()), draw(kind));
    let insert = |rows: u64| {
        ask(&format!("INSERT INTO {table} SELECT {draw} FROM generate_series(1, {rows})"));
    };
    for number in 0..TRANSACTIONS {
        ask("BEGIN");
        let mut kept = Vec::new();
        for _ in 0..=dice.below(3) {
            if dice.below(10) < 3 {
                kept.extend(ask(&format!("SELECT {draw}")));
            }
            if dice.below(10) < 2 {
                ask("SAVEPOINT a");
                insert(1 + dice.below(5));
                // Inserted later, wherever it was drawn.
                kept.extend(ask(&format!("SELECT {draw}")));
                ask(["ROLLBACK TO a", "RELEASE a"][usize::from(dice.below(2) == 0)]);
            }
            if dice.below(10) == 0 {
                ask(&format!(
                    "DO $$ BEGIN INSERT INTO {table} VALUES ({draw}); PERFORM 1 / 0;
                     EXCEPTION WHEN division_by_zero THEN NULL; END $$"
                ));
                ask("DISCARD SEQUENCES");
            }
            if dice.below(10) < 4 {
                ask(&format!("SELECT pg_sleep({} / 1e6)", dice.below(5_000)));
            }
            if dice.below(10) < 8 {
                insert(1 + dice.below(30));
            }
        }
        for id in kept {
            ask(&format!("INSERT INTO {table} VALUES ('{id}')"));
        }
        match dice.below(100) {
            0..8 => {
                let name = format!("{seed}-{number}");
                ask(&format!("PREPARE TRANSACTION '{name}'"));
                ask(&format!("SELECT pg_sleep({} / 1e6)", dice.below(100_000)));
                let end = ["ROLLBACK", "COMMIT"][usize::from(dice.below(4) > 0)];
                ask(&format!("{end} PREPARED '{name}'"));
            }
            8..18 => drop(ask("ROLLBACK")),
            _ => drop(ask("COMMIT")),
        }
    }
}

/// Polls as one does who keeps, loses or shares what was returned.
fn poll(
    base: &Base<'_>,
    follower: &mut Follower,
    session: &mut Session,
    habit: Habit,
    dice: &mut Dice,
) {
    match habit {
        Habit::Keeps => drop(follower.poll(session).unwrap()),
        Habit::Slow => {
            session.one("pg_sleep(0.05)").unwrap();
            follower.poll(session).unwrap();
        }
        Habit::Forgets => {
            follower.poll(session).unwrap();
            if dice.below(20) == 0 {
                (follower.state, *session) = (None, base.session());
            }
        }
        Habit::TimesOut => {
            let mut next = follower.clone();
            let timeout = format!("SET statement_timeout = {}", dice.below(6));
            // The setting itself may time out. A timeout that ends just after its statement cancels
            // the next one, which PostgreSQL then ascribes to a user.
            match session.ask(&timeout).and_then(|_| next.poll(session)) {
                Ok(_) => *follower = next,
                Err(error) => assert!(
                    ["statement timeout", "user request"].iter().any(|why| error.contains(why)),
                    "{error}"
                ),
            }
        }
        Habit::Writes => {
            let mut next = follower.clone();
            session.ask("BEGIN").unwrap();
            next.poll(session).unwrap();
            if dice.below(5) == 0 {
                session.ask("INSERT INTO public.written VALUES (1)").unwrap();
            }
            if dice.below(10) == 0 {
                session.ask("ROLLBACK").unwrap();
            } else {
                session.ask("COMMIT").unwrap();
                *follower = next;
            }
        }
    }
}

/// Returns the rows of a round and what each follower has read.
fn round(base: &Base<'_>, kind: Kind, round: u64) -> (Vec<Id>, Vec<(String, Vec<Id>)>) {
    let id_type = if is_bytes(kind) { "bytea" } else { "bigint" };
    let table = format!("public.{}", kind.name());
    base.psql(&format!(
        "DROP TABLE IF EXISTS {table}, public.written;
         CREATE TABLE {table} (id {id_type} PRIMARY KEY DEFAULT {draw});
         CREATE TABLE public.written (id integer, drawn {id_type} DEFAULT {draw})",
        draw = draw(kind)
    ));
    let followers = HABITS
        .map(|habit| (format!("{habit:?}"), habit, Follower::new(kind)))
        .into_iter()
        .chain(FAULTS.map(|fault| (fault.to_owned(), Habit::Keeps, Follower::new(kind).by(fault))));
    let (writing, is_over) = (&AtomicU64::new(WRITERS), &AtomicBool::new(false));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                write(base, kind, round * WRITERS + writer);
                if writing.fetch_sub(1, Ordering::SeqCst) == 1 {
                    is_over.store(true, Ordering::SeqCst);
                }
            });
        }
        let threads: Vec<_> = followers
            .map(|(name, habit, follower)| {
                let mut follower = follower;
                scope.spawn(move || {
                    let (mut session, mut dice) = (base.session(), Dice::new(round));
                    while !is_over.load(Ordering::SeqCst) {
                        poll(base, &mut follower, &mut session, habit, &mut dice);
                    }
                    // What is drawn now is beyond all rows.
                    session = base.session();
                    let end = Id::new(&session.one(&kind.draw()).unwrap());
                    loop {
                        session.one(&kind.draw()).unwrap();
                        if follower.poll(&session).unwrap() >= end {
                            return (name, follower.read);
                        }
                    }
                })
            })
            .collect();
        let read = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let rows = base.session().ask(&format!("SELECT id FROM {table} ORDER BY id")).unwrap();
        (rows.iter().map(|column| Id::new(column)).collect(), read)
    })
}

/// Each round compares all rows, and there are as many as it takes to find the planted faults.
fn chaos_hides_no_row_from_a_follower(_: &Postgres) {
    let server = own_server();
    // One scheme, or all of them if there is time.
    let (kinds, least) = if many_ids().is_some() { (&KINDS[..], 4) } else { (&KINDS[..1], 3) };
    for &kind in kinds {
        let base = Base::new(&server, &[kind]);
        plant_faults(&base);
        let (mut found, mut count) = (BTreeSet::new(), 0);
        for number in 0..least + 30 {
            let (rows, followers) = round(&base, kind, number);
            count += rows.len();
            for (name, read) in followers {
                if FAULTS.contains(&&*name) {
                    found.extend((read != rows).then_some(name));
                    continue;
                }
                let (all, got) = (rows.iter().collect::<BTreeSet<_>>(), read.iter().collect());
                let missed: Vec<_> = all.difference(&got).take(5).collect();
                assert!(read == rows, "{kind:?}, round {number}: {name} misses {missed:?}");
            }
            if number + 1 >= least && found.len() == FAULTS.len() {
                break;
            }
        }
        assert_eq!(found.len(), FAULTS.len(), "{kind:?}, {count} rows: found only {found:?}");
    }
}
