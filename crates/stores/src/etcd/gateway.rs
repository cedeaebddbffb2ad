//! etcd's JSON gateway, which every member has on its port for clients.

use core::error::Error;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::io::Read as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tickid_core::{Clock as _, PerProcess, SystemClock, UnixTime};
use tickid_lease::StoreError;
use tickid_lease::backend::excerpt;
use ureq::Agent;
use ureq::http::{HeaderMap, HeaderValue, StatusCode, header};

use super::message::{Authenticate, Authenticated, GatewayError, Txn, TxnAnswer};
use super::tls::TlsSettings;
use super::url::Place;
use crate::error::{self, BoxError};
use crate::tls::{HungUp, is_hung_up};
use crate::url::Login;

pub(super) const BACKEND: &str = "etcd";

pub(super) const TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of claims, and of any request before the first answer. If a thousand clients connect
/// at the same time, most of this is spent in the server's queue.
const LONG_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest number of bytes in an answer. A page of rows takes a third of it.
const MAX_ANSWER: u64 = 4 << 20;
/// The largest number of bytes that are read of a refusal. etcd's own refusals are shorter.
const MAX_REFUSAL: u64 = 16 << 10;
/// The limit of objects, more than any expected answer has. Empty ones would take much memory.
const MAX_OBJECTS: usize = 1 << 16;

/// The members of a cluster. Any of them will do, and the one that answered last is tried first.
pub(super) struct Gateway {
    endpoints: Vec<String>,
    login: Option<Login>,
    tls: Option<TlsSettings>,
    timeout: Option<Duration>,
    /// None at first.
    last: AtomicUsize,
    /// Its connections are kept for the next request.
    agent: PerProcess<Mutex<Agent>>,
    pass: PerProcess<Mutex<Option<Pass>>>,
}

/// The token that a cluster requires; `None` if none is needed.
type Pass = Option<HeaderValue>;

/// The reason why a member gave no answer, or its refusal.
enum Trouble {
    /// It may or may not have carried out the request.
    Silence(BoxError),
    /// No request was sent, since the connection could not be encrypted.
    Stranger(&'static str, BoxError),
    /// It requires a token, or a new one. It did nothing.
    NoPass(Said),
    /// It refused, and did nothing.
    Refused(Said),
}

impl Gateway {
    pub(super) fn new(place: Place, timeout: Option<Duration>) -> Self {
        let Place { endpoints, login, tls } = place;
        let (last, agent, pass) =
            (AtomicUsize::new(usize::MAX), PerProcess::new(), PerProcess::new());
        Self { endpoints, login, tls, timeout, last, agent, pass }
    }

    /// Returns the members' addresses.
    pub(super) fn endpoints(&self) -> String {
        self.endpoints.join(",")
    }

    fn agent(&self) -> MutexGuard<'_, Agent> {
        let agent = self.agent.get_or_set(|| self.new_agent().into());
        agent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_agent(&self) -> Agent {
        let config =
            Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
        let config = match &self.tls {
            Some(tls) => config.tls_config(tls.config()),
            None => config,
        };
        config.build().new_agent()
    }

