//! Rows that are deleted under processes which run, while others come and go.

use tickid_testkit::servers::Test;

use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::Task;

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("lost_rows_repeat_no_id", lost_rows_repeat_no_id)]
}

/// The number of processes that come and go: with two, the rows' versions pass those of the leases
/// that were lost.
const SHORT: usize = 3;

/// The realm is invalidated, by a claim or by a renewal, before a node is granted again.
fn lost_rows_repeat_no_id<G: ProcessStore>(ground: &G) {
    let task = |kind: SchemeName| Task::new(ground.url(), kind, &kind.pool(4)).short();
    let fleets = SchemeName::ALL.map(|kind| {
        let task = task(kind);
        [HolderProcess::start(task.clone()), HolderProcess::start(task)]
    });
    let processes = || fleets.iter().flatten();
    processes().for_each(|process| _ = process.until_it_issues(0));
    let marks: Vec<_> = processes().map(HolderProcess::mark).collect();
    let mut shorts = Vec::new();
    for [process, _] in &fleets {
        ground.delete_rows(&process.task.realm);
        for _ in 0..SHORT {
            let short = HolderProcess::start(process.task.clone());
            short.until_answered(0);
            shorts.push((process.task.kind, short.leave()));
        }
    }
    for (process, mark) in processes().zip(marks) {
        process.until_it_issues(process.until_lost(mark));
    }
    let mut all = Tally::default();
    for fleet in fleets {
        let task = fleet[0].task.clone();
        let mut ledger = Ledger::new(task.kind);
        for process in fleet {
            ledger.enter(&process.leave()).unwrap();
        }
        for (_, notes) in shorts.extract_if(.., |(kind, _)| *kind == task.kind) {
            ledger.enter(&notes).unwrap();
        }
        ledger.check_overlaps().unwrap();
        let (record, _) = ground.list(task.realm().name()).record.unwrap();
        assert!(record.era > 0, "{:?}", task.kind);
        all.add(&ledger.tally);
    }
    all.show(G::NAME, "rows deleted");
}
