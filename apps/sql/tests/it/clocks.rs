//! A server whose clock steps back while a call waits for it.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tickid_testkit::servers::{Postgres, Server, StartError, Test, clock_library};

use crate::base::{Base, Kind, Parts, START, Session};

pub(crate) const TESTS: [Test<Clocked>; 2] = [
    ("waits_end_after_a_second_step", waits_end_after_a_second_step),
    ("waits_of_hours_can_be_cancelled", waits_of_hours_can_be_cancelled),
];

/// A server whose clock can be set, by one test at a time.
pub(crate) struct Clocked {
    server: Postgres,
    turn: Mutex<()>,
}

impl Clocked {
    /// Sets the clock, which stands until it is set again, so many milliseconds after the start. It is
    /// replaced as a whole, since the server may read it at any time.
    fn set(&self, millis: i64) {
        let (folder, now) = (self.server.socket_folder(), START / 1_000 + millis);
        let text = format!("{}.{:03}\n", now / 1_000, now % 1_000);
        fs::write(folder.join("clock.new"), text).unwrap();
        fs::rename(folder.join("clock.new"), folder.join("clock")).unwrap();
    }
}

impl Server for Clocked {
    const NAME: &'static str = "PostgreSQL with libfaketime";

    fn start() -> Result<Self, StartError> {
        let library = clock_library().ok_or(StartError::NotInstalled)?;
        let server = Self { server: Postgres::start()?, turn: Mutex::default() };
        server.set(0);
        server.server.stop("fast")?;
        server.server.tell(&format!(
            "LD_PRELOAD={} FAKETIME_TIMESTAMP_FILE=\"$PWD/clock\" FAKETIME_NO_CACHE=1 \
             FAKETIME_FMT=%s FAKETIME_DONT_FAKE_MONOTONIC=1 pg_ctl start --wait --pgdata=data --log=server.log",
            library.display()
        ))?;
        Ok(server)
    }

    fn is_installed() -> bool {
        Postgres::is_installed() && clock_library().is_some()
    }
}

/// Draws, and has the clock step back before the next draw and once more while that one waits.
/// Returns the first ID, and what the second draw returned.
fn step_twice(
    server: &Clocked,
    steps: [i64; 2],
    meanwhile: impl Fn(&Session, &str),
) -> (Parts, Result<Parts, String>) {
    let _turn = server.turn.lock().unwrap_or_else(PoisonError::into_inner);
    server.set(0);
    let base = Base::new(&server.server, &[Kind::Nanoflake]);
    let [session, watch] = [(); 2].map(|()| base.session());
    let process = session.one("pg_backend_pid()").unwrap();
    let first = session.draw(Kind::Nanoflake).unwrap();
    server.set(-steps[0]);
    let second = thread::scope(|scope| {
        let drawing = scope.spawn(|| session.draw(Kind::Nanoflake));
        let waits = format!(
            "count(*) FROM pg_stat_activity WHERE pid = {process} AND wait_event = 'PgSleep'"
        );
        while watch.one(&waits).unwrap() == "0" {
            assert!(!drawing.is_finished());
            thread::yield_now();
        }
        server.set(-steps[0] - steps[1]);
        meanwhile(&watch, &process);
        drawing.join().unwrap()
    });
    server.set(1);
    // A later draw is not concerned.
    let third = session.draw(Kind::Nanoflake).unwrap();
    assert!(first < third, "{third:?} after {first:?}");
    (first, second)
}

/// The sleep of PostgreSQL ends by the wall clock, so the second step makes it longer.
fn waits_end_after_a_second_step(server: &Clocked) {
    let (first, second) = step_twice(server, [4_000, 1_000], |_, _| {
        // The first sleep is over, and then the wait.
        server.set(-3_900);
        server.set(1);
    });
    assert_eq!(second.unwrap().tick, first.tick + 1);
}

fn waits_of_hours_can_be_cancelled(server: &Clocked) {
    let (_, second) = step_twice(server, [4_000, 10_800_000], |watch, process| {
        watch.one(&format!("pg_cancel_backend({process})")).unwrap();
    });
    assert!(second.unwrap_err().contains("user request"));
}
