//! etcd's JSON gateway, which every member has on the port for clients.

use core::error::Error;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::de::DeserializeOwned;
use tickid_core::{Clock as _, PerProcess, SystemClock, UnixTime};
use ureq::Agent;
use ureq::http::{HeaderMap, HeaderValue, StatusCode, header};

use super::BACKEND;
use super::message::{
    Authenticate, Authenticated, Failure, KeepAlive, KeptAlive, LeaseGrant, LeaseGranted, LeaseId,
    Txn, TxnAnswer,
};
use super::url::{Login, Place, Tls};
use crate::error::{StoreError, StoreErrorKind};
use crate::tls::HungUp;

/// More than all rows of the largest pool take.
const MAX_ANSWER: u64 = 1 << 28;

/// The members of a cluster. Any of them will do; the one that answered last is asked first.
pub(crate) struct Gateway {
    endpoints: Vec<String>,
    login: Option<Login>,
    tls: Option<Tls>,
    time_out: Duration,
    last: AtomicUsize,
    agent: PerProcess<Agent>,
    pass: PerProcess<Mutex<Option<Pass>>>,
}

/// What members ask for: a token, or nothing where nobody need log in. All of a cluster know it.
type Pass = Option<HeaderValue>;

/// Why one member gave no answer, or which.
enum Trouble {
    /// It may or may not have done what it was asked. Another member may know.
    Silence(BoxError),
    /// It was not asked, since it could not be asked in private. Another member may be.
    #[cfg_attr(not(feature = "etcd-tls"), expect(dead_code, reason = "nobody is asked in private"))]
    Stranger(&'static str, BoxError),
    /// It wants a token, or another one. It did nothing.
    NoPass(Said),
    /// It said no.
    Said(Said),
    /// The same, and what it was that it did not do.
    No(StoreError),
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Gateway {
    /// The members in this place, which together get `time_out` to answer.
    pub(crate) fn new(place: Place, time_out: Duration) -> Self {
        let Place { endpoints, login, tls, .. } = place;
        let (last, agent, pass) = (AtomicUsize::new(0), PerProcess::new(), PerProcess::new());
        Self { endpoints, login, tls, time_out, last, agent, pass }
    }

    fn agent(&self) -> &Agent {
        self.agent.get_or_set(|| {
            let config =
                Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
            #[cfg(feature = "etcd-tls")]
            let config = match &self.tls {
                Some(tls) => config.tls_config(tls.config()),
                None => config,
            };
            config.build().new_agent()
        })
    }

    /// What etcd answers, and when that was by its clock.
    ///
    /// A transaction that is sent to one member after another may be done, and its comparisons fail the
    /// second time.
    pub(crate) fn txn(&self, txn: &Txn) -> Result<(TxnAnswer, UnixTime), StoreError> {
        self.call("kv/txn", "do a transaction", txn)
    }

    /// A new etcd lease of so many seconds.
    pub(crate) fn grant_lease(&self, ttl: u32) -> Result<LeaseId, StoreError> {
        let grant = LeaseGrant { ttl: ttl.to_string() };
        let (LeaseGranted { id }, _) = self.call("lease/grant", "grant an etcd lease", &grant)?;
        Ok(id)
    }

    /// Lets an etcd lease begin anew; whether it is still there.
    pub(crate) fn keep_alive(&self, id: LeaseId) -> Result<bool, StoreError> {
        let (KeptAlive { result }, _) =
            self.call("lease/keepalive", "keep an etcd lease alive", &KeepAlive { id })?;
        Ok(result.ttl > 0)
    }

    /// What the first member that answers says to a method, and when that was by its clock.
    fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        what: &str,
        request: &impl serde::Serialize,
    ) -> Result<(T, UnixTime), StoreError> {
        let request = json(request)?;
        let first = self.last.load(Ordering::Relaxed);
        let (mut silence, mut strangers) = (Silence(Vec::new()), Vec::new());
        let members = self.endpoints.len();
        for index in (0..members).map(|at| (first + at) % members) {
            let endpoint = &self.endpoints[index];
            let error = match self.ask(endpoint, method, &request) {
                Ok(answer) => {
                    self.last.store(index, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Trouble::No(error)) => return Err(error),
                Err(Trouble::NoPass(said)) => return Err(failed("log in", said)),
                Err(Trouble::Said(said)) => return Err(failed(what, said)),
                Err(Trouble::Silence(error)) => error,
                Err(Trouble::Stranger(what, error)) => {
                    strangers.push(what);
                    error
                }
            };
            silence.0.push((endpoint.clone(), error));
        }
        // Of those that were silent any may have done it.
        Err(match strangers.pop().filter(|_| strangers.len() + 1 == members) {
            Some(what) => failed(what, silence),
            None => StoreError::new(BACKEND, StoreErrorKind::Unreachable).with_source(silence),
        })
    }

    /// Asks one member, after logging in if need be; once more if it does not take the token any more: they
    /// expire, and end when a user is changed.
    fn ask<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        method: &str,
        request: &[u8],
    ) -> Result<(T, UnixTime), Trouble> {
        let members = u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX).max(1);
        let until = Instant::now() + self.time_out / members;
        let ask = |pass: &Pass| self.post(endpoint, method, request, pass, until);
        let pass = self.pass(endpoint, until)?;
        match ask(&pass) {
            Err(Trouble::NoPass(_)) if self.login.is_some() => {
                self.passes().take_if(|kept| *kept == pass);
                ask(&self.pass(endpoint, until)?)
            }
            answer => answer,
        }
    }

