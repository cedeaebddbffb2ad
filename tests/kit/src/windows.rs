//! The windows of a realm's nodes and the IDs in them: whatever grants and issues them, windows of
//! related nodes do not overlap, each ID lies in a window of its own, and none comes twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tickid_core::AnyNode;

/// The ticks from `floor` up to `ceiling`, and not that itself, in which a node may issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeWindow {
    /// The node.
    pub node: AnyNode,
    /// The first tick.
    pub floor: u64,
    /// The tick after the last.
    pub ceiling: u64,
}

impl NodeWindow {
    /// Reports whether a tick lies in the window.
    #[must_use]
    pub fn holds(&self, tick: u64) -> bool {
        (self.floor..self.ceiling).contains(&tick)
    }

    /// Reports whether both windows have a tick in which their nodes may issue the same ID.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let is_shared = self.floor < other.ceiling && other.floor < self.ceiling;
        is_shared && self.node.is_prefix_related(other.node)
    }
}

/// Windows by their number, in the order in which they were granted, and all IDs.
#[derive(Debug, Default)]
pub struct Windows {
    windows: Vec<NodeWindow>,
    /// The number of the window in which each ID was issued first.
    issued: HashMap<u128, usize>,
}

impl Windows {
    /// Adds a window and returns its number.
    pub fn grant(&mut self, window: NodeWindow) -> usize {
        self.windows.push(window);
        self.windows.len() - 1
    }

    /// Moves the end of a window forward, as a renewal does.
    pub fn widen(&mut self, number: usize, ceiling: u64) {
        let window = &mut self.windows[number];
        window.ceiling = window.ceiling.max(ceiling);
    }

    /// Gives back the ticks of a window from `end` on.
    pub fn cut(&mut self, number: usize, end: u64) {
        let window = &mut self.windows[number];
        window.ceiling = window.ceiling.min(end);
    }

    /// Returns the windows.
    #[must_use]
    pub fn all(&self) -> &[NodeWindow] {
        &self.windows
    }

    /// Returns the number of different IDs.
    #[must_use]
    pub fn issued(&self) -> usize {
        self.issued.len()
    }

    /// Returns the other windows that a window overlaps.
    pub fn overlaps(&self, number: usize) -> impl Iterator<Item = usize> {
        let one = self.windows[number];
        let all = self.windows.iter().enumerate();
        all.filter(move |(other, window)| *other != number && one.overlaps(window))
            .map(|(other, _)| other)
    }

    /// Notes an ID that was issued in a window.
    ///
    /// # Errors
    /// What is wrong, which starts with `outside` or `twice`. In the second case, the number of the
    /// window in which the ID was issued before comes with it.
    pub fn issue(
        &mut self,
        number: usize,
        tick: u64,
        id: u128,
    ) -> Result<(), (String, Option<usize>)> {
        let window = &self.windows[number];
        if !window.holds(tick) {
            return Err((format!("outside: tick {tick} of {window:?}"), None));
        }
        match self.issued.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert(number);
                Ok(())
            }
            Entry::Occupied(entry) => {
                Err((format!("twice: {id:x}, tick {tick} of {window:?}"), Some(*entry.get())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(node: &str, floor: u64, ceiling: u64) -> NodeWindow {
        NodeWindow { node: node.parse().unwrap(), floor, ceiling }
    }

    #[test]
    fn overlaps_of_related_nodes_are_seen() {
        let mut windows = Windows::default();
        let first = windows.grant(window("1/1", 10, 20));
        let other = windows.grant(window("0/1", 10, 20));
        let next = windows.grant(window("2/2", 20, 30));
        assert!([first, other, next].iter().all(|&it| windows.overlaps(it).next().is_none()));
        windows.widen(first, 20);
        assert_eq!(windows.overlaps(first).next(), None);
        windows.widen(first, 21);
        assert!(windows.overlaps(first).eq([next]) && windows.overlaps(next).eq([first]));
        let inner = windows.grant(window("5/3", 29, 30));
        assert!(windows.overlaps(inner).eq([next]));
        windows.cut(next, 29);
        assert_eq!(windows.overlaps(inner).next(), None);
        windows.cut(inner, 10);
        assert!(windows.all().iter().all(|window| !window.overlaps(&windows.all()[inner])));
    }

    #[test]
    fn ids_outside_and_twice_are_seen() {
        let mut windows = Windows::default();
        let first = windows.grant(window("1/1", 10, 20));
        let second = windows.grant(window("1/1", 20, 30));
        assert_eq!(windows.issue(first, 10, 1), Ok(()));
        assert_eq!(windows.issue(second, 20, 2), Ok(()));
        let (text, before) = windows.issue(second, 20, 1).unwrap_err();
        assert!(text.starts_with("twice") && before == Some(first), "{text}");
        for (tick, id) in [(9, 3), (20, 4)] {
            let (text, before) = windows.issue(first, tick, id).unwrap_err();
            assert!(text.starts_with("outside") && before.is_none(), "{text}");
        }
        assert_eq!(windows.issued(), 2);
    }
}
