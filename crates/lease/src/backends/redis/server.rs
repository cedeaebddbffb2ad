use core::fmt;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis::{Client, Connection, ConnectionAddr, ErrorKind, RedisError, RedisResult};
use tickid_core::PerProcess;

use super::BACKEND;
use super::url::Place;
use crate::error::{StoreError, StoreErrorKind};
use crate::tls::HungUp;

/// More than one holder's Keeper and a command need at once.
const MAX_IDLE: usize = 4;

/// A server, and connections to it that nobody uses just now.
pub(crate) struct Server {
    client: Client,
    /// For how long it gets to answer.
    time_out: Duration,
    /// Whether somebody said that it may forget.
    may_forget: bool,
    idle: PerProcess<Mutex<Vec<Connection>>>,
}

impl Server {
    pub(super) fn new(place: Place, time_out: Duration) -> Self {
        let Place { client, may_forget } = place;
        Self { client, time_out, may_forget, idle: PerProcess::new() }
    }

    /// What `ask` is answered. It may be asked twice, over a new connection when a kept one proves to be
    /// closed.
    pub(crate) fn ask<T>(
        &self,
        what: &str,
        ask: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.get_or_set(Mutex::default);
        loop {
            let kept = lock(idle).pop();
            let is_kept = kept.is_some();
            let mut connection = kept.map_or_else(|| self.connect(), Ok)?;
            match ask(&mut connection) {
                Ok(answer) => {
                    let mut idle = lock(idle);
                    if idle.len() < MAX_IDLE {
                        idle.push(connection);
                    }
                    return Ok(answer);
                }
                Err(error) if is_kept && error.is_connection_dropped() => {}
                Err(error) => return Err(failure(what, error)),
            }
        }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        #[cfg(feature = "redis-tls")]
        if !self.is_plain() {
            super::tls::choose_provider();
        }
        let connect = || -> RedisResult<_> {
            let mut connection = self.client.get_connection_with_timeout(self.time_out)?;
            connection.set_read_timeout(Some(self.time_out))?;
            connection.set_write_timeout(Some(self.time_out))?;
            let doubt = if self.may_forget { None } else { doubt(&mut connection)? };
            Ok((connection, doubt))
        };
        match connect() {
            Ok((connection, None)) => Ok(connection),
            Ok((_, Some(why))) => Err(StoreError::new(BACKEND, StoreErrorKind::Unfit { why })),
            Err(error) if self.is_plain() && error.is_connection_dropped() => {
                let silence = StoreError::new(BACKEND, StoreErrorKind::Unreachable);
                // That is another thing than not to be there.
                let is_there = !error.is_connection_refusal();
                let hung_up = is_there.then(|| HungUp(error.clone().into()));
                Err(match hung_up {
                    Some(hung_up) => silence.with_source(hung_up),
                    None => silence.with_source(error),
                })
            }
            Err(error) => Err(failure("take a connection", error)),
        }
    }

    fn is_plain(&self) -> bool {
        !matches!(self.client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a server can't be relied on to keep what it answers, if it can't.
fn doubt(connection: &mut Connection) -> RedisResult<Option<String>> {
    const ADVICE: &str = "set it, or say `persistence=acknowledged` in the URL when you can do \
                          with what docs/leases.md says is lost";
    let mut setting = |name: &str| {
        let answer = redis::cmd("CONFIG").arg("GET").arg(name).query::<Vec<String>>(connection);
        match answer {
            Ok(answer) => Ok(answer.into_iter().nth(1)),
            Err(error) if error.code() == Some(NO_LOGIN) => Err(error),
            // It must not be asked, or does not know the question.
            Err(error) if error.code().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    };
    for (name, wanted) in [("appendonly", "yes"), ("appendfsync", "always")] {
        let value = setting(name)?;
        if value.as_deref() != Some(wanted) {
            let value = value.as_deref().unwrap_or("not told").to_owned();
            return Ok(Some(format!("its {name} is {value} instead of {wanted}: {ADVICE}")));
        }
    }
    let policy = setting("maxmemory-policy")?.unwrap_or_default();
    if policy.starts_with("allkeys") {
        let why = format!("its maxmemory-policy is {policy}, which removes leases: {ADVICE}");
        return Ok(Some(why));
    }
    Ok(None)
}

/// What it answers to whom should have brought a password.
const NO_LOGIN: &str = "NOAUTH";

/// Whether it did not answer or could not do it. An answer has a code.
fn failure(what: &str, error: RedisError) -> StoreError {
    let is_answer = error.code().is_some() || !error.is_io_error();
    #[cfg(feature = "redis-tls")]
    let (is_answer, what) = match crate::tls::hindrance(&error) {
        Some(hindrance) => (true, hindrance),
        None => (is_answer, what),
    };
    let no_login =
        error.kind() == ErrorKind::AuthenticationFailed || error.code() == Some(NO_LOGIN);
    let what = if no_login { "log in" } else { what };
    let kind = if is_answer {
        StoreErrorKind::Failed { what: what.to_owned() }
    } else {
        StoreErrorKind::Unreachable
    };
    StoreError::new(BACKEND, kind).with_source(error)
}

/// Without the password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.client.get_connection_info().addr();
        f.debug_struct("Server")
            .field("address", &address.to_string())
            .field("time_out", &self.time_out)
            .field("may_forget", &self.may_forget)
            .finish_non_exhaustive()
    }
}
