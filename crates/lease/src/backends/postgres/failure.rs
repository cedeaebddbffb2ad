//! What PostgreSQL's errors mean for a lease.

use core::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::error::StoreError;
use crate::postgres::{failed, unreachable};

/// What went wrong with a statement that was to do `what`. Whoever is silent, hangs up, shuts down or
/// crashes has not answered.
pub(super) fn of_statement(error: Error, what: &str) -> StoreError {
    match error.as_db_error().map(|answer| (answer.code(), answer.message())) {
        None => unreachable(error),
        Some((code, _)) if has_no_answer(code) => unreachable(error),
        Some((code, _)) if takes_no_writes(code) => {
            failed(format!("{what}: the server takes no writes, as a standby")).with_source(error)
        }
        Some((_, message)) => failed(format!("{what}: {message}")).with_source(error),
    }
}

/// What went wrong with connecting. Nobody was asked for anything yet, so everything that is no
/// silence is an answer: a wrong password, a certificate that is not trusted.
/// `is_plain`: whether no encryption was tried.
pub(super) fn of_connecting(error: Error, is_plain: bool) -> StoreError {
    match error.code() {
        Some(code) if has_no_answer(code) => unreachable(error),
        // The server's rules, which may ask for encryption; what it says tells.
        Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION) if is_plain => {
            failed("log in without encryption").with_source(error)
        }
        Some(code) if code.code().starts_with("28") => failed("log in").with_source(error),
        Some(_) => failed("connect").with_source(error),
        None => without_code(error),
    }
}

fn without_code(error: Error) -> StoreError {
    #[cfg(feature = "postgres-tls")]
    if let Some(hindrance) = crate::tls::hindrance(&error) {
        return failed(hindrance).with_source(error);
    }
    // The server asks for one, and this is how the client says that it has none.
    let has_none = error.source().is_some_and(|source| source.to_string() == "password missing");
    match (is_silence(&error), has_none) {
        (true, _) => unreachable(error),
        (false, true) => failed("log in").with_source(error),
        (false, false) => failed("connect").with_source(error),
    }
}

/// Class 08: the connection; class 57P: the server is shut down, has crashed or is starting.
fn has_no_answer(code: &SqlState) -> bool {
    code.code().starts_with("08") || code.code().starts_with("57P")
}

/// Whether the server is a standby, or set to read only.
pub(super) fn takes_no_writes(code: &SqlState) -> bool {
    // The second comes from asking a standby for its place in the log.
    [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE].contains(code)
}

/// Whether others came first, and the same can be tried again.
pub(super) fn is_conflict(error: &Error) -> bool {
    let conflicts = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| conflicts.contains(code))
}

/// Whether our schema is not there, or not all of it.
pub(super) fn lacks_schema(error: &Error) -> bool {
    let missing =
        [SqlState::INVALID_SCHEMA_NAME, SqlState::UNDEFINED_FUNCTION, SqlState::UNDEFINED_TABLE];
    error.code().is_some_and(|code| missing.contains(code))
}

fn is_silence(error: &Error) -> bool {
    if error.is_closed() {
        return true;
    }
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            // What TLS does not accept comes as invalid data.
            return inner.kind() != io::ErrorKind::InvalidData;
        }
        source = inner.source();
    }
    false
}
