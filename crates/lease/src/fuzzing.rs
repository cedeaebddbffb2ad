//! Private items for fuzz targets, with the feature `conformance` only.

use crate::embedded::file::slots::{self, SlotReading};
use crate::model::record::Row;

/// The length of a row's file.
pub const FILE_LEN: usize = slots::FILE_LEN;

/// Reads a row's file: the number of the write, the row, and whether the file is whole.
#[must_use]
pub fn read_file(bytes: &[u8]) -> Option<(u64, Row, bool)> {
    match slots::read(bytes) {
        SlotReading::Whole(number, row) => Some((number, row, true)),
        SlotReading::Torn(number, row) => Some((number, row, false)),
        SlotReading::Newer(_) | SlotReading::Unreadable => None,
    }
}

/// Returns a new file with the first write of `row`.
#[must_use]
pub fn create_file(row: &Row) -> Option<Vec<u8>> {
    slots::create(1, row).map(|file| file.to_vec())
}

/// Returns the place and the bytes of the write `number`.
#[must_use]
pub fn write_file(number: u64, row: &Row) -> Option<(usize, Vec<u8>)> {
    let (at, slot) = slots::write(number, row)?;
    Some((usize::try_from(at).ok()?, slot.to_vec()))
}
