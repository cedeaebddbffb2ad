//! The judge of the simulation: it records every window and every ID.

use core::ops::Range;

use tickid_core::{AnyNode, UnixTime};
use tickid_testkit::{NodeWindow, Windows};

/// Records every window and every ID, and reports overlaps and duplicates.
#[derive(Default)]
pub(crate) struct Watch {
    windows: Windows,
    /// The engines of these windows.
    engines: Vec<Engine>,
    /// Set by a loss that the store does not notice: violations are counted from then on.
    pub(crate) counts_only: bool,
    /// The store's time when the loss was discovered.
    pub(crate) discovered_at: Option<UnixTime>,
    pub(crate) counts: Counts,
}

/// The violations after a loss that the store did not notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// IDs that a process repeated itself.
    pub(crate) own: u64,
    /// IDs of another process, in a window granted before the discovery.
    pub(crate) before: u64,
    /// IDs of another process, in a window granted after the discovery.
    pub(crate) after: u64,
    /// Windows that their holder refused.
    pub(crate) refused: u64,
}

/// An engine, which may have issued in its window, or may yet.
struct Engine {
    process: u64,
    /// It was granted after the discovery of a loss.
    is_late: bool,
}

impl Watch {
    /// Adds an engine of a process with a window that the store granted at that time. Returns its
    /// number.
    pub(crate) fn open(
        &mut self,
        process: u64,
        node: AnyNode,
        Range { start: floor, end: ceiling }: Range<u64>,
        granted_at: UnixTime,
    ) -> Result<usize, String> {
        let is_late = self.discovered_at.is_some_and(|time| granted_at > time);
        self.engines.push(Engine { process, is_late });
        let number = self.windows.grant(NodeWindow { node, floor, ceiling });
        self.check(number)?;
        Ok(number)
    }

    pub(crate) fn widen(&mut self, engine: usize, ceiling: u64) -> Result<(), String> {
        self.windows.widen(engine, ceiling);
        self.check(engine)
    }

    /// Notes that the engine issued nothing above `used` and never will.
    pub(crate) fn close(&mut self, engine: usize, used: Option<u64>) {
        let floor = self.windows.all()[engine].floor;
        self.windows.cut(engine, used.map_or(floor, |used| floor.max(used + 1)));
    }

    pub(crate) fn issue(&mut self, engine: usize, tick: u64, id: u128) -> Result<(), String> {
        let Engine { process, is_late } = self.engines[engine];
        match self.windows.issue(engine, tick, id) {
            Ok(()) => {}
            Err((_, Some(first))) if self.counts_only => {
                let is_own = self.engines[first].process == process;
                let counts = &mut self.counts;
                *match (is_own, is_late) {
                    (true, _) => &mut counts.own,
                    (false, true) => &mut counts.after,
                    (false, false) => &mut counts.before,
                } += 1;
            }
            Err((violation, _)) => return Err(violation),
        }
        Ok(())
    }

    pub(crate) fn issued(&self) -> usize {
        self.windows.issued()
    }

    fn check(&self, engine: usize) -> Result<(), String> {
        let is_late = |number: usize| self.engines[number].is_late;
        // Before a loss is discovered, windows overlap because of it.
        let is_early = |other| self.counts_only && !is_late(engine) && !is_late(other);
        match self.windows.overlaps(engine).find(|&other| !is_early(other)) {
            Some(other) => {
                let all = self.windows.all();
                Err(format!("overlap: {:?} and {:?}", all[engine], all[other]))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> AnyNode {
        text.parse().unwrap()
    }

    fn open(watch: &mut Watch, node: AnyNode, window: Range<u64>) -> Result<usize, String> {
        watch.open(0, node, window, UnixTime::EPOCH)
    }

    #[test]
    fn related_overlaps_are_seen() {
        let mut watch = Watch::default();
        let first = open(&mut watch, node("1/1"), 10..20).unwrap();
        open(&mut watch, node("0/1"), 10..20).unwrap();
        open(&mut watch, node("2/2"), 20..30).unwrap();
        assert!(watch.widen(first, 20).is_ok());
        assert!(watch.widen(first, 21).unwrap_err().starts_with("overlap"));
        assert!(open(&mut watch, node("5/3"), 29..30).unwrap_err().starts_with("overlap"));
    }

    #[test]
    fn closed_windows_end_when_used() {
        let mut watch = Watch::default();
        let first = open(&mut watch, node("1/1"), 10..20).unwrap();
        watch.close(first, Some(14));
        assert!(open(&mut watch, node("1/1"), 15..20).is_ok());
        let unused = open(&mut watch, node("0/1"), 10..20).unwrap();
        watch.close(unused, None);
        assert!(open(&mut watch, node("0/1"), 10..20).is_ok());
    }

    #[test]
    fn bad_ids_are_seen() {
        let mut watch = Watch::default();
        let engine = open(&mut watch, node("1/1"), 10..20).unwrap();
        assert!(watch.issue(engine, 10, 1).is_ok());
        assert!(watch.issue(engine, 10, 1).unwrap_err().starts_with("twice"));
        for (tick, id) in [(9, 2), (20, 3)] {
            assert!(watch.issue(engine, tick, id).unwrap_err().starts_with("outside"));
        }
    }
}
