//! Processes whose clock is set back while they run.

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
        // Tick-tock continues under the same node, unless an earlier lease had it up to its floor.
        let is_moved = task.kind != SchemeName::Sno || last_floor(&notes[..before]) > Some(0);
        let Some(Note::Left(moves)) = notes.last() else { panic!("{:?}", notes.last()) };
        assert_eq!(*moves, u64::from(is_moved), "{:?}", task.kind);
        all.add(&ledger.tally);
    }
    all.show(G::NAME, "clock set back an hour");
}

/// Returns the floor of the last lease.
fn last_floor(notes: &[Note]) -> Option<u64> {
    let floor =
        |note: &Note| if let Note::Granted(lease, _) = note { Some(lease.floor) } else { None };
    notes.iter().rev().find_map(floor)
}
