//! What fuzz targets reach besides the public items. Built under `--cfg fuzzing` only, which `cargo fuzz` sets.

use crate::file::slots::{self, Reading};
use crate::node::Node;
use crate::record::Row;

/// The length of a row's file.
pub const FILE_LEN: usize = slots::FILE_LEN;

/// What a row's file says: the number of the write, the row, and whether the file is whole.
#[must_use]
pub fn read_file(bytes: &[u8]) -> Option<(u64, Row, bool)> {
    match slots::read(bytes) {
        Reading::Whole(number, row) => Some((number, row, true)),
        Reading::Torn(number, row) => Some((number, row, false)),
        Reading::Unreadable => None,
    }
}

/// A new file with `row` in it.
#[must_use]
pub fn create_file(row: &Row) -> Option<Vec<u8>> {
    slots::create(row).map(|file| file.to_vec())
}

/// Where the write `number` goes, and what is written there.
#[must_use]
pub fn write_file(number: u64, row: &Row) -> Option<(usize, Vec<u8>)> {
    let (at, slot) = slots::write(number, row)?;
    Some((usize::try_from(at).ok()?, slot.to_vec()))
}

/// The row that the Redis store's scripts wrote, with its version.
#[cfg(feature = "redis")]
#[must_use]
pub fn read_redis_row(node: Node, text: &str) -> Option<(u64, Row)> {
    crate::redis::text::parse_row(node, text)
}

/// What the scripts write, after its version.
#[cfg(feature = "redis")]
#[must_use]
pub fn write_redis_row(row: &Row) -> String {
    crate::redis::text::row(row)
}

/// A node as the scripts name it, and the node of such a name.
#[cfg(feature = "redis")]
#[must_use]
pub fn redis_node(name: &str) -> Option<(Node, String)> {
    let node = crate::redis::text::node(name)?;
    Some((node, crate::redis::text::name(node)))
}

/// What the PostgreSQL store makes of the JSON that its functions answer with: record and rows.
#[cfg(feature = "postgres")]
#[must_use]
pub fn read_postgres_view(realm: &crate::RealmName, json: &[u8]) -> Option<crate::View> {
    crate::postgres::read_view(realm, json)
}
