//! The nodes that have rows, in a file of entries of equal length, in the order of their first
//! grants. A claim reads a few of these instead of a folder of many files.
//!
//! A node is added before its row is written. So the index may name a node that has no row, or name
//! it twice, which is harmless.

use std::path::Path;

use super::folder::{self, corrupt};
use crate::model::token::mix;
use crate::store_error::StoreError;
use tickid_core::AnyNode;

/// The node's value and bits, and a checksum of both.
const ENTRY_LEN: usize = 8 + 4 + 4;

fn entry(node: AnyNode) -> [u8; ENTRY_LEN] {
    let mut entry = [0; ENTRY_LEN];
    entry[..8].copy_from_slice(&node.value().to_le_bytes());
    entry[8..12].copy_from_slice(&node.bits().to_le_bytes());
    let checksum = crc32fast::hash(&entry[..12]);
    entry[12..].copy_from_slice(&checksum.to_le_bytes());
    entry
}

/// Parses an entry; `None` for one that was cut short.
fn node(bytes: &[u8]) -> Option<AnyNode> {
    let (value, rest) = bytes.split_first_chunk::<8>()?;
    let (bits, _) = rest.split_first_chunk::<4>()?;
    let node = AnyNode::new(u64::from_le_bytes(*value), u32::from_le_bytes(*bits)).ok()?;
    (entry(node) == bytes).then_some(node)
}

/// Writes the index of the nodes that have rows, if there is none, and returns its entries.
fn len(
    path: &Path,
    granted: impl FnOnce() -> Result<Vec<AnyNode>, StoreError>,
) -> Result<u64, StoreError> {
    if let Some(len) = folder::len(path)? {
        return Ok(len / ENTRY_LEN as u64);
    }
    let nodes = granted()?;
    let entries: Vec<u8> = nodes.iter().flat_map(|&node| entry(node)).collect();
    folder::replace(path, &entries)?;
    Ok(nodes.len() as u64)
}

/// Adds a node.
pub(super) fn add(
    path: &Path,
    node: AnyNode,
    granted: impl FnOnce() -> Result<Vec<AnyNode>, StoreError>,
) -> Result<(), StoreError> {
    // In the place of an entry that was cut short, if there is one.
    let at = len(path, granted)? * ENTRY_LEN as u64;
    folder::overwrite(path, at, &entry(node))
}

/// Returns the nodes of up to `limit` consecutive entries, wrapping around from the last to the
/// first. `dice` determines the place.
pub(super) fn read(
    path: &Path,
    dice: u64,
    limit: usize,
    granted: impl FnOnce() -> Result<Vec<AnyNode>, StoreError>,
) -> Result<Vec<AnyNode>, StoreError> {
    let count = len(path, granted)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let first = mix(dice) % count;
    let limit = count.min(limit as u64);
    let before_end = limit.min(count - first);
    let mut bytes = Vec::new();
    for (first, entries) in [(first, before_end), (0, limit - before_end)] {
        let (at, len) = (first * ENTRY_LEN as u64, entries * ENTRY_LEN as u64);
        let part = folder::read(path, at, len)?;
        bytes.extend(part.ok_or_else(|| corrupt(path))?);
    }
    Ok(bytes.chunks(ENTRY_LEN).filter_map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: u64) -> AnyNode {
        AnyNode::new(value, 16).unwrap()
    }

    #[test]
    fn entries_are_read_circularly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let none = || Ok(Vec::new());
        assert_eq!(read(&path, 0, 5, none).unwrap(), []);
        for value in 0..10 {
            add(&path, of(value), none).unwrap();
        }
        for dice in 0..50 {
            let values: Vec<u64> =
                read(&path, dice, 4, none).unwrap().iter().map(|node| node.value()).collect();
            let expected: Vec<u64> = (0..4).map(|at| (values[0] + at) % 10).collect();
            assert_eq!(values, expected);
            assert_eq!(read(&path, dice, 20, none).unwrap().len(), 10);
        }
    }

    #[test]
    fn lost_index_is_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let granted = || Ok(vec![of(3), of(4)]);
        add(&path, of(5), granted).unwrap();
        assert_eq!(read(&path, 0, 9, granted).unwrap().len(), 3);
    }

    #[test]
    fn truncated_entry_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let none = || Ok(Vec::new());
        add(&path, of(1), none).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(&entry(of(2))[..7]);
        folder::replace(&path, &bytes).unwrap();
        assert_eq!(read(&path, 0, 9, none).unwrap(), [of(1)]);
        add(&path, of(3), none).unwrap();
        assert_eq!(read(&path, 0, 9, none).unwrap().len(), 2);
    }
}
