//! A process of each scheme.

use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::Task;

/// A process of each scheme, on short terms.
pub(crate) struct Fleet(Vec<HolderProcess>);

impl Fleet {
    /// Starts the processes for a store at `url`, and returns when all issue.
    pub(crate) fn start(url: &str) -> Self {
        let task = |kind: SchemeName| Task::new(url.to_owned(), kind, &kind.pool(4)).short();
        let fleet = Self(SchemeName::ALL.map(|kind| HolderProcess::start(task(kind))).into());
        fleet.until_all_issue();
        fleet
    }

    /// From now on.
    pub(crate) fn until_all_issue(&self) {
        self.until_all(HolderProcess::until_it_issues);
    }

    /// Waits until all stall. They may do so already.
    pub(crate) fn until_all_stall(&self) {
        for process in &self.0 {
            process.until_it_stalls(process.last_issue());
        }
    }

    /// From now on.
    pub(crate) fn until_all_are_renewed(&self) {
        self.until_all(HolderProcess::until_granted);
    }

    fn until_all(&self, until: impl Fn(&HolderProcess, usize) -> usize) {
        let marks: Vec<_> = self.0.iter().map(HolderProcess::mark).collect();
        for (process, mark) in self.0.iter().zip(marks) {
            until(process, mark);
        }
    }

    /// Lets all shut down, and checks their reports.
    pub(crate) fn finish<G: ProcessStore>(self, ground: &G, what: &str) {
        let mut all = Tally::default();
        for process in self.0 {
            let task = process.task.clone();
            let mut ledger = Ledger::new(task.kind);
            ledger.enter(&process.leave()).unwrap();
            ledger.check(&ground.list(task.realm().name())).unwrap();
            all.add(&ledger.tally);
        }
        all.show(G::NAME, what);
    }
}
