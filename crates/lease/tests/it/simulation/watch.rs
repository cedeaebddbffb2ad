//! The judge of the simulation: it records every window and every ID.

use core::ops::Range;
use std::collections::HashMap;

use tickid_core::{AnyNode, UnixTime};

/// Records every window and every ID, and reports overlaps and duplicates.
#[derive(Default)]
pub(crate) struct Watch {
    engines: Vec<Engine>,
    /// The engine that issued each ID first.
    issued: HashMap<u128, usize>,
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

/// The window that an engine may have issued in, or may yet.
struct Engine {
    process: u64,
    node: AnyNode,
    /// It was granted after the discovery of a loss.
    is_late: bool,
    floor: u64,
    ceiling: u64,
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
        self.engines.push(Engine { process, node, is_late, floor, ceiling });
        let number = self.engines.len() - 1;
        self.check(number)?;
        Ok(number)
    }

    pub(crate) fn widen(&mut self, engine: usize, ceiling: u64) -> Result<(), String> {
        let window = &mut self.engines[engine];
        window.ceiling = window.ceiling.max(ceiling);
        self.check(engine)
    }

    /// Notes that the engine issued nothing above `used` and never will.
    pub(crate) fn close(&mut self, engine: usize, used: Option<u64>) {
        let window = &mut self.engines[engine];
        window.ceiling = used.map_or(window.floor, |used| window.floor.max(used + 1));
    }

    pub(crate) fn issue(&mut self, engine: usize, tick: u64, id: u128) -> Result<(), String> {
        let Engine { process, node, is_late, floor, ceiling } = self.engines[engine];
        if tick < floor || tick >= ceiling {
            return Err(format!("outside: tick {tick} of {node}, not in [{floor}, {ceiling})"));
        }
        match self.issued.get(&id) {
            None => drop(self.issued.insert(id, engine)),
            Some(_) if !self.counts_only => {
                return Err(format!("twice: {id:x}, tick {tick} of {node}"));
            }
            Some(first) if self.engines[*first].process == process => self.counts.own += 1,
            Some(_) if is_late => self.counts.after += 1,
            Some(_) => self.counts.before += 1,
        }
        Ok(())
    }

    pub(crate) fn issued(&self) -> usize {
        self.issued.len()
    }

    fn check(&self, engine: usize) -> Result<(), String> {
        let one = &self.engines[engine];
        for (number, other) in self.engines.iter().enumerate() {
            let overlaps = one.floor < other.ceiling && other.floor < one.ceiling;
            // Before a loss is discovered, windows overlap because of it.
            let is_early = self.counts_only && !one.is_late && !other.is_late;
            if number != engine && overlaps && !is_early && one.node.is_prefix_related(other.node) {
                return Err(format!(
                    "overlap: {} in [{}, {}) and {} in [{}, {})",
                    one.node, one.floor, one.ceiling, other.node, other.floor, other.ceiling
                ));
            }
        }
        Ok(())
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
