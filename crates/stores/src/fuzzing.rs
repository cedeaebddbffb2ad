//! Private items for fuzz targets.

use tickid_core::AnyNode;
use tickid_lease::StoreError;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{RealmView, RowState, Scope};

use crate::mysql;
use crate::redis::reply::Reply;
use crate::redis::row_state;

/// Reads a reply of Redis' protocol, and returns whether it is one.
#[must_use]
pub fn is_redis_reply(mut bytes: &[u8]) -> bool {
    Reply::read(&mut bytes).is_ok()
}

/// Reads the text that Redis keeps as the row of `node`.
#[must_use]
pub fn read_redis_row(node: AnyNode, text: &[u8]) -> Option<RowState> {
    row_state(node, &Reply::Text(text.to_vec()))
}

/// Reads the rows of an SQL server's answer, as the backends in MySQL and PostgreSQL do.
///
/// # Errors
/// Returns a [`StoreError`] if it is not an answer, or its record cannot be read.
pub fn read_sql_answer(
    realm: &RealmName,
    scope: Scope,
    rows: Vec<Vec<Option<String>>>,
) -> Result<RealmView, StoreError> {
    mysql::fuzzing::view(realm, scope, rows)
}

/// Reads what a MySQL server sends, which is its part of a login and its answer to a statement.
/// Returns the answer's rows.
#[must_use]
pub fn read_mysql_stream(bytes: &[u8]) -> Option<Vec<Vec<Option<String>>>> {
    mysql::fuzzing::stream(bytes)
}

/// The expression in a [statement of MySQL](mysql_statement) in place of `$generation`.
pub const MYSQL_GENERATION: &str = mysql::GENERATION;

/// Returns a statement of MySQL with texts for `$1` and so on.
#[must_use]
pub fn mysql_statement(template: &str, texts: &[Option<String>]) -> String {
    mysql::fuzzing::statement(template, texts)
}