    fn passes(&self) -> MutexGuard<'_, Option<Pass>> {
        self.pass.get_or_set(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to ask with: what it was last time, or what a member gives us for the password.
    fn pass(&self, endpoint: &str, until: Instant) -> Result<Pass, Trouble> {
        let Some(Login { user, password }) = &self.login else { return Ok(None) };
        if let Some(pass) = &*self.passes() {
            return Ok(pass.clone());
        }
        let request = json(&Authenticate { name: user, password }).map_err(Trouble::No)?;
        let pass =
            match self.post::<Authenticated>(endpoint, "auth/authenticate", &request, &None, until)
            {
                Ok((Authenticated { token }, _)) => {
                    let token =
                        HeaderValue::try_from(token).map_err(|error| corrupt(error.into()))?;
                    Some(token)
                }
                // As etcd's own clients do: it may be enabled later.
                Err(Trouble::Said(said)) if said.message.contains(NOT_ENABLED) => None,
                Err(Trouble::Said(said)) => return Err(Trouble::No(failed("log in", said))),
                Err(trouble) => return Err(trouble),
            };
        *self.passes() = Some(pass.clone());
        Ok(pass)
    }

    /// What a member answers, and when that was by its clock.
    fn post<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        method: &str,
        request: &[u8],
        pass: &Pass,
        until: Instant,
    ) -> Result<(T, UnixTime), Trouble> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{endpoint}/v3/{method}");
        let left = until.saturating_duration_since(Instant::now());
        let mut post = self.agent().post(url).content_type("application/json");
        if let Some(pass) = pass {
            post = post.header(header::AUTHORIZATION, pass);
        }
        let sent = post.config().timeout_global(Some(left)).build().send(request);
        let mut response = sent.map_err(|error| match error {
            ureq::Error::Io(error) if self.tls.is_none() && is_hung_up(&error) => {
                Trouble::Silence(HungUp(error.into()).into())
            }
            error => silence(error),
        })?;
        let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
        let body = body.map_err(silence)?;
        if response.status() != StatusCode::OK {
            return Err(refusal(response.status(), &body));
        }
        let answer = serde_json::from_slice(&body).map_err(|error| corrupt(error.into()))?;
        Ok((answer, time(response.headers()).map_err(corrupt)?))
    }
}

/// Without the password, the token and the key.
impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("endpoints", &self.endpoints)
            .field("login", &self.login)
            .field("is_encrypted", &self.tls.is_some())
            .field("time_out", &self.time_out)
            .finish_non_exhaustive()
    }
}

/// Whether etcd did nothing since an etcd lease is not there, or not any more.
pub(crate) fn lacks_lease(error: &StoreError) -> bool {
    let said = error.source().and_then(|source| source.downcast_ref::<Said>());
    said.is_some_and(|said| said.message.contains(NO_LEASE))
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| failed("write JSON", error))
}

fn corrupt(error: BoxError) -> Trouble {
    let what = "its answer".to_owned();
    let corrupt = StoreError::new(BACKEND, StoreErrorKind::Corrupt { what });
    Trouble::No(corrupt.with_source(error))
}

/// That there was no answer, perhaps since there could be no question.
fn silence(error: ureq::Error) -> Trouble {
    #[cfg(feature = "etcd-tls")]
    if let Some(what) = hindrance(&error) {
        return Trouble::Stranger(what, error.into());
    }
    Trouble::Silence(error.into())
}

fn is_hung_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

#[cfg(feature = "etcd-tls")]
fn hindrance(error: &ureq::Error) -> Option<&'static str> {
    match error {
        ureq::Error::Rustls(error) => crate::tls::hindrance(error),
        ureq::Error::Io(error) => crate::tls::hindrance(error),
        // A name that no certificate can have.
        ureq::Error::Tls(_) => Some("encrypt the connection"),
        _ => None,
    }
}

