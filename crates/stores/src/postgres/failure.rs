//! The meaning of PostgreSQL's errors for a lease.

use core::error::Error as _;
use std::io;

use tickid_lease::StoreError;
use tickid_lease::backend::excerpt;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::error::{self, BoxError};
use crate::sql::StatementError;

pub(super) const NAME: &str = "PostgreSQL";

pub(super) fn failed(what: impl Into<String>) -> StoreError {
    error::failed(NAME, what)
}

pub(super) fn no_writes(what: &str) -> StoreError {
    error::not_ready(NAME, format!("{what}: the server accepts no writes, like a standby"))
}

pub(super) fn unreachable(source: impl Into<BoxError>) -> StoreError {
    error::unreachable(NAME, source)
}

/// Returns the failure of a statement with the purpose `what`.
pub(super) fn of_statement(error: &Error, what: &str) -> StatementError {
    // No code, so this is not the server's answer: the connection failed.
    let Some(code) = error.code() else {
        return StatementError::Broken(match is_silence(error) {
            true => unreachable(message(error)),
            false => failed(what).with_source(message(error)),
        });
    };
    match code {
        _ if has_no_answer(code) => StatementError::Broken(unreachable(message(error))),
        &SqlState::UNIQUE_VIOLATION
        | &SqlState::T_R_SERIALIZATION_FAILURE
        | &SqlState::T_R_DEADLOCK_DETECTED => StatementError::Conflict,
        &SqlState::INVALID_SCHEMA_NAME
        | &SqlState::UNDEFINED_FUNCTION
        | &SqlState::UNDEFINED_TABLE => StatementError::NoSchema,
        // Another server may accept writes now.
        &SqlState::READ_ONLY_SQL_TRANSACTION => {
            StatementError::Broken(no_writes(what).with_source(message(error)))
        }
        _ => StatementError::Answered(failed(format!("{what}: {}", message(error)))),
    }
}

/// Returns the error of connecting. No request was sent yet, so everything that is not silence is
/// an answer, for example a wrong password or a certificate that is not trusted. `is_plain` is set
/// for a connection without encryption.
pub(super) fn of_connecting(error: &Error, is_plain: bool) -> StoreError {
    let failed = |what: &str| failed(what).with_source(message(error));
    match error.code() {
        Some(code) if has_no_answer(code) => unreachable(message(error)),
        // The server's rules, which may require encryption; its message states that.
        Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION) if is_plain => {
            failed("log in without encryption")
        }
        Some(code) if code.code().starts_with("28") => failed("log in"),
        // The database may still be created, as by the script of a container's first start.
        Some(&SqlState::INVALID_CATALOG_NAME) => {
            error::not_ready(NAME, "connect").with_source(message(error))
        }
        Some(_) => failed("connect"),
        None => {
            if let Some(hindrance) = crate::tls::certificates::hindrance(error) {
                return failed(hindrance);
            }
            // The server requires a password, and this is the client's error without one.
            let has_none =
                error.source().is_some_and(|source| source.to_string() == "password missing");
            match (is_silence(error), has_none) {
                (true, _) => unreachable(message(error)),
                (false, true) => failed("log in"),
                (false, false) => failed("connect"),
            }
        }
    }
}

/// Returns the server's message, or the client's with its causes.
fn message(error: &Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return excerpt(answer.message());
    }
    let mut causes = core::iter::successors(error.source(), |&cause| cause.source());
    excerpt(&causes.by_ref().fold(error.to_string(), |text, cause| format!("{text}: {cause}")))
}

/// Class 08 is the connection, class 57P a server that shuts down, has crashed or is starting, and
/// 53300 one with too many connections.
fn has_no_answer(code: &SqlState) -> bool {
    ["08", "57P", "53300"].iter().any(|class| code.code().starts_with(class))
}

fn is_silence(error: &Error) -> bool {
    if error.is_closed() {
        return true;
    }
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            // Certificates that are not trusted, and answers that are too long, are invalid data.
            return inner.kind() != io::ErrorKind::InvalidData;
        }
        source = inner.source();
    }
    false
}
