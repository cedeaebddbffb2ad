//! The meaning of MySQL's errors for a lease.

use tickid_lease::StoreError;

use crate::mysql::protocol::Error;
use crate::mysql::{failed, no_writes, not_ready, unreachable};
use crate::sql::StatementError;

/// Returns the failure of statements with the purpose `what`.
pub(super) fn of_statement(error: &Error, what: &str) -> StatementError {
    let source = error.to_string();
    let code = match error {
        Error::Server(code, _) => *code,
        Error::Io(_) => return StatementError::Broken(unreachable(source)),
        Error::NoEncryption
        | Error::NeedsEncryption
        | Error::Plugin(_)
        | Error::TooLong(_)
        | Error::Malformed(_) => {
            return StatementError::Broken(failed(what).with_source(source));
        }
    };
    match code {
        _ if has_no_answer(code) => StatementError::Broken(unreachable(source)),
        // A record that has changed, a duplicate key, a deadlock, a table that was just created.
        1020 | 1050 | 1062 | 1213 | 1412 => StatementError::Conflict,
        1146 => StatementError::NoSchema,
        // A lock that was not free within two seconds, as under the herd of a restart.
        1205 => StatementError::Answered(unreachable(source)),
        // Read-only servers, transactions, and modes.
        1290 | 1792 | 1836 => StatementError::Broken(no_writes(what).with_source(source)),
        _ => StatementError::Answered(failed(format!("{what}: {source}"))),
    }
}

/// Returns the error of connecting. No request was sent yet, so everything that is not silence is
/// an answer, for example a wrong password or a certificate that is not trusted.
pub(super) fn of_connecting(error: &Error) -> StoreError {
    let failed = |what: &str| failed(what).with_source(error.to_string());
    if let Some(hindrance) = crate::tls::certificates::hindrance(error) {
        return failed(hindrance);
    }
    match error {
        Error::Io(_) => unreachable(error.to_string()),
        Error::Server(code, _) if has_no_answer(*code) => unreachable(error.to_string()),
        // Wrong user, password, database or way to connect.
        Error::Server(1044 | 1045 | 1698 | 3159 | 4151, _)
        | Error::Plugin(_)
        | Error::NeedsEncryption => failed("log in"),
        // The database may still be created, as by the script of a container's first start.
        Error::Server(1049, _) => not_ready("connect").with_source(error.to_string()),
        Error::NoEncryption => failed("encrypt the connection"),
        Error::Server(..) | Error::TooLong(_) | Error::Malformed(_) => failed("connect"),
    }
}

/// Too many connections, a server that shuts down, and connections and statements that were killed.
fn has_no_answer(code: u16) -> bool {
    matches!(code, 1040 | 1053 | 1077..=1080 | 1152 | 1153 | 1158..=1161 | 1203 | 1226 | 1317 | 1927 | 3169)
}