/// What etcd says when it wants a token, or another one.
const NO_PASS: [&str; 3] =
    ["user name is empty", "invalid auth token", "revision of auth store is old"];
/// What it says to a transaction that puts a key with a lease that is over.
const NO_LEASE: &str = "requested lease not found";
/// What it says when there is nobody to log in.
const NOT_ENABLED: &str = "authentication is not enabled";

/// What an answer says that is none. The protocol's `UNAVAILABLE` and `DEADLINE_EXCEEDED` come as 503 and
/// 504: no leader, no quorum, not in time.
fn refusal(status: StatusCode, body: &[u8]) -> Trouble {
    let message = match serde_json::from_slice(body) {
        Ok(Failure { message: Some(message), .. } | Failure { error: Some(message), .. }) => {
            message
        }
        _ => String::from_utf8_lossy(body).trim().to_owned(),
    };
    let said = Said { status, message };
    match status {
        StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::GATEWAY_TIMEOUT => Trouble::Silence(said.into()),
        _ if NO_PASS.iter().any(|sign| said.message.contains(sign)) => Trouble::NoPass(said),
        _ => Trouble::Said(said),
    }
}

fn failed(what: &str, source: impl Into<Box<dyn Error + Send + Sync>>) -> StoreError {
    let kind = StoreErrorKind::Failed { what: what.to_owned() };
    StoreError::new(BACKEND, kind).with_source(source)
}

/// The time by the clock of the member that answered. HTTP tells whole seconds; the rest is ours where
/// our clock agrees on the second, and otherwise as near to ours as that second gets.
fn time(headers: &HeaderMap) -> Result<UnixTime, Box<dyn Error + Send + Sync>> {
    const MICROS: Duration = Duration::from_micros(999_999);
    let date = headers.get(header::DATE).ok_or("no date")?.to_str()?;
    let second = UnixTime::try_from(httpdate::parse_http_date(date)?)?;
    let end = second.checked_add(MICROS).ok_or("the end of time")?;
    Ok(SystemClock.now().map_or(second, |now| now.clamp(second, end)))
}

/// What a member said with a status that is not 200.
#[derive(Debug, thiserror::Error)]
#[error("{status}: {message}")]
struct Said {
    status: StatusCode,
    message: String,
}

/// What came instead of an answer, from each member.
#[derive(Debug)]
struct Silence(Vec<(String, Box<dyn Error + Send + Sync>)>);

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (endpoint, error)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{endpoint}: {error}")?;
        }
        Ok(())
    }
}

impl Error for Silence {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.last().map(|(_, error)| &**error as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_at(date: UnixTime) -> UnixTime {
        let micros = u64::try_from(date.as_micros()).unwrap();
        let date = std::time::UNIX_EPOCH + Duration::from_micros(micros);
        let mut headers = HeaderMap::new();
        headers.insert(header::DATE, httpdate::fmt_http_date(date).parse().unwrap());
        time(&headers).unwrap()
    }

    #[test]
    fn the_time_is_ours_only_within_the_second_that_etcd_says() {
        const HOUR: Duration = Duration::from_secs(3_600);
        let second = |time: UnixTime| time.as_micros() / 1_000_000;
        let before = SystemClock.now().unwrap();
        let now = said_at(before);
        assert_eq!(second(now), second(before));
        let (ahead, behind) =
            (before.checked_add(HOUR).unwrap(), before.checked_sub(HOUR).unwrap());
        assert_eq!(said_at(ahead).as_micros(), second(ahead) * 1_000_000);
        assert_eq!(said_at(behind).as_micros(), second(behind) * 1_000_000 + 999_999);
    }

    #[test]
    fn without_a_date_there_is_no_time() {
        assert!(time(&HeaderMap::new()).is_err());
    }

    #[test]
    fn all_members_are_asked_before_there_is_no_answer() {
        // Nothing listens on port 1 (tcpmux), nor takes connections to port 0.
        let endpoints = vec!["127.0.0.1:1".to_owned(), "127.0.0.1:0".to_owned()];
        let place = Place { endpoints, login: None, tls: None, lease_ttl: None };
        let gateway = Gateway::new(place, Duration::from_secs(10));
        let error = gateway.txn(&Txn::default()).unwrap_err();
        assert!(error.is_unreachable());
        let source = error.source().unwrap().to_string();
        assert!(source.contains("127.0.0.1:1: ") && source.contains("127.0.0.1:0: "), "{source}");
    }
}
