//! The outboxes of `examples` deliver every row in order, although they are killed.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use tickid_testkit::Dice;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, DISCORD, spec};

#[path = "../../examples/outbox.rs"]
mod program;

pub(crate) const TESTS: [Test<Postgres>; 2] = [
    ("an_outbox_in_rust_goes_on_after_kills", an_outbox_in_rust_goes_on_after_kills),
    ("an_outbox_in_python_goes_on_after_kills", an_outbox_in_python_goes_on_after_kills),
];

/// Set for the process that is the example.
const ROLE: &str = "TICKID_TEST_OUTBOX";
/// Fails instead of leaving the example in Python out.
const REQUIRE_PSYCOPG: &str = "TICKID_REQUIRE_PSYCOPG";
const KILLS: usize = 6;
const WRITERS: u64 = 4;

/// Runs the example if this process is to be it.
pub(crate) fn run() -> bool {
    let is_program = std::env::var_os(ROLE).is_some();
    if is_program {
        program::main().unwrap();
    }
    is_program
}

fn write(base: &Base<'_>, seed: u64, is_over: &AtomicBool) {
    let (session, mut dice) = (base.session(), Dice::new(seed));
    while !is_over.load(Ordering::SeqCst) {
        session.ask("BEGIN").unwrap();
        for _ in 0..1 + dice.below(3) {
            // More than a pipe holds, so that a kill comes in the midst of it.
            let rows = if dice.below(8) == 0 { 500 } else { 1 };
            let insert = format!(
                "INSERT INTO public.outbox (body)
                 SELECT repeat('x', 400) FROM generate_series(1, {rows})"
            );
            session.ask(&insert).unwrap();
            session.ask(&format!("SELECT pg_sleep({} / 1e6)", dice.below(10_000))).unwrap();
        }
        session.ask(if dice.below(10) == 0 { "ROLLBACK" } else { "COMMIT" }).unwrap();
    }
}

/// Reads what a process delivers, up to a number of lines or to all, and kills it then.
fn deliver(base: &Base<'_>, mut command: Command, is_enough: impl Fn(&[i64]) -> bool) -> Vec<i64> {
    let mut child = command.env("DATABASE_URL", base.url()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let (mut ids, mut line) = (Vec::new(), String::new());
    // What was written before the kill is delivered, except for a part of a line.
    while lines.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
        ids.push(line.split(' ').next().unwrap().parse().unwrap());
        line.clear();
        if is_enough(&ids) {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    ids
}

fn goes_on(server: &Postgres, program: impl Fn() -> Command) {
    let base = Base::empty(server);
    base.create(&spec("outbox", DISCORD, "0-1023/10"));
    // As the example has them.
    let text = include_str!("../../examples/outbox.rs");
    let tables = text.split("```").nth(1).unwrap().trim_start_matches("sql");
    base.psql(&format!("SET search_path = public; {}", tables.replace("//!", "")));
    // More than two pages of the followers.
    base.psql("INSERT INTO public.outbox (body) SELECT 'x' FROM generate_series(1, 2500)");
    let (base, is_over) = (&base, &AtomicBool::new(false));
    let runs = thread::scope(|scope| {
        let writers: Vec<_> =
            (0..WRITERS).map(|seed| scope.spawn(move || write(base, seed, is_over))).collect();
        let mut runs: Vec<_> = (0..KILLS)
            .map(|run| deliver(base, program(), |ids| ids.len() == 20 + 7 * run))
            .collect();
        is_over.store(true, Ordering::SeqCst);
        for writer in writers {
            writer.join().unwrap();
        }
        let last = base.psql("SELECT max(id) FROM public.outbox").parse().unwrap();
        // It may be delivered, and stored as such.
        if base.psql("SELECT last FROM public.delivered").parse::<i64>().unwrap() < last {
            runs.push(deliver(base, program(), |ids| ids.ends_with(&[last])));
        }
        runs
    });
    for run in &runs {
        assert!(run.is_sorted_by(|one, two| one < two), "{run:?}");
    }
    let all = base.psql("SELECT id FROM public.outbox ORDER BY id");
    let all: BTreeSet<i64> = all.lines().map(|id| id.parse().unwrap()).collect();
    let delivered: BTreeSet<i64> = runs.iter().flatten().copied().collect();
    let missed: Vec<_> = all.difference(&delivered).collect();
    assert!(delivered == all, "missed {missed:?} of {}", all.len());
}

fn an_outbox_in_rust_goes_on_after_kills(server: &Postgres) {
    goes_on(server, || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(ROLE, "1");
        command
    });
}

fn an_outbox_in_python_goes_on_after_kills(server: &Postgres) {
    let has_psycopg = Command::new("python3").args(["-c", "import psycopg"]).output();
    if !has_psycopg.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os(REQUIRE_PSYCOPG).is_none(), "there is no python3 with psycopg");
        return;
    }
    goes_on(server, || {
        let mut command = Command::new("python3");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/outbox.py"));
        command
    });
}
