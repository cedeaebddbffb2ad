//! The meaning of MySQL's errors for a lease.

use mysql_async::{DriverError, Error};

use crate::backends::mysql::{failed, no_writes, unreachable};
use crate::backends::sql::Failure;
use crate::error::{StoreError, excerpt};

/// Returns the failure of statements with the purpose `what`.
pub(super) fn of_statement(error: &Error, what: &str) -> Failure {
    let Error::Server(answer) = error else {
        return Failure::Broken(match is_silence(error) {
            true => unreachable(message(error)),
            false => failed(what).with_source(message(error)),
        });
    };
    match answer.code {
        code if has_no_answer(code) => Failure::Broken(unreachable(message(error))),
        // A record that has changed, a duplicate key, a deadlock, a table that was just created.
        1020 | 1050 | 1062 | 1213 | 1412 => Failure::Conflict,
        1146 => Failure::NoSchema,
        // A lock that was not free within two seconds, as under the herd of a restart.
        1205 => Failure::Answered(unreachable(message(error))),
        // Read-only servers, transactions, and modes.
        1290 | 1792 | 1836 => Failure::Broken(no_writes(what).with_source(message(error))),
        _ => Failure::Answered(failed(format!("{what}: {}", message(error)))),
    }
}

/// Returns the error of connecting. No request was sent yet, so everything that is not silence is
/// an answer: a wrong password, a certificate that is not trusted.
pub(super) fn of_connecting(error: &Error) -> StoreError {
    let failed = |what: &str| failed(what).with_source(message(error));
    #[cfg(feature = "mysql-tls")]
    if let Some(hindrance) = crate::tls::certificates::hindrance(error) {
        return failed(hindrance);
    }
    match error {
        Error::Server(answer) if has_no_answer(answer.code) => unreachable(message(error)),
        // Wrong user, password, database or way to connect.
        Error::Server(answer) if matches!(answer.code, 1044 | 1045 | 1698 | 3159 | 4151) => {
            failed("log in")
        }
        Error::Driver(DriverError::NoClientSslFlagFromServer) => failed("encrypt the connection"),
        _ if is_silence(error) => unreachable(message(error)),
        _ => failed("connect"),
    }
}

/// Returns the server's message, or the client's.
pub(super) fn message(error: &Error) -> String {
    match error {
        Error::Server(answer) => excerpt(&answer.message),
        _ => excerpt(&error.to_string()),
    }
}

/// Too many connections, a server that shuts down, and connections and statements that were killed.
fn has_no_answer(code: u16) -> bool {
    matches!(code, 1040 | 1053 | 1077..=1080 | 1152 | 1153 | 1158..=1161 | 1203 | 1226 | 1317 | 1927 | 3169)
}

fn is_silence(error: &Error) -> bool {
    matches!(error, Error::Io(_) | Error::Driver(DriverError::ConnectionClosed))
}
