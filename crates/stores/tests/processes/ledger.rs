//! The reports of all holders of a realm, and the violations to look for in them.

use core::ops::Range;

use tickid_lease::backend::{RealmView, RowState};
use tickid_testkit::{NodeWindow, Windows};

use crate::scheme::SchemeName;
use crate::subjects::Issued;
use crate::task::{Named, NoIdReason, Note};

pub(crate) struct Ledger {
    kind: SchemeName,
    windows: Windows,
    /// The leases of these windows.
    leases: Vec<Named>,
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

impl Ledger {
    pub(crate) fn new(kind: SchemeName) -> Self {
        let (windows, leases) = (Windows::default(), Vec::new());
        Self { kind, windows, leases, tally: Tally::default() }
    }

    /// Enters the reports of one holder, in order.
    pub(crate) fn enter(&mut self, notes: &[Note]) -> Result<(), String> {
        let first = self.leases.len();
        self.tally.processes += 1;
        let highest = self.tally.highest;
        let mut ids = Vec::new();
        for note in notes {
            match note {
                Note::Granted(lease, ceiling) => match self.number(first, lease) {
                    Some(number) => {
                        self.windows.widen(number, *ceiling);
                        self.tally.renewals += 1;
                    }
                    None => {
                        let (node, floor) = (lease.node.parse().unwrap(), lease.floor);
                        self.windows.grant(NodeWindow { node, floor, ceiling: *ceiling });
                        self.leases.push(lease.clone());
                        self.tally.leases += 1;
                    }
                },
                Note::Ids(texts) => {
                    for text in texts {
                        let issued = self.kind.read(text);
                        let Some(number) = self.holding(first, &issued) else {
                            let own = &self.windows.all()[first..];
                            return Err(format!("outside: {text}, {issued:?}; had {own:?}"));
                        };
                        let noted = self.windows.issue(number, issued.tick, issued.number);
                        noted.map_err(|(violation, _)| format!("{violation}: {text}"))?;
                        self.tally.ids += 1;
                        self.tally.behind += usize::from(issued.tick < highest);
                        self.tally.highest = self.tally.highest.max(issued.tick);
                        ids.push(issued);
                    }
                }
                // The rest of the window is for others.
                Note::Released(lease, end) => {
                    if let Some(number) = self.number(first, lease) {
                        self.windows.cut(number, *end);
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
        match ids.iter().find(|issued| self.holding(first, issued).is_none()) {
            Some(issued) => {
                let own = &self.windows.all()[first..];
                Err(format!("above what was given back: {issued:?}; had {own:?}"))
            }
            None => Ok(()),
        }
    }

    /// Returns the number of a lease's window, among those from `first` on.
    fn number(&self, first: usize, lease: &Named) -> Option<usize> {
        self.own(first).find(|&number| self.leases[number] == *lease)
    }

    /// Returns the number of a window, among those from `first` on, that an ID lies in.
    fn holding(&self, first: usize, issued: &Issued) -> Option<usize> {
        let all = self.windows.all();
        self.own(first)
            .find(|&number| issued.is_of(all[number].node) && all[number].holds(issued.tick))
    }

    fn own(&self, first: usize) -> Range<usize> {
        first..self.leases.len()
    }

    /// Checks that no two windows overlap, and that the store still has all of them.
    pub(crate) fn check(&self, view: &RealmView) -> Result<(), String> {
        self.check_overlaps()?;
        for one in self.windows.all() {
            let row = view.rows.get(&one.node).and_then(RowState::row);
            if row.is_none_or(|row| row.ceiling < one.ceiling) {
                return Err(format!("forgotten: {one:?}; the store has {row:?}"));
            }
        }
        Ok(())
    }

    /// Checks that no two windows overlap whose nodes are prefix-related.
    pub(crate) fn check_overlaps(&self) -> Result<(), String> {
        let describe = |number: usize| (&self.leases[number], &self.windows.all()[number]);
        for one in 0..self.leases.len() {
            if let Some(other) = self.windows.overlaps(one).next() {
                return Err(format!("overlap: {:?} and {:?}", describe(one), describe(other)));
            }
        }
        Ok(())
    }
}