    /// Does a transaction at the first member that answers, and returns its time.
    pub(super) fn txn(
        &self,
        txn: &Txn,
        is_claim: bool,
    ) -> Result<(TxnAnswer, UnixTime), StoreError> {
        let request = json(txn);
        let (first, timeout) = match self.last.load(Ordering::Relaxed) {
            usize::MAX => (0, LONG_TIMEOUT),
            last if is_claim => (last, LONG_TIMEOUT),
            last => (last, TIMEOUT),
        };
        let until = Instant::now() + self.timeout.unwrap_or(timeout);
        let (mut silence, mut strangers) = (Silence(Vec::new()), Vec::new());
        let members = self.endpoints.len();
        let mut asked = 0;
        // A connection that was kept may have been closed, which shows only now, so the member is
        // asked once more over another.
        let mut may_repeat = self.last.load(Ordering::Relaxed) != usize::MAX;
        while asked < members {
            let index = (first + asked) % members;
            let endpoint = &self.endpoints[index];
            // The remaining members share the remaining time.
            let rest = until.saturating_duration_since(Instant::now());
            let share = rest / u32::try_from(members - asked).unwrap_or(u32::MAX);
            let error = match self.ask(endpoint, "kv/txn", &request, Instant::now() + share) {
                Ok((TxnAnswer { succeeded: false, .. }, _)) if !silence.0.is_empty() => {
                    // A silent member may have carried it out, so that this one could not. The next
                    // request starts here because after the silence, its answer would be the same.
                    self.last.store(index, Ordering::Relaxed);
                    return Err(error::unreachable(BACKEND, silence));
                }
                Ok(answer) => {
                    self.last.store(index, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Trouble::NoPass(said)) => return Err(failed("log in", said)),
                Err(Trouble::Refused(said)) => {
                    let what = if said.is_of_login { "log in" } else { "do a transaction" };
                    return Err(failed(what, said));
                }
                Err(Trouble::Silence(error)) => {
                    if may_repeat && is_broken(&*error) {
                        *self.agent() = self.new_agent();
                        silence.0.push((endpoint.clone(), error));
                        may_repeat = false;
                        continue;
                    }
                    error
                }
                Err(Trouble::Stranger(what, error)) => {
                    strangers.push(what);
                    error
                }
            };
            silence.0.push((endpoint.clone(), error));
            asked += 1;
        }
        // Any of the silent members may have carried it out.
        Err(match strangers.pop().filter(|_| strangers.len() + 1 == members) {
            Some(what) => failed(what, silence),
            None => error::unreachable(BACKEND, silence),
        })
    }

    /// Sends a request to one member, after logging in if necessary. If the member refuses the
    /// token, this logs in anew and retries once, because tokens expire, and end when a user is
    /// changed.
    fn ask<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        method: &str,
        request: &[u8],
        until: Instant,
    ) -> Result<(T, UnixTime), Trouble> {
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

    /// Returns the token of an earlier login, or logs in.
    fn pass(&self, endpoint: &str, until: Instant) -> Result<Pass, Trouble> {
        let Some(Login { user, password }) = &self.login else { return Ok(None) };
        if let Some(pass) = &*self.passes() {
            return Ok(pass.clone());
        }
        // Two threads may both log in; either token is good.
        let request = json(&Authenticate { name: user, password });
        let pass =
            match self.post::<Authenticated>(endpoint, "auth/authenticate", &request, &None, until)
            {
                Ok((Authenticated { token }, _)) => {
                    let token = HeaderValue::try_from(token);
                    Some(token.map_err(|error| Trouble::Silence(error.into()))?)
                }
                // As etcd's own clients do: it may be enabled later.
                Err(Trouble::Refused(said)) if said.message.contains(NOT_ENABLED) => None,
                Err(Trouble::Refused(said)) => {
                    return Err(Trouble::Refused(Said { is_of_login: true, ..said }));
                }
                Err(trouble) => return Err(trouble),
            };
        *self.passes() = Some(pass.clone());
        Ok(pass)
    }

    /// Returns a member's answer and its time.
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
        let agent = self.agent().clone();
        let mut post = agent.post(url).content_type("application/json");
        if let Some(pass) = pass {
            post = post.header(header::AUTHORIZATION, pass);
        }
        let sent = post.config().timeout_global(Some(left)).build().send(request);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the client's errors")]
        let mut response = sent.map_err(|error| match error {
            ureq::Error::Io(error) if self.tls.is_none() && is_hung_up(&error) => {
                Trouble::Silence(HungUp(error.into()).into())
            }
            error => silence(error),
        })?;
        if response.status() != StatusCode::OK {
            let mut body = Vec::new();
            let read = response.body_mut().as_reader().take(MAX_REFUSAL).read_to_end(&mut body);
            read.map_err(|error| silence(error.into()))?;
            // A member without a leader, or a proxy without members: the next request looks the
            // address up again, which may have been moved while the connections stay open.
            *self.agent() = self.new_agent();
            return Err(refusal(response.status(), &body));
        }
        let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
        let body = body.map_err(silence)?;
        if body.iter().filter(|byte| **byte == b'{').count() > MAX_OBJECTS {
            return Err(Trouble::Silence("an answer of too many parts".into()));
        }
        let answer = serde_json::from_slice(&body)
            .map_err(|error| Trouble::Silence(excerpt(&error.to_string()).into()))?;
        Ok((answer, time(response.headers()).map_err(Trouble::Silence)?))
    }
}

/// Without the password, the token and the key.
impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway")
            .field("endpoints", &self.endpoints)
            .field("login", &self.login)
            .field("is_encrypted", &self.tls.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Reports whether a connection was closed in place of an answer.
fn is_broken(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    match error.downcast_ref() {
        Some(ureq::Error::Io(error)) => is_hung_up(error),
        _ => error.is::<HungUp>(),
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    // Strings and lists of them always have a JSON.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Classifies an error of the HTTP client.
fn silence(error: ureq::Error) -> Trouble {
    if let Some(what) = hindrance(&error) {
        return Trouble::Stranger(what, error.into());
    }
    Trouble::Silence(error.into())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the client's errors")]
fn hindrance(error: &ureq::Error) -> Option<&'static str> {
    match error {
        ureq::Error::Rustls(error) => crate::tls::certificates::hindrance(error),
        ureq::Error::Io(error) => crate::tls::certificates::hindrance(error),
        // A name that no certificate can have.
        ureq::Error::Tls(_) => Some("encrypt the connection"),
        _ => None,
    }
}

/// The messages of etcd that require a token, or a new one.
const NO_PASS: [&str; 3] =
    ["user name is empty", "invalid auth token", "revision of auth store is old"];
/// The message to a login when the server has no users.
const NOT_ENABLED: &str = "authentication is not enabled";

/// Classifies a status other than 200. etcd refuses with JSON, and reports a lack of a leader or of
/// time as 503 and 504. Anything else comes from a different program.
fn refusal(status: StatusCode, body: &[u8]) -> Trouble {
    let said = |message: &str| Said { status, message: excerpt(message), is_of_login: false };
    let message = match serde_json::from_slice(body) {
        Ok(
            GatewayError { message: Some(message), .. } | GatewayError { error: Some(message), .. },
        ) => message,
        _ => return Trouble::Silence(said(&String::from_utf8_lossy(body)).into()),
    };
    let said = said(&message);
    match status {
        StatusCode::NOT_FOUND
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::GATEWAY_TIMEOUT => Trouble::Silence(said.into()),
        _ if NO_PASS.iter().any(|sign| said.message.contains(sign)) => Trouble::NoPass(said),
        _ => Trouble::Refused(said),
    }
}

/// Reports whether the user has no right to a key.
pub(super) fn is_denied(error: &StoreError) -> bool {
    let said = error.source().and_then(|source| source.downcast_ref::<Said>());
    said.is_some_and(|said| said.message.contains("permission denied"))
}

fn failed(what: &str, source: impl Into<BoxError>) -> StoreError {
    error::failed(BACKEND, what).with_source(source)
}

/// Returns the time by the clock of the member that answered. HTTP reports whole seconds. Within
/// that second, the result is as close as possible to this machine's clock.
fn time(headers: &HeaderMap) -> Result<UnixTime, BoxError> {
    const MICROS: Duration = Duration::from_micros(999_999);
    let date = headers.get(header::DATE).ok_or("no date")?.to_str()?;
    let second = UnixTime::try_from(httpdate::parse_http_date(date)?)?;
    let end = second.checked_add(MICROS).ok_or("the end of time")?;
    Ok(SystemClock.now().map_or(second, |now| now.clamp(second, end)))
}

/// The answer of a member with a status other than 200.
#[derive(Debug, thiserror::Error)]
#[error("{status}: {message}")]
struct Said {
    status: StatusCode,
    message: String,
    is_of_login: bool,
}

/// The errors of members that gave no answer.
#[derive(Debug)]
struct Silence(Vec<(String, BoxError)>);

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (endpoint, error)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{endpoint}: {error}")?;
        }
        Ok(())
    }
}

// Its text has their texts, so a source would say one of them twice.
impl Error for Silence {}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn said_at(date: UnixTime) -> UnixTime {
        let micros = u64::try_from(date.as_micros()).unwrap();
        let date = std::time::UNIX_EPOCH + Duration::from_micros(micros);
        let mut headers = HeaderMap::new();
        headers.insert(header::DATE, httpdate::fmt_http_date(date).parse().unwrap());
        time(&headers).unwrap()
    }

