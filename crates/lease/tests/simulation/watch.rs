use std::collections::HashSet;

use tickid_lease::Node;

/// Records every window and every ID, and reports overlaps and duplicates.
#[derive(Default)]
pub(crate) struct Watch {
    engines: Vec<Engine>,
    issued: HashSet<u128>,
}

/// The window in which an engine may have issued, or may yet.
struct Engine {
    node: Node,
    floor: u64,
    ceiling: u64,
}

impl Watch {
    /// Adds an engine with this window. Returns its number.
    pub(crate) fn open(&mut self, node: Node, floor: u64, ceiling: u64) -> Result<usize, String> {
        self.engines.push(Engine { node, floor, ceiling });
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
        let Engine { node, floor, ceiling } = self.engines[engine];
        if tick < floor || tick >= ceiling {
            return Err(format!("outside: tick {tick} of {node}, not in [{floor}, {ceiling})"));
        }
        if !self.issued.insert(id) {
            return Err(format!("twice: {id:x}, tick {tick} of {node}"));
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
            if number != engine && overlaps && one.node.is_prefix_related(other.node) {
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

    fn node(text: &str) -> Node {
        text.parse().unwrap()
    }

    #[test]
    fn related_overlaps_are_seen() {
        let mut watch = Watch::default();
        let first = watch.open(node("1/1"), 10, 20).unwrap();
        watch.open(node("0/1"), 10, 20).unwrap();
        watch.open(node("2/2"), 20, 30).unwrap();
        assert!(watch.widen(first, 20).is_ok());
        assert!(watch.widen(first, 21).unwrap_err().starts_with("overlap"));
        assert!(watch.open(node("5/3"), 29, 30).unwrap_err().starts_with("overlap"));
    }

    #[test]
    fn closed_windows_end_when_used() {
        let mut watch = Watch::default();
        let first = watch.open(node("1/1"), 10, 20).unwrap();
        watch.close(first, Some(14));
        assert!(watch.open(node("1/1"), 15, 20).is_ok());
        let unused = watch.open(node("0/1"), 10, 20).unwrap();
        watch.close(unused, None);
        assert!(watch.open(node("0/1"), 10, 20).is_ok());
    }

    #[test]
    fn bad_ids_are_seen() {
        let mut watch = Watch::default();
        let engine = watch.open(node("1/1"), 10, 20).unwrap();
        assert!(watch.issue(engine, 10, 1).is_ok());
        assert!(watch.issue(engine, 10, 1).unwrap_err().starts_with("twice"));
        for (tick, id) in [(9, 2), (20, 3)] {
            assert!(watch.issue(engine, tick, id).unwrap_err().starts_with("outside"));
        }
    }
}
