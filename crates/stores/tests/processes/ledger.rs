//! The reports of all holders of a realm, and the violations to look for in them.

use std::collections::HashSet;

use tickid_core::AnyNode;
use tickid_lease::backend::{RealmView, RowState};

use crate::scheme::SchemeName;
use crate::subjects::Issued;
use crate::task::{Named, NoIdReason, Note};

pub(crate) struct Ledger {
    kind: SchemeName,
    windows: Vec<LeasedWindow>,
    issued: HashSet<u128>,
    pub(crate) tally: Tally,
}

/// The number of events, to show that there were any.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) processes: usize,
    pub(crate) leases: usize,
    pub(crate) renewals: usize,
    pub(crate) ids: usize,
    pub(crate) stalls: usize,
    pub(crate) losses: usize,
    /// The number of IDs with an earlier tick than an ID that another process had issued.
    pub(crate) behind: usize,
    highest: u64,
}

impl Tally {
    /// Prints the tally.
    pub(crate) fn show(&self, store: &str, what: &str) {
        let Self { processes, leases, renewals, ids, stalls, losses, behind, .. } = self;
        println!(
            "shown: {store}, {what}: {processes} processes, {leases} leases, {renewals} renewals, \
             {stalls} stalls, {losses} losses, {ids} IDs ({behind} behind others')"
        );
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.processes += other.processes;
        self.leases += other.leases;
        self.renewals += other.renewals;
        self.ids += other.ids;
        self.stalls += other.stalls;
        self.losses += other.losses;
        self.behind += other.behind;
    }
}

/// A window that was granted to a holder, which may have issued in it.
#[derive(Clone, Debug)]
struct LeasedWindow {
    lease: Named,
    node: AnyNode,
    ceiling: u64,
}

impl LeasedWindow {
    fn holds(&self, issued: &Issued) -> bool {
        issued.is_of(self.node) && (self.lease.floor..self.ceiling).contains(&issued.tick)
    }
}

impl Ledger {
    pub(crate) fn new(kind: SchemeName) -> Self {
        Self { kind, windows: Vec::new(), issued: HashSet::new(), tally: Tally::default() }
    }

    /// Enters the reports of one holder, in order.
    pub(crate) fn enter(&mut self, notes: &[Note]) -> Result<(), String> {
        let first = self.windows.len();
        self.tally.processes += 1;
        let highest = self.tally.highest;
        let mut ids = Vec::new();
        for note in notes {
            let own = &mut self.windows[first..];
            match note {
                Note::Granted(lease, ceiling) => {
                    match own.iter_mut().find(|window| window.lease == *lease) {
                        Some(window) => {
                            window.ceiling = window.ceiling.max(*ceiling);
                            self.tally.renewals += 1;
                        }
                        None => {
                            let (node, lease) = (lease.node.parse().unwrap(), lease.clone());
                            self.windows.push(LeasedWindow { lease, node, ceiling: *ceiling });
                            self.tally.leases += 1;
                        }
                    }
                }
                Note::Ids(texts) => {
                    for text in texts {
                        let issued = self.kind.read(text);
                        if !own.iter().any(|window| window.holds(&issued)) {
                            return Err(format!("outside: {text}, {issued:?}; had {own:?}"));
                        }
                        if !self.issued.insert(issued.number) {
                            return Err(format!("twice: {text}, {issued:?}"));
                        }
                        self.tally.ids += 1;
                        self.tally.behind += usize::from(issued.tick < highest);
                        self.tally.highest = self.tally.highest.max(issued.tick);
                        ids.push(issued);
                    }
                }
                // The rest of the window is for others.
                Note::Released(lease, end) => {
                    if let Some(window) = own.iter_mut().find(|window| window.lease == *lease) {
                        window.ceiling = window.ceiling.min(*end);
                    }
                }
                Note::Stalled(NoIdReason::Window | NoIdReason::NoLease, _) => {
                    self.tally.stalls += 1
                }
                Note::Lost(_) => self.tally.losses += 1,
                Note::Ready
                | Note::Obeyed
                | Note::Stalled(NoIdReason::Other, _)
                | Note::Trouble(_)
                | Note::Left(_) => {}
            }
        }
        // Also by the windows as they were in the end.
        let own = &self.windows[first..];
        match ids.iter().find(|issued| !own.iter().any(|window| window.holds(issued))) {
            Some(issued) => Err(format!("above what was given back: {issued:?}; had {own:?}")),
            None => Ok(()),
        }
    }

    /// Checks that no two windows overlap, and that the store still has all of them.
    pub(crate) fn check(&self, view: &RealmView) -> Result<(), String> {
        self.check_overlaps()?;
        for one in &self.windows {
            let row = view.rows.get(&one.node).and_then(RowState::row);
            if row.is_none_or(|row| row.ceiling < one.ceiling) {
                return Err(format!("forgotten: {one:?}; the store has {row:?}"));
            }
        }
        Ok(())
    }

    /// Checks that no two windows overlap whose nodes are prefix-related.
    pub(crate) fn check_overlaps(&self) -> Result<(), String> {
        for (index, one) in self.windows.iter().enumerate() {
            for other in &self.windows[..index] {
                let overlap = one.lease.floor < other.ceiling && other.lease.floor < one.ceiling;
                if overlap && one.node.is_prefix_related(other.node) {
                    return Err(format!("overlap: {one:?} and {other:?}"));
                }
            }
        }
        Ok(())
    }
}
