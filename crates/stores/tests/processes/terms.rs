//! Realms whose terms are raised and lowered again while holders run.

use core::cell::Cell;
use core::time::Duration;

use tickid_lease::admin::RealmPart;
use tickid_testkit::servers::Test;

use crate::ledger::Ledger;
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::{ProcessStore, answer};
use crate::task::{Note, Task};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("terms_change_while_holders_run", terms_change_while_holders_run)]
}

const HOLDERS: usize = 3;
/// The terms and skews. Long enough that a busy machine ends no lease: a holder that still has
/// other terms than the realm gets no further one.
const USUAL: (Duration, Duration) = (Duration::from_secs(6), Duration::from_secs(2));
const LONGER: (Duration, Duration) = (Duration::from_secs(9), Duration::from_secs(3));

fn terms_change_while_holders_run<G: ProcessStore>(ground: &G) {
    // The one scheme whose ticks are no whole milliseconds.
    let kind = SchemeName::Kuid;
    let with = |(term, skew), task: &Task| Task { term, skew, ..task.clone() };
    // As many nodes as holders: a successor gets the node of the one that was killed.
    let mut task = with(USUAL, &Task::new(ground.url(), kind, &kind.pool(HOLDERS)));
    let (store, mut ledger) = (ground.store(), Ledger::new(kind));
    let mut running: Vec<_> = (0..HOLDERS).map(|_| HolderProcess::start(task.clone())).collect();
    running.iter().for_each(|process| _ = process.until_it_issues(0));
    for terms in [LONGER, USUAL] {
        let ahead = task.realm().ahead();
        task = with(terms, &task);
        let realm = task.realm();
        let parts = [RealmPart::Term, RealmPart::Skew];
        let changed = answer(store.reconfigure_parts(&realm, &parts)).unwrap();
        assert_eq!(changed.record.realm.terms(), realm.terms());
        // Its window is of the terms before, and the successor's starts above it.
        ledger.enter(&running.remove(0).kill()).unwrap();
        let marks: Vec<_> = running.iter().map(HolderProcess::mark).collect();
        let successor = HolderProcess::start(task.clone());
        for (process, mark) in running.iter().zip(marks) {
            process.until_it_issues(process.until_granted(mark));
            if realm.ahead() > ahead {
                until_it_reaches(process, realm.ahead() - ahead);
            }
        }
        successor.until_it_issues(0);
        running.push(successor);
    }
    for process in running {
        ledger.enter(&process.leave()).unwrap();
    }
    ledger.check(&ground.list(task.realm().name())).unwrap();
    // Leases go on through all changes.
    assert_eq!(ledger.tally.losses, 0, "{:?}", ledger.tally);
    ledger.tally.show(G::NAME, "terms raised and lowered");
}

/// Waits until a renewal reaches further than the one before by so many ticks at least.
fn until_it_reaches(process: &HolderProcess, ticks: u64) {
    let last = Cell::new(u64::MAX);
    process.until(0, "to a longer window", |note| {
        let Note::Granted(_, ceiling) = note else { return false };
        *ceiling >= last.replace(*ceiling).saturating_add(ticks)
    });
}
