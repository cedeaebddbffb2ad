//! Private items for fuzz targets, with the feature `conformance` only.

use crate::backends::file::slots::{self, Reading};
use crate::model::record::Row;

/// The length of a row's file.
pub const FILE_LEN: usize = slots::FILE_LEN;

/// Reads a row's file: the number of the write, the row, and whether the file is whole.
#[must_use]
pub fn read_file(bytes: &[u8]) -> Option<(u64, Row, bool)> {
    match slots::read(bytes) {
        Reading::Whole(number, row) => Some((number, row, true)),
        Reading::Torn(number, row) => Some((number, row, false)),
        Reading::Newer(_) | Reading::Unreadable => None,
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

/// Reads a reply of Redis' protocol, and returns whether it is one.
#[cfg(feature = "redis")]
#[must_use]
pub fn is_redis_reply(mut bytes: &[u8]) -> bool {
    crate::backends::redis::reply::Reply::read(&mut bytes).is_ok()
}

/// Reads the text that Redis keeps as the row of `node`.
#[cfg(feature = "redis")]
#[must_use]
pub fn read_redis_row(node: crate::Node, text: &[u8]) -> Option<crate::backend::RowState> {
    use crate::backends::redis::{reply::Reply, row_state};
    row_state(node, &Reply::Text(text.to_vec()))
}

/// Reads the rows of an SQL server's answer, as the backends in MySQL and PostgreSQL do.
///
/// # Errors
/// Returns a [`StoreError`](crate::StoreError) if it is not an answer, or its record cannot be
/// read.
#[cfg(feature = "mysql")]
pub fn read_sql_answer(
    realm: &crate::admin::RealmName,
    scope: crate::backend::Scope,
    rows: Vec<Vec<Option<String>>>,
) -> Result<crate::backend::RealmData, crate::StoreError> {
    crate::backends::mysql::fuzzing::view(realm, scope, rows)
}

/// Reads what a MySQL server sends: its part of a login, and its answer to a statement. Returns the
/// answer's rows.
#[cfg(feature = "mysql")]
#[must_use]
pub fn read_mysql_stream(bytes: &[u8]) -> Option<Vec<Vec<Option<String>>>> {
    crate::backends::mysql::fuzzing::stream(bytes)
}

/// The expression in a [statement of MySQL](mysql_statement) in place of `$generation`.
#[cfg(feature = "mysql")]
pub const MYSQL_GENERATION: &str = crate::backends::mysql::GENERATION;

/// Returns a statement of MySQL with texts for `$1` and so on.
#[cfg(feature = "mysql")]
#[must_use]
pub fn mysql_statement(template: &str, texts: &[Option<String>]) -> String {
    crate::backends::mysql::fuzzing::statement(template, texts)
}
