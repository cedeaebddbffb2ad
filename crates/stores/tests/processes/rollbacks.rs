//! Processes whose clock is set back while they run.

use std::collections::HashSet;

use tickid_testkit::servers::Test;

use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::{Note, Task};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("rollback_moves_to_other_nodes", rollback_moves_to_other_nodes)]
}

const HOUR: i64 = 3_600_000_000;

/// The processes issue again at the clock's time, and continue when the clock is right.
fn rollback_moves_to_other_nodes<G: ProcessStore>(ground: &G) {
    let task = |kind: SchemeName| Task::new(ground.url(), kind, &kind.pool(4)).short();
    let mut processes = SchemeName::ALL.map(|kind| HolderProcess::start(task(kind)));
    for process in &processes {
        process.until_it_issues(0);
    }
    let before = processes.each_ref().map(HolderProcess::mark);
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
    for (process, before) in processes.into_iter().zip(before) {
        let task = process.task.clone();
        let mut ledger = Ledger::new(task.kind);
        let notes = process.leave();
        ledger.enter(&notes).unwrap();
        ledger.check(&ground.list(task.realm().name())).unwrap();
        let (first, floor) = leases(&notes[..before]);
        // Tick-tock continues under the same node, unless an earlier lease had it up to its floor.
        let is_moved = task.kind != SchemeName::Sno || floor > Some(0);
        // On a busy machine a request may time out, and its lease is released, so there may be more.
        assert!(ledger.tally.leases >= first + usize::from(is_moved), "{:?}", task.kind);
        all.add(&ledger.tally);
    }
    all.show(G::NAME, "clock set back an hour");
}

/// Returns the number of leases, and the floor of the last.
fn leases(notes: &[Note]) -> (usize, Option<u64>) {
    let granted = notes.iter().filter_map(|note| {
        let Note::Granted(lease, _) = note else { return None };
        Some((&lease.token, lease.floor))
    });
    let floor = granted.clone().next_back().map(|(_, floor)| floor);
    (granted.map(|(token, _)| token).collect::<HashSet<_>>().len(), floor)
}