    #[test]
    fn time_is_within_the_date() {
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
    fn every_member_is_tried() {
        // Nothing listens on port 1 (tcpmux), nor takes connections to port 0.
        let endpoints = vec!["127.0.0.1:1".to_owned(), "127.0.0.1:0".to_owned()];
        let place = Place { endpoints, login: None, tls: None };
        let gateway = Gateway::new(place, Some(Duration::from_secs(10)));
        let error = gateway.txn(&Txn::default(), false).err().unwrap();
        assert!(error.is_unreachable());
        let source = error.source().unwrap().to_string();
        assert!(source.contains("127.0.0.1:1: ") && source.contains("127.0.0.1:0: "), "{source}");
        assert_eq!(format!("{error:?}"), format!("{error}: {source}"), "each reason once");
    }

    /// A member that lost its leader answers, and keeps its connections open.
    #[test]
    fn errors_end_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoints = vec![listener.local_addr().unwrap().to_string()];
        let (send, asked) = mpsc::channel();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let mut stream = BufReader::new(stream);
                for request in 0.. {
                    if !skip_request(&mut stream) {
                        break;
                    }
                    send.send((number, request)).unwrap();
                    let status = match (number, request) {
                        (0, 1..) => "503 Service Unavailable",
                        _ => "200 OK",
                    };
                    let answer = format!(
                        "HTTP/1.1 {status}\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
                         Content-Length: 13\r\n\r\n{{\"header\":{{}}}}"
                    );
                    stream.get_mut().write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        let place = Place { endpoints, login: None, tls: None };
        let gateway = Gateway::new(place, Some(Duration::from_secs(10)));
        let ask = || (gateway.txn(&Txn::default(), false).is_ok(), asked.recv().unwrap());
        let expected = [(true, (0, 0)), (false, (0, 1)), (true, (1, 0))];
        assert_eq!([(); 3].map(|()| ask()), expected);
    }

    /// Reads a request with a body, and returns whether there was one.
    fn skip_request(stream: &mut BufReader<TcpStream>) -> bool {
        let mut len = 0;
        loop {
            let mut line = String::new();
            match (stream.read_line(&mut line).unwrap_or(0), line.trim_end()) {
                (0, _) => return false,
                (_, "") => return stream.read_exact(&mut vec![0; len]).is_ok(),
                (_, line) => {
                    if let Some((name, value)) = line.split_once(": ")
                        && name.eq_ignore_ascii_case("content-length")
                    {
                        len = value.parse().unwrap();
                    }
                }
            }
        }
    }

    /// Otherwise a change that a silent member has carried out would never be found out.
    #[test]
    fn answering_member_is_asked_first() {
        const ANSWER: &str = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
            Connection: close\r\nContent-Length: 32\r\n\r\n{\"header\":{\"cluster_id\":\"1\"}   }";
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoints = vec!["127.0.0.1:1".to_owned(), listener.local_addr().unwrap().to_string()];
        thread::spawn(move || {
            let mut streams = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4_096]);
                let _ = stream.write_all(ANSWER.as_bytes());
                streams.push(stream);
            }
        });
        let place = Place { endpoints, login: None, tls: None };
        let gateway = Gateway::new(place, Some(Duration::from_secs(10)));
        assert!(gateway.txn(&Txn::default(), false).err().unwrap().is_unreachable());
        let (answer, _) = gateway.txn(&Txn::default(), false).unwrap();
        assert!(!answer.succeeded);
    }
}
