//! Processes whose clock is set back while they run.

use tickid_testkit::servers::Test;

use crate::ground::Ground;
use crate::ledger::{Ledger, Tally};
use crate::process::Process;
use crate::scheme::Kind;
use crate::task::Task;

pub(crate) fn tests<G: Ground>() -> Vec<Test<G>> {
    vec![("rollback_moves_to_other_nodes", rollback_moves_to_other_nodes)]
}

const HOUR: i64 = 3_600_000_000;

/// The processes issue again at the clock's time, and go on when the clock is right.
fn rollback_moves_to_other_nodes<G: Ground>(ground: &G) {
    let task = |kind: Kind| Task::new(ground.url(), kind, &kind.pool(4)).short();
    let mut processes = Kind::ALL.map(|kind| Process::start(task(kind)));
    for process in &processes {
        process.until_it_issues(0);
    }
    for step in [-HOUR, HOUR] {
        let marks = processes.each_mut().map(|process| {
            let mark = process.mark();
            process.step(step);
            process.until_obeyed(mark)
        });
        for (process, mark) in processes.iter().zip(marks) {
            process.until_it_issues(mark);
        }
    }
    let mut all = Tally::default();
    for process in processes {
        let task = process.task.clone();
        let mut ledger = Ledger::new(task.kind);
        ledger.enter(&process.leave()).unwrap();
        ledger.check(&ground.list(task.realm().name())).unwrap();
        // Tick-tock goes on under the same node.
        let is_moved = task.kind != Kind::Sno;
        assert_eq!(ledger.tally.leases, 1 + usize::from(is_moved), "{:?}", task.kind);
        all.add(&ledger.tally);
    }
    all.show(G::NAME, "clock set back an hour");
}
