//! Many processes that start at the same moment.

use std::collections::HashSet;

use tickid_core::AnyNode;
use tickid_testkit::servers::Test;

use crate::count;
use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::{Note, Task};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("crowd_gets_different_nodes", crowd_gets_different_nodes)]
}

/// The number of processes of each scheme.
const PROCESSES: usize = 6;

fn crowd_gets_different_nodes<G: ProcessStore>(ground: &G) {
    let each = count("TICKID_PROCESSES_AT_ONCE", PROCESSES);
    let mut crowds = SchemeName::ALL.map(|kind| {
        // Enough nodes for processes that retry because the store takes long.
        let task = Task::new(ground.url(), kind, &kind.pool(2 * each));
        let start = |_| HolderProcess::start_waiting(task.clone());
        (Ledger::new(kind), (0..each).map(start).collect::<Vec<_>>())
    });
    let all_processes = || crowds.iter().flat_map(|(_, crowd)| crowd);
    all_processes().for_each(HolderProcess::wait_until_ready);
    for (_, crowd) in &mut crowds {
        crowd.iter_mut().for_each(HolderProcess::begin);
    }
    // No process leaves before all have issued.
    let all_processes = || crowds.iter().flat_map(|(_, crowd)| crowd);
    for process in all_processes() {
        (0..5).fold(0, |mark, _| process.until_it_issues(mark));
    }
    let mut all = Tally::default();
    for (mut ledger, crowd) in crowds {
        let realm = crowd[0].task.realm();
        let mut held = HashSet::new();
        for process in crowd {
            let notes = process.leave();
            let node = last_node(&notes);
            assert!(held.insert(node), "{node} twice");
            ledger.enter(&notes).unwrap();
        }
        ledger.check(&ground.list(realm.name())).unwrap();
        assert_eq!(held.len(), each);
        all.add(&ledger.tally);
    }
    all.show(G::NAME, "start at once");
}

/// Returns the node of the last lease.
fn last_node(notes: &[Note]) -> AnyNode {
    let granted = notes.iter().rev().find_map(|note| {
        let Note::Granted(lease, _) = note else { return None };
        Some(&lease.node)
    });
    granted.unwrap().parse().unwrap()
}
